# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F16 on sm_90a: an argument's address moved by one element, by 8 bytes and by 16: TMA takes multiples of 16 only, other addresses
other variants. And tiles that begin inside of 16 bytes at an address that is a multiple, which TMA does bring."""

import numpy as np
from faults import Array, finish
from warpgroups import FEEDS, expect_by_warpgroups, multiply

M, N, K = 70, 72, 96
BYTES = {"bf16": 2, "f16": 2, "tf32": 4, "int8": 1, "fp8_e4m3": 1}
random = np.random.default_rng(16)
x, y = random.integers(-3, 4, (M, K)), random.integers(-3, 4, (N, K))


def choose_variant(feed, a, offsets):
    """By the strictest of the arguments: cp.async copies pieces of 8 bytes."""
    if any(offset % 8 for offset in offsets.values()):
        return "general"
    if any(offset % 16 for name, offset in offsets.items()):
        return "aligned8"
    return feed


for a, size in BYTES.items():
    accumulator = "int32" if a == "int8" else "f32"
    for feed, decisions in FEEDS.items() if a in ("bf16", "int8") else [("tma", FEEDS["tma"])]:
        text = multiply(a, accumulator=accumulator, tile=(64, 64, 64 // min(size, 2)), stages=3)
        for offsets in ({"A": size}, {"B": size}, {"C": 4}, {"A": 8}, {"B": 8}, {"C": 8}, {"A": 16, "B": 48, "C": 240}, {"A": size, "B": 8, "C": 4}):
            expect_by_warpgroups(f"{a} at {offsets}, {feed}", text, {"A": Array(a, x), "B": Array(a, y)}, {"C": Array(accumulator, x @ y.T)},
                                 {"M": M, "N": N, "K": K}, choose_variant(feed, a, offsets), decisions, offsets=offsets)

# The tiles of A begin `first` elements into a row.
MOVED = """kernel moved(A: {t}[M, K], first: int64, B: {t}[N, 96], C: out f32[M, N]) grid(bx in ceildiv(N, 64), by in ceildiv(M, 64)) threads(128)
{{
    let v = A[:, first : K];
    let As = alloc_shared({t}[64, 32]);
    let Bs = alloc_shared({t}[64, 32]);
    var acc = alloc_fragment(f32[64, 64]);
    clear(acc);
    for k in pipelined(3, stages = 2) {{
        copy(v[by * 64, k * 32], As);
        copy(B[bx * 64, k * 32], Bs);
        gemm(As, Bs, acc, transpose_b = true);
    }}
    copy(acc, C[by * 64, bx * 64]);
}}
"""
for a in ("bf16", "tf32"):
    for first in (1, 4, 8, 24):
        z = random.integers(-3, 4, (M, K + first))
        z = np.pad(z, ((0, 0), (0, -z.shape[1] % 8)), constant_values=2)
        for feed, decisions in FEEDS.items():
            expect_by_warpgroups(f"{a} from {first}, {feed}", MOVED.format(t=a), {"A": Array(a, z), "B": Array(a, y)},
                                 {"C": Array("f32", z[:, first:first + K] @ y.T)}, {"N": N}, None, decisions, scalars={"first": first})
finish()
