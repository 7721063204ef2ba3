"""The products C = A @ B that the GPU tests run: their data, and which kernels and launches meet which sizes.

Two families: gemm_bf16 and matmul_bf16_int4. *Exact* data are small integers, so that every partial sum is exact and the result
is compared bit for bit; *normal* data are N(0, 1), compared closely.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Tuple

import numpy as np

# Of each family, the kernel for dense arrays and the one for arrays with pitches.
SOURCES = {"bf16": "docs/examples/gemm_bf16.tile", "int4": "docs/examples/matmul_bf16_int4.tile"}
STRIDED_SOURCES = {"bf16": "test/gpu/Inputs/strided_bf16.tile", "int4": "test/gpu/Inputs/strided_int4.tile"}
# A spare nibble of an odd row must not count; a value that is not 0 shows it if it does.
SPARE_NIBBLE = 0xB

Size = Tuple[int, int, int]  # M, N, K


def to_bf16(values: np.ndarray) -> np.ndarray:
    """The bits of finite float32 values, rounded to nearest even."""
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bf16(bits: np.ndarray) -> np.ndarray:
    return (bits.astype(np.uint32) << 16).view(np.float32)


def pack_int4(values: np.ndarray) -> np.ndarray:
    """Packs along the first dimension, the lower index in the low nibble."""
    nibbles = values.astype(np.uint8) & 15
    if len(nibbles) % 2:
        nibbles = np.vstack([nibbles, np.full_like(nibbles[:1], SPARE_NIBBLE)])
    return nibbles[0::2] | nibbles[1::2] << 4


@dataclass(frozen=True)
class Product:
    """The data of one product."""
    family: str
    kind: str  # "exact" or "normal"
    size: Size

    @property
    def name(self) -> str:
        return "%s-%s-%dx%dx%d" % (self.family, self.kind, *self.size)

    def make(self) -> Dict[str, np.ndarray]:
        """The values of A and B as float32, and both as they are stored."""
        m, n, k = self.size
        random = np.random.default_rng([m, n, k, self.kind == "exact"])
        if self.kind == "exact":
            a = random.integers(-4, 5, (m, k)).astype(np.float32)
        else:
            a = from_bf16(to_bf16(random.standard_normal((m, k))))
        if self.family == "int4" or self.kind == "exact":
            b = random.integers(-8, 8, (k, n)).astype(np.float32)
        else:
            b = from_bf16(to_bf16(random.standard_normal((k, n))))
        stored_b = pack_int4(b.astype(np.int8)) if self.family == "int4" else to_bf16(b)
        return {"a": a, "b": b, "A": to_bf16(a), "B": stored_b}

    def tolerance(self, values: Dict[str, np.ndarray]) -> List[str]:
        """Close data: an ulp of bf16, and what sums in float32 may lose, as test/golden/README.md has it."""
        if self.kind == "exact":
            return []
        squares = (values["a"].astype(np.float64) ** 2) @ (values["b"].astype(np.float64) ** 2)
        noise = 2.0 ** -14 * np.sqrt(squares.max())
        return ["--tol=%r,%r" % (2.0 ** -7, float(2.0 ** np.ceil(np.log2(noise))))]


@dataclass(frozen=True)
class Build:
    """A kernel compiled in one way, and the products that it computes."""
    family: str
    settings: Tuple[str, ...] = ()
    products: Tuple[Product, ...] = ()
    is_strided: bool = False

    @property
    def source(self) -> str:
        return (STRIDED_SOURCES if self.is_strided else SOURCES)[self.family]

    @property
    def name(self) -> str:
        return "-".join([Path(self.source).stem] + [setting.replace("=", "") for setting in self.settings])


# One; a tile more or less one; primes; less than a tile; nothing along K, M or N; aligned; several tiles each way.
SIZES: List[Size] = [
    (1, 1, 2), (1, 257, 64), (127, 129, 66), (128, 128, 64), (129, 127, 62), (131, 137, 22), (64, 64, 0), (0, 64, 64),
    (64, 0, 64), (97, 89, 254), (128, 256, 640), (3, 8, 16), (257, 513, 130), (255, 255, 30), (16, 4104, 72)]
# For int4 these are odd along the packed dimension.
ODD_SIZES: List[Size] = [(1, 1, 1), (67, 71, 73), (128, 256, 63), (128, 256, 65), (37, 53, 33)]
NORMAL_SIZES: List[Size] = [(200, 264, 200), (70, 45, 202)]
CONFIG_SIZES: List[Size] = [(256, 512, 256), (129, 257, 190), (131, 136, 22)]
FIXED_SIZES: List[Size] = [(128, 256, 128), (129, 257, 190), (1, 64, 256), (131, 137, 22), (64, 64, 0)]
# Large enough for several waves of blocks.
LARGE_SIZE: Size = (1100, 1304, 520)
# An odd number of tiles for some blocks, whose warpgroups take turns with tiles of 128x192.
TURNS_SIZE: Size = (2200, 3304, 136)
REPEATED_SIZES: List[Size] = [(256, 512, 256), (257, 513, 130)]
# Rows and addresses are multiples of 16 bytes until an offset says otherwise.
ALIGNED_SIZE: Size = (128, 256, 128)

CONFIGS = {
    "bf16": [("BN=128",), ("BN=192",), ("BM=64", "BN=128"), ("BM=256", "BN=128"), ("BK=32",), ("BN=128", "STAGES=2"),
             ("BN=128", "STAGES=1"), ("BM=32", "BN=64", "BK=32")],
    "int4": [("BN=256",), ("BM=64",), ("BM=256",), ("BK=128",), ("BK=32",), ("STAGES=2",), ("STAGES=1",),
             ("BM=32", "BN=64", "BK=32")],
}

STRIDED_SIZES: List[Size] = [ALIGNED_SIZE, (129, 257, 190)]
# Elements of the stored array that follow each row of A, B and C.
PADDINGS = [(16, 16, 16), (8, 32, 1), (3, 5, 7)]

# Bytes by which arguments are moved off their alignment.
OFFSETS = {
    "bf16": [{"A": 2}, {"A": 8}, {"B": 2}, {"B": 8}, {"C": 2}, {"C": 8}, {"A": 2, "B": 4, "C": 6}, {"A": 16, "B": 32, "C": 48}],
    "int4": [{"A": 2}, {"A": 8}, {"B": 1}, {"B": 2}, {"B": 8}, {"C": 2}, {"C": 8}, {"A": 2, "B": 1, "C": 6},
             {"A": 16, "B": 32, "C": 48}],
}


def list_builds() -> List[Build]:
    builds = []
    for family in SOURCES:
        def exact(sizes):
            return tuple(Product(family, "exact", size) for size in sizes)

        normal = tuple(Product(family, "normal", size) for size in NORMAL_SIZES)
        builds.append(Build(family, (), exact(SIZES + ODD_SIZES + [LARGE_SIZE]) + normal))
        for settings in CONFIGS[family]:
            sizes = CONFIG_SIZES + ([TURNS_SIZE] if settings == ("BN=192",) else [])
            builds.append(Build(family, settings, exact(sizes) + normal[:1]))
        for size in FIXED_SIZES:
            settings = tuple("%s=%d" % pair for pair in zip("MNK", size))
            builds.append(Build(family, settings, exact([size])))
        builds.append(Build(family, (), exact(STRIDED_SIZES), is_strided=True))
    return builds
