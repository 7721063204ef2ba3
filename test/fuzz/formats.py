"""The number types of the language: their codes, values and storage.

A tensor is drawn as an array of *codes*, unsigned integers that hold the bits of one element each, in its logical shape. `store`
makes of it the array that a .npy file holds, by the conventions of test/golden/README.md.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

# The spare nibble of an odd packed line. It must not count; a value that is not 0 shows it if it does.
SPARE_NIBBLE = 0xB


@dataclass(frozen=True)
class Format:
    name: str
    bits: int
    kind: str  # "bool", "int", "uint" or "float"
    exponent_bits: int = 0
    nans: str = ""  # "ieee": all-ones exponent is inf or NaN; "fn": all-ones magnitude is NaN; "none"

    @property
    def is_float(self):
        return self.kind == "float"

    @property
    def is_packed(self):
        return self.bits == 4

    @property
    def code_type(self):
        return np.dtype("u%d" % max(1, self.bits // 8))


FORMATS = {f.name: f for f in [
    Format("f32", 32, "float", 8, "ieee"), Format("int32", 32, "int"), Format("int8", 8, "int"), Format("uint8", 8, "uint"),
    Format("int4", 4, "int"), Format("uint4", 4, "uint"), Format("bf16", 16, "float", 8, "ieee"),
    Format("f16", 16, "float", 5, "ieee"), Format("fp8_e4m3", 8, "float", 4, "fn"), Format("fp8_e5m2", 8, "float", 5, "ieee"),
    Format("fp4_e2m1", 4, "float", 2, "none"), Format("e8m0", 8, "float", 8, "e8m0"), Format("tf32", 32, "float", 8, "ieee"),
    Format("int16", 16, "int"), Format("uint16", 16, "uint"), Format("uint32", 32, "uint"), Format("int64", 64, "int"),
    Format("uint64", 64, "uint"), Format("f64", 64, "float", 11, "ieee"), Format("bool", 8, "bool")]}
NAMES = list(FORMATS)


def decode(name, codes):
    """The values of codes, as float64; of 64-bit integers as int64 or uint64, which hold them."""
    fmt = FORMATS[name]
    codes = np.asarray(codes, dtype=fmt.code_type)
    if fmt.kind in ("bool", "uint"):
        return codes.astype(np.uint64 if fmt.bits == 64 else np.float64)
    if fmt.kind == "int":
        if fmt.bits == 64:
            return codes.view(np.int64)
        values = codes.astype(np.float64)
        return np.where(values >= 2.0 ** (fmt.bits - 1), values - 2.0 ** fmt.bits, values)
    if fmt.bits <= 16:
        return _table(name)[codes]
    if name == "tf32":
        codes = codes & np.uint32(0xFFFFE000)
    with np.errstate(invalid="ignore"):
        return codes.view("f%d" % (fmt.bits // 8)).astype(np.float64)


@lru_cache(maxsize=None)
def _table(name):
    """The value of every code of a float type of up to 16 bits."""
    fmt = FORMATS[name]
    codes = np.arange(1 << fmt.bits)
    if name == "e8m0":
        return np.where(codes == 255, np.nan, 2.0 ** (codes - 127.0))
    fraction_bits = fmt.bits - 1 - fmt.exponent_bits
    bias = (1 << (fmt.exponent_bits - 1)) - 1
    magnitudes = codes & ((1 << (fmt.bits - 1)) - 1)
    fields, fractions = magnitudes >> fraction_bits, magnitudes & ((1 << fraction_bits) - 1)
    significands = np.where(fields > 0, fractions + (1 << fraction_bits), fractions)
    values = significands * 2.0 ** (np.maximum(fields, 1) - bias - fraction_bits)
    if fmt.nans == "fn":
        values[magnitudes == magnitudes.max()] = np.nan
    if fmt.nans == "ieee":
        top = fields == fields.max()
        values[top] = np.where(fractions[top] == 0, np.inf, np.nan)
    return np.where(codes >> (fmt.bits - 1), -values, values)


def encode(name, values):
    """The codes of values that the type holds."""
    fmt = FORMATS[name]
    values = np.asarray(values, dtype=np.float64)
    if not fmt.is_float:
        return (values.astype(np.int64) & ((1 << min(fmt.bits, 63)) - 1) if fmt.bits < 64
                else values.astype(np.int64)).astype(fmt.code_type)
    if fmt.bits > 16 or name == "f16":
        kind = "f%d" % (fmt.bits // 8)
        return values.astype(kind).view(fmt.code_type)
    order, table = _sorted_table(name)
    found = np.searchsorted(table, values)
    return order[np.minimum(found, len(order) - 1)].astype(fmt.code_type)


@lru_cache(maxsize=None)
def _sorted_table(name):
    table = _table(name)
    finite = np.flatnonzero(np.isfinite(table))
    # Of the two zeros the positive one.
    finite = finite[~((table[finite] == 0) & (finite > 0))]
    order = finite[np.argsort(table[finite], kind="stable")]
    return order, table[order]


@lru_cache(maxsize=None)
def holds(name, value):
    return bool(decode(name, encode(name, [value]))[0] == value)


def store(name, codes, pack=None):
    """The array of a .npy file. `pack` is the packed dimension, by default the last."""
    fmt = FORMATS[name]
    if name == "bool":
        return codes.astype(np.bool_)
    if fmt.is_packed:
        return _pack(codes, codes.ndim - 1 if pack is None else pack)
    if name in ("f16", "f32", "f64", "tf32"):
        return codes.astype(fmt.code_type).view("f%d" % (fmt.bits // 8))
    if fmt.kind == "int":
        return codes.astype(fmt.code_type).view("i%d" % (fmt.bits // 8))
    return codes.astype(fmt.code_type)


def _pack(codes, dim):
    lines = np.moveaxis(np.asarray(codes, dtype=np.uint8), dim, 0)
    if len(lines) % 2:
        lines = np.concatenate([lines, np.full_like(lines[:1], SPARE_NIBBLE)])
    return np.ascontiguousarray(np.moveaxis(lines[0::2] | lines[1::2] << 4, 0, dim))
