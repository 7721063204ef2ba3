#!/usr/bin/env python3
"""Times low-precision kernels of docs/examples on a GPU, beside what torch has for the same work.

    test/gpu/compile                                             # where the compiler is: fills build/gpu-tests
    python3 tools/bench/bench_examples.py --out results          # where the GPU is: needs torch

Every kernel is checked on the data that it is timed with. The base is cuBLAS through torch: bf16 x bf16 for 16-bit operands,
torch._int_mm for integers, torch._scaled_mm for 8-bit floats, on random data of the same shape. docs/benchmarks.md describes the
modes. Products of few tokens are timed in a chain, too: launches of a graph, one after another, each with other weights, so that
none finds its own in the L2 cache and overlapping launches overlap. The last lines are a table; --out receives examples.json.
The exit status is 1 if a kernel was wrong.
"""

import argparse
import json
import random
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOLERANCE = 1e-2
# Of 8-bit floats whose sums the tensor cores keep in fewer bits.
FAST_TOLERANCE = 3e-2
MOST_CHAINED_ROWS = 256
CHAINED_WEIGHTS = 4  # more of 8192 x 8192 than a cache holds
CHAIN_LENGTH = 48
CHAIN_SECONDS = 0.4  # three rounds, of which each chain takes a millisecond

# The compiled kernel as test/gpu names it, its settings (in lower case: decisions), M, N and K, and the base.
WORKS = [
    ("gemm_int8", {}, (8192, 8192, 8192), "int8"),
    ("gemm_int4", {"BM": 256, "STAGES": 4}, (8192, 8192, 8192), "int8"),
    ("w4a8", {}, (8192, 8192, 8192), "int8"),
    ("w4a8", {"BM": 256}, (8192, 8192, 8192), "int8"),
    ("w4a8", {}, (16, 8192, 8192), "bf16"),
    ("gemm_fp8", {}, (8192, 8192, 8192), "fp8"),
    ("gemm_fp8", {"FAST": "true"}, (8192, 8192, 8192), "fp8"),
    ("gemm_fp8_blockscaled", {}, (8192, 8192, 8192), "fp8"),
    ("gemm_fp8_blockscaled", {"TRANS_SFA": "true", "BM": 192, "THREADS": 384}, (8192, 8192, 8192), "fp8"),
    ("gemm_mxfp8", {}, (4096, 4096, 4096), "fp8"),
    ("w4a16_group", {"G": 128}, (8192, 8192, 8192), "bf16"),
    ("w4a16_group", {"BM": 256, "G": 128}, (8192, 8192, 8192), "bf16"),
    ("w4a16_group", {"BM": 256, "G": 128}, (1024, 8192, 8192), "bf16"),
    ("w4a16_group", {"BM": 256, "G": 32}, (8192, 8192, 8192), "bf16"),
    ("w4a16_zero", {"BM": 256, "BK": 64, "G": 128}, (8192, 8192, 8192), "bf16"),
    ("w4a16_zero", {"BM": 256, "BK": 64, "G": 128}, (1024, 8192, 8192), "bf16"),
    ("w4a16_zero", {"BM": 256, "BK": 64, "G": 32}, (8192, 8192, 8192), "bf16"),
    ("w4a16_zero", {"T": "bf16", "BM": 256, "BK": 64, "G": 128}, (8192, 8192, 8192), "bf16"),
    ("w4a16_zero", {"T": "bf16", "BM": 256, "BK": 64, "G": 128}, (1024, 8192, 8192), "bf16"),
    ("fp4_dequant_gemm", {"BM": 256, "BK": 64, "STAGES": 5}, (8192, 8192, 8192), "bf16"),
    ("fp4_dequant_gemm", {"BM": 256, "BK": 64, "STAGES": 5}, (1024, 8192, 8192), "bf16"),
    ("matmul_bf16_int4", {"BM": 256}, (8192, 8192, 8192), "bf16"),
    ("w4a16_group", {"BM": 8}, (1, 8192, 8192), "bf16"),
    ("w4a16_group", {"BM": 8, "overlap": "wait", "min_blocks": 2}, (1, 8192, 8192), "bf16"),
    ("w4a16_group", {"BM": 8, "overlap": "weights", "min_blocks": 2}, (1, 8192, 8192), "bf16"),
    ("w4a16_group", {"BM": 16}, (16, 8192, 8192), "bf16"),
    ("w4a16_group", {"BM": 16, "overlap": "wait", "min_blocks": 2}, (16, 8192, 8192), "bf16"),
    ("w4a16_group", {"BM": 16, "overlap": "weights", "min_blocks": 2}, (16, 8192, 8192), "bf16"),
    ("w4a16_group", {"BM": 32}, (32, 8192, 8192), "bf16"),
    ("w4a16_group", {"BM": 32, "overlap": "wait"}, (32, 8192, 8192), "bf16"),
    ("w4a16_group", {"BM": 32, "BK": 256, "STAGES": 3, "overlap": "weights", "min_blocks": 2}, (32, 8192, 8192), "bf16"),
    ("w4a16_group", {"BM": 64}, (64, 8192, 8192), "bf16"),
    ("w4a16_group", {"BM": 64, "overlap": "wait"}, (64, 8192, 8192), "bf16"),
    ("w4a16_group", {"BM": 64, "BK": 256, "STAGES": 4, "overlap": "wait"}, (64, 8192, 8192), "bf16"),
    ("w4a16_group", {"BK": 128, "STAGES": 4, "SPLIT": 2}, (128, 8192, 8192), "bf16"),
    ("w4a16_group", {"BK": 128, "STAGES": 4, "SPLIT": 2, "overlap": "weights"}, (128, 8192, 8192), "bf16"),
    ("w4a16_group", {"BK": 128, "STAGES": 4, "SPLIT": 2, "depth": 64, "overlap": "wait"}, (128, 8192, 8192), "bf16"),
    ("w4a16_group", {"BK": 128, "STAGES": 5, "overlap": "wait"}, (256, 8192, 8192), "bf16"),
    ("w4a8", {"BM": 16, "BK": 256, "STAGES": 4, "split": 2, "overlap": "wait"}, (16, 8192, 8192), "bf16"),
    ("w4a8_packed", {"BM": 16, "STAGES": 8, "split": 2, "overlap": "wait", "min_blocks": 2}, (16, 8192, 8192), "bf16"),
    ("w4a8_packed", {"BM": 16, "STAGES": 8, "split": 2, "overlap": "weights", "min_blocks": 2}, (16, 8192, 8192), "bf16"),
    ("w4a8_packed", {"BM": 16, "BK": 256, "STAGES": 5, "split": 2, "overlap": "weights", "min_blocks": 2}, (16, 8192, 8192), "bf16"),
    ("w4a8_fp8_packed", {"split": 2, "overlap": "weights", "min_blocks": 2}, (16, 8192, 8192), "bf16"),
    ("fp4_packed", {"BM": 16, "split": 2, "overlap": "weights", "min_blocks": 2}, (16, 8192, 8192), "bf16"),
    ("w4a8_fp8", {"BM": 16, "STAGES": 7, "split": 2, "overlap": "wait"}, (16, 8192, 8192), "bf16"),
    ("w4a8_fp8", {"BM": 16, "STAGES": 6, "split": 2, "overlap": "weights", "min_blocks": 2}, (16, 8192, 8192), "bf16"),
    ("fp4_dequant_gemm", {"BM": 16, "STAGES": 7, "split": 2, "overlap": "wait"}, (16, 8192, 8192), "bf16"),
    ("matmul_bf16_int4", {"BM": 16, "BK": 128, "STAGES": 8, "split": 2, "overlap": "wait"}, (16, 8192, 8192), "bf16"),
    ("matmul_bf16_int4", {}, (8192, 8192, 8192), "bf16"),
    ("w4a8_fp8", {"BM": 192}, (8192, 8192, 8192), "fp8"),
    ("w8a16", {"BM": 256}, (8192, 8192, 8192), "bf16"),
    ("w8a16", {"BM": 256, "TB": "int8"}, (8192, 8192, 8192), "bf16"),
]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="only kernels with one of these in their name")
    parser.add_argument("--artifacts", type=Path, default=ROOT / "build" / "gpu-tests", metavar="DIR",
                        help="the folder that test/gpu/compile made (default: build/gpu-tests)")
    parser.add_argument("--seconds-per-case", type=float, default=3, metavar="S", help="timing of one case (default: 3)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where examples.json goes")
    return parser.parse_args()


