"""Random data for one product, its reference in float32, and an output that tells stray and missing writes.

The int4 work multiplies a bf16 A with int4 weights B. Their exact bf16 values are what the bf16 candidates get, so that all
candidates compute the same product from the same data. The int8 work multiplies int8 matrices to int32, exactly.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Optional

import torch

DEVICE = "cuda"
GUARD_BYTES = 4096
GUARD_PATTERN = 0xA5
# A spare nibble of a packed array must not count; a value that is not 0 shows it if it does.
SPARE_NIBBLE = 0xB
WORKS = ("bf16", "int4", "int8")


@dataclass(frozen=True)
class Shape:
    m: int
    n: int
    k: int

    @classmethod
    def parse(cls, text: str) -> "Shape":
        """Reads "4000x4104x4096" (M x N x K), or "8192" or "8192^3" for a cube."""
        parts = text.removesuffix("^3").split("x")
        if len(parts) == 1:
            parts *= 3
        if len(parts) != 3 or not all(part.isdecimal() and int(part) > 0 for part in parts):
            raise ValueError(text)
        return cls(*map(int, parts))

    @property
    def operations(self) -> float:
        return 2.0 * self.m * self.n * self.k

    def __str__(self):
        return f"{self.m}x{self.n}x{self.k}"


def pack_int4(values: torch.Tensor, dim: int) -> torch.Tensor:
    """Packs int8 values from -8 to 7, two to a byte along a dimension, the lower index in the low nibble."""
    if values.shape[dim] % 2:
        shape = list(values.shape)
        shape[dim] = 1
        spare = torch.full(shape, SPARE_NIBBLE, dtype=torch.uint8, device=values.device).view(torch.int8)
        values = torch.cat([values, spare], dim)
    low, high = values.view(torch.uint8).unflatten(dim, (-1, 2)).unbind(dim + 1)
    return ((low & 15) | (high << 4)).contiguous()


class GuardedOutput:
    """A matrix between guard bytes."""

    def __init__(self, rows: int, columns: int, dtype: torch.dtype):
        size = dtype.itemsize * rows * columns
        self.bytes = torch.empty(size + 2 * GUARD_BYTES, dtype=torch.uint8, device=DEVICE)
        self.matrix = self.bytes[GUARD_BYTES:GUARD_BYTES + size].view(dtype).view(rows, columns)
        self.poison()

    def poison(self):
        self.bytes.fill_(GUARD_PATTERN)
        # No product of int8 is as large as the integer.
        self.matrix.fill_(float("nan") if self.matrix.is_floating_point() else torch.iinfo(self.matrix.dtype).max)

    def find_fault(self) -> Optional[str]:
        """What is wrong without looking at values, or None."""
        for side, guard in (("before", self.bytes[:GUARD_BYTES]), ("after", self.bytes[-GUARD_BYTES:])):
            changed = int((guard != GUARD_PATTERN).sum())
            if changed:
                return f"{changed} bytes {side} the output were written"
        missing = int(torch.isnan(self.matrix).sum())
        return f"{missing} of {self.matrix.numel()} elements are NaN or were not written" if missing else None


class Problem:
    """The data of one shape and work."""

    def __init__(self, shape: Shape, work: str, seed: int):
        self.shape, self.work = shape, work
        generator = torch.Generator(DEVICE).manual_seed(seed)
        self.is_exact = work == "int8"
        self.output = GuardedOutput(shape.m, shape.n, torch.int32 if self.is_exact else torch.bfloat16)
        if self.is_exact:
            self.a, self.b_transposed = (torch.randint(-128, 128, size, dtype=torch.int8, device=DEVICE, generator=generator)
                                         for size in ((shape.m, shape.k), (shape.n, shape.k)))
            # Sums in float64 are exact.
            self.reference = (self.a.double() @ self.b_transposed.double().t()).int()
            return
        self.a = torch.randn(shape.m, shape.k, device=DEVICE, generator=generator).bfloat16()
        if work == "int4":
            self.weights = torch.randint(-8, 8, (shape.k, shape.n), dtype=torch.int8, device=DEVICE, generator=generator)
            self.b = self.weights.bfloat16()
        else:
            self.b = torch.randn(shape.k, shape.n, device=DEVICE, generator=generator).bfloat16()
        # TF32 would spoil the reference.
        torch.backends.cuda.matmul.allow_tf32 = False
        self.reference = self.a.float() @ self.b.float()

    @cached_property
    def b_transposed(self) -> torch.Tensor:
        return self.b.t().contiguous()

    @cached_property
    def packed(self) -> torch.Tensor:
        """[K, N] packed along K: ceil(K / 2) rows of N bytes."""
        return pack_int4(self.weights, 0)

    @cached_property
    def packed_transposed(self) -> torch.Tensor:
        """[N, K] packed along K."""
        return pack_int4(self.weights.t().contiguous(), 1)

    def relative_error(self) -> float:
        """||output - reference|| / ||reference||, Frobenius norms, summed in float64; of exact work 0 or infinite."""
        if self.is_exact:
            return 0.0 if torch.equal(self.output.matrix, self.reference) else float("inf")
        difference = norm = 0.0
        for got, want in zip(self.output.matrix.split(2048), self.reference.split(2048)):
            difference += float(((got.double() - want.double()) ** 2).sum())
            norm += float((want.double() ** 2).sum())
        return (difference / norm) ** 0.5 if norm else (0.0 if difference == 0 else float("inf"))
