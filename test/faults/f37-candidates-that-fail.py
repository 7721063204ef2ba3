# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F37: candidates of tuning that read out of range, never end, trap or are wrong, placed first, cost nothing but themselves."""

import json
import re
import subprocess
import tempfile
from pathlib import Path

from faults import arguments, counts, finish
from kernels import product

KERNEL = product("bf16", "bf16", "f32", (64, 64, 32), 2, 128)
ENTRY = re.compile(r"^(define .*@.*\{\n)((?:[0-9a-z._]+:.*\n)?)", re.MULTILINE)

# What is put at the beginning of every function of a candidate's LLVM IR.
FAULTS = {
    "reads out of range": "  %injected = load volatile i32, ptr addrspace(1) inttoptr (i64 4096 to ptr addrspace(1))\n",
    "traps": "  call void @llvm.trap()\n",
}
SPIN = "begin:\n  br label %injected\ninjected:\n  br label %injected\n"


def run(folder, *words):
    return subprocess.run([arguments.tilec, "tune", *words], cwd=folder, capture_output=True, text=True, timeout=280)


def check(title, is_right, done):
    counts["passed" if is_right else "failed"] += 1
    if not is_right:
        print(f"FAILED {title}: exit code {done.returncode}\n{done.stdout}{done.stderr}")


def inject(path, code):
    def extend(match):
        header, label = match.groups()
        if code != SPIN:
            return header + label + code
        # The block that was the first needs a label then: its number follows those of the parameters.
        return header + code + (label or f"{1 + max(map(int, re.findall('%([0-9]+)', header)))}:\n")

    text, count = ENTRY.subn(extend, path.read_text())
    assert count, path
    if "llvm.trap" in code and "declare void @llvm.trap()" not in text:
        text += "\ndeclare void @llvm.trap()\n"
    path.write_text(text)


def spoil(folder, index):
    """Spoils the first four candidates, the default among them; gives what is said of each."""
    candidates = index["candidates"]
    inject(folder / candidates[0]["code"], FAULTS["reads out of range"])
    inject(folder / candidates[1]["code"], SPIN)
    inject(folder / candidates[2]["code"], FAULTS["traps"])
    # A product that starts from one instead of zero.
    wrong = folder / candidates[3]["code"]
    wrong.write_text(re.sub(r"float 0\.0+e\+00", "float 1.000000e+00", wrong.read_text()))
    return [r"failed: the default: .*out", r"failed: .*: it did not end within 5 s", r"failed: .* trap",
            r"failed: .*: 'C' is wrong: [0-9]+ of [0-9]+ elements"]


with tempfile.TemporaryDirectory() as scratch:
    scratch = Path(scratch)
    (scratch / "k.tile").write_text(KERNEL)
    sizes = ["-D", "M=40", "-D", "N=48", "-D", "K=64"]
    done = run(scratch, "k.tile", "--device=emulator", "--target=sm_80", *sizes, "--limit=6", "--compile-only=folder")
    check("six candidates", done.returncode == 0, done)
    folder = scratch / "folder"
    index = json.loads((folder / "index.json").read_text())
    sayings = spoil(folder, index)
    done = run(scratch, "--from=folder", "--timeout=5")
    check("the others are measured", done.returncode == 0 and "6 candidates, 2 of them right" in done.stdout, done)
    for saying in sayings:
        check(saying, re.search(saying, done.stdout), done)
    entry = json.loads((scratch / "k.tune.json").read_text())["entries"][0]
    right = [candidate["definitions"] | candidate["settings"] for candidate in index["candidates"][4:]]
    check("one that is right wins", entry["definitions"] | entry["settings"] in right, done)
finish()
