# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F10: sums of integer products are exact in int32, above 2^24 too, and wrap; a narrower output needs a cast."""

import numpy as np
from faults import Array, expect, finish, refuse
from kernels import product


def wrap(value):
    return (value + 2**31) % 2**32 - 2**31


TILE = (16, 8, 128)
for value, k, targets in ((-128, 2, ["sm_80", "sm_90a"]), (-128, 2049, ["sm_80", "sm_89", "sm_90a"]), (127, 2049, ["sm_80", "sm_90a"]),
                          (-128, 131071, ["sm_90a"]), (-128, 131072, ["sm_90a"])):
    text = product("int8", "int8", "int32", TILE, 2, 32)
    want = wrap(value * value * k)
    expect(f"{value} x {k}", text, {"A": Array("int8", np.full((2, k), value)), "B": Array("int8", np.full((1, k), value))},
           {"C": Array("int32", np.full((2, 1), want))}, {"M": 2, "N": 1, "K": k}, targets=targets)
assert (-128) ** 2 * 131071 == 2147467264 and 127 ** 2 * 2049 == 33048321

for a, b, x, y in (("int8", "uint8", -128, 255), ("uint8", "uint8", 255, 255), ("int8", "int4", -128, -8), ("int4", "int4", -8, -8),
                   ("uint4", "int4", 15, -8), ("uint8", "uint4", 255, 15)):
    text = product(a, b, "int32", TILE, 2, 32)
    expect(f"{a} x {b}", text, {"A": Array(a, np.full((2, 2049), x)), "B": Array(b, np.full((1, 2049), y))},
           {"C": Array("int32", np.full((2, 1), x * y * 2049))}, {"M": 2, "N": 1, "K": 2049})

refuse("int8 output", product("int8", "int8", "int32", TILE, 2, 32, out="int8"), r"'copy' does not convert int32 to int8",
       sizes={"M": 2, "N": 1, "K": 2})
finish()
