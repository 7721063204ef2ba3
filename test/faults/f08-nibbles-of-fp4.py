# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F08: the low nibble of an fp4 byte is the element of lower index, and all codes have their values."""

import numpy as np
from faults import Array, expect, finish
from kernels import product

MAGNITUDES = [0, .5, 1, 1.5, 2, 3, 4, 6]
VALUES = np.array(MAGNITUDES + [-v for v in MAGNITUDES])
CODES = np.stack([np.arange(256) & 15, np.arange(256) >> 4], axis=1).astype(np.uint8).reshape(16, 32)
assert list(VALUES[[0x21 & 15, 0x21 >> 4]]) == [0.5, 1.0]

CASTS = """kernel casts(X: fp4_e2m1[16, 32], Y: out {to}[16, 32], Z: out fp4_e2m1[16, 32]) threads(64)
{{
    let s = alloc_shared(fp4_e2m1[16, 32]);
    copy(X[0, 0], s);
    copy(cast<{to}>(s), Y[0, 0]);
    copy(cast<fp4_e2m1>(cast<{to}>(s)), Z[0, 0]);
}}
"""
for to in ("f32", "f16", "bf16", "fp8_e4m3", "fp8_e5m2", "f64"):
    expect(f"to {to} and back", CASTS.format(to=to), {"X": Array("fp4_e2m1", codes=CODES)},
           {"Y": Array(to, VALUES[CODES]), "Z": Array("fp4_e2m1", codes=CODES)})
REINTERPRETED = """kernel reinterpreted(X: uint8[16, 16], Y: out f32[16, 32]) threads(64)
{
    let b = X[0 +: 16, 0 +: 16];
    copy(cast<f32>(reinterpret<fp4_e2m1>(b)), Y[0, 0]);
}
"""
expect("bytes reinterpreted", REINTERPRETED, {"X": Array("uint8", codes=CODES[:, 0::2] | CODES[:, 1::2] << 4)}, {"Y": Array("f32", VALUES[CODES])})
for a in ("bf16", "f16", "fp8_e4m3", "fp4_e2m1"):
    expect(f"{a} x fp4", product(a, "fp4_e2m1", "f32"), {"A": Array(a, np.eye(32)), "B": Array("fp4_e2m1", codes=CODES)},
           {"C": Array("f32", VALUES[CODES].T)}, {"M": 32, "N": 16, "K": 32})
finish()
