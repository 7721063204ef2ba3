#!/usr/bin/env python3
"""Runs kernels of docs/examples at the sizes of their headers and compares them with torch in float32.

    python3 test/gpu/examples.py FOLDER      (the folder that test/gpu/compile made)

Needs torch on a GPU; without it everything is skipped. An element is right if |got - want| <= 1e-2 * (|want| + rms(want)), the
rounding of a 16-bit output and the order of the sums (docs/examples say rel 1e-2), and more for fast sums of 8-bit floats
(FAST_SUMS); integers are compared exactly. Outputs start
as NaN between guard bytes (tools/bench/example_data.py). The last line is "N passed, N failed, N skipped".
"""

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Dict, List, Tuple

ROOT = Path(__file__).resolve().parents[2]
TOLERANCE = 1e-2
# What fast sums of 8-bit floats add to it for each element of K. An instruction adds 32 products to a sum and cuts it off
# behind 13 bits, so that it loses between 0 and 2^-13 of the sum so far, always towards 0. Over the K / 32 instructions of an
# element the parts lost average 1/2, and 0.6 at most (1/2 + 5 / sqrt(12 * K / 32) for K = 8192). The sums so far are a random
# walk that ends at the result: their magnitudes average at most |result| / 2 and, five standard deviations of a walk with
# fixed ends out, 1.45 of the results' root mean square. K / 32 * 0.6 * 2^-13 * 1.45 < K * 2^-18. That the 32 products are cut
# off too, towards 0 and so to both sides, is a tenth of that.
FAST_SUMS = 2.0 ** -18


@dataclass(frozen=True)
class Build:
    """One compiled kernel: the example, its settings (in lower case: decisions of the compiler) and the sizes to run."""
    example: str
    sizes: Tuple[Tuple[int, ...], ...]
    settings: Dict[str, object] = field(default_factory=dict, hash=False)
    # Builds that name the same group give the same bits.
    same_bits: str = ""
    fast_sums: bool = False
    # Sizes that constants are chosen for, as --size takes them.
    fit: Tuple[str, ...] = ()

    def tolerance(self, size) -> float:
        return TOLERANCE + (FAST_SUMS * size[2] if self.fast_sums else 0)

    @property
    def source(self) -> Path:
        """An example, or a kernel of these tests."""
        example = ROOT / "docs" / "examples" / f"{self.example}.tile"
        return example if example.exists() else ROOT / "test" / "gpu" / "Inputs" / f"{self.example}.tile"

    @property
    def options(self) -> List[str]:
        """Of tilec."""
        fit = ["--fit", *(option for size in self.fit for option in ("--size", size))] if self.fit else []
        return fit + [option for name, value in self.settings.items() for option in ("--set" if name.islower() else "-D", f"{name}={value}")]

    @property
    def name(self) -> str:
        return "-".join([self.example] + ["fit"] * bool(self.fit) + [f"{key}{value}" for key, value in self.settings.items()])


PEER_SIZES = ((503, 1017, 763), (531, 1041, 783), (504, 992, 744))
GEMM_SIZES = ((4096, 4096, 4096), (8192, 8192, 8192), *PEER_SIZES, (1, 1017, 763), (503, 1017, 0))
# A, B or C of more than 2^31 elements, and bytes (F17).
LONG_SIZES = ((32784, 64, 65536), (64, 32784, 65536), (46352, 46352, 64), (46352, 46350, 60))
# For few tokens and for many, on both sides of each bound.
FITTED = ("M=1,16,64,8192", "N=8192", "K=8192")
FITTED_SIZES = ((1, 8192, 8192), (2, 8192, 8192), (16, 8192, 8192), (17, 8192, 8192), (64, 8192, 8192), (65, 400, 1664), (8192, 8192, 8192), (13, 400, 384))
ASYNC_SIZES = ((256, 256, 128), (4096, 4096, 4096), (100, 200, 40))

