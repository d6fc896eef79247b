"""How long does each rung of a ladder take, cold and warm? One rung added a step, beside a few lines of its loop."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from publisher.figure import Evidence, Provenance, Step, SteppedFigure
from publisher.figures._excerpt import Excerpt, loop_excerpt
from publisher.figures._ladder_rows import EMPTY, READ, Row, effect, rows_of, table, times_text
from publisher.figures._measured import CONDITIONS, compare, time_of, twin_of
from publisher.figures._style import (
    Rung,
    Trace,
    axis,
    base_layout,
    fact,
    fmt_time,
    lacking,
    listed,
    note,
    rerecord,
    times,
    words,
)
from recorder.recording import Recording

GAP = "\u2002\u2002"  # between a dot's middle and its label
FAILED = 6  # the last of the traces that a step changes


def draw(evidence: Evidence) -> SteppedFigure:
    recording = evidence.need("times")
    rows = rows_of(evidence, recording)
    if not any(row.medians for row in rows):
        raise lacking(evidence, "times", "no rung of the ladder has a time")
    excerpts = [loop_excerpt(row.rung, evidence.glossary, evidence.card.card.arch) for row in rows]
    steps = [_step(evidence, recording, rows, excerpts, place) for place in range(len(rows))]
    steps.append(_all(evidence, recording, rows))
    data = _data(evidence, recording, rows)
    return SteppedFigure(
        title="The ladder, cold and warm",
        alt=f"Time of each rung on a logarithmic axis, one rung added a step. First: {times_text(rows[0])}.",
        data=tuple(data),
        layout=_layout(len(rows), _bounds(recording, rows)),
        narrow={
            "yaxis": {"showticklabels": False, "automargin": False},
            "margin": {"l": 4, "r": 4},
            "annotations": [_row_name(row.rung) for row in rows],
        },
        sequences={"": tuple(steps)},
        table=table(evidence, recording, rows),
        provenance=(Provenance.recorded(recording, evidence.need("code")),),
        rerecord=rerecord(evidence.subject, "times"),
        listings=tuple(excerpt.listing for excerpt in excerpts),
        height=60 + 38 * (len(rows) + 1),
        narrow_height=60 + 46 * (len(rows) + 1),
    )


# ---- the picture ---------------------------------------------------------------------------------------------------


def _data(evidence: Evidence, recording: Recording, rows: Sequence[Row]) -> list[Trace]:
    """Traces that steps change come first (up to FAILED), then the lines across the figure."""
    quiet: Trace = {"type": "scatter", "mode": "lines", "hoverinfo": "skip", "x": [], "y": []}
    dot: Trace = {"type": "scatter", "mode": "markers", "hoverinfo": "text", "x": [], "y": []}
    label = words([], [], [], textposition="middle right")
    traces = [
        quiet | {"line": {"color": "@grid", "width": 5}},
        *(
            dot | {"marker": {"color": f"@{c}", "size": 11, "line": {"color": "@paper", "width": 1}}}
            for c in CONDITIONS
        ),
        label,
        dict(label),
        dot
        | {
            "marker": {
                "symbol": "line-ns-open",
                "size": 15,
                "color": "@muted",
                "line": {"width": 1.5, "color": "@muted"},
            }
        },
        words([], [], [], "@muted"),
    ]
    return traces + _library_lines(evidence, recording, len(rows)) + _floor_line(evidence, recording, len(rows))


def _library_lines(evidence: Evidence, recording: Recording, count: int) -> list[Trace]:
    """A thin line a library time through all rows, and above them the word for each condition."""
    traces: list[Trace] = []
    ends: dict[str, float] = {}
    for condition in CONDITIONS:
        found = {
            slug: timed.samples.median_us
            for slug, reference in recording.results.references.items()
            if (timed := time_of(reference, condition))
        }
        for slug, us in found.items():
            title = recording.results.references[slug].title
            traces.append(
                {
                    "type": "scatter",
                    "mode": "lines",
                    "x": [round(us, 4)] * (count + 1),
                    "y": [place + 0.5 for place in range(count + 1)],
                    "line": {"color": f"@{condition}", "width": 1},
                    "opacity": 0.75,
                    "hoverinfo": "text",
                    "hovertext": f"{title}, {condition}: {fmt_time(us)}",
                }
            )
        if found:
            traces.append(
                {
                    "type": "scatter",
                    "mode": "markers",
                    "x": [round(us, 4) for us in found.values()],
                    "y": [0.5] * len(found),
                    "ids": [fact(evidence.subject, slug, condition) for slug in found],
                    "marker": {"color": f"@{condition}", "size": 5},
                    "hoverinfo": "skip",
                }
            )
            ends[condition] = min(found.values()) if not ends else max(found.values())
    if len(ends) == 2:
        left, right = sorted(ends, key=lambda c: ends[c])
        sides = {left: ("middle left", f"library {left} "), right: ("middle right", f" library {right}")}
    else:
        sides = {condition: ("middle center", f"library {condition}") for condition in ends}
    for condition, (position, text) in sides.items():
        traces.append(words([ends[condition]], [0.3], [text], f"@{condition}", textposition=position))
    return traces


def _floor_line(evidence: Evidence, recording: Recording, count: int) -> list[Trace]:
    empty, _ = times(recording, EMPTY, "cold")
    if empty is None:
        return []
    us = empty.samples.median_us
    line: Trace = {
        "type": "scatter",
        "mode": "lines+markers",
        "x": [round(us, 4)] * 2,
        "y": [count + 0.5, count + 1.0],
        "line": {"color": "@muted", "width": 1, "dash": "dot"},
        "hoverinfo": "text",
        "hovertext": f"an empty launch: {fmt_time(us)}",
        "marker": {"color": "@muted", "size": [0, 5]},
        "ids": ["", fact(evidence.subject, EMPTY, "cold")],
    }
    text = words([us], [count + 0.85], [f" an empty launch, {fmt_time(us)}"], "@muted", textposition="middle right")
    return [line, text]


def _layout(count: int, bounds: tuple[float, float]) -> dict[str, Any]:
    low, high = bounds
    return base_layout(
        margin={"l": 8, "r": 10, "t": 6, "b": 40},
        xaxis=axis("time of one launch, µs (logarithmic)", "log", range=[math.log10(low), math.log10(high)], dtick=1),
        yaxis=axis(range=[count + 1.1, 0.0], tickmode="array", showgrid=False, tickfont={"color": "@ink", "size": 13}),
    )


def _row_name(rung: Rung) -> dict[str, Any]:
    """The name of a row above it, for a page too narrow for names beside the axis."""
    text = f"{rung.number} {rung.title}"
    return note(text, 0, rung.number - 0.2, yref="y", yanchor="bottom", font={"color": "@ink", "size": 12})


def _bounds(recording: Recording, rows: Sequence[Row]) -> tuple[float, float]:
    """Microseconds from the least floor to past the slowest rung, where its label stands."""
    floors = [
        t.samples.median_us for f in recording.results.floors.values() for c in CONDITIONS if (t := time_of(f, c))
    ]
    medians = [us for row in rows for us in row.medians]
    return min(medians + floors) * 0.75, max(medians + floors) * 7


# ---- the steps -----------------------------------------------------------------------------------------------------


def _step(
    evidence: Evidence, recording: Recording, rows: Sequence[Row], excerpts: Sequence[Excerpt], place: int
) -> Step:
    row, excerpt = rows[place], excerpts[place]
    before = excerpts[place - 1].families if place else excerpt.families
    fresh = sorted(excerpt.families - before)
    lit = tuple(key for name in fresh for key in excerpt.keys.get(name, ()))
    caption = [
        f"Rung {row.rung.number}. {row.rung.idea.rstrip('.')}.",
        effect(evidence, rows, place),
    ]
    if fresh and before:
        caption.append(f"New in its loop: {listed([f'`{name}`' for name in fresh])}.")
    data, traces = _state(evidence, recording, rows[: place + 1], place)
    layout = {"yaxis": _ticks(rows, place)}
    return Step(row.rung.slug, row.rung.title, " ".join(caption), data, traces, layout, (row.rung.slug,), lit)


def _all(evidence: Evidence, recording: Recording, rows: Sequence[Row]) -> Step:
    timed = [row for row in rows if row.timed["cold"]]
    parts: list[str] = []
    if len(timed) > 1:
        fastest = min(timed, key=lambda row: row.timed["cold"].samples.median_us)  # type: ignore[union-attr]
        first = timed[0]
        word = compare(fastest.timed["cold"], first.timed["cold"], twin_of(evidence, "cold")).words  # type: ignore[arg-type]
        if fastest is not first:
            parts.append(f"Cold, rung {fastest.rung.number} is the fastest: {word} as rung {first.rung.number}.")
    if recording.results.references:
        parts.append("The thin lines are library calls that solve the same problem.")
    if any(name.startswith(READ) for name in recording.results.floors):
        parts.append("The short upright marks are a plain read of the same bytes, cold, that does nothing else.")
    data, traces = _state(evidence, recording, rows, None)
    caption = " ".join(parts) or "Every rung of the ladder."
    return Step("all", "All", caption, data, traces, {"yaxis": _ticks(rows, None)}, (rows[-1].rung.slug,))


def _state(
    evidence: Evidence, recording: Recording, shown: Sequence[Row], focus: int | None
) -> tuple[tuple[dict[str, Any], ...], tuple[int, ...]]:
    """Overrides for the rungs in ``shown``; the one at ``focus`` in full colour, the others paler (None: all full)."""
    data: list[dict[str, Any]] = []
    spans = [row for row in shown if row.medians]
    xs = [us for row in spans for us in (round(min(row.medians), 4), round(max(row.medians), 4), None)]
    ys = [y for row in spans for y in (row.rung.number, row.rung.number, None)]
    data.append({"x": xs, "y": ys})
    for condition in CONDITIONS:
        here = [row for row in shown if row.timed[condition]]
        us = [round(row.timed[condition].samples.median_us, 4) for row in here]  # type: ignore[union-attr]
        data.append(
            {
                "x": us,
                "y": [row.rung.number for row in here],
                "ids": [fact(evidence.subject, row.rung.slug, condition) for row in here],
                "hovertext": [f"{row.rung.title}, {condition}: {fmt_time(t)}" for row, t in zip(here, us, strict=True)],
                "marker": {"opacity": [_strength(row, focus) for row in here]},
            }
        )
    data += [_labels(shown, condition, focus) for condition in CONDITIONS]
    data.append(_reads(evidence, recording, shown))
    without = [row for row in shown if not row.medians]
    middle = [us for row in shown for us in row.medians] or [10.0]
    text = ["failed" if row.whys["cold"].startswith("failed") else "not measured" for row in without]
    data.append({"x": [middle[0]] * len(without), "y": [row.rung.number for row in without], "text": text})
    return tuple(data), tuple(range(FAILED + 1))


def _strength(row: Row, focus: int | None) -> float:
    return 1.0 if focus is None or row.rung.number == focus + 1 else 0.55


def _labels(shown: Sequence[Row], condition: str, focus: int | None) -> dict[str, Any]:
    """The times beside their dots: the smaller to the left, the larger to the right, so that they never meet.

    Above the first of them stands the condition's name.
    """
    here = [row for row in shown if row.timed[condition]]
    texts, positions, xs, ys = [], [], [], []
    for row in here:
        us = row.timed[condition].samples.median_us  # type: ignore[union-attr]
        right = us == max(row.medians) and (condition == "cold" or len(set(row.medians)) > 1)
        for text, y in ((fmt_time(us), row.rung.number), (condition, row.rung.number - 0.4))[
            : 2 if row is here[0] else 1
        ]:
            texts.append(f"{GAP}{text}" if right else f"{text}{GAP}")
            positions.append("middle right" if right else "middle left")
            xs.append(round(us, 4))
            ys.append(y)
    strong = {row.rung.number for row in here if _strength(row, focus) == 1.0}
    colors = [f"@{condition}" if y in strong or y % 1 else "@muted" for y in ys]
    return {"x": xs, "y": ys, "text": texts, "textposition": positions, "textfont": {"color": colors, "size": 12}}


def _reads(evidence: Evidence, recording: Recording, shown: Sequence[Row]) -> dict[str, Any]:
    found = [(row, timed) for row in shown if (timed := times(recording, READ + row.rung.dtype, "cold")[0])]
    us = [round(timed.samples.median_us, 4) for _, timed in found]
    return {
        "x": us,
        "y": [row.rung.number for row, _ in found],
        "ids": _once(fact(evidence.subject, READ + row.rung.dtype, "cold") for row, _ in found),
        "hovertext": [
            f"a plain read of the same {row.rung.dtype.upper()} bytes, cold: {fmt_time(t)}"
            for (row, _), t in zip(found, us, strict=True)
        ],
    }


def _once(names: Iterable[str]) -> list[str]:
    """Names as ids of points: a repeated one gets a number, for Plotly draws only one point an id."""
    seen: dict[str, int] = {}
    for name in names:
        seen[name] = seen.get(name, 0) + 1
    return [f"{name}#{n}" if n else name for name, count in seen.items() for n in range(count)]


def _ticks(rows: Sequence[Row], focus: int | None) -> dict[str, Any]:
    """All rungs are named from the start, so nothing moves; those to come are pale."""
    return {
        "tickvals": [row.rung.number for row in rows],
        "ticktext": [
            f"<b>{row.rung.number} {row.rung.title}</b>" if place == focus else f"{row.rung.number} {row.rung.title}"
            for place, row in enumerate(rows)
        ],
    }
