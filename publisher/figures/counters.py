"""What did the hardware itself count in a launch? Bytes, hits, tensor-core activity, conflicts and stalls, by rung."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from publisher.facts.units import significant
from publisher.figures.kit.figure import DataTable, Evidence, Provenance, Step, SteppedFigure
from publisher.figures.kit.measured import reason, rung_titles, times_text, value_of
from publisher.figures.kit.rows import row_bars, row_words, rows_height, rows_layout, safe
from publisher.figures.kit.stalls import ISSUED, common, leading, square, stacked, waits_for
from publisher.figures.kit.style import lacking, merged, note, rerecord
from schema.results import Counters

SECTOR_BYTES = 32  # of L2: the profiler counts either bytes or sectors
ALL = (0, 1, 2)  # every step states all traces
KEY_LINE = 16  # px of a line below the axis
CLOSE = 0.015  # counts this near to the least bytes are one finding, not eight


@dataclass(frozen=True)
class View:
    """One question to the counters. ``pattern`` finds its metrics; ``scale`` makes ``unit`` of them."""

    slug: str
    title: str
    pattern: str
    unit: str
    axis: str
    what: str
    least: bool = False  # set beside the least bytes of the problem
    scale: float = 1.0


VIEWS = (
    View(
        "dram",
        "Device memory",
        r"^dram__bytes_read\.sum$",
        "MB",
        "MB read",
        "Bytes read from device memory",
        True,
        1e-6,
    ),
    View("l2", "L2", r"^lts__t_(bytes|sectors)\.sum$", "MB", "MB moved", "Bytes moved by L2", True, 1e-6),
    View("hits", "L2 hits", r"^lts__t_sector_hit_rate\.pct$", "%", "% of sectors", "The share of sectors found in L2"),
    View(
        "tensor",
        "Tensor cores",
        r"pipe_tensor.*\.pct",
        "%",
        "% of the time",
        "The time that the tensor pipe was active",
    ),
    View("conflicts", "Bank conflicts", r"bank_conflict.*\.sum$", "", "conflicts", "Bank conflicts of shared memory"),
)


def draw(evidence: Evidence) -> SteppedFigure:
    recording = evidence.need("counters")
    rungs = recording.results.rungs
    titles: dict[str, str] = {slug: slug for slug in rungs} | rung_titles(evidence)
    least = _least_bytes(evidence)
    steps = []
    for view in VIEWS:
        values = {slug: _value(view, counters) for slug, counters in rungs.items()}
        if any(value is not None for value in values.values()):
            steps.append(_step(evidence, view, values, titles, least, recording.results.tool))
    stalls = {
        slug: found.stalls
        for slug, counters in rungs.items()
        if (found := value_of(counters)) and set(found.stalls) - {ISSUED}
    }
    if stalls:
        steps.append(_stalls_step(evidence, list(rungs), stalls, titles, recording.results.tool))
    if not steps:
        first = next(iter(rungs.values()), None)
        raise lacking(evidence, "counters", f"no hardware counter was read ({reason(first)})", rungs)
    key = KEY_LINE * len(common(stalls)) if stalls else 0
    return SteppedFigure(
        title="What the hardware counted",
        alt=f"A bar a rung. {steps[0].caption}",
        data=tuple(merged(base, over) for base, over in zip(_traces(), steps[0].data, strict=True)),
        layout=merged(rows_layout(len(rungs), VIEWS[0].axis, 1.0), steps[0].layout),
        sequences={"": tuple(steps)},
        table=_table(rungs, titles, least),
        provenance=(Provenance.recorded(recording),),
        rerecord=f"{rerecord(evidence.subject, 'counters')} --with-counters",
        height=rows_height(len(rungs), 46) + key,
        narrow_height=rows_height(len(rungs), 46) + key,
    )


def _value(view: View, counters: Any) -> float | None:
    """What the view's metrics say in its unit, or None where the profiler gave none of them; plain counts add up."""
    counted = value_of(counters)
    if counted is None:
        return None
    found = {name: value_of(value) for name, value in counted.cold.items() if re.search(view.pattern, name)}
    numbers = [
        value * (SECTOR_BYTES if "sectors." in name else 1) for name, value in found.items() if value is not None
    ]
    if not numbers:
        return None
    return (numbers[0] if view.unit else sum(numbers)) * view.scale


