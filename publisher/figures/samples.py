"""What do all samples of a time look like? Their drift beside their distribution, and the steps they fall on."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from publisher.figure import Choice, Evidence, Provenance, Step, SteppedFigure
from publisher.figures._measured import CONDITIONS
from publisher.figures._sample_words import (
    Series,
    clock_text,
    drift_text,
    series,
    spread_text,
    step_text,
    table,
    tick_text,
)
from publisher.figures._style import (
    Trace,
    axis,
    base_layout,
    lacking,
    note,
    rerecord,
    rungs,
    told,
    words,
)
from recorder.recording import Recording
from recorder.statistics import Samples

BINS = 40
ZOOMS = (7, 14, 28)  # steps to either side of the median that the last step shows: the first that holds …
ENOUGH = 40  # … so many samples
BATCHES = 50  # of neighbouring samples, whose medians are the line of the drift
SPLIT = 0.68  # of the width for the drift; the distribution has the rest
GAP = 0.03
CLOCK_TOP = 0.2  # of the height
BARS, DRIFT, MEDIAN, BAND, MEDIAN_TEXT, CLOCK = range(6)  # places of the traces; those of the samples follow


def draw(evidence: Evidence) -> SteppedFigure:
    recording = evidence.need("times")
    every = [one for rung in rungs(evidence) for one in series(recording, rung)]
    shown = [one for one in every if one.samples]
    if not shown:
        raise lacking(evidence, "times", "no rung of the ladder has a time")
    conditions = evidence.card.get(evidence.subject, "conditions")
    place = {(one.rung.slug, one.condition): CLOCK + 1 + n for n, one in enumerate(shown)}
    words_beside = (clock_text(conditions), tick_text(evidence))
    sequences = {
        f"{one.rung.slug},{one.condition}": _steps(one, place[one.rung.slug, one.condition], words_beside)
        if one.samples
        else (Step("distribution", "No times", f"{one.name}: {one.why}."),)
        for one in every
    }
    rung_options = tuple((rung.slug, f"{rung.number} {rung.title}") for rung in rungs(evidence))
    return SteppedFigure(
        title="Every sample",
        alt="Samples in the order they were taken, and beside them how often each time occurred. "
        f"{told(next(iter(sequences.values()))[0])}",
        data=(*_data(conditions), *(_points(one) for one in shown)),
        layout=_layout(conditions is not None),
        narrow={"xaxis": {"nticks": 4}, "xaxis2": {"nticks": 3}, "xaxis3": {"nticks": 5}},
        sequences=sequences,
        table=table(every),
        provenance=(
            Provenance.recorded(*(r for r in (recording, conditions) if r)),
            Provenance.derived("medians, intervals and steps, from all samples; none was left out.", recording),
        ),
        rerecord=rerecord(evidence.subject, "times"),
        choices=(
            Choice("rung", "Rung", rung_options),
            Choice("condition", "Condition", tuple((c, c) for c in CONDITIONS)),
        ),
        height=460 if conditions else 380,
        narrow_height=460 if conditions else 380,
    )


# ---- the picture ---------------------------------------------------------------------------------------------------


def _data(conditions: Recording | None) -> list[Trace]:
    """The traces BARS to CLOCK; steps fill all but the clock."""
    line: Trace = {"type": "scatter", "mode": "lines", "y": [], "hoverinfo": "skip"}
    return [
        {
            "type": "bar",
            "orientation": "h",
            "xaxis": "x2",
            "x": [],
            "marker": {"color": "@q4", "line": {"width": 0}},
            "hovertemplate": "%{x} samples near %{y} µs<extra></extra>",
        },
        line | {"line": {"color": "@ink", "width": 1.5}},
        line
        | {
            "mode": "lines+markers",
            "line": {"color": "@ink", "width": 1},
            "marker": {"color": "@ink", "size": [0, 7]},
            "xaxis": "x2",
        },
        line
        | {"line": {"color": "@ink", "width": 0}, "fill": "toself", "fillcolor": "@q2", "opacity": 0.6, "xaxis": "x2"},
        words([], [], [], xaxis="x2", textposition="top left"),
        _clock(conditions) if conditions else dict(line),
    ]


def _points(one: Series) -> Trace:
    assert one.samples
    return {
        "type": "scatter",
        "mode": "markers",
        "visible": False,
        "x0": 1,
        "dx": 1,
        "y": [_rounded(float(us), one.samples) for us in one.samples.us],
        "marker": {"color": f"@{one.condition}", "size": 4, "opacity": 0.55},
        "hovertemplate": "sample %{x}: %{y} µs<extra></extra>",
    }


def _rounded(us: float, samples: Samples) -> float:
    """Rounded well below the step that the samples fall on."""
    return round(us, min(5, 2 - math.floor(math.log10(samples.step_us))) if samples.step_us else 5)


def _clock(conditions: Recording) -> Trace:
    """The SM clock, only where it changes: a reading equal to both its neighbours tells nothing."""
    table = conditions.results.samples.arrays
    seconds, clock = table["seconds"], table["sm_clock_MHz"]
    keep = np.ones(clock.size, dtype=bool)
    keep[1:-1] = (clock[1:-1] != clock[:-2]) | (clock[1:-1] != clock[2:])
    return {
        "type": "scatter",
        "mode": "lines",
        "xaxis": "x3",
        "yaxis": "y3",
        "x": [round(float(v), 2) for v in seconds[keep]],
        "y": [round(float(v), 1) for v in clock[keep]],
        "line": {"color": "@s3", "width": 1.5, "shape": "hv"},
        "hovertemplate": "%{y} MHz at %{x} s<extra></extra>",
    }


def _layout(with_clock: bool) -> dict[str, Any]:
    bottom = CLOCK_TOP + 0.22 if with_clock else 0
    heads = [
        note("µs", 0, 1, xanchor="right", xshift=-6, yshift=2),
        note("samples in order", 0, 1, yshift=2),
    ]
    heads.append(note("how many", SPLIT + GAP, 1, yshift=2))
    layout = base_layout(
        margin={"l": 8, "r": 8, "t": 26, "b": 24},
        xaxis=axis(domain=[0, SPLIT], anchor="y", showgrid=False, nticks=6),
        yaxis=axis(domain=[bottom, 1], nticks=6),
        xaxis2=axis(domain=[SPLIT + GAP, 1], anchor="y", showgrid=False, rangemode="tozero", nticks=4),
    )
    if with_clock:
        layout["xaxis3"] = axis(domain=[0, 1], anchor="y3", showgrid=False, ticksuffix=" s", nticks=8)
        layout["yaxis3"] = axis(domain=[0, CLOCK_TOP], anchor="x3", nticks=3)
        heads.append(note("SM clock, MHz, through the whole recording", 0, CLOCK_TOP, yshift=4))
    return layout | {"annotations": heads}


# ---- the steps -----------------------------------------------------------------------------------------------------


def _steps(one: Series, place: int, beside: tuple[str, str]) -> tuple[Step, ...]:
    assert one.samples
    clock, tick = beside
    traces = (BARS, DRIFT, MEDIAN, BAND, MEDIAN_TEXT, place)
    samples = one.samples
    low, high = float(samples.sorted_us[0]), float(samples.sorted_us[-1])
    inner = [float(v) for v in np.percentile(samples.us, (0.5, 99.5))]
    middle, step = samples.median_us, samples.step_us
    zoom = next((z for z in ZOOMS if (np.abs(samples.us - middle) <= z * step).sum() >= ENOUGH), ZOOMS[-1])
    near = (middle - zoom * step, middle + zoom * step)
    steps = [
        Step(
            "distribution",
            "Distribution",
            spread_text(one),
            _whole(one, (low, high), False),
            traces,
            _range(low, high),
        ),
        Step(
            "drift",
            "Drift",
            f"{drift_text(one)} {clock}".strip(),
            _whole(one, (inner[0], inner[1]), True),
            traces,
            _range(*inner),
        ),
    ]
    if step:
        steps.append(Step("steps", "Steps", step_text(one, near, tick), _fine(one, near), traces, _range(*near)))
    return tuple(steps)


def _range(low: float, high: float) -> dict[str, Any]:
    pad = (high - low) * 0.06 or abs(low) * 0.001
    return {"yaxis": {"range": [round(low - pad, 6), round(high + pad, 6)]}}


def _whole(one: Series, span: tuple[float, float], drift: bool) -> tuple[Trace, ...]:
    """Bins over ``span``, and with ``drift`` the medians of neighbouring samples."""
    assert one.samples
    counts, edges = np.histogram(one.samples.us, bins=BINS, range=span if span[0] < span[1] else None)
    bars = {
        "x": counts.tolist(),
        "y0": round(float(edges[0] + edges[1]) / 2, 6),
        "dy": round(float(edges[1] - edges[0]), 6),
        "width": round(float(edges[1] - edges[0]) * 0.9, 6),
    }
    line: Trace = {}
    if drift:
        size = max(1, one.samples.count // BATCHES)
        batches = [one.samples.us[start : start + size] for start in range(0, one.samples.count, size)]
        line = {
            "x0": (size + 1) / 2,
            "dx": size,
            "y": [_rounded(float(np.median(batch)), one.samples) for batch in batches],
        }
    return (
        bars,
        line,
        *_middle(one, int(counts.max())),
        {"visible": True, "marker": {"opacity": 0.35 if drift else 0.55}},
    )


def _fine(one: Series, span: tuple[float, float]) -> tuple[Trace, ...]:
    """A bar for each distinct time within ``span``."""
    assert one.samples
    values, counts = np.unique(one.samples.us, return_counts=True)
    inside = (values >= span[0]) & (values <= span[1])
    bars = {
        "x": counts[inside].tolist(),
        "y": [_rounded(float(v), one.samples) for v in values[inside]],
        "width": round(one.samples.step_us * 0.6, 6),
    }
    middle = _middle(one, int(counts[inside].max(initial=1)))
    return (bars, {}, *middle, {"visible": True, "marker": {"opacity": 0.9, "size": 5}})


def _middle(one: Series, most: int) -> tuple[Trace, Trace, Trace]:
    """The median across the distribution, its 95 % interval as a band, and the word."""
    assert one.samples
    low, high = (round(v, 6) for v in one.samples.interval_us)
    end = round(most * 1.08, 2)
    median = round(one.samples.median_us, 6)
    return (
        {"x": [0, end], "y": [median, median], "ids": ["", one.fact]},
        {"x": [0, end, end, 0], "y": [low, low, high, high]},
        {"x": [end], "y": [median], "text": ["median\u2002"]},
    )
