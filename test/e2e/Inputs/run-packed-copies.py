"""Copies tiles of 4-bit elements in every way on the emulator and compares each kernel with the interpreter.

usage: run-packed-copies.py FOLDER [all | NAME...]

Kernels are made of one body each, for a type, a packed dimension and sizes; NAME picks bodies.  Without it a fixed sample is run, which
has some of each.  The emulator fails on a byte that two threads write.
"""
import pathlib
import random
import subprocess
import sys

# Tensors are M x N; X is read and Y written.  {T} is the element type, {R}x{C} a tile, {o} an offset.
BODIES = {
    # Global memory, a shared tile or a fragment, and back.
    "through_shared": "let s = alloc_shared({T}[{R}, {C}]); copy(X[{o}, {o}], s); copy(s, Y[{o}, {o}]);",
    "through_fragment": "var f = alloc_fragment({T}[{R}, {C}]); copy(X[{o}, {o}], f); copy(f, Y[{o}, {o}]);",
    # Between shared tiles and parts of them.
    "shared_to_shared": "let a = alloc_shared({T}[{R}, {C}]); let b = alloc_shared({T}[{R}, {C}]); copy(X[0, 0], a); copy(a, b); copy(b, Y[0, 0]);",
    "parts": "let a = alloc_shared({T}[{R}, {C}]); let b = alloc_shared({T}[{R}, {C}]); copy(X[0, 0], a); copy(X[1, 2], b);"
             " copy(a[1 +: 5, {o} +: 7], b[{o} +: 5, 3 +: 7]); copy(X[2 +: 6, 1 +: 6], b[{o} +: 6, {o} +: 6]); copy(b[{o} +: 6, 2 +: 9], Y[1, {o}]);"
             " copy(b, Y[8, 0]);",
    "runtime_parts": "let b = alloc_shared({T}[{R}, {C}]); copy(X[1, 2], b); copy(X[n +: 8, n +: 8], b[n +: 8, n +: 8]); copy(b[n +: 4, n +: 4], Y[n, n]);"
                     " copy(b, Y[8, 0]);",
    "rows_and_columns": "let b = alloc_shared({T}[{R}, {C}]); copy(X[0, 0], b); copy(X[3, {o} +: {C}], b[5, :]); copy(b[6, 1 +: 11], Y[2, {o}]);"
                        " copy(b[:, 3], Y[0 +: {R}, {C}]); copy(b, Y[4, 0]);",
    # Parts of tensors that begin and end at run-time places.
    "views": "let v = X[n : M - 3, {o} : N - 4]; let w = Y[n : M - 2, n : N - 3]; let s = alloc_shared({T}[{R}, {C}]); copy(v[0, 0], s); copy(s, w[0, {o}]);"
             " w[n, {o}] = v[0, n];",
    # Parts of shared tiles that lack dimensions or start inside a byte, by name.
    "slices": "let b = alloc_shared({T}[4, 8, {C}]); for p in unrolled(4) {{ copy(X[p, p], b[p, :, :]); }} let s = b[:, 3, :]; copy(s, Y[0, 0]);"
              " let u = b[:, :, {o}]; copy(u, Y[4, 0]); let w = b[n, {o} +: 4, 3 +: 9]; copy(w, Y[8, 1]); copy(X[0 +: 4, 2 +: 9], w); copy(w, Y[14, 1]);"
              " w[0, {o}] = X[0, 0]; let x = w[n +: 2, 1 +: 5]; copy(x, Y[8, 12]);",
    # Elements that iterations of different threads write into one byte.
    "elements": "let b = alloc_shared({T}[16, 32]); copy(X[0, 0], b); for i, j in parallel(16, 16) {{ b[i, (2 * j + {o}) % 32] = X[i, 31 - j]; }} copy(b, Y[0, 0]);",
    "scattered": "for i, j in parallel(8, 16) {{ if j % 3 == {o} % 3 {{ Y[2 * i, 31 - j] = X[i, j]; }} else {{ Y[2 * i + 1, j + {o}] = X[j, i]; }} }}",
    "rows": "for i, j in parallel(16, 16) {{ Y[i, j + {o}] = X[i, 2 * j]; }} let b = alloc_shared({T}[16, 16]);"
            " for i, j in parallel(16, 16) {{ b[j, i] = X[i, j + {o}]; }} copy(b, Y[n, {o} + 17]);",
    "single": "let b = alloc_shared({T}[{R}, {C}]); copy(X[0, 0], b); b[3, 5] = b[2, 4]; b[n, {o}] = X[2, 3]; Y[n + 1, {o}] = b[3, 5]; copy(b, Y[n + 3, 0]);",
}

TYPES = ["int4", "uint4", "fp4_e2m1"]
TILES = [(16, 32), (15, 33)]


def make_cases():
    """Each body with every type, packing, tile and offset in turn: not their product, which would take minutes."""
    count = 0
    for name, body in BODIES.items():
        for tile in TILES:
            for offset in range(4) if "{o}" in body else [0]:
                for pack in ("", " pack(M)"):
                    yield name, body.format(T=TYPES[count % 3], R=tile[0], C=tile[1], o=offset), TYPES[count % 3], pack
                    count += 1


def run_case(folder, index, name, body, dtype, pack):
    path = folder / f"{name}_{index}.tile"
    path.write_text(f"kernel {name}(X: {dtype}[M, N]{pack}, n: int64, Y: out {dtype}[M, N]{pack})\n    threads(64)\n{{\n    {body}\n}}\n")
    target = ["sm_80", "sm_89", "sm_90a"][index % 3]
    sizes = [("24", "37"), ("23", "48"), ("24", "64")][index // 2 % 3]
    command = ["tilec", "run", str(path), "--device=emulator", "--check=full", f"--target={target}", "--in", "n=1",
               "--size", f"M={sizes[0]}", "--size", f"N={sizes[1]}"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    if done.returncode != 0 or "PASS" not in done.stdout:
        return f"{' '.join(command)}\n{path.read_text()}{done.stdout}"
    return None


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    cases = list(enumerate(make_cases()))
    if sys.argv[2:]:
        cases = [case for case in cases if sys.argv[2] == "all" or case[1][0] in sys.argv[2:]]
    else:
        chooser = random.Random(1)
        cases = [case for name in BODIES for case in chooser.sample([case for case in cases if case[1][0] == name], 3)]
    faults = [fault for index, case in cases if (fault := run_case(folder, index, *case))]
    print("\n".join(faults))
    print(f"{len(cases)} cases, {len(faults)} faults")
    return 1 if faults or not cases else 0


sys.exit(main())
