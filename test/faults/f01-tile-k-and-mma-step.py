# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F01: a tile K that is no multiple of the instruction's K gives the whole sum, or an error that names both."""

import numpy as np
from faults import Array, expect, finish
from kernels import accumulator_of, product

REFUSAL = r"tile K \d+ is not a multiple of the MMA K step \d+"


def check(a, b, sizes, tile, **options):
    m, n, k = sizes
    accumulator = accumulator_of(a, b)
    expect(f"{a} x {b} {sizes} tile {tile}", product(a, b, accumulator, tile, **options),
           {"A": Array(a, np.ones((m, k))), "B": Array(b, np.ones((n, k)))}, {"C": Array(accumulator, np.full((m, n), k))},
           {"M": m, "N": n, "K": k}, or_refused=REFUSAL)


for tile_k in (24, 8, 40, 56):
    check("f16", "f16", (64, 64, 24), (64, 64, tile_k), threads=128)
check("bf16", "int4", (32, 32, 24), (32, 32, 24))
check("int8", "int8", (32, 32, 72), (32, 32, 24))
check("int8", "int4", (32, 32, 56), (32, 32, 40))
check("fp8_e4m3", "fp8_e4m3", (32, 32, 72), (32, 32, 48))
check("int4", "int4", (32, 32, 80), (32, 32, 80))
# The related report, smaller: K = 2044 is no multiple of any tile.
check("f32", "f32", (5, 33, 2044), (16, 16, 32))
check("tf32", "tf32", (5, 33, 2044), (16, 16, 32))
check("f64", "f64", (5, 9, 2044), (16, 8, 32))
check("bf16", "bf16", (5, 33, 2044), (16, 16, 32))
finish()
