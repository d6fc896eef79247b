"""What could the card do at each rung's intensity, and what does the rung reach? Points under measured roofs."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

from publisher.figure import Choice, DataTable, Evidence, Missing, Provenance, Step, SteppedFigure
from publisher.figures._measured import CONDITIONS, absence, exact_us, time_of, value_of
from publisher.figures._rows import safe
from publisher.figures._style import (
    axis,
    base_layout,
    fact,
    fmt_time,
    lacking,
    listed,
    merged,
    note,
    rerecord,
    rungs,
    words,
)
from publisher.units import significant
from recorder.recording import MACHINE, Recording

CHANGED = (0, 1, 2, 3)  # traces that a step changes
COLORS = {"cold": "@cold", "warm": "@warm"}
BANDWIDTHS = (
    ("read_GBps", "device memory", "a plain read of device memory", "@s3"),
    ("l2_read_GBps", "L2", "a read that stays in L2", "@s4"),
)
RATES = (
    ("fp32_tflops", "FP32 FMA", "FP32 multiply-adds", "@s5"),
    ("hmma_fp16_tflops", "tensor cores", "FP16 tensor-core multiplies", "@s8"),
)


@dataclass(frozen=True)
class Roof:
    """A measured limit: a bandwidth (``slope``, GB/s) or a rate (``flat``, TFLOP/s)."""

    key: str
    name: str
    what: str
    color: str
    value: float

    @property
    def text(self) -> str:
        return f"{self.name}, {significant(self.value)}\u00a0{'GB/s' if self.key.endswith('_GBps') else 'TFLOP/s'}"


@dataclass(frozen=True)
class Point:
    """A rung: ``intensity`` in FLOP a byte, of the least bytes; ``us`` by condition, absent where not measured."""

    number: int
    slug: str
    title: str
    dtype: str
    intensity: float
    flops: int
    pair: Any

    def tflops(self, condition: str) -> float | None:
        timed = time_of(self.pair, condition)
        return None if timed is None else self.flops / timed.samples.median_us / 1e6


def draw(evidence: Evidence) -> SteppedFigure:
    times = evidence.need("times")
    peaks = evidence.need("peaks", MACHINE)
    slopes = _roofs(peaks, BANDWIDTHS)
    flats = _roofs(peaks, RATES)
    if not slopes or not flats:
        command = rerecord(MACHINE, "peaks")
        raise Missing(
            f"{evidence.card.card.name} has no measured bandwidth, or no measured rate, to draw a roof from", command
        )
    points = _points(evidence, times)
    if not any(point.tflops(condition) for point in points for condition in CONDITIONS):
        raise lacking(evidence, "times", "no rung has both a time and a number of least bytes")
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
        table=_table(points, slopes, flats),
        provenance=(
            Provenance.recorded(times, peaks),
            Provenance.derived(
                "speed is the problem's FLOP by the median time; intensity is FLOP by the least bytes.", times
            ),
        ),
        rerecord=rerecord(evidence.subject, "times"),
        choices=(Choice("condition", "Weights", tuple((c, c) for c in CONDITIONS)),),
        height=460,
        narrow_height=430,
    )


def _roofs(peaks: Recording, keys: tuple[tuple[str, str, str, str], ...]) -> list[Roof]:
    found = [(key, name, what, color, value_of(getattr(peaks.results, key))) for key, name, what, color in keys]
    return [Roof(key, name, what, color, value) for key, name, what, color, value in found if value]


def _points(evidence: Evidence, times: Recording) -> list[Point]:
    results = times.results
    points = []
    for rung in rungs(evidence):
        least = results.least_bytes.get(rung.dtype)
        if least and rung.slug in results.rungs:
            intensity = results.flops / least
            made = Point(
                rung.number, rung.slug, rung.title, rung.dtype, intensity, results.flops, results.rungs[rung.slug]
            )
            points.append(made)
    return points


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
        margin={"l": 8, "r": 10, "t": 32, "b": 8},
        xaxis=axis(
            "arithmetic intensity, FLOP a byte", "log", range=[round(math.log10(v), 4) for v in (left, right)], **log
        ),
        yaxis=axis("speed, TFLOP/s", "log", range=[round(math.log10(v), 4) for v in (bottom, top)], **log),
        annotations=[_key([*slopes, *flats], 4)],
    )


def _narrow(roofs: list[Roof]) -> dict[str, Any]:
    titles = {"xaxis": {"title": {"text": "FLOP a byte"}}, "yaxis": {"title": {"text": "TFLOP/s"}}}
    return {**titles, "margin": {"t": 14 + 16 * len(roofs)}, "annotations": [_key(roofs, 1)]}


def _key(roofs: list[Roof], each: int) -> dict[str, Any]:
    """The roofs' names above the picture, ``each`` of them a line: on the lines they would cover points."""
    told = [f'<span style="color:{roof.color}"><b>━</b></span> {roof.text}' for roof in roofs]
    lines = ["\u2003".join(told[i : i + each]) for i in range(0, len(told), each)]
    return note("<br>".join(lines), 0, 1, font={"color": "@ink", "size": 12}, yshift=6)


