"""How much room do a figure's labels need beside its plot? The same at every step and in any font: it stands still.

Plotly moves a plot aside for labels that do not fit its margins, step by step, and as wide as the reader's font is. A
figure gets margins here that hold the labels of all its steps in a wide font: no step moves the plot, and the first
picture, kept as an SVG, is where Plotly draws it. Where this falls short Plotly still makes room: nothing is cut off.
"""

from __future__ import annotations

import dataclasses
import html
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from publisher.figures.kit.figure import Step, SteppedFigure
from publisher.figures.kit.style import Layout, Trace, merged

SIDES = ("l", "r", "t", "b")
WIDTHS = {"wide": 760, "narrow": 320}  # px; of the plot on a desktop and on a phone
PAD = 12  # px; the most that Plotly adds to what it makes room for: no more than the smallest margin
LABEL = 5  # px between an axis and its labels
LINE, LETTER = 1.3, 1.2  # of a font's size: from a line to the next, and the height of one
TITLE = 0.7  # of a font's size: what Plotly counts for a title
BOLD = 1.2
KEY_MARK, KEY_ROW, KEY_GAP = 40, 19, 5  # px of a legend: beside a name, a row of names, between two

# Widths of letters in DejaVu Sans or Serif, the wider, as parts of the size; Arial's are a seventh less. Others: 0.7.
_LETTERS = {
    0.35: "'|,.;:ijl-/\\f· \u00a0", 0.4: "!()IJ[]t", 0.5: '"*_`rs–\u2002', 0.55: "?cz", 0.6: "aekovxy",
    0.65: "$0123456789LPTYbdghnpquµ{}", 0.75: "BCEKR", 0.85: "DGHOQUw#+<=>^~×", 0.95: "N&m%", 1.05: "MW@—…",
}  # fmt: skip
_EM = {letter: width for width, letters in _LETTERS.items() for letter in letters}
_TAG = re.compile(r"<(?!br)[^>]*>")


def text_width(text: str, size: float) -> float:
    """Px of the widest line of a label, as Plotly reads it (``<br>``, ``<b>``), in a wide font of ``size`` px."""
    return max(_line_width(line) for line in text.split("<br>")) * size


def _line_width(line: str) -> float:
    plain = html.unescape(_TAG.sub("", line))
    return sum(_EM.get(letter, 0.7) for letter in plain) * (BOLD if "<b>" in line else 1)


def with_room(figure: SteppedFigure) -> SteppedFigure:
    """The figure with margins, for wide and for narrow pages, in which the labels of all its steps have room.

    Names of a legend get columns of one width too, so that they stand in the same places in any font.
    """
    if _has_key(figure.layout):
        key = {"legend": {"entrywidth": _longest(figure)}}
        figure = dataclasses.replace(figure, layout=merged(figure.layout, key))
    room = {size: _room(figure, size) for size in WIDTHS}
    return dataclasses.replace(
        figure,
        layout=merged(figure.layout, {"margin": room["wide"]}),
        narrow=merged(figure.narrow, {"margin": room["narrow"]}),
    )


def _room(figure: SteppedFigure, size: str) -> dict[str, int]:
    narrow = size == "narrow"
    base = merged(figure.layout, figure.narrow) if narrow else figure.layout
    given = {"l": 80, "r": 80, "t": 100, "b": 80} | {k: v for k, v in base.get("margin", {}).items() if k in SIDES}
    paper = WIDTHS[size], figure.narrow_height if narrow else figure.height
    states = [(_traces(figure, step), merged(base, step.layout)) for step in _steps(figure)]
    margins, pad = given, PAD
    for _ in range(2):  # first with the most that Plotly may add, then with what it adds to such margins
        plot = paper[0] - margins["l"] - margins["r"], paper[1] - margins["t"] - margins["b"]
        needs = [need for traces, layout in states for need in _needs(traces, layout, plot)]
        wanted = {side: max((px for one, px in needs if one == side), default=0.0) for side in SIDES}
        margins = {side: max(given[side], math.ceil(px + pad) if px else 0) for side, px in wanted.items()}
        pad = min(PAD, *margins.values())
    return margins


def _steps(figure: SteppedFigure) -> list[Step]:
    return [step for steps in figure.sequences.values() for step in steps]


def _traces(figure: SteppedFigure, step: Step) -> list[Trace]:
    traces = list(figure.data)
    for place, over in zip(step.traces or range(len(step.data)), step.data, strict=True):
        traces[place] = merged(traces[place], over)
    return [trace for trace in traces if trace.get("visible", True) is True]


def _needs(traces: Sequence[Trace], layout: Layout, plot: tuple[int, int]) -> Iterator[tuple[str, float]]:
    """Every side with px that something needs there; ``plot``: width and height, px."""
    for name, axis in layout.items():
        if re.fullmatch(r"[xy]axis\d*", name) and axis.get("visible", True) and axis.get("automargin"):
            yield from _axis_needs(name, axis, traces, layout, plot)
    if "entrywidth" in layout.get("legend", {}):
        yield from _key_needs(traces, layout, plot)


# ---- axes ----------------------------------------------------------------------------------------------------------


