"""One case of the fuzzer: a kernel's text, its arrays and how they are given to tilec."""

import itertools
import re
from dataclasses import dataclass, field
from typing import Dict, List, Optional, Tuple

import numpy as np

from formats import FORMATS, store


@dataclass
class Tensor:
    """A parameter. `dims` are its extents as the kernel writes them: symbols, numbers or expressions."""
    name: str
    type: str
    dims: List[str]
    access: str = ""  # "", "out" or "inout"
    pack: Optional[int] = None
    qualifiers: str = ""
    codes: Optional[np.ndarray] = None  # None: an output
    offset: int = 0  # bytes of its data behind an aligned address

    def declare(self):
        access = self.access + " " if self.access else ""
        pack = f" pack({self.pack})" if self.pack is not None and FORMATS[self.type].is_packed else ""
        qualifiers = " " + self.qualifiers if self.qualifiers else ""
        return f"{self.name}: {access}{self.type}[{', '.join(self.dims)}]{pack}{qualifiers}"

    def stored(self):
        return store(self.type, self.codes, self.pack)


@dataclass
class Case:
    text: str
    tensors: List[Tensor]
    sizes: Dict[str, int] = field(default_factory=dict)
    is_static: bool = False  # whether the sizes are fixed while compiling
    scalars: Dict[str, object] = field(default_factory=dict)
    target: str = "sm_80"
    tolerance: str = "0"
    # Reasons to refuse this kernel, beside those of any (outcome.REFUSALS): patterns with their names in the counts.
    may_refuse: List[Tuple[str, str]] = field(default_factory=list)

    def arguments(self):
        """The options of `tilec run`, with arrays by the names of their files."""
        size = "-D" if self.is_static else "--size"
        options = []
        for name, value in self.sizes.items():
            options += [size, f"{name}={value}"]
        for tensor in self.tensors:
            if tensor.codes is not None:
                options += ["--in", f"{tensor.name}={tensor.name}.npy"]
            if tensor.offset:
                options += ["--offset", f"{tensor.name}={tensor.offset}"]
        for name, value in self.scalars.items():
            options += ["--in", f"{name}={value}"]
        return options + [f"--target={self.target}", "--device=emulator", "--check=full", f"--tol={self.tolerance}"]

    def write(self, folder):
        (folder / "case.tile").write_text(self.text)
        for tensor in self.tensors:
            if tensor.codes is not None:
                np.save(folder / f"{tensor.name}.npy", tensor.stored())


def share_out(body, grid, how):
    """The body and grid with the axes as tuples of a `persistent` loop (space.PERSISTENT)."""
    parts = re.split(r"(?:^|, )(\w+) in ", grid)
    names, extents = parts[1::2], parts[2::2]
    # Shared tiles stand in front of the loop, where all iterations use the same, or in it.
    before = list(itertools.takewhile(lambda line: "alloc_shared" in line, body)) if how != "inside" else []
    group = ", group = 2" if how == "inside" else ""
    loop = f"for {', '.join(names)} in persistent({', '.join(extents)}{group}) {{"
    inside = ["    " + line for line in body[len(before):]]
    return before + [loop] + inside + ["}"], "" if how == "device" else "block in 2"


def kernel_text(parameters, body, grid="", threads=None, where=(), persistent=""):
    """A kernel `fuzz` of these parameters (tensors or texts) and lines."""
    if persistent:
        body, grid = share_out(body, grid, persistent)
    declared = [p if isinstance(p, str) else p.declare() for p in parameters]
    lines = ["kernel fuzz(" + ",\n            ".join(declared) + ")"]
    if where:
        lines.append("    where " + ", ".join(where))
    if grid:
        lines.append(f"    grid({grid})")
    if threads:
        lines.append(f"    threads({threads})")
    lines += ["{"] + ["    " + line for line in body] + ["}"]
    return "\n".join(lines) + "\n"
