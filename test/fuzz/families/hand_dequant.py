"""Nibbles kept in bytes and unpacked by hand in element loops, as existing code does; stored or multiplied."""

import numpy as np

from case import Case, Tensor, kernel_text
from data import draw_any, draw_small
from families.gemm_parts import SIZES, are_sizes_legal, draw_sizes
from space import draw as draw_space

# The nibble of element j of a row: of byte {b}, with {j} the element's index along the packed dimension.
NIBBLES = ["{b} >> (4 * ({j} % 2)) & 15", "({b} >> (({j} & 1) << 2)) & 0xF", "{b} >> (({j} % 2) * 4) & 15",
           "({b} & cast<uint8>(15 << (4 * ({j} % 2)))) >> (4 * ({j} % 2))", "select({j} % 2 == 0, {b} & 15, {b} >> 4)"]
# From a nibble in uint8 to the value.
SIGNS = {
    "int8": ["reinterpret<int8>({n} << 4) >> 4", "reinterpret<int8>(({n} ^ 8) - 8)", "cast<int8>({n}) - 8",
             "(cast<int8>({n}) ^ 8) - 8", "reinterpret<int8>({n})", "select({n} < 8, cast<int8>({n}), cast<int8>({n}) - 16)"],
    "bf16": ["cast<bf16>(reinterpret<int8>({n} << 4) >> 4)", "cast<bf16>({n}) - 8.0", "(cast<bf16>({n}) - 8.0) * 0.5"],
    "f16": ["cast<f16>({n})", "cast<f16>({n}) - 8.0"],
    "f32": ["cast<f32>({n}) - 8.0"],
    "int32": ["cast<int32>({n}) - 8"],
    "uint8": ["{n}"],
}
SPACE = {
    "use": ["store", "gemm", "gemm"],
    "type": ["int8", "bf16", "f16", "f32", "int32", "uint8"],
    "nibble": [0, 1, 2, 3, 4], "sign": [0, 1, 2, 3, 4, 5],
    "index": ["{j} / 2", "{j} >> 1"],
    "dim": [1, 1, 0],
    "from": ["fragment", "shared", "global"],
    **SIZES,
}


def draw(random):
    return draw_sizes(random, draw_space(random, SPACE))


def build(p):
    if p["sign"] >= len(SIGNS[p["type"]]) or not are_sizes_legal(p) or p["tile_n"] * p["tile_k"] > 8192:
        return None
    packed = "tile_k" if p["dim"] == 1 else "tile_n"
    if p[packed] % 2 or (p["use"] == "gemm" and (p["type"] in ("f32", "int32"))):
        return None
    if p["m"] * p["n"] * p["k"] > 1 << 19:
        return None
    random = np.random.default_rng(p["data_seed"])
    # The packed extent is even: half of it is the extent of the bytes.
    size = dict(N=p["n"], K=p["k"])
    name = "K" if p["dim"] == 1 else "N"
    size[name] += size[name] % 2
    dims = ["N", "K / 2"] if p["dim"] == 1 else ["N / 2", "K"]
    shape = (size["N"], size["K"] // 2) if p["dim"] == 1 else (size["N"] // 2, size["K"])
    weights = Tensor("B", "uint8", dims, codes=draw_any(random, "uint8", shape))
    if p["use"] == "store":
        return build_store(p, weights, size)
    return build_gemm(p, weights, size, random)


def write_unpack(p):
    """Fills q [tile_n, tile_k] from tile k of the bytes."""
    rows, columns = p["tile_n"], p["tile_k"]
    if p["dim"] == 1:
        bytes_shape, origin, fast = f"{rows}, {columns // 2}", f"bx * {rows}, k * {columns // 2}", "j"
    else:
        bytes_shape, origin, fast = f"{rows // 2}, {columns}", f"bx * {rows // 2}, k * {columns}", "i"
    half = p["index"].format(j=fast)
    place = f"i, {half}" if p["dim"] == 1 else f"{half}, j"
    lines = []
    source = {"fragment": f"b[{place}]", "shared": f"Bs[{place}]"}.get(p["from"])
    if p["from"] != "global":
        lines.append(f"copy(B[{origin}], Bs);")
    if p["from"] == "fragment":
        lines.append("copy(Bs, b);")
    if p["from"] == "global":
        row, column = origin.split(", ")
        index = place.split(", ")
        source = f"B[{row} + {index[0]}, {column} + {index[1]}]"
    nibble = NIBBLES[p["nibble"]].format(b=source, j=fast)
    value = SIGNS[p["type"]][p["sign"]].format(n="nibble")
    lines += [f"for i, j in parallel({rows}, {columns}) {{", f"    let nibble = {nibble};", f"    q[i, j] = {value};", "}"]
    allocations = []
    if p["from"] != "global":
        allocations.append(f"let Bs = alloc_shared(uint8[{bytes_shape}]);")
    if p["from"] == "fragment":
        allocations.append(f"var b = alloc_fragment(uint8[{bytes_shape}]);")
    allocations.append(f"var q = alloc_fragment({p['type']}[{rows}, {columns}]);")
    return allocations, lines


def where(p):
    return ["K % 2 == 0" if p["dim"] == 1 else "N % 2 == 0"]


def build_store(p, weights, size):
    out = Tensor("C", p["type"], ["N", "K"], "out")
    allocations, lines = write_unpack(p)
    lines.append(f"copy(q, C[bx * {p['tile_n']}, k * {p['tile_k']}]);")
    body = allocations + [f"for k in pipelined(ceildiv(K, {p['tile_k']}), stages = {p['stages']}) {{"] + ["    " + line for line in lines] + ["}"]
    text = kernel_text([weights, out], body, f"bx in ceildiv(N, {p['tile_n']})", p["threads"], where(p), p["persistent"])
    return Case(text, [weights, out], size, p["is_static"], target=p["target"])


def build_gemm(p, weights, size, random):
    type_ = p["type"]
    a = "int8" if type_ == "uint8" else type_
    left = Tensor("A", a, ["M", "K"], codes=draw_small(random, a, (p["m"], size["K"])))
    accumulator = "int32" if "int" in type_ else "f32"
    out = Tensor("C", accumulator, ["M", "N"], "out")
    allocations, lines = write_unpack(p)
    body = [f"let As = alloc_shared({a}[{p['tile_m']}, {p['tile_k']}]);"] + allocations
    body += [f"var acc = alloc_fragment({accumulator}[{p['tile_m']}, {p['tile_n']}]);", "clear(acc);",
             f"for k in pipelined(ceildiv(K, {p['tile_k']}), stages = {p['stages']}) {{"]
    body += ["    " + line for line in [f"copy(A[by * {p['tile_m']}, k * {p['tile_k']}], As);"] + lines + ["gemm(As, q, acc, transpose_b = true);"]]
    body += ["}", f"copy(acc, C[by * {p['tile_m']}, bx * {p['tile_n']}]);"]
    grid = f"bx in ceildiv(N, {p['tile_n']}), by in ceildiv(M, {p['tile_m']})"
    text = kernel_text([left, weights, out], body, grid, p["threads"], where(p), p["persistent"])
    return Case(text, [left, weights, out], dict(size, M=p["m"]), p["is_static"], target=p["target"])