def find_fault(case, settings):
    """What is wrong with the result of a launch, or None."""
    return case.out.find_fault(case.want, FAST_TOLERANCE if settings.get("FAST") == "true" else TOLERANCE)


def make_chain(torch, stream, launches):
    """A launch of the graph of CHAIN_LENGTH launches, functions of a stream, in turn."""
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for index in range(CHAIN_LENGTH):
            launches[index % len(launches)](stream.cuda_stream)
    return graph.replay


def measure_chain(modules, kernel, work, seconds):
    """Milliseconds of a launch in a chain, of the kernel and of bf16 x bf16, or what is wrong."""
    torch, tilert, example_data, timing = modules
    example, settings, (m, n, k), _ = work
    stream, cases, plans, kept = torch.cuda.current_stream().cuda_stream, [], [], []
    for _ in range(CHAINED_WEIGHTS):
        case = example_data.MAKERS[example](example_data.Source(torch, tilert, settings), m, n, k)
        launched, packed = kernel.prepack(case.arguments, lambda count: torch.empty(count, dtype=torch.uint8, device="cuda"), stream)
        cases.append(case)
        plans.append(kernel.plan(launched))
        kept.append(packed)
        torch.cuda.synchronize()  # what was packed may be read before the launches in front are done
        plans[-1].reserve(stream)
        plans[-1].launch(stream)
    a, out = torch.randn(m, k, device="cuda").bfloat16(), torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
    weights = [torch.randn(n, k, device="cuda").bfloat16() for _ in range(CHAINED_WEIGHTS)]
    torch.mm(a, weights[0].t(), out=out)  # cuBLAS is made ready outside of the graph
    torch.cuda.synchronize()
    chained = torch.cuda.Stream()
    for plan in plans:
        plan.reserve(chained.cuda_stream)
    runs = {"tilec": make_chain(torch, chained, [plan.launch for plan in plans]),
            "base": make_chain(torch, chained, [lambda _, each=each: torch.mm(a, each.t(), out=out) for each in weights])}
    estimates = {who: timing.estimate(run) for who, run in runs.items()}
    samples = timing.measure_burst(runs, estimates, seconds, lambda who: None)
    for case in cases:
        if fault := find_fault(case, settings):
            return {"fault": f"in a chain: {fault}"}
    return {"chain": {who: sample.median / CHAIN_LENGTH for who, sample in samples.items()}}


