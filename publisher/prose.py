"""Which numbers with a measuring unit were typed by hand? Each is an error: pages only say what recordings say."""

from __future__ import annotations

import re

from publisher.faults import Fault

_NUMBER = r"(?<![\w.])\d[\d,.\u202f\u00a0]*(?:\s*[-–]\s*\d[\d,.]*)?"
_UNIT = (
    r"(?:[µμun]s|ms|s|microseconds?|milliseconds?|nanoseconds?|seconds?"
    r"|[KMGT]i?B(?:/s)?|bytes?|[MGT]?FLOPS?(?:/s)?|[kMG]?Hz|watts?|W|m?J|°C|%|percent|times)"
)
_LITERAL = re.compile(rf"{_NUMBER}[ \u00a0\u202f-]?\s?{_UNIT}(?![\w/])")


def check_literals(text: str, file: str, line: int) -> list[Fault]:
    """A fault for every number with a unit in ``text``, which starts at ``line`` and has a line break a line."""
    faults = []
    for found in _LITERAL.finditer(text):
        here = line + text.count("\n", 0, found.start())
        literal = re.sub(r"\s+", " ", found[0])
        what = (
            f"{literal!r} is a number with a unit that no recording stands behind; take it from one with "
            f"{{value}}`…` or {{expr}}`…`, or mark it: {{definition}}`{literal}` or {{published}}`file.key`"
        )
        faults.append(Fault(file, here, what))
    return faults
