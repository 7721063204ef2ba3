# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F32: exactly 48 KiB of shared memory, more than that, and one stage more than fits, for each target's own limit."""

from faults import counts, finish, refuse, run_tilec
from kernels import product

TEXT = {stages: product("bf16", "bf16", "f32", (256, 128, 64), stages, 256) for stages in (1, 2, 4, 5)}


def compile_right(title, target, stages, shared):
    done = run_tilec(TEXT[stages], ["report", f"--target={target}"], {})
    right = done.returncode == 0 and f"{shared:,} bytes of shared memory" in done.stdout
    counts["passed" if right else "failed"] += 1
    if not right:
        print(f"FAILED {title}: {done.stdout[:2000]}{done.stderr}")


compile_right("one stage", "sm_90a", 1, 49152)
compile_right("four stages", "sm_90a", 4, 196608)
for target, limit in (("sm_90a", "232,448"), ("sm_80", "166,912"), ("sm_86", "101,376"), ("sm_89", "101,376")):
    refuse(f"five stages on {target}", TEXT[5], rf"shared tiles need 245,760 bytes, the limit of {target} is {limit}", command=("report", f"--target={target}"))
finish()
