"""Where does each rung stand under the roofs, which roof is the lowest over it, and how much of that does it reach?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from publisher.facts.units import significant
from publisher.figures.kit.figure import DataTable, Evidence
from publisher.figures.kit.measured import CONDITIONS, absence, exact_us, reason, time_of
from publisher.figures.kit.roofs import Roof
from publisher.figures.kit.style import fmt_time, rungs
from schema.recording import Recording
from schema.results import NotMeasured
from schema.units import UNITS


@dataclass(frozen=True)
class Point:
    """A rung: ``intensity`` in FLOP a byte of the least bytes, 0 where there are none; ``pair`` in any of its states.

    ``rate`` is the measured roof of its arithmetic unit; without one, ``no_rate`` says why.
    """

    number: int
    slug: str
    title: str
    types: str
    intensity: float
    flops: int
    pair: Any
    rate: Roof | None
    no_rate: str

    def tflops(self, condition: str) -> float | None:
        timed = time_of(self.pair, condition)
        return None if timed is None or not self.intensity else self.flops / timed.samples.median_us / 1e6

    def lowest(self, memory: Roof) -> Roof:
        """The lower of the roof of memory and that of its unit, at its intensity."""
        roofs = [memory, self.rate] if self.rate else [memory]
        return min(roofs, key=lambda roof: roof.at(self.intensity))


def points_of(evidence: Evidence, times: Recording, flats: Sequence[Roof], peaks: Recording) -> list[Point]:
    """Every rung of the ladder, in its order."""
    results = times.results
    points = []
    for rung in rungs(evidence):
        least = results.least_bytes.get(rung.types)
        pair = results.rungs.get(rung.slug, NotMeasured(not_measured="the recording of times has no such rung"))
        unit = UNITS.get(rung.unit)
        rate = next((roof for roof in flats if unit and roof.key == unit.peak), None)
        if unit is None:
            why = "The ladder does not declare on which unit it calculates"
        else:
            said = reason(getattr(peaks.results, unit.peak)) if unit.peak else "not measured"
            why = f"The rate of its {unit.title} was {said}"
        intensity = results.flops / least if least else 0.0
        points.append(Point(rung.number, rung.slug, rung.title, rung.types, intensity, results.flops, pair, rate, why))
    return points


# ---- in words --------------------------------------------------------------------------------------------------------


def point_caption(condition: str, point: Point, slopes: Sequence[Roof]) -> str:
    """Its speed, which of its roofs is the lower, and how much of that one it reaches."""
    speed, timed = point.tflops(condition), time_of(point.pair, condition)
    if speed is None or timed is None:
        return f"{point.title} has no {condition} time here ({absence(point.pair, condition)})."
    memory = slopes[0]
    start = (
        f"{condition.capitalize()}, {significant(point.intensity)} FLOP a byte of {point.types} data; "
        f"{fmt_time(timed.samples.median_us)} make {_speed(speed)}."
    )
    lowest = point.lowest(memory)
    share = f"That is {_share(speed, lowest, point)}"
    if lowest is memory and speed > memory.at(point.intensity):
        share = _above_memory(condition, share, memory, speed, point, slopes)
    elif speed > lowest.at(point.intensity):
        share += ", so the point lies above that roof: the multiplies that set it were no limit"
    return f"{start} {share}. {_other(memory, lowest, point)}"


def _speed(tflops: float) -> str:
    return f"{significant(tflops)}\u00a0TFLOP/s"


def _share(speed: float, roof: Roof, point: Point) -> str:
    """``12 % of what device memory allows at this intensity, 36 TFLOP/s``, or ``92 % of the measured rate of …``."""
    allowed = roof.at(point.intensity)
    what = f"the measured rate of {roof.name}" if roof is point.rate else f"what {roof.name} allows at this intensity"
    return f"{significant(100 * speed / allowed)}\u202f% of {what}, {_speed(allowed)}"


def _other(memory: Roof, lowest: Roof, point: Point) -> str:
    """The roof that is not the lower one, or why there is no roof of arithmetic."""
    if point.rate is None:
        return f"{point.no_rate}, so only {memory.name} is a roof here."
    higher = (
        f"the rate of {point.rate.name} is {_speed(point.rate.value)}"
        if lowest is memory
        else f"{memory.name} allows {_speed(memory.at(point.intensity))}"
    )
    return f"This roof is the lower of its two: {higher}."


def _above_memory(condition: str, share: str, memory: Roof, speed: float, point: Point, slopes: Sequence[Roof]) -> str:
    """Why a point may lie above the roof of device memory: a cache served it, or the plain read was no limit."""
    said = f"{share}, so the point lies above that roof"
    cache = next((roof for roof in slopes if roof.key.startswith("l2")), None)
    if condition == "cold":
        return f"{said}: some of its bytes did not come from {memory.name}, or the read that set the roof was no limit"
    if cache is None:
        return f"{said}: warm, the bytes were just read and may come from a cache"
    lower = point.lowest(cache)
    allowed = lower.at(point.intensity)
    reached = f"{significant(100 * speed / allowed)}\u202f% of {_speed(allowed)}"
    came = f"{said}: warm, the bytes were just read and come from {cache.name}"
    if lower is cache:
        return f"{came}, whose own roof it reaches to {reached}"
    return f"{came}; of the rate of {lower.name}, which is lower than the roof of {cache.name}, it reaches {reached}"


def points_table(points: Sequence[Point], slopes: Sequence[Roof], flats: Sequence[Roof]) -> DataTable:
    """Every rung in both conditions, also those without a point and why, and the roofs."""
    memory = slopes[0]
    rows = []
    for point in points:
        for condition in CONDITIONS:
            timed, speed = time_of(point.pair, condition), point.tflops(condition)
            shown = [exact_us(timed.samples.median_us) if timed else "", significant(speed) if speed else ""]
            intensity = significant(point.intensity) if point.intensity else ""
            why = "" if point.intensity else f"no least bytes were recorded for {point.types}"
            roof, reached = "", ""
            if speed:
                lowest = point.lowest(memory)
                roof, reached = lowest.name, significant(100 * speed / lowest.at(point.intensity))
                why = "" if point.rate else point.no_rate[0].lower() + point.no_rate[1:]
            why = why if timed else absence(point.pair, condition)
            rows.append((point.title, condition, intensity, *shown, roof, reached, why))
    for roof in (*slopes, *flats):
        rows.append((f"roof: {roof.what}", "", "", "", roof.text.rsplit(", ", 1)[1], "", "", "measured"))
    columns = (
        "rung or roof",
        "condition",
        "FLOP a byte",
        "median µs",
        "TFLOP/s",
        "its lower roof",
        "% of it",
        "remark",
    )
    return DataTable(columns, tuple(rows), (2, 3, 4, 6), "Speed and intensity of each rung, and the measured roofs.")
