#!/usr/bin/env python3
"""Looks at the machine code of compiled kernels for what makes a main loop slow without making it wrong.

    python3 test/gpu/sass.py FOLDER [--nvdisasm=PATH]      (the folder that test/gpu/compile made, or any with cubins)

A main loop is an innermost loop with matrix instructions. In it there must be no MEMBAR, but for the proxy fences that threads need
which fill the tiles of wgmma (GMMA) themselves: one MEMBAR.ALL.CTA a stage (docs/decisions/0009). Where a kernel has wgmma, there must
nowhere be an access to local memory, which is where registers spill to. Needs nvdisasm of a CUDA toolkit, as ptxas hides what it
has written; without it everything is skipped. The last line is "N passed, N failed, N skipped".
"""

import argparse
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, FrozenSet, List, Optional

from main_loops import find_main_loops

MATRIX = re.compile(r"[HIQDB]?(MMA|GMMA)\b")
WARPGROUP = re.compile(r"[HIQ]?GMMA\b")
INSTRUCTION = re.compile(r"\s*/\*([0-9a-f]{4,})\*/\s+(@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)\s*([^;]*);")
# What ptxas makes of fence.proxy.async.shared::cta, with a FENCE.VIEW.ASYNC behind it.
PROXY_FENCE = "MEMBAR.ALL.CTA"
ENDS = ("BRA", "EXIT", "RET")


@dataclass
class Instruction:
    address: str
    opcode: str
    is_guarded: bool
    target: Optional[str]  # label of a branch

    def is_a(self, name):
        return self.opcode.split(".")[0] == name


@dataclass
class Function:
    name: str
    code: List[Instruction] = field(default_factory=list)
    labels: Dict[str, int] = field(default_factory=dict)

    def find_main_loops(self) -> List[FrozenSet[int]]:
        """The numbers of the instructions of each."""
        successors = {}
        for number, instruction in enumerate(self.code):
            follows = [number + 1] if instruction.is_guarded or not any(map(instruction.is_a, ENDS)) else []
            if instruction.target:
                follows.append(self.labels.get(instruction.target, len(self.code)))
            successors[number] = [next_number for next_number in follows if next_number < len(self.code)]
        return find_main_loops(set(successors), successors, lambda number: bool(MATRIX.match(self.code[number].opcode)), {0})

    def uses_warpgroups(self):
        return any(WARPGROUP.match(instruction.opcode) for instruction in self.code)

    def count_allowed_fences(self, loop):
        """Threads that write what warpgroups multiply show it to them by a proxy fence, once a stage. A stage that cp.async fills is a
        group of it (LDGDEPBAR), one that threads store ends at a barrier, or is handed over by an mbarrier and waited for with its products."""
        def count(name):
            return sum(self.code[number].is_a(name) for number in loop)

        if not self.uses_warpgroups():
            return 0
        waits = sum(self.code[number].opcode.startswith("WARPGROUP.DEPBAR") for number in loop)
        return max(count("LDGDEPBAR"), 1) if count("LDGSTS") else (count("BAR") or waits) if count("STS") else 0

    def find_faults(self):
        for loop in self.find_main_loops():
            fences = [number for number in sorted(loop) if self.code[number].opcode == PROXY_FENCE]
            allowed = fences[:self.count_allowed_fences(loop)]
            for number in sorted(loop):
                if self.code[number].is_a("MEMBAR") and number not in allowed:
                    yield f"{self.code[number].opcode} at {self.code[number].address} in a main loop"
        if self.uses_warpgroups():
            spills = [instruction for instruction in self.code if instruction.is_a("LDL") or instruction.is_a("STL")]
            if spills:
                yield f"{len(spills)} accesses to local memory, the first at {spills[0].address}"

    def describe(self):
        loops = self.find_main_loops()
        fences = sum(self.code[number].opcode == PROXY_FENCE for loop in loops for number in loop)
        return f"{len(loops)} main loop{'' if len(loops) == 1 else 's'}" + (f", {fences} proxy fence{'' if fences == 1 else 's'}" if fences else "")


def parse_listing(text):
    functions = []
    for line in text.splitlines():
        if line.startswith(".text."):
            functions.append(Function(line.strip().rstrip(":")[len(".text."):]))
        elif functions and (label := re.match(r"(\.L\w+):", line)):
            functions[-1].labels[label[1]] = len(functions[-1].code)
        elif functions and (found := INSTRUCTION.match(line)):
            address, guard, opcode, operands = found.groups()
            target = re.search(r"`\((\.L\w+)\)", operands) if opcode.split(".")[0] == "BRA" else None
            functions[-1].code.append(Instruction(address, opcode, guard is not None, target and target[1]))
    return functions


def find_tool(named):
    """nvdisasm as named, else from the PATH or the CUDA toolkit; None if there is none."""
    return shutil.which(named or "nvdisasm") or (None if named else shutil.which("/usr/local/cuda/bin/nvdisasm"))


def check_cubin(tool, path):
    """Yields the outcome and the text of a line for each kernel."""
    done = subprocess.run([tool, "-c", str(path)], capture_output=True, text=True)
    functions = parse_listing(done.stdout) if done.returncode == 0 else []
    if not functions:
        yield "FAIL", f"{path.name}: nvdisasm ended with status {done.returncode}: {done.stderr.strip() or 'no code'}"
    for function in functions:
        faults = list(function.find_faults())
        text = "; ".join(faults) or function.describe()
        yield "FAIL" if faults else "PASS", f"{path.name} {function.name}: {text}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--nvdisasm", metavar="PATH", help="default: the one on the PATH, else /usr/local/cuda/bin/nvdisasm")
    arguments = parser.parse_args()
    counts = {"PASS": 0, "FAIL": 0, "SKIP": 0}
    tool = find_tool(arguments.nvdisasm)
    cubins = sorted(arguments.folder.rglob("*.cubin"))
    lines = [("SKIP", f"{len(cubins)} cubins: nvdisasm is not installed")]
    if tool:
        lines = (line for path in cubins for line in check_cubin(tool, path))
    for outcome, text in lines:
        counts[outcome] += 1
        print(outcome, text, flush=True)
    print("%(PASS)d passed, %(FAIL)d failed, %(SKIP)d skipped" % counts)
    sys.exit(1 if counts["FAIL"] else 0)


if __name__ == "__main__":
    main()
