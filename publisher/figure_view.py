"""What does the template of a figure need? Ids, texts, its first state's SVG, and the spec that the script reads."""

from __future__ import annotations

import re
from typing import Any

from markupsafe import Markup, escape

from publisher.figure import SteppedFigure
from publisher.stills import Still


def inline_code(text: str) -> Markup:
    """Plain text with ```code``` in back-ticks, as HTML."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def figure_view(name: str, figure: SteppedFigure, still: Still | None) -> dict[str, Any]:
    raise NotImplementedError
