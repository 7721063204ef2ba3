# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F26: products of f32 are exact f32 arithmetic unless tf32 is asked for; the report names the instruction either way."""

import numpy as np
from faults import Array, counts, expect, finish, run_tilec
from kernels import product

x, y = np.full((16, 32), 1 + 2.0 ** -11), np.ones((16, 32))
for a, flags, want in (("f32", "", 32.015625), ("f32", ", tf32 = true", None), ("tf32", "", None), ("f64", "", 32.015625)):
    # Ten fraction bits: 2^-11 is half a unit; it may round either way, or be cut off.
    accumulator = "f64" if a == "f64" else "f32"
    text = product(a, a, accumulator, (16, 16, 32), 2, 32, flags=flags)
    got = np.full((16, 16), 32.015625 if want else 32.0)
    expect(f"{a}{flags}", text, {"A": Array(a, x), "B": Array(a, y)}, {"C": Array(accumulator, got)}, tolerance=None if want else "0,0.03125")
    report = run_tilec(text, ["report"], {})
    counts["passed" if ("tf32" in report.stdout) == (want is None) else "failed"] += 1

# (q k^T) v in f32: small integers times powers of two stay exact.
random = np.random.default_rng(26)
q, k, v = random.integers(-4, 5, (32, 64)), random.integers(-4, 5, (16, 64)), random.integers(-4, 5, (16, 64))
CHAIN = """kernel chain(Q: f32[32, 64], K: f32[16, 64], V: f32[16, 64], O: out f32[32, 64]) threads(64)
{
    let q = alloc_shared(f32[32, 64]);
    let k = alloc_shared(f32[16, 64]);
    let v = alloc_shared(f32[16, 64]);
    copy(Q[0, 0], q);
    copy(K[0, 0], k);
    copy(V[0, 0], v);
    var s = alloc_fragment(f32[32, 16]);
    var o = alloc_fragment(f32[32, 64]);
    clear(s);
    clear(o);
    gemm(q, k, s, transpose_b = true);
    gemm(s, v, o);
    copy(o, O[0, 0]);
}
"""
expect("chain", CHAIN, {"Q": Array("f32", q), "K": Array("f32", k), "V": Array("f32", v)}, {"O": Array("f32", (q @ k.T) @ v)})
finish()
