# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F22: products on sm_90a whose left operand is a fragment, or is computed from a narrower one: every sum is the integer that it must be,
with several products of a step in flight."""

import numpy as np
from faults import Array, expect, finish
from kernels import product

M, N, K = 130, 72, 320
random = np.random.default_rng(22)
x, y = random.integers(-3, 4, (M, K)), random.integers(-3, 4, (K, N))

FRAGMENT = """kernel fragment(A: {t}[M, K], B: {t}[N, K], C: out f32[M, N]) grid(bx in ceildiv(N, 64), by in ceildiv(M, 128)) threads(256)
{{
    let As = alloc_shared({t}[128, 64]);
    let Bs = alloc_shared({t}[64, 64]);
    var a = alloc_fragment({t}[128, 64]);
    var acc = alloc_fragment(f32[128, 64]);
    clear(acc);
    for k in pipelined(ceildiv(K, 64), stages = {stages}) {{
        copy(A[by * 128, k * 64], As);
        copy(B[bx * 64, k * 64], Bs);
        copy(As, a);
        {change}
        gemm(a, Bs, acc, transpose_b = true);
    }}
    copy(acc, C[by * 128, bx * 64]);
}}
"""
for t in ("bf16", "f16"):
    for stages in (1, 3):
        for change, factor in (("", 1), ("a = a * 0.5;", 0.5)):
            text = FRAGMENT.format(t=t, stages=stages, change=change)
            for title, a, b in (("ones", np.ones((M, 64)), np.ones((64, N))), ("integers", x, y)):
                expect(f"{t}, {title}, {change or 'as it is'}, {stages} stages", text, {"A": Array(t, a), "B": Array(t, np.ascontiguousarray(b.T))},
                       {"C": Array("f32", factor * (a @ b))}, {"M": M, "N": N}, ["sm_90a"])

# Narrow numbers are converted in registers; the product may be turned round for it.
for a, b in (("bf16", "int4"), ("f16", "uint4"), ("bf16", "int8"), ("f16", "fp8_e4m3"), ("bf16", "fp4_e2m1")):
    values = abs(y) if b == "uint4" else y
    for order, stored, along in (("KN", values, 0), ("NK", np.ascontiguousarray(values.T), 1)):
        pack = along if "4" in b and "8" not in b else None
        expect(f"{a} x {b} {order}", product(a, b, "f32", (128, 128, 64), 3, 256, order, pack), {"A": Array(a, x), "B": Array(b, stored, pack=pack)},
               {"C": Array("f32", x @ values)}, {"M": M, "N": N, "K": K}, ["sm_90a"])
finish()
