"""Runs the kernels of the tests of known faults (docs/known-faults.md) and compares them with answers that are known.

A test calls `expect` for each kernel whose result is known, `refuse` for each that must be refused, and `finish` at its end. Each
kernel runs on the interpreter and on the emulator. Arrays are values; `Array` says their type and packing.
"""

import argparse
import itertools
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))
from formats import encode, store  # noqa: E402

TARGETS = ["sm_80", "sm_89", "sm_90a"]
turns = itertools.cycle(TARGETS)
counts = {"passed": 0, "failed": 0, "not supported yet": 0}


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tilec", default=str(Path(__file__).resolve().parents[2] / "build" / "bin" / "tilec"))
    return parser.parse_args()


arguments = parse_arguments()


@dataclass
class Array:
    """A tensor's type and values, or its codes where no value says them."""
    type: str
    values: Optional[np.ndarray] = None
    pack: Optional[int] = None
    codes: Optional[np.ndarray] = None

    def stored(self):
        codes = self.codes if self.codes is not None else encode(self.type, self.values)
        return np.ascontiguousarray(store(self.type, codes, self.pack))


def run_tilec(text, options, arrays):
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "fault.tile").write_text(text)
        for name, array in arrays.items():
            np.save(folder / f"{name}.npy", array.stored())
        command = [arguments.tilec, *options[:1], "fault.tile", *options[1:]]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)


def list_options(inputs, wanted, sizes, settings, scalars, tolerance):
    options = [o for n, v in sizes.items() for o in ("--size", f"{n}={v}")]
    options += [o for n, v in settings.items() for o in ("-D", f"{n}={v}")]
    options += [o for n in inputs for o in ("--in", f"{n}=in_{n}.npy")]
    options += [o for n, v in scalars.items() for o in ("--in", f"{n}={v}")]
    options += [o for n in wanted for o in ("--expect", f"{n}=want_{n}.npy")]
    return options + ([f"--tol={tolerance}"] if tolerance else [])


def expect(title, text, inputs, wanted, sizes=None, settings=None, scalars=None, targets=None, tolerance=None, or_refused=None):
    """The kernel gives what is wanted on the interpreter and on the emulator, for the targets; by default for one, in turn. With
    `or_refused` one error that matches it will do."""
    options = list_options(inputs, wanted, sizes or {}, settings or {}, scalars or {}, tolerance)
    arrays = {"in_" + n: a for n, a in inputs.items()}
    arrays.update({"want_" + n: a for n, a in wanted.items()})
    runs = [["run", "--device=interpreter"]] + [["run", "--device=emulator", f"--target={t}"] for t in targets or [next(turns)]]
    for run in runs:
        done = run_tilec(text, run + options, arrays)
        errors = re.findall(r"error: (.*)", done.stderr)
        if done.returncode == 0 and ("PASS" in done.stdout or re.search(r"grid 0\b", done.stdout)):
            counts["passed"] += 1
        elif done.returncode == 1 and len(errors) == 1 and or_refused and re.search(or_refused, errors[0]):
            counts["passed"] += 1
        elif done.returncode == 1 and errors and all("is not supported yet" in e for e in errors):
            counts["not supported yet"] += 1
            print(f"not supported yet: {title}: {' '.join(run[1:])}: {errors[0]}")
        else:
            counts["failed"] += 1
            print(f"FAILED {title}: {' '.join(run[1:] + options)}\n{text}{done.stdout}{done.stderr}exit code {done.returncode}")


def refuse(title, text, message, command=("run", "--device=emulator"), sizes=None, settings=None, inputs=None):
    """tilec refuses with one error that matches the message, and exit code 1."""
    inputs = inputs or {}
    options = list_options(inputs, {}, sizes or {}, settings or {}, {}, None)
    done = run_tilec(text, list(command) + options, {"in_" + n: a for n, a in inputs.items()})
    errors = re.findall(r"error: (.*)", done.stderr)
    if done.returncode == 1 and len(errors) == 1 and re.search(message, done.stderr):
        counts["passed"] += 1
    else:
        counts["failed"] += 1
        print(f"FAILED {title}: no error '{message}'\n{text}{done.stdout}{done.stderr}exit code {done.returncode}")


def finish():
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    sys.exit(1 if counts["failed"] or not counts["passed"] else 0)