def _least_bytes(evidence: Evidence) -> dict[str, int]:
    """The least bytes of each rung's launch, by its types; empty without times or code."""
    times, code = (evidence.card.get(evidence.subject, experiment) for experiment in ("times", "code"))
    if times is None or code is None:
        return {}
    found = {slug: times.results.least_bytes.get(rung.types) for slug, rung in code.results.rungs.items()}
    return {slug: value for slug, value in found.items() if value}


# ---- the drawing ---------------------------------------------------------------------------------------------------


def _traces() -> list[dict[str, Any]]:
    """Bars, the marks of the least bytes, the words of the rows."""
    mark = {"symbol": "line-ns", "size": 16, "color": "@ink", "line": {"width": 2, "color": "@ink"}}
    marks = {"type": "scatter", "mode": "markers", "x": [], "y": [], "marker": mark, "hoverinfo": "text"}
    return [row_bars([], [], [], []), marks, row_words([], [])]


def _step(
    evidence: Evidence,
    view: View,
    values: dict[str, float | None],
    titles: dict[str, str],
    least: dict[str, int],
    tool: str,
) -> Step:
    order = list(values)
    rows = [row for row, slug in enumerate(order) if values[slug] is not None]
    shown = [value for slug in order if (value := values[slug]) is not None]
    ids = [f"{evidence.subject}.counters.{order[row]}.{view.slug}" for row in rows]
    bars = row_bars(rows, [round(value, 4) for value in shown], ["@accent"] * len(rows), ids)
    texts = [f"<b>{safe(titles[slug])}</b>  {_told(values[slug], view)}" for slug in order]
    hover = [f"{safe(titles[order[row]])}: {_told(values[order[row]], view)}" for row in rows]
    marked = {row: least[order[row]] * view.scale for row in rows if view.least and order[row] in least}
    marks = {
        "x": [round(value, 4) for value in marked.values()],
        "y": list(marked),
        "hovertext": [f"least bytes: {significant(value)} {view.unit}" for value in marked.values()],
    }
    top = 100.0 if view.unit == "%" else max([*shown, *marked.values()]) * 1.06 or 1.0
    caption = _caption(view, values, titles, {order[row]: value for row, value in marked.items()}, tool)
    data = _data(bars | {"hovertext": hover}, marks, texts)
    return Step(view.slug, view.title, caption, data, ALL, _axis(view.axis, top))


def _stalls_step(
    evidence: Evidence, order: list[str], stalls: dict[str, dict[str, float]], titles: dict[str, str], tool: str
) -> Step:
    """Shares of the reasons, one after the other in a bar: those that matter to some rung, then the rest in one."""
    top = common(stalls)
    path = f"{evidence.subject}.counters"
    parts = [part for row, slug in enumerate(order) for part in stacked(row, slug, stalls.get(slug, {}), top)]
    bars = row_bars(
        [part.row for part in parts],
        [part.share for part in parts],
        [part.color for part in parts],
        [f"{path}.{part.slug}.stalls.{part.name}" for part in parts],
        [part.base for part in parts],
    )
    hover = [f"{safe(titles[part.slug])}: {safe(waits_for(part.name))} {_percent(part.share)}" for part in parts]
    texts = [f"<b>{safe(titles[slug])}</b>  {_two(stalls.get(slug), top)}" for slug in order]
    key = "<br>".join(f"{square(top, name)} {safe(waits_for(name))}" for name in top)
    highest = max(part.base + part.share for part in parts)
    told = leading(stalls, titles)
    caption = (
        f"What warps waited for in one cold launch, as {_short(tool)} sampled it, in shares of their time. {told}."
    )
    data = _data(bars | {"hovertext": hover}, {"x": [], "y": [], "hovertext": []}, texts)
    layout = _axis("% of a warp's time, waiting for", max(highest, 1.0)) | {
        "margin": {"b": 46 + KEY_LINE * len(top)},
        "annotations": [note(key, 0, 0, yanchor="top", yshift=-42)],
    }
    return Step("stalls", "Stalls", caption, data, ALL, layout)


def _two(found: dict[str, float] | None, top: list[str]) -> str:
    """The two most frequent reasons of a rung."""
    if not found:
        return "not measured"
    mine = sorted((name for name in top if found.get(name)), key=lambda name: -found[name])[:2]
    return "  ".join(f"{square(top, name)} {significant(100 * found[name], 2)} %" for name in mine)


def _data(bars: dict[str, Any], marks: dict[str, Any], texts: list[str]) -> tuple[dict[str, Any], ...]:
    label = row_words(list(range(len(texts))), texts)
    kept = {key: bars[key] for key in ("x", "y", "base", "marker", "ids", "hovertext")}
    return kept, marks, {key: label[key] for key in ("x", "y", "text")}


