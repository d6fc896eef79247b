"""What do all figures have in common? Their layout and axes, cells, words for times, and how recorded values are found.

Colours are tokens (``"@accent"``) that the page resolves in its own theme. ``CLEAR`` is the one literal: no colour.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from publisher.facts.commands import repeat, to_record
from publisher.facts.commands import rerecord as rerecord  # where figures look for it
from publisher.facts.units import TIME, formatted, grouped
from publisher.figures.kit.figure import Evidence, Missing, Step
from publisher.figures.kit.measured import absence, reason, time_of, value_of
from publisher.source.snippets import slug_of
from schema.recording import Recording
from schema.results import Code, Timed

TOKENS = (
    "ink", "muted", "grid", "surface", "paper", "accent", "cold", "warm", "load", "math", "store", "barrier",
    *(f"s{i}" for i in range(1, 9)), *(f"q{i}" for i in range(9)),
)  # fmt: skip
CLEAR = "rgba(0,0,0,0)"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"

Trace = dict[str, Any]
Layout = dict[str, Any]


# ---- layout ------------------------------------------------------------------------------------------------------


def base_layout(**more: Any) -> Layout:
    """The layout every figure starts from; ``more`` is merged over it, key by key at every depth."""
    layout: Layout = {
        "font": {"family": FONT, "size": 13, "color": "@ink"},
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "margin": {"l": 8, "r": 12, "t": 12, "b": 8, "pad": 0},
        "showlegend": False,
        "barmode": "overlay",
        "bargap": 0,
        "dragmode": False,
        "hovermode": "closest",
        "hoverlabel": {
            "bgcolor": "@paper",
            "bordercolor": "@muted",
            "font": {"family": FONT, "color": "@ink"},
            "align": "left",
        },
        "uniformtext": {"mode": False, "minsize": 8},
    }
    return merged(layout, more)


def merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """``over`` laid over ``base``, key by key at every depth; lists are replaced whole. Neither argument changes."""
    result = dict(base)
    for key, value in over.items():
        mine = result.get(key)
        both_maps = isinstance(mine, Mapping) and isinstance(value, Mapping)
        result[key] = merged(mine, value) if both_maps else value  # type: ignore[arg-type]
    return result


def axis(title: str = "", type: str = "linear", **more: Any) -> Layout:
    """A quiet axis: outer ticks' labels in muted ink, a faint grid, no zero line, not to be dragged."""
    made: Layout = {
        "type": type,
        "gridcolor": "@grid",
        "gridwidth": 1,
        "zeroline": False,
        "showline": False,
        "ticks": "",
        "tickfont": {"size": 12, "color": "@muted"},
        "automargin": True,
        "fixedrange": True,
    }
    if title:
        made["title"] = {"text": title, "font": {"size": 12, "color": "@muted"}, "standoff": 8}
    return merged(made, more)


def hidden_axis(**more: Any) -> Layout:
    """An axis that only places things: no line, no ticks, no grid."""
    return merged({"visible": False, "fixedrange": True, "zeroline": False}, more)


def note(text: str, x: float, y: float, **more: Any) -> Layout:
    """A text on the paper (x and y from 0 to 1), left aligned; for axis titles that stand above their axis."""
    made: Layout = {
        "text": text,
        "x": x,
        "y": y,
        "xref": "paper",
        "yref": "paper",
        "xanchor": "left",
        "yanchor": "bottom",
        "align": "left",
        "showarrow": False,
        "font": {"size": 12, "color": "@muted"},
    }
    return merged(made, more)


# ---- traces ------------------------------------------------------------------------------------------------------


def cells(
    columns: Sequence[float],
    rows: Sequence[float],
    colors: str | Sequence[str],
    width: float = 0.88,
    height: float = 0.88,
    **more: Any,
) -> Trace:
    """Rectangles around the points (column, row), in axis units: a bar trace with ``base``. Needs barmode overlay."""
    trace: Trace = {
        "type": "bar",
        "x": list(columns),
        "base": [round(row - height / 2, 4) for row in rows],
        "y": [height] * len(rows),
        "width": width,
        "marker": {"color": colors if isinstance(colors, str) else list(colors), "line": {"width": 0}},
        "hoverinfo": "text",
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "constraintext": "none",
        "cliponaxis": False,
    }
    return merged(trace, more)


