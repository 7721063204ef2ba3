# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F12: rows whose pitch is no multiple of 16 bytes, with the extent fixed while compiling and not."""

import numpy as np
from faults import Array, expect, finish
from kernels import accumulator_of, product


def exact(random, shape):
    return random.integers(-3, 4, shape)


random = np.random.default_rng(12)
for a, b, k, n in (("bf16", "bf16", 511, 24), ("f16", "f16", 513, 9), ("int8", "int8", 515, 17), ("fp8_e4m3", "fp8_e4m3", 129, 7), ("bf16", "int4", 254, 33),
                   ("f32", "f32", 37, 173)):
    for order in ("NK", "KN"):
        x, y = exact(random, (19, k)), exact(random, (k, n))
        accumulator = accumulator_of(a, b)
        stored = np.ascontiguousarray(y if order == "KN" else y.T)
        pack = {"NK": 1, "KN": 0}[order] if b == "int4" else None
        text = product(a, b, accumulator, (32, 32, 64), 3, 64, order, pack)
        for options in ({"sizes": {"M": 19, "N": n, "K": k}}, {"settings": {"M": 19, "N": n, "K": k}}):
            expect(f"{a} x {b} {order}, K = {k}, N = {n}, {list(options)[0]}", text, {"A": Array(a, x), "B": Array(b, stored, pack=pack)},
                   {"C": Array(accumulator, x @ y)}, **options)
finish()
