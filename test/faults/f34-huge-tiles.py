# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F34: a tile of thousands of elements a thread, or a loop of thousands of copies, ends in seconds: compiled, or refused at its line."""

import time

from faults import counts, finish, refuse

CHAIN = """kernel chain(X: f32[4, N], Y: f32[4, N], Z: f32[4, N], O: out f32[4, N]) grid(b in ceildiv(N, 65536)) threads(128)
{
    let x = X[0 +: 4, b * 65536 +: 65536];
    let y = Y[0 +: 4, b * 65536 +: 65536];
    let z = Z[0 +: 4, b * 65536 +: 65536];
    copy(x * y + z, O[0, b * 65536]);
}
"""
UNROLLED = """kernel copies(X: f32[N], Y: out f32[N]) threads(32)
{
    for i in unrolled(4096) { Y[i] = X[i] + 1.0; }
}
"""
begin = time.time()
refuse("2,048 elements a thread", CHAIN, r"fault.tile:\d+:\d+: error: a fragment of 4x65536 puts 2,?048 elements in each thread; the limit is", command=("check",))
refuse("4,096 copies", UNROLLED, r"fault.tile:3:\d+: error: .*4,?096", command=("check",))
counts["passed" if time.time() - begin < 20 else "failed"] += 1
finish()
