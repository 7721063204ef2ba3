"""Every cast of the language between codes, by fractions: what a table-driven test expects.

It shares nothing with the compiler. `check_tables` compares it with tables/*.csv, which were made in two other ways.
"""

import csv
from fractions import Fraction

import number_formats as nf

F64 = nf.Format("f64", 11, 52, 1023, "ieee")
TF32 = nf.Format("tf32", 8, 10, 127, "ieee")  # its codes lie in the upper 19 of 32 bits
FLOATS = {**nf.FORMATS, "f64": F64, "tf32": TF32}
INTEGERS = {f"{prefix}{bits}": (bits, prefix == "int") for bits in (4, 8, 16, 32, 64) for prefix in ("int", "uint")}
TYPES = [*INTEGERS, *FLOATS, "e8m0", "bool"]
SPARE_BITS = {"tf32": 13}
LOWEST_E8M0, HIGHEST_E8M0 = Fraction(1, 2 ** 127), Fraction(2 ** 127)


def storage_bits(name):
    if name in INTEGERS:
        return INTEGERS[name][0]
    return 8 if name in ("e8m0", "bool") else FLOATS[name].bits + SPARE_BITS.get(name, 0)


def is_float(name):
    return name in FLOATS or name == "e8m0"


def list_modes(source, target):
    """The options that a cast between these types may have; "" is none."""
    modes = [""]
    if is_float(target):
        if target in ("fp8_e4m3", "fp8_e5m2") and is_float(source):
            modes.append("nosat")
        elif target == "e8m0" and is_float(source):
            modes.append("up")
        elif is_float(source) and target != "fp4_e2m1":
            modes.append("sat")
    elif source in INTEGERS and target in INTEGERS:
        modes.append("sat")
    return modes


def decode(name, code):
    """(negative, magnitude): a fraction, or 'inf' or 'nan'."""
    if name == "bool":
        return False, Fraction(int(code != 0))
    if name in INTEGERS:
        bits, signed = INTEGERS[name]
        value = code - (1 << bits) if signed and code >> (bits - 1) else code
        return value < 0, Fraction(abs(value))
    if name == "e8m0":
        return False, "nan" if code == 255 else Fraction(2) ** (code - 127)
    fmt, code = FLOATS[name], code >> SPARE_BITS.get(name, 0)
    value = nf.decode(fmt, code)
    negative = bool(code & fmt.sign_bit)
    return negative, value.strip("-") if isinstance(value, str) else abs(value)


def floor_log2(value):
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    return exponent if value >= Fraction(2) ** exponent else exponent - 1


def encode_float(fmt, negative, magnitude, saturates):
    sign = fmt.sign_bit if negative else 0
    if magnitude == "nan":
        return fmt.largest_code if fmt.nans == "none" else fmt.nan_code
    code = fmt.largest_code + 1
    if magnitude == 0:
        code = 0
    elif magnitude != "inf":
        quantum = max(floor_log2(magnitude), fmt.smallest_exponent) - fmt.mantissa_bits
        code = round(magnitude / Fraction(2) ** quantum)  # of a fraction: to nearest even
        code += (quantum + fmt.mantissa_bits - fmt.smallest_exponent) << fmt.mantissa_bits
    if code > fmt.largest_code:
        code = fmt.largest_code if saturates or fmt.nans == "none" else fmt.inf_code if fmt.nans == "ieee" else fmt.nan_code
    return sign | code


def encode_e8m0(negative, magnitude, up):
    if magnitude == "nan":
        return 255
    if magnitude == "inf":
        return 0 if negative else 254
    if negative or magnitude <= LOWEST_E8M0:
        return 0
    exponent = floor_log2(min(magnitude, HIGHEST_E8M0))
    if up and magnitude > Fraction(2) ** exponent:
        exponent += 1
    return min(exponent, 127) + 127


def encode_integer(name, from_float, negative, magnitude, saturates):
    bits, signed = INTEGERS[name]
    lowest, highest = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    if magnitude == "nan":
        return 0
    value = (highest if not negative else lowest) if magnitude == "inf" else int(magnitude) * (-1 if negative else 1)
    if from_float or saturates:
        value = max(lowest, min(highest, value))
    return value & ((1 << bits) - 1)


def cast(source, code, target, mode):
    """The code in `target`; a NaN is the one that the tables print."""
    negative, magnitude = decode(source, code)
    if target == "bool":
        return int(magnitude != 0)
    if target in INTEGERS:
        return encode_integer(target, is_float(source), negative, magnitude, mode == "sat")
    if target == "e8m0":
        return encode_e8m0(negative, magnitude, mode == "up")
    saturates = mode == "sat" or (target in ("fp8_e4m3", "fp8_e5m2") and mode != "nosat")
    return encode_float(FLOATS[target], negative, magnitude, saturates) << SPARE_BITS.get(target, 0)


def read_casts(folder):
    """Yields (target, mode, rows) of each table of casts from f32; a row is (in, out), both codes."""
    for path in sorted(folder.glob("cast_f32_*.csv")):
        name = path.stem.removeprefix("cast_f32_")
        mode = next((word for word in ("nosat", "sat") if name.endswith("_" + word)), "")
        target = name.removesuffix("_" + mode) if mode else name
        # What a table calls sat is the default of these types.
        mode = "" if mode == "sat" else mode
        with path.open() as file:
            yield target, mode, [(int(row["in_f32"], 16), int(row["out"], 16)) for row in csv.DictReader(file)]


def check_tables(folder):
    """Stops at the first difference from the tables."""
    for target, mode, rows in read_casts(folder):
        for code, want in rows:
            assert cast("f32", code, target, mode) == want, (target, mode, hex(code))
    for name in ("fp8_e4m3", "fp8_e5m2", "fp4_e2m1", "e8m0", "int4", "uint4"):
        with (folder / f"{name}.csv").open() as file:
            for row in csv.DictReader(file):
                negative, magnitude = decode(name, int(row["code"]))
                text = row["fraction"].lstrip("-")
                want = text if text in ("inf", "nan") else Fraction(text)
                assert magnitude == want and (text == "nan" or negative == row["fraction"].startswith("-")), row
