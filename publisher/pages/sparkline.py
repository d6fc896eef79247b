"""What does a ladder look like at a glance? A small SVG of its rungs' cold times on a log axis."""

from __future__ import annotations

import math
from dataclasses import dataclass

from markupsafe import Markup, escape

WIDTH, HEIGHT, EDGE = 260, 96, 8


@dataclass(frozen=True)
class Rung:
    """A rung's median time, µs; None where it was not measured."""

    slug: str
    name: str
    cold_us: float | None
    warm_us: float | None = None


def sparkline(rungs: tuple[Rung, ...]) -> Markup:
    """An inline SVG in the page's own colours; empty where fewer than two rungs have a time."""
    timed = [(place, rung.cold_us) for place, rung in enumerate(rungs) if rung.cold_us]
    if len(timed) < 2:
        return Markup("")
    logs = [math.log(time) for _, time in timed]
    low, high = min(logs), max(logs)
    span = (high - low) or 1.0
    step = (WIDTH - 2 * EDGE) / max(len(rungs) - 1, 1)
    points = [
        (EDGE + place * step, EDGE + (high - value) / span * (HEIGHT - 2 * EDGE))
        for (place, _), value in zip(timed, logs, strict=True)
    ]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"/>' for x, y in points)
    first, last = rungs[timed[0][0]].name, rungs[timed[-1][0]].name
    label = f"Cold time of {len(timed)} rungs from {first} to {last}, log scale"
    return Markup(
        f'<svg class="sparkline" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}">'
        f'<polyline points="{path}"/>{dots}</svg>'
    )
