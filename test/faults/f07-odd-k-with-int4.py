# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F07: an odd K along which 4-bit weights are packed: the last element counts, the spare nibble does not."""

import numpy as np
from faults import Array, expect, finish
from kernels import accumulator_of, product

REFUSAL = r"the packed dimension .* must be even, got 17"
for a in ("int8", "bf16", "f16", "fp8_e4m3", "uint8", "int4"):
    for order, pack_b in (("NK", 1), ("KN", 0)):
        weights = np.zeros((8, 17))
        weights[:, 16] = -8
        accumulator = accumulator_of(a, "int4")
        arrays = {"A": Array(a, np.ones((4, 17))), "B": Array("int4", weights if order == "NK" else weights.T, pack=pack_b)}
        for stages in (1, 3):
            text = product(a, "int4", accumulator, (16, 16, 32), stages, 32, order, pack_b)
            for title, options in (("dynamic", {"sizes": {"M": 4, "N": 8, "K": 17}}), ("static", {"settings": {"M": 4, "N": 8, "K": 17}})):
                expect(f"{a} x int4, {order}, {title}", text, arrays, {"C": Array(accumulator, np.full((4, 8), -8))}, or_refused=REFUSAL, **options)
finish()
