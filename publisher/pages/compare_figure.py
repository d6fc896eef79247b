"""How do the cards differ? One figure of all rungs on all cards, each card a labelled trace; cold first, then warm."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from publisher.facts.units import TIME, formatted
from publisher.facts.values import TIMES
from publisher.figures.kit.figure import DataTable, Missing, Provenance, Step, SteppedFigure
from schema.recording import CardRecordings, Recording
from schema.results import Timed

CONDITIONS = ("cold", "warm")
COLOURS = tuple(f"@s{i}" for i in range(1, 9))
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star", "hexagon")


def compared(cards: Sequence[CardRecordings], subject: str) -> SteppedFigure | Missing:
    """Times of every rung and reference on a log axis; cards without times are left out and named in the table."""
    recordings = [found for card in cards if (found := card.get(subject, TIMES))]
    if len(recordings) < 2:
        return Missing(f"fewer than two cards timed {subject}", f"python -m recorder --gpu 0 --only {subject}/{TIMES}")
    names = list(dict.fromkeys(name for r in recordings for name in (*r.results.rungs, *r.results.references)))
    steps = tuple(
        Step(
            condition,
            condition.capitalize(),
            f"Median time of each kernel, {condition}, on {len(recordings)} cards. A missing mark was not measured.",
            tuple(
                {"y": [_us(r, name, condition) for name in names], "ids": _ids(subject, names, condition)}
                for r in recordings
            ),
            tuple(range(len(recordings))),
        )
        for condition in CONDITIONS
    )
    traces = tuple(_trace(i, r, names, steps[0].data[i]) for i, r in enumerate(recordings))
    columns = ("kernel", *(f"{r.card.name}, {condition}" for r in recordings for condition in CONDITIONS))
    rows = tuple((name, *(_text(r, name, c) for r in recordings for c in CONDITIONS)) for name in names)
    return SteppedFigure(
        title="The same kernels on every card",
        alt=f"Cold times of {len(names)} kernels on {', '.join(r.card.name for r in recordings)}.",
        data=traces,
        layout=_layout(names),
        sequences={"": steps},
        table=DataTable(columns, rows, tuple(range(1, len(columns))), "Median times"),
        provenance=tuple(Provenance.recorded(r) for r in recordings),
        rerecord=f"python -m recorder --gpu 0 --only {subject}/{TIMES}",
        narrow={"margin": {"l": 44, "r": 8, "t": 8, "b": 8}},
        height=440,
        narrow_height=460,
    )


def _trace(place: int, recording: Recording, names: list[str], first: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers+lines",
        "name": escape(recording.card.name, quote=False),  # Plotly would read tags in it
        "x": names,
        "marker": {"color": COLOURS[place % 8], "symbol": SYMBOLS[(place + place // 8) % 8], "size": 9},
        "line": {"color": COLOURS[place % 8], "width": 1, "dash": "dot"},
        "hovertemplate": "%{x}<br>%{y:.4g} µs",
        **first,
    }


def _layout(names: list[str]) -> dict[str, Any]:
    axis = {"gridcolor": "@grid", "tickfont": {"color": "@muted", "size": 12}, "automargin": True, "zeroline": False}
    return {
        "font": {"color": "@ink", "size": 13},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "margin": {"l": 60, "r": 12, "t": 8, "b": 8},
        "dragmode": False,
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        "xaxis": axis | {"type": "category", "categoryorder": "array", "categoryarray": names, "fixedrange": True},
        "yaxis": axis
        | {"type": "log", "title": {"text": "µs", "font": {"color": "@muted"}}, "fixedrange": True, "dtick": 1},
    }


def _timed(recording: Recording, name: str, condition: str) -> Timed | None:
    entry = recording.results.rungs.get(name) or recording.results.references.get(name)
    timed = getattr(entry, condition, None)
    return timed if isinstance(timed, Timed) else None


def _us(recording: Recording, name: str, condition: str) -> float | None:
    timed = _timed(recording, name, condition)
    return round(timed.samples.median_us, 4) if timed else None


def _text(recording: Recording, name: str, condition: str) -> str:
    timed = _timed(recording, name, condition)
    return formatted(timed.samples.median_us, TIME) if timed else "not measured"


def _ids(subject: str, names: list[str], condition: str) -> list[str]:
    return [f"{subject}.{name}.{condition}" for name in names]
