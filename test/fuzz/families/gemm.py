"""Products of every pair of types that `gemm` takes, in every storage order, with epilogues and split sums."""

import numpy as np

from case import Case, Tensor, kernel_text
from families.gemm_parts import GRID, SIZES, are_sizes_legal, draw_operands, draw_sizes, has_instruction, make_operand
from formats import FORMATS, encode
from space import draw as draw_space

INTEGERS = ["int8", "uint8", "int4", "uint4"]
NARROW = ["int4", "uint4", "int8", "uint8", "fp8_e4m3", "fp8_e5m2", "fp4_e2m1"]
SAME = ["bf16", "f16", "int8", "uint8", "fp8_e4m3", "fp8_e5m2", "int4", "uint4", "fp4_e2m1", "f32", "tf32", "f64"]
PAIRS_SAME = [(t, t) for t in SAME]
PAIRS_MIXED = ([(wide, t) for wide in ("bf16", "f16") for t in NARROW] + [(a, b) for a in INTEGERS for b in INTEGERS if a != b]
               + [(a, b) for a in ("fp8_e4m3", "fp8_e5m2") for b in ("fp8_e4m3", "fp8_e5m2", "int4", "uint4", "fp4_e2m1") if a != b])


def make_space(pairs):
    return {
        "pair": pairs,
        "swap": [False, False, True],
        "accumulator": ["", "", "", "f16"],
        "data": ["small", "small", "probe"],
        "a": ["MK", "MK", "KM"], "b": ["KN", "NK"],
        "pack_a": [1, 0], "pack_b": [1, 0],
        "through": ["shared", "shared", "shared", "fragment-a", "fragment-b", "cast"],
        "end": ["plain", "cast", "bias", "scale", "relu", "transpose", "atomic"],
        "split": [1, 2, 3],
        # Blocks that share the loop, more than it has iterations among them: in clusters of up to 8, else by a workspace.
        "share": [1, 1, 1, 2, 3, 4, 8, 9, 20],
        "prepack": ["", "", "", "B", "B", "A", "AB"],
        # Where products of warpgroups may be fed by TMA.
        "schedule": ["", "", "pingpong", "cooperative"],
        **SIZES,
    }


def accumulator_type(a, b):
    if all("int" in t for t in (a, b)):
        return "int32"
    return "f64" if a == "f64" else "f32"


class Gemm:
    """The family of one list of pairs, with values of its own for some parameters."""

    def __init__(self, name, pairs, **values):
        self.NAME, self.SPACE = name, {**make_space(pairs), **values}

    def draw(self, random):
        return draw_sizes(random, draw_space(random, self.SPACE))

    def build(self, p):
        return build(p)


def build(p):
    a, b = reversed(p["pair"]) if p["swap"] else p["pair"]
    if not are_sizes_legal(p) or p["split"] not in (1, 2, 3):
        return None
    # Elements of a prepacked tensor go to products of instructions by themselves only.
    if p["prepack"] and (p["through"] != "shared" or not has_instruction(p, (a, b))):
        return None
    accumulator = accumulator_type(a, b)
    if p["accumulator"] == "f16":
        # Sums of products of small values stay exact in f16 for short K only.
        if (a, b) != ("f16", "f16") or p["k"] > 64:
            return None
        accumulator = "f16"
    random = np.random.default_rng(p["data_seed"])
    codes_a, codes_b = draw_operands(random, p, a, b)
    if p["data"] == "probe" and accumulator == "f16":
        return None
    left = make_operand("A", a, p["a"], codes_a, p["pack_a"], p, "prepack" if "A" in p["prepack"] else "")
    right = make_operand("B", b, p["b"], codes_b, p["pack_b"], p, "prepack" if "B" in p["prepack"] else "")
    body, result = [], write_end(p, accumulator, random)
    if result is None:
        return None
    body += [left.allocate(), right.allocate(), f"var acc = alloc_fragment({accumulator}[{p['tile_m']}, {p['tile_n']}]);", "clear(acc);"]
    end, extra, out = result
    body += write_loop(p, left, right, a, b) + end
    grid = GRID.format(**p) + (f", part in {p['split']}" if p["end"] == "atomic" else "")
    tensors = [left.tensor, right.tensor] + extra + [out]
    sizes = {"M": p["m"], "N": p["n"], "K": p["k"]}
    text = kernel_text(tensors, body, grid, p["threads"], persistent=p["persistent"])
    may_refuse = []
    may_take_turns = p["threads"] in (128, 256) and p["share"] == 1 and p["through"] == "shared" and a == b
    if p["target"] == "sm_90a" and (may_take_turns if p["schedule"] == "pingpong" else p["schedule"] and p["threads"] % 128 == 0):
        text = text.replace("{\n", f'{{\n    annotate(schedule = "{p["schedule"]}");\n', 1)
        may_refuse = [(rf"decision 'schedule' = {p['schedule']} cannot be honoured: .*", "schedule")]
    return Case(text, tensors, sizes, p["is_static"], target=p["target"], may_refuse=may_refuse)


