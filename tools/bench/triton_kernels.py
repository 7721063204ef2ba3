"""The peers in Triton: bf16 x bf16, bf16 x int4 with two weights in a byte along K, and int8 x int8 with B stored [N, K].

The int4 kernel is the usual one: bytes of B are loaded as [K / 2, N], each gives an even and an odd k by shifts that extend the
sign, both are interleaved along K and multiplied as bf16.
"""

import triton
import triton.language as tl


@triton.jit
def find_tile(M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP_M: tl.constexpr):
    """The tile of this program; programs that run together share rows of A and columns of B in the L2 cache."""
    program = tl.program_id(0)
    rows, columns = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    in_group = GROUP_M * columns
    first = program // in_group * GROUP_M
    height = min(rows - first, GROUP_M)
    return first + program % in_group % height, program % in_group // height


@triton.jit
def multiply_bf16(A, B, C, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                  GROUP_M: tl.constexpr, N_STEP: tl.constexpr, K_STEP: tl.constexpr):
    N, K = N // N_STEP * N_STEP, K // K_STEP * K_STEP  # the same values, known to be multiples
    row, column = find_tile(M, N, BLOCK_M, BLOCK_N, GROUP_M)
    m = row * BLOCK_M + tl.arange(0, BLOCK_M)
    n = column * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    # Rows and columns outside are read from inside, and not stored.
    a = A + (m % M)[:, None].to(tl.int64) * K + k[None, :]
    b = B + k[:, None].to(tl.int64) * N + (n % N)[None, :]
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BLOCK_K)):
        rest = K - step * BLOCK_K
        tile_a = tl.load(a, mask=k[None, :] < rest, other=0.0)
        tile_b = tl.load(b, mask=k[:, None] < rest, other=0.0)
        sums = tl.dot(tile_a, tile_b, sums)
        a += BLOCK_K
        b += BLOCK_K * N
    inside = (m[:, None] < M) & (n[None, :] < N)
    tl.store(C + m[:, None].to(tl.int64) * N + n[None, :], sums.to(tl.bfloat16), mask=inside)


@triton.jit
def multiply_bf16_int4(A, B, C, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                       GROUP_M: tl.constexpr, N_STEP: tl.constexpr, K_STEP: tl.constexpr, CONVERT_FIRST: tl.constexpr):
    N, K = N // N_STEP * N_STEP, K // K_STEP * K_STEP  # the same values, known to be multiples
    row, column = find_tile(M, N, BLOCK_M, BLOCK_N, GROUP_M)
    m = row * BLOCK_M + tl.arange(0, BLOCK_M)
    n = column * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    pair = tl.arange(0, BLOCK_K // 2)
    a = A + (m % M)[:, None].to(tl.int64) * K + k[None, :]
    b = B + pair[:, None].to(tl.int64) * N + (n % N)[None, :]
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BLOCK_K)):
        rest = K - step * BLOCK_K
        # A is 0 past the end of K, so the spare nibble of an odd K counts for nothing.
        tile_a = tl.load(a, mask=k[None, :] < rest, other=0.0)
        packed = tl.load(b, mask=2 * pair[:, None] < rest, other=0).to(tl.int8, bitcast=True)
        even, odd = (packed << 4) >> 4, packed >> 4
        if CONVERT_FIRST:
            even, odd = even.to(tl.bfloat16), odd.to(tl.bfloat16)
        both = tl.join(even, odd).permute(0, 2, 1).reshape(BLOCK_K, BLOCK_N)
        sums = tl.dot(tile_a, both.to(tl.bfloat16), sums)
        a += BLOCK_K
        b += BLOCK_K // 2 * N
    inside = (m[:, None] < M) & (n[None, :] < N)
    tl.store(C + m[:, None].to(tl.int64) * N + n[None, :], sums.to(tl.bfloat16), mask=inside)


