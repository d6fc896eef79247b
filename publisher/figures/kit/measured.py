"""How does a figure speak of a measured time? Units, comparisons by resolution, reasons for what is absent."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from publisher.facts.units import significant
from publisher.facts.values import largest_twin_difference
from publisher.figures.kit.figure import Evidence, Missing
from publisher.source.published import PublishedSet
from schema.results import ABSENT, Failed, NotDeclared, NotMeasured, Timed
from schema.statistics import resolution_us

CONDITIONS = ("cold", "warm")
TIME_COLUMNS = ("condition", "median µs", "95 % interval µs", "samples")
NUMERIC_TIME_COLUMNS = (1, 2, 3)
SAME = "the same within the resolution"


def us(value: float) -> str:
    """Microseconds for a caption: 9.27 µs."""
    return f"{significant(value)}\u00a0µs"


def exact_us(value: float) -> str:
    """Microseconds for a table, where the unit stands in the head: three decimals."""
    return f"{value:.3f}"


def interval_text(timed: Timed) -> str:
    low, high = timed.samples.interval_us
    return f"{low:.3f} to {high:.3f}"


def value_of(maybe: Any) -> Any:
    """The value of a field, ``None`` where it failed, was not measured or is not declared."""
    return None if isinstance(maybe, ABSENT) else maybe


def time_of(pair: Any, condition: str) -> Timed | None:
    """The measured time in one condition, or ``None``; ``pair`` may itself be failed or not measured."""
    pair = value_of(pair)
    return None if pair is None else value_of(getattr(pair, condition))


def reason(*fields: Any) -> str:
    """Why there is no value, from the first of ``fields`` that says so: ``failed: …`` or ``not measured: …``."""
    for maybe in fields:
        if isinstance(maybe, Failed):
            return f"failed: {maybe.failed}"
        if isinstance(maybe, NotMeasured):
            return f"not measured: {maybe.not_measured}"
        if isinstance(maybe, NotDeclared):
            return maybe.not_declared
    return "not recorded"


def absence(pair: Any, condition: str) -> str:
    """Why ``time_of`` gave ``None``."""
    return reason(pair, getattr(pair, condition, None))


@dataclass(frozen=True)
class Comparison:
    """Two times of one condition, and the difference below which they count as the same."""

    ours_us: float
    theirs_us: float
    resolution_us: float

    @property
    def same(self) -> bool:
        return abs(self.ours_us - self.theirs_us) <= self.resolution_us

    @property
    def steps(self) -> float:
        """How many resolution steps theirs lies above ours; negative below, endless without a resolution."""
        return (self.theirs_us - self.ours_us) / self.resolution_us if self.resolution_us else math.inf

    @property
    def words(self) -> str:
        """What ours is beside theirs: ``the same within the resolution``, ``1.65 times as fast`` or ``… as slow``."""
        if self.same:
            return SAME
        low, high = sorted((self.ours_us, self.theirs_us))
        return f"{times_text(high / low)} as {'fast' if self.ours_us == low else 'slow'}"

    def beside(self, name: str) -> str:
        """The same with the other's name: ``1.65 times as fast as …``, ``the same as … within the resolution``."""
        return SAME.replace("same", f"same as {name}", 1) if self.same else f"{self.words} as {name}"


def times_text(ratio: float) -> str:
    """``1.65 times``; a ratio that differs from 1 gets as many digits as it needs to show that."""
    digits = next((d for d in range(3, 8) if float(significant(ratio, d).replace(",", "")) != 1.0), 3)
    return f"{significant(ratio, digits)}\u00a0times"


def compare(ours: Timed, theirs: Timed, twin: float = 0.0) -> Comparison:
    """Ours against theirs; ``twin`` is the A/A difference of ``twin_of``."""
    a, b = ours.samples, theirs.samples
    return Comparison(a.median_us, b.median_us, resolution_us(a, b, twin))


def twin_of(evidence: Evidence, condition: str) -> float:
    """The largest relative difference between two runs of one thing in this condition: the A/A test, a fraction.

    Zero where nothing was run twice.
    """
    return largest_twin_difference(evidence.card.get(evidence.subject, "times"), condition)


def rung_titles(evidence: Evidence) -> dict[str, str]:
    """The rungs' titles by slug in the order of the ladder; empty where no code was recorded."""
    code = evidence.card.get(evidence.subject, "code")
    return {slug: rung.title for slug, rung in code.results.rungs.items()} if code else {}


def time_rows(pair: Any) -> list[tuple[str, str, str, str]]:
    """Cold and warm under ``TIME_COLUMNS``; the reason stands in place of the interval where there is no time."""
    rows = []
    for condition in CONDITIONS:
        timed = time_of(pair, condition)
        if timed is None:
            rows.append((condition, "", absence(pair, condition), ""))
        else:
            median = exact_us(timed.samples.median_us)
            rows.append((condition, median, interval_text(timed), str(timed.samples.count)))
    return rows


def spread_us(timed: Timed, decimals: int = 4) -> tuple[float, float]:
    """How far the 95 % interval reaches below and above the median, for error bars."""
    (low, high), median = timed.samples.interval_us, timed.samples.median_us
    return round(median - low, decimals), round(high - median, decimals)


def plain(name: str) -> str:
    """A slug or the name of a constant as words: ``split_k`` is ``split k``, ``TILE_ROWS`` is ``tile rows``."""
    return name.replace("_", " ").lower()


def published_set(evidence: Evidence, name: str) -> PublishedSet | None:
    """The published figures that a directive's option names; None for no name, ``Missing`` for an unknown one."""
    if not name:
        return None
    if name not in evidence.published:
        known = ", ".join(evidence.published) or "nothing"
        raise Missing(f"recordings/published has no {name}; it has {known}")
    return evidence.published[name]
