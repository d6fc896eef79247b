"""How much room will a section take, before a browser has laid it out? Its letters and its figures' heights, as CSS.

A page is laid out section by section as they come into view (``layout.css``). Until then each stands at this estimate,
which keeps the scroll bar and the place that a link leads to about where they will be.
"""

from __future__ import annotations

import re

# What a figure has beside its plot, px, on a wide and on a narrow page; and what listings of code add to it.
AROUND = {"wide": 340, "narrow": 540}
LISTINGS = {"wide": 340, "narrow": 700}

_FIGURE = re.compile(r"<rb-figure\b.*?</rb-figure>", re.DOTALL)
_HEIGHTS = re.compile(r"--fig-height:(\d+)px;--fig-narrow-height:(\d+)px")
_TAG = re.compile(r"<[^>]*>")


def room(html: str) -> str:
    """Custom properties for a style attribute: ``--letters`` of text, and px of figures ``--wide`` and ``--narrow``."""
    wide = narrow = 0
    for figure in _FIGURE.findall(html):
        heights = _HEIGHTS.search(figure)
        if not heights:
            continue
        with_code = "<rb-listings" in figure
        wide += int(heights[1]) + AROUND["wide"] + with_code * LISTINGS["wide"]
        narrow += int(heights[2]) + AROUND["narrow"] + with_code * LISTINGS["narrow"]
    letters = len(" ".join(_TAG.sub("", _FIGURE.sub("", html)).split()))
    return f"--letters:{letters};--wide:{wide};--narrow:{narrow}"
