# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F20: a tile that two products of a step read is refilled only when the second has done so: 64 steps, any number of stages."""

import numpy as np
from faults import Array, finish
from warpgroups import FEEDS, expect_by_warpgroups

# S = Q K^T and P = X K, both summed over the steps; X is kept.
TWICE = """kernel twice(Q: bf16[64, 128], K: bf16[n, 128], X: bf16[64, 64], S: out f32[64, 64], P: out f32[64, 128]) threads({threads})
{{
    let Qs = alloc_shared(bf16[64, 128]);
    let Xs = alloc_shared(bf16[64, 64]);
    let Ks = alloc_shared(bf16[64, 128]);
    copy(Q[0, 0], Qs);
    copy(X[0, 0], Xs);
    var s = alloc_fragment(f32[64, 64]);
    var p = alloc_fragment(f32[64, 128]);
    clear(s);
    clear(p);
    for k in pipelined(ceildiv(n, 64), stages = {stages}) {{
        copy(K[k * 64, 0], Ks);
        {body}
    }}
    copy(s, S[0, 0]);
    copy(p, P[0, 0]);
}}
"""
FIRST, SECOND = "gemm(Qs, Ks, s, transpose_b = true);", "gemm(Xs, Ks, p);"
random = np.random.default_rng(20)
q, keys, x = random.integers(-3, 4, (64, 128)), random.integers(-3, 4, (64 * 64, 128)), random.integers(-3, 4, (64, 64))
wanted = {"S": Array("f32", sum(q @ keys[i:i + 64].T for i in range(0, 4096, 64))), "P": Array("f32", sum(x @ keys[i:i + 64] for i in range(0, 4096, 64)))}
for stages in (1, 2, 3):
    for feed, decisions in FEEDS.items():
        for title, body in (("S first", FIRST + SECOND), ("P first", SECOND + FIRST)):
            text = TWICE.format(threads=128, stages=stages, body=body)
            expect_by_warpgroups(f"{title}, {stages} stages, {feed}", text, {"Q": Array("bf16", q), "K": Array("bf16", keys), "X": Array("bf16", x)}, wanted,
                                 None, feed, decisions)
finish()
