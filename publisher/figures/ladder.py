"""How long does each rung of a ladder take, cold and warm? One rung added a step, beside the lines new in its code."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from publisher.figures.kit.excerpt import Excerpt, Kernel, excerpt, kernel_of
from publisher.figures.kit.figure import Evidence, Provenance, Step, SteppedFigure
from publisher.figures.kit.guess import guesses
from publisher.figures.kit.ladder_marks import empty_launch, floor_label, floors, library_lines, library_name
from publisher.figures.kit.ladder_rows import (
    MOVE,
    Row,
    conditions_text,
    effect,
    rows_of,
    table,
    times_text,
)
from publisher.figures.kit.measured import CONDITIONS, compare, time_of, twin_of
from publisher.figures.kit.rows import safe
from publisher.figures.kit.style import (
    Rung,
    Trace,
    axis,
    base_layout,
    fact,
    fmt_time,
    hidden_axis,
    lacking,
    listed,
    note,
    rerecord,
    words,
)
from schema.recording import Recording

MARKS = {"cold": ("circle-open", 12, "○"), "warm": ("circle", 7, "●")}  # equal times: a dot in a ring
COLUMNS = {"cold": 0.48, "warm": 1.0}  # right ends of the numbers, on an axis of their own from 0 to 1
TOP = -0.15  # of the rows' axis; row 1 is at 1
ABOVE = 0.36  # of a row: how far up a narrow page sets the numbers, beside the row's name
# Places of the traces that a step changes; the last is there where some rung has no time.
SPANS, COLD, WARM, COLD_NUMBERS, WARM_NUMBERS, FLOORS, FAILED = range(4, 11)


def draw(evidence: Evidence) -> SteppedFigure:
    recording = evidence.need("times")
    rows = rows_of(evidence, recording)
    if not any(row.medians for row in rows):
        raise lacking(evidence, "times", "no rung of the ladder has a time", recording.results.rungs)
    arch = evidence.card.card.arch
    kernels = [kernel_of(row.rung, evidence.glossary) for row in rows]
    excerpts = [excerpt(k, _changes(kernels, n)[0], evidence.glossary, arch) for n, k in enumerate(kernels)]
    steps = [_step(evidence, recording, rows, kernels, excerpts, place) for place in range(len(rows))]
    steps.append(_all(evidence, recording, rows))
    low, high = _bounds(recording, rows)
    wide = [math.log10(low), math.log10(high)]
    count = len(rows)
    return SteppedFigure(
        title="The ladder, cold and warm",
        alt=f"Time of each rung on a logarithmic axis, one rung added a step. First: {times_text(rows[0])}.",
        data=tuple(_data(evidence, recording, rows, low)),
        layout=_layout(rows, wide),
        narrow={
            "xaxis": {"domain": [0, 1], "showgrid": False, "ticks": "outside", "tickcolor": "@muted"},
            "xaxis2": {"domain": [0.5, 1]},
            "yaxis": {"showticklabels": False, "automargin": False},
            "yaxis2": {"range": [count + 1.1 + ABOVE, TOP + ABOVE]},
            "margin": {"l": 4, "r": 4},
            "annotations": [_row_name(row.rung) for row in rows],
        },
        sequences={"": tuple(steps)},
        table=table(evidence, recording, rows),
        provenance=(Provenance.recorded(recording, evidence.need("code")),),
        rerecord=rerecord(evidence.subject, "times"),
        listings=tuple(excerpt.listing for excerpt in excerpts),
        height=60 + 38 * (count + 1),
        narrow_height=60 + 46 * (count + 1),
        **guesses(rows),
    )


# ---- the picture ---------------------------------------------------------------------------------------------------


def _data(evidence: Evidence, recording: Recording, rows: Sequence[Row], low: float) -> list[Trace]:
    """The lines across the picture, the traces that steps change (SPANS to FAILED), then words that stand still."""
    quiet: Trace = {"type": "scatter", "mode": "lines", "hoverinfo": "skip", "x": [], "y": []}
    dot: Trace = {"type": "scatter", "mode": "markers", "hoverinfo": "text", "x": [], "y": []}
    column = words([], [], [], xaxis="x2", yaxis="y2", textposition="middle left", textfont={"size": 13})
    thin = {"width": 1.5, "color": "@muted"}
    traces = [*library_lines(evidence, recording, len(rows)), quiet | {"line": {"color": "@grid", "width": 5}}]
    for condition in CONDITIONS:
        symbol, size, _ = MARKS[condition]
        color = f"@{condition}"
        traces.append(dot | {"marker": {"symbol": symbol, "color": color, "size": size, "line": {"width": 2.5}}})
        traces[-1]["marker"]["line"] = {"width": 2.5 if symbol.endswith("open") else 0, "color": color}
    traces += [
        column,
        dict(column),
        dot | {"marker": {"symbol": "line-ns-open", "size": 15, "color": "@muted", "line": thin}},
    ]
    if _without(rows):
        traces.append(column | {"textfont": {"size": 13, "color": "@muted"}})
    traces.append(_heads())
    return (
        traces
        + library_name(recording)
        + floor_label(recording, rows)
        + empty_launch(evidence, recording, len(rows), low)
    )


def _heads() -> Trace:
    """Names of the columns, with the marks that the times have in the picture."""
    text = [f"{MARKS[c][2]} {c}" for c in CONDITIONS]
    xs, ys = [COLUMNS[c] for c in CONDITIONS], [0.3] * len(text)
    return words(xs, ys, text, [f"@{c}" for c in CONDITIONS], xaxis="x2", yaxis="y2", textposition="middle left")


def _layout(rungs: Sequence[Row], range_: list[float]) -> dict[str, Any]:
    """Room for the longest name in bold from the start: the picture stands still when it becomes that."""
    rows = [len(rungs) + 1.1, TOP]
    names = round(8 + 6.6 * max(len(f"{row.rung.number} {row.rung.title}") for row in rungs))
    marks = [m * 10**e for e in range(-2, 7) for m in (1, 2, 5)]
    ticks = {"tickmode": "array", "tickvals": marks, "ticktext": [f"{mark:,g}" for mark in marks]}
    return base_layout(
        margin={"l": names, "r": 10, "t": 6, "b": 40},
        xaxis=axis("time of one launch, µs (logarithmic)", "log", range=range_, domain=[0, 0.8], **ticks),
        yaxis=axis(range=rows, tickmode="array", showgrid=False, tickfont={"color": "@ink", "size": 13}),
        xaxis2=hidden_axis(range=[0, 1], domain=[0.8, 1], anchor="y2"),
        yaxis2=hidden_axis(range=rows, domain=[0, 1], anchor="x2"),
    )


def _named(rung: Rung) -> str:
    return f"{rung.number} {safe(rung.title)}"


def _row_name(rung: Rung) -> dict[str, Any]:
    """The name of a row above it, for a page too narrow for names beside the axis."""
    return note(
        _named(rung),
        0,
        rung.number - 0.2,
        yref="y",
        yanchor="bottom",
        bgcolor="@paper",
        font={"color": "@ink", "size": 13},
    )


def _bounds(recording: Recording, rows: Sequence[Row]) -> tuple[float, float]:
    """Microseconds from below the least to above the largest of all that is on the axis."""
    reads = [f for name, f in recording.results.floors.items() if name.startswith(MOVE)]
    others = [(f, "cold") for f in reads] + [(r, c) for r in recording.results.references.values() for c in CONDITIONS]
    on_axis = [timed.samples.median_us for one, c in others if (timed := time_of(one, c))]
    on_axis += [us for row in rows for us in row.medians]
    return min(on_axis) * 0.75, max(on_axis) * 1.25


# ---- the steps -----------------------------------------------------------------------------------------------------


def _changes(kernels: Sequence[Kernel], place: int) -> tuple[list[str], list[str]]:
    """Opcode families that the rung before has not, and those that its loop has and this rung has nowhere."""
    ours, before = kernels[place], kernels[place - 1]
    if not place or not ours.instructions or not before.instructions:
        return [], []
    return sorted(ours.families - before.families), sorted(before.loop_families - ours.families)


def _step(
    evidence: Evidence,
    recording: Recording,
    rows: Sequence[Row],
    kernels: Sequence[Kernel],
    excerpts: Sequence[Excerpt],
    place: int,
) -> Step:
    row = rows[place]
    fresh, gone = _changes(kernels, place)
    caption = [f"Rung {row.rung.number}: {row.rung.idea.rstrip('.')}.", effect(evidence, rows, place)]
    said = (("new", fresh), ("gone", gone))
    changes = [f"{word} {listed([f'`{name}`' for name in names])}" for word, names in said if names]
    if changes:
        caption.append(f"In its code: {'; '.join(changes)}.")
    if place == 0:
        caption += _legend(recording)
    data, traces = _state(evidence, recording, rows, place)
    lit = tuple(key for name in fresh for key in excerpts[place].keys.get(name, ()))
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
    parts += _legend(recording)
    data, traces = _state(evidence, recording, rows, None)
    caption = " ".join(parts)
    return Step("all", "All", caption, data, traces, {"yaxis": _ticks(rows, None)}, (rows[-1].rung.slug,))


def _legend(recording: Recording) -> list[str]:
    """What cold and warm are, and what is drawn beside the rungs."""
    parts = [conditions_text(recording)]
    if recording.results.references:
        parts.append("The thin lines are library calls that solve the same problem.")
    if any(name.startswith(MOVE) for name in recording.results.floors):
        parts.append(
            "The short upright marks are a kernel that reads and writes the least bytes of the rung's types, cold, and "
            "does nothing else."
        )
    return parts


def _state(
    evidence: Evidence, recording: Recording, rows: Sequence[Row], focus: int | None
) -> tuple[tuple[dict[str, Any], ...], tuple[int, ...]]:
    """Overrides for the rungs up to ``focus``: that one in full colour, the others paler (None: all in full)."""
    shown = rows if focus is None else rows[: focus + 1]
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
                "hovertext": [
                    f"{safe(row.rung.title)}, {condition}: {fmt_time(t)}" for row, t in zip(here, us, strict=True)
                ],
                "marker": {"opacity": [_strength(row, focus) for row in here]},
            }
        )
    data += [_numbers(shown, condition, focus) for condition in CONDITIONS]
    data.append(floors(evidence, recording, shown))
    if _without(rows):
        here = _without(shown)
        text = ["failed" if row.whys["cold"].startswith("failed") else "not measured" for row in here]
        data.append({"x": [COLUMNS["warm"]] * len(here), "y": [row.rung.number for row in here], "text": text})
    return tuple(data), tuple(range(SPANS, SPANS + len(data)))


def _without(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if not row.medians]


def _strength(row: Row, focus: int | None) -> float:
    return 1.0 if focus is None or row.rung.number == focus + 1 else 0.55


def _numbers(shown: Sequence[Row], condition: str, focus: int | None) -> dict[str, Any]:
    """The times as a column, that of the rung at ``focus`` in bold."""
    here = [row for row in shown if row.timed[condition]]
    texts = [fmt_time(row.timed[condition].samples.median_us) for row in here]  # type: ignore[union-attr]
    bold = [focus is not None and row.rung.number == focus + 1 for row in here]
    return {
        "x": [COLUMNS[condition]] * len(here),
        "y": [row.rung.number for row in here],
        "text": [f"<b>{text}</b>" if strong else text for text, strong in zip(texts, bold, strict=True)],
        "textfont": {"color": ["@ink" if strong or focus is None else "@muted" for strong in bold]},
    }


def _ticks(rows: Sequence[Row], focus: int | None) -> dict[str, Any]:
    """All rungs are named from the start, so nothing moves; the one at ``focus`` in bold."""
    return {
        "tickvals": [row.rung.number for row in rows],
        "ticktext": [
            f"<b>{_named(row.rung)}</b>" if place == focus else _named(row.rung) for place, row in enumerate(rows)
        ],
    }
