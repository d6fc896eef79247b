"""What is one change worth when all else stays? Controlled comparisons, an entry a step, each beside the one before."""

from __future__ import annotations

from typing import Any

from publisher.facts.units import significant
from publisher.figures.kit.figure import Choice, DataTable, Evidence, Provenance, Step, SteppedFigure
from publisher.figures.kit.measured import (
    CONDITIONS,
    NUMERIC_TIME_COLUMNS,
    TIME_COLUMNS,
    absence,
    compare,
    plain,
    spread_us,
    time_of,
    time_rows,
    twin_of,
)
from publisher.figures.kit.rows import row_bars, row_words, rows_height, rows_layout, safe
from publisher.figures.kit.style import fmt_count, fmt_time, lacking, listed, merged, rerecord
from schema.results import ChangeEntry, Timed

OFFSET = {"cold": -0.09, "warm": 0.13}  # of a row, so that the two points of an entry do not cover each other
COLORS = {"cold": "@cold", "warm": "@warm"}
Entries = dict[str, ChangeEntry]


def draw(evidence: Evidence) -> SteppedFigure:
    recording = evidence.need("one_change")
    comparisons: dict[str, Entries] = {
        slug: entries for slug, entries in recording.results.comparisons.items() if _any_time(entries)
    }
    if not comparisons:
        raise lacking(evidence, "one_change", "no entry of a controlled comparison has a time", recording.results)
    count = max(len(entries) for entries in comparisons.values())
    sequences = {slug: _steps(evidence, slug, entries) for slug, entries in comparisons.items()}
    first = next(iter(sequences.values()))[0]
    return SteppedFigure(
        title="One change at a time",
        alt=f"Points for the cold and the warm time of each entry of a comparison. {first.caption}",
        data=tuple(merged(base, over) for base, over in zip(_traces(), first.data, strict=True)),
        layout=rows_layout(count, "time of a launch, µs", 1.0),
        sequences=sequences,
        table=_table(comparisons),
        provenance=(Provenance.recorded(recording),),
        rerecord=rerecord(evidence.subject, "one_change"),
        choices=(Choice("comparison", "Comparison", tuple((slug, plain(slug)) for slug in comparisons)),),
        height=rows_height(count),
        narrow_height=rows_height(count),
    )


def _any_time(entries: Entries) -> bool:
    return any(time_of(entry.times, condition) for entry in entries.values() for condition in CONDITIONS)


# ---- the drawing ---------------------------------------------------------------------------------------------------


def _traces() -> list[dict[str, Any]]:
    """A thin bar and a point with its interval for each time, cold and warm, then the words of the rows."""
    traces: list[dict[str, Any]] = []
    for condition in CONDITIONS:
        color = COLORS[condition]
        traces.append(row_bars([], [], [], [], width=0.05, name=condition, hoverinfo="skip"))
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": condition,
                "x": [],
                "y": [],
                "marker": {"size": 10, "color": color, "line": {"color": "@paper", "width": 1}},
                "error_x": {"type": "data", "symmetric": False, "color": "@ink", "thickness": 1, "width": 4},
                "hoverinfo": "text",
            }
        )
    return [*traces, row_words([], [])]


def _steps(evidence: Evidence, comparison: str, entries: Entries) -> tuple[Step, ...]:
    highest = max(t.samples.interval_us[1] for e in entries.values() for c in CONDITIONS if (t := time_of(e.times, c)))
    layout = {"xaxis": {"range": [0, round(highest * 1.06, 3)]}}
    steps = []
    for place, (slug, entry) in enumerate(entries.items()):
        shown = dict(list(entries.items())[: place + 1])
        data: list[dict[str, Any]] = []
        for condition in CONDITIONS:
            data += _points(evidence, comparison, shown, condition)
        label = row_words(list(range(len(shown))), [_row_text(e) for e in shown.values()])
        data.append({key: label[key] for key in ("x", "y", "text")})
        caption = _caption(evidence, list(shown.values()))
        steps.append(Step(slug, entry.title, caption, tuple(data), tuple(range(len(data))), layout))
    return tuple(steps)