def _axis(title: str, top: float) -> dict[str, Any]:
    return {"xaxis": {"title": {"text": title}, "range": [0, round(top, 4)]}}


# ---- the words -----------------------------------------------------------------------------------------------------


def _told(value: float | None, view: View) -> str:
    if value is None:
        return "not measured"
    if view.unit == "%":
        return _percent(value)
    return f"{significant(value)} {view.unit}" if view.unit else f"{value:,.0f}"


def _percent(value: float) -> str:
    """Two decimals below ten, one above: 0.01 %, 7.36 %, 57.0 %."""
    return f"{value:.{0 if value == 0 else 2 if value < 10 else 1}f} %"


def _short(tool: str) -> str:
    """The profiler and its version, without the number of its build."""
    return re.sub(r"\s*\([^)]*\)", "", tool).strip()


def _caption(
    view: View, values: dict[str, float | None], titles: dict[str, str], least: dict[str, float], tool: str
) -> str:
    found = {slug: value for slug, value in values.items() if value is not None}
    most, fewest = max(found, key=lambda s: found[s]), min(found, key=lambda s: found[s])
    start = f"{view.what} in one cold launch, as {_short(tool)} counted. "
    ratios = {slug: found[slug] / least[slug] for slug in found if slug in least}
    if ratios:
        start += _beside_least(view, ratios, titles)
    elif found[most] == found[fewest]:
        start += f"Every rung counted here shows {_told(found[most], view)}."
    else:
        start += f"From {_told(found[fewest], view)} ({titles[fewest]}) to {_told(found[most], view)} ({titles[most]})."
    return start + _absent(values, titles)


def _beside_least(view: View, ratios: dict[str, float], titles: dict[str, str]) -> str:
    """How far the counts are from the least bytes, which hold the output too: it is written, not read."""
    far, near = max(ratios, key=lambda s: ratios[s]), min(ratios, key=lambda s: ratios[s])
    start = "The upright mark is the least that the problem must read and write together. "
    off = max(abs(ratio - 1) for ratio in ratios.values())
    if off < CLOSE:
        within = f"{significant(100 * off, 2)}\u202f%"
        return f"{start}All rungs lie within {within} of it, so none reads much of it twice."
    if times_text(ratios[near]) == times_text(ratios[far]):
        return f"{start}All are {times_text(ratios[near])} that."
    return f"{start}From {times_text(ratios[near])} that ({titles[near]}) to {times_text(ratios[far])} ({titles[far]})."


def _absent(values: dict[str, float | None], titles: dict[str, str]) -> str:
    absent = [titles[slug] for slug, value in values.items() if value is None]
    return f" Not measured: {', '.join(absent)}." if absent else ""


def _table(rungs: dict[str, Any], titles: dict[str, str], least: dict[str, int]) -> DataTable:
    """A row a counter, a column a rung; what a rung lacks says why."""
    counted = {slug: found for slug, counters in rungs.items() if isinstance(found := value_of(counters), Counters)}
    names = dict.fromkeys(name for found in counted.values() for name in found.cold)
    stalls = dict.fromkeys(name for found in counted.values() for name in found.stalls)

    def row(name: str, cell: Callable[[str], str]) -> tuple[str, ...]:
        return (name, *(cell(slug) if slug in counted else reason(rungs[slug]) for slug in rungs))

    def count(name: str) -> Callable[[str], str]:
        return lambda slug: _counted(counted[slug].cold.get(name))

    def share(name: str) -> Callable[[str], str]:
        return lambda slug: f"{counted[slug].stalls[name]:.4g}" if name in counted[slug].stalls else ""

    rows = [row("least bytes, derived from the sizes", lambda slug: f"{least[slug]:,}" if slug in least else "")]
    rows += [row(name, count(name)) for name in names]
    rows += [row(f"stall: {name}", share(name)) for name in stalls]
    columns = ("counter", *(titles[slug] for slug in rungs))
    numeric = tuple(range(1, len(columns)))
    return DataTable(columns, tuple(rows), numeric, "Counters of one cold launch of each rung.")


def _counted(value: Any) -> str:
    """A counter's value as a person writes it, or why there is none."""
    number = value_of(value)
    if number is None:
        return "" if value is None else reason(value)
    return f"{int(number):,}" if float(number).is_integer() else f"{number:,}"
