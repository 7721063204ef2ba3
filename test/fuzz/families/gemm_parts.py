"""What the families of matrix products share: operands, their data, tiles and copies, the loop over K, the end."""

from dataclasses import dataclass

import numpy as np

from case import Tensor
from data import draw_any, draw_finite, draw_small
from formats import FORMATS, decode, encode
from space import PERSISTENT, is_spread, near

SIZES = {
    "tile_m": [16, 32, 64, 16, 32, 64, 8, 48, 24, 40, 17, 128],
    "tile_n": [8, 16, 32, 64, 32, 64, 24, 48, 96, 40, 33, 128],
    "tile_k": [16, 32, 64, 32, 64, 128, 48, 96, 24, 8, 40, 33],
    "m": [1, 2, 3], "n": [1, 2, 3], "k": [0, 1, 2, 3],
    "stages": [1, 0, 2, 3, 4, 5],
    "threads": [32, 64, 128, 256, 96, 512, 384],
    "persistent": PERSISTENT,
    "is_static": [True, True, False],
    "target": ["sm_80", "sm_86", "sm_89", "sm_90a"],
    "data_seed": [0],
    # Bytes by which the first operand lies behind an aligned address, and which operands have strides at run time.
    "offset": [0, 0, 0, 8, 16],
    "strided": ["", "", "", "A", "B", "AB"],
}
# Products of larger tiles than this take the emulator too long.
MOST_WORK = 64 * 64 * 256


def draw_sizes(random, p):
    p["m"], p["n"], p["k"] = near(random, p["tile_m"], 2), near(random, p["tile_n"], 2), near(random, p["tile_k"], 4)
    p["data_seed"] = random.randrange(1 << 30)
    return p


def are_sizes_legal(p):
    if min(p["tile_m"], p["tile_n"], p["tile_k"]) < 1 or p["threads"] not in SIZES["threads"]:
        return False
    tiles = [("tile_m", "tile_n"), ("tile_m", "tile_k"), ("tile_k", "tile_n")]
    if not all(is_spread((p[x], p[y]), p["threads"]) for x, y in tiles):
        return False
    return p["m"] * p["n"] * p["k"] <= MOST_WORK and p["tile_m"] * p["tile_n"] * p["tile_k"] <= MOST_WORK


def has_instruction(p, types, rows="tile_m", columns="tile_n"):
    """Whether a product of these types is one of matrix instructions: others read their operands element by element, which
    prepacked ones are not there for."""
    if any(t in ("f32", "f64") for t in types):
        return False
    return p[rows] % 16 == 0 and p[columns] % 8 == 0 and p["tile_k"] % (8 if "tf32" in types else 16) == 0


def draw_operands(random, p, a, b):
    """The codes of A [M, K] and B [K, N]. *small*: all sums are exact. *probe*: each row of A has one power of two, so that any
    element of B, and nothing else, reaches each output. *any* is for tolerance."""
    shapes = (p["m"], p["k"]), (p["k"], p["n"])
    if p["data"] == "small":
        return draw_small(random, a, shapes[0]), draw_small(random, b, shapes[1])
    if p["data"] == "probe":
        codes = np.full(shapes[0], encode(a, [0.0])[0])
        if p["k"]:
            rows = np.arange(p["m"])
            powers = [v for v in (1.0, 2.0, 4.0) if decode(a, encode(a, [v]))[0] == v]
            codes[rows, random.integers(0, p["k"], p["m"])] = encode(a, random.choice(powers, p["m"]))
        return codes, draw_finite(random, b, shapes[1])
    return draw_any(random, a, shapes[0]), draw_any(random, b, shapes[1])


@dataclass
class Operand:
    """One side of a product: the tensor, its tile and how the tile is filled. `dims` is MK, KM, KN or NK."""
    tensor: Tensor
    dims: str
    p: dict

    @property
    def name(self):
        return self.tensor.name

    @property
    def tile(self):
        return self.name + "s"

    @property
    def extents(self):
        return [self.p["tile_" + d.lower()] for d in self.dims]

    @property
    def origin(self):
        places = {"M": f"by * {self.p['tile_m']}", "N": f"bx * {self.p['tile_n']}", "K": f"k * {self.p['tile_k']}"}
        return ", ".join(places[d] for d in self.dims)

    def allocate(self):
        return f"let {self.tile} = alloc_shared({self.tensor.type}[{', '.join(map(str, self.extents))}]);"

    def copy(self):
        return f"copy({self.name}[{self.origin}], {self.tile});"


def make_operand(name, type_, dims, codes, pack, p, qualifiers=""):
    """`codes` are [M, K] or [K, N]."""
    if dims in ("KM", "NK"):
        codes = codes.T
    pack = pack if FORMATS[type_].is_packed else None
    tensor = Tensor(name, type_, list(dims), pack=pack, codes=np.ascontiguousarray(codes), qualifiers=qualifiers)
    if not qualifiers and name in p["strided"]:
        tensor.qualifiers = "strided"
    if not qualifiers and name == "A":
        tensor.offset = p["offset"]
    return Operand(tensor, dims, p)


GRID = "bx in ceildiv(N, {tile_n}), by in ceildiv(M, {tile_m})"
