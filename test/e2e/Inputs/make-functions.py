"""Writes inputs of functions.tile and what it has to compute, as NumPy files."""
import math
import sys

import numpy


def step(state):
    for _ in range(2):
        state = (state * 5 + 3) % 64
    return state


def scalars(x):
    y = [0] * 6
    state = step(x)
    y[0] = x + state * 100
    chosen = 7
    if x % 3 == 0:
        chosen = state = step(state)
    y[1] = chosen + 1000 * state
    turns = 0
    while True:
        state = step(state)
        if not (state > 9 and turns < 20):
            break
        turns += 1
    y[2], y[3], y[4] = turns, state, math.gcd(x * 6, 84)
    return y


folder = sys.argv[1]
x = numpy.arange(40, dtype=numpy.int64)
numpy.save(f"{folder}/X.npy", x)
numpy.save(f"{folder}/Y.npy", numpy.array([scalars(int(v)) for v in x], dtype=numpy.int64))
numpy.save(f"{folder}/shape.npy", numpy.zeros((7, 9), dtype=numpy.int64))
numpy.save(f"{folder}/extents.npy", numpy.array([709, 309, 508], dtype=numpy.int64))
rows = numpy.random.default_rng(1).integers(-8, 8, (5, 50)).astype(numpy.float32)
numpy.save(f"{folder}/rows.npy", rows)
numpy.save(f"{folder}/sum.npy", (2 * rows.sum(axis=0)).astype(numpy.float32))
