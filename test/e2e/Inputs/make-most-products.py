"""Writes operands of -8 with the most products of which 256 times the sum fits 32 bits, and with one step more: DIR/{fits,more}.{A,C}.npy."""

import sys
from pathlib import Path

import numpy as np

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for name, depth in (("fits", 1023 * 128), ("more", 1024 * 128)):
    np.save(folder / f"{name}.A.npy", np.full((128, depth // 2), 0x88, np.uint8))
    np.save(folder / f"{name}.C.npy", np.full((128, 128), 64 * depth, np.int32))
