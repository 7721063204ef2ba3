# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F28: the accumulator of one product, scaled, masked, reduced, is the operand of the next."""

import numpy as np
from faults import Array, expect, finish

CHAIN = """kernel chain(Q: {t}[64, D], K: {t}[64, D], V: {t}[64, D], O: out f32[64, D], R: out f32[64]) where D == {d} threads({threads})
{{
    let q = alloc_shared({t}[64, D]);
    let k = alloc_shared({t}[64, D]);
    let v = alloc_shared({t}[64, D]);
    copy(Q[0, 0], q);
    copy(K[0, 0], k);
    copy(V[0, 0], v);
    var s = alloc_fragment(f32[64, 64]);
    var o = alloc_fragment(f32[64, D]);
    clear(s);
    clear(o);
    gemm(q, k, s, transpose_b = true);
    for i, j in parallel(64, 64) {{
        if j > i {{ s[i, j] = -100.0; }} else {{ s[i, j] = s[i, j] * 0.5; }}
    }}
    let m = reduce_max(s, dim = 1);
    let p = max(s - m[:, _] + 4.0, 0.0);
    copy(reduce_sum(p, dim = 1), R[0]);
    gemm({p}, v, o);
    copy(o, O[0, 0]);
}}
"""
random = np.random.default_rng(28)
for type_, threads, d in (("bf16", 128, 32), ("bf16", 256, 64), ("f16", 128, 64), ("f32", 128, 32), ("f32", 256, 32), ("bf16", 64, 16)):
    q, k, v = (random.integers(-1, 2, (64, d)) for _ in range(3))
    s = np.where(np.arange(64) > np.arange(64)[:, None], -100.0, (q @ k.T) * 0.5)
    p = np.maximum(s - s.max(axis=1, keepdims=True) + 4, 0)
    text = CHAIN.format(t=type_, threads=threads, d=d, p="p" if type_ == "f32" else f"cast<{type_}>(p)")
    expect(f"{type_}, {threads} threads, head {d}", text, {n: Array(type_, x) for n, x in (("Q", q), ("K", k), ("V", v))},
           {"O": Array("f32", p @ v), "R": Array("f32", p.sum(axis=1))})
finish()
