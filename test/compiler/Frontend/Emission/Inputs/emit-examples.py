"""Emits the dialect form of each kernel file of a folder and parses it again.

    emit-examples.py FOLDER     tilec and tile-opt are taken from the PATH

The last line is "N examples emitted, N failed"; the exit code is 1 if one
failed or there was none.
"""
import os
import subprocess
import sys


def find_complaint(path):
    """What is wrong with a file; empty if nothing is."""
    emitted = subprocess.run(["tilec", path, "--emit=tile", "-o", "-"], capture_output=True, text=True)
    if emitted.returncode != 0:
        return "tilec: " + emitted.stderr
    parsed = subprocess.run(["tile-opt", "-"], input=emitted.stdout, capture_output=True, text=True)
    if parsed.returncode != 0:
        return "tile-opt: " + parsed.stderr
    if not parsed.stdout.count("tile.kernel"):
        return "no kernel is left"
    return ""


def main(folder):
    names = sorted(name for name in os.listdir(folder) if name.endswith(".tile"))
    failed = 0
    for name in names:
        complaint = find_complaint(os.path.join(folder, name))
        if complaint:
            failed += 1
            print(f"{name}: {complaint}")
    print(f"{len(names)} examples emitted, {failed} failed")
    sys.exit(1 if failed or not names else 0)


if __name__ == "__main__":
    main(sys.argv[1])