def write_loop(p, left, right, a, b):
    steps = f"ceildiv(K, {p['tile_k']})"
    bounds = f"{steps}"
    lines = []
    if p["end"] == "atomic":
        lines += [f"let steps = {steps};", f"let each = ceildiv(steps, {p['split']});"]
        bounds = "part * each, min((part + 1) * each, steps)"
    # The emulator runs clusters of whole warpgroups, 3072 threads in all, and one warpgroup more may copy.
    in_cluster = p["target"].startswith("sm_90") and p["share"] <= 8
    fits = not in_cluster or (p["threads"] % 128 == 0 and p["share"] * (p["threads"] + 128) <= 3072)
    is_shared = fits and p["end"] != "atomic" and not p["persistent"]
    share = f", split = {p['share']}" if is_shared and p["share"] > 1 else ""
    lines.append(f"for k in pipelined({bounds}, stages = {p['stages']}{share}) {{")
    inner = [left.copy(), right.copy()]
    x, y = left.tile, right.tile
    if p["through"] == "fragment-a":
        inner += [f"var fa = alloc_fragment({a}[{', '.join(map(str, left.extents))}]);", f"copy({x}, fa);"]
        x = "fa"
    if p["through"] == "fragment-b":
        inner += [f"var fb = alloc_fragment({b}[{', '.join(map(str, right.extents))}]);", f"copy({y}, fb);"]
        y = "fb"
    if p["through"] == "cast" and a in ("bf16", "f16") and b != a:
        y = f"cast<{a}>({y})"
    flags = (", transpose_a = true" if p["a"] == "KM" else "") + (", transpose_b = true" if p["b"] == "NK" else "")
    inner.append(f"gemm({x}, {y}, acc{flags});")
    return lines + ["    " + line for line in inner] + ["}"]


def make_extra(random, name, type_, dim, extent):
    """A small input of the end: small integers."""
    return Tensor(name, type_, [dim], codes=encode(type_, random.integers(0, 3, extent)))


def write_end(p, accumulator, random):
    """The lines after the loop, inputs that they need, and the output; None if the accumulator does not have this end."""
    end = p["end"]
    at, rows, columns = f"by * {p['tile_m']}, bx * {p['tile_n']}", p["tile_m"], p["tile_n"]
    is_float = FORMATS[accumulator].is_float
    if end == "plain":
        return [f"copy(acc, C[{at}]);"], [], Tensor("C", accumulator, ["M", "N"], "out")
    if end == "cast":
        to = {"f32": "bf16", "f64": "f32", "int32": "int8", "f16": "fp8_e4m3"}[accumulator]
        return [f"copy(cast<{to}>(acc), C[{at}]);"], [], Tensor("C", to, ["M", "N"], "out")
    if end == "bias":
        return ([f"copy(acc + bias[bx * {columns} +: {columns}][_, :], C[{at}]);"], [make_extra(random, "bias", accumulator, "N", p["n"])],
                Tensor("C", accumulator, ["M", "N"], "out"))
    if end == "scale":
        return ([f"for i, j in parallel({rows}, {columns}) {{", f"    acc[i, j] = acc[i, j] * scale[by * {rows} + i];", "}",
                 f"copy(acc, C[{at}]);"], [make_extra(random, "scale", accumulator, "M", p["m"])], Tensor("C", accumulator, ["M", "N"], "out"))
    if end == "relu":
        zero = "0.0" if is_float else "0"
        return [f"copy(max(acc, {zero}), C[{at}]);"], [], Tensor("C", accumulator, ["M", "N"], "out")
    if end == "transpose":
        return ([f"copy(transpose(acc), C[bx * {columns}, by * {rows}]);"], [], Tensor("C", accumulator, ["N", "M"], "out"))
    if accumulator not in ("f32", "int32"):
        return None
    out = Tensor("C", accumulator, ["M", "N"], "inout", codes=np.zeros((p["m"], p["n"]), dtype=np.uint32))
    return [f"atomic_add(C[{at}], acc);"], [], out


SAME_FAMILY = Gemm("gemm", PAIRS_SAME)
MIXED_FAMILY = Gemm("mixed", PAIRS_MIXED)
# What warpgroups convert in registers, in shared memory, or both, in tiles that they take.
WARPGROUP_FAMILY = Gemm(
    "warpgroups",
    [(a, b) for a in ("int4", "uint4") for b in ("int4", "uint4")] + [("fp8_e4m3", "int4"), ("int8", "uint4"), ("bf16", "fp8_e4m3"), ("bf16", "int4")],
    tile_m=[64, 64, 128, 8, 24, 192], tile_n=[64, 64, 128], tile_k=[64, 128, 32, 96], threads=[128, 128, 256, 384], a=["MK"],
    b=["NK", "NK", "KN"], through=["shared"], stages=[3, 2, 4, 1], target=["sm_90a"])
