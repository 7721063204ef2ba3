# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F39: tuners that write one file at the same time lose nothing, even if others are killed at any moment; readers see whole files."""

import json
import random
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from faults import arguments, counts, finish

KERNEL = """kernel copied(X: f32[N], Y: out f32[N])
    grid(b in ceildiv(N, 64)) threads(64)
{
    copy(X[b * 64 +: 64], Y[b * 64]);
}
"""
WRITERS, VICTIMS, ROUNDS = 16, 8, 2


def check(title, is_right, detail=""):
    counts["passed" if is_right else "failed"] += 1
    if not is_right:
        print(f"FAILED {title}: {detail}")


def start(folder, bundle):
    return subprocess.Popen([arguments.tilec, "tune", f"--from={bundle}", "-o", "k.tune.json"], cwd=folder,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def make_bundle(folder, name, kernel):
    """The same candidates under another name of the kernel, so that each has an entry of its own."""
    shutil.copytree(folder / "bundle", folder / name)
    index = folder / name / "index.json"
    content = json.loads(index.read_text())
    content["key"]["kernel"] = kernel
    index.write_text(json.dumps(content))


with tempfile.TemporaryDirectory() as scratch:
    folder = Path(scratch)
    (folder / "k.tile").write_text(KERNEL)
    done = subprocess.run([arguments.tilec, "tune", "k.tile", "--device=emulator", "--target=sm_80", "--limit=1", "-D", "N=100",
                           "--compile-only=bundle"], cwd=folder, capture_output=True, text=True)
    check("the candidates", done.returncode == 0, done.stdout + done.stderr)
    random.seed(39)
    for round in range(ROUNDS):
        (folder / "k.tune.json").unlink(missing_ok=True)
        for i in range(WRITERS + VICTIMS):
            make_bundle(folder, f"bundle-{round}-{i}", f"kernel{i}")
        tuners = [start(folder, f"bundle-{round}-{i}") for i in range(WRITERS + VICTIMS)]
        for victim in tuners[WRITERS:]:
            time.sleep(random.uniform(0, 0.1))
            victim.kill()
            # Whoever reads now sees a whole file, or none.
            path = folder / "k.tune.json"
            if path.exists():
                check("a file at any moment", json.loads(path.read_text())["format"] == "tile-tune")
        for tuner in tuners:
            output, _ = tuner.communicate(timeout=280)
            if tuner in tuners[:WRITERS]:
                check("a tuner", tuner.returncode == 0, output)
        kernels = [entry["key"]["kernel"] for entry in json.loads((folder / "k.tune.json").read_text())["entries"]]
        check("no entry is lost", {f"kernel{i}" for i in range(WRITERS)} <= set(kernels), kernels)
        check("none is there twice", len(kernels) == len(set(kernels)), kernels)
finish()
