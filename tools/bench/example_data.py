"""Arguments, output and wanted values of one launch of an example, made with torch on the GPU.

`MAKERS` has one function for each example, which takes the case's random source and size. Integers are wanted exactly; their
products are made in float64, which holds all sums.
"""

from typing import Callable, Dict, List, NamedTuple

GUARD_BYTES = 4096
GUARD_PATTERN = 0xA5
# The values of the codes 0 to 7; bit 3 is the sign.
FP4_VALUES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)


class Output:
    """A matrix of NaN, or of `fill`, between guard bytes."""

    def __init__(self, torch, rows, columns, dtype, fill=None):
        self.torch, self.is_copy = torch, False
        size = rows * columns * torch.empty(0, dtype=dtype).element_size()
        self.bytes = torch.full((size + 2 * GUARD_BYTES,), GUARD_PATTERN, dtype=torch.uint8, device="cuda")
        self.matrix = self.bytes[GUARD_BYTES:GUARD_BYTES + size].view(dtype).view(rows, columns)
        if fill is None:
            fill = float("nan") if dtype.is_floating_point else 77
        self.matrix.fill_(fill)

    def find_fault(self, want, tolerance):
        """What is wrong, or None. |got - want| <= tolerance * (|want| + rms(want)); integers are equal."""
        torch = self.torch
        for side, guard in (("before", self.bytes[:GUARD_BYTES]), ("after", self.bytes[-GUARD_BYTES:])):
            if int((guard != GUARD_PATTERN).sum()):
                return f"bytes {side} the output were written"
        if self.matrix.numel() == 0:
            return None
        if self.is_copy:
            return None if torch.equal(self.matrix, want) else "the copy differs"
        if not self.matrix.dtype.is_floating_point:
            got, bound = self.matrix.double(), torch.zeros_like(want)
        else:
            got = self.matrix.float()
            if int(torch.isnan(got).sum()):
                return f"{int(torch.isnan(got).sum())} of {got.numel()} elements are NaN or were not written"
            bound = tolerance * (want.abs() + want.square().mean().sqrt())
        wrong = int(((got - want).abs() > bound).sum())
        if wrong:
            worst = int((got - want).abs().argmax())
            return (f"{wrong} of {got.numel()} elements are wrong, the worst at {divmod(worst, got.shape[1])}: "
                    f"{got.flatten()[worst]} instead of {want.flatten()[worst]}")
        return None


class Case(NamedTuple):
    arguments: List
    out: Output
    want: object
    kept: List  # what the arguments point to


class Source:
    """Random numbers of every format, and how tilert is told of them."""

    def __init__(self, torch, tilert, settings: Dict[str, object]):
        self.torch, self.of, self.tilert, self.settings = torch, tilert.tensor_of, tilert, settings

    def normal(self, *shape, dtype=None):
        return self.torch.randn(*shape, device="cuda").to(dtype or self.torch.bfloat16)

    def integers(self, low, high, *shape, dtype=None):
        """Whole numbers from low to high - 1."""
        return self.torch.randint(low, high, shape, dtype=dtype or self.torch.int8, device="cuda")

    def scalar(self, value):
        bits = self.torch.tensor(value, dtype=self.torch.float32).view(self.torch.int32)
        return self.tilert.Scalar("f32", int(bits))

    def packed(self, codes, dtype, dim):
        """The argument of 4-bit codes (any integers, of which the low bits count), and its bytes."""
        import gemm_data
        array = gemm_data.pack_int4(codes.to(self.torch.int8), dim)
        return self.of(array, dtype, list(codes.shape)), array

    def bytes_of(self, array, dtype):
        """The argument of an array that torch has another name for."""
        return self.of(array.view(self.torch.uint8), dtype, list(array.shape))

    def output(self, rows, columns, dtype=None, fill=None):
        return Output(self.torch, rows, columns, dtype or self.torch.bfloat16, fill)

    def fp4_values(self, codes):
        table = self.torch.tensor(FP4_VALUES + tuple(-x for x in FP4_VALUES), device="cuda")
        return table[codes.long()]

    def powers(self, low, high, *shape):
        """e8m0 codes of 2^low to 2^high, and their values."""
        codes = self.torch.randint(127 + low, 128 + high, shape, dtype=self.torch.uint8, device="cuda")
        return codes, self.torch.exp2(codes.float() - 127)


