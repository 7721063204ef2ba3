#!/usr/bin/env python3
"""Times products C = A @ B on a GPU: kernels compiled by tilec beside cuBLAS and Triton.

    tools/bench/compile                                   # where the compiler is: fills build/bench
    python3 tools/bench/bench_gemm.py --out results       # where the GPU is: needs torch, and triton for its part

Every case (a shape and a kind of weights) runs in a process of its own, in which all candidates work on the same random data.
Each is checked before anything is timed: relative error against float32, no element left unwritten, nothing written outside,
the same bits twice. docs/benchmarks.md describes the method.

The last lines are a table; --out receives gemm.json with all samples. The exit status is 1 if a compiled kernel was
wrong, 2 if nothing could be measured.
"""

import argparse
import json
import platform
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEFAULT_SHAPES = ["8192x8192x8192", "4000x4104x4096", "8191x8190x8189", "4096x4096x4096", "1024x8192x8192"]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shapes", nargs="*", default=DEFAULT_SHAPES, metavar="MxNxK",
                        help="the products (default: %s)" % " ".join(DEFAULT_SHAPES))
    parser.add_argument("--artifacts", type=Path, default=ROOT / "build" / "bench", metavar="DIR",
                        help="compiled kernels and libtilert.so (default: build/bench)")
    parser.add_argument("--runtime", type=Path, metavar="FILE", help="another libtilert.so")
    parser.add_argument("--work", choices=["bf16", "int4", "both", "int8"], default="both",
                        help="the weights (default: both of bf16 and int4, with a bf16 A; int8 has an int8 A)")
    parser.add_argument("--only", action="append", metavar="TEXT",
                        help="only compiled kernels with this in their name; may be repeated")
    parser.add_argument("--no-triton", action="store_true", help="leave Triton out")
    parser.add_argument("--seconds-per-case", type=float, default=9, metavar="S",
                        help="tuning and timing of one case, without its data and checks (default: 9)")
    parser.add_argument("--seed", type=int, help="of the random data (default: another each time)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where gemm.json goes")
    return parser.parse_args()


def fail(message):
    print(f"error: {message}", file=sys.stderr)
    sys.exit(2)


def main():
    arguments = parse_arguments()
    try:
        import case_runner
        import report
        from gemm_data import Shape
    except ImportError as error:
        fail(f"{error}: this benchmark needs a Python with torch")
    try:
        shapes = [Shape.parse(text) for text in arguments.shapes]
    except ValueError as error:
        fail(f"'{error}' is no shape; write M x N x K as 4000x4104x4096")
    runtime = arguments.runtime or arguments.artifacts / "libtilert.so"
    if not runtime.exists():
        fail(f"{runtime} is missing; run tools/bench/compile first, or name another folder with --artifacts")
    seed = arguments.seed if arguments.seed is not None else time.time_ns() % (1 << 31)
    works = ["bf16", "int4"] if arguments.work == "both" else [arguments.work]
    settings = case_runner.Settings(arguments.artifacts, runtime, arguments.only, not arguments.no_triton,
                                    arguments.seconds_per_case, seed)

    began = time.monotonic()
    results = {"command": sys.argv, "host": platform.node(), "seed": seed, "cases": []}
    results["device"] = case_runner.describe_device()
    if "error" in results["device"]:
        fail(f"no GPU to measure: {results['device']['error']}")
    print(report.describe_device(results["device"]), flush=True)
    if settings.with_triton:
        problem = case_runner.precompile_triton(shapes, works)
        print(f"Triton compiled in {time.monotonic() - began:.0f} s" + (f"; {problem}" if problem else ""), flush=True)
    for shape in shapes:
        for work in works:
            case = case_runner.run_case(settings, shape, work)
            results["cases"].append(case)
            results["seconds"] = time.monotonic() - began
            if arguments.out:
                arguments.out.mkdir(parents=True, exist_ok=True)
                (arguments.out / "gemm.json").write_text(json.dumps(results, indent=1))
            print(report.summarize(case, results["seconds"]), flush=True)
    print()
    print(report.make_table(results))
    sys.exit(1 if report.find_wrong(results) else 0)


if __name__ == "__main__":
    main()
