"""What could the card do at each rung's intensity, and what does the rung reach? Points under measured roofs."""

from __future__ import annotations

import itertools
import math
from typing import Any

from publisher.facts.units import significant
from publisher.figures.kit.figure import Choice, Evidence, Provenance, Step, SteppedFigure
from publisher.figures.kit.measured import CONDITIONS
from publisher.figures.kit.roof_points import Point, point_caption, points_of, points_table
from publisher.figures.kit.roofs import BANDWIDTHS, MORE_RATES, RATES, Roof, read_roofs, roofs_caption
from publisher.figures.kit.rows import safe
from publisher.figures.kit.style import (
    axis,
    base_layout,
    fact,
    lacking,
    merged,
    note,
    rerecord,
    rungs,
    words,
)
from schema.recording import MACHINE, Recording
from schema.units import UNITS

# The roofs' names stand above the picture: on the lines they would cover points.
KEY = {
    "orientation": "h",
    "x": 0,
    "xanchor": "left",
    "y": 1.01,
    "yanchor": "bottom",
    "font": {"size": 12, "color": "@ink"},
    "itemclick": False,
    "itemdoubleclick": False,
}
APART = 0.13  # decades of speed that a line of text is high
CHANGED = (0, 1, 2)  # traces that a step changes
COLORS = {"cold": "@cold", "warm": "@warm"}


def draw(evidence: Evidence) -> SteppedFigure:
    times = evidence.need("times")
    peaks = evidence.need("peaks", MACHINE)
    slopes = read_roofs(peaks, BANDWIDTHS)
    declared = {UNITS[rung.unit].peak for rung in rungs(evidence) if rung.unit in UNITS}
    flats = read_roofs(peaks, (*RATES, *(rate for rate in MORE_RATES if rate[0] in declared)))
    if not slopes or not flats:
        what = "there is no measured bandwidth, or no measured rate, to draw a roof from"
        raise lacking(evidence, "peaks", what, peaks.results, subject=MACHINE)
    every = points_of(evidence, times, flats, peaks)
    points = [point for point in every if point.intensity]
    if not any(point.tflops(condition) for point in points for condition in CONDITIONS):
        raise lacking(evidence, "times", "no rung has both a time and a number of least bytes", times.results.rungs)
    box = _box(points, slopes, flats)
    sequences = {condition: _steps(evidence, condition, points, slopes, flats, peaks) for condition in CONDITIONS}
    first = sequences["cold"][0]
    traces = _traces(slopes, flats, box)
    return SteppedFigure(
        title="Under the roofs",
        alt=f"Speed against arithmetic intensity, both on logarithmic axes. {first.caption}",
        data=tuple(merged(base, over) for base, over in itertools.zip_longest(traces, first.data, fillvalue={})),
        layout=_layout(slopes, flats, box),
        narrow=_narrow([*slopes, *flats]),
        sequences=sequences,
        table=points_table(every, slopes, flats),
        provenance=(
            Provenance.recorded(times, peaks),
            Provenance.derived(
                "speed is the problem's FLOP by the median time; intensity is FLOP by the least bytes.", times
            ),
        ),
        rerecord=rerecord(evidence.subject, "times"),
        choices=(Choice("condition", "Condition", tuple((c, c) for c in CONDITIONS)),),
        height=460,
        narrow_height=430,
    )


# ---- the drawing ---------------------------------------------------------------------------------------------------


def _box(points: list[Point], slopes: list[Roof], flats: list[Roof]) -> tuple[float, float, float, float]:
    """Left, right, bottom, top of the picture: all points, the ridge of every roof, and some air."""
    speeds = [speed for point in points for condition in CONDITIONS if (speed := point.tflops(condition))]
    ridge = max(flat.value for flat in flats) / min(slope.value for slope in slopes) * 1e3
    left = min(point.intensity for point in points) / 5
    right = max(ridge * 4, max(point.intensity for point in points) * 4)
    return left, right, min(speeds) / 2.5, max(flat.value for flat in flats) * 2.2


def _layout(slopes: list[Roof], flats: list[Roof], box: tuple[float, float, float, float]) -> dict[str, Any]:
    left, right, bottom, top = box
    log = {"dtick": 1, "showexponent": "all", "exponentformat": "none", "minor": {"ticks": ""}}
    return base_layout(
        margin={"l": 8, "r": 10, "t": 36, "b": 8},
        showlegend=True,
        legend=KEY,
        xaxis=axis(
            "arithmetic intensity, FLOP a byte", "log", range=[round(math.log10(v), 4) for v in (left, right)], **log
        ),
        yaxis=axis("speed, TFLOP/s", "log", range=[round(math.log10(v), 4) for v in (bottom, top)], **log),
        annotations=[],
    )


def _narrow(roofs: list[Roof]) -> dict[str, Any]:
    titles = {"xaxis": {"title": {"text": "FLOP a byte"}}, "yaxis": {"title": {"text": "TFLOP/s"}}}
    return {**titles, "margin": {"t": 14 + 19 * len(roofs)}}


