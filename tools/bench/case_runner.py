"""Runs each case in a process of its own.

A kernel that faults ruins the CUDA context of its process, and one that hangs never returns. So the parent never touches the
device: a child makes the data, checks and times, and says through a pipe which candidate it is busy with. If it fails or
outlasts its time, the case is run again without that candidate.
"""

import multiprocessing
import os
from dataclasses import dataclass
from pathlib import Path
from typing import List, Optional

import torch

import candidates
import gpu_timing
import tilert_ctypes
from gemm_data import Problem, Shape

TOLERANCE = 5e-3
# Beside the time for tuning and timing: start, data, reference, checks.
SECONDS_OF_OVERHEAD = 60
REPEATS_AFTER_FAILURE = 4
TUNING_SHARE = 0.3
BURST_SHARE = 0.5
COMPILING_PROCESSES = max(1, min(14, (os.cpu_count() or 1) - 1))
SECONDS_OF_COMPILING = 60

# Forked children share what is imported already; CUDA allows that as long as the parent has not started it.
fork = multiprocessing.get_context("fork")


@dataclass
class Settings:
    folder: Path
    runtime: Path
    only: Optional[List[str]]
    with_triton: bool
    seconds: float
    seed: int


class Failure(Exception):
    """A candidate that may not be timed."""


class Child:
    """A process that runs function(tell, *arguments)."""

    def __init__(self, function, *arguments):
        self.receiver, sender = fork.Pipe(duplex=False)

        def work():
            self.receiver.close()
            try:
                sender.send(("result", function(lambda text: sender.send(("busy", text)), *arguments)))
            except BaseException as error:
                text = str(error).strip().splitlines() or [""]
                sender.send(("error", f"{type(error).__name__}: {text[0]}"))

        self.process = fork.Process(target=work, daemon=True)
        self.process.start()
        sender.close()

    def wait(self, seconds: float):
        """The result, or None; the last text that was told; what went wrong, or None."""
        deadline, busy = gpu_timing.Deadline(seconds), None
        try:
            while self.receiver.poll(max(0.0, deadline.remaining())):
                kind, value = self.receiver.recv()
                if kind == "busy":
                    busy = value
                else:
                    return (value, busy, None) if kind == "result" else (None, busy, value)
            return None, busy, f"no end within {seconds:.0f} s"
        except EOFError:
            self.process.join()
            return None, busy, f"the process ended with status {self.process.exitcode}"
        finally:
            self.process.kill()
            self.process.join()


def describe_device() -> dict:
    def describe(tell):
        properties = torch.cuda.get_device_properties(0)
        try:
            import triton
            version = triton.__version__
        except ImportError:
            version = "missing"
        return {"name": properties.name, "sms": properties.multi_processor_count, "torch": torch.__version__,
                "cuda": torch.version.cuda, "triton": version, "driver": read_driver_version(),
                "copy_bytes_per_second": gpu_timing.measure_copy_bandwidth()}

    result, _, failure = Child(describe).wait(seconds=120)
    return result or {"error": failure}


def read_driver_version() -> str:
    try:
        import pynvml
        pynvml.nvmlInit()
        return str(pynvml.nvmlSystemGetDriverVersion())
    except Exception:  # as in gpu_timing: only a remark
        return "unknown"


def precompile_triton(shapes: List[Shape], works: List[str]) -> Optional[str]:
    """Fills Triton's cache with several processes. Gives what went wrong, if anything: tuning compiles what is missing."""
    try:
        import triton_kernels
    except ImportError as error:
        return f"without Triton: {error}"
    # Triton compiles anew for each pattern of what divides the sizes.
    distinct = {(s.m % 16 == 0, *triton_kernels.find_steps(s.n, s.k).values()): s for s in shapes}.values()
    tasks = [(work, config, shape) for shape in distinct for work in works for config in triton_kernels.WORKS[work][1]]

    def compile_part(tell, part):
        failures = 0
        for work, config, shape in part:
            types = {"bf16": (torch.bfloat16, torch.bfloat16, torch.bfloat16), "int4": (torch.bfloat16, torch.uint8, torch.bfloat16),
                     "int8": (torch.int8, torch.int8, torch.int32)}[work]
            try:
                triton_kernels.compile_only(work, config, shape, types)
            except Exception:  # counted; the tuner will tell why
                failures += 1
        return failures

    parts = [tasks[i::COMPILING_PROCESSES] for i in range(COMPILING_PROCESSES)]
    children = [Child(compile_part, part) for part in parts if part]
    deadline = gpu_timing.Deadline(SECONDS_OF_COMPILING)
    outcomes = [child.wait(max(0.0, deadline.remaining())) for child in children]
    problems = [problem for _, _, problem in outcomes if problem]
    failures = sum(count or 0 for count, _, _ in outcomes)
    if failures:
        problems.append(f"{failures} of {len(tasks)} configurations did not compile")
    return "; ".join(problems) or None


