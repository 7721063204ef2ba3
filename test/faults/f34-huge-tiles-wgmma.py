# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F34 on sm_90a: long tiles of K, many products in a step and long loops end in seconds: compiled and right, or refused at their line."""

import time

import numpy as np
from faults import Array, counts, finish, refuse
from warpgroups import FEEDS, expect_by_warpgroups, multiply

begin = time.time()
# A step of 32 instructions a warpgroup, with one buffer.
x, y = np.ones((70, 1100)), np.full((72, 1100), 2)
for feed, decisions in FEEDS.items():
    expect_by_warpgroups(f"K of 1,024 a step, {feed}", multiply("int8", accumulator="int32", tile=(64, 64, 1024), stages=1), {"A": Array("int8", x), "B": Array("int8", y)},
                         {"C": Array("int32", x @ y.T)}, {"M": 70, "N": 72, "K": 1100}, None, decisions)

refuse("sums of 2,048 elements a thread", multiply("bf16", tile=(1024, 256, 64), stages=1), r"fault.tile:\d+:\d+: error: a fragment of 1024x256 puts 2,?048 elements in each thread; the limit is",
       command=("check",))
UNROLLED = """kernel products(A: bf16[64, 64], B: bf16[64, 64], C: out f32[64, 64]) threads(128)
{
    let As = alloc_shared(bf16[64, 64]);
    let Bs = alloc_shared(bf16[64, 64]);
    copy(A[0, 0], As);
    copy(B[0, 0], Bs);
    var acc = alloc_fragment(f32[64, 64]);
    clear(acc);
    for i in unrolled(COUNT) { gemm(As, Bs, acc, transpose_b = true); }
    copy(acc, C[0, 0]);
}
"""
refuse("4,096 products", UNROLLED.replace("COUNT", "4096"), r"fault.tile:9:\d+: error: .*4,?096", command=("check",))
a, b = np.ones((64, 64)), np.full((64, 64), 2)
expect_by_warpgroups("24 products", UNROLLED.replace("COUNT", "24"), {"A": Array("bf16", a), "B": Array("bf16", b)}, {"C": Array("f32", 24 * (a @ b))})
counts["passed" if time.time() - begin < 60 else "failed"] += 1
finish()
