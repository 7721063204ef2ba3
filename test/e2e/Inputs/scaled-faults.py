"""Known faults F05 and F09 of tile compilers, their neighbours, and scales at the ends of their range, on the emulator.

usage: scaled-faults.py F05|F09|range|fp4 [TARGET...]
"""
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

M, N, GROUP = 32, 16, 32


def run(folder, name, text, inputs, target, expected=None, sizes=()):
    """Runs a kernel; gives C, or None after telling what went wrong."""
    (folder / f"{name}.tile").write_text(text)
    command = ["tilec", "run", str(folder / f"{name}.tile"), "--device=emulator", f"--target={target}", "--out", f"C={folder / name}.npy"]
    for parameter, array in inputs.items():
        np.save(folder / f"{name}.{parameter}.npy", array)
        command += ["--in", f"{parameter}={folder / name}.{parameter}.npy"]
    for symbol, size in sizes:
        command += ["--size", f"{symbol}={size}"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    if done.returncode != 0:
        print(f"{name} on {target}: {' '.join(command)}\n{done.stdout}")
        return None
    result = np.load(folder / f"{name}.npy")
    if expected is not None and not np.array_equal(result.astype(np.float64), expected):
        print(f"{name} on {target}: wrong values\n{result}\ninstead of\n{expected}\n{text}")
        return None
    return result


def pack(codes):
    return (codes[:, 0::2] | codes[:, 1::2] << 4).astype(np.uint8)


def round_to(values, dtype):
    """The nearest numbers of f16 or bf16."""
    if dtype == "f16":
        return values.astype(np.float16).astype(np.float64)
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).view(np.float32).astype(np.float64)


# F05: uint4 q = 0 .. 15 with zero 8 and scale 0.5 is -4, -3.5, ..., 3.5, however the zero-point is given.


def check_zero_points(folder, target):
    k = 128
    groups = k // GROUP
    q = ((np.arange(N)[:, None] + np.arange(k)[None]) % 16).astype(np.uint8)
    zeros = np.full((N, groups), 8)
    zeros[:, 1::2] = 15  # also the largest there is: q - z = -15
    weights = (q - np.repeat(zeros, GROUP, 1)) * 0.5
    passed = []
    types = {"uint4": pack(zeros), "int8": zeros.astype(np.int8), "uint8": zeros.astype(np.uint8), "int32": zeros.astype(np.int32),
             "f16": zeros.astype(np.float16), "f32": zeros.astype(np.float32)}
    scales = np.full((N, groups), 0.5)
    for zero, array in types.items():
        inputs = {"B": pack(q), "S": scales.astype(np.float16), "Z": array}
        parameters = f"B: uint4[N, K], S: f16[N, K / {GROUP}], Z: {zero}[N, K / {GROUP}]"
        tiles = (f"let Bs = alloc_shared(uint4[{N}, {k}]); let Ss = alloc_shared(f16[{N}, {groups}]); let Zs = alloc_shared({zero}[{N}, {groups}]);"
                 " copy(B[0, 0], Bs); copy(S[0, 0], Ss); copy(Z[0, 0], Zs);")
        call = f"dequant(Bs, scale = Ss, zero = Zs, group = {GROUP}"
        # Outside a product.
        for to in ("f16", "bf16", "f32"):
            result = "f32" if to == "bf16" else to
            value = f"cast<f32>({call}, to = bf16))" if to == "bf16" else f"{call}, to = {to})"
            text = f"kernel k({parameters}, C: out {result}[N, K]) threads(128) {{ {tiles} copy({value}, C[0, 0]); }}\n"
            passed.append(run(folder, f"value_{zero}_{to}", text, inputs, target, weights) is not None)
        # Inside: row m of A picks one k, so that the product is the weights.
        picks = np.zeros((M, k))
        picks[np.arange(M), 4 * np.arange(M) + np.arange(M) % 4] = 1
        for a, c in (("f16", "f16"), ("int8", "f32")):
            text = (f"kernel k(A: {a}[M, K], {parameters}, C: out {c}[M, N]) threads(128) {{ {tiles} let As = alloc_shared({a}[{M}, {k}]); copy(A[0, 0], As);"
                    f" var acc = full(f32[{M}, {N}], 0.0); gemm(As, {call}), acc, transpose_b = true); copy(acc, C[0, 0]); }}\n")
            passed.append(run(folder, f"product_{a}_{zero}", text, {"A": picks.astype({"f16": np.float16, "int8": np.int8}[a]), **inputs}, target,
                              picks @ weights.T) is not None)
    # The same for all numbers, also where it is none of their type.
    for source, low in (("uint4", 0), ("int4", -8)):
        for zero in (-137, -128, 0, 8, 113, 121, 300, 0.5):
            for to in ("f16", "bf16"):
                numbers = q.astype(np.int64) + low
                text = (f"kernel k(B: {source}[N, K], C: out f32[N, K]) threads(128) {{ let Bs = alloc_shared({source}[{N}, {k}]); copy(B[0, 0], Bs);"
                        f" copy(cast<f32>(dequant(Bs, zero = {zero}, to = {to})), C[0, 0]); }}\n")
                expected = round_to(numbers - zero, to)
                passed.append(run(folder, f"constant_{source}_{zero}_{to}", text, {"B": pack((numbers & 15).astype(np.uint8))}, target, expected) is not None)
    return passed


