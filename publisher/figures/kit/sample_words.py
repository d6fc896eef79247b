"""What do all samples of a time say in words and as a table?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from publisher.facts.units import significant
from publisher.figures.kit.figure import DataTable, Evidence
from publisher.figures.kit.measured import CONDITIONS, exact_us, time_of, twin_of, value_of
from publisher.figures.kit.style import fact, fmt_count, fmt_time, listed, rungs, times
from schema.recording import Recording
from schema.results import Timed
from schema.statistics import Samples, resolution_us

FITS = 0.1  # of a tick: how far a sample may lie from a whole number of ticks, for its rounding


@dataclass(frozen=True)
class Series:
    """The samples of one rung or library call under one condition, and of its second run where there was one."""

    fact: str  # path of the median
    slug: str
    title: str
    condition: str
    samples: Samples | None
    why: str
    twin: Samples | None
    twin_fact: str
    tick_us: float  # the smallest difference that a train's time can have, 0 where it is not known
    visit: int  # samples in a row, before the next kernel has its turn; 0 where it is not known

    @property
    def name(self) -> str:
        return f"{self.title}, {self.condition}"

    @property
    def on_ticks(self) -> bool:
        """Are all samples whole numbers of ticks?"""
        if self.samples is None or not self.tick_us:
            return False
        ticks = self.samples.us / self.tick_us
        return bool(np.abs(ticks - np.round(ticks)).max() < FITS)


def every_series(evidence: Evidence, recording: Recording) -> list[Series]:
    """Cold and warm samples of all rungs, then of all library calls."""
    titles = {rung.slug: f"{rung.number} {rung.title}" for rung in rungs(evidence)}
    titles |= {slug: getattr(ref, "title", slug) for slug, ref in recording.results.references.items()}
    tick = _tick_us(evidence, recording)
    return [_series(recording, slug, title, c, tick) for slug, title in titles.items() for c in CONDITIONS]


def _series(recording: Recording, slug: str, title: str, condition: str, tick: float) -> Series:
    timed, why = times(recording, slug, condition)
    twin: Timed | None = time_of(recording.results.twins.get(slug), condition)
    subject = recording.header.subject
    visit = recording.header.method.get("samples_per_visit", 0)
    return Series(
        fact(subject, slug, condition), slug, title, condition,
        timed.samples if timed else None, why,
        twin.samples if twin else None, f"{subject}.twins.{slug}.{condition}", tick,
        visit if isinstance(visit, int) else 0,
    )  # fmt: skip


def _event_step_us(evidence: Evidence) -> float:
    resolution = evidence.card.get(evidence.subject, "resolution")
    return float(value_of(resolution.results.event_step_us) or 0.0) if resolution else 0.0


def _tick_us(evidence: Evidence, recording: Recording) -> float:
    launches = recording.header.method.get("launches_per_sample", 0)
    return _event_step_us(evidence) / launches if isinstance(launches, int) and launches > 0 else 0.0


def percent(share: float, digits: int = 2) -> str:
    """``0.12 %``, with so many significant digits; number and unit stay on one line."""
    return f"{significant(share * 100, digits)}\u00a0%"


def spread_text(one: Series) -> str:
    """The median, its interval, and how far the samples lie apart."""
    assert one.samples
    s = one.samples
    low, high = s.interval_us
    quarter, three = (float(v) for v in np.percentile(s.us, (25, 75)))
    least, most = float(s.sorted_us[0]), float(s.sorted_us[-1])
    return (
        f"{one.name}: {fmt_count(s.count, 'sample')}. Half of them lie from {exact_us(quarter)} to {exact_us(three)} "
        f"µs, all of them from {exact_us(least)} to {exact_us(most)} µs. The median is {exact_us(s.median_us)} µs, and "
        f"its 95\u00a0% interval, with each visit as one independent unit, {exact_us(low)} to {exact_us(high)} µs."
    )


def drift_text(one: Series, batches: Sequence[np.ndarray], span: tuple[float, float]) -> str:
    """Do neighbouring samples resemble each other? Is the last fifth another time than the first?"""
    assert one.samples
    us = one.samples.us
    medians = [float(np.median(batch)) for batch in batches]
    near = float(np.median(np.concatenate([np.abs(b - m) for b, m in zip(batches, medians, strict=True)])))
    size = batches[0].size
    turns = f"Samples come {size} in a row, then it is the other kernels' turn." if one.visit else ""
    fifth = max(1, one.samples.count // 5)
    first, last = Samples(us[:fifth]), Samples(us[-fifth:])
    difference = last.median_us - first.median_us
    verdict = "the same within the resolution"
    if abs(difference) > resolution_us(first, last):
        verdict = f"{percent(abs(difference) / first.median_us)} {'longer' if difference > 0 else 'shorter'}"
    outside = int(((us < span[0]) | (us > span[1])).sum())
    return (
        f"{turns} The line is the median of each {size}. Half of all samples lie within {fmt_time(near)} of it, and it "
        f"goes from {exact_us(min(medians))} to {exact_us(max(medians))} µs. Median of the first {fifth} samples: "
        f"{exact_us(first.median_us)} µs, of the last {fifth}: {exact_us(last.median_us)} µs, {verdict}."
        + (f" Outside the picture: {fmt_count(outside, 'sample')}." if outside else "")
    ).strip()


def step_text(one: Series, span: tuple[float, float], evidence: Evidence) -> str:
    """What an enlargement of ``span`` shows of the steps that times fall on."""
    assert one.samples
    s = one.samples
    inside = int(((s.us >= span[0]) & (s.us <= span[1])).sum())
    distinct = fmt_count(int(np.unique(s.us).size), "distinct value")
    parts = [f"The middle, enlarged: {inside} of {fmt_count(s.count, 'sample')}."]
    if one.on_ticks:
        parts.append(
            f"Times fall on steps of {fmt_time(one.tick_us)}: the event clock moves in steps of "
            f"{fmt_time(_event_step_us(evidence))}, and all launches of a train share one."
        )
    else:
        parts.append(f"Times fall on steps, about {fmt_time(s.step_us)} apart.")
    return " ".join([*parts, f"All samples together have {distinct}."])


def twin_text(one: Series, evidence: Evidence) -> str:
    """How far apart are two runs of the same thing?"""
    assert one.samples and one.twin
    a, b = one.samples.median_us, one.twin.median_us
    return (
        f"The same kernel, measured a second time in the same session as if it were another: the medians are "
        f"{exact_us(a)} and {exact_us(b)} µs, {percent(abs(a - b) / min(a, b))} apart. Of all that was measured twice "
        f"here, {one.condition}, the runs furthest apart differ by {percent(twin_of(evidence, one.condition))}. Two "
        "times closer than that are called the same."
    )


def clock_text(conditions: Recording | None) -> str:
    """The SM clock through the recording, where it was recorded."""
    if conditions is None:
        return ""
    clock = conditions.results.samples.arrays["sm_clock_MHz"]
    reasons = conditions.results.throttle_reasons
    least, most = f"{clock.min():,.0f}", f"{clock.max():,.0f}"
    span = f"was {least}\u00a0MHz throughout" if least == most else f"lay from {least} to {most}\u00a0MHz"
    return f"The SM clock {span}." + (f" Throttle reasons seen: {listed(sorted(reasons))}." if reasons else "")


def table(series: list[Series]) -> DataTable:
    rows = []
    for one in series:
        name = (one.title, one.condition)
        if one.samples is None:
            rows.append((*name, "", one.why, "", "", "", ""))
            continue
        s = one.samples
        rows.append(
            (
                *name,
                exact_us(s.median_us),
                "{:.3f} to {:.3f}".format(*s.interval_us),
                exact_us(float(s.sorted_us[0])),
                exact_us(float(s.sorted_us[-1])),
                f"{s.step_us:.5f}",
                str(s.count),
            )
        )
    columns = ("", "condition", "median µs", "95 % interval", "least µs", "most µs", "step µs", "samples")
    said = "Every rung and library call; the samples themselves are in the recording."
    return DataTable(columns, tuple(rows), (2, 3, 4, 5, 6, 7), said)
