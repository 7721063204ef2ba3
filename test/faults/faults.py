"""Runs the kernels of the tests of known faults (docs/known-faults.md) and compares them with answers that are known.

A test calls `expect` for each kernel whose result is known, `refuse` for each that must be refused, and `finish` at its end. Each
kernel runs on the interpreter and on the emulator. Arrays are values; `Array` says their type and packing.

With --emit-jobs=DIR nothing runs: kernels, data and DIR/jobs.txt, a list for tile-gpu-runner that launches each kernel --repeat times,
are written for the target that --target names, or tilec's own. What is refused before a launch is left out.
"""

import argparse
import functools
import hashlib
import itertools
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, Optional

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))
from formats import encode, store  # noqa: E402

TARGETS = ["sm_80", "sm_89", "sm_90a"]
turns = itertools.cycle(TARGETS)
interpreted = set()
counts = {"passed": 0, "failed": 0, "not supported yet": 0}


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tilec", default=str(Path(__file__).resolve().parents[2] / "build" / "bin" / "tilec"))
    parser.add_argument("--emit-jobs", type=Path, metavar="DIR")
    parser.add_argument("--target", default="sm_90a", help="of the jobs")
    parser.add_argument("--repeat", type=int, default=100, metavar="N", help="launches of a job (default: 100)")
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


@dataclass
class Launch:
    """One run of a kernel: what it is given and what must come."""
    inputs: Dict[str, Array]
    wanted: Dict[str, Array]
    sizes: Dict[str, int] = field(default_factory=dict)
    settings: Dict[str, object] = field(default_factory=dict)
    scalars: Dict[str, object] = field(default_factory=dict)
    decisions: Dict[str, object] = field(default_factory=dict)
    offsets: Dict[str, int] = field(default_factory=dict)
    tolerance: Optional[str] = None

    def list_compile_options(self):
        return repeat("-D", self.settings) + repeat("--set", self.decisions)

    def list_launch_options(self, files):
        """`files` has the place of each array of list_arrays()."""
        options = repeat("--size", self.sizes) + repeat("--offset", self.offsets) + repeat("--in", self.scalars)
        options += repeat("--in", {name: files["in_" + name] for name in self.inputs})
        options += repeat("--expect", {name: files["want_" + name] for name in self.wanted})
        return options + ([f"--tol={self.tolerance}"] if self.tolerance else [])

    def list_arrays(self):
        return {**{"in_" + n: a for n, a in self.inputs.items()}, **{"want_" + n: a for n, a in self.wanted.items()}}


def repeat(option, values):
    return [word for name, value in values.items() for word in (option, f"{name}={value}")]


@functools.lru_cache(maxsize=None)
def compile_kernel(text, options):
    """Gives the name of the artifact and what went wrong; kernels that launches share are compiled once."""
    name = f"kernel{compile_kernel.cache_info().currsize}"
    source, cubin = (arguments.emit_jobs / f"{name}.{ending}" for ending in ("tile", "cubin"))
    source.write_text(text)
    command = [arguments.tilec, str(source), *(["--target", arguments.target] if arguments.target else []), "-o", str(cubin), *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return name, done.stderr if done.returncode else ""


def emit_job(title, text, launch):
    """Writes the kernel, its data and the line of a job."""
    folder = arguments.emit_jobs
    folder.mkdir(parents=True, exist_ok=True)
    artifact, error = compile_kernel(text, tuple(launch.list_compile_options()))
    if error:
        outcome = "not supported yet" if "is not supported yet" in error else "failed"
        counts[outcome] += 1
        print(f"{outcome.upper()} {title}: {error}")
        return
    counts["passed"] += 1
    files = {}
    for name, array in launch.list_arrays().items():
        stored = array.stored()
        # Arrays that launches share are written once.
        files[name] = hashlib.sha256(repr((stored.dtype, stored.shape)).encode() + stored.tobytes()).hexdigest()[:16] + ".npy"
        np.save(folder / files[name], stored)
    words = [f"{artifact}.json", f"--name={Path(sys.argv[0]).stem}: {title}", *launch.list_launch_options(files), "--repeat", str(arguments.repeat)]
    with (folder / "jobs.txt").open("a") as jobs:
        jobs.write(" ".join(f'"{word}"' if " " in word else word for word in words) + "\n")


def expect(title, text, inputs, wanted, sizes=None, targets=None, or_refused=None, variant=None, **options):
    """The kernel gives what is wanted on the interpreter and on the emulator, for the targets; by default for one, in turn. With
    `or_refused` one error that matches it will do. `variant` is the one that the emulator must run. `options` are those of Launch."""
    launch = Launch(inputs, wanted, sizes or {}, **options)
    if arguments.emit_jobs:
        # What may be refused at launch has no line that fits both ends.
        return None if or_refused else emit_job(title, text, launch)
    options = launch.list_compile_options() + launch.list_launch_options({name: f"{name}.npy" for name in launch.list_arrays()})
    runs = [["run", "--device=emulator", f"--target={t}"] for t in targets or [next(turns)]]
    # What a kernel means depends on no decision of the compiler and on no address.
    arrays = tuple((name, array.type, array.stored().tobytes()) for name, array in launch.list_arrays().items())
    meaning = (text, repr((launch.settings, launch.sizes, launch.scalars)), arrays)
    if meaning not in interpreted:
        interpreted.add(meaning)
        runs.insert(0, ["run", "--device=interpreter"])
    for run in runs:
        done = run_tilec(text, run + options, launch.list_arrays())
        errors = re.findall(r"error: (.*)", done.stderr)
        is_planned = variant is None or "interpreter" in run[1] or re.search(rf": variant {variant}$", done.stdout, re.MULTILINE)
        if done.returncode == 0 and is_planned and ("PASS" in done.stdout or re.search(r"grid 0\b", done.stdout)):
            counts["passed"] += 1
        elif done.returncode == 1 and len(errors) == 1 and or_refused and re.search(or_refused, errors[0]):
            counts["passed"] += 1
        elif done.returncode == 1 and errors and all("is not supported yet" in e for e in errors):
            counts["not supported yet"] += 1
            print(f"not supported yet: {title}: {' '.join(run[1:])}: {errors[0]}")
        else:
            counts["failed"] += 1
            print(f"FAILED {title}: {'' if is_planned else f'not variant {variant}: '}{' '.join(run[1:] + options)}\n{text}{done.stdout}{done.stderr}exit code {done.returncode}")


def refuse(title, text, message, command=("run", "--device=emulator"), sizes=None, settings=None, inputs=None, decisions=None):
    """tilec refuses with one error that matches the message, and exit code 1."""
    if arguments.emit_jobs:
        return
    launch = Launch(inputs or {}, {}, sizes or {}, settings or {}, decisions=decisions or {})
    done = run_tilec(text, list(command) + launch.list_compile_options() + launch.list_launch_options({name: f"{name}.npy" for name in launch.list_arrays()}),
                     launch.list_arrays())
    errors = re.findall(r"error: (.*)", done.stderr)
    if done.returncode == 1 and len(errors) == 1 and re.search(message, done.stderr):
        counts["passed"] += 1
    else:
        counts["failed"] += 1
        print(f"FAILED {title}: no error '{message}'\n{text}{done.stdout}{done.stderr}exit code {done.returncode}")


def finish():
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    sys.exit(1 if counts["failed"] or not (counts["passed"] or arguments.emit_jobs) else 0)
