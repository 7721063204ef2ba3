"""Times launches on a GPU in the two power states that a large product sees.

A card at its power limit runs a short burst after an idle gap at a high clock, and a long series at a lower one. Both are
measured, with CUDA events. Candidates run in a new random order in each round, so that none always inherits the heat of the
same predecessor; in the sustained mode each heats the card itself before it is timed.
"""

import random
import statistics
import time
from dataclasses import dataclass, field
from typing import Callable, Dict, List, Optional

import torch

BURST_IDLE_SECONDS = 0.08
BURST_MILLISECONDS = 4.0
PREHEAT_MILLISECONDS = 40.0
SUSTAINED_MILLISECONDS = 40.0
MINIMUM_ROUNDS = 3
MAXIMUM_ROUNDS = 9


class Deadline:
    def __init__(self, seconds: float):
        self.end = time.monotonic() + seconds

    def remaining(self) -> float:
        return self.end - time.monotonic()

    def has_passed(self) -> bool:
        return self.remaining() <= 0


@dataclass
class Samples:
    """Milliseconds of one launch, one sample a round, and the clock of the SMs meanwhile."""
    times: List[float] = field(default_factory=list)
    clocks: List[int] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.times)

    @property
    def spread(self) -> float:
        """How far the fastest and the slowest round lie apart, over the median."""
        return (max(self.times) - min(self.times)) / self.median

    @property
    def clock(self) -> Optional[int]:
        return int(statistics.median(self.clocks)) if self.clocks else None


def open_clock_reader(device: int) -> Callable[[], Optional[int]]:
    """A function that reads the clock of the SMs in MHz; it gives None where NVML is missing."""
    try:
        import pynvml
        pynvml.nvmlInit()
        handle = pynvml.nvmlDeviceGetHandleByIndex(device)
        pynvml.nvmlDeviceGetClockInfo(handle, pynvml.NVML_CLOCK_SM)
        return lambda: pynvml.nvmlDeviceGetClockInfo(handle, pynvml.NVML_CLOCK_SM)
    except Exception:  # NVML fails in several ways, and the clock is only a remark.
        return lambda: None


def time_launches(run: Callable[[], None], count: int, samples: Optional[Samples] = None,
                  read_clock: Callable[[], Optional[int]] = lambda: None) -> float:
    """Milliseconds of each of `count` launches in a row."""
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(count):
        run()
    end.record()
    while samples is not None and not end.query():
        clock = read_clock()
        if clock is None:
            break
        samples.clocks.append(clock)
        time.sleep(0.002)
    end.synchronize()
    each = begin.elapsed_time(end) / count
    if samples is not None:
        samples.times.append(each)
    return each


def estimate(run: Callable[[], None]) -> float:
    """Milliseconds of a launch, roughly, after it has run once."""
    first = time_launches(run, 1)
    return first if first > 20 else time_launches(run, max(1, int(2 / max(first, 1e-3))))


def count_launches(milliseconds: float, each: float) -> int:
    return max(1, round(milliseconds / max(each, 1e-3)))


def measure_burst(runs: Dict[str, Callable[[], None]], estimates: Dict[str, float], seconds: float,
                  announce: Callable[[str], None]) -> Dict[str, Samples]:
    def one(name, samples):
        torch.cuda.synchronize()
        time.sleep(BURST_IDLE_SECONDS)
        runs[name]()  # wakes the device
        time_launches(runs[name], count_launches(BURST_MILLISECONDS, estimates[name]), samples)

    return _measure_rounds(runs, one, seconds, announce)


def measure_sustained(runs: Dict[str, Callable[[], None]], estimates: Dict[str, float], seconds: float,
                      announce: Callable[[str], None], read_clock: Callable[[], Optional[int]]) -> Dict[str, Samples]:
    def one(name, samples):
        for _ in range(count_launches(PREHEAT_MILLISECONDS, estimates[name])):
            runs[name]()
        time_launches(runs[name], count_launches(SUSTAINED_MILLISECONDS, estimates[name]), samples, read_clock)

    return _measure_rounds(runs, one, seconds, announce)


def _measure_rounds(runs, one, seconds, announce) -> Dict[str, Samples]:
    """Whole rounds only, so that every candidate has as many samples. `announce` hears who is next."""
    deadline = Deadline(seconds)
    results = {name: Samples() for name in runs}
    order = list(runs)
    for done in range(MAXIMUM_ROUNDS):
        if done >= MINIMUM_ROUNDS and deadline.has_passed():
            break
        random.shuffle(order)
        for name in order:
            announce(name)
            one(name, results[name])
    return results


def measure_copy_bandwidth() -> float:
    """Bytes a second, read plus written, of a copy much larger than the caches."""
    source = torch.empty(2 << 30, dtype=torch.uint8, device="cuda").random_()
    target = torch.empty_like(source)
    copy = lambda: target.copy_(source)  # noqa: E731
    time_launches(copy, 3)
    milliseconds = statistics.median(time_launches(copy, 4) for _ in range(3))
    return 2 * source.numel() / milliseconds * 1e3
