"""Copies between global, shared and register memory of every type, at every offset, unchanged bits."""

import numpy as np

from case import Case, Tensor, kernel_text
from data import draw_any
from formats import FORMATS, NAMES
from space import draw as draw_space
from space import is_spread, near

TYPES = ["bf16", "int4", "uint4", "fp4_e2m1", "int8"] + NAMES
SPACE = {
    "type": TYPES,
    "path": ["shared", "fragment", "shared-fragment", "value", "elements", "staged", "double", "async"],
    "tile_m": [1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 32, 33],
    "tile_n": [1, 2, 3, 4, 5, 8, 8, 15, 16, 16, 17, 31, 32, 32, 33, 64, 65, 72],
    "m": [1, 2, 3], "n": [1, 2, 3],
    "pack_x": [1, 0], "pack_y": [1, 0],
    # Where the first tile of each tensor begins, and the borders of views of them.
    "row_x": [0, 0, 0, 1, 2, 3, -1], "column_x": [0, 0, 1, 2, 3, 4, 8, -1, -2],
    "row_y": [0, 0, 0, 1, 2], "column_y": [0, 0, 1, 2, 3, 4, 8],
    "view_x": [0, 0, 0, 1, 2, 3, 8], "view_y": [0, 0, 0, 1, 2, 3],
    "part": [False, False, True],
    "pad": [False, False, True],
    "stages": [1, 0, 2, 3, 4, 5],
    "threads": [32, 64, 96, 128, 256, 512, 384],
    "is_static": [True, False],
    "target": ["sm_80", "sm_86", "sm_89", "sm_90a"],
    "data_seed": [0],
}


# An expert statement is done as it says or not at all.
ASYNC_REFUSALS = [("an async copy moves 4, 8 or 16 bytes", "async copy of less than 4 bytes"),
                  ("an async copy of 4 bytes needs a (source|destination) at multiples of as much", "async copy from unaligned indices"),
                  ("this async copy needs its source to start at multiples of 4 bytes", "async copy from unaligned view"),
                  ("it does not hold that the (pitch|address|packed dimension) of 'X'", "async copy from unaligned rows")]


def draw(random):
    p = draw_space(random, SPACE)
    p["m"], p["n"] = near(random, p["tile_m"], 2), near(random, p["tile_n"], 3)
    p["data_seed"] = random.randrange(1 << 30)
    return p


def get_pad(p):
    kind = FORMATS[p["type"]].kind
    value = {"bool": "true", "float": "0.5", "int": "-3", "uint": "5"}[kind]
    return f", pad = {value}" if p["pad"] else ""


def build(p):
    if p["threads"] not in SPACE["threads"] or not is_spread((p["tile_m"], p["tile_n"]), p["threads"]):
        return None
    random = np.random.default_rng(p["data_seed"])
    x = Tensor("X", p["type"], ["M", "N"], pack=p["pack_x"], codes=draw_any(random, p["type"], (p["m"], p["n"])))
    y = Tensor("Y", p["type"], ["M", "N"], "inout", pack=p["pack_y"], codes=draw_any(random, p["type"], (p["m"], p["n"])))
    body = declare_views(p) + declare_tiles(p) + write_loop(p)
    text = kernel_text([x, y], body, threads=p["threads"])
    sizes = {"M": p["m"], "N": p["n"]}
    may_refuse = ASYNC_REFUSALS if p["path"] == "async" else []
    return Case(text, [x, y], sizes, p["is_static"], target=p["target"], may_refuse=may_refuse)


def declare_views(p):
    lines = []
    for name, border in (("X", p["view_x"]), ("Y", p["view_y"])):
        if border:
            # A view whose rows begin in the middle of those of the tensor, and end before them.
            lines.append(f"let {name}v = {name}[{border // 2} : M, {border} : N - {border // 2}];")
    return lines


def declare_tiles(p):
    shape = f"{p['type']}[{p['tile_m']}, {p['tile_n']}]"
    lines = []
    if p["path"] in ("shared", "shared-fragment", "elements", "staged", "double", "async"):
        extents = f"{p['type']}[{p['tile_m'] + 1}, {p['tile_n'] + 3}]" if p["part"] else shape
        lines.append(f"let s = alloc_shared({extents});")
        if p["part"]:
            lines.append(f"let t = s[1 +: {p['tile_m']}, 3 +: {p['tile_n']}];")
    if p["path"] in ("fragment", "shared-fragment"):
        lines.append(f"var f = alloc_fragment({shape});")
    if p["path"] == "double":
        lines.append(f"let d = alloc_shared({shape});")
    return lines


def place(p, tensor, row, column):
    """The anchor of tile (i, j), off by some elements."""
    name = f"{tensor}v" if p[f"view_{tensor.lower()}"] else tensor
    rows, columns = f"i * {p['tile_m']}", f"j * {p['tile_n']}"
    rows += f" + {row}" if row > 0 else f" - {-row}" if row else ""
    columns += f" + {column}" if column > 0 else f" - {-column}" if column else ""
    return name, rows, columns


def write_loop(p):
    x, y = place(p, "X", p["row_x"], p["column_x"]), place(p, "Y", p["row_y"], p["column_y"])
    source, target = "{}[{}, {}]".format(*x), "{}[{}, {}]".format(*y)
    region = f"{x[0]}[{x[1]} +: {p['tile_m']}, {x[2]} +: {p['tile_n']}]"
    tile = "t" if p["part"] else "s"
    pad = get_pad(p)
    element_loop = [f"for r, c in parallel({p['tile_m']}, {p['tile_n']}) {{",
                    f"    {y[0]}[{y[1]} + r, {y[2]} + c] = {tile}[r, c];", "}"]
    moves = {
        "shared": [f"copy({source}, {tile}{pad});", f"copy({tile}, {target});"],
        "fragment": [f"copy({source}, f{pad});", f"copy(f, {target});"],
        "shared-fragment": [f"copy({source}, {tile}{pad});", f"copy({tile}, f);", f"copy(f, {target});"],
        "value": [f"copy(load({region}{pad}), {target});"],
        "elements": [f"copy({source}, {tile}{pad});"] + element_loop,
        "staged": [f"copy({source}, {tile}{pad});", f"copy({tile}, {target});"],
        "double": [f"copy({source}, {tile}{pad});", f"copy({tile}, d);", f"copy(d, {target});"],
        "async": [f"async_copy({source}, {tile});", "commit_group();", "wait_group(0);", f"copy({tile}, {target});"],
    }[p["path"]]
    inner = f"pipelined(ceildiv(N, {p['tile_n']}), stages = {p['stages']})" if p["path"] == "staged" else f"range(ceildiv(N, {p['tile_n']}))"
    return [f"for i in range(ceildiv(M, {p['tile_m']})) {{", f"    for j in {inner} {{"] + ["        " + m for m in moves] + ["    }", "}"]