def _traces(slopes: list[Roof], flats: list[Roof], box: tuple[float, float, float, float]) -> list[dict[str, Any]]:
    """What the present point lacks, points and their numbers, then the roofs."""
    left, right, _, _ = box
    points = {"type": "scatter", "mode": "markers", "x": [], "y": [], "hoverinfo": "text", "cliponaxis": False}
    points |= {"showlegend": False, "zorder": 1}  # over the roofs
    highest = max(flat.value for flat in flats)
    gap = {"type": "scatter", "mode": "lines", "x": [], "y": [], "hoverinfo": "skip", "showlegend": False}
    gap["line"] = {"color": "@ink", "width": 1, "dash": "dot"}
    traces = [gap, points, words([], [], [], "@muted", showlegend=False)]
    for roof in slopes:
        end = highest / roof.value * 1e3
        traces.append(_line(roof, [left, end], [roof.at(left), highest], _peak(roof)))
    steepest = max(slope.value for slope in slopes)
    for roof in flats:
        start = roof.value / steepest * 1e3
        traces.append(_line(roof, [start, right], [roof.value, roof.value], _peak(roof)))
    return traces


def _peak(roof: Roof) -> str:
    return f"{MACHINE}.peaks.{roof.key}"


def _line(roof: Roof, x: list[float], y: list[float], path: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": roof.text,
        "x": [_kept(v) for v in x],
        "y": [_kept(v) for v in y],
        "ids": [f"{path}.left", path],
        "line": {"color": roof.color, "width": 2},
        "hoverinfo": "text",
        "hovertext": roof.text,
    }


def _steps(
    evidence: Evidence,
    condition: str,
    points: list[Point],
    slopes: list[Roof],
    flats: list[Roof],
    peaks: Recording,
) -> tuple[Step, ...]:
    caption = roofs_caption(slopes, flats, peaks)
    steps = [Step("roofs", "The roofs", caption, _state(evidence, condition, [], None, slopes), CHANGED)]
    for place, point in enumerate(points):
        data = _state(evidence, condition, points[: place + 1], point, slopes)
        caption = point_caption(condition, point, slopes)
        layout = _name(point, condition)
        steps.append(Step(point.slug, f"{point.number} {point.title}", caption, data, CHANGED, layout))
    return tuple(steps)


def _state(
    evidence: Evidence, condition: str, shown: list[Point], present: Point | None, slopes: list[Roof]
) -> tuple[dict[str, Any], ...]:
    seen = [(point, _kept(speed)) for point in shown if (speed := point.tflops(condition))]
    here = [(point, speed) for point, speed in seen if point is present]
    rest = [(point, speed) for point, speed in seen if point is not present]
    marks = {
        "x": [_kept(point.intensity, 3) for point, _ in seen],
        "y": [speed for _, speed in seen],
        "ids": [fact(evidence.subject, point.slug, condition) for point, _ in seen],
        "hovertext": [f"{safe(point.title)}, {condition}: {significant(speed)} TFLOP/s" for point, speed in seen],
        "marker": {
            "color": [COLORS[condition] if point is present else "@muted" for point, _ in seen],
            "size": [12 if point is present else 8 for point, _ in seen],
            "line": {"color": "@paper", "width": 1},
        },
    }
    sides = _sides(rest)
    numbers = {
        "x": [_kept(point.intensity, 3) for point, _ in rest],
        "y": [speed for _, speed in rest],
        "text": [
            f"{point.number}\u2002" if side == "left" else f"\u2002{point.number}"
            for (point, _), side in zip(rest, sides, strict=True)
        ],
        "textposition": [f"middle {side}" for side in sides],
    }
    return _gap(here, slopes), marks, numbers


def _kept(value: float, places: int = 4) -> float:
    """Rounded, but not to nothing: a logarithmic axis has no 0."""
    return round(value, places) if value >= 10 ** (2 - places) else float(f"{value:.3g}")


def _name(point: Point, condition: str) -> dict[str, Any]:
    """The present point's name beside it, on paper of its own where roofs cross."""
    speed = point.tflops(condition)
    if not speed:
        return {"annotations": []}
    text = f"<b>{point.number} {safe(point.title)}</b>"
    x, y = (round(math.log10(value), 4) for value in (point.intensity, speed))  # annotations are placed by exponents
    beside = {"xref": "x", "yref": "y", "xshift": 9, "yanchor": "middle", "bgcolor": "@paper", "borderpad": 1}
    return {"annotations": [note(text, x, y, font={"size": 13, "color": "@ink"}, **beside)]}


def _sides(points: list[tuple[Point, float]]) -> list[str]:
    """Where each point's number stands: left, for the present one's name stands right; but two left would collide."""
    sides = [""] * len(points)
    last: dict[float, float] = {}  # intensity -> the speed whose number stands left, the nearest below
    for place in sorted(range(len(points)), key=lambda n: points[n][1]):
        point, speed = points[place]
        below = last.get(point.intensity)
        free = below is None or math.log10(speed / below) > APART
        sides[place] = "left" if free else "right"
        if free:
            last[point.intensity] = speed
    return sides


def _gap(here: list[tuple[Point, float]], slopes: list[Roof]) -> dict[str, Any]:
    """From the present point up to the lowest of its roofs above it: of memory, and of its unit."""
    for point, speed in here:
        roofs = sorted(roof.at(point.intensity) for roof in (*slopes, *filter(None, [point.rate])))
        above = next((roof for roof in roofs if roof > speed), None)
        if above is not None:
            return {"x": [_kept(point.intensity, 3)] * 2, "y": [speed, _kept(above)]}
    return {"x": [], "y": []}
