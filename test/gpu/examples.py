#!/usr/bin/env python3
"""Runs kernels of docs/examples at the sizes of their headers and compares them with torch in float32.

    python3 test/gpu/examples.py FOLDER      (the folder that test/gpu/compile made)

Needs torch on a GPU; without it everything is skipped. An element is right if |got - want| <= 1e-2 * (|want| + rms(want)), the
rounding of a 16-bit output and the order of the sums (docs/examples say rel 1e-2). Outputs start as NaN between guard bytes. The
last line is "N passed, N failed, N skipped".
"""

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Dict, List, Tuple

ROOT = Path(__file__).resolve().parents[2]
TOLERANCE = 1e-2
GUARD_BYTES = 4096
GUARD_PATTERN = 0xA5


@dataclass(frozen=True)
class Build:
    """One compiled kernel: the example, its settings and the sizes to run."""
    example: str
    sizes: Tuple[Tuple[int, ...], ...]
    settings: Dict[str, object] = field(default_factory=dict, hash=False)
    # Builds that name the same group give the same bits.
    same_bits: str = ""

    @property
    def name(self) -> str:
        return "-".join([self.example] + [f"{key}{value}" for key, value in self.settings.items()])


GEMM_SIZES = ((4096, 4096, 4096), (8192, 8192, 8192), (503, 1017, 763), (1, 1017, 763), (503, 1017, 0))
ASYNC_SIZES = ((256, 256, 128), (4096, 4096, 4096), (100, 200, 40))

BUILDS: List[Build] = [
    Build("gemm_bf16", GEMM_SIZES),
    Build("matmul_bf16_int4", ((8192, 8192, 8192), (77, 130, 200), (77, 130, 201))),
    *[Build("gemm_f16_nn_nt_tn", ((4096, 4096, 4096), (531, 1041, 783)), {"TRANS_A": a, "TRANS_B": b})
      for a in ("false", "true") for b in ("false", "true")],
    Build("gemm_bias_gelu", ((4096, 11008, 4096), (129, 257, 100))),
    *[Build("async_copy_gemm", ASYNC_SIZES, {"STAGES": stages}, "async_copy_gemm") for stages in (2, 3, 4)],
    Build("gemm_splitk", ((64, 4096, 4096), (100, 200, 300))),
    Build("transpose", ((4096, 4096), (1000, 3001))),
    Build("softmax", ((256, 1000), (7, 20000))),
    Build("rmsnorm", ((256, 5120), (7, 100))),
]


class Output:
    """A matrix of NaN, or of zeros where the kernel adds to it, between guard bytes."""

    def __init__(self, torch, rows, columns, dtype, fill=float("nan")):
        self.torch = torch
        size = rows * columns * torch.finfo(dtype).bits // 8
        self.bytes = torch.full((size + 2 * GUARD_BYTES,), GUARD_PATTERN, dtype=torch.uint8, device="cuda")
        self.matrix = self.bytes[GUARD_BYTES:GUARD_BYTES + size].view(dtype).view(rows, columns)
        self.matrix.fill_(fill)

    def find_fault(self, want):
        """What is wrong, or None."""
        torch = self.torch
        for side, guard in (("before", self.bytes[:GUARD_BYTES]), ("after", self.bytes[-GUARD_BYTES:])):
            if int((guard != GUARD_PATTERN).sum()):
                return f"bytes {side} the output were written"
        got = self.matrix.float()
        if got.numel() == 0:
            return None
        if int(torch.isnan(got).sum()):
            return f"{int(torch.isnan(got).sum())} of {got.numel()} elements are NaN or were not written"
        bound = TOLERANCE * (want.abs() + want.square().mean().sqrt())
        wrong = int(((got - want).abs() > bound).sum())
        if wrong:
            worst = int((got - want).abs().argmax())
            return (f"{wrong} of {got.numel()} elements are wrong, the worst at {divmod(worst, got.shape[1])}: "
                    f"{got.flatten()[worst]} instead of {want.flatten()[worst]}")
        return None


