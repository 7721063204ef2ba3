"""Writes bytes whose spare nibbles hold 7, and what an odd packed tensor of them reads as.

usage: make-spare-nibbles.py FOLDER
"""

import pathlib
import sys

import numpy as np

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
# K = 3 along which pairs lie: -1, 7, -1, and a spare 7.
np.save(folder / "B.npy", np.full((2, 33), 0x7F, dtype=np.uint8))
want = np.zeros((8, 33), dtype=np.int32)
want[:3] = np.array([[-1], [7], [-1]])
np.save(folder / "C.npy", want)
total = want[:, :32].copy()
total[:, :1] += want[:, 32:]
np.save(folder / "Sum.npy", total)