def run_case(settings: Settings, shape: Shape, work: str) -> dict:
    dropped = {}
    for _ in range(REPEATS_AFTER_FAILURE + 1):
        child = Child(measure_case, settings, shape, work, frozenset(dropped))
        result, busy, failure = child.wait(settings.seconds + SECONDS_OF_OVERHEAD)
        if result:
            result["dropped"] = {**dropped, **result["dropped"]}
            return result
        if busy is None or busy in dropped:
            dropped["case"] = failure
            break
        dropped[busy] = failure
    return {"shape": str(shape), "work": work, "operations": shape.operations, "candidates": [], "dropped": dropped,
            "refused": []}


def measure_case(tell, settings: Settings, shape: Shape, work: str, excluded) -> dict:
    """Checks and times all candidates of a case but those excluded."""
    problem = Problem(shape, work, settings.seed)
    found, dropped, refused = make_candidates(tell, settings, problem, excluded)
    entries, right, estimates = [], {}, {}
    for candidate in found:
        tell(candidate.name)
        entry = {"name": candidate.name, "note": candidate.note, **candidate.facts}
        entries.append(entry)
        try:
            entry["error"] = check(candidate, problem)
        except Failure as failure:
            entry["failure"] = str(failure)
            continue
        right[candidate.name] = candidate.run
        estimates[candidate.name] = gpu_timing.estimate(candidate.run)
    time_candidates(tell, settings, problem, right, estimates, entries)
    return {"shape": str(shape), "work": work, "operations": shape.operations, "candidates": entries, "dropped": dropped,
            "refused": refused}


def make_candidates(tell, settings: Settings, problem: Problem, excluded):
    """The candidates, those that cannot be used with the reason, and which of these said so themselves."""
    found, dropped, refused = [], {}, []
    library = tilert_ctypes.Library(settings.runtime)
    fitting = []
    for path in candidates.find_artifacts(settings.folder):
        if path.stem in excluded or (settings.only and not any(text in path.stem for text in settings.only)):
            continue
        tell(path.stem)
        try:
            artifact = candidates.open_artifact(library, path)
            if artifact.fits(problem):
                fitting.append(artifact)
                found.append(artifact.bind(problem))
        except (tilert_ctypes.Error, ValueError) as error:
            dropped[path.stem] = f"refused: {error}"
            refused.append(path.stem)
    with_transposed = any(artifact.work == "bf16" and artifact.is_transposed for artifact in fitting)
    found = candidates.make_cublas(problem, with_transposed) + found
    if settings.with_triton and "Triton" not in excluded:
        tell("Triton")
        try:
            found.append(candidates.tune_triton(problem, settings.seconds * TUNING_SHARE))
        except (ImportError, RuntimeError) as error:
            torch.cuda.synchronize()  # raises if the context is ruined, and the case is run again without Triton
            dropped["Triton"] = f"{type(error).__name__}: {error}"
    return found, dropped, refused


def check(candidate: candidates.Candidate, problem: Problem) -> float:
    """Runs a candidate twice on a poisoned output. Gives the relative error; raises Failure if a result is wrong."""
    first = None
    for _ in range(2):
        problem.output.poison()
        candidate.run()
        torch.cuda.synchronize()
        fault = problem.output.find_fault()
        if fault:
            raise Failure(fault)
        if first is None:
            error = problem.relative_error()
            if not error <= TOLERANCE:
                raise Failure(f"wrong: relative error {error:.2e}")
            first = problem.output.matrix.clone()
        elif not torch.equal(first.view(torch.uint8), problem.output.matrix.view(torch.uint8)):
            raise Failure("two launches on the same data gave different bits")
    return error


def time_candidates(tell, settings: Settings, problem: Problem, runs, estimates, entries):
    """Adds the times to the entries, and checks once more what each leaves after all of them."""
    if not runs:
        return
    # What tuning did not use is not given to timing: cases should take the same time.
    seconds = settings.seconds * ((1 - TUNING_SHARE) if settings.with_triton else 1)
    read_clock = gpu_timing.open_clock_reader(0)
    burst = gpu_timing.measure_burst(runs, estimates, seconds * BURST_SHARE, tell)
    sustained = gpu_timing.measure_sustained(runs, estimates, seconds * (1 - BURST_SHARE), tell, read_clock)
    for entry in entries:
        name = entry["name"]
        if name not in runs:
            continue
        for mode, samples in (("burst", burst[name]), ("sustained", sustained[name])):
            entry[mode] = {"median_ms": samples.median, "spread": samples.spread, "clock_mhz": samples.clock,
                           "samples_ms": samples.times}
        tell(name)
        try:
            check(candidates.Candidate(name, runs[name]), problem)
        except Failure as failure:
            entry["failure"] = f"after timing: {failure}"