def words(
    x: Sequence[Any], y: Sequence[Any], text: Sequence[str], color: str | Sequence[str] = "@ink", **more: Any
) -> Trace:
    """Texts at data positions: labels that move with the data, where an annotation would not."""
    trace: Trace = {
        "type": "scatter",
        "mode": "text",
        "x": list(x),
        "y": list(y),
        "text": list(text),
        "textfont": {"size": 12, "color": color if isinstance(color, str) else list(color)},
        "textposition": "middle center",
        "hoverinfo": "skip",
        "cliponaxis": False,
    }
    return merged(trace, more)


def sm_grid(count: int) -> tuple[int, int, list[tuple[int, int]]]:
    """Columns, rows, and the (column, row) of SM 0 to ``count`` - 1, row 0 on top, read like text.

    The grid is a scheme, not the die. It is nearly square, at most as wide as high where that leaves no hole
    (132 is 11 x 12), so that it also fits a phone.
    """
    if count < 1:
        raise ValueError(f"a card has at least one SM, not {count}")
    root = math.sqrt(count)
    widths = range(max(1, math.floor(root * 0.75)), math.ceil(root * 1.3) + 1)
    columns = min(widths, key=lambda w: (-count % w > 0, round(abs(math.log(w / root)), 6), w))
    if -count % columns:
        columns = round(root)
    return columns, -(-count // columns), [(i % columns, i // columns) for i in range(count)]


# ---- words -------------------------------------------------------------------------------------------------------


def fmt_time(us: float) -> str:
    """A time of ``us`` microseconds with 3 significant digits, in µs or ms; number and unit stay on one line."""
    return formatted(us, TIME)


def fmt_count(count: int, one: str, many: str = "") -> str:
    """``1 block``, ``256 blocks``."""
    return f"{grouped(count)}\u00a0{one if count == 1 else many or one + 's'}"


def told(step: Step) -> str:
    """A step in words for an alternative text: its title, then its caption, as the page sets them."""
    return f"{step.title}. {step.caption}"


def listed(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + names[-1] if names else "none"


# ---- recorded values (comparisons of times are in _measured.py) ----------------------------------------------------


@dataclass(frozen=True)
class Rung:
    """A rung as the code recording lists it: ``number`` is its place in the ladder, from 1."""

    number: int
    slug: str
    title: str
    idea: str
    types: str  # of all operands, the key of the least bytes and of their floor
    unit: str  # a name of ``schema.units``, or empty
    code: Code | None
    why: str  # there is no code


def rungs(evidence: Evidence) -> list[Rung]:
    """All rungs in the order of the ladder, from the code recording; ``Missing`` without one."""
    found = evidence.need("code").results.rungs
    return [
        Rung(number, slug, rung.title, rung.idea, rung.types, rung.unit, code, "" if code else reason(rung.code))
        for number, (slug, rung) in enumerate(found.items(), start=1)
        for code in [value_of(rung.code)]
    ]


def times(recording: Recording, name: str, condition: str) -> tuple[Timed | None, str]:
    """The time of a rung, reference or floor in a times recording, or None and the reason in words."""
    results = recording.results
    for group in (results.rungs, results.references, results.floors):
        if name in group:
            found = time_of(group[name], condition)
            return found, "" if found else absence(group[name], condition)
    return None, f"not measured: the recording has no {name}"


def fact(subject: str, name: str, field: str) -> str:
    """The path that prose and figures share for a recorded value, e.g. ``<ladder>.tuned.cold``."""
    return f"{subject}.{name}.{field}"


def lacking(evidence: Evidence, experiment: str, what: str, *of: Any, subject: str = "") -> Missing:
    """``Missing`` for a recording that is there but lacks what a figure shows; ``what``: a sentence, no dot.

    ``of``: the values that it would be drawn from. It may be recorded again only where one of them failed.
    """
    command = repeat(evidence.card, subject or evidence.subject, experiment, *of)
    return Missing(f"{evidence.card.card.name}: {what}", command)


def no_rung(evidence: Evidence, wanted: str, found: Sequence[str]) -> Missing:
    """``Missing`` for a rung that the code recording has not: it may be younger, or not exist."""
    younger = wanted in map(slug_of, evidence.sources)
    why = "was recorded before it had" if younger else "has no rung"
    command = to_record(evidence.card, evidence.subject, "code")[1] if younger else ""
    return Missing(f"{evidence.card.card.name}: the code {why} {wanted}; there are {listed(found)}", command)
