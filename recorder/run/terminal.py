"""How does a run show itself? A bar with what runs now and the time left on a terminal, a line a job elsewhere."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Sequence
from typing import Any

from recorder.experiments import Job
from recorder.run.order import Report
from recorder.run.outcome import Outcome
from recorder.run.timeleft import TimeLeft, words

LINE_EVERY_S = 15.0
DRAW_EVERY_S = 0.1


class LineReport(Report):
    """A line when a job begins, one when it ends, and one now and then between: for logs."""

    every_s = LINE_EVERY_S  # of progress that is told

    def __init__(self, jobs: list[Job], quick: bool = False, every_s: float | None = None) -> None:
        self.time = TimeLeft({job.key: float(job.estimate_s(quick)) for job in jobs})
        self.quick = quick
        self.every_s = self.every_s if every_s is None else every_s
        self.last = 0.0

    def begin(self, job: Job, index: int, count: int) -> None:
        self.time.begin(job.key)
        self.place = f"[{index + 1}/{count}] {job.key}"
        self.line(f"{self.place}: about {words(job.estimate_s(self.quick))}, {self.left()} left in all")

    def progress(self, job: Job, what: str, share: float) -> None:
        self.time.progress(share)
        if time.monotonic() - self.last >= self.every_s:
            self.line(f"    {share:4.0%} {what}, {self.left()} left in all")

    def end(self, outcome: Outcome) -> None:
        self.time.end(outcome.job.key)
        if outcome.state == "skipped":
            self.line(f"{outcome.job.key}: recorded before")
        else:
            self.line(f"    {_ending(outcome)}")

    def say(self, sentence: str) -> None:
        self.line(sentence)

    def left(self) -> str:
        return words(self.time.seconds())

    def line(self, text: str) -> None:
        self.last = time.monotonic()
        print(text, flush=True)


class BarReport(LineReport):
    """One line that is drawn over, and a line that stays for each job that ends."""

    WIDTH = 24
    every_s = DRAW_EVERY_S

    def begin(self, job: Job, index: int, count: int) -> None:
        self.time.begin(job.key)
        self.place = f"[{index + 1}/{count}] {job.key}"
        self.draw(0.0, "begin")

    def progress(self, job: Job, what: str, share: float) -> None:
        self.time.progress(share)
        if time.monotonic() - self.last >= self.every_s:
            self.draw(share, what)

    def end(self, outcome: Outcome) -> None:
        self.time.end(outcome.job.key)
        if outcome.state != "skipped":
            self.line(f"{self.place} {_ending(outcome)}")

    def draw(self, share: float, what: str) -> None:
        self.last = time.monotonic()
        full = round(share * self.WIDTH)
        text = f"{self.place} {'█' * full}{'·' * (self.WIDTH - full)} {share:4.0%}  {self.left()} left  {what}"
        width = shutil.get_terminal_size().columns - 1  # the last column would begin a new line
        sys.stdout.write(f"\r\x1b[K{text[:width]}")
        sys.stdout.flush()

    def line(self, text: str) -> None:
        sys.stdout.write("\r\x1b[K")
        super().line(text)


def _ending(outcome: Outcome) -> str:
    parts = [f"{outcome.state} in {outcome.seconds:.1f} s"]
    if outcome.faults and outcome.state != "failed":
        parts.append(f"{len(outcome.faults)} {'part' if len(outcome.faults) == 1 else 'parts'} failed")
    return ", ".join([*parts, *outcome.flags])


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