@triton.jit
def multiply_int8(A, B, C, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                  GROUP_M: tl.constexpr, N_STEP: tl.constexpr, K_STEP: tl.constexpr):
    N, K = N // N_STEP * N_STEP, K // K_STEP * K_STEP  # the same values, known to be multiples
    row, column = find_tile(M, N, BLOCK_M, BLOCK_N, GROUP_M)
    m = row * BLOCK_M + tl.arange(0, BLOCK_M)
    n = column * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    a = A + (m % M)[:, None].to(tl.int64) * K + k[None, :]
    b = B + (n % N)[None, :].to(tl.int64) * K + k[:, None]
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.int32)
    for step in range(0, tl.cdiv(K, BLOCK_K)):
        rest = K - step * BLOCK_K
        tile_a = tl.load(a, mask=k[None, :] < rest, other=0)
        tile_b = tl.load(b, mask=k[:, None] < rest, other=0)
        sums = tl.dot(tile_a, tile_b, sums, out_dtype=tl.int32)
        a += BLOCK_K
        b += BLOCK_K
    inside = (m[:, None] < M) & (n[None, :] < N)
    tl.store(C + m[:, None].to(tl.int64) * N + n[None, :], sums, mask=inside)


def make_configs(tiles, **common):
    """Settings of a launch from (BLOCK_M, BLOCK_N, BLOCK_K, num_stages, num_warps)."""
    names = ("BLOCK_M", "BLOCK_N", "BLOCK_K", "num_stages", "num_warps")
    return [dict(zip(names, tile), GROUP_M=8, **common) for tile in tiles]


BF16_CONFIGS = make_configs([
    (128, 256, 64, 3, 8), (128, 256, 64, 4, 8), (256, 128, 64, 3, 8), (256, 128, 64, 4, 8), (128, 128, 64, 3, 4),
    (128, 128, 64, 4, 4), (128, 128, 64, 4, 8), (128, 128, 128, 3, 8), (128, 256, 32, 4, 8), (64, 256, 64, 4, 4),
    (256, 64, 64, 4, 4), (64, 128, 64, 4, 4)])

INT4_CONFIGS = make_configs([
    (128, 128, 64, 3, 4), (128, 128, 64, 4, 4), (128, 128, 64, 3, 8), (128, 128, 64, 4, 8), (128, 128, 128, 3, 8),
    (128, 256, 64, 3, 8), (128, 256, 64, 4, 8), (256, 128, 64, 3, 8), (256, 128, 64, 4, 8), (256, 64, 64, 4, 4),
    (256, 64, 64, 3, 8), (64, 128, 64, 4, 4), (64, 256, 64, 4, 8), (128, 64, 64, 4, 4)], CONVERT_FIRST=False
) + make_configs([
    (128, 128, 64, 3, 4), (128, 128, 64, 4, 8), (128, 128, 128, 3, 8), (128, 256, 64, 3, 8), (256, 128, 64, 3, 8),
    (256, 64, 64, 4, 4)], CONVERT_FIRST=True)

INT8_CONFIGS = make_configs([
    (128, 256, 128, 3, 8), (128, 256, 128, 4, 8), (256, 128, 128, 3, 8), (256, 128, 128, 4, 8), (128, 128, 128, 3, 4),
    (128, 128, 128, 4, 4), (128, 128, 128, 4, 8), (128, 128, 256, 3, 8), (128, 256, 64, 4, 8), (64, 256, 128, 4, 4),
    (256, 64, 128, 4, 4), (64, 128, 128, 4, 4)])

WORKS = {"bf16": (multiply_bf16, BF16_CONFIGS), "int4": (multiply_bf16_int4, INT4_CONFIGS), "int8": (multiply_int8, INT8_CONFIGS)}


def find_steps(n: int, k: int) -> dict:
    """Powers of two that divide the pitches. Triton finds out by itself about 16 only, and needs 8 for loads of 16 bytes."""
    return {"N_STEP": min(16, n & -n), "K_STEP": min(16, k & -k)}


def launch(work: str, config: dict, a, b, c):
    """Computes c = a @ b; `b` is packed for the int4 work and [N, K] for the int8 work."""
    kernel, _ = WORKS[work]
    (m, k), n = a.shape, c.shape[1]
    grid = (triton.cdiv(m, config["BLOCK_M"]) * triton.cdiv(n, config["BLOCK_N"]),)
    kernel[grid](a, b, c, m, n, k, **find_steps(n, k), **config)


def compile_only(work: str, config: dict, shape, types):
    """Puts the code of a configuration in Triton's cache. `types` are those of A, B and C."""
    kernel, _ = WORKS[work]
    kernel.warmup(*types, shape.m, shape.n, shape.k, **find_steps(shape.n, shape.k), **config, grid=(1,))


def describe(config: dict) -> str:
    text = "{BLOCK_M}x{BLOCK_N}x{BLOCK_K} stages {num_stages} warps {num_warps}".format(**config)
    return text + (" convert first" if config.get("CONVERT_FIRST") else "")