def make_base(torch, kind, m, n, k):
    """A launch of the base on data of its own."""
    if kind == "int8":
        m = max(m, 32)  # torch._int_mm takes no fewer rows
        a = torch.randint(-128, 128, (m, k), dtype=torch.int8, device="cuda")
        b = torch.randint(-128, 128, (n, k), dtype=torch.int8, device="cuda").t()
        return lambda: torch._int_mm(a, b)
    if kind == "fp8":
        a = torch.randn(m, k, device="cuda").to(torch.float8_e4m3fn)
        b = torch.randn(n, k, device="cuda").to(torch.float8_e4m3fn).t()
        one = torch.ones((), device="cuda")
        return lambda: torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16)
    a, b = torch.randn(m, k, device="cuda").bfloat16(), torch.randn(k, n, device="cuda").bfloat16()
    return lambda: torch.mm(a, b)


def measure(modules, library, arguments, work):
    """The rates of the kernel and of its base, or what is wrong."""
    torch, tilert, example_data, timing = modules
    example, settings, size, kind = work
    name = "-".join([example] + [f"{key}{value}" for key, value in settings.items()])
    result = {"name": name, "size": size, "base": kind}
    manifest = arguments.artifacts / "examples" / f"{name}.json"
    if not manifest.exists():
        return {**result, "skipped": "not compiled"}
    case = example_data.MAKERS[example](example_data.Source(torch, tilert, settings), *size)
    stream = torch.cuda.current_stream().cuda_stream
    kernel = library.load(manifest).kernel()
    # `packed` stays alive as long as the plan.
    launched, packed = kernel.prepack(case.arguments, lambda count: torch.empty(count, dtype=torch.uint8, device="cuda"), stream)
    torch.cuda.synchronize()  # what was packed may be read before the launches in front are done
    plan = kernel.plan(launched)
    plan.reserve(stream)
    plan.launch(stream)
    torch.cuda.synchronize()
    if fault := find_fault(case, settings):
        return {**result, "fault": fault}
    runs = {"tilec": lambda: plan.launch(stream), "base": make_base(torch, kind, *size)}
    estimates = {who: timing.estimate(run) for who, run in runs.items()}
    half = arguments.seconds_per_case / 2
    modes = {"burst": timing.measure_burst(runs, estimates, half, lambda who: None),
             "sustained": timing.measure_sustained(runs, estimates, half, lambda who: None, lambda: None)}
    result["variant"] = plan.variant.name
    for mode, samples in modes.items():
        result[mode] = {who: sample.median for who, sample in samples.items()}
    if size[0] <= MOST_CHAINED_ROWS:
        result.update(measure_chain(modules, kernel, work, min(half, CHAIN_SECONDS)))
    return result