def _axis_needs(
    name: str, axis: Layout, traces: Sequence[Trace], layout: Layout, plot: tuple[int, int]
) -> Iterator[tuple[str, float]]:
    across = name[0] == "x"
    size = axis.get("tickfont", {}).get("size", 12)
    labels = _labels(name, axis, traces) if axis.get("showticklabels", True) else []
    angle = axis.get("tickangle")
    turn = math.radians(angle) if isinstance(angle, (int, float)) else 0.0
    places = [(at, *_box(text, size, turn)) for at, text in labels]
    deep = max((box[1 + across] for box in places), default=0.0)
    title = axis.get("title") or {}
    title = title if isinstance(title, Mapping) else {"text": title}
    depth = deep + LABEL if labels else 0.0
    if title.get("text"):
        depth += TITLE * title.get("font", {}).get("size", 14) + title.get("standoff", 0)
    ticks = axis.get("ticklen", 5) if axis.get("ticks") == "outside" else 0
    side = axis.get("side", "bottom" if across else "left")[0]
    if depth and _at_edge(axis, name, layout, side):
        yield side, depth + ticks
    low, high = axis.get("domain", (0, 1))
    length = (high - low) * plot[0 if across else 1]
    for at, wide, tall in places:
        half = (wide if across else tall) / 2
        for end, distance in (("l" if across else "b", at), ("r" if across else "t", 1 - at)):
            if half > distance * length:
                yield end, half - distance * length


def _box(text: str, size: float, turn: float) -> tuple[float, float]:
    wide, tall = text_width(text, size), size * (LETTER + LINE * text.count("<br>"))
    across, along = abs(math.cos(turn)), abs(math.sin(turn))
    return wide * across + tall * along, wide * along + tall * across


def _at_edge(axis: Layout, name: str, layout: Layout, side: str) -> bool:
    """Whether an axis stands at the end of the paper that its side names."""
    anchor = axis.get("anchor", "y" if name[0] == "x" else "x")
    low, high = layout.get(f"{anchor[0]}axis{anchor[1:]}", {}).get("domain", (0, 1))
    return low == 0 if side in "lb" else high == 1


def _labels(name: str, axis: Layout, traces: Sequence[Trace]) -> list[tuple[float, str]]:
    """Places along an axis, from 0 to 1, and the labels that stand there."""
    short = f"{name[0]}{name[5:]}"
    mine = [trace for trace in traces if trace.get(f"{name[0]}axis", name[0]) == short]
    values = [value for trace in mine for value in _values(trace, name[0])]
    names = list(dict.fromkeys(value for value in values if isinstance(value, str)))
    if names:
        return [((place + 0.5) / len(names), text) for place, text in enumerate(names)]
    log = axis.get("type") == "log"
    numbers = [math.log10(value) if log else value for value in values if value > 0 or not log] or [0]
    low, high = sorted(axis.get("range") or (min(numbers) if log else min(0, *numbers, 0), max(numbers)))
    if axis.get("tickvals") is not None:
        told = axis.get("ticktext") or axis["tickvals"]
        marks = [
            (math.log10(at) if log else at, text if isinstance(text, str) else f"{text:g}")
            for at, text in zip(axis["tickvals"], told, strict=False)
            if at > 0 or not log
        ]
    elif log:
        marks = [(at, f"{10.0**at:g}") for at in range(math.ceil(low), math.floor(high) + 1)]
    else:
        marks = list(_round(low, high, axis))
    backwards = bool(axis.get("range")) and axis["range"][0] > axis["range"][1]
    found = [((at - low) / (high - low or 1), text) for at, text in marks if low <= at <= high]
    return [(1 - at if backwards else at, text) for at, text in found]


def _round(low: float, high: float, axis: Layout) -> Iterator[tuple[float, str]]:
    """The outermost of the round numbers that Plotly places, which are the longest: taken to stand at the very ends."""
    rough = (high - low or 1) / (axis.get("nticks") or 10)
    ten = 10.0 ** math.floor(math.log10(rough))
    step = axis.get("dtick") or ten * next(m for m in (2, 5, 10) if m * ten >= rough * 0.999)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    for at in (low, high):
        yield at, f"{axis.get('tickprefix', '')}{round(at / step) * step:.{digits}f}{axis.get('ticksuffix', '')}"


def _values(trace: Trace, letter: str) -> Iterator[Any]:
    """What a trace has on one axis: words or numbers; the end of a bar where it stands on another."""
    found = trace.get(letter)
    if isinstance(found, Mapping) or found is None:
        return
    bases = trace.get("base", ()) if letter == ("x" if trace.get("orientation") == "h" else "y") else ()
    for place, value in enumerate(found):
        if isinstance(value, str):
            yield value
        elif value is not None:
            base = bases[place] if isinstance(bases, Sequence) and place < len(bases) else 0
            if math.isfinite(end := float(value) + float(base or 0)):
                yield end


# ---- legends -------------------------------------------------------------------------------------------------------


def _has_key(layout: Layout) -> bool:
    """Whether there is a legend over the plot at every step, of names in rows."""
    key = layout.get("legend", {})
    return bool(layout.get("showlegend")) and key.get("orientation") == "h" and key.get("yanchor") == "bottom"


def _longest(figure: SteppedFigure) -> int:
    size = figure.layout["legend"].get("font", {}).get("size", 12)
    names = [name for step in _steps(figure) for name in _names(_traces(figure, step))]
    return math.ceil(max((text_width(name, size) for name in names), default=0))


def _names(traces: Sequence[Trace]) -> list[str]:
    return [str(trace["name"]) for trace in traces if trace.get("name") and trace.get("showlegend", True)]


def _key_needs(traces: Sequence[Trace], layout: Layout, plot: tuple[int, int]) -> Iterator[tuple[str, float]]:
    key = layout["legend"]
    column = KEY_MARK + key["entrywidth"] + KEY_GAP
    rows = math.ceil(len(_names(traces)) / max(1, (plot[0] + KEY_GAP) // column))
    if rows:
        yield "t", rows * KEY_ROW + 2 * KEY_GAP + (key.get("y", 1) - 1) * plot[1]
