# RUN: %python %s --tilec=tilec | FileCheck %s
# CHECK: passed, 0 failed, 0 not supported yet
"""F12 on sm_90a: TMA takes pitches of whole 16 bytes only; with others the same products are fed by the threads, with the same result."""

import numpy as np
from faults import Array, finish
from warpgroups import expect_by_warpgroups, multiply

M = 70
random = np.random.default_rng(12)


def check(title, a, k, n, variant, fixed=False, b_is_kn=False, a_is_km=False, **options):
    accumulator = "int32" if a == "int8" else "f32"
    x, y = random.integers(-3, 4, (M, k)), random.integers(-3, 4, (k, n))
    # What lies behind a row is the next row: no zeros that would hide a read too far.
    y[y == 0], x[x == 0] = 1, -1
    inputs = {"A": Array(a, np.ascontiguousarray(x.T) if a_is_km else x), "B": Array(a, y if b_is_kn else np.ascontiguousarray(y.T))}
    sizes = {"M": M, "N": n, "K": k}
    expect_by_warpgroups(f"{title}: {a}, K = {k}, N = {n}, {'fixed' if fixed else 'at launch'}",
                         multiply(a, accumulator=accumulator, a_is_km=a_is_km, b_is_kn=b_is_kn, **options), inputs,
                         {"C": Array(accumulator, x @ y)}, variant=None if fixed else variant,
                         **({"settings": sizes} if fixed else {"sizes": sizes}))


for is_fixed in (False, True):
    # The two of the report, A's pitch (1,022 bytes) and B's or C's (6,932 bytes); whole pitches beside them.
    check("pitches of A and B", "bf16", 511, 72, "general", is_fixed)
    check("pitch of C", "tf32", 64, 1733, "general", is_fixed, tile=(64, 128, 32))
    check("no odd pitch", "bf16", 512, 72, "tma", is_fixed)
# A pitch of 8 bytes, 4, 2 and 1, by type.
for type_, k, variant in (("bf16", 132, "aligned8"), ("bf16", 134, "general"), ("f16", 129, "general"), ("tf32", 66, "aligned8"), ("tf32", 65, "general"),
                          ("int8", 136, "aligned8"), ("int8", 132, "general"), ("int8", 130, "general"), ("int8", 129, "general"),
                          ("fp8_e4m3", 200, "aligned8"), ("fp8_e5m2", 131, "general")):
    check("pitches of A and B", type_, k, 64, variant, tile=(64, 64, 64 if type_ not in ("bf16", "f16", "tf32") else 32))
# One tensor of the three alone, in each storage order.
check("pitch of B [K, N]", "f16", 128, 76, "aligned8", b_is_kn=True)
check("pitch of B [K, N]", "f16", 128, 75, "general", b_is_kn=True)
check("pitch of A [K, M]", "bf16", 128, 72, "general", a_is_km=True)
check("pitch of C", "bf16", 64, 75, "general")
finish()