def spread(scales, group, extent, dim):
    """One scale for each element along `dim`."""
    return scales.repeat_interleave(group, dim=dim).narrow(dim, 0, extent)


def make_transpose(s, rows, columns):
    x, out = s.normal(rows, columns), s.output(columns, rows)
    return Case([s.of(x), s.of(out.matrix)], out, x.float().t().contiguous(), [x])


def make_copy_long(s, size):
    if s.settings.get("T") == "bf16":
        x = s.torch.randint(-100, 100, (size,), dtype=s.torch.int8, device="cuda").bfloat16()
    else:
        x = s.integers(-128, 128, size)
    out = s.output(1, size, x.dtype)
    out.is_copy = True
    return Case([s.of(x), s.of(out.matrix[0])], out, x[None, :], [x])


def make_copy_wide(s, rows, columns):
    x = s.torch.randint(-100, 100, (rows, columns), dtype=s.torch.int8, device="cuda").bfloat16()
    out = s.output(rows, columns)
    out.is_copy = True
    return Case([s.of(x), s.of(out.matrix)], out, x, [x])


def make_softmax(s, rows, columns):
    x, out = s.normal(rows, columns), s.output(rows, columns)
    return Case([s.of(x), s.of(out.matrix)], out, s.torch.softmax(x.float(), 1), [x])


def make_rmsnorm(s, rows, columns):
    x, w, out = s.normal(rows, columns), s.normal(columns), s.output(rows, columns)
    want = x.float() * s.torch.rsqrt(x.float().square().mean(1, keepdim=True) + 1e-6) * w.float()
    return Case([s.of(x), s.of(w), s.of(out.matrix), s.scalar(1e-6)], out, want, [x, w])


def make_gemm_bf16(s, m, n, k):
    a, b, out = s.normal(m, k), s.normal(k, n), s.output(m, n)
    return Case([s.of(a), s.of(b), s.of(out.matrix)], out, a.float() @ b.float(), [a, b])


def make_gemm_persistent(s, m, n, k):
    a, b, out = s.normal(m, k), s.normal(n, k), s.output(m, n)
    return Case([s.of(a), s.of(b), s.of(out.matrix)], out, a.float() @ b.float().t(), [a, b])


def make_matmul_bf16_int4(s, m, n, k):
    a, q, out = s.normal(m, k), s.integers(-8, 8, k, n), s.output(m, n)
    b, packed = s.packed(q, "int4", 0)
    return Case([s.of(a), b, s.of(out.matrix)], out, a.float() @ q.float(), [a, packed])


def make_gemm_f16_nn_nt_tn(s, m, n, k):
    half = s.torch.float16
    a, b, out = s.normal(m, k, dtype=half), s.normal(k, n, dtype=half), s.output(m, n, half)
    stored_a = a.t().contiguous() if s.settings["TRANS_A"] == "true" else a
    stored_b = b.t().contiguous() if s.settings["TRANS_B"] == "true" else b
    return Case([s.of(stored_a), s.of(stored_b), s.of(out.matrix)], out, a.float() @ b.float(), [stored_a, stored_b])


def make_async_copy_gemm(s, m, n, k):
    s.torch.manual_seed(m + n + k)  # the same data for each number of stages
    half = s.torch.float16
    a, b, out = s.normal(m, k, dtype=half), s.normal(n, k, dtype=half), s.output(m, n, half)
    return Case([s.of(a), s.of(b), s.of(out.matrix)], out, a.float() @ b.float().t(), [a, b])


def make_gemm_bias_gelu(s, m, n, k):
    a, b, bias, rest, out = s.normal(m, k), s.normal(n, k), s.normal(n), s.normal(m, n), s.output(m, n)
    want = s.torch.nn.functional.gelu(a.float() @ b.float().t() + bias.float(), approximate="tanh") + rest.float()
    return Case([s.of(a), s.of(b), s.of(bias), s.of(rest), s.of(out.matrix)], out, want, [a, b, bias, rest])


def make_gemm_splitk(s, m, n, k):
    a, b, out = s.normal(m, k), s.normal(k, n), s.output(m, n, s.torch.float32, fill=0.0)
    return Case([s.of(a), s.of(b), s.of(out.matrix)], out, a.float() @ b.float(), [a, b])


