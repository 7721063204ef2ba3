# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F18: any number of steps, none too, with any stages gives the serial result."""

import numpy as np
from faults import Array, expect, finish
from kernels import accumulator_of, product

for a, b in (("bf16", "bf16"), ("int8", "int4"), ("fp8_e4m3", "fp8_e4m3"), ("f32", "f32")):
    accumulator = accumulator_of(a, b)
    for stages in range(6) if a == "bf16" else (2, 4):
        text = product(a, b, accumulator, (16, 16, 32), stages, 32)
        for steps in (0, 1, 2, 3) if a == "bf16" else (0, 1, 3):
            k = 32 * steps
            expect(f"{a} x {b}, {steps} steps, {stages} stages", text, {"A": Array(a, np.ones((16, k))), "B": Array(b, np.full((16, k), 2))},
                   {"C": Array(accumulator, np.full((16, 16), 2 * k))}, {"M": 16, "N": 16, "K": k})

# Fixed while compiling, and an accumulator that does not start at 0.
STARTED = """kernel started(A: bf16[16, K], n: int64, C: out f32[16, 16]) threads(32)
{{
    let As = alloc_shared(bf16[16, 64]);
    var acc = full(f32[16, 16], 3.0);
    for k in pipelined(n, stages = {s}) {{
        copy(A[0, k * 64], As);
        gemm(As, As, acc, transpose_b = true);
    }}
    copy(acc, C[0, 0]);
}}
"""
for stages in (0, 2, 4):
    for steps in (0, 1, -1):
        expect(f"{steps} steps at launch, {stages} stages", STARTED.format(s=stages), {"A": Array("bf16", np.ones((16, 128)))},
               {"C": Array("f32", np.full((16, 16), 3 + 64 * max(0, steps)))}, scalars={"n": steps})
        expect(f"{steps} steps, {stages} stages", STARTED.format(s=stages).replace("pipelined(n", f"pipelined({steps}"), {"A": Array("bf16", np.ones((16, 128)))},
               {"C": Array("f32", np.full((16, 16), 3 + 64 * max(0, steps)))})
finish()
