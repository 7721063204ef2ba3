# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F18 on sm_90a: any number of steps, none too, with a ring of any number of stages, several tiles a block, ends with the serial result."""

import numpy as np
from faults import Array, finish
from warpgroups import FEEDS, expect_by_warpgroups, multiply

# Two tiles of 64 rows: with K of 0 the guards of TMA do not hold, and every other variant must do.
M, N = 100, 64
for a, tile_k in (("bf16", 64), ("int8", 64), ("fp8_e4m3", 64), ("tf32", 32)):
    accumulator = "int32" if a == "int8" else "f32"
    for stages in (0, 1, 2, 3, 4, 6) if a == "bf16" else (4,):
        text = multiply(a, accumulator=accumulator, tile=(64, 64, tile_k), stages=stages)
        for steps in (0, 1, 2, 5) if a == "bf16" else (0, 1, 3):
            k = tile_k * steps
            x, y = np.ones((M, k)) * (1 + np.arange(M) % 3)[:, None], np.full((N, k), 2)
            for feed, decisions in FEEDS.items():
                # Without stages nobody runs ahead, and there is nothing for a producer to do.
                variant = feed if steps and (feed != "tma" or stages) else None
                expect_by_warpgroups(f"{a}, {steps} steps, {stages} stages, {feed}", text, {"A": Array(a, x), "B": Array(a, y)},
                                     {"C": Array(accumulator, x @ y.T)}, {"M": M, "N": N, "K": k}, variant, decisions)

# A count that the launch gives, also below 0, and sums that do not start at 0.
for stages in (1, 4):
    text = multiply("bf16", stages=stages, parameters=", n: int64", steps="n", before="acc = full(f32[64, 64], 3.0);")
    for steps in (0, 1, 2, -1):
        for feed, decisions in FEEDS.items():
            expect_by_warpgroups(f"{steps} steps at launch, {stages} stages, {feed}", text, {"A": Array("bf16", np.ones((M, 128))), "B": Array("bf16", np.ones((N, 128)))},
                                 {"C": Array("f32", np.full((M, N), 3 + 64 * max(0, steps)))}, None, feed, decisions, scalars={"n": steps})
finish()
