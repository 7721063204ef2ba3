# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F09: scale bytes outside K do not reach the result, whatever they are: NaN (0xFF) or 1 (0x7F) or anything."""

import numpy as np
from faults import Array, expect, finish
from kernels import product


def scaled(type_, tile_k, group):
    """Scales of one column more than K needs; a view ends before it."""
    columns = tile_k // group
    return f"""kernel scaled(A: {type_}[M, K], B: {type_}[N, K], SFA: e8m0[M, G], SFB: e8m0[N, G], C: out f32[M, N])
    grid(bx in ceildiv(N, 16), by in ceildiv(M, 16)) threads(32)
{{
    let Av = SFA[:, 0 : ceildiv(K, {group})];
    let Bv = SFB[:, 0 : ceildiv(K, {group})];
    let As = alloc_shared({type_}[16, {tile_k}]);
    let Bs = alloc_shared({type_}[16, {tile_k}]);
    let sfa = alloc_shared(e8m0[16, {columns}]);
    let sfb = alloc_shared(e8m0[16, {columns}]);
    var acc = alloc_fragment(f32[16, 16]);
    clear(acc);
    for k in pipelined(ceildiv(K, {tile_k}), stages = 2) {{
        copy(A[by * 16, k * {tile_k}], As);
        copy(B[bx * 16, k * {tile_k}], Bs);
        copy(Av[by * 16, k * {columns}], sfa);
        copy(Bv[bx * 16, k * {columns}], sfb);
        gemm_scaled(As, Bs, acc, sfa, sfb, granularity_k = {group}, transpose_b = true);
    }}
    copy(acc, C[by * 16, bx * 16]);
}}
"""


for type_ in ("fp8_e4m3", "fp4_e2m1", "fp8_e5m2"):
    for k, tile_k, group in ((96, 128, 32), (33, 64, 32), (160, 128, 32), (96, 128, 16)):
        groups = -(-k // group)
        scales = np.full((16, groups + 1), 128)  # 2
        for padding in (0xFF, 0x7F, 0x00) if (k, group) == (96, 32) else (0xFF,):
            scales[:, groups] = padding
            expect(f"{type_}, K = {k}, tile {tile_k}, group {group}, padding {padding:#x}", scaled(type_, tile_k, group),
                   {"A": Array(type_, np.ones((16, k))), "B": Array(type_, np.ones((16, k))), "SFA": Array("e8m0", codes=scales), "SFB": Array("e8m0", codes=scales)},
                   {"C": Array("f32", np.full((16, 16), 4 * k))}, {"M": 16, "N": 16, "K": k, "G": groups + 1},
                   targets=["sm_80", "sm_89", "sm_90a"] if (k, padding) == (96, 0xFF) else ["sm_90a"])

# The same beside a 16-bit operand: scales of the weights only.
for k, tile_k in ((96, 128), (40, 64)):
    groups = -(-k // 32)
    for padding in (0xFF, 0x7F):
        scales = np.full((16, groups + 1), 126)  # 1/2
        scales[:, groups] = padding
        text = product("bf16", "fp4_e2m1", "f32", (16, 16, tile_k), 2, 32, operand="dequant(Bs, scale = Ss, group = 32)", parameters=", S: e8m0[N, G]",
                       tiles=f"let Ss = alloc_shared(e8m0[16, {tile_k // 32}]); let Sv = S[:, 0 : ceildiv(K, 32)];",
                       copies=f"copy(Sv[bx * 16, k * {tile_k // 32}], Ss);")
        expect(f"bf16 x fp4, K = {k}, padding {padding:#x}", text,
               {"A": Array("bf16", np.ones((16, k))), "B": Array("fp4_e2m1", np.ones((16, k))), "S": Array("e8m0", codes=scales)},
               {"C": Array("f32", np.full((16, 16), k / 2))}, {"M": 16, "N": 16, "K": k, "G": groups + 1})
finish()
