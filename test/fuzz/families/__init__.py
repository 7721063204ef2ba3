"""The families of kernels that the fuzzer draws. Each has a SPACE, `draw(random)` and `build(parameters)`, which gives a case, or
None where the parameters do not fit each other."""

from families import convert, copy, dequant, gemm, hand_dequant, rows, scaled

FAMILIES = {
    "copy": copy,
    "convert": convert,
    "gemm": gemm.SAME_FAMILY,
    "mixed": gemm.MIXED_FAMILY,
    "warpgroups": gemm.WARPGROUP_FAMILY,
    "dequant": dequant,
    "scaled": scaled,
    "hand-dequant": hand_dequant,
    "rows": rows,
}
