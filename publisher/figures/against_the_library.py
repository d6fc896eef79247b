"""Is our fastest kernel as fast as the library? Both in microseconds, then apart in steps of resolution."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from publisher.figures.kit.figure import Choice, DataTable, Evidence, Provenance, Step, SteppedFigure
from publisher.figures.kit.measured import (
    CONDITIONS,
    NUMERIC_TIME_COLUMNS,
    TIME_COLUMNS,
    Comparison,
    compare,
    rung_titles,
    spread_us,
    time_of,
    time_rows,
    twin_of,
)
from publisher.figures.kit.rows import LABEL, row_bars, row_words, rows_height, rows_layout, safe
from publisher.figures.kit.style import fact, fmt_time, lacking, listed, merged, note, rerecord, words
from schema.results import Timed

TITLE = "time of a launch, µs"
MOST_LINES, MOST_NUMBERS = 50, 7  # on the ruler: a longer one gets one line for several steps
COLORS = {"cold": "@cold", "warm": "@warm"}


@dataclass(frozen=True)
class Row:
    """A rung or a library call; ``pair`` in any of its three states."""

    slug: str
    title: str
    pair: Any
    about: str = ""  # what the call computes, for captions


def draw(evidence: Evidence) -> SteppedFigure:
    recording = evidence.need("times")
    ours = {condition: _fastest(evidence, recording.results.rungs, condition) for condition in CONDITIONS}
    theirs = [_reference(slug, pair) for slug, pair in recording.results.references.items()]
    theirs = [row for row in theirs if any(time_of(row.pair, condition) for condition in CONDITIONS)]
    if not theirs or not any(ours.values()):
        results = recording.results
        raise lacking(evidence, "times", "no library call was timed beside a rung", results.references, results.rungs)
    rows = list({row.slug: row for row in ours.values() if row}.values()) + theirs
    sequences: dict[str, tuple[Step, ...]] = {}
    for condition in CONDITIONS:
        mine = ours[condition]
        if mine is not None:
            apart = [
                _apart(evidence, condition, len(rows), mine, row) for row in theirs if time_of(row.pair, condition)
            ]
            sequences[condition] = (_overview(evidence, condition, rows, mine), *apart)
    layout = rows_layout(len(rows), TITLE, 1.0)
    first = next(iter(sequences.values()))[0]
    return SteppedFigure(
        title="Against the library",
        alt=f"Bars of time. {first.caption}",
        data=tuple(merged(base, over) for base, over in zip(_traces(), first.data, strict=True)),
        layout=layout,
        sequences=sequences,
        table=_table(recording.results, rows),
        provenance=(
            Provenance.recorded(recording),
            Provenance.derived(
                "each distance is a difference of medians divided by the resolution of that pair.", recording
            ),
        ),
        rerecord=rerecord(evidence.subject, "times"),
        choices=(Choice("condition", "Condition", tuple((c, c) for c in sequences)),),
        height=rows_height(len(rows)),
        narrow_height=rows_height(len(rows)),
    )


def _fastest(evidence: Evidence, rungs: dict[str, Any], condition: str) -> Row | None:
    titles = rung_titles(evidence)
    timed = {slug: time for slug, pair in rungs.items() if (time := time_of(pair, condition))}
    if not timed:
        return None
    slug = min(timed, key=lambda name: timed[name].samples.median_us)
    return Row(slug, titles.get(slug, slug), rungs[slug], "the fastest rung")


def _reference(slug: str, pair: Any) -> Row:
    title = getattr(pair, "title", slug)
    about = f"accumulates in {pair.accumulates} and returns {pair.returns}" if hasattr(pair, "returns") else ""
    return Row(slug, title, pair, about)


# ---- the drawing ---------------------------------------------------------------------------------------------------


def _traces() -> list[dict[str, Any]]:
    """Bars, words of the rows, points with intervals, the span between two points, words of the span."""
    points = {"type": "scatter", "mode": "markers", "x": [], "y": [], "hoverinfo": "text", "cliponaxis": False}
    span = {"type": "scatter", "mode": "lines", "x": [], "y": [], "hoverinfo": "skip"}
    return [row_bars([], [], [], []), row_words([], []), points, span, words([], [], [], "@ink")]


def _overview(evidence: Evidence, condition: str, rows: list[Row], mine: Row) -> Step:
    timed = [(row, time_of(row.pair, condition)) for row in rows]
    medians = [round(time.samples.median_us, 4) if time else None for _, time in timed]
    colors = [COLORS[condition] if row.about == mine.about else "@muted" for row, _ in timed]
    ids = [fact(evidence.subject, row.slug, condition) for row, _ in timed]
    texts = [f"<b>{safe(row.title)}</b>  {fmt_time(us) if us is not None else 'not measured'}" for (row, _), us in
             zip(timed, medians, strict=True)]  # fmt: skip
    bars = row_bars(list(range(len(rows))), medians, colors, ids)
    hover = [f"{safe(row.title)}, {condition}: {fmt_time(us)}" if us is not None else "" for (row, _), us in
             zip(timed, medians, strict=True)]  # fmt: skip
    everything = [time.samples.median_us for row in rows for c in CONDITIONS if (time := time_of(row.pair, c))]
    return Step(
        "all",
        "All",
        _overview_caption(evidence, condition, rows, mine),
        (
            {key: bars[key] for key in ("x", "y", "base", "marker", "ids")} | {"hovertext": hover},
            _label(list(range(len(rows))), texts, 0.0),
            {"x": [], "y": []},
            {"x": [], "y": []},
            {"x": [], "y": [], "text": []},
        ),
        (0, 1, 2, 3, 4),
        {
            "shapes": [],
            "annotations": [],
            "xaxis": {"title": {"text": TITLE}, "range": [0, round(max(everything) * 1.08, 3)], **_ticks(0, 0)},
        },
    )


def _apart(evidence: Evidence, condition: str, count: int, mine: Row, other: Row) -> Step:
    """Both on a ruler whose unit is the resolution of the pair, ours at zero: inside plus or minus one is the same."""
    a, b = time_of(mine.pair, condition), time_of(other.pair, condition)
    assert a is not None
    assert b is not None
    pair = compare(a, b, twin_of(evidence, condition))
    unit = pair.resolution_us or max(a.samples.median_us, b.samples.median_us) * 1e-3
    place = (b.samples.median_us - a.samples.median_us) / unit
    low, high = min(-2.0, place - 1.5), max(2.0, place + 1.5)
    room = 0.04 * (high - low)
    rows = [(count - 2) / 2, (count - 2) / 2 + 1]
    texts = [f"<b>{safe(row.title)}</b>  {fmt_time(time.samples.median_us)}" for row, time in ((mine, a), (other, b))]
    points = {
        "x": [0, round(place, 3)],
        "y": rows,
        "ids": [fact(evidence.subject, row.slug, condition) for row in (mine, other)],
        "marker": {"size": 11, "color": [COLORS[condition], "@muted"], "line": {"color": "@paper", "width": 1}},
        "error_x": _errors(a, b, unit),
        "hovertext": [
            f"{safe(row.title)}, {condition}: {fmt_time(time.samples.median_us)}"
            for row, time in ((mine, a), (other, b))
        ],
    }
    span = {"x": [0, round(place, 3)], "y": [rows[1]] * 2, "line": {"color": "@ink", "width": 1}}
    told = {"x": [round(place / 2, 3)], "y": [rows[1] + 0.25], "text": [_distance(pair)]}
    line, number = _every(high - low, MOST_LINES), _every(high - low, MOST_NUMBERS)
    title = f"steps of resolution from {safe(mine.title)}" + (f", a line every {line}" if line > 1 else ", a line each")
    band = {
        "type": "rect", "xref": "x", "yref": "paper", "x0": -1, "x1": 1, "y0": 0, "y1": 1, "layer": "below",
        "fillcolor": COLORS[condition], "opacity": 0.14, "line": {"width": 0},
    }  # fmt: skip
    axis = {"title": {"text": title}, "range": [round(low - room, 3), round(high + room, 3)], **_ticks(line, number)}
    data = (
        {"x": [], "y": [], "base": [], "ids": [], "hovertext": []},
        _label(rows, texts, round(low, 3)),
        points,
        span,
        told,
    )
    caption = _apart_caption(mine, other, pair)
    return Step(other.slug, other.title, caption, data, (0, 1, 2, 3, 4),
                {"shapes": [band], "annotations": _band_name(high - low), "xaxis": axis})  # fmt: skip


def _label(rows: list[Any], texts: list[str], left: float) -> dict[str, Any]:
    return {"x": [left] * len(rows), "y": [row + LABEL for row in rows], "text": texts}


def _errors(a: Timed, b: Timed, unit: float) -> dict[str, Any]:
    (a_low, a_high), (b_low, b_high) = spread_us(a), spread_us(b)
    return {
        "type": "data",
        "symmetric": False,
        "array": [round(a_high / unit, 4), round(b_high / unit, 4)],
        "arrayminus": [round(a_low / unit, 4), round(b_low / unit, 4)],
        "color": "@ink",
        "thickness": 1,
        "width": 4,
    }


def _band_name(span: float) -> list[dict[str, Any]]:
    """The band's words, where it is wide enough for them."""
    return [note("the same", 0, 1, xref="x", xanchor="center", yanchor="top")] if span < 8 else []


