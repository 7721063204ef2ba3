# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F16: data that begin one element or 8 bytes past a multiple of 16 bytes: in views of a tensor, by each path.
(Pointers of that kind are in the GPU tests: test/gpu/products.py, OFFSETS.)"""

import numpy as np
from faults import Array, expect, finish

MOVED = """kernel moved(X: {t}[66, 72], first: int64, Y: out {t}[64, 64]) threads(128)
{{
    let v = X[:, first : 72];
    let s = alloc_shared({t}[64, 64]);
    for k in pipelined(1, stages = {s}) {{
        copy(v[k * 64 + 1, 0], s);
        copy(s, Y[0, k * 64]);
    }}
}}
"""
for type_ in ("int32", "f16", "int8", "f64", "fp8_e4m3", "int4"):
    x = np.arange(66 * 72).reshape(66, 72) % 8
    for first in (1, 2, 4, 8, 3):
        for stages in (1, 3):
            expect(f"{type_} from {first}, {stages} stages", MOVED.format(t=type_, s=stages), {"X": Array(type_, x)},
                   {"Y": Array(type_, x[1:65, first:first + 64])}, scalars={"first": first})
finish()
