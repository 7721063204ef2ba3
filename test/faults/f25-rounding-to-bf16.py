# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F25: every path to bf16 rounds to nearest even: integers, accumulators, floats; NaN stays NaN. Neighbours: f16, and folding."""

import numpy as np
from faults import Array, expect, finish
from kernels import product

CAST = "kernel casts(X: {s}[{n}], Y: out {t}[{n}]) threads(32) {{ copy(cast<{t}>(X[0 +: {n}]), Y[0]); }}"
LOOP = "kernel casts(X: {s}[{n}], Y: out {t}[{n}]) threads(32) {{ for i in parallel({n}) {{ Y[i] = cast<{t}>(X[i]); }} }}"
COPY = "kernel casts(X: {s}[{n}], Y: out {t}[{n}]) threads(32) {{ let x = X[0 +: {n}]; copy(x, Y[0]); }}"
TO_BF16, WANT = np.array([257, 259, -259, 515]), np.array([256, 260, -260, 516])
for source in ("int32", "int16", "int64", "f32", "f64"):
    for name, text in (("tile", CAST), ("loop", LOOP)):
        expect(f"{source} to bf16, {name}", text.format(s=source, t="bf16", n=4), {"X": Array(source, TO_BF16)}, {"Y": Array("bf16", WANT)})
for source in ("f32", "f64"):
    expect(f"{source} copied to bf16", COPY.format(s=source, t="bf16", n=4), {"X": Array(source, TO_BF16)}, {"Y": Array("bf16", WANT)})
expect("ties", CAST.format(s="f32", t="bf16", n=2), {"X": Array("f32", np.array([1.01171875, 1.00390625]))}, {"Y": Array("bf16", np.array([1.015625, 1.0]))})
expect("ties of f16", CAST.format(s="int32", t="f16", n=4), {"X": Array("int32", np.array([2049, 2051, -2051, 4098]))}, {"Y": Array("f16", np.array([2048, 2052, -2052, 4096]))})
# A payload in the low 16 bits only is cut off; what is left must not be inf.
nans = np.array([0x7F800001, 0xFF80FFFF, 0x7FFFFFFF, 0x7F80FFFF], dtype=np.uint32)
for name, text in (("tile", CAST), ("loop", LOOP), ("copy", COPY)):
    for to, nan in (("bf16", 0x7FC0), ("f16", 0x7E00)):
        expect(f"NaN to {to}, {name}", text.format(s="f32", t=to, n=4), {"X": Array("f32", codes=nans)}, {"Y": Array(to, codes=np.full(4, nan))})
folded = "kernel folded(Y: out bf16[4]) threads(32) { Y[0] = cast<bf16>(257); Y[1] = cast<bf16>(259); Y[2] = cast<bf16>(-259); Y[3] = cast<bf16>(515); }"
expect("folded", folded, {}, {"Y": Array("bf16", WANT)})
for a, b in (("bf16", "bf16"), ("bf16", "int4"), ("fp8_e4m3", "fp8_e4m3")):
    expect(f"259 ones of {a} x {b}", product(a, b, "f32", (16, 16, 64), 3, 32, out="bf16"), {"A": Array(a, np.ones((3, 259))), "B": Array(b, np.ones((5, 259)))},
           {"C": Array("bf16", np.full((3, 5), 260))}, {"M": 3, "N": 5, "K": 259})
finish()
