# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F06: copies of 4-bit tiles are exact whatever their width, packing and place: no byte is written by two threads.
The emulator reports two threads that write one byte between barriers."""

import numpy as np
from faults import Array, expect, finish


def copied(type_, rows, columns, threads, pack_x, pack_y, place=("0", "0")):
    return f"""kernel copied(X: {type_}[M, N] pack({pack_x}), Y: out {type_}[M, N] pack({pack_y})) threads({threads})
{{
    let s = alloc_shared({type_}[{rows}, {columns}]);
    copy(X[{place[0]}, {place[1]}], s);
    copy(s, Y[{place[0]}, {place[1]}]);
}}
"""


for type_ in ("int4", "uint4", "fp4_e2m1"):
    for rows, columns, threads, pack_x, pack_y in ((64, 64, 128, 1, 1), (64, 33, 128, 1, 1), (64, 64, 128, 0, 0), (15, 64, 128, 0, 0),
                                                   (64, 32, 128, 0, 1), (64, 32, 128, 1, 0), (5, 7, 32, 1, 1), (7, 5, 32, 0, 1), (1, 1, 32, 1, 1)):
        codes = (np.arange(rows)[:, None] * 7 + np.arange(columns)) % 16
        expect(f"{type_} {rows}x{columns} pack {pack_x} to {pack_y}", copied(type_, rows, columns, threads, pack_x, pack_y),
               {"X": Array(type_, codes=codes, pack=pack_x)}, {"Y": Array(type_, codes=codes, pack=pack_y)},
               {"M": rows, "N": columns})

# Neighbours of a part stay as they are, also when they share its bytes.
PART = """kernel part(X: {t}[8, 16], Y: inout {t}[8, 16]) threads(32)
{{
    let s = alloc_shared({t}[4, {w}]);
    copy(X[1, {c}], s);
    copy(s, Y[2, {d}]);
}}
"""
for type_ in ("int4", "uint4", "fp4_e2m1"):
    for width, column, place in ((8, 1, 3), (7, 0, 4), (7, 2, 3), (1, 3, 5), (8, 2, 4)):
        codes = (np.arange(8)[:, None] * 5 + np.arange(16)) % 16
        want = np.full((8, 16), 9)
        want[2:6, place:place + width] = codes[1:5, column:column + width]
        expect(f"{type_} part of {width} from {column} to {place}", PART.format(t=type_, w=width, c=column, d=place),
               {"X": Array(type_, codes=codes), "Y": Array(type_, codes=np.full((8, 16), 9))}, {"Y": Array(type_, codes=want)})
finish()
