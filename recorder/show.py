"""How does a run show itself? A bar with what runs now and the time left on a terminal, a line a job elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any

from recorder.experiments import Job
from recorder.run import Outcome, Report


class LineReport(Report):
    """A line when a job begins, one when it ends: for logs."""

    def __init__(self, jobs: list[Job]) -> None:
        self.left = {job.key: float(job.experiment.estimate_s) for job in jobs}
        self.last = 0.0

    def begin(self, job: Job, index: int, count: int) -> None:
        self._print(f"[{index + 1}/{count}] {job.key}: about {job.experiment.estimate_s} s, {self._left()} left in all")

    def progress(self, job: Job, what: str, share: float) -> None:
        self.left[job.key] = job.experiment.estimate_s * (1 - share)
        if time.monotonic() - self.last > 15:
            self._print(f"    {share:4.0%} {what}, {self._left()} left in all")

    def end(self, outcome: Outcome) -> None:
        self.left[outcome.job.key] = 0.0
        self._print(
            f"    {outcome.state} in {outcome.seconds:.1f} s"
            + (f", {len(outcome.faults)} failed" if outcome.faults else "")
        )

    def say(self, sentence: str) -> None:
        self._print(sentence)

    def _left(self) -> str:
        seconds = sum(self.left.values())
        return f"{seconds / 60:.0f} min" if seconds > 90 else f"{seconds:.0f} s"

    def _print(self, text: str) -> None:
        self.last = time.monotonic()
        print(text, flush=True)


class BarReport(LineReport):
    """One line that is drawn over, and a line that stays for each job that ends."""

    WIDTH = 28

    def begin(self, job: Job, index: int, count: int) -> None:
        self.place = f"[{index + 1}/{count}] {job.key}"

    def progress(self, job: Job, what: str, share: float) -> None:
        self.left[job.key] = job.experiment.estimate_s * (1 - share)
        if time.monotonic() - self.last < 0.1:
            return
        self.last = time.monotonic()
        full = round(share * self.WIDTH)
        bar = "█" * full + "·" * (self.WIDTH - full)
        sys.stdout.write(f"\r\x1b[K{self.place} {bar} {share:4.0%} {what[:40]}, {self._left()} left")
        sys.stdout.flush()

    def _print(self, text: str) -> None:
        sys.stdout.write("\r\x1b[K")
        print(text, flush=True)

    def end(self, outcome: Outcome) -> None:
        sys.stdout.write("\r\x1b[K")
        print(self.place, end="")
        super().end(outcome)


def print_table(rows: Sequence[tuple[Any, ...]]) -> None:
    """Rows as aligned columns, the first row as head; the first column left, the others right."""
    widths = [max(len(str(row[i])) for row in rows if i < len(row)) for i in range(max(len(r) for r in rows))]
    long = {i for i, w in enumerate(widths) if w > 24 and i > 0}
    for n, row in enumerate(rows):
        cells = []
        for i, cell in enumerate(row):
            width = 12 if i in long else widths[i]
            cells.append(str(cell).ljust(width) if i == 0 else str(cell).rjust(width))
        print("  " + "  ".join(cells).rstrip())
        if n == 0:
            print("  " + "  ".join("-" * (12 if i in long else w) for i, w in enumerate(widths)))
