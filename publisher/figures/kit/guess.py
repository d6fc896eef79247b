"""What does the guessing game on the ladder need? Each rung's idea, and its cold time or why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from publisher.figures.kit.ladder_rows import Row
from publisher.figures.kit.style import fmt_time

DRIVER = "ladder"  # site/scripts/later/ladder.js


def guesses(rows: Sequence[Row]) -> dict[str, Any]:
    """``driver`` and ``driver_data`` of the figure: a rung is known by the place of its step and of its row.

    Nothing where fewer than two rungs have a cold time: the first one is in the first picture, so it is given.
    """
    rungs = [_rung(row) for row in rows]
    if sum("us" in rung for rung in rungs) < 2:
        return {}
    return {"driver": DRIVER, "driver_data": {"rungs": rungs}}


def _rung(row: Row) -> dict[str, Any]:
    timed = row.timed["cold"]
    said = {"idea": row.rung.idea.rstrip(".")}
    if timed is None:
        return said | {"why": row.whys["cold"]}
    return said | {"us": round(timed.samples.median_us, 4), "told": fmt_time(timed.samples.median_us)}
