"""What did the hardware itself count in a launch? Bytes, hits, tensor-core activity, conflicts and stalls, by rung."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from publisher.figure import DataTable, Evidence, Provenance, Step, SteppedFigure
from publisher.figures._measured import plain, reason, rung_titles, times_text, value_of
from publisher.figures._rows import row_bars, row_words, rows_height, rows_layout, safe
from publisher.figures._style import lacking, merged, rerecord
from publisher.units import significant
from recorder.results import Counters

SECTOR_BYTES = 32  # of L2: the profiler counts either bytes or sectors
STALLS_SHOWN = 4
ISSUED = "selected"  # the profiler lists it among the reasons, but such a warp does not wait
STALL_COLORS = ("@s1", "@s2", "@s3", "@s4")
ALL = (0, 1, 2)


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
        raise lacking(evidence, "counters", f"no hardware counter was read ({reason(first)})")
    return SteppedFigure(
        title="What the hardware counted",
        alt=f"A bar a rung. {steps[0].caption}",
        data=tuple(merged(base, over) for base, over in zip(_traces(), steps[0].data, strict=True)),
        layout=merged(rows_layout(len(rungs), VIEWS[0].axis, 1.0), steps[0].layout),
        sequences={"": tuple(steps)},
        table=_table(rungs, titles, least),
        provenance=(Provenance.recorded(recording),),
        rerecord=f"{rerecord(evidence.subject, 'counters')} --with-counters",
        height=rows_height(len(rungs), 46) + 36,
        narrow_height=rows_height(len(rungs), 46) + 36,
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
    """The least bytes of each rung's launch, by its dtype; empty without times or code."""
    times, code = (evidence.card.get(evidence.subject, experiment) for experiment in ("times", "code"))
    if times is None or code is None:
        return {}
    found = {slug: times.results.least_bytes.get(rung.dtype) for slug, rung in code.results.rungs.items()}
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
    marked = {row: least[order[row]] * view.scale for row in rows if view.least and order[row] in least}
    marks = {
        "x": [round(value, 4) for value in marked.values()],
        "y": list(marked),
        "hovertext": [f"least bytes: {significant(value)} {view.unit}" for value in marked.values()],
    }
    top = 100.0 if view.unit == "%" else max([*shown, *marked.values()]) * 1.06 or 1.0
    caption = _caption(view, values, titles, {order[row]: value for row, value in marked.items()}, tool)
    return Step(view.slug, view.title, caption, _data(bars, marks, texts), ALL, _axis(view.axis, top))


def _stalls_step(
    evidence: Evidence, order: list[str], stalls: dict[str, dict[str, float]], titles: dict[str, str], tool: str
) -> Step:
    """Shares of the most frequent reasons, one after the other in a bar; what is left over is not drawn."""
    total = Counter[str]()
    for one in stalls.values():
        total.update({name: share for name, share in one.items() if name != ISSUED})
    top = [name for name, _ in total.most_common(STALLS_SHOWN)]
    rows: list[float] = []
    values: list[float | None] = []
    bases: list[float] = []
    colors: list[str] = []
    ids: list[str] = []
    hover: list[str] = []
    for row, slug in enumerate(order):
        base = 0.0
        for place, name in enumerate(top):
            share = round(100 * stalls.get(slug, {}).get(name, 0.0), 2)
            rows.append(row)
            values.append(share)
            bases.append(round(base, 2))
            colors.append(STALL_COLORS[place])
            ids.append(f"{evidence.subject}.counters.{slug}.stalls.{name}")
            hover.append(f"{safe(titles[slug])}: {safe(plain(name))} {significant(share)} %")
            base += share
    texts = [f"<b>{safe(titles[slug])}</b>  {_top_stalls(stalls.get(slug), top)}" for slug in order]
    bars = row_bars(rows, values, colors, ids, bases) | {"hovertext": hover}
    highest = max(base + (value or 0) for base, value in zip(bases, values, strict=True))
    leading = {slug: max(set(one) - {ISSUED}, key=lambda name: one[name]) for slug, one in stalls.items()}
    common, count = Counter(leading.values()).most_common(1)[0]
    caption = (
        f"Why warps waited, as {tool} sampled it in one cold launch: the {len(top)} most frequent reasons, as shares "
        f"of a warp's cycles. For {count} of {len(stalls)} rungs the first reason is `{plain(common)}`."
    )
    data = _data(bars, {"x": [], "y": [], "hovertext": []}, texts)
    return Step("stalls", "Stalls", caption, data, ALL, _axis(_stall_key(top), max(highest * 1.06, 1.0)))


