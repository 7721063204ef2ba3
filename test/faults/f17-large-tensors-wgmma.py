# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F17 on sm_90a: TMA counts elements of a dimension in 31 bits. A launch with more, or an extent fixed above that, takes another variant.
(Products of tensors of more than 2^31 elements run in test/gpu/examples.py: LONG_SIZES.)"""

import json

from faults import arguments, counts, finish, run_tilec
from warpgroups import multiply


LAST = 2 ** 31 - 1


def check(title, a, settings, bounded):
    """Whether the artifact has a variant for TMA, and for which tensors its guards bound an extent; None: it has none."""
    options = ["--emit=manifest", "--target=sm_90a", "--set", "instruction=wgmma", "-o", "-"]
    options += [word for name, value in settings.items() for word in ("-D", f"{name}={value}")]
    done = run_tilec(multiply(a, accumulator="int32" if a == "int8" else "f32"), options, {})
    variants = {v["name"]: v["guards"] for v in json.loads(done.stdout)["kernels"][0]["variants"]} if done.returncode == 0 else {}
    bounds = {guard["text"] for guard in variants.get("tma", []) if guard["expr"][0] == "<=" and guard["expr"][2] == LAST}
    found = {name for name in "ABC" if f"extents of '{name}' are below 2,147,483,648" in bounds} if "tma" in variants else None
    right = variants and not variants["general"] and found == bounded
    counts["passed" if right else "failed"] += 1
    if not right:
        print(f"FAILED {title}, {a}: {found} {list(variants)} {done.stderr}")


if not arguments.emit_jobs:
    for type_ in ("bf16", "int8"):
        check("sizes at launch", type_, {}, {"A", "B", "C"})
        check("M is fixed", type_, {"M": LAST - 15}, {"A", "B", "C"})
        check("all is fixed", type_, {"M": LAST - 15, "N": 64, "K": 128}, set())
        for name in "MNK":
            check(f"{name} is 2^31", type_, {name: 2 ** 31}, None)
            check(f"{name} is 2^32 + 64", type_, {name: 2 ** 32 + 64}, None)
finish()