def make_gemm_int8(s, m, n, k):
    a, b, out = s.integers(-128, 128, m, k), s.integers(-128, 128, n, k), s.output(m, n, s.torch.int32)
    return Case([s.of(a), s.of(b), s.of(out.matrix)], out, a.double() @ b.double().t(), [a, b])


def make_gemm_int4(s, m, n, k):
    a, b, out = s.integers(-8, 8, m, k), s.integers(-8, 8, n, k), s.output(m, n, s.torch.int32)
    (arg_a, packed_a), (arg_b, packed_b) = s.packed(a, "int4", 1), s.packed(b, "int4", 1)
    return Case([arg_a, arg_b, s.of(out.matrix)], out, a.double() @ b.double().t(), [packed_a, packed_b])


def make_gemm_fp8(s, m, n, k):
    names = {"fp8_e4m3": s.torch.float8_e4m3fn, "fp8_e5m2": s.torch.float8_e5m2}
    outputs = {"bf16": s.torch.bfloat16, "f32": s.torch.float32}
    type_a, type_b = s.settings.get("TA", "fp8_e4m3"), s.settings.get("TB", "fp8_e4m3")
    a, b = s.normal(m, k, dtype=names[type_a]), s.normal(n, k, dtype=names[type_b])
    out = s.output(m, n, outputs[s.settings.get("TC", "bf16")])
    want = 0.5 * (a.float() @ b.float().t())
    return Case([s.bytes_of(a, type_a), s.bytes_of(b, type_b), s.of(out.matrix), s.scalar(0.5)], out, want, [a, b])


def make_w4a8(s, m, n, k):
    a, b, out = s.integers(-128, 128, m, k), s.integers(-8, 8, n, k), s.output(m, n)
    scales_a, scales_b = s.torch.rand(m, device="cuda"), s.torch.rand(n, device="cuda")
    arg_b, packed = s.packed(b, "int4", 1)
    want = ((a.double() @ b.double().t()) * scales_a[:, None] * scales_b[None, :]).float()
    return Case([s.of(a), arg_b, s.of(scales_a), s.of(scales_b), s.of(out.matrix)], out, want, [a, packed, scales_a, scales_b])


make_w4a8_packed = make_w4a8


def make_w8a16(s, m, n, k):
    a, scales, out, kind = s.normal(m, k), s.torch.rand(n, device="cuda"), s.output(m, n), s.settings.get("TB", "fp8_e4m3")
    if kind.startswith("fp8"):
        b = s.normal(n, k, dtype=s.torch.float8_e4m3fn if kind == "fp8_e4m3" else s.torch.float8_e5m2)
    else:
        b = s.integers(0, 256, n, k, dtype=s.torch.uint8) if kind == "uint8" else s.integers(-128, 128, n, k)
    want = (a.float() @ b.float().t()) * scales[None, :]
    return Case([s.of(a), s.bytes_of(b, kind), s.of(scales), s.of(out.matrix)], out, want, [a, b, scales])


