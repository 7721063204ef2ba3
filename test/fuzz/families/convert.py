"""Conversions between all pairs of types, and elementwise arithmetic, comparison and bits on all types."""

import numpy as np

from case import Case, Tensor, kernel_text
from data import draw_any
from formats import FORMATS, NAMES
from space import draw as draw_space
from space import is_spread

TYPES = NAMES
UNARY = ["-{}", "abs({})", "~{}", "!{}", "floor({})", "ceil({})", "trunc({})", "round({})", "sqrt({})", "isnan({})", "isinf({})"]
BINARY = ["{} + {}", "{} - {}", "{} * {}", "min({}, {})", "max({}, {})", "{} & {}", "{} | {}", "{} ^ {}", "{} << {}", "{} >> {}",
          "{} == {}", "{} < {}", "{} >= {}", "{} != {}", "{} / {}", "{} % {}", "select({0} < {1}, {1}, {0})"]
SPACE = {
    "operation": ["cast"] * 12 + UNARY + BINARY,
    "type": TYPES,
    "to": TYPES,
    "option": ["", "", "sat", "nosat", "up"],
    "form": ["tile", "elements", "shared", "scalar"],
    "rows": [1, 2, 3, 4, 7, 8, 16],
    "columns": [1, 2, 3, 4, 5, 8, 15, 16, 31, 32, 33, 64],
    "threads": [32, 64, 96, 128, 256, 384],
    "target": ["sm_80", "sm_86", "sm_89", "sm_90a"],
    "data_seed": [0],
}


def draw(random):
    p = draw_space(random, SPACE)
    p["data_seed"] = random.randrange(1 << 30)
    return p


def has_option(p):
    """The table of language.md section 10."""
    source, to = FORMATS[p["type"]], FORMATS[p["to"]]
    if p["option"] == "":
        return True
    if source.kind == "bool" or to.kind == "bool":
        return False
    if not to.is_float:
        return p["option"] == "sat" and not source.is_float
    if not source.is_float:
        return False
    narrow = p["to"].startswith("fp")
    return {"sat": not narrow and p["to"] != "e8m0", "nosat": p["to"] in ("fp8_e4m3", "fp8_e5m2"),
            "up": p["to"] == "e8m0"}[p["option"]]


def promote(name):
    """The type that arithmetic is done in."""
    if name in ("int4", "uint4"):
        return "int32"
    return "f32" if name.startswith("fp") or name in ("e8m0", "tf32") else name


def result_type(p):
    """The type of the operation's result, or None if the type does not have it."""
    operation, fmt, computed = p["operation"], FORMATS[p["type"]], promote(p["type"])
    if operation == "cast":
        return p["to"] if has_option(p) else None
    if operation == "!{}":
        return "bool" if fmt.kind == "bool" else None
    if operation in ("{} == {}", "{} != {}"):
        return "bool"
    if operation in ("{} & {}", "{} | {}", "{} ^ {}"):
        return None if fmt.is_float else computed
    if fmt.kind == "bool":
        return None
    if operation in ("{} < {}", "{} >= {}"):
        return "bool"
    if operation in ("isnan({})", "isinf({})"):
        return "bool" if fmt.is_float else None
    if operation in ("floor({})", "ceil({})", "trunc({})", "round({})", "sqrt({})"):
        return computed if fmt.is_float else None
    if operation in ("~{}", "{} << {}", "{} >> {}", "{} % {}"):
        return None if fmt.is_float else computed
    return computed


def expression(p, x, z):
    """The operation on two operands, as text."""
    if p["operation"] == "cast":
        option = f", {p['option']}" if p["option"] else ""
        return f"cast<{p['to']}{option}>({x})"
    return p["operation"].format(x, z)


def build(p):
    to = result_type(p)
    if to is None or p["threads"] not in SPACE["threads"] or not is_spread((p["rows"], p["columns"]), p["threads"]):
        return None
    shape = (p["rows"], p["columns"])
    random = np.random.default_rng(p["data_seed"])
    x = Tensor("X", p["type"], [str(s) for s in shape], codes=draw_any(random, p["type"], shape))
    z = Tensor("Z", p["type"], [str(s) for s in shape], codes=draw_any(random, p["type"], shape))
    if p["operation"] in ("{} / {}", "{} % {}") and not FORMATS[p["type"]].is_float:
        z.codes = np.where(z.codes == 0, 1, z.codes).astype(z.codes.dtype)  # Division by zero gives any value.
    y = Tensor("Y", to, [str(s) for s in shape], "out")
    binary = p["operation"] != "cast" and p["operation"] not in UNARY
    tensors = [x, z, y] if binary else [x, y]
    return Case(kernel_text(tensors, write_body(p, binary, to), threads=p["threads"]), tensors, target=p["target"])


def write_body(p, binary, to):
    rows, columns = p["rows"], p["columns"]
    region = f"[0 +: {rows}, 0 +: {columns}]"
    if p["form"] == "tile":
        return [f"let x = X{region};"] + ([f"let z = Z{region};"] if binary else []) + [f"copy({expression(p, 'x', 'z')}, Y[0, 0]);"]
    if p["form"] == "elements":
        return [f"for i, j in parallel({rows}, {columns}) {{", f"    Y[i, j] = {expression(p, 'X[i, j]', 'Z[i, j]')};", "}"]
    if p["form"] == "shared":
        shape = f"{p['type']}[{rows}, {columns}]"
        lines = [f"let xs = alloc_shared({shape});", "copy(X[0, 0], xs);"]
        if binary:
            lines += [f"let zs = alloc_shared({shape});", "copy(Z[0, 0], zs);"]
        return lines + [f"var y = alloc_fragment({to}[{rows}, {columns}]);", f"for i, j in parallel({rows}, {columns}) {{",
                        f"    y[i, j] = {expression(p, 'xs[i, j]', 'zs[i, j]')};", "}", "copy(y, Y[0, 0]);"]
    return [f"for i in range({rows}) {{", f"    for j in range({columns}) {{",
            f"        Y[i, j] = {expression(p, 'X[i, j]', 'Z[i, j]')};", "    }", "}"]
