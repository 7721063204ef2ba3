# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F19 on sm_90a: a step multiplies what the step before brought, and then brings the next: any number of stages gives the serial sums."""

import numpy as np
from faults import Array, finish
from warpgroups import FEEDS, expect_by_warpgroups, multiply

# The first tile is there before the loop; the last one that the loop brings is multiplied by nobody.
REFILLED = """kernel refilled(A: {t}[M, K], B: {t}[N, K], C: out {s}[M, N]) grid(bx in ceildiv(N, 64), by in ceildiv(M, 64)) threads(128)
{{
    let As = alloc_shared({t}[64, {k}]);
    let Bs = alloc_shared({t}[64, {k}]);
    var acc = alloc_fragment({s}[64, 64]);
    clear(acc);
    copy(A[by * 64, 0], As);
    {first}
    for k in pipelined(ceildiv(K, {k}), stages = {stages}) {{
        {second}
        gemm(As, Bs, acc, transpose_b = true);
        copy(A[by * 64, (k + 1) * {k}], As);
        {last}
    }}
    copy(acc, C[by * 64, bx * 64]);
}}
"""
M, N = 70, 72
random = np.random.default_rng(19)
for a, k in (("bf16", 64), ("int8", 64), ("tf32", 32)):
    accumulator = "int32" if a == "int8" else "f32"
    x, y = random.integers(-3, 4, (M, 8 * k)), random.integers(-3, 4, (N, 8 * k))
    for stages in (0, 1, 2, 3, 4):
        # B comes in its own step, in the step before, or once: then each step multiplies by the same.
        for title, first, second, last, product in (
                ("B of its step", "", f"copy(B[bx * 64, k * {k}], Bs);", "", x @ y.T),
                ("B refilled too", f"copy(B[bx * 64, 0], Bs);", "", f"copy(B[bx * 64, (k + 1) * {k}], Bs);", x @ y.T),
                ("B kept", f"copy(B[bx * 64, 0], Bs);", "", "", sum(x[:, i * k:(i + 1) * k] @ y[:, :k].T for i in range(8)))):
            if a == "bf16" or stages == 3:
                text = REFILLED.format(t=a, s=accumulator, k=k, stages=stages, first=first, second=second, last=last)
                expect_by_warpgroups(f"{a}, {title}, {stages} stages", text, {"A": Array(a, x), "B": Array(a, y)}, {"C": Array(accumulator, product)},
                                     {"M": M, "N": N})

# The plain loop of many steps, whose ring goes round often.
x, y = random.integers(-3, 4, (M, 33 * 64)), random.integers(-3, 4, (N, 33 * 64))
for stages in (1, 2, 3, 4):
    for feed, decisions in FEEDS.items():
        expect_by_warpgroups(f"33 steps, {stages} stages, {feed}", multiply("f16", stages=stages), {"A": Array("f16", x), "B": Array("f16", y)},
                             {"C": Array("f32", x @ y.T)}, {"M": M, "N": N}, feed, decisions)
finish()
