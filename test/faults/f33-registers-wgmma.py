# RUN: %python %s --tilec=tilec | FileCheck %s
# REQUIRES: ptxas
# CHECK: passed, 0 failed, 0 not supported yet
"""F33 on sm_90a: sums that do not fit the registers of a warpgroup are refused, not spilled; the report tells registers and spills of
each variant, which fit the register file."""

import re

from faults import arguments, counts, finish, refuse, run_tilec
from warpgroups import FEEDS, WARPGROUPS, multiply

# 512, 256 and 1,024 sums a thread.
for tile, threads in (((256, 256, 64), 128), ((256, 256, 64), 256), ((512, 256, 32), 128)):
    refuse(f"{tile} with {threads} threads", multiply("bf16", tile=tile, threads=threads, stages=1), r"fault.tile:\d+:\d+: error: .*registers", command=("report", "--target=sm_90a"),
           decisions=WARPGROUPS)

for tile, threads in () if arguments.emit_jobs else (((128, 256, 64), 256), ((64, 128, 64), 128), ((256, 128, 64), 256), ((128, 64, 64), 128)):
    for feed, decisions in FEEDS.items():
        settings = [word for name, value in {**WARPGROUPS, **decisions}.items() for word in ("--set", f"{name}={value}")]
        done = run_tilec(multiply("bf16", tile=tile, threads=threads, stages=2), ["report", "--target=sm_90a", *settings], {})
        variants = re.findall(r"variant (\w+): (\d+) threads, [0-9,]+ bytes of shared memory, (\d+) registers a thread, no spills", done.stdout)
        fits = all(int(block) * int(registers) <= 65536 for _, block, registers in variants)
        right = done.returncode == 0 and not done.stderr and fits and feed in [name for name, _, _ in variants] and len(variants) >= 3
        counts["passed" if right else "failed"] += 1
        if not right:
            print(f"FAILED {tile} with {threads} threads, {feed}: {variants} {done.stdout}{done.stderr}")
finish()
