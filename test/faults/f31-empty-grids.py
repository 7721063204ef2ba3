# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F30, F31: a grid of no blocks starts nothing and succeeds, of any operand types; a long axis is folded or refused with its name.
(Limits and negative extents: test/runtime/PlanTest.cpp; on a GPU: test/gpu/api_checks.py.)"""

import numpy as np
from faults import Array, expect, finish
from kernels import accumulator_of, product

for a, b in (("bf16", "bf16"), ("int8", "int4"), ("fp8_e4m3", "fp8_e4m3")):
    accumulator = accumulator_of(a, b)
    text = product(a, b, accumulator, (64, 64, 32), 3, 128)
    for m, n in ((0, 64), (64, 0), (0, 0), (1, 1)):
        expect(f"{a} x {b}, {m} x {n}", text, {"A": Array(a, np.ones((m, 64))), "B": Array(b, np.ones((n, 64)))}, {"C": Array(accumulator, np.full((m, n), 64))},
               {"M": m, "N": n, "K": 64})

LONG = """kernel long(Y: out int32[A, B, C]) grid(x in C, y in B, z in A) threads(32)
{
    Y[z, y, x] = cast<int32>(z * 3 + y * 2 + x);
}
"""
for shape in ((1, 65536, 1), (70000, 1, 1)):
    z, y, x = np.indices(shape)
    expect(f"grid {shape}", LONG, {}, {"Y": Array("int32", z * 3 + y * 2 + x)}, dict(zip("ABC", shape)), targets=["sm_90a"])
finish()
