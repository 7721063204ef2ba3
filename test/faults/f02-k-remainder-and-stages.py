# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F02: with any remainder of K and any stages, elements beyond the K of a view are never added in."""

import numpy as np
from faults import Array, expect, finish
from kernels import accumulator_of


def batched(a, b, accumulator, stages):
    """Views of K columns: what follows them in memory is not zero."""
    return f"""kernel batched(A: {a}[BATCH, M, P], B: {b}[BATCH, N, P], last: int64, C: out {accumulator}[BATCH, M, N])
    grid(bx in ceildiv(N, 16), by in ceildiv(M, 16), z in BATCH) threads(32)
{{
    let Av = A[z, :, 0 : last];
    let Bv = B[z, :, 0 : last];
    let As = alloc_shared({a}[16, 64]);
    let Bs = alloc_shared({b}[16, 64]);
    var acc = alloc_fragment({accumulator}[16, 16]);
    clear(acc);
    for k in pipelined(ceildiv(last, 64), stages = {stages}) {{
        copy(Av[by * 16, k * 64], As);
        copy(Bv[bx * 16, k * 64], Bs);
        gemm(As, Bs, acc, transpose_b = true);
    }}
    copy(acc, C[z, by * 16, bx * 16]);
}}
"""


for a, b in (("int8", "int8"), ("fp4_e2m1", "fp4_e2m1"), ("bf16", "int4"), ("int8", "int4"), ("fp8_e4m3", "fp8_e4m3"), ("bf16", "bf16")):
    accumulator = accumulator_of(a, b)
    for stages, last in ((4, 272), (4, 320), (2, 272), (5, 65), (3, 63), (1, 320)):
        ones = {name: Array(t, np.concatenate([np.ones((2, 5, last)), np.full((2, 5, 336 - last), 3)], axis=2)) for name, t in (("A", a), ("B", b))}
        expect(f"{a} x {b}, {last} of 336, {stages} stages", batched(a, b, accumulator, stages), ones,
               {"C": Array(accumulator, np.full((2, 5, 5), last))}, scalars={"last": last})
finish()