def _top_stalls(found: dict[str, float] | None, top: list[str]) -> str:
    if not found:
        return "not measured"
    mine = sorted((name for name in top if found.get(name)), key=lambda name: -found[name])[:2]
    return "  ".join(f"{_square(top.index(name))} {significant(100 * found[name], 2)} %" for name in mine)


def _stall_key(top: list[str]) -> str:
    """The axis title with the reasons' colours, two a line so that it fits a phone."""
    told = [f"{_square(place)} {safe(plain(name))}" for place, name in enumerate(top)]
    lines = ["\u2003".join(told[i : i + 2]) for i in range(0, len(told), 2)]
    return "<br>".join(["% of a warp's cycles", *lines])


def _square(place: int) -> str:
    return f'<span style="color:{STALL_COLORS[place]}">■</span>'


def _data(bars: dict[str, Any], marks: dict[str, Any], texts: list[str]) -> tuple[dict[str, Any], ...]:
    label = row_words(list(range(len(texts))), texts)
    kept = {key: bars[key] for key in ("x", "y", "base", "marker", "ids")} | {"hovertext": bars.get("hovertext", [])}
    return kept, marks, {key: label[key] for key in ("x", "y", "text")}


def _axis(title: str, top: float) -> dict[str, Any]:
    return {"xaxis": {"title": {"text": title}, "range": [0, round(top, 4)]}}


# ---- the words -----------------------------------------------------------------------------------------------------


def _told(value: float | None, view: View) -> str:
    if value is None:
        return "not measured"
    return f"{value:,.0f}" if not view.unit else f"{significant(value)} {view.unit}"


def _caption(
    view: View, values: dict[str, float | None], titles: dict[str, str], least: dict[str, float], tool: str
) -> str:
    found = {slug: value for slug, value in values.items() if value is not None}
    most, fewest = max(found, key=lambda s: found[s]), min(found, key=lambda s: found[s])
    start = f"{view.what} in one cold launch, as {tool} counted. "
    ratios = {slug: found[slug] / least[slug] for slug in found if slug in least}
    if ratios:
        far, near = max(ratios, key=lambda s: ratios[s]), min(ratios, key=lambda s: ratios[s])
        start += "The upright mark is the least that the problem needs. "
        if times_text(ratios[near]) == times_text(ratios[far]):
            return start + f"All are {times_text(ratios[near])} that." + _absent(values, titles)
        start += f"Between {times_text(ratios[near])} that "
        start += f"({titles[near]}) and {times_text(ratios[far])} ({titles[far]})."
    elif found[most] == found[fewest]:
        start += f"Every rung counted here shows {_told(found[most], view)}."
    else:
        start += f"From {_told(found[fewest], view)} ({titles[fewest]}) to {_told(found[most], view)} ({titles[most]})."
    return start + _absent(values, titles)


def _absent(values: dict[str, float | None], titles: dict[str, str]) -> str:
    absent = [titles[slug] for slug, value in values.items() if value is None]
    return f" Not measured: {', '.join(absent)}." if absent else ""


def _table(rungs: dict[str, Any], titles: dict[str, str], least: dict[str, int]) -> DataTable:
    rows = []
    for slug, counters in rungs.items():
        counted = value_of(counters)
        if not isinstance(counted, Counters):
            rows.append((titles[slug], "", "", reason(counters)))
            continue
        if slug in least:
            rows.append((titles[slug], "least bytes", f"{least[slug]:,}", "derived from the problem's size"))
        for name, value in counted.cold.items():
            number = value_of(value)
            rows.append(
                (titles[slug], name, "" if number is None else f"{number:,}", reason(value) if number is None else "")
            )
        rows += [(titles[slug], f"stall: {name}", f"{share:.4g}", "") for name, share in counted.stalls.items()]
    return DataTable(
        ("rung", "counter", "value", "remark"), tuple(rows), (2,), "Counters of one cold launch of each rung."
    )
