"""What stands beside the rungs of a ladder? Times of library calls, floors of the least bytes, and an empty launch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from publisher.figures.kit.figure import Evidence
from publisher.figures.kit.ladder_rows import EMPTY, MOVE, Row, floor_name
from publisher.figures.kit.measured import CONDITIONS, time_of
from publisher.figures.kit.rows import safe
from publisher.figures.kit.style import Trace, fact, fmt_time, times, words
from schema.recording import Recording


def library_lines(evidence: Evidence, recording: Recording, count: int) -> list[Trace]:
    """A thin line a library time through all rows: for each condition all lines, then the dots at their upper ends."""
    traces: list[Trace] = []
    for condition in CONDITIONS:
        found = _libraries(recording, condition)
        rows = [place + 0.5 for place in range(count + 1)]
        said = [
            f"{safe(recording.results.references[slug].title)}, {condition}: {fmt_time(us)}"
            for slug, us in found.items()
        ]
        line: Trace = {
            "type": "scatter",
            "mode": "lines",
            "x": [x for us in found.values() for x in (*([us] * len(rows)), None)],
            "y": [y for _ in found for y in (*rows, None)],
            "line": {"color": f"@{condition}", "width": 1},
            "opacity": 0.75,
            "hoverinfo": "text",
            "hovertext": [text for text in said for _ in range(len(rows) + 1)],
        }
        ends: Trace = {
            "type": "scatter",
            "mode": "markers",
            "x": list(found.values()),
            "y": [0.5] * len(found),
            "ids": [fact(evidence.subject, slug, condition) for slug in found],
            "marker": {"color": f"@{condition}", "size": 5},
            "hoverinfo": "skip",
        }
        traces += [line, ends]
    return traces


def library_name(recording: Recording) -> list[Trace]:
    every = [us for condition in CONDITIONS for us in _libraries(recording, condition).values()]
    return [words([max(every)], [0.3], [" library calls"], "@muted", textposition="middle right")] if every else []


def _libraries(recording: Recording, condition: str) -> dict[str, float]:
    """Median times of the library calls, µs."""
    found = {slug: time_of(reference, condition) for slug, reference in recording.results.references.items()}
    return {slug: round(timed.samples.median_us, 4) for slug, timed in found.items() if timed}


def floor_label(recording: Recording, rows: Sequence[Row]) -> list[Trace]:
    """What the short marks are, beside the first of them."""
    for row in rows:
        timed, _ = times(recording, MOVE + row.rung.types, "cold")
        if timed and row.medians and min(row.medians) > 2 * timed.samples.median_us:
            us, y = [round(timed.samples.median_us, 4)], [row.rung.number]
            return [words(us, y, ["\u2002least bytes moved"], "@muted", textposition="middle right")]
    return []


def floors(evidence: Evidence, recording: Recording, shown: Sequence[Row]) -> dict[str, Any]:
    found = [(row, timed) for row in shown if (timed := times(recording, MOVE + row.rung.types, "cold")[0])]
    us = [round(timed.samples.median_us, 4) for _, timed in found]
    return {
        "x": us,
        "y": [row.rung.number for row, _ in found],
        "ids": _once(_floor(evidence, MOVE + row.rung.types) for row, _ in found),
        "hovertext": [
            f"{safe(floor_name(MOVE + row.rung.types))}, cold: {fmt_time(t)}"
            for (row, _), t in zip(found, us, strict=True)
        ],
    }


def empty_launch(evidence: Evidence, recording: Recording, count: int, low: float) -> list[Trace]:
    """An empty launch: far to the left of all else, so at the axis' end and not on it."""
    empty, _ = times(recording, EMPTY, "cold")
    if empty is None or empty.samples.median_us >= low:
        return []
    text = f"an empty launch: {fmt_time(empty.samples.median_us)}"
    mark: Trace = {
        "type": "scatter",
        "mode": "markers+text",
        "x": [round(low * 1.01, 4)],
        "y": [count + 0.8],
        "ids": [_floor(evidence, EMPTY)],
        "marker": {"symbol": "triangle-left", "color": "@muted", "size": 8},
        "text": [f" {text}"],
        "textposition": "middle right",
        "textfont": {"size": 12, "color": "@muted"},
        "hoverinfo": "text",
        "hovertext": f"{text}, further to the left than the axis reaches",
        "cliponaxis": False,
    }
    return [mark]


def _floor(evidence: Evidence, name: str) -> str:
    return fact(evidence.subject, f"floors.{name}", "cold")


def _once(names: Iterable[str]) -> list[str]:
    """Names as ids of points: a repeated one gets a number, for Plotly draws only one point an id."""
    seen: dict[str, int] = {}
    for name in names:
        seen[name] = seen.get(name, 0) + 1
    return [f"{name}#{n}" if n else name for name, count in seen.items() for n in range(count)]
