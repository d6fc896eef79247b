"""What does a step of a figure look like as one Plotly spec? Composed as the page does it."""

from __future__ import annotations

import re
from typing import Any

from publisher.figures.kit.figure import SteppedFigure
from publisher.figures.kit.style import merged


def captions(figure: SteppedFigure, key: str = "") -> dict[str, str]:
    """The caption of each step of a sequence."""
    return {step.slug: step.caption for step in figure.sequences[key]}


def state(figure: SteppedFigure, key: str, slug: str, narrow: bool = False) -> tuple[list[Any], Any]:
    """(data, layout) of a step, the whole of both, with tokens for colours."""
    step = next(step for step in figure.sequences[key] if step.slug == slug)
    data = list(figure.data)
    for place, over in zip(step.traces or range(len(step.data)), step.data, strict=True):
        data[place] = merged(data[place], over)
    return data, merged(merged(figure.layout, figure.narrow if narrow else {}), step.layout)


def coloured(value: Any) -> Any:
    """The value with a real colour for each token, as Plotly's validators demand."""
    if isinstance(value, str):
        return re.sub(r"@[a-z]+\d?", "#123456", value)
    if isinstance(value, dict):
        return {key: coloured(item) for key, item in value.items()}
    return [coloured(item) for item in value] if isinstance(value, (list, tuple)) else value
