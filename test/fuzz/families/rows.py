"""Reductions and scans of every type along every dimension, and what softmax and normalisation make of them."""

import numpy as np

from case import Case, Tensor, kernel_text
from data import draw_any, draw_finite, draw_small
from formats import FORMATS, NAMES
from space import draw as draw_space
from space import PERSISTENT, is_spread

REDUCTIONS = ["reduce_sum", "reduce_max", "reduce_min", "reduce_absmax"]
SPACE = {
    "operation": REDUCTIONS * 2 + ["cumsum", "center", "softmax", "count"],
    "type": ["f32", "bf16", "f16", "int32", "int8", "uint8"] + [t for t in NAMES if t != "bool"],
    "dim": [1, 1, 0, -1],
    "reverse": [False, False, True],
    "from": ["fragment", "shared", "region", "expression"],
    "tile_m": [1, 2, 3, 4, 7, 8, 15, 16, 17, 32, 33, 64],
    "tile_n": [1, 2, 3, 5, 8, 16, 17, 31, 32, 33, 64, 65, 100, 128],
    "m": [1, 0, 2, 3], "n": [1, 0, 2, 3],
    "threads": [32, 64, 96, 128, 256, 512, 384],
    "persistent": PERSISTENT,
    "is_static": [True, False],
    "target": ["sm_80", "sm_86", "sm_89", "sm_90a"],
    "data_seed": [0],
}


def draw(random):
    p = draw_space(random, SPACE)
    p["m"] = max(0, random.choice([1, 2, 3]) * p["tile_m"] + random.choice([-1, 0, 1]))
    p["n"] = max(0, p["tile_n"] + random.choice([-1, 0, 0, 1]))
    p["data_seed"] = random.randrange(1 << 30)
    return p


def widen(name, operation):
    """The type of the result."""
    fmt = FORMATS[name]
    if operation in ("reduce_sum", "cumsum"):
        if fmt.bits >= 32:
            return "f32" if name == "tf32" else name
        return "f32" if fmt.is_float else {"int": "int32", "uint": "uint32"}[fmt.kind]
    if operation == "reduce_absmax" and not fmt.is_float:
        return "int32" if fmt.bits < 32 else name
    return name


def build(p):
    if p["threads"] not in SPACE["threads"] or not is_spread((p["tile_m"], p["tile_n"]), p["threads"]):
        return None
    if p["operation"] in ("center", "softmax", "count") and p["type"] not in ("f32", "bf16", "f16"):
        return None
    if p["dim"] == -1 and p["operation"] not in REDUCTIONS or p["dim"] == 0 and p["operation"] == "count":
        return None
    if p["from"] == "expression" and FORMATS[p["type"]].kind == "uint":
        return None
    random = np.random.default_rng(p["data_seed"])
    sums = p["operation"] in ("reduce_sum", "cumsum", "center", "softmax", "count")
    draw_codes = draw_small if sums else draw_any
    codes = draw_codes(random, p["type"], (p["m"], p["n"]))
    if sums and FORMATS[p["type"]].is_float:
        codes = draw_small(random, p["type"], (p["m"], p["n"]), [0, 1, -1, 2, -2, 0.5])
    x = Tensor("X", p["type"], ["M", "N"], codes=codes)
    body, result, rank = write_body(p)
    dims = {2: ["M", "N"], 1: ["M"] if p["dim"] == 1 else ["GM", "N"], 0: ["GM"]}[rank]
    out = Tensor("Y", result, dims, "out")
    sizes = {"M": p["m"], "N": p["n"]}
    if "GM" in dims:
        sizes["GM"] = -(-p["m"] // p["tile_m"])
    text = kernel_text([x, out], body, f"bx in ceildiv(M, {p['tile_m']})", p["threads"], persistent=p["persistent"])
    tolerance = "1e-2" if p["operation"] == "softmax" else "0"
    return Case(text, [x, out], sizes, p["is_static"], target=p["target"], tolerance=tolerance)


def write_body(p):
    """The lines, the type of the result and its rank."""
    shape = f"{p['type']}[{p['tile_m']}, {p['tile_n']}]"
    load = {"fragment": [f"var x = alloc_fragment({shape});", f"copy(X[bx * {p['tile_m']}, 0], x);"],
            "shared": [f"let x = alloc_shared({shape});", f"copy(X[bx * {p['tile_m']}, 0], x);"],
            "region": [f"let x = X[bx * {p['tile_m']} +: {p['tile_m']}, 0 +: {p['tile_n']}];"],
            "expression": [f"let y = X[bx * {p['tile_m']} +: {p['tile_m']}, 0 +: {p['tile_n']}];", "let x = -y;"]}[p["from"]]
    type_ = p["type"]
    if p["from"] == "expression" and FORMATS[type_].bits < 16:
        type_ = "f32" if FORMATS[type_].is_float else "int8" if type_ == "int8" else "int32"
    if p["from"] == "expression" and p["type"] in ("tf32", "e8m0"):
        type_ = "f32"
    rows = f"bx * {p['tile_m']}"
    operation = p["operation"]
    if operation in REDUCTIONS:
        dim = f", dim = {p['dim']}" if p["dim"] >= 0 else ""
        result = widen(type_, operation)
        store = {1: f"copy(r, Y[{rows}]);", 0: "copy(r, Y[bx, 0]);", -1: "Y[bx] = r;"}[p["dim"]]
        return load + [f"let r = {operation}(x{dim});", store], result, 0 if p["dim"] < 0 else 1
    if operation == "cumsum":
        reverse = ", reverse = true" if p["reverse"] else ""
        return load + [f"copy(cumsum(x, dim = {p['dim']}{reverse}), Y[{rows}, 0]);"], widen(type_, operation), 2
    if operation == "center":
        return load + ["let m = reduce_max(x, dim = 1);", f"copy(x - m[:, _], Y[{rows}, 0]);"], type_, 2
    if operation == "count":
        return load + ["let c = reduce_sum(select(x > 0.0, 1.0, 0.0), dim = 1);", f"copy(c, Y[{rows}]);"], "f32", 1
    return load + ["let m = reduce_max(x, dim = 1);", "let e = exp(cast<f32>(x) - cast<f32>(m)[:, _]);",
                   "let l = reduce_sum(e, dim = 1);", f"copy(e / l[:, _], Y[{rows}, 0]);"], "f32", 2
