"""How long will a run still take? Estimates of jobs, corrected by how long the jobs before them took."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

TRUST_S = 10.0  # an estimate weighs as much as this many seconds of experience


class TimeLeft:
    """``estimates`` are seconds by job, on a large card; ``clock`` gives seconds."""

    def __init__(self, estimates: Mapping[str, float], clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.left = dict(estimates)
        self.now: str | None = None
        self.took, self.meant = 0.0, 0.0  # of the jobs that ended

    def begin(self, job: str) -> None:
        self.now, self.started, self.share = job, self.clock(), 0.0

    def progress(self, share: float) -> None:
        self.share = min(1.0, max(self.share, share))

    def end(self, job: str) -> None:
        """The job is done, or was skipped."""
        meant = self.left.pop(job, 0.0)
        if job == self.now:
            self.took += self.clock() - self.started
            self.meant += meant
            self.now = None

    @property
    def pace(self) -> float:
        """Seconds that really pass for each estimated one."""
        return (TRUST_S + self.took) / (TRUST_S + self.meant)

    def seconds(self) -> float:
        """What is left of all jobs. The job that runs is judged more by its own progress the further it is."""
        found = self.pace * sum(seconds for job, seconds in self.left.items() if job != self.now)
        if self.now is None:
            return found
        elapsed = self.clock() - self.started
        by_estimate = max(0.0, self.pace * self.left.get(self.now, 0.0) - elapsed)
        if not self.share:
            return found + by_estimate
        by_progress = elapsed / self.share * (1 - self.share)
        return found + self.share * by_progress + (1 - self.share) * by_estimate


def words(seconds: float) -> str:
    """``47 s``, ``3 min``, ``1 h 5 min``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
