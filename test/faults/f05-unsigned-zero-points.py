# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F05: uint4 weights minus a zero-point go below zero; zero-points as integers, packed uint4 and floats."""

import numpy as np
from faults import Array, expect, finish
from kernels import product

GROUP, K, N = 32, 128, 16
weights = np.arange(N * K).reshape(N, K) % 16
weights[0, :3] = 3, 0, 15
value = (weights - 8) * 0.5
assert list(value[0, :3]) == [-2.5, -4.0, 3.5]


def store_kernel(zero_type, zero, to):
    declared = f", Z: {zero_type}[N, 4]" if zero == "Zs" else f", Z: {zero_type}" if zero == "Z" else ""
    tile = f"let Zs = alloc_shared({zero_type}[16, 4]); copy(Z[0, 0], Zs);" if zero == "Zs" else ""
    return f"""kernel zero_points(B: uint4[N, 128], S: f16[N, 4]{declared}, C: out {to}[N, 128]) threads(64)
{{
    let Bs = alloc_shared(uint4[16, 128]);
    let Ss = alloc_shared(f16[16, 4]);
    copy(B[0, 0], Bs);
    copy(S[0, 0], Ss);
    {tile}
    copy(dequant(Bs, scale = Ss, zero = {zero}, group = 32, to = {to}), C[0, 0]);
}}
"""


inputs = {"B": Array("uint4", weights), "S": Array("f16", np.full((N, 4), 0.5))}
for to in ("f16", "bf16", "f32"):
    for zero_type in ("uint4", "uint8", "int8", "int32", "f16", "bf16", "f32"):
        expect(f"{zero_type} zero-points to {to}", store_kernel(zero_type, "Zs", to), {**inputs, "Z": Array(zero_type, np.full((N, 4), 8))},
               {"C": Array(to, value)})
    expect(f"a constant zero-point to {to}", store_kernel("int32", "8", to), inputs, {"C": Array(to, value)}, {"N": N})
    expect(f"a scalar zero-point to {to}", store_kernel("int32", "Z", to), inputs, {"C": Array(to, value)}, {"N": N}, scalars={"Z": 8})

# One row of A picks each weight.
for a in ("f16", "bf16"):
    for zero_type in ("uint4", "int8", "f16"):
        text = product(a, "uint4", "f32", (32, 16, 64), operand="dequant(Bs, scale = Ss, zero = Zs, group = 32)",
                       parameters=f", S: f16[N, K / 32], Z: {zero_type}[N, K / 32]",
                       tiles=f"let Ss = alloc_shared(f16[16, 2]); let Zs = alloc_shared({zero_type}[16, 2]);",
                       copies="copy(S[bx * 16, k * 2], Ss); copy(Z[bx * 16, k * 2], Zs);")
        expect(f"{a} x uint4 with {zero_type} zero-points", text,
               {"A": Array(a, np.eye(K)), **inputs, "Z": Array(zero_type, np.full((N, 4), 8))}, {"C": Array("f32", value.T)})
finish()
