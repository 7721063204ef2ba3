"""Plans launches of the kernels in a folder, through tools/bench/tilert_ctypes.py."""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "tools" / "bench"))
import tilert_ctypes  # noqa: E402
from tilert_ctypes import Tensor  # noqa: E402

folder = Path(sys.argv[1])
library = tilert_ctypes.Library(folder / "libtilert.so")


def describe(kernel):
    parts = [f"{p.name} {p.dtype} {p.access} [{', '.join(p.dims)}]" + (f" packed along {p.pack}" if p.pack is not None else "")
             for p in kernel.parameters]
    print(f"{kernel.name}: {', '.join(parts)}")
    print(f"fixed {dict(sorted(kernel.fixed_symbols.items()))}")


def arguments(m, n, k):
    return [Tensor(0x10000, "bf16", [m, k]), Tensor(0x2000000, "bf16", [k, n]), Tensor(0x3000000, "bf16", [m, n])]


gemm = library.load(folder / "gemm_bf16-BN128.json").kernel()
describe(gemm)
for m, n, k in ((256, 256, 64), (255, 257, 63)):
    plan = gemm.plan(arguments(m, n, k), facts=library.target_facts("sm_90a"))
    refusals = "".join(f"; not {variant.name}: {text}" for variant, text in zip(gemm.variants, plan.refusals))
    print(f"{m}x{n}x{k}: {plan.variant.name}, {plan.grid} blocks{refusals}")
wrong = arguments(256, 256, 64)
wrong[1].sizes = [32, 256]
try:
    gemm.plan(wrong, facts=library.target_facts("sm_90a"))
except tilert_ctypes.Error as error:
    print(f"K disagrees: {error}")
describe(library.load(folder / "matmul_bf16_int4-M64-N32-K96.json").kernel("matmul_bf16_int4"))
