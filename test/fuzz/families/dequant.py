"""Products with `dequant` of every type, with scales and zero-points of every form and group, and dequantised tiles by themselves."""

import numpy as np

from case import Case, Tensor, kernel_text
from data import draw_any, draw_powers, draw_small
from families.gemm_parts import GRID, SIZES, are_sizes_legal, draw_sizes, has_instruction, make_operand
from formats import FORMATS, encode
from space import draw as draw_space

NARROW = ["int4", "uint4", "int8", "uint8", "fp8_e4m3", "fp8_e5m2", "fp4_e2m1"]
PARTNERS = {"bf16": NARROW, "f16": NARROW, "int8": NARROW[:4], "uint8": NARROW[:4],
            "fp8_e4m3": ["int4", "uint4", "fp8_e4m3", "fp8_e5m2", "fp4_e2m1"],
            "fp8_e5m2": ["int4", "uint4", "fp8_e4m3", "fp8_e5m2", "fp4_e2m1"], "fp4_e2m1": ["fp4_e2m1"]}
SPACE = {
    "a": ["bf16", "bf16", "f16", "f16", "int8", "fp8_e4m3", "fp8_e5m2", "uint8", "fp4_e2m1"],
    "q": ["int4", "uint4", "uint4"] + NARROW,
    "use": ["gemm", "gemm", "gemm", "store"],
    "scale": ["group", "group", "group", "channel", "scalar", ""],
    "zero": ["", "", "group", "group", "channel", "scalar"],
    "scale_type": ["f16", "bf16", "f32", "e8m0", "fp8_e4m3"],
    "zero_type": ["uint4", "int8", "uint8", "int4", "int32", "f16", "bf16", "f32"],
    "group": [16, 32, 64, 128, 8, 256],
    "order": ["NK", "KN"],
    "pack_b": [1, 0],
    "to": ["f32", "bf16", "f16"],
    "swap": [False, False, False, True],
    "prepack": ["", "", "B", "B", "BSZ", "SZ", "A"],
    **SIZES,
}
NAME = {"S": "scale", "Z": "zero"}


def draw(random):
    return draw_sizes(random, draw_space(random, SPACE))


def is_legal(p):
    if not are_sizes_legal(p) or p["q"] not in PARTNERS[p["a"]] or (not p["scale"] and not p["zero"]):
        return False
    if p["group"] < 1 or (p["tile_k"] % p["group"] and p["group"] % p["tile_k"]):
        return False
    # Elements of a prepacked tensor go to products of instructions only; scales of integers multiply their sums, and groups
    # that are shorter than an instruction are expanded.
    if p["use"] == "store" and (p["swap"] or p["prepack"]):
        return False
    if p["prepack"] and not has_instruction(p, (p["a"],), *(("tile_n", "tile_m") if p["swap"] else ("tile_m", "tile_n"))):
        return False
    if p["prepack"] and "int" in p["a"] and (p["group"] < 32 or "S" in p["prepack"]):
        return False
    # Without a scale an integer operand stays one only if its zero-point is an integer.
    if p["use"] == "gemm" and "int" in p["a"] and not p["scale"] and "int" not in p["zero_type"]:
        return False
    # These types' scales do not hold halves of small values of a zero-point.
    return not (p["zero"] and p["q"] in ("fp8_e4m3", "fp8_e5m2") and p["zero_type"] in ("uint8",))


def build(p):
    if not is_legal(p):
        return None
    random = np.random.default_rng(p["data_seed"])
    exact_codes = draw_any if "int" in p["q"] else draw_small
    b = make_operand("B", p["q"], p["order"], exact_codes(random, p["q"], (p["k"], p["n"])), p["pack_b"], p,
                     get_qualifier(p, "B"))
    extras = [x for x in (make_parameter(random, p, "S"), make_parameter(random, p, "Z")) if x]
    if p["use"] == "store":
        return build_store(p, b, extras)
    a = make_operand("A", p["a"], "MK", draw_small(random, p["a"], (p["m"], p["k"]), [0, 1, -1, 2, -2, 3]), 1, p, get_qualifier(p, "A"))
    accumulator = "int32" if "int" in p["a"] and not p["scale"] else "f32"
    rows, columns = ("tile_n", "tile_m") if p["swap"] else ("tile_m", "tile_n")
    out = Tensor("C", accumulator, ["N", "M"] if p["swap"] else ["M", "N"], "out")
    body = [a.allocate(), b.allocate()] + [e.allocate() for e in extras if e.is_tile]
    body += [f"var acc = alloc_fragment({accumulator}[{p[rows]}, {p[columns]}]);", "clear(acc);"]
    inner = [a.copy(), b.copy()] + [e.copy() for e in extras if e.is_tile]
    inner.append(write_product(p, extras))
    body += write_steps(p, inner)
    at = f"bx * {p['tile_n']}, by * {p['tile_m']}" if p["swap"] else f"by * {p['tile_m']}, bx * {p['tile_n']}"
    body.append(f"copy(acc, C[{at}]);")
    return finish(p, [a.tensor, b.tensor], extras, out, body, GRID.format(**p), M=p["m"])