# F09: K = 96 with tiles of 128 and groups of 32: the fourth column of scales belongs to no k. Whatever it holds, the
# result is the same.


def check_scale_padding(folder, target):
    k, rows = 96, 20
    rng = np.random.default_rng(9)
    passed = []
    for element, scale_of_a in (("fp8_e4m3", True), ("fp4_e2m1", True), ("fp4_e2m1", False)):
        a_type = element if scale_of_a else "bf16"
        b = rng.integers(0, 256, (N, k if element == "fp8_e4m3" else k // 2)).astype(np.uint8)
        if element == "fp8_e4m3":
            b &= 0x77  # no NaN
        a = (np.full((rows, k), 0x3F80, np.uint16) if a_type == "bf16" else
             rng.integers(0, 256, (rows, b.shape[1])).astype(np.uint8) & (0x77 if element == "fp8_e4m3" else 0xFF))
        results = []
        for padding in (0xFF, 0x7F, 0x00):
            # The tensors have more columns than K needs; the kernel sees those that there are by a view.
            make_scales = lambda n: np.concatenate([np.full((n, 3), 126) + np.arange(3), np.full((n, 5), padding)], 1).astype(np.uint8)
            inputs = {"A": a, "B": b, "SB": make_scales(N)}
            scale = "SA: e8m0[M, KG], " if scale_of_a else ""
            copies = "copy(A[0, 128 * k], As); copy(B[0, 128 * k], Bs); copy(SBv[0, 4 * k], SBs);"
            tiles = (f"let As = alloc_shared({a_type}[32, 128]); let Bs = alloc_shared({element}[{N}, 128]);"
                     f" let SBs = alloc_shared(e8m0[{N}, 4]); let SBv = SB[:, 0 : ceildiv(K, 32)];")
            product = "gemm(As, dequant(Bs, scale = SBs, group = 32), acc, transpose_b = true);"
            if scale_of_a:
                inputs["SA"] = make_scales(rows)
                copies += " copy(SAv[0, 4 * k], SAs);"
                tiles += " let SAs = alloc_shared(e8m0[32, 4]); let SAv = SA[:, 0 : ceildiv(K, 32)];"
                product = "gemm_scaled(As, Bs, acc, SAs, SBs, granularity_k = 32, transpose_b = true);"
            text = (f"kernel k(A: {a_type}[M, K], B: {element}[N, K], {scale}SB: e8m0[N, KG], C: out f32[M, N]) threads(128) {{ {tiles}"
                    f" var acc = full(f32[32, {N}], 0.0); for k in pipelined(ceildiv(K, 128), stages = 2) {{ {copies} {product} }} copy(acc, C[0, 0]); }}\n")
            name = f"padding_{element}_{'both' if scale_of_a else 'one'}_{padding}"
            results.append(run(folder, name, text, inputs, target, sizes=[("K", k)]))
        good = all(r is not None and np.isfinite(r).all() and r.any() and np.array_equal(r, results[0]) for r in results)
        if not good:
            print(f"{element}: padding of the scales shows in the result\n{results}")
        passed.append(good)
    return passed


# The product of two e8m0 scales reaches from 2^-254 to 2^254: what comes out is right wherever it is in the range of f32.


def check_scale_range(folder, target):
    k = 32
    codes = np.array([0, 1, 10, 64, 120, 127, 130, 190, 230, 253, 254, 255], np.uint8)
    count = len(codes)
    passed = []
    for element, one, least in (("fp8_e4m3", 0x38, 0x01), ("fp8_e5m2", 0x3C, 0x01), ("fp4_e2m1", 0x22, 0x11)):
        unit = {"fp8_e4m3": -9, "fp8_e5m2": -16, "fp4_e2m1": -1}[element]
        for name, byte, exponent in (("one", one, 0), ("least", least, unit)):
            a = np.full((count, k if element != "fp4_e2m1" else k // 2), byte, np.uint8)
            with np.errstate(over="ignore"):
                powers = np.where(codes == 255, np.nan, np.ldexp(1.0, codes.astype(np.int64) - 127))
                expected = (k * 2.0 ** (2 * exponent) * powers[:, None] * powers[None]).astype(np.float32).astype(np.float64)
            text = (f"kernel k(A: {element}[M, K], S: e8m0[M], C: out f32[M, M]) threads(32) {{ let As = alloc_shared({element}[16, {k}]);"
                    f" let Ss = alloc_shared(e8m0[16]); copy(A[0, 0], As); copy(S[0], Ss); var acc = full(f32[16, 16], 0.0);"
                    f" gemm_scaled(As, As, acc, Ss, Ss, granularity_k = {k}, transpose_b = true); copy(acc, C[0, 0]); }}\n")
            result = run(folder, f"range_{element}_{name}", text, {"A": a, "S": codes}, target, sizes=[("K", k)])
            good = result is not None and np.array_equal(result.astype(np.float64), expected, equal_nan=True)
            if not good:
                print(f"{element} {name}: {result} instead of {expected}")
            passed.append(good)
    return passed


# Every 4-bit float with every e8m0 scale in bf16: subnormals, infinities and NaN among them.


def check_scaled_floats(folder, target):
    k, rows = 128, 8
    magnitudes = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    values = np.concatenate([magnitudes, -magnitudes])
    scales = np.repeat(np.arange(256), 16)
    codes = np.tile(np.arange(16), 256)
    n = len(scales)
    # All but multiples of 2^-133 and what is too large are numbers of bf16.
    powers = np.where(scales == 255, np.nan, np.ldexp(1.0, scales - 127))
    products = values[codes] * powers
    products = np.where(np.abs(products) >= 2.0 ** 128, np.copysign(np.inf, products), products)
    # One number a row, at a k of its own; the other groups are zero times other scales.
    b = np.zeros((n, k), np.uint8)
    places = np.arange(n) * 37 % k
    b[np.arange(n), places] = codes
    s = np.repeat(((scales + 77) % 255)[:, None], k // GROUP, 1).astype(np.uint8)
    s[np.arange(n), places // GROUP] = scales
    a = np.full((rows, k), 0x3F80, np.uint16)
    expected = np.repeat(products[None], rows, 0)
    passed = []

    def check(name, text, inputs, expected):
        result = run(folder, name, text, inputs, target)
        good = result is not None and np.array_equal(result.astype(np.float64), expected, equal_nan=True)
        if not good:
            print(f"{name} on {target}: wrong values")
        passed.append(good)

    # Outside a product.
    text = (f"kernel k(B: fp4_e2m1[N, K], S: e8m0[N, K / {GROUP}], C: out f32[N, K]) grid(bx in ceildiv(N, 64)) threads(128) {{"
            f" let Bs = alloc_shared(fp4_e2m1[64, {k}]); let Ss = alloc_shared(e8m0[64, {k // GROUP}]); copy(B[bx * 64, 0], Bs);"
            f" copy(S[bx * 64, 0], Ss); copy(cast<f32>(dequant(Bs, scale = Ss, group = {GROUP}, to = bf16)), C[bx * 64, 0]); }}\n")
    everywhere = np.where(np.repeat(s, GROUP, 1) == 255, np.nan, 0.0)
    everywhere[np.arange(n), places] = products
    check("values", text, {"B": pack(b), "S": s}, everywhere)
    # Inside one, of plain and of prepacked weights, several groups in a step.
    for stored in ("", " prepack"):
        text = (f"kernel k(A: bf16[M, K], B: fp4_e2m1[N, K]{stored}, S: e8m0[N, K / {GROUP}], C: out f32[M, N]) grid(bx in ceildiv(N, 128)) threads(256) {{"
                f" let As = alloc_shared(bf16[64, 64]); let Bs = alloc_shared(fp4_e2m1[128, 64]); let Ss = alloc_shared(e8m0[128, {64 // GROUP}]);"
                f" var acc = full(f32[64, 128], 0.0); for k in pipelined(ceildiv(K, 64), stages = 3) {{ copy(A[0, k * 64], As);"
                f" copy(B[bx * 128, k * 64], Bs); copy(S[bx * 128, k * {64 // GROUP}], Ss);"
                f" gemm(As, dequant(Bs, scale = Ss, group = {GROUP}), acc, transpose_b = true); }} copy(acc, C[0, bx * 128]); }}\n")
        check(f"product{stored.replace(' ', '_')}", text, {"A": a, "B": pack(b), "S": s}, expected)
    # With few rows, by mma.sync, with scales that are prepacked, too.
    text = (f"kernel k(A: bf16[M, K], B: fp4_e2m1[N, K] prepack, S: e8m0[N, ceildiv(K, {GROUP})] prepack, C: out f32[M, N]) grid(bx in ceildiv(N, 128))"
            f" threads(256) {{ let As = alloc_shared(bf16[16, 64]); let Bs = alloc_shared(fp4_e2m1[128, 64]); let Ss = alloc_shared(e8m0[128, {64 // GROUP}]);"
            f" var acc = full(f32[16, 128], 0.0); for k in pipelined(ceildiv(K, 64), stages = 3) {{ copy(A[0, k * 64], As);"
            f" copy(B[bx * 128, k * 64], Bs); copy(S[bx * 128, k * {64 // GROUP}], Ss);"
            f" gemm(As, dequant(Bs, scale = Ss, group = {GROUP}), acc, transpose_b = true); }} copy(acc, C[0, bx * 128]); }}\n")
    check("product_few", text, {"A": a, "B": pack(b), "S": s}, expected)
    # The same with tokens of other powers of two, which keep products in the range of f32 where weights are near either end of theirs:
    # a weight too large for 16 bits is infinite or exact.
    for power in (-40, 40):
        tokens = np.full((rows, k), (127 + power) << 7, np.uint16)
        with np.errstate(over="ignore"):
            exact = np.where(np.isnan(powers), np.nan, np.ldexp(values[codes] * np.ldexp(1.0, scales - 127), power))
            exact = exact.astype(np.float32).astype(np.float64)
        exact[np.abs(exact) < 2.0 ** -126] = 0  # sums below the normal numbers are not asked for
        result = run(folder, f"few_{power + 40}", text, {"A": tokens, "B": pack(b), "S": s}, target)
        good = result is not None
        if good:
            got = result.astype(np.float64)
            got[np.abs(got) < 2.0 ** -126] = 0
            too_large = np.isinf(products) & np.isinf(got)
            good = np.array_equal(np.where(too_large, exact[None], got), np.repeat(exact[None], rows, 0), equal_nan=True)
        if not good:
            print(f"product_few on {target}: wrong values with tokens of 2^{power}")
        passed.append(good)
    return passed


def main():
    check = {"F05": check_zero_points, "F09": check_scale_padding, "range": check_scale_range,
             "fp4": check_scaled_floats}[sys.argv[1]]
    results = []
    for target in sys.argv[2:] or ["sm_80"]:
        with tempfile.TemporaryDirectory() as folder:
            results += check(Path(folder), target)
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    sys.exit(0 if results and all(results) else 1)


main()
