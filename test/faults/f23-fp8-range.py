# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F23: casts to 8-bit floats at the end of their range, plain and saturating. (All hard values: test/e2e/casts.)"""

import numpy as np
from faults import Array, expect, finish

VALUES = np.array([np.inf, -np.inf, np.nan, 57344, 61440, 65504, 448, 464, 465, 1e6, -464, -465, -57344, -61440, 0, -0.0])
CODES = {
    ("fp8_e5m2", ", nosat"): [0x7C, 0xFC, 0x7F, 0x7B, 0x7C, 0x7C, 0x5F, 0x5F, 0x5F, 0x7C, 0xDF, 0xDF, 0xFB, 0xFC, 0, 0x80],
    ("fp8_e5m2", ""): [0x7B, 0xFB, 0x7F, 0x7B, 0x7B, 0x7B, 0x5F, 0x5F, 0x5F, 0x7B, 0xDF, 0xDF, 0xFB, 0xFB, 0, 0x80],
    ("fp8_e4m3", ", nosat"): [0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7E, 0x7E, 0x7F, 0x7F, 0xFE, 0x7F, 0x7F, 0x7F, 0, 0x80],
    ("fp8_e4m3", ""): [0x7E, 0xFE, 0x7F, 0x7E, 0x7E, 0x7E, 0x7E, 0x7E, 0x7E, 0x7E, 0xFE, 0xFE, 0xFE, 0xFE, 0, 0x80],
}
WRITTEN = ["inf", "-inf", "nan", "57344.0", "61440.0", "65504.0", "448.0", "464.0", "465.0", "1000000.0", "-464.0", "-465.0", "-57344.0", "-61440.0", "0.0", "-0.0"]
for (to, option), codes in CODES.items():
    wanted = {"Y": Array(to, codes=np.array(codes))}
    for source in ("f32", "f64"):
        text = f"""kernel casts(X: {source}[16], Y: out {to}[16]) threads(32) {{ copy(cast<{to}{option}>(X[0 +: 16]), Y[0]); }}"""
        stored = Array(source, codes=VALUES.astype("f4" if source == "f32" else "f8").view("u4" if source == "f32" else "u8"))
        expect(f"{source} to {to}{option}", text, {"X": stored}, wanted)
    folded = "\n".join(f"    Y[{i}] = cast<{to}{option}>({value});" for i, value in enumerate(WRITTEN))
    expect(f"constants to {to}{option}", f"kernel folded(Y: out {to}[16]) threads(32)\n{{\n{folded}\n}}\n", {}, wanted)
finish()
