#!/usr/bin/env python3
"""Counts the fences in the main loops of PTX: `python3 test/gpu/ptx_fences.py < FILE.ptx`.

Prints a line for each main loop of each kernel. In SASS a fence is a MEMBAR, which stops the threads; sass.py looks for those. Here,
where no pass of ptxas has unrolled a loop, the count is that of the stages which are written out, each of which commits a product.
Exit status 1 if a loop has a fence of global memory, more than one fence a stage, or one where nothing but TMA fills the tiles.
"""

import re
import sys

from main_loops import find_main_loops

BRANCH = re.compile(r"(@!?%p\d+ )?bra(?:\.uni)?\s+(\$L\w+);")


def find_loops(lines):
    labels = {line.rstrip(":"): number for number, line in enumerate(lines) if re.fullmatch(r"\$L\w+:", line)}
    successors = {}
    for number, line in enumerate(lines):
        branch = BRANCH.match(line)
        follows = [] if line == "ret;" or branch and not branch[1] else [number + 1]
        successors[number] = [n for n in follows + ([labels[branch[2]]] if branch else []) if n < len(lines)]
    return find_main_loops(set(successors), successors, lambda n: re.match(r"(wgmma\.mma_async|mma\.sync)", lines[n]) is not None, {0})


def main():
    failed = False
    for kernel in sys.stdin.read().split(".visible .entry ")[1:]:
        name = kernel.split("(")[0]
        lines = [line.split("//")[0].strip() for line in kernel.splitlines()]
        for loop in sorted(find_loops(lines), key=min):
            text = [lines[number] for number in sorted(loop)]
            fences = [line for line in text if line.startswith(("fence.", "membar."))]
            is_fed_by_threads = any(re.search(r"\b(cp\.async\.c|st\.shared)", line) for line in text)
            stages = max(1, sum(line.startswith("wgmma.commit_group") for line in text)) if is_fed_by_threads else 0
            is_right = len(fences) <= stages and set(fences) <= {"fence.proxy.async.shared::cta;"}
            failed |= not is_right
            print(f"{name}: {'' if is_right else 'FAILED: '}{len(fences)} fences{'' if is_right else ': ' + ' '.join(fences)}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
