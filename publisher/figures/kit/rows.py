"""How are a few measured things drawn as rows that also fit a phone? Each has its words above its bar or point."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from publisher.figures.kit.style import Layout, Trace, axis, base_layout, hidden_axis, merged, words

BAR = 0.36  # of a row's height
LABEL = -0.34  # above the bar's middle: rows count downwards


def rows_layout(count: int, title: str, top: float, **x_axis: Any) -> Layout:
    """``count`` rows from the top down, x from 0 to ``top``; labels have room above each row."""
    span = merged({"range": [0, top], "rangemode": "tozero", "nticks": 6}, x_axis)
    return base_layout(
        margin={"l": 4, "r": 14, "t": 4, "b": 40},
        xaxis=axis(title, **span),
        yaxis=hidden_axis(range=[count - 0.45, -0.72], automargin=False),
    )


def rows_height(count: int, each: int = 60) -> int:
    """Pixels for that many rows with their axis."""
    return 56 + each * count


def row_bars(
    rows: Sequence[float],
    values: Sequence[float | None],
    colors: Sequence[str],
    ids: Sequence[str],
    base: Sequence[float] | None = None,
    **more: Any,
) -> Trace:
    """A horizontal bar a row, from ``base`` (0) on."""
    trace: Trace = {
        "type": "bar",
        "orientation": "h",
        "x": list(values),
        "y": list(rows),
        "base": list(base) if base is not None else [0] * len(rows),
        "width": BAR,
        "marker": {"color": list(colors), "line": {"width": 0}},
        "ids": list(ids),
        "hoverinfo": "text",
    }
    return merged(trace, more)


def safe(text: str) -> str:
    """A text of a recording for a label or a hover: Plotly reads a few HTML tags in those, links among them."""
    return escape(text, quote=False)


def row_words(rows: Sequence[float], texts: Sequence[str], color: str | Sequence[str] = "@ink", **more: Any) -> Trace:
    """The words of each row, left aligned above its bar."""
    return words(
        [0] * len(rows), [row + LABEL for row in rows], texts, color, textposition="middle right",
        **merged({"textfont": {"size": 13}}, more),
    )  # fmt: skip
