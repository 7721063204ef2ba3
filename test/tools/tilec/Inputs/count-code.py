"""Counts what LLVM has to read: count-code.py VARIANTS INSTRUCTIONS < kernel.ll fails if there are more of either."""

import re
import sys

most_variants, most_instructions = map(int, sys.argv[1:])
counts = {}
name = None
for line in sys.stdin:
    begins = re.match(r"define .*@(\w+)\(", line)
    if begins:
        name = begins[1]
        counts[name] = 0
    elif line.startswith("}"):
        name = None
    elif name and line.startswith("  "):
        counts[name] += 1
for name, count in counts.items():
    print(f"{name}: {count} instructions")
print(f"{len(counts)} variants, {sum(counts.values())} instructions")
sys.exit(len(counts) > most_variants or sum(counts.values()) > most_instructions)
