# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F21: threads read a tile by plain loads that wgmma reads too, in front of its refill; or write it, and wgmma reads what they wrote:
64 steps, two warpgroups, any number of stages."""

import numpy as np
from faults import Array, finish
from warpgroups import expect_by_warpgroups

SUMMED = """kernel summed(A: bf16[M, 4096], B: bf16[64, 4096], C: out f32[M, 64], R: out f32[64]) grid(by in ceildiv(M, 128)) threads(256)
{{
    let As = alloc_shared(bf16[128, 64]);
    let Bs = alloc_shared(bf16[64, 64]);
    var acc = alloc_fragment(f32[128, 64]);
    var rows = alloc_fragment(f32[64]);
    clear(acc);
    clear(rows);
    for k in pipelined(64, stages = {stages}) {{
        copy(A[by * 128, k * 64], As);
        copy(B[0, k * 64], Bs);
        {body}
    }}
    copy(acc, C[by * 128, 0]);
    copy(rows, R[0]);
}}
"""
PRODUCT, SUM = "gemm(As, Bs, acc, transpose_b = true);", "rows += reduce_sum(cast<f32>(load(Bs)), dim = 1);"
random = np.random.default_rng(21)
a, b = random.integers(-3, 4, (120, 4096)), random.integers(-3, 4, (64, 4096))
wanted = {"C": Array("f32", a @ b.T), "R": Array("f32", b.sum(axis=1))}
for stages in (1, 2, 3):
    for title, body in (("read behind the product", PRODUCT + SUM), ("read in front of it", SUM + PRODUCT)):
        expect_by_warpgroups(f"{title}, {stages} stages", SUMMED.format(stages=stages, body=body), {"A": Array("bf16", a), "B": Array("bf16", b)}, wanted, {"M": 120})
finish()
