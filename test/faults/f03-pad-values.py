# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F03: a copy that sticks out of its tensor is filled with the pad value, of any type and on each path."""

import numpy as np
from faults import Array, expect, finish


def padded(type_, pad, path):
    move = {"shared": f"copy(X[0, 0], s, pad = {pad});", "fragment": f"copy(X[0, 0], f, pad = {pad}); copy(f, s);",
            "value": f"copy(load(X[0 +: 64, 0 +: 64], pad = {pad}), s);",
            "ahead": f"for k in pipelined(1, stages = 3) {{ copy(X[k * 64, 0], s, pad = {pad}); copy(s, f); }} copy(f, s);"}[path]
    return f"""kernel padded(X: {type_}[M, N], Y: out {type_}[64, 64]) threads(128)
{{
    let s = alloc_shared({type_}[64, 64]);
    var f = alloc_fragment({type_}[64, 64]);
    fill(f, {0 if type_ != 'e8m0' else 1.0});
    {move}
    copy(s, Y[0, 0]);
}}
"""


for type_, pad in (("int32", -99), ("f32", "-inf"), ("f16", "inf"), ("bf16", "nan"), ("int8", -99), ("uint8", 200), ("int4", -3), ("uint4", 9),
                   ("fp8_e4m3", 448.0), ("fp4_e2m1", -6.0), ("e8m0", 4.0), ("int64", -99), ("f64", 0.5)):
    value = float(pad)
    for path in ("shared", "fragment", "value", "ahead"):
        for rows, columns in ((60, 60), (63, 64), (64, 62), (1, 2)):
            if path != "shared" and (rows, columns) != (60, 60):
                continue
            want = np.full((64, 64), value)
            want[:rows, :columns] = 1
            expect(f"{type_} pad {pad}, {rows}x{columns}, {path}", padded(type_, pad, path), {"X": Array(type_, np.ones((rows, columns)))},
                   {"Y": Array(type_, want, codes=None if value == value else np.where(want == 1, 0x3F80, 0x7FC0))})

ROW_MAX = """kernel row_max(X: f32[M, N], Y: out f32[M]) grid(bx in ceildiv(M, 64)) threads(128)
{
    let s = alloc_shared(f32[64, 64]);
    copy(X[bx * 64, 0], s, pad = -inf);
    copy(reduce_max(s, dim = 1), Y[bx * 64]);
}
"""
negative = -1.0 - np.arange(60 * 60).reshape(60, 60)
expect("row maximum of negative values", ROW_MAX, {"X": Array("f32", negative)}, {"Y": Array("f32", negative.max(axis=1))})
finish()
