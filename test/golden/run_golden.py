"""Runs a kernel for each golden case and compares its output with the data.

    python3 run_golden.py [--tilec PATH] [--device emulator|interpreter|cuda] [--target T] [--junit FILE] [NAME...]

NAME selects cases by a part of their name. A case that the compiler refuses with an error naming what it leaves out ("not supported
yet", an odd extent along a packed dimension) counts as skipped; any other failure, and any wrong value, fails the run.
"""

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree
from pathlib import Path

import numpy as np

import check_golden
from golden_kernels import kernel_of

FOLDER = Path(__file__).parent
LEFT_OUT = ("not supported yet", "must be even", "not a multiple of the MMA")


def load_cases(names):
    for part in ("gemm", "attention"):
        for case in json.loads((FOLDER / part / "cases.json").read_text())["cases"]:
            if not names or any(name in case["name"] for name in names):
                yield part, case


def read_values(path, dtype):
    stored = np.load(path)
    if dtype == "bf16":
        stored = (stored.astype(np.uint32) << 16).view(np.float32)
    return stored.astype(np.float64)


def run_case(part, case, arguments, scratch):
    """Returns "passed", "skipped" or "failed", and a line that says why."""
    text, settings, scalars = kernel_of(case)
    source = scratch / f"{case['name']}.tile"
    source.write_text(text)
    command = [arguments.tilec, "run", str(source), f"--device={arguments.device}"]
    if arguments.target:
        command.append(f"--target={arguments.target}")
    for name, value in settings.items():
        command += ["-D", f"{name}={value}"]
    for name, size in case["sizes"].items():
        if name not in settings and name not in ("KG", "NG"):
            command += ["--size", f"{name}={size}"]
    for name, entry in case["inputs"].items():
        command += ["--in", f"{name}={FOLDER / part / entry['file']}"]
    for name, value in scalars.items():
        command += ["--in", f"{name}={value!r}"]
    for name, entry in case["outputs"].items():
        command += ["--out", f"{name}={scratch / entry['file']}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=arguments.timeout)
    except subprocess.TimeoutExpired:
        return "failed", f"no end within {arguments.timeout} s: {' '.join(command)}"
    if done.returncode != 0:
        if any(words in done.stderr for words in LEFT_OUT):
            return "skipped", done.stderr.strip().splitlines()[0]
        return "failed", f"{' '.join(command)}\nexit code {done.returncode}\n{text}\n{done.stdout}{done.stderr}"
    for entry in case["outputs"].values():
        want = read_values(FOLDER / part / entry["file"], entry["dtype"])
        got = read_values(scratch / entry["file"], entry["dtype"])
        if want.shape != got.shape:
            return "failed", f"shape {got.shape}, expected {want.shape}"
        if not check_golden.matches(case["check"], want, got):
            wrong = np.argwhere(~((want == got) | (np.isnan(want) & np.isnan(got))))
            first = tuple(wrong[0])
            return "failed", (f"wrong value: {len(wrong)} of {want.size} differ, first at {first}: "
                              f"got {got[first]}, expected {want[first]}\n{text}")
    return "passed", ""


def write_junit(path, results):
    suite = tree.Element("testsuite", name="golden", tests=str(len(results)),
                         failures=str(sum(outcome == "failed" for _, outcome, _ in results)),
                         skipped=str(sum(outcome == "skipped" for _, outcome, _ in results)))
    for name, outcome, why in results:
        node = tree.SubElement(suite, "testcase", classname="golden", name=name)
        if outcome != "passed":
            tree.SubElement(node, "failure" if outcome == "failed" else "skipped", message=why)
    root = tree.Element("testsuites")
    root.append(suite)
    tree.ElementTree(root).write(path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tilec", default=str(FOLDER.parents[1] / "build" / "bin" / "tilec"))
    parser.add_argument("--device", default="emulator")
    parser.add_argument("--target")
    parser.add_argument("--junit")
    parser.add_argument("--timeout", type=int, default=120)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()

    cases = list(load_cases(arguments.names))
    results = []
    with tempfile.TemporaryDirectory() as scratch, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = pool.map(lambda c: run_case(*c, arguments, Path(scratch)), cases)
        for (_, case), (outcome, why) in zip(cases, outcomes):
            results.append((case["name"], outcome, why))
            if outcome != "passed":
                print(f"{outcome.upper()} {case['name']}: {why}", flush=True)
    if arguments.junit:
        write_junit(arguments.junit, results)
    counts = {o: sum(outcome == o for _, outcome, _ in results) for o in ("passed", "failed", "skipped")}
    print(f"golden: {counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    sys.exit(counts["failed"] > 0 or not results)


if __name__ == "__main__":
    main()