BUILDS: List[Build] = [
    Build("gemm_bf16", GEMM_SIZES + LONG_SIZES),
    Build("matmul_bf16_int4", ((8192, 8192, 8192), (77, 130, 200), (77, 130, 201))),
    *[Build("gemm_f16_nn_nt_tn", ((4096, 4096, 4096), *PEER_SIZES), {"TRANS_A": a, "TRANS_B": b})
      for a in ("false", "true") for b in ("false", "true")],
    Build("gemm_bias_gelu", ((4096, 11008, 4096), (129, 257, 100))),
    *[Build("async_copy_gemm", ASYNC_SIZES, {"STAGES": stages}, "async_copy_gemm") for stages in (2, 3, 4)],
    Build("gemm_splitk", ((64, 4096, 4096), (100, 200, 300))),
    Build("gemm_persistent", ((8192, 8192, 8192), (4096, 4096, 512), (300, 500, 77), (2000, 4001, 40), (128, 4096, 0))),
    Build("gemm_int8", ((8192, 8192, 8192), *PEER_SIZES, *LONG_SIZES[:2])),
    Build("gemm_int4", ((1024, 1024, 1024), (8192, 8192, 8192), (65, 129, 190))),
    Build("gemm_int4", ((16, 16, 32), (16, 16, 64)), {"BM": 16, "BN": 16, "BK": 64}),
    Build("gemm_int4", ((8192, 8192, 8192), (264, 400, 416), (264, 400, 352), (65, 129, 190), (264, 400, 131200)),
          {"BN": 256, "STAGES": 4}),
    Build("gemm_int4", ((8192, 8192, 8192), (264, 400, 416), (264, 400, 352), (65, 129, 190)), {"BM": 256, "STAGES": 4}),
    Build("gemm_fp8", ((1024, 1024, 1024), (8192, 8192, 8192), (1024, 1024, 8192), (503, 1017, 763))),
    Build("gemm_fp8", ((1024, 1024, 8192),), {"TA": "fp8_e5m2", "TC": "f32"}),
    Build("gemm_fp8", ((1024, 1024, 1024), (1024, 1024, 8192)), {"FAST": "true"}, fast_sums=True),
    # Warpgroups with 256 rows to multiply weights from registers by: tails, and an odd number of iterations.
    Build("matmul_bf16_int4", ((8192, 8192, 8192), (264, 400, 320), (264, 400, 352)), {"BM": 256}),
    Build("w4a8", ((8192, 8192, 8192), (264, 400, 416)), {"BM": 256}),
    Build("fp4_dequant_gemm", ((264, 400, 320), (8192, 8192, 8192)), {"BM": 256, "BK": 64, "STAGES": 5}),
    Build("w4a8", ((16, 8192, 8192), (8192, 8192, 8192), (4096, 4096, 4096), (128, 256, 256), (65, 129, 200))),
    Build("w4a8_fp8", ((8192, 8192, 8192), (264, 400, 384), (65, 129, 256)), {"BM": 192}),
    Build("w4a8", ((8, 8192, 8192), (13, 400, 416)), {"BM": 8}),
    Build("w4a16_group", ((24, 8192, 8192), (21, 400, 384)), {"BM": 24, "BK": 128}),
    Build("w8a16", ((8192, 8192, 8192), (264, 400, 320), (65, 129, 200)), {"BM": 256}),
    Build("w8a16", ((8192, 8192, 8192), (264, 400, 352)), {"BM": 256, "TB": "int8"}),
    Build("w4a8_manual", ((128, 256, 256), (512, 512, 512), (4096, 4096, 4096))),
    Build("convert_int4_int8", ((256, 256), (4096, 4096), (100, 202))),
    Build("w4a16_group", ((1024, 8192, 8192), (264, 400, 384), (8, 400, 320)), {"BM": 256, "G": 64}),
    *[Build("w4a16_group", ((1, 8192, 8192), (64, 8192, 8192), (1024, 8192, 8192)), {"G": group}) for group in (32, 64, 128)],
    *[Build("w4a16_group", ((1024, 8192, 8192), (8192, 8192, 8192), (77, 130, 256)), {"BM": 256, "G": group}) for group in (32, 128)],
    *[Build("w4a16_group", ((1, 8192, 8192), (16, 8192, 8192), (bm, 8192, 8192)), {"BM": bm, "BK": 128, "G": 128}) for bm in (16, 64)],
    # Blocks that share K, whose launches may overlap: halves of different lengths, more tiles than multiprocessors.
    *[Build("w4a16_group", ((1, 8192, 8192), (bm, 8192, 8192), (bm, 16384, 8192), (bm - 3, 400, 1664)), {"BM": bm, **overlap})
      for bm in (8, 16) for overlap in ({}, {"overlap": "wait", "min_blocks": 2}, {"overlap": "weights", "min_blocks": 2})],
    *[Build("w4a16_group", ((1, 8192, 8192), (bm, 8192, 8192), (bm, 16384, 8192), (bm - 3, 400, 1664)), {"BM": bm, **overlap})
      for bm in (32, 64) for overlap in ({}, {"overlap": "wait"}, {"overlap": "weights"})],
    *[Build("w4a16_group", ((1, 8192, 8192), (128, 8192, 8192), (128, 16384, 8192), (125, 400, 1664)),
            {"BK": 128, "STAGES": 4, "SPLIT": 2, **overlap}) for overlap in ({}, {"overlap": "weights"})],
    # Operands from registers in steps of 64 of K, alone and two kernels on a multiprocessor.
    *[Build("w4a16_group", ((1, 8192, 8192), (bm, 8192, 8192), (bm, 16384, 8192), (bm - 3, 400, 1664)), {"BM": bm, "BK": 256, **settings})
      for bm, settings in ((32, {"STAGES": 3, "overlap": "weights", "min_blocks": 2}), (64, {"STAGES": 4, "overlap": "wait"}))],
    Build("w4a16_group", ((128, 8192, 8192), (125, 400, 1664)), {"BK": 128, "STAGES": 4, "SPLIT": 2, "depth": 64, "overlap": "wait"}),
    Build("w4a16_group", ((256, 8192, 8192), (253, 400, 1664)), {"BK": 128, "STAGES": 5, "overlap": "wait"}),
    # By a workspace: more blocks than a cluster has, or on purpose; more of them than iterations, too.
    *[Build("w4a16_group", ((1, 1024, 32768), (bm, 1024, 32768), (bm, 8192, 8192), (bm - 3, 400, 1664)), {"BM": bm, "SPLIT": split})
      for bm, splits in ((16, (9, 16, 40)), (64, (16, 40))) for split in splits],
    Build("w4a16_group", ((16, 8192, 8192), (13, 400, 1664)), {"BM": 16, "SPLIT": 4, "sums": "workspace"}),
    Build("gemm_bf16", ((128, 256, 16384), (264, 400, 416)), {"BM": 64, "BN": 128, "split": 12}),
    Build("gemm_int8", ((128, 256, 16384), (264, 400, 416)), {"BM": 64, "split": 12}),
    Build("w4a8", ((16, 8192, 8192), (13, 400, 1664)), {"BM": 16, "BK": 256, "STAGES": 4, "split": 2, "overlap": "wait"}),
    *[Build("w4a8_packed", ((16, 8192, 8192), (16, 16384, 8192), (13, 400, 1664)),
            {"BM": 16, "STAGES": 8, "split": 2, "overlap": overlap, "min_blocks": 2}) for overlap in ("wait", "weights")],
    # Bytes, 8-bit floats and 4-bit floats by warps, packed; more of K than 16 times the nibbles allow.
    Build("w4a8_packed", ((16, 8192, 8192), (13, 400, 1664), (16, 128, 262656)),
          {"BM": 16, "BK": 256, "STAGES": 5, "split": 2, "overlap": "weights", "min_blocks": 2}),
    Build("w4a8_fp8_packed", ((16, 8192, 8192), (13, 400, 1664)), {"split": 2, "overlap": "weights", "min_blocks": 2}),
    *[Build("fp4_packed", ((bm, 8192, 8192), (bm - 3, 400, 1664)), {"BM": bm, "split": 2, "overlap": "weights", "min_blocks": 2}) for bm in (8, 16)],
    Build("w4a8_fp8", ((16, 8192, 8192), (13, 400, 1664)), {"BM": 16, "STAGES": 7, "split": 2, "overlap": "wait"}),
    Build("w4a8_fp8", ((16, 8192, 8192), (13, 400, 1664)), {"BM": 16, "STAGES": 6, "split": 2, "overlap": "weights", "min_blocks": 2}),
    Build("fp4_dequant_gemm", ((16, 8192, 8192), (13, 400, 1664)), {"BM": 16, "STAGES": 7, "split": 2, "overlap": "wait"}),
    Build("matmul_bf16_int4", ((16, 8192, 8192), (13, 400, 1664)), {"BM": 16, "BK": 128, "STAGES": 8, "split": 2, "overlap": "wait"}),
    *[Build("w4a16_zero", ((1024, 8192, 8192), (8192, 8192, 8192), (33, 100, 256)), {"BM": 256, "BK": 64, "G": group}) for group in (32, 128)],
    *[Build(example, FITTED_SIZES, fit=FITTED) for example in ("w4a16_group", "w4a16_zero", "w4a8", "fp4_dequant_gemm")],
    Build("w4a16_zero", ((1024, 8192, 8192), (8192, 8192, 8192), (33, 100, 256)), {"T": "bf16", "BM": 256, "BK": 64, "G": 128}),
    *[Build("w4a16_zero", ((1, 4096, 4096), (128, 4096, 4096), (4096, 4096, 4096), (33, 100, 256)), {"G": group})
      for group in (32, 128)],
    Build("fp4_dequant_gemm", ((256, 256, 256), (4096, 4096, 4096), (100, 200, 96))),
    Build("gemm_fp8_blockscaled", ((8192, 8192, 8192), (100, 200, 300), (264, 1000, 640)), {"BN": 192}),
    Build("gemm_fp8_blockscaled", ((4096, 7168, 16384), (64, 7168, 16384), (100, 200, 300))),
    Build("gemm_fp8_blockscaled", ((8192, 8192, 8192), (64, 7168, 16384), (200, 264, 400), (100, 200, 300)),
          {"TRANS_SFA": "true", "BM": 192, "THREADS": 384}),
    Build("gemm_mxfp8", ((1024, 1024, 1024), (4096, 4096, 4096), (100, 200, 96))),
    # More elements, and more bytes, than 32 bits count (F17).
    Build("copy_long", ((2 ** 31 + 1024,),)),
    Build("copy_long", ((2 ** 31 + 8,),), {"T": "bf16"}),
    Build("copy_wide", ((20480, 128256),)),
    Build("transpose", ((4096, 4096), (1000, 3001))),
    Build("softmax", ((256, 1000), (7, 20000))),
    Build("rmsnorm", ((256, 5120), (7, 100))),
]


