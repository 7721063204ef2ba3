"""Kernels that several tests of known faults share."""


def product(a, b, accumulator, tile=(32, 32, 32), stages=3, threads=64, order="NK", pack_b=None, out=None, operand="Bs",
            parameters="", tiles="", copies="", flags="", dims_a="M, K"):
    """C = A B, of A [M, K] and B [K, N] or, in order NK, [N, K]; with more parameters, tiles and copies for `operand`."""
    m, n, k = tile
    shape, place, transpose = (f"{k}, {n}", f"k * {k}, bx * {n}", "") if order == "KN" else (f"{n}, {k}", f"bx * {n}, k * {k}", ", transpose_b = true")
    pack = f" pack({pack_b})" if pack_b is not None else ""
    dims_b = "K, N" if order == "KN" else "N, K"
    return f"""kernel product(A: {a}[{dims_a}], B: {b}[{dims_b}]{pack}{parameters}, C: out {out or accumulator}[M, N])
    grid(bx in ceildiv(N, {n}), by in ceildiv(M, {m})) threads({threads})
{{
    let As = alloc_shared({a}[{m}, {k}]);
    let Bs = alloc_shared({b}[{shape}]);
    {tiles}
    var acc = alloc_fragment({accumulator}[{m}, {n}]);
    clear(acc);
    for k in pipelined(ceildiv(K, {k}), stages = {stages}) {{
        copy(A[by * {m}, k * {k}], As);
        copy(B[{place}], Bs);
        {copies}
        gemm(As, {operand}, acc{transpose}{flags});
    }}
    copy(acc, C[by * {m}, bx * {n}]);
}}
"""


def accumulator_of(a, b):
    if "int" in a and "int" in b:
        return "int32"
    return "f64" if a == "f64" else "f32"
