"""What the tests of known faults on sm_90a share: products that warpgroups multiply, fed by TMA or by the threads themselves."""

from faults import expect

# A kernel is refused where warpgroups cannot do its products, so that no test passes by way of another instruction.
WARPGROUPS = {"instruction": "wgmma"}
# How tiles come: by the producer's TMA in the variant "tma"; without a producer the threads copy by cp.async.
FEEDS = {"tma": {}, "aligned": {"schedule": "none"}}


def multiply(a, b=None, accumulator="f32", out=None, tile=(64, 64, 64), stages=3, threads=128, a_is_km=False, b_is_kn=False,
             before="clear(acc);", steps="ceildiv(K, {k})", more="", parameters="", after=""):
    """C = A B by a kernel `multiply`. A is [M, K] or [K, M], B [N, K] or [K, N]; `more` is done in each step, `after` at the end."""
    m, n, k = tile
    shape_a, place_a = (f"{k}, {m}", f"k * {k}, by * {m}") if a_is_km else (f"{m}, {k}", f"by * {m}, k * {k}")
    shape_b, place_b = (f"{k}, {n}", f"k * {k}, bx * {n}") if b_is_kn else (f"{n}, {k}", f"bx * {n}, k * {k}")
    flags = (", transpose_a = true" if a_is_km else "") + ("" if b_is_kn else ", transpose_b = true")
    return f"""kernel multiply(A: {a}[{'K, M' if a_is_km else 'M, K'}], B: {b or a}[{'K, N' if b_is_kn else 'N, K'}]{parameters}, C: out {out or accumulator}[M, N])
    grid(bx in ceildiv(N, {n}), by in ceildiv(M, {m})) threads({threads})
{{
    let As = alloc_shared({a}[{shape_a}]);
    let Bs = alloc_shared({b or a}[{shape_b}]);
    var acc = alloc_fragment({accumulator}[{m}, {n}]);
    {before}
    for k in pipelined({steps.format(k=k)}, stages = {stages}) {{
        copy(A[{place_a}], As);
        copy(B[{place_b}], Bs);
        gemm(As, Bs, acc{flags});
        {more}
    }}
    copy(acc, C[by * {m}, bx * {n}]);
    {after}
}}
"""


def expect_by_warpgroups(title, text, inputs, wanted, sizes=None, variant=None, decisions=None, **options):
    """As `expect`, on sm_90a, with wgmma and in the variant that is named."""
    expect(title, text, inputs, wanted, sizes, targets=["sm_90a"], variant=variant, decisions={**WARPGROUPS, **(decisions or {})}, **options)
