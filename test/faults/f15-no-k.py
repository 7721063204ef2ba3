# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F15: with K = 0 a product is its cleared accumulator, of every pair of types; a group with no K among others."""

import numpy as np
from faults import Array, expect, finish
from kernels import accumulator_of, product

for a, b in (("bf16", "bf16"), ("f16", "int4"), ("int8", "int8"), ("int8", "int4"), ("int4", "int4"), ("fp8_e4m3", "fp8_e4m3"), ("bf16", "fp4_e2m1"),
             ("f32", "f32"), ("f64", "f64"), ("tf32", "tf32")):
    accumulator = accumulator_of(a, b)
    tile = (32, 32, 32)
    for options in ({"sizes": {"M": 40, "N": 24, "K": 0}}, {"settings": {"M": 40, "N": 24, "K": 0}}):
        expect(f"{a} x {b}, {list(options)[0]}", product(a, b, accumulator, tile, 3, 64), {"A": Array(a, np.zeros((40, 0))), "B": Array(b, np.zeros((24, 0)))},
               {"C": Array(accumulator, np.zeros((40, 24)))}, **options)

expect("dequantised", product("bf16", "uint4", "f32", operand="dequant(Bs, scale = Ss, zero = 8, group = 32)", parameters=", S: f16[N, ceildiv(K, 32)]",
                              tiles="let Ss = alloc_shared(f16[32, 1]);", copies="copy(S[bx * 32, k], Ss);"),
       {"A": Array("bf16", np.zeros((40, 0))), "B": Array("uint4", np.zeros((24, 0))), "S": Array("f16", np.zeros((24, 0)))},
       {"C": Array("f32", np.zeros((40, 24)))}, {"M": 40, "N": 24, "K": 0})

# Groups of their own K, one of them empty.
GROUPED = """kernel grouped(A: bf16[M, K], B: bf16[K, N], ends: int32[G], C: out f32[G, M, N]) grid(g in G) threads(32)
{
    let first = if g == 0 { cast<int64>(0) } else { cast<int64>(ends[g - 1]) };
    let Av = A[:, first : cast<int64>(ends[g])];
    let Bv = B[first : cast<int64>(ends[g]), :];
    let As = alloc_shared(bf16[16, 16]);
    let Bs = alloc_shared(bf16[16, 16]);
    var acc = alloc_fragment(f32[16, 16]);
    clear(acc);
    for k in pipelined(ceildiv(cast<int64>(ends[g]) - first, 16), stages = 3) {
        copy(Av[0, k * 16], As);
        copy(Bv[k * 16, 0], Bs);
        gemm(As, Bs, acc);
    }
    copy(acc, C[g, 0, 0]);
}
"""
want = np.stack([np.full((16, 16), n) for n in (20, 0, 3)])
expect("grouped", GROUPED, {"A": Array("bf16", np.ones((16, 23))), "B": Array("bf16", np.ones((23, 16))), "ends": Array("int32", np.array([20, 20, 23]))},
       {"C": Array("f32", want)})
finish()
