"""The codes of every type that tests try, and how a kernel writes the bits of a value."""

import random
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[3]
TABLES = ROOT / "test" / "golden" / "tables"
sys.path.insert(0, str(ROOT / "test" / "golden"))
import exact_casts as exact  # noqa: E402
import number_formats as nf  # noqa: E402

# NaNs of these types keep their payload or not, as the hardware has it.
WIDE_NANS = {"f16": 0x7FFF, "bf16": 0x7FFF, "f32": 0x7FFFFFFF, "tf32": 0x7FFFE000, "f64": 0x7FFFFFFFFFFFFFFF}


def list_f32_codes():
    codes = {code for _, _, rows in exact.read_casts(TABLES) for code, _ in rows}
    values = [2.0 ** e for e in (-127, -126, -149, 31, 32, 63, 64)] + [3e-39, 2.0 ** 31 - 128, 2.0 ** 63 - 2.0 ** 39, 255.5, 256.0]
    values += [n + fraction for n in (0, 7, 8, 15, 16, 127, 128, 255, 32767, 65535) for fraction in (0.5, 0.99, 1.0)]
    for value in np.array(values, np.float32).view(np.uint32):
        codes.update(int(value) + step for step in (-1, 0, 1))
    # Halfway between, and next to, all numbers of the two fp8 types are in the tables only in part.
    for fmt in (nf.E4M3, nf.E5M2, nf.E2M1):
        steps = nf.decode_by_walking(fmt)
        for low, high in zip(steps, steps[1:]):
            tie = int(np.float32(float((low + high) / 2)).view(np.uint32))
            codes.update((tie - 1, tie, tie + 1))
    codes |= {code ^ 0x80000000 for code in list(codes)}
    return sorted(codes)


def list_f64_codes():
    singles = np.array(list_f32_codes(), np.uint32).view(np.float32)
    with np.errstate(invalid="ignore"):
        doubles = singles.astype(np.float64)
    # A rounding by way of f32 would lose that these are no ties.
    near = np.concatenate([doubles, np.nextafter(doubles, np.inf), np.nextafter(doubles, -np.inf)])[::2]
    values = np.concatenate([near, [1e300, -1e300, 1e-300, -1e-310, 2.0 ** 128, 2.0 ** 128 - 2.0 ** 103, 2.0 ** 53 + 2, 1e19]])
    return [int(code) for code in values.view(np.uint64)]


def list_integer_codes(bits):
    generator = random.Random(bits)
    values = {0, 1, 7, 8, 9, 15, 16, 127, 128, 129, 255, 256, 257, 259, 448, 464, 465, 515, 57344, 61439, 61440, 65504, 65519, 65520}
    for exponent in range(8, bits):
        tie = (1 << exponent) + (generator.getrandbits(7) << exponent >> 7 >> 8 << 8) + (1 << exponent >> 8)
        values.update((1 << exponent) + step for step in (-2, -1, 0, 1))
        values.update(tie + step for step in (-1, 0, 1))
        for fraction_bits in (7, 10, 23):  # ties of bf16, f16 and f32
            if exponent > fraction_bits:
                step = 1 << (exponent - fraction_bits)
                tie = (1 << exponent) + generator.getrandbits(fraction_bits) * step + step // 2
                values.update((tie - 1, tie, tie + 1))
    values.update(generator.getrandbits(bits) >> generator.randrange(bits) for _ in range(100))
    mask = (1 << bits) - 1
    return sorted({sign * value & mask for value in values for sign in (1, -1)})


def list_codes(source):
    if source == "bool":
        return [0, 1] * 64
    bits = exact.storage_bits(source)
    if bits == 4:  # both nibbles of every byte
        return [nibble for byte in range(256) for nibble in (byte & 15, byte >> 4)]
    if bits == 8:
        return list(range(256))
    if source in exact.INTEGERS:
        return list_integer_codes(bits)
    if bits == 16:
        return sorted({*range(0, 65536, 131), *range(0x7BE0, 0x7C20), *range(0x7F60, 0x7FA0), *range(64), *range(0x3FE0, 0x4020),
                       *range(0xFBE0, 0xFC20), *range(0xFF60, 0xFFA0), *range(0x8000, 0x8020)})
    return list_f64_codes() if source == "f64" else list_f32_codes()


def to_array(source, codes):
    """The codes as the array that tilec reads."""
    if exact.storage_bits(source) == 4:
        return nf.pack_nibbles(codes, 0)
    array = np.array(codes, np.uint64).astype(f"u{exact.storage_bits(source) // 8}")
    if source == "bool":
        return array.astype(bool)
    if source in exact.INTEGERS and exact.INTEGERS[source][1]:
        return array.view(array.dtype.str.replace("u", "i"))
    return array.view(array.dtype.str.replace("u", "f")) if source in ("f16", "f32", "tf32", "f64") else array


def get_stored_type(target):
    """The unsigned type as which results are written, so that all bits are compared."""
    return "bool" if target == "bool" else f"uint{max(8, exact.storage_bits(target))}"


def write_bits(target, value):
    """An expression for the bits of the value, which is a name."""
    bits = exact.storage_bits(target)
    if target == "bool" or (target in exact.INTEGERS and not exact.INTEGERS[target][1] and bits >= 8):
        return value
    expression = f"reinterpret<uint{bits}>({value})"
    if target in WIDE_NANS:
        return f"select({value} != {value}, cast<uint{bits}>({WIDE_NANS[target]}), {expression})"
    return f"cast<uint8>({expression})" if bits == 4 else expression