def _ticks(line: int, number: int) -> dict[str, Any]:
    """Numbers every ``number`` units and faint lines every ``line``; Plotly's own choice for zeros."""
    minor = {"showgrid": line > 0, "gridcolor": "@grid", "tick0": 0, "dtick": line or None}
    return {"tick0": 0, "dtick": number or None, "minor": minor}


def _every(span: float, most: int) -> int:
    """The least of 1, 2, 5, 10, 20 … that cuts ``span`` in at most ``most`` parts."""
    least = max(1.0, span / most)
    power = 10 ** math.floor(math.log10(least))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= least)


# ---- the words -----------------------------------------------------------------------------------------------------


def _distance(pair: Comparison) -> str:
    apart = abs(pair.theirs_us - pair.ours_us)
    if not pair.resolution_us:
        return fmt_time(apart)
    steps = apart / pair.resolution_us
    return "less than a step" if pair.same else f"{steps:.1f} steps" if steps < 10 else f"{steps:.0f} steps"


def _overview_caption(evidence: Evidence, condition: str, rows: list[Row], mine: Row) -> str:
    own = time_of(mine.pair, condition)
    assert own is not None
    told = []
    for row in rows:
        time = time_of(row.pair, condition)
        if time is not None and hasattr(row.pair, "returns"):
            beside = compare(own, time, twin_of(evidence, condition)).beside(f"“{row.title}”")
            told.append(f"{beside} ({fmt_time(time.samples.median_us)})")
    library = f"it is {listed(told)}" if told else "no library call was timed"
    took = f"{mine.title} with {fmt_time(own.samples.median_us)}"
    return f"{condition.capitalize()}, the fastest rung is {took}; {library}."


def _apart_caption(mine: Row, other: Row, pair: Comparison) -> str:
    start = f"The call {other.about}. " if other.about else ""
    relation = f"{mine.title} is {pair.beside('it')}. "
    if not pair.resolution_us:
        return start + relation + "Every sample of both fell on one value, so this pair shows no resolution."
    ruler = (
        f"A step is the resolution of this pair, {fmt_time(pair.resolution_us)}, and the band is one to either side; "
    )
    inside = (
        "they lie less than one step apart, inside the band." if pair.same else f"they lie {_distance(pair)} apart."
    )
    return start + relation + ruler + inside


def _table(results: Any, rows: list[Row]) -> DataTable:
    found = []
    for row in rows:
        kernels = ", ".join(getattr(row.pair, "kernels", ()))
        found += [(row.title, *times, getattr(row.pair, "version", ""), kernels) for times in time_rows(row.pair)]
    columns = ("entry", *TIME_COLUMNS, "version", "kernels it launched")
    numeric = tuple(1 + column for column in NUMERIC_TIME_COLUMNS)
    return DataTable(columns, tuple(found), numeric, "The fastest rungs and the library's calls.")
