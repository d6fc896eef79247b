"""What do raw samples say? Medians, intervals, steps and resolution, derived on reading and never stored."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

VISIT = 10  # samples taken back to back before other lanes have their turn: they resemble each other
_NORMAL_QUANTILE = 1.959964  # two-sided 95 % point of the normal distribution


@dataclass(frozen=True)
class Samples:
    """Raw samples of one measured time, microseconds per launch, in the order they were taken."""

    us: np.ndarray

    @cached_property
    def sorted_us(self) -> np.ndarray:
        return np.sort(self.us)

    @cached_property
    def median_us(self) -> float:
        return float(np.median(self.us))

    @property
    def count(self) -> int:
        return int(self.us.size)

    @cached_property
    def interval_us(self) -> tuple[float, float]:
        """95 % interval of the median, by order statistics of independent units; no distribution is assumed.

        The samples of one visit share the state of the card, so they are not independent of each other: on an
        H200, treating them as if they were gave intervals up to ten times too narrow. Where there are whole
        visits, at least two, the unit is the median of a visit; else it is a sample.
        """
        visits, rest = divmod(self.us.size, VISIT)
        whole = visits >= 2 and rest == 0
        units = np.sort(np.median(self.us.reshape(visits, VISIT), axis=1)) if whole else self.sorted_us
        n = units.size
        half_width = _NORMAL_QUANTILE * np.sqrt(n) / 2
        low = max(0, int(np.floor(n / 2 - half_width)))
        high = min(n - 1, int(np.ceil(n / 2 + half_width)))
        return min(float(units[low]), self.median_us), max(float(units[high]), self.median_us)

    @property
    def half_interval_us(self) -> float:
        low, high = self.interval_us
        return (high - low) / 2

    @cached_property
    def step_us(self) -> float:
        """The step between distinct times: the tenth percentile of the gaps between neighbouring distinct values.

        Event times are whole ticks of a clock divided by the launches of a train, so distinct samples
        cannot lie closer than one tick. A percentile rather than the minimum keeps the float32
        rounding of event times (1 part in 10^7) from posing as a step. Zero when all samples agree.
        """
        gaps = np.diff(np.unique(self.us))
        gaps = gaps[gaps > np.abs(self.sorted_us[-1]) * 1e-6]
        return float(np.percentile(gaps, 10)) if gaps.size else 0.0


def resolution_us(a: Samples, b: Samples, twin_difference: float = 0.0) -> float:
    """The difference in microseconds below which ``a`` and ``b`` count as the same.

    The largest of: the step that either time falls on, the sum of the half widths of the medians'
    95 % intervals, and the relative difference that two runs of one kernel showed (``twin_difference``,
    a fraction) times the larger median.
    """
    return max(
        a.step_us,
        b.step_us,
        a.half_interval_us + b.half_interval_us,
        twin_difference * max(a.median_us, b.median_us),
    )


def twin_difference(first: Samples, second: Samples) -> float:
    """Relative difference of two runs of the same kernel in one session: the A/A test, as a fraction."""
    return abs(first.median_us - second.median_us) / min(first.median_us, second.median_us)
