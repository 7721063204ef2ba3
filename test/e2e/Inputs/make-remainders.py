"""Writes dividends, divisors and their exact remainders: make-remainders.py FOLDER."""

import sys
from pathlib import Path

import numpy as np

folder = Path(sys.argv[1])
folder.mkdir(exist_ok=True)
random = np.random.default_rng(1)
for dtype, bits in ((np.float32, np.uint32), (np.float64, np.uint64)):
    count = 4096
    # All magnitudes, which includes quotients of hundreds of bits, and near ones.
    x = random.integers(0, np.iinfo(bits).max, count, dtype=bits, endpoint=True).view(dtype)
    z = random.integers(0, np.iinfo(bits).max, count, dtype=bits, endpoint=True).view(dtype)
    near = slice(0, count // 2)
    with np.errstate(all="ignore"):
        z[near] = x[near] / random.integers(1, 1 << 20, count // 2).astype(dtype)
    special = np.array([0.0, -0.0, 1.0, -1.0, 3.5, np.inf, -np.inf, np.nan, np.finfo(dtype).tiny, -np.finfo(dtype).max,
                        np.finfo(dtype).smallest_subnormal], dtype)
    x = np.concatenate([np.repeat(special, len(special)), x])
    z = np.concatenate([np.tile(special, len(special)), z])
    with np.errstate(all="ignore"):
        y = np.fmod(x, z)
    for name, values in (("X", x), ("Z", z), ("Y", y)):
        np.save(folder / f"{name}{dtype().itemsize}.npy", values)
