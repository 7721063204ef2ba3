"""Runs kernels whose results are known bit for bit, on devices and targets, or writes them as a list for tile-gpu-runner."""

import argparse
import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import List

import numpy as np

ROOT = Path(__file__).resolve().parents[3]


@dataclass
class Case:
    """A kernel, and the options that bind its arrays and compare its results; files lie beside the kernel."""
    name: str
    kernel: Path
    options: List[str]


def make_parser(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", action="append", default=[], choices=["interpreter", "emulator", "cuda"])
    parser.add_argument("--target", action="append", default=[], help="as for tilec; may be repeated")
    parser.add_argument("--tilec", default=str(ROOT / "build" / "bin" / "tilec"), metavar="PATH")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="kernels at a time")
    parser.add_argument("--emit-jobs", type=Path, metavar="DIR", help="run nothing: write cubins, data and DIR/jobs.txt")
    return parser


def bind(option, name, path, array):
    """Writes an array and gives the option that names it."""
    np.save(path, array)
    return [option, f"{name}={path}"]


def run_tilec(arguments, options, target):
    """Gives what went wrong, or None."""
    command = [arguments.tilec, *map(str, options)] + ([f"--target={target}"] if target else [])
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    return None if done.returncode == 0 else f"{' '.join(command)}\n{done.stdout}{done.stderr}"


def run_cases(arguments, cases, pool):
    """Yields the name of each run and what went wrong, or None."""
    runs = []
    for device in arguments.device:
        for target in (arguments.target or [None]) if device == "emulator" else [None]:
            runs += [(f"{case.name} on {device} {target or ''}", case, device, target) for case in cases]

    def run(item):
        name, case, device, target = item
        return name, run_tilec(arguments, ["run", case.kernel, f"--device={device}", *case.options], target)

    return pool.map(run, runs)


def emit_jobs(arguments, cases, pool):
    """Compiles all kernels and lists their launches; gives names and problems."""
    target = (arguments.target or [None])[0]
    problems = pool.map(lambda case: run_tilec(arguments, [case.kernel, "-o", case.kernel.with_suffix(".cubin")], target), cases)
    with (arguments.emit_jobs / "jobs.txt").open("w") as jobs:
        for case in cases:
            options = [option.replace(f"={arguments.emit_jobs}/", "=") for option in case.options]
            jobs.write(" ".join([case.kernel.stem + ".json", f'"--name={case.name}"', *options]) + "\n")
    return zip((case.name for case in cases), problems)


def run(arguments, make_cases):
    """`make_cases` gives the cases whose files lie in a folder. Ends the program."""
    if not shutil.which(arguments.tilec):
        sys.exit(f"error: {arguments.tilec} is missing: build it, or name another with --tilec")
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        folder = arguments.emit_jobs or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        passed = failed = 0
        for name, problem in (emit_jobs if arguments.emit_jobs else run_cases)(arguments, make_cases(folder), pool):
            passed, failed = passed + (problem is None), failed + (problem is not None)
            if problem:
                print(f"FAILED {name}: {problem}", flush=True)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed or not passed else 0)