def _points(evidence: Evidence, comparison: str, shown: Entries, condition: str) -> list[dict[str, Any]]:
    rows: list[float] = []
    values: list[float] = []
    spreads: list[tuple[float, float]] = []
    ids: list[str] = []
    hover: list[str] = []
    for row, (slug, entry) in enumerate(shown.items()):
        timed = time_of(entry.times, condition)
        if timed is None:
            continue
        rows.append(row + OFFSET[condition])
        values.append(round(timed.samples.median_us, 4))
        spreads.append(spread_us(timed))
        ids.append(f"{evidence.subject}.one_change.comparisons.{comparison}.{slug}.times.{condition}")
        hover.append(f"{safe(entry.title)}, {condition}: {fmt_time(timed.samples.median_us)}")
    bars = row_bars(rows, values, [COLORS[condition]] * len(rows), ids)
    errors = {"array": [high for _, high in spreads], "arrayminus": [low for low, _ in spreads]}
    points = {"x": values, "y": rows, "ids": ids, "hovertext": hover, "error_x": errors}
    return [{key: bars[key] for key in ("x", "y", "base", "marker", "ids")}, points]


def _row_text(entry: ChangeEntry) -> str:
    told = []
    for condition in CONDITIONS:
        timed = time_of(entry.times, condition)
        if timed is not None:
            dot = f'<span style="color:{COLORS[condition]}">●</span>'
            told.append(f"{dot} {condition} {significant(timed.samples.median_us)}")
    times = f"{'  '.join(told)} µs" if told else absence(entry.times, "cold").split(":")[0]
    return f"<b>{safe(entry.title)}</b>  {times}"


# ---- the words -----------------------------------------------------------------------------------------------------


def _caption(evidence: Evidence, shown: list[ChangeEntry]) -> str:
    """The last entry's change and times, beside the entry before it and, where that is another, beside the first."""
    entry = shown[-1]
    what = entry.what.rstrip(".")
    launched = f"; {fmt_count(entry.blocks, 'block')}" if entry.blocks and f"{entry.blocks} block" not in what else ""
    start = f"{what[:1].upper()}{what[1:]}{launched}."
    others = shown[-2:-1] + (shown[:1] if len(shown) > 2 else [])
    return " ".join([start, *(_told(evidence, entry, others, condition) for condition in CONDITIONS)])


def _told(evidence: Evidence, entry: ChangeEntry, others: list[ChangeEntry], condition: str) -> str:
    timed = time_of(entry.times, condition)
    if timed is None:
        return f"There is no {condition} time ({absence(entry.times, condition)})."
    relations = [_beside(evidence, timed, other, condition) for other in others]
    beside = f": {listed([words for words in relations if words])}" if any(relations) else ""
    return f"{condition.capitalize()} it takes {fmt_time(timed.samples.median_us)}{beside}."


def _beside(evidence: Evidence, timed: Timed, other: ChangeEntry, condition: str) -> str:
    theirs = time_of(other.times, condition)
    if theirs is None:
        return ""
    return compare(timed, theirs, twin_of(evidence, condition)).beside(f"“{other.title}”")


def _table(comparisons: dict[str, Entries]) -> DataTable:
    rows = []
    for comparison, entries in comparisons.items():
        for entry in entries.values():
            constants = ", ".join(f"{plain(name)} {value}" for name, value in entry.constants.items())
            named = (plain(comparison), entry.title, entry.what, constants, str(entry.blocks))
            rows += [(*named, *times) for times in time_rows(entry.times)]
    columns = ("comparison", "entry", "what changes or stays", "constants", "blocks", *TIME_COLUMNS)
    numeric = (4, *(5 + column for column in NUMERIC_TIME_COLUMNS))
    return DataTable(columns, tuple(rows), numeric, "Controlled comparisons: what differs is named, the rest stays.")
