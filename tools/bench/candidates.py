"""What computes a product: kernels compiled by tilec, cuBLAS through torch, Triton."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, List, Optional

import torch

import gpu_timing
import tilert_ctypes
from gemm_data import Problem

BASE = "cuBLAS"


@dataclass
class Candidate:
    name: str
    run: Callable[[], None]
    # For the table: the variant of a kernel, the configuration of a tuned one.
    note: str = ""
    # Further facts, for the JSON.
    facts: dict = field(default_factory=dict)


@dataclass
class Artifact:
    """A compiled kernel `A, B -> C` and the form in which it takes B."""
    name: str
    kernel: tilert_ctypes.Kernel
    work: str
    is_transposed: bool

    def fits(self, problem: Problem) -> bool:
        """Whether the kernel is for this work and, if compiled for one size, for this size."""
        sizes = {"M": problem.shape.m, "N": problem.shape.n, "K": problem.shape.k}
        return self.work == problem.work and all(sizes.get(name) == value
                                                 for name, value in self.kernel.fixed_symbols.items())

    def bind(self, problem: Problem) -> Candidate:
        """Raises tilert_ctypes.Error if the kernel refuses the problem."""
        plan = self.kernel.plan([tilert_ctypes.tensor_of(problem.a), self._bind_weights(problem),
                                 tilert_ctypes.tensor_of(problem.output.matrix)])
        stream = torch.cuda.current_stream().cuda_stream
        variant = plan.variant
        facts = {"variant": variant.name, "refusals": plan.refusals, "grid": plan.grid, "threads": variant.threads,
                 "registers": variant.registers, "shared_bytes": variant.shared_bytes,
                 "spill_bytes": variant.spill_bytes}
        note = f"{variant.name}, {variant.registers} registers"
        if variant.spill_bytes:
            note += f", {variant.spill_bytes} B spilled"
        return Candidate(self.name, lambda: plan.launch(stream), note, facts)

    def _bind_weights(self, problem: Problem) -> tilert_ctypes.Tensor:
        if self.work == "int8":
            return tilert_ctypes.tensor_of(problem.b_transposed)
        if self.work == "bf16":
            return tilert_ctypes.tensor_of(problem.b_transposed if self.is_transposed else problem.b)
        sizes = [problem.shape.k, problem.shape.n]
        if self.is_transposed:
            return tilert_ctypes.tensor_of(problem.packed_transposed, "int4", sizes[::-1])
        return tilert_ctypes.tensor_of(problem.packed, "int4", sizes)


def open_artifact(library: tilert_ctypes.Library, path: Path) -> Artifact:
    """Raises ValueError if the kernel is no product that this benchmark has data for."""
    kernel = library.load(path).kernel()
    parts = [(p.name, p.dtype, p.pack, list(p.dims)) for p in kernel.parameters if p.is_tensor]
    # Types of A, B and C, the packed dimension of B, and its dimensions.
    works = {("bf16", "bf16", "bf16", None, "KN"): ("bf16", False), ("bf16", "bf16", "bf16", None, "NK"): ("bf16", True),
             ("bf16", "int4", "bf16", 0, "KN"): ("int4", False), ("bf16", "int4", "bf16", 1, "NK"): ("int4", True),
             ("int8", "int8", "int32", None, "NK"): ("int8", True)}
    if len(parts) == len(kernel.parameters) == 3:
        a, b, c = parts
        key = (a[1], b[1], c[1], b[2], "".join(b[3]))
        if a[2:] == (None, ["M", "K"]) and c[2:] == (None, ["M", "N"]) and key in works:
            return Artifact(path.stem, kernel, *works[key])
    raise ValueError(f"no data for a kernel with the parameters {parts}")


def find_artifacts(folder: Path) -> List[Path]:
    """The manifests in a folder."""
    return [path for path in sorted(folder.glob("*.json")) if "format_version" in json.loads(path.read_text())]


def make_cublas(problem: Problem, with_transposed: bool) -> List[Candidate]:
    if problem.work == "int8":
        a, transposed, c = problem.a, problem.b_transposed.t(), problem.output.matrix
        return [Candidate(BASE, lambda: torch._int_mm(a, transposed, out=c), "B [N,K]")]
    a, b, c = problem.a, problem.b, problem.output.matrix
    found = [Candidate(BASE, lambda: torch.mm(a, b, out=c), "B [K,N]")]
    if with_transposed:
        transposed = problem.b_transposed.t()
        found.append(Candidate(BASE + " NT", lambda: torch.mm(a, transposed, out=c), "B [N,K]"))
    return found


def tune_triton(problem: Problem, seconds: float) -> Optional[Candidate]:
    """The fastest configuration found in the time given; None if none ran."""
    import triton_kernels
    b = {"bf16": lambda: problem.b, "int4": lambda: problem.packed, "int8": lambda: problem.b_transposed}[problem.work]()
    deadline = gpu_timing.Deadline(seconds)

    def run_of(config):
        return lambda: triton_kernels.launch(problem.work, config, problem.a, b, problem.output.matrix)

    _, configs = triton_kernels.WORKS[problem.work]
    times, failures = [], []
    for index, config in enumerate(configs):
        if times and deadline.has_passed():
            break
        try:
            run_of(config)()
            times.append((gpu_timing.time_launches(run_of(config), 3), index))
        except Exception as error:  # Triton raises what its passes and the driver like.
            failures.append(f"{triton_kernels.describe(config)}: {type(error).__name__}: {error}")
    # The leaders again, longer.
    leaders = [(gpu_timing.time_launches(run_of(configs[index]), 8), index) for _, index in sorted(times)[:4]]
    facts = {"configs": len(configs), "tried": len(times) + len(failures), "failures": failures}
    if not leaders:
        raise RuntimeError("no Triton configuration ran: " + "; ".join(failures[:2]))
    best = configs[min(leaders)[1]]
    note = triton_kernels.describe(best)
    if facts["tried"] < len(configs):
        note += f", {facts['tried']} of {len(configs)} tried"
    return Candidate("Triton", run_of(best), note, dict(facts, config=best))
