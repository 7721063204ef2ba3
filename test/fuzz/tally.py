"""Counts cases by family, outcome and reason."""

import collections
import threading
import time


# Fewer may all be refused by chance.
ENOUGH_CASES = 20


class Tally:
    def __init__(self):
        self.counts = collections.defaultdict(collections.Counter)  # by family
        self.reasons = {"refused": collections.Counter(), "failed": collections.Counter()}
        self.begin, self.lock = time.time(), threading.Lock()

    def add(self, family, result):
        with self.lock:
            self.counts[family][result.kind] += 1
            if result.kind != "passed":
                self.reasons[result.kind][family, result.signature] += 1

    def find_idle(self):
        """Families of which enough cases ran, and none passed."""
        return [family for family, counts in self.counts.items()
                if sum(counts.values()) >= ENOUGH_CASES and not counts["passed"] and not counts["failed"]]

    def line(self):
        total = sum(self.counts.values(), collections.Counter())
        seconds = time.time() - self.begin
        return "%d s: %d passed, %d refused, %d failed, %.1f cases a second" % (
            seconds, total["passed"], total["refused"], total["failed"], sum(total.values()) / max(seconds, 1e-9))

    def table(self):
        lines = ["%-14s %8s %8s %8s" % ("family", "passed", "refused", "failed")]
        for family, counts in self.counts.items():
            lines.append("%-14s %8d %8d %8d" % (family, counts["passed"], counts["refused"], counts["failed"]))
        for kind in ("refused", "failed"):
            for (family, reason), count in self.reasons[kind].most_common():
                lines.append(f"{kind} {count:6d}  {family}: {reason}")
        return "\n".join(lines + [self.line()])
