# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F38: whatever the speed or the meaning of a kernel depends on makes another key of the tune file; the same input makes the same."""

import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

from faults import arguments, counts, finish

KERNEL = """import "factor.tile";
const SCALE = 1.0;
kernel scaled(X: f32[N], Y: out f32[N])
    config(BLOCK = 128 in {64, 128})
    grid(b in ceildiv(N, BLOCK)) threads(64)
{
    let x = X[b * BLOCK +: BLOCK];
    copy(x * SCALE * FACTOR, Y[b * BLOCK]);
}
"""
FACTOR = "const FACTOR = 1.0;\n"
SIZE = ["-D", "N=256"]


def run(folder, *words, **environment):
    return subprocess.run([arguments.tilec, *words], cwd=folder, capture_output=True, text=True, timeout=280,
                          env={**os.environ, **environment})


def check(title, is_right, detail=""):
    counts["passed" if is_right else "failed"] += 1
    if not is_right:
        print(f"FAILED {title}: {detail}")


def tune(folder, *words):
    done = run(folder, "tune", "k.tile", "--device=emulator", "--target=sm_80", "--limit=2", *SIZE, *words)
    check("tuning", done.returncode == 0, done.stdout + done.stderr)
    return json.loads((folder / "k.tune.json").read_text())["entries"]


def launch(folder, *words, **environment):
    """What a run takes from the file, or why it takes nothing; the run must be right."""
    done = run(folder, "run", "k.tile", "--device=emulator", "--check", *words, **environment)
    check("a run", done.returncode == 0 and "PASS" in done.stdout, done.stdout + done.stderr)
    return "".join(re.findall(r"^tuned: k.tune.json(?: is not used)?: (.*)", done.stdout, re.MULTILINE))


def expect(title, got, wanted):
    check(title, re.search(wanted, got) if wanted else not got, f"'{got}', wanted '{wanted}'")


TAKEN = "measured on the emulator"
OTHER_TEXT = "^it was tuned for another text of the kernel$"
with tempfile.TemporaryDirectory() as scratch:
    folder = Path(scratch)
    (folder / "k.tile").write_text(KERNEL)
    (folder / "factor.tile").write_text(FACTOR)
    first = tune(folder)
    usual = ["--target=sm_80", *SIZE]
    expect("the same input", launch(folder, *usual), TAKEN)

    # A constant, an imported constant, the kernel itself; comments say nothing.
    (folder / "k.tile").write_text(KERNEL.replace("SCALE = 1.0", "SCALE = 2.0"))
    expect("another constant", launch(folder, *usual), OTHER_TEXT)
    (folder / "k.tile").write_text(KERNEL)
    (folder / "factor.tile").write_text(FACTOR.replace("1.0", "3.0"))
    expect("another imported file", launch(folder, *usual), OTHER_TEXT)
    (folder / "factor.tile").write_text(FACTOR)
    (folder / "k.tile").write_text(KERNEL.replace("in {64, 128}", "in {32, 128}"))
    expect("another set", launch(folder, *usual), OTHER_TEXT)
    (folder / "k.tile").write_text("// a comment\n" + KERNEL.replace("    ", "  "))
    expect("another look", launch(folder, *usual), TAKEN)
    (folder / "k.tile").write_text(KERNEL)

    # Flags and sizes.
    expect("another target", launch(folder, "--target=sm_86", *SIZE), "")
    expect("another size", launch(folder, "--target=sm_80", "-D", "N=255"), "^it was tuned for other sizes$")
    expect("a size at launch", launch(folder, "--target=sm_80", "--size", "N=256"), "^it was tuned for other sizes$")
    expect("another value", launch(folder, *usual, "-D", "BLOCK=32"), "^-D BLOCK=32 is given$")
    expect("another decision", launch(folder, *usual, "--set", "min_blocks=2"), "^--set min_blocks=2 is given$")

    # Versions. The emulator needs no assembler, so that its entries fit any.
    file = folder / "k.tune.json"
    content = json.loads(file.read_text())
    content["entries"][0]["key"].update(gpu="Some GPU", ptxas="12.3.0")
    file.write_text(json.dumps(content))
    ptxas = folder / "ptxas"
    for release, wanted in (("12.4, V12.4.99", "^it was tuned with ptxas 12.3.0$"), ("12.3, V12.3.0", "measured on Some GPU")):
        ptxas.write_text(f"#!/bin/sh\necho 'Cuda compilation tools, release {release}'\n")
        ptxas.chmod(0o755)
        expect(f"ptxas {release}", launch(folder, *usual, TILE_PTXAS=str(ptxas)), wanted)

    # Another process gives the same key.
    file.unlink()
    again = tune(folder)
    check("the key of another process", again[0]["key"] == first[0]["key"], f"{again} {first}")
finish()
