# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F14: a block sees its own stores in order: running sums in place, results added to what is there, copies that overlap."""

import numpy as np
from faults import Array, expect, finish

RUNNING = """kernel running(X: inout {t}[N]) threads(32)
{{
    for i in range(1, N) {{ X[i] = X[i] + X[i - 1]; }}
}}
"""
for type_ in ("f32", "int32", "int64", "f64"):
    expect(f"running sum of {type_}", RUNNING.format(t=type_), {"X": Array(type_, np.ones(1024))}, {"X": Array(type_, np.arange(1, 1025))})

ADDED = """kernel added(A: f16[M, K], B: f16[K, N], C: inout f32[M, N]) threads(64)
{
    let As = alloc_shared(f16[32, 32]);
    let Bs = alloc_shared(f16[32, 32]);
    var acc = alloc_fragment(f32[32, 32]);
    copy(C[0, 0], acc);
    for k in pipelined(ceildiv(K, 32), stages = 3) {
        copy(A[0, k * 32], As);
        copy(B[k * 32, 0], Bs);
        gemm(As, Bs, acc);
    }
    copy(acc, C[0, 0]);
}
"""
before = np.arange(31 * 29).reshape(31, 29)
expect("C = C + A B", ADDED, {"A": Array("f16", np.ones((31, 70))), "B": Array("f16", np.full((70, 29), 2)), "C": Array("f32", before)},
       {"C": Array("f32", before + 140)})

# Each row is read after the one before it was written.
SHIFTED = """kernel shifted(X: inout {t}[9, 40]) threads(64)
{{
    let s = alloc_shared({t}[1, 40]);
    for i in range(8) {{
        copy(X[i, 0], s);
        copy(s, X[i + 1, 0]);
    }}
}}
"""
for type_ in ("int8", "f16", "int4", "f32"):
    x = np.arange(360).reshape(9, 40) % 7
    expect(f"rows of {type_} shifted in place", SHIFTED.format(t=type_), {"X": Array(type_, x)}, {"X": Array(type_, np.tile(x[0], (9, 1)))})
AHEAD = """kernel ahead(X: inout f16[9, 64]) threads(64)
{
    let s = alloc_shared(f16[1, 64]);
    for i in pipelined(8, stages = 3) {
        copy(X[i, 0], s);
        copy(s + 1.0, X[i + 1, 0]);
    }
}
"""
x = np.zeros((9, 64))
expect("a pipelined loop that writes what it reads next", AHEAD, {"X": Array("f16", x)}, {"X": Array("f16", x + np.arange(9)[:, None])})
finish()
