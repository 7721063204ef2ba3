# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F04: every byte of int4 reads as two values from -8 to 7 on every path: casts, products, unpacking by hand."""

import numpy as np
from faults import Array, expect, finish
from kernels import accumulator_of, product

# All pairs of nibbles: 256 rows of two elements, the lower index in the low nibble.
CODES = np.stack([np.arange(256) & 15, np.arange(256) >> 4], axis=1).astype(np.uint8).reshape(16, 32)
SIGNED = np.where(CODES >= 8, CODES.astype(float) - 16, CODES)


def cast_to(source, to, through):
    value = {"shared": "cast<{}>(s)", "loop": None}[through]
    if value:
        body = f"copy({value.format(to)}, Y[0, 0]);"
    else:
        body = f"for i, j in parallel(16, 32) {{ Y[i, j] = cast<{to}>(s[i, j]); }}"
    return f"""kernel casts(X: {source}[16, 32], Y: out {to}[16, 32]) threads(64)
{{
    let s = alloc_shared({source}[16, 32]);
    copy(X[0, 0], s);
    {body}
}}
"""


for to in ("int8", "int16", "int32", "f16", "bf16", "f32", "fp8_e4m3", "fp8_e5m2", "int64", "f64", "tf32"):
    for source, values in (("int4", SIGNED), ("uint4", CODES.astype(float))):
        if to == "fp8_e5m2" and source == "uint4" or (to == "fp8_e5m2"):
            # Two fraction bits: 5 and 7 do not fit. (They round to even.)
            values = np.sign(values) * np.array([0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 10, 12, 12, 12, 14, 16.0])[np.abs(values).astype(int)]
        for through in ("shared", "loop"):
            expect(f"{source} to {to}, {through}", cast_to(source, to, through), {"X": Array(source, codes=CODES)}, {"Y": Array(to, values)})

# One row of A picks each column of B.
for a in ("int8", "f16", "bf16", "fp8_e4m3", "uint8", "int4"):
    for source, values in (("int4", SIGNED), ("uint4", CODES.astype(float))):
        accumulator = accumulator_of(a, source)
        expect(f"{a} x {source}", product(a, source, accumulator), {"A": Array(a, np.eye(32)), "B": Array(source, codes=CODES)},
               {"C": Array(accumulator, values.T)}, {"M": 32, "N": 16, "K": 32})

BY_HAND = """kernel by_hand(B: uint8[16, 16], Y: out int8[16, 32]) threads(64)
{
    let s = alloc_shared(uint8[16, 16]);
    var q = alloc_fragment(int8[16, 32]);
    copy(B[0, 0], s);
    for i, j in parallel(16, 32) {
        let nibble = s[i, j / 2] >> (4 * (j % 2)) & 15;
        q[i, j] = reinterpret<int8>(nibble << 4) >> 4;
    }
    copy(q, Y[0, 0]);
}
"""
packed = CODES[:, 0::2] | CODES[:, 1::2] << 4
assert 0x78 in packed
expect("by hand", BY_HAND, {"B": Array("uint8", codes=packed)}, {"Y": Array("int8", SIGNED)})
finish()
