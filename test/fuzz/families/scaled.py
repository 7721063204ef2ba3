"""`gemm_scaled`: products of 8-bit and 4-bit floats with a scale per group of K and per rows and columns."""

import numpy as np

from case import Case, Tensor, kernel_text
from data import draw_powers, draw_small
from families.gemm_parts import GRID, SIZES, are_sizes_legal, draw_sizes, make_operand
from space import draw as draw_space

FLOATS = ["fp8_e4m3", "fp8_e5m2", "fp4_e2m1"]
SPACE = {
    "a_type": FLOATS, "b_type": FLOATS,
    "scale_type": ["f32", "e8m0"],
    "group": [32, 128, 16, 64, 256],
    "rows": [1, 1, 1, 128, 2, 32], "columns": [1, 1, 128, 2, 32],
    "a": ["MK", "MK", "KM"], "b": ["NK", "NK", "KN"],
    "pack_a": [1, 0], "pack_b": [1, 0],
    "fast": [False, False, True],
    **SIZES,
}


def draw(random):
    return draw_sizes(random, draw_space(random, SPACE))


def divides(a, b):
    return a % b == 0 or b % a == 0


def build(p):
    if not are_sizes_legal(p):
        return None
    if min(p["group"], p["rows"], p["columns"]) < 1:
        return None
    if not (divides(p["tile_k"], p["group"]) and divides(p["tile_m"], p["rows"]) and divides(p["tile_n"], p["columns"])):
        return None
    random = np.random.default_rng(p["data_seed"])
    left = make_operand("A", p["a_type"], p["a"], draw_small(random, p["a_type"], (p["m"], p["k"])), p["pack_a"], p)
    right = make_operand("B", p["b_type"], p["b"], draw_small(random, p["b_type"], (p["k"], p["n"])), p["pack_b"], p)
    scales = [make_scale(random, p, "SA", "M", p["rows"]), make_scale(random, p, "SB", "N", p["columns"])]
    out = Tensor("C", "f32", ["M", "N"], "out")
    body = [left.allocate(), right.allocate(), allocate_scale(p, "sa", "tile_m", p["rows"]), allocate_scale(p, "sb", "tile_n", p["columns"]),
            f"var acc = alloc_fragment(f32[{p['tile_m']}, {p['tile_n']}]);", "clear(acc);",
            f"for k in pipelined(ceildiv(K, {p['tile_k']}), stages = {p['stages']}) {{"]
    group = f"k * {p['tile_k']} / {p['group']}"
    inner = [left.copy(), right.copy(), f"copy(SA[by * {p['tile_m']} / {p['rows']}, {group}], sa);",
             f"copy(SB[bx * {p['tile_n']} / {p['columns']}, {group}], sb);", write_product(p)]
    body += ["    " + line for line in inner] + ["}", f"copy(acc, C[by * {p['tile_m']}, bx * {p['tile_n']}]);"]
    tensors = [left.tensor, right.tensor] + scales + [out]
    text = kernel_text(tensors, body, GRID.format(**p), p["threads"], persistent=p["persistent"])
    return Case(text, tensors, {"M": p["m"], "N": p["n"], "K": p["k"]}, p["is_static"], target=p["target"])


def make_scale(random, p, name, dim, block):
    shape = (-(-p[dim.lower()] // block), -(-p["k"] // p["group"]))
    dims = [dim if block == 1 else f"ceildiv({dim}, {block})", f"ceildiv(K, {p['group']})"]
    return Tensor(name, p["scale_type"], dims, codes=draw_powers(random, p["scale_type"], shape))


def allocate_scale(p, name, tile, block):
    return f"let {name} = alloc_shared({p['scale_type']}[{-(-p[tile] // block)}, {-(-p['tile_k'] // p['group'])}]);"


def write_product(p):
    options = f", granularity_k = {p['group']}"
    options += f", granularity_m = {p['rows']}" if p["rows"] > 1 else ""
    options += f", granularity_n = {p['columns']}" if p["columns"] > 1 else ""
    options += (", transpose_a = true" if p["a"] == "KM" else "") + (", transpose_b = true" if p["b"] == "NK" else "")
    options += ", fast_accum = true" if p["fast"] else ""
    return f"gemm_scaled(As, Bs, acc, sa, sb{options});"
