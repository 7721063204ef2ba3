"""Multiplies one weight of each column with powers of two where scales are left to sums: bf16 scales of every magnitude, all weights.

    scaled-sums.py int4|uint4     prints how many of the results are as exact as they can be
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

KIND = sys.argv[1]
LOW = -8 if KIND == "int4" else 0
M, K = 16, 128
SOURCE = f"""
kernel few(A: bf16[M, K], B: {KIND}[N, K] prepack, S: bf16[N, K / 128] prepack, C: out bf16[M, N])
    where K % 128 == 0
    grid(bx in ceildiv(N, 128), by in ceildiv(M, 16))
    threads(256)
{{
    let As = alloc_shared(bf16[16, 128]);
    let Bs = alloc_shared({KIND}[128, 128]);
    let Ss = alloc_shared(bf16[128, 1]);
    var acc = alloc_fragment(f32[16, 128]);
    clear(acc);
    for k in pipelined(ceildiv(K, 128)) {{
        copy(A[by * 16, k * 128], As);
        copy(B[bx * 128, k * 128], Bs);
        copy(S[bx * 128, k], Ss);
        gemm(As, dequant(Bs, scale = Ss, group = 128), acc, transpose_b = true);
    }}
    copy(acc, C[by * 16, bx * 128]);
}}
"""


def from_bits(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def round_to_bf16(values):
    """The nearest bf16 of f64 numbers, by their own arithmetic: a unit of 2^-133 at least."""
    exponents = np.maximum(np.frexp(values)[1] - 8, -133).astype(np.float64)
    units = np.ldexp(1.0, exponents.astype(int))
    return np.rint(values / units) * units


def main():
    # Every exponent, both signs, the mantissas at the ends, and one between; 0 and subnormal numbers.
    scales = np.array([sign << 15 | exponent << 7 | mantissa for exponent in range(255) for sign in (0, 1) for mantissa in (0, 1, 0x2B, 0x7F)])
    n = len(scales)
    rng = np.random.default_rng(5)
    codes = rng.integers(LOW, LOW + 16, (n, K))
    a = np.zeros((M, K), np.float64)
    # Powers of two up to the largest and down to the least; each row meets one weight of each column.
    for row, power in enumerate([0, 1, -1, 20, -20, 60, -60, 100, -100, 120, -120, 126, 127, -126, -130, -133]):
        a[row, (row * 11) % K] = 2.0 ** power
    want = a @ (codes * from_bits(scales).astype(np.float64)[:, None]).T
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "few.tile").write_text(SOURCE)
        np.save(folder / "a.npy", (np.float32(a).view(np.uint32) >> 16).astype(np.uint16))
        nibbles = codes.astype(np.uint8) & 15
        np.save(folder / "b.npy", nibbles[:, 0::2] | nibbles[:, 1::2] << 4)
        np.save(folder / "s.npy", scales.astype(np.uint16)[:, None])
        command = ["tilec", "run", folder / "few.tile", "--device=emulator", "--target=sm_90a", "--in", f"A={folder}/a.npy", "--in",
                   f"B={folder}/b.npy", "--in", f"S={folder}/s.npy", "--out", f"C={folder}/c.npy"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stdout + done.stderr)
        got = from_bits(np.load(folder / "c.npy").view(np.uint16).reshape(M, n)).astype(np.float64)
    rounded = round_to_bf16(want)
    overflows = np.abs(rounded) >= 2.0 ** 128
    rounded[overflows] = np.copysign(np.inf, rounded[overflows])
    # Sums are f32 times 2^13: below 2^-123 a result may lose a bit before it is rounded.
    isTiny = np.abs(want) < 2.0 ** -123
    with np.errstate(invalid="ignore"):
        isRight = np.where(isTiny, np.abs(got - rounded) <= 2.0 ** -133, got == rounded)
    print(f"{int(isRight.sum())} of {isRight.size} right, {int(isTiny.sum())} of them tiny")
    for row, column in np.argwhere(~isRight)[:5]:
        print(f"row {row}, column {column}: {got[row, column]} instead of {rounded[row, column]}")


main()
