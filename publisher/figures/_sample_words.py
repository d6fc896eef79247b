"""What do all samples of a time say in words and as a table?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from publisher.figure import DataTable, Evidence
from publisher.figures._measured import CONDITIONS, exact_us, value_of
from publisher.figures._style import Rung, fact, fmt_count, fmt_time, listed, times
from recorder.recording import Recording
from recorder.statistics import Samples, resolution_us


@dataclass(frozen=True)
class Series:
    """The samples of one rung under one condition."""

    fact: str  # path of the median
    rung: Rung
    condition: str
    samples: Samples | None
    why: str

    @property
    def name(self) -> str:
        return f"Rung {self.rung.number}, {self.rung.title}, {self.condition}"


def series(recording: Recording, rung: Rung) -> list[Series]:
    """Cold and warm samples of a rung."""
    found = [(condition, *times(recording, rung.slug, condition)) for condition in CONDITIONS]
    subject = recording.header.subject
    return [
        Series(fact(subject, rung.slug, condition), rung, condition, timed.samples if timed else None, why)
        for condition, timed, why in found
    ]


def spread_text(one: Series) -> str:
    """The median, its interval, and how far the samples lie apart."""
    assert one.samples
    s = one.samples
    low, high = s.interval_us
    quarter, three = (float(v) for v in np.percentile(s.us, (25, 75)))
    least, most = float(s.sorted_us[0]), float(s.sorted_us[-1])
    return (
        f"{one.name}: {fmt_count(s.count, 'sample')}. The median is {exact_us(s.median_us)} µs, and with "
        f"95 % confidence the true one lies from {exact_us(low)} to {exact_us(high)} µs. Half of all samples lie from "
        f"{exact_us(quarter)} to {exact_us(three)} µs, all of them from {exact_us(least)} to {exact_us(most)} µs."
    )


def drift_text(one: Series) -> str:
    """Is the last fifth of the samples another time than the first?"""
    assert one.samples
    fifth = max(1, one.samples.count // 5)
    first, last = Samples(one.samples.us[:fifth]), Samples(one.samples.us[-fifth:])
    difference = last.median_us - first.median_us
    verdict = "the same within the resolution"
    if abs(difference) > resolution_us(first, last):
        verdict = f"{abs(difference) / first.median_us:.2%} {'longer' if difference > 0 else 'shorter'}"
    return (
        f"The first {fifth} samples have the median {exact_us(first.median_us)} µs, the last {fifth} have "
        f"{exact_us(last.median_us)} µs: {verdict}. The line joins medians of neighbouring samples."
    )


def step_text(one: Series, span: tuple[float, float], tick: str) -> str:
    """What an enlargement of ``span`` shows of the steps that times fall on."""
    assert one.samples
    s = one.samples
    inside = int(((s.us >= span[0]) & (s.us <= span[1])).sum())
    distinct = fmt_count(int(np.unique(s.us).size), "distinct value")
    return (
        f"The middle, enlarged: {inside} of {fmt_count(s.count, 'sample')}. "
        f"Times fall on steps, {fmt_time(s.step_us)} apart; all samples together have {distinct}. {tick}"
    ).strip()


def tick_text(evidence: Evidence) -> str:
    """The step of the event clock, where it was recorded."""
    resolution = evidence.card.get(evidence.subject, "resolution")
    step = value_of(resolution.results.event_step_us) if resolution else None
    if step is None:
        return ""
    return f"The event clock moves in steps of {fmt_time(step)}, and a train shares one among all its launches."


def clock_text(conditions: Recording | None) -> str:
    """The SM clock through the recording, where it was recorded."""
    if conditions is None:
        return ""
    clock = conditions.results.samples.arrays["sm_clock_MHz"]
    reasons = conditions.results.throttle_reasons
    said = f" Throttle reasons seen: {listed(sorted(reasons))}." if reasons else " No throttle reason was seen."
    return (
        f"The SM clock, read through the whole recording and not sample by sample, lay from {clock.min():,.0f} to "
        f"{clock.max():,.0f}\u00a0MHz.{said}"
    )


def table(series: list[Series]) -> DataTable:
    rows = []
    for one in series:
        name = (f"{one.rung.number} {one.rung.title}", one.condition)
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
    columns = ("rung", "condition", "median µs", "95 % interval", "least µs", "most µs", "step µs", "samples")
    return DataTable(columns, tuple(rows), (2, 3, 4, 5, 6, 7))