def make_case(torch, tilert, build: Build, size):
    """Arguments, output and wanted values of one launch."""
    def random(*shape, dtype=torch.bfloat16):
        return torch.randn(*shape, device="cuda").to(dtype)

    def scalar(value):
        return tilert.Scalar("f32", int(torch.tensor(value, dtype=torch.float32).view(torch.int32)))

    of, example = tilert.tensor_of, build.example
    if example == "transpose":
        x = random(*size)
        out = Output(torch, size[1], size[0], torch.bfloat16)
        return [of(x), of(out.matrix)], out, x.float().t().contiguous(), [x]
    if example == "softmax":
        x = random(*size)
        out = Output(torch, *size, torch.bfloat16)
        return [of(x), of(out.matrix)], out, torch.softmax(x.float(), 1), [x]
    if example == "rmsnorm":
        x, w = random(*size), random(size[1])
        out = Output(torch, *size, torch.bfloat16)
        want = x.float() * torch.rsqrt(x.float().square().mean(1, keepdim=True) + 1e-6) * w.float()
        return [of(x), of(w), of(out.matrix), scalar(1e-6)], out, want, [x, w]
    m, n, k = size
    if example == "gemm_bf16":
        a, b = random(m, k), random(k, n)
        out = Output(torch, m, n, torch.bfloat16)
        return [of(a), of(b), of(out.matrix)], out, a.float() @ b.float(), [a, b]
    if example == "matmul_bf16_int4":
        import gemm_data
        a, q = random(m, k), torch.randint(-8, 8, (k, n), dtype=torch.int8, device="cuda")
        packed = gemm_data.pack_int4(q, 0)
        out = Output(torch, m, n, torch.bfloat16)
        return [of(a), of(packed, "int4", [k, n]), of(out.matrix)], out, a.float() @ q.float(), [a, packed]
    if example == "gemm_f16_nn_nt_tn":
        half = torch.float16
        a, b = random(m, k, dtype=half), random(k, n, dtype=half)
        stored_a = a.t().contiguous() if build.settings["TRANS_A"] == "true" else a
        stored_b = b.t().contiguous() if build.settings["TRANS_B"] == "true" else b
        out = Output(torch, m, n, half)
        return [of(stored_a), of(stored_b), of(out.matrix)], out, a.float() @ b.float(), [stored_a, stored_b]
    if example == "async_copy_gemm":
        torch.manual_seed(m + n + k)  # the same data for each number of stages
        a, b = random(m, k, dtype=torch.float16), random(n, k, dtype=torch.float16)
        out = Output(torch, m, n, torch.float16)
        return [of(a), of(b), of(out.matrix)], out, a.float() @ b.float().t(), [a, b]
    if example == "gemm_bias_gelu":
        a, b, bias, rest = random(m, k), random(n, k), random(n), random(m, n)
        out = Output(torch, m, n, torch.bfloat16)
        want = torch.nn.functional.gelu(a.float() @ b.float().t() + bias.float(), approximate="tanh") + rest.float()
        return [of(a), of(b), of(bias), of(rest), of(out.matrix)], out, want, [a, b, bias, rest]
    if example == "gemm_splitk":
        a, b = random(m, k), random(k, n)
        out = Output(torch, m, n, torch.float32, fill=0.0)
        return [of(a), of(b), of(out.matrix)], out, a.float() @ b.float(), [a, b]
    raise ValueError(f"no data for {example}")


def run_build(torch, tilert, library, folder: Path, build: Build, report: Callable[[str, str], None], bits):
    cubin = folder / "examples" / f"{build.name}.cubin"
    if not cubin.exists():
        report("SKIP", f"{build.name}: not compiled")
        return
    kernel = library.load(cubin.with_suffix(".json")).kernel()
    for size in build.sizes:
        title = f"{build.name}: {'x'.join(map(str, size))}"
        try:
            arguments, out, want, kept = make_case(torch, tilert, build, size)
            plan = kernel.plan(arguments)
            plan.launch(torch.cuda.current_stream().cuda_stream)
            torch.cuda.synchronize()
            fault = out.find_fault(want)
            if not fault and build.same_bits:
                first = bits.setdefault((build.same_bits, size), out.matrix.clone())
                if not torch.equal(first.view(torch.int16), out.matrix.view(torch.int16)):
                    fault = "other bits than with another number of stages"
            del kept
            report("FAIL" if fault else "PASS", f"{title}: variant {plan.variant.name}" + (f": {fault}" if fault else ""))
        except tilert.Error as error:
            report("FAIL", f"{title}: {error}")


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) == 2 else sys.exit(__doc__)
    counts = {"PASS": 0, "FAIL": 0, "SKIP": 0}

    def report(outcome, text):
        counts[outcome] += 1
        print(outcome, text, flush=True)

    sys.path.insert(0, str(ROOT / "tools" / "bench"))
    try:
        import torch
        if not torch.cuda.is_available():
            raise ImportError("torch finds no GPU")
    except ImportError as error:
        report("SKIP", f"examples: {error}")
    else:
        import tilert_ctypes as tilert
        torch.backends.cuda.matmul.allow_tf32 = False
        library, bits = tilert.Library(folder / "bin" / "libtilert.so"), {}
        for build in BUILDS:
            run_build(torch, tilert, library, folder, build, report, bits)
    print("%(PASS)d passed, %(FAIL)d failed, %(SKIP)d skipped" % counts)
    sys.exit(1 if counts["FAIL"] else 0)


if __name__ == "__main__":
    main()