def _traces(slopes: list[Roof], flats: list[Roof], box: tuple[float, float, float, float]) -> list[dict[str, Any]]:
    """What the present point lacks, points, their numbers, the name of the present one, then the roofs."""
    left, right, _, _ = box
    points = {"type": "scatter", "mode": "markers", "x": [], "y": [], "hoverinfo": "text", "cliponaxis": False}
    highest = max(flat.value for flat in flats)
    gap = {"type": "scatter", "mode": "lines", "x": [], "y": [], "hoverinfo": "skip"}
    gap["line"] = {"color": "@ink", "width": 1, "dash": "dot"}
    traces = [gap, points, words([], [], [], "@muted"), words([], [], [], "@ink", textfont={"size": 13})]
    for roof in slopes:
        end = highest / roof.value * 1e3
        traces.append(_line(roof, [left, end], [roof.value * left / 1e3, highest], _peak(roof)))
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
        "name": roof.name,
        "x": [round(v, 4) for v in x],
        "y": [round(v, 4) for v in y],
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
    caption = _roofs_caption(slopes, flats) + _held_down(peaks)
    steps = [Step("roofs", "The roofs", caption, _state(evidence, condition, [], None, slopes), CHANGED)]
    for place, point in enumerate(points):
        data = _state(evidence, condition, points[: place + 1], point, slopes)
        caption = _point_caption(condition, point, slopes, flats)
        steps.append(Step(point.slug, f"{point.number} {point.title}", caption, data, CHANGED))
    return tuple(steps)


def _state(
    evidence: Evidence, condition: str, shown: list[Point], present: Point | None, slopes: list[Roof]
) -> tuple[dict[str, Any], ...]:
    seen = [(point, round(speed, 4)) for point in shown if (speed := point.tflops(condition))]
    here = [(point, speed) for point, speed in seen if point is present]
    rest = [(point, speed) for point, speed in seen if point is not present]
    marks = {
        "x": [round(point.intensity, 3) for point, _ in seen],
        "y": [speed for _, speed in seen],
        "ids": [fact(evidence.subject, point.slug, condition) for point, _ in seen],
        "hovertext": [f"{safe(point.title)}, {condition}: {significant(speed)} TFLOP/s" for point, speed in seen],
        "marker": {
            "color": [COLORS[condition] if point is present else "@muted" for point, _ in seen],
            "size": [12 if point is present else 8 for point, _ in seen],
            "line": {"color": "@paper", "width": 1},
        },
    }
    numbers = {
        "x": [round(point.intensity, 3) for point, _ in rest],
        "y": [speed for _, speed in rest],
        "text": [f"{point.number}\u2002" if point.number % 2 else f"\u2002{point.number}" for point, _ in rest],
        "textposition": ["middle left" if point.number % 2 else "middle right" for point, _ in rest],
    }
    name = {
        "x": [round(point.intensity, 3) for point, _ in here],
        "y": [speed for _, speed in here],
        "text": [f"\u2002<b>{point.number} {safe(point.title)}</b>" for point, _ in here],
        "textposition": "middle right",
    }
    return _gap(here, slopes), marks, numbers, name


