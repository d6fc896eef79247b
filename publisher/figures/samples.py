"""What do all samples of a time look like? Their drift beside their distribution, the steps they fall on, a second run.

Samples are drawn as whole numbers of quanta from a zero near the median: exact where a quantum is a tick of the
clock, and a third of the page's weight either way.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from publisher.figures.kit.figure import Choice, Evidence, Provenance, Step, SteppedFigure
from publisher.figures.kit.measured import CONDITIONS
from publisher.figures.kit.options import TimedNames
from publisher.figures.kit.sample_words import (
    Series,
    clock_text,
    drift_text,
    every_series,
    spread_text,
    step_text,
    table,
    twin_text,
)
from publisher.figures.kit.style import Trace, axis, base_layout, lacking, note, rerecord, rungs, told, words
from schema.recording import Recording

FINEST = 1e-4  # µs; the quantum where the clock's tick is not known
BINS = 40
ZOOMS = (7, 10, 14)  # steps to either side of the median that the enlargement shows: the first that holds …
ENOUGH = 20  # … so many samples
BATCHES = 50  # of neighbouring samples, whose medians are the line of the drift, where visits are not known
EVERY = 4  # of the lines of the enlargement, a line a step, has its label
MOST_TICKS = 7
SPLIT = 0.66  # of the width for the drift; the distribution has the rest
GAP = 0.04
CLOCK_TOP = 0.2  # of the height
BARS, TWIN, DRIFT, MEDIAN, TWIN_MEDIAN, BAND, MEDIAN_TEXT = range(7)  # places of the traces; then clock and samples
CHANGING = (BARS, TWIN, DRIFT, MEDIAN, TWIN_MEDIAN, BAND, MEDIAN_TEXT)


@dataclass(frozen=True)
class Grid:
    """A series in whole quanta from zero: ``zero`` is the quantum nearest to the median."""

    series: Series
    quantum_us: float
    zero: int

    @staticmethod
    def of(series: Series) -> Grid:
        assert series.samples
        quantum = series.tick_us if series.on_ticks else FINEST
        return Grid(series, quantum, round(series.samples.median_us / quantum))

    def place(self, us: float) -> float:
        """Where a time is on the axis, to a hundredth of a quantum."""
        return round(us / self.quantum_us - self.zero, 2)

    def places(self, us: np.ndarray) -> list[int]:
        return (np.round(us / self.quantum_us).astype(int) - self.zero).tolist()

    @property
    def zero_text(self) -> str:
        return f"{self.zero * self.quantum_us:.5f}\u00a0µs"

    @property
    def quantum_text(self) -> str:
        return f"{self.quantum_us * 1000:.3g}\u00a0ns"


def draw(evidence: Evidence, names: TimedNames = "") -> SteppedFigure:
    """``names``: slugs of rungs and library calls between blanks or commas; see ``_usual`` for the default."""
    recording = evidence.need("times")
    every = every_series(evidence, recording)
    wanted = names.replace(",", " ").split() or _usual(evidence, recording)
    chosen = [one for one in every if one.slug in wanted]
    grids = {(one.slug, one.condition): Grid.of(one) for one in chosen if one.samples}
    if not grids:
        groups = (recording.results.rungs, recording.results.references)
        shown = [group[name] for name in wanted for group in groups if name in group]
        raise lacking(evidence, "times", "nothing that this figure shows has a time", shown)
    conditions = evidence.card.get(evidence.subject, "conditions")
    clock = conditions if conditions and _varies(conditions) else None
    still = _data(clock)
    places = {key: len(still) + n for n, key in enumerate(grids)}
    sequences = {
        f"{one.slug},{one.condition}": _steps(evidence, grids[key], places[key], clock_text(conditions))
        if (key := (one.slug, one.condition)) in grids
        else (Step("distribution", "No times", f"{one.name}: {one.why}."),)
        for one in chosen
    }
    options = tuple({one.slug: one.title for one in chosen}.items())
    return SteppedFigure(
        title="Every sample",
        alt="Samples in the order they were taken, and beside them how often each time occurred. "
        f"{told(next(iter(sequences.values()))[0])}",
        data=(*still, *(_points(grid) for grid in grids.values())),
        layout=_layout(clock is not None),
        narrow={"xaxis": {"nticks": 4}, "xaxis2": {"nticks": 3}, "xaxis3": {"nticks": 5}},
        sequences=sequences,
        table=table(every),
        provenance=(
            Provenance.recorded(*(r for r in (recording, conditions) if r)),
            Provenance.derived("medians, intervals and steps, from all samples; none was left out.", recording),
        ),
        rerecord=rerecord(evidence.subject, "times"),
        choices=(
            Choice("name", "Kernel", options),
            Choice("condition", "Condition", tuple((c, c) for c in CONDITIONS)),
        ),
        height=480 if clock else 380,
        narrow_height=480 if clock else 380,
    )


def _usual(evidence: Evidence, recording: Recording) -> list[str]:
    """The last rung, and the library calls that were measured twice or else the first."""
    references = list(recording.results.references)
    twice = [slug for slug in references if slug in recording.results.twins]
    return [rung.slug for rung in rungs(evidence)[-1:]] + (twice or references[:1])


# ---- the picture ---------------------------------------------------------------------------------------------------


def _data(clock: Recording | None) -> list[Trace]:
    """The traces BARS to MEDIAN_TEXT, which steps fill, and the clock where it changed."""
    line: Trace = {"type": "scatter", "mode": "lines", "y": [], "hoverinfo": "skip"}
    middle = line | {"mode": "lines+markers", "marker": {"color": "@ink", "size": [0, 7]}, "xaxis": "x2"}
    bars: Trace = {
        "type": "bar",
        "orientation": "h",
        "xaxis": "x2",
        "x": [],
        "marker": {"color": "@q4", "line": {"width": 0}},
        "hovertemplate": "%{x} samples<extra></extra>",
    }
    made = {
        BARS: bars,
        TWIN: line | {"line": {"color": "@s4", "width": 2, "shape": "vh"}, "xaxis": "x2"},
        DRIFT: line | {"line": {"color": "@ink", "width": 1.5, "shape": "hvh"}},
        MEDIAN: middle | {"line": {"color": "@ink", "width": 1}},
        TWIN_MEDIAN: middle
        | {"line": {"color": "@s4", "width": 1}, "marker": {"color": "@s4", "size": [0, 7], "symbol": "diamond"}},
        BAND: line | {"line": {"width": 0}, "fill": "toself", "fillcolor": "@s4", "opacity": 0.25, "xaxis": "x2"},
        MEDIAN_TEXT: words([], [], [], xaxis="x2", textposition="top left"),
    }
    return [made[place] for place in CHANGING] + ([_clock(clock)] if clock else [])


def _points(grid: Grid) -> Trace:
    assert grid.series.samples
    return {
        "type": "scatter",
        "mode": "markers",
        "visible": False,
        "x0": 1,
        "y": grid.places(grid.series.samples.us),
        "marker": {"color": f"@{grid.series.condition}", "size": 3},
        "hovertemplate": f"sample %{{x}}<br>{grid.zero_text} %{{y:+d}} x {grid.quantum_text}<extra></extra>",
    }


def _varies(conditions: Recording) -> bool:
    clock = conditions.results.samples.arrays["sm_clock_MHz"]
    return bool(clock.min() < clock.max())


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
    layout = base_layout(
        margin={"l": 44, "r": 16, "t": 26, "b": 44},
        xaxis=axis("sample, in order", domain=[0, SPLIT], anchor="y", showgrid=False, nticks=6),
        yaxis=axis(domain=[bottom, 1], tickmode="array"),
        xaxis2=axis("samples", domain=[SPLIT + GAP, 1], anchor="y", showgrid=False, rangemode="tozero", nticks=4),
    )
    if with_clock:
        layout["xaxis3"] = axis(domain=[0, 1], anchor="y3", showgrid=False, ticksuffix=" s", nticks=8)
        layout["yaxis3"] = axis(domain=[0, CLOCK_TOP], anchor="x3", nticks=3)
    return layout | {"annotations": _heads("how many", with_clock)}


def _heads(right: str, with_clock: bool) -> list[dict[str, Any]]:
    heads = [
        note("ns from the median", 0, 1, yshift=4),
        note(right, SPLIT + GAP, 1, yshift=4),
    ]
    if with_clock:
        heads.append(note("SM clock, MHz, through the whole recording", 0, CLOCK_TOP, yshift=4))
    return heads


# ---- the steps -----------------------------------------------------------------------------------------------------


def _steps(evidence: Evidence, grid: Grid, place: int, clock: str) -> tuple[Step, ...]:
    one = grid.series
    assert one.samples
    samples = one.samples
    whole = (float(samples.sorted_us[0]), float(samples.sorted_us[-1]))
    inner = _inner(samples.us)
    step = one.tick_us if one.on_ticks else samples.step_us
    middle = samples.median_us
    zoom = next((z for z in ZOOMS if (np.abs(samples.us - middle) <= z * step).sum() >= ENOUGH), ZOOMS[-1])
    near = (middle - zoom * step, middle + zoom * step)
    drift = f"{drift_text(one, _batches(one), inner)} {clock}".strip()
    made = [
        ("distribution", "Distribution", spread_text(one), _range(grid, whole), _whole(grid, whole, False)),
        ("drift", "Drift", drift, _range(grid, inner), _whole(grid, inner, True)),
    ]
    if step:
        lines = _lines(grid, near, step) if one.on_ticks else _range(grid, near)
        made.append(("steps", "Steps", step_text(one, near, evidence), lines, _fine(grid, near, step)))
    if one.twin:
        again = _inner(one.twin.us)
        both = (min(inner[0], again[0]), max(inner[1], again[1]))
        made.append(("twice", "Twice", twin_text(one, evidence), _range(grid, both), _twice(grid, both)))
    return tuple(
        Step(slug, title, caption, data, (*CHANGING, place), layout) for slug, title, caption, layout, data in made
    )


def _inner(us: np.ndarray) -> tuple[float, float]:
    """The middle 99 %, so that a few late samples do not flatten the others."""
    return float(np.percentile(us, 0.5)), float(np.percentile(us, 99.5))


def _range(grid: Grid, span: tuple[float, float]) -> dict[str, Any]:
    """The axis of times over ``span``, labelled in ns from the median."""
    assert grid.series.samples
    low, high = span
    pad = (high - low) * 0.06 or abs(low) * 0.001
    nice = _nice((high - low + 2 * pad) * 1000)
    median = grid.series.samples.median_us
    marks = range(math.ceil((low - pad - median) * 1000 / nice), math.floor((high + pad - median) * 1000 / nice) + 1)
    return {
        "yaxis": {
            "range": [grid.place(low - pad), grid.place(high + pad)],
            "tickvals": [grid.place(median + n * nice / 1000) for n in marks],
            "ticktext": [_signed(n * nice) for n in marks],
        }
    }


def _lines(grid: Grid, span: tuple[float, float], step: float) -> dict[str, Any]:
    """The axis of times over ``span`` with a line for each step, every fourth of them labelled."""
    assert grid.series.samples
    low, high = (grid.place(v) for v in span)
    marks = range(math.ceil(low), math.floor(high) + 1)
    ns = [(mark + grid.zero) * step * 1000 - grid.series.samples.median_us * 1000 for mark in marks]
    text = ["" if mark % EVERY else _signed(round(value, 2)) for mark, value in zip(marks, ns, strict=True)]
    return {"yaxis": {"range": [marks[0] - 0.5, marks[-1] + 0.5], "tickvals": list(marks), "ticktext": text}}


def _nice(span_ns: float) -> float:
    """The distance of labels: 1, 2 or 5 times a power of ten."""
    sizes = (m * 10.0**e for e in range(-3, 9) for m in (1, 2, 5))
    return next((size for size in sizes if span_ns / size < MOST_TICKS), span_ns)


def _signed(ns: float) -> str:
    text = f"{abs(ns):,.10g}"
    return f"{'+' if ns > 0 else '−' if ns < 0 else ''}{text}"


def _batches(one: Series) -> list[np.ndarray]:
    assert one.samples
    size = one.visit or max(1, one.samples.count // BATCHES)
    return [one.samples.us[start : start + size] for start in range(0, one.samples.count, size)]


def _bins(grid: Grid, us: np.ndarray, span: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
    """Counts, and the edges on the axis; bins are a whole number of quanta wide, so that each holds as many steps."""
    low, high = math.floor(grid.place(span[0])) - 0.5, math.ceil(grid.place(span[1])) + 0.5
    width = max(1, math.ceil((high - low) / BINS))
    count = math.ceil((high - low) / width)
    edges = low + width * np.arange(count + 1)
    return np.histogram(grid.places(us), bins=edges)[0], edges


def _bars(counts: np.ndarray, edges: np.ndarray) -> Trace:
    width = float(edges[1] - edges[0])
    return {"x": counts.tolist(), "y0": float(edges[0]) + width / 2, "dy": width, "width": round(width * 0.9, 2)}


def _whole(grid: Grid, span: tuple[float, float], drift: bool) -> tuple[Trace, ...]:
    """Bins over ``span``, and with ``drift`` the medians of neighbouring samples."""
    one = grid.series
    assert one.samples
    counts, edges = _bins(grid, one.samples.us, span)
    line: Trace = {}
    if drift:
        batches = _batches(one)
        size = batches[0].size
        line = {"x0": (size + 1) / 2, "dx": size, "y": [grid.place(float(np.median(batch))) for batch in batches]}
    middle, band, text = _middle(grid, int(counts.max()))
    points = {"visible": True, "marker": {"opacity": 0.4}} if drift else {"visible": True}
    return _bars(counts, edges), {}, line, middle, {}, band, text, points


def _fine(grid: Grid, span: tuple[float, float], step: float) -> tuple[Trace, ...]:
    """A bar for each distinct time within ``span``."""
    assert grid.series.samples
    us = grid.series.samples.us
    values, counts = np.unique(grid.places(us[(us >= span[0]) & (us <= span[1])]), return_counts=True)
    bars = {"x": counts.tolist(), "y": values.tolist(), "width": round(step / grid.quantum_us * 0.6, 2)}
    middle, _, text = _middle(grid, int(counts.max(initial=1)))
    return bars, {}, {}, middle, {}, {}, text, {"visible": True, "marker": {"size": 5}}


def _twice(grid: Grid, span: tuple[float, float]) -> tuple[Trace, ...]:
    """Both runs over the same bins: bars and an outline, each with its median."""
    one = grid.series
    assert one.samples and one.twin
    counts, edges = _bins(grid, one.samples.us, span)
    again, _ = _bins(grid, one.twin.us, span)
    outline = {"x": [*again.tolist(), 0], "y": edges.tolist()}
    middle, _, _ = _middle(grid, int(max(counts.max(), again.max())))
    second = middle | {"y": [grid.place(one.twin.median_us)] * 2, "ids": ["", one.twin_fact]}
    ends = {"x": [middle["x"][1]] * 2, "y": [middle["y"][1], second["y"][1]], "text": ["first\u2002", "second\u2002"]}
    higher = middle["y"][1] >= second["y"][1]
    ends["textposition"] = ["top left", "bottom left"] if higher else ["bottom left", "top left"]
    return _bars(counts, edges), outline, {}, middle, second, {}, ends, {"visible": True, "marker": {"opacity": 0.4}}


def _middle(grid: Grid, most: int) -> tuple[Trace, Trace, Trace]:
    """The median across the distribution, its 95 % interval as a band, and the word."""
    assert grid.series.samples
    low, high = (grid.place(v) for v in grid.series.samples.interval_us)
    end = round(most * 1.08, 2)
    median = grid.place(grid.series.samples.median_us)
    return (
        {"x": [0, end], "y": [median, median], "ids": ["", grid.series.fact]},
        {"x": [0, end, end, 0], "y": [low, low, high, high]},
        {"x": [end], "y": [median], "text": ["median\u2002"]},
    )