def get_qualifier(p, name):
    return "prepack" if name in p["prepack"] else ""


def build_store(p, b, extras):
    out = Tensor("C", p["to"], list(p["order"]), "out")
    body = [b.allocate()] + [e.allocate() for e in extras if e.is_tile]
    inner = [b.copy()] + [e.copy() for e in extras if e.is_tile]
    dim = f", dim = {p['order'].index('K')}"
    inner.append(f"copy({write_dequant(p, extras, dim + ', to = ' + p['to'])}, C[{b.origin}]);")
    return finish(p, [b.tensor], extras, out, body + write_steps(p, inner), f"bx in ceildiv(N, {p['tile_n']})")


def write_steps(p, inner):
    return [f"for k in pipelined(ceildiv(K, {p['tile_k']}), stages = {p['stages']}) {{"] + ["    " + line for line in inner] + ["}"]


def finish(p, tensors, extras, out, body, grid, **sizes):
    tensors = tensors + [e.tensor for e in extras if e.tensor] + [out]
    parameters = tensors + [e.declaration for e in extras if e.declaration]
    scalars = {e.letter: e.value for e in extras if e.declaration}
    text = kernel_text(parameters, body, grid, p["threads"], persistent=p["persistent"])
    return Case(text, tensors, dict(sizes, N=p["n"], K=p["k"]), p["is_static"], scalars, p["target"])


def write_dequant(p, extras, options=""):
    named = "".join(f", {NAME[e.letter]} = {e.operand}" for e in extras)
    group = f", group = {p['group']}" if any(e.form == "group" for e in extras) else ""
    return f"dequant(Bs{named}{group}{options})"


def write_product(p, extras):
    value = write_dequant(p, extras)
    if not p["swap"]:
        return f"gemm(As, {value}, acc{', transpose_b = true' if p['order'] == 'NK' else ''});"
    # acc [N, M] = op(B) A^T: the contraction is B's second dimension unless it is transposed.
    flags = ", transpose_a = true" if p["order"] == "KN" else ""
    return f"gemm({value}, As, acc{flags}, transpose_b = true);"


class Parameter:
    """The scales or the zero-points: a tensor with a tile per step, one of a value per channel, or a scalar."""

    def __init__(self, letter, form, type_, p):
        self.letter, self.form, self.type, self.p = letter, form, type_, p
        self.tensor = self.declaration = self.value = None
        self.is_tile = form == "group"
        self.operand = {"group": letter + "s", "channel": f"{letter}[bx * {p['tile_n']} +: {p['tile_n']}]", "scalar": letter}[form]

    def allocate(self):
        groups = max(1, -(-self.p["tile_k"] // self.p["group"]))
        extents = (self.p["tile_n"], groups) if self.p["order"] == "NK" else (groups, self.p["tile_n"])
        return f"let {self.letter}s = alloc_shared({self.type}[{extents[0]}, {extents[1]}]);"

    def copy(self):
        places = [f"bx * {self.p['tile_n']}", f"k * {self.p['tile_k']} / {self.p['group']}"]
        if self.p["order"] == "KN":
            places.reverse()
        return f"copy({self.letter}[{', '.join(places)}], {self.letter}s);"


def make_parameter(random, p, letter):
    form, type_ = p[NAME[letter]], p[NAME[letter] + "_type"]
    if not form:
        return None
    result = Parameter(letter, form, type_, p)
    groups = -(-p["k"] // p["group"])
    if form == "scalar":
        if FORMATS[type_].bits < 8:
            return None
        result.declaration, result.value = f"{letter}: {type_}", 2
        return result
    shape = {"group": (p["n"], groups) if p["order"] == "NK" else (groups, p["n"]), "channel": (p["n"],)}[form]
    group_dim = f"ceildiv(K, {p['group']})"
    dims = {"group": ["N", group_dim] if p["order"] == "NK" else [group_dim, "N"], "channel": ["N"]}[form]
    if letter == "S":
        codes = draw_powers(random, type_, shape, -1, 1)
    else:
        low, high = (0, 8) if type_.startswith("u") or p["q"].startswith("u") else (-4, 8)
        codes = encode(type_, random.integers(low, high, shape))
    result.tensor = Tensor(letter, type_, dims, codes=codes, qualifiers=get_qualifier(p, letter) if form == "group" else "")
    return result
