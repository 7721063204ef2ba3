"""Writes inputs of jumps.tile and what it has to compute, as NumPy files."""
import sys

import numpy


def loops(x):
    y = [0, 0, -1, -1]
    for i in range(2, 60, 3):
        if i % 2 == 0:
            y[0] += 1
            if i % 4 == 0:
                continue
            y[0] += 10
            if i > x:
                break
        elif i == 17:
            continue
        y[0] += 1000 + i
    for j in range(4):
        n = x + j
        while n > 1:
            y[1] += 1
            n = n // 2 if n % 2 == 0 else 3 * n + 1
        if y[1] > 100:
            break
        y[1] += 1000
    for i in range(5):
        for j in range(5):
            if i * j == x % 7 + 3:
                y[2] = i * 10 + j
                return y
        y[2] = -2 - i
    y[3] = x % 2
    return y


def search(row):
    for c, value in enumerate(row):
        if value % 2 == 1 and value > 50:
            return c
    return -1


folder = sys.argv[1]
x = numpy.arange(40, dtype=numpy.int64)
numpy.save(f"{folder}/X.npy", x)
numpy.save(f"{folder}/Y.npy", numpy.array([loops(int(v)) for v in x], dtype=numpy.int64))
rows = numpy.random.default_rng(1).integers(0, 70, (50, 6), dtype=numpy.int64)
numpy.save(f"{folder}/rows.npy", rows)
numpy.save(f"{folder}/found.npy", numpy.array([search(row) for row in rows], dtype=numpy.int64))
