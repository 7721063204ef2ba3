"""Drawing the elements of tensors: any bits, any finite value, or values whose sums and products are exact."""

import numpy as np

from formats import FORMATS, decode, encode, holds

# Small values of both signs; a type takes those that it holds.
SMALL = [0, 1, -1, 2, -2, 3, -3, 4, -4, 0.5, -0.5, 1.5]


def draw_any(random, name, shape):
    """Any bits; types of 16 bits and more also have runs of values that are hard to round."""
    fmt = FORMATS[name]
    if name == "bool":
        return random.integers(0, 2, shape).astype(np.uint8)
    count = int(np.prod(shape))
    codes = random.integers(0, 1 << min(fmt.bits, 63), count, dtype=np.uint64)
    if fmt.bits == 64:
        codes ^= random.integers(0, 2, count, dtype=np.uint64) << np.uint64(63)
    if fmt.bits >= 16 and count:
        special = _hard_codes(random, fmt, count)
        codes = np.where(random.random(count) < 0.5, special, codes)
    return codes.astype(fmt.code_type).reshape(shape)


def _hard_codes(random, fmt, count):
    """Integers near 0 and the ends of narrower types; floats of the ranges of 4- and 8-bit types, inf, NaN, ties."""
    if not fmt.is_float:
        ends = np.array([0, 7, 8, 15, 127, 128, 255, 256, 257, 259, 32767, 32768, 65535, 65536, 2**24 + 1, 2**31 - 1, 2**31],
                        dtype=np.int64)
        values = random.choice(ends, count) + random.integers(-1, 2, count)
        return (np.where(random.random(count) < 0.5, -values, values).astype(np.uint64)
                & np.uint64((1 << fmt.bits) - 1))
    magnitudes = 2.0 ** random.integers(-18, 18, count) * (1 + random.integers(0, 64, count) / 64)
    chosen = random.integers(0, 12, count)
    magnitudes = np.select([chosen == 0, chosen == 1, chosen == 2, chosen == 3, chosen == 4],
                           [0.0, np.inf, np.nan, 448.0 + random.integers(-8, 24, count), 57344.0 + 512 * random.integers(-4, 12, count)],
                           magnitudes)
    values = np.where(random.random(count) < 0.5, -magnitudes, magnitudes)
    # Only the upper bits: the other types of these families are cut, not rounded, to their code.
    if fmt.name == "bf16":
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint64)
    with np.errstate(over="ignore", invalid="ignore"):
        native = values.astype("f%d" % (fmt.bits // 8))
    jitter = random.integers(-1, 2, count)
    codes = native.view(fmt.code_type).astype(np.int64)
    return np.where(np.isfinite(native), codes + jitter, codes).astype(np.uint64) & np.uint64((1 << min(fmt.bits, 63)) - 1 if fmt.bits < 64 else 2**64 - 1)


def draw_finite(random, name, shape):
    """Any code that is a number."""
    codes = draw_any(random, name, shape)
    if FORMATS[name].is_float:
        bad = ~np.isfinite(decode(name, codes))
        codes = np.where(bad, encode(name, [1.0])[0], codes)
    return codes


def draw_small(random, name, shape, values=None):
    """Values of which any sum of a few thousand products is exact in f32."""
    if not FORMATS[name].is_float and values is None:
        return draw_any(random, name, shape)  # Integer sums wrap, so they are always exact.
    held = [v for v in values or SMALL if holds(name, float(v))]
    return encode(name, random.choice(np.array(held, dtype=np.float64), shape))


def draw_powers(random, name, shape, low=-2, high=2):
    """Powers of two."""
    held = [v for v in 2.0 ** np.arange(low, high + 1.0) if holds(name, float(v))]
    return encode(name, random.choice(held, shape))