def _gap(here: list[tuple[Point, float]], slopes: list[Roof]) -> dict[str, Any]:
    """From the present point up to the lowest roof of memory above it."""
    for point, speed in here:
        roofs = sorted(roof.value * point.intensity / 1e3 for roof in slopes)
        above = next((roof for roof in roofs if roof > speed), None)
        if above is not None:
            return {"x": [round(point.intensity, 3)] * 2, "y": [speed, round(above, 4)]}
    return {"x": [], "y": []}


# ---- the words -----------------------------------------------------------------------------------------------------


def _roofs_caption(slopes: list[Roof], flats: list[Roof]) -> str:
    lowest, highest = slopes[0], flats[-1]
    ridge = highest.value / lowest.value * 1e3
    return (
        f"Each line is a rate that this card reached: {listed([roof.what for roof in slopes])} slope with the "
        f"intensity, {listed([roof.what for roof in flats])} are flat. The roof of {lowest.name} meets that of "
        f"{highest.name} at {significant(ridge)} FLOP a byte."
    )


def _held_down(peaks: Recording) -> str:
    """A throttled run is kept, and said to be one."""
    conditions = peaks.header.conditions
    reasons = listed([f"`{name}`" for name in conditions.throttle_reasons])
    clock = value_of(conditions.sm_clock_MHz)
    if not conditions.throttle_reasons:
        return ""
    at = f" at {significant(clock, 4)}\u00a0MHz" if clock else ""
    return f" At the end of these runs the SM clock was held down{at} by {reasons}."


def _point_caption(condition: str, point: Point, slopes: list[Roof], flats: list[Roof]) -> str:
    speed, timed = point.tflops(condition), time_of(point.pair, condition)
    if speed is None or timed is None:
        return f"{point.title} has no {condition} time here ({absence(point.pair, condition)})."
    start = (
        f"{condition.capitalize()}, {significant(point.intensity)} FLOP a byte of {point.dtype} data; "
        f"{fmt_time(timed.samples.median_us)} make {significant(speed)}\u00a0TFLOP/s."
    )
    memory = slopes[0]
    allowed = memory.value * point.intensity / 1e3
    share = f"{significant(100 * speed / allowed)}\u202f%"
    if speed <= allowed:
        under = f"That is {share} of what {memory.name} allows at this intensity, {significant(allowed)}\u00a0TFLOP/s."
        return f"{start} {under}"
    return f"{start} {_above(condition, memory, share, speed, point, slopes)}"


def _above(condition: str, memory: Roof, share: str, speed: float, point: Point, slopes: list[Roof]) -> str:
    """Why a point may lie above the roof of device memory: a cache served it, or the plain read was no limit."""
    said = f"That is {share} of what {memory.name} allows at this intensity, so the point lies above that roof"
    cache = next((roof for roof in slopes if roof.key.startswith("l2")), None)
    if condition == "cold":
        return f"{said}: some of its bytes did not come from {memory.name}, or the read that set the roof was no limit."
    if cache is None:
        return f"{said}: warm, the bytes were just read and may come from a cache."
    allowed = cache.value * point.intensity / 1e3
    reached = f"{significant(100 * speed / allowed)}\u202f% of {significant(allowed)}\u00a0TFLOP/s"
    return f"{said}: warm, the bytes were just read and come from {cache.name}, whose own roof it reaches to {reached}."


def _table(points: list[Point], slopes: list[Roof], flats: list[Roof]) -> DataTable:
    rows = []
    for point in points:
        for condition in CONDITIONS:
            timed, speed = time_of(point.pair, condition), point.tflops(condition)
            shown = (exact_us(timed.samples.median_us), significant(speed)) if timed and speed else ("", "")
            why = "" if timed else absence(point.pair, condition)
            rows.append((point.title, condition, significant(point.intensity), *shown, why))
    for roof in (*slopes, *flats):
        rows.append((f"roof: {roof.what}", "", "", "", roof.text.rsplit(", ", 1)[1], "measured"))
    columns = ("rung or roof", "condition", "FLOP a byte", "median µs", "TFLOP/s", "remark")
    return DataTable(columns, tuple(rows), (2, 3, 4), "Speed and intensity of each rung, and the measured roofs.")