def run_build(example_data, torch, tilert, library, folder: Path, build: Build, report: Callable[[str, str], None], bits):
    cubin = folder / "examples" / f"{build.name}.cubin"
    if not cubin.exists():
        report("SKIP", f"{build.name}: not compiled")
        return
    kernel = library.load(cubin.with_suffix(".json")).kernel()
    for size in build.sizes:
        title = f"{build.name}: {'x'.join(map(str, size))}"
        try:
            case = example_data.MAKERS[build.example](example_data.Source(torch, tilert, build.settings), *size)
            out = case.out
            stream = torch.cuda.current_stream().cuda_stream
            arguments, packed = kernel.prepack(
                case.arguments, lambda count: torch.empty(count, dtype=torch.uint8, device="cuda"), stream)
            torch.cuda.synchronize()  # what was packed may be read before the launches in front are done
            plan = kernel.plan(arguments)
            plan.reserve(stream)
            plan.launch(stream)
            torch.cuda.synchronize()
            fault = out.find_fault(case.want, build.tolerance(size))
            if not fault and build.same_bits:
                first = bits.setdefault((build.same_bits, size), out.matrix.clone())
                if not torch.equal(first.view(torch.int16), out.matrix.view(torch.int16)):
                    fault = "other bits than with another number of stages"
            del case, packed
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
        import example_data
        torch.backends.cuda.matmul.allow_tf32 = False
        library, bits = tilert.Library(folder / "bin" / "libtilert.so"), {}
        for build in BUILDS:
            run_build(example_data, torch, tilert, library, folder, build, report, bits)
    print("%(PASS)d passed, %(FAIL)d failed, %(SKIP)d skipped" % counts)
    sys.exit(1 if counts["FAIL"] else 0)


if __name__ == "__main__":
    main()