def show(result):
    size = "x".join(map(str, result["size"]))
    if "burst" not in result or "fault" in result:
        return f"| {result['name']} | {size} | {result.get('fault') or result['skipped']} | | | |"
    operations = 2 * result["size"][0] * result["size"][1] * result["size"][2]
    cells = []
    for mode in ("burst", "sustained"):
        times = result[mode]
        cells.append("%.1f (%.2f of %s, %.1f us)" % (operations / times["tilec"] / 1e9, times["base"] / times["tilec"],
                                                     result["base"], 1e3 * times["tilec"]))
    chain = "-"
    if times := result.get("chain"):
        chain = "%.1f us (%.2f of bf16)" % (1e3 * times["tilec"], times["base"] / times["tilec"])
    return f"| {result['name']} | {size} | {cells[0]} | {cells[1]} | {chain} | {result['variant']} |"


def main():
    arguments = parse_arguments()
    try:
        import torch
        import example_data
        import gpu_timing
        import tilert_ctypes
    except ImportError as error:
        sys.exit(f"error: {error}: this benchmark needs a Python with torch")
    if not torch.cuda.is_available():
        sys.exit("error: torch finds no GPU")
    library = tilert_ctypes.Library(arguments.artifacts / "bin" / "libtilert.so")
    works = [work for work in WORKS if not arguments.names or any(name in work[0] for name in arguments.names)]
    order = random.sample(range(len(works)), len(works))
    results = {}
    for index in order:
        results[index] = measure((torch, tilert_ctypes, example_data, gpu_timing), library, arguments, works[index])
        torch.cuda.empty_cache()
    table = [results[index] for index in range(len(works))]
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        (arguments.out / "examples.json").write_text(json.dumps(table, indent=1))
    print("| kernel | M x N x K | burst, T(FL)OP/s | sustained | in a chain | variant |\n|---|---|---|---|---|---|")
    print("\n".join(show(result) for result in table))
    sys.exit(1 if any("fault" in result for result in table) else 0)


if __name__ == "__main__":
    main()
