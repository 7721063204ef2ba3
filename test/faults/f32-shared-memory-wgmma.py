# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F32 on sm_90a: rings of exactly 48 KiB and of nearly all that a block has run, with barriers and the buffers of the epilogue beside
them; one stage more than fits is refused with the sum and the limit."""

import numpy as np
from faults import Array, finish, refuse
from warpgroups import FEEDS, WARPGROUPS, expect_by_warpgroups, multiply

M, N, K = 260, 136, 200
random = np.random.default_rng(32)
x, y = random.integers(-3, 4, (M, K)), random.integers(-3, 4, (N, K))
given, wanted, sizes = {"A": Array("bf16", x), "B": Array("bf16", y)}, {"C": Array("f32", x @ y.T)}, {"M": M, "N": N, "K": K}
for feed, decisions in FEEDS.items():
    for stages in (1, 4):
        text = multiply("bf16", tile=(256, 128, 64), stages=stages, threads=256)
        expect_by_warpgroups(f"{stages} stages, {feed}", text, given, wanted, sizes, feed, decisions)
    # Rings that end just below the limit, and stages that the compiler gives up so that the epilogue fits.
    for tile, stages in (((128, 128, 64), 7), ((128, 128, 64), 6), ((128, 64, 64), 9)):
        expect_by_warpgroups(f"{stages} stages of {tile}, {feed}", multiply("bf16", tile=tile, stages=stages, threads=256), given, wanted, sizes, None, decisions)

for stages, tile, total in ((5, (256, 128, 64), "245,760"), (8, (128, 128, 64), "262,144"), (10, (128, 64, 64), "245,760")):
    for decisions in FEEDS.values():
        text = multiply("bf16", tile=tile, stages=stages, threads=256)
        refuse(f"{stages} stages", text, rf"shared tiles need {total} bytes, the limit of sm_90a is 232,448", command=("report", "--target=sm_90a"),
               decisions={**WARPGROUPS, **decisions})
        # Each buffer is named with its bytes.
        refuse(f"{stages} stages", text, rf"note: As {tile[0] * 128:,} x {stages} stages = {tile[0] * 128 * stages:,}; Bs {tile[1] * 128:,} x {stages} stages",
               command=("report", "--target=sm_90a"), decisions={**WARPGROUPS, **decisions})
finish()