def make_w4a8_fp8(s, m, n, k):
    group = int(s.settings.get("G", 128))
    a, q, scales = s.normal(m, k, dtype=s.torch.float8_e4m3fn), s.integers(-8, 8, n, k), s.normal(n, k // group)
    (b, packed), out = s.packed(q, "int4", 1), s.output(m, n)
    want = a.float() @ (q.float() * spread(scales.float(), group, k, 1)).t()
    return Case([s.bytes_of(a, "fp8_e4m3"), b, s.of(scales), s.of(out.matrix)], out, want, [a, packed, scales])


make_w4a8_fp8_packed = make_w4a8_fp8


def make_w4a8_manual(s, m, n, k):
    import gemm_data
    a, b, out = s.integers(-128, 128, m, k), s.integers(-8, 8, n, k), s.output(n, m, s.torch.int32)
    packed = gemm_data.pack_int4(b, 1)
    return Case([s.of(a), s.of(packed), s.of(out.matrix)], out, b.double() @ a.double().t(), [a, packed])


def make_convert_int4_int8(s, n, k):
    packed, out = s.integers(0, 256, n, k // 2, dtype=s.torch.uint8), s.output(n, k, s.torch.int8)
    nibbles = s.torch.stack([packed & 15, packed >> 4], dim=2).view(n, k).double()
    return Case([s.of(packed), s.of(out.matrix)], out, s.torch.where(nibbles > 7, nibbles - 16, nibbles), [packed])


def make_w4a16_group(s, m, n, k):
    group = int(s.settings.get("G", 128))
    a, q, scales, out = s.normal(m, k), s.integers(-8, 8, n, k), s.normal(n, k // group), s.output(m, n)
    b, packed = s.packed(q, "int4", 1)
    want = a.float() @ (q.float() * spread(scales.float(), group, k, 1)).t()
    return Case([s.of(a), b, s.of(scales), s.of(out.matrix)], out, want, [a, packed, scales])


def make_w4a16_zero(s, m, n, k):
    half = s.torch.bfloat16 if s.settings.get("T") == "bf16" else s.torch.float16
    group = int(s.settings.get("G", 128))
    a, q, z = s.normal(m, k, dtype=half), s.integers(0, 16, k, n), s.integers(0, 16, k // group, n)
    scales, out = s.normal(k // group, n, dtype=half) / 64, s.output(m, n, half)
    (b, packed_b), (zeros, packed_z) = s.packed(q, "uint4", 1), s.packed(z, "uint4", 1)
    want = a.float() @ ((q - spread(z, group, k, 0)).float() * spread(scales.float(), group, k, 0))
    return Case([s.of(a), b, s.of(scales), zeros, s.of(out.matrix)], out, want, [a, packed_b, scales, packed_z])


def make_fp4_dequant_gemm(s, m, n, k):
    a, codes, bias, out = s.normal(m, k), s.integers(0, 16, n, k), s.torch.randn(n, device="cuda"), s.output(m, n)
    scale_codes, scales = s.powers(-6, 6, n, -(-k // 32))
    b, packed = s.packed(codes, "fp4_e2m1", 1)
    want = a.float() @ (s.fp4_values(codes) * spread(scales, 32, k, 1)).t() + bias
    arguments = [s.of(a), b, s.bytes_of(scale_codes, "e8m0"), s.of(bias), s.of(out.matrix)]
    return Case(arguments, out, want, [a, packed, scale_codes, bias])


make_fp4_packed = make_fp4_dequant_gemm


def make_gemm_fp8_blockscaled(s, m, n, k):
    fp8, groups = s.torch.float8_e4m3fn, -(-k // 128)
    a, b, out = s.normal(m, k, dtype=fp8), s.normal(n, k, dtype=fp8), s.output(m, n)
    sfa, sfb = s.torch.rand(m, groups, device="cuda"), s.torch.rand(-(-n // 128), groups, device="cuda")
    want = (a.float() * spread(sfa, 128, k, 1)) @ (b.float() * spread(spread(sfb, 128, n, 0), 128, k, 1)).t()
    stored_sfa = sfa.t().contiguous() if s.settings.get("TRANS_SFA") == "true" else sfa
    arguments = [s.bytes_of(a, "fp8_e4m3"), s.bytes_of(b, "fp8_e4m3"), s.of(stored_sfa), s.of(sfb), s.of(out.matrix)]
    return Case(arguments, out, want, [a, b, stored_sfa, sfb])


def make_gemm_mxfp8(s, m, n, k):
    fp8, groups = s.torch.float8_e4m3fn, -(-k // 32)
    a, b, out = s.normal(m, k, dtype=fp8), s.normal(n, k, dtype=fp8), s.output(m, n)
    (codes_a, sfa), (codes_b, sfb) = s.powers(-3, 3, m, groups), s.powers(-3, 3, n, groups)
    want = (a.float() * spread(sfa, 32, k, 1)) @ (b.float() * spread(sfb, 32, k, 1)).t()
    arguments = [s.bytes_of(a, "fp8_e4m3"), s.bytes_of(b, "fp8_e4m3"), s.bytes_of(codes_a, "e8m0"), s.bytes_of(codes_b, "e8m0"),
                 s.of(out.matrix)]
    return Case(arguments, out, want, [a, b, codes_a, codes_b])


MAKERS: Dict[str, Callable] = {
    name[len("make_"):]: function for name, function in list(globals().items()) if name.startswith("make_")
}
