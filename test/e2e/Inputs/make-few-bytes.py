"""Writes operands whose products are the largest there are: as many as fit if the nibbles are 16 times as large, and more.

usage: make-few-bytes.py FOLDER
"""
import sys
from pathlib import Path

import numpy as np

M, N = 3, 72
folder = Path(sys.argv[1])
folder.mkdir(exist_ok=True)
for name, k in (("fits", 511 * 256), ("more", 512 * 256)):
    np.save(folder / f"{name}.A.npy", np.full((M, k), -128, np.int8))
    np.save(folder / f"{name}.B.npy", np.full((N, k // 2), 0x88, np.uint8))
    np.save(folder / f"{name}.C.npy", np.full((M, N), 1024 * k, np.int32))
