# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F24: sums of fp8 products join the accumulator in f32 every 128 of K, so that small ones beside a large one are not lost."""

import numpy as np
from faults import Array, expect, finish
from kernels import product

K = 4096
for a, b, large in (("fp8_e4m3", "fp8_e4m3", 448), ("fp8_e5m2", "fp8_e5m2", 448), ("fp8_e4m3", "fp8_e5m2", 448)):
    x, y = np.full((16, K), 0.5), np.full((16, K), 0.5)
    x[:, 0] = y[:, 0] = large
    want = np.full((16, 16), large * large + (K - 1) / 4)
    assert want[0, 0] == 201727.75
    for tile_k in (64, 128):
        expect(f"{a} x {b}, tile K {tile_k}", product(a, b, "f32", (16, 16, tile_k), 3, 32), {"A": Array(a, x), "B": Array(b, y)}, {"C": Array("f32", want)},
               tolerance="1e-4")
x, y = np.full((16, K), 0.25), np.full((16, K), 1.0)
x[:, 0] = y[:, 0] = 448
expect("as reported", product("fp8_e4m3", "fp8_e4m3", "f32", (16, 16, 64), 3, 32), {"A": Array("fp8_e4m3", x), "B": Array("fp8_e4m3", y)},
       {"C": Array("f32", np.full((16, 16), 448 * 448 + 4095 / 4))}, tolerance="1e-4")
finish()
