"""How fast does each rung read? A figure that only this article has: least bytes over time, a rung a step."""

from __future__ import annotations

from typing import Literal

from publisher.figures.kit.figure import DataTable, Evidence, Missing, Provenance, Step, SteppedFigure
from schema.results import Timed


def draw(evidence: Evidence, condition: Literal["cold", "warm"] = "warm") -> SteppedFigure:
    """One bar a rung, GB/s. ``condition`` is ``cold`` or ``warm``."""
    recording = evidence.need("times")
    least = recording.results.least_bytes["fp32"]
    rates: dict[str, float] = {}
    for slug, rung in recording.results.rungs.items():
        timed = getattr(rung, condition, None)
        if isinstance(timed, Timed):
            rates[slug] = round(least / timed.samples.median_us / 1e3, 2)
    if not rates:
        raise Missing(f"{evidence.card.card.name} timed no rung", f"python -m recorder --gpu 0 --only {recording.key}")
    names = list(rates)
    bar = {
        "type": "bar",
        "x": names,
        "y": list(rates.values()),
        "ids": [f"{evidence.subject}.{slug}.{condition}" for slug in names],
        "marker": {"color": "@cold"},
    }
    steps = tuple(
        Step(
            slug,
            f"{slug.capitalize()} rung",
            f"`{slug}` reads {rate} GB/s.",
            ({"y": list(rates.values())[: i + 1]},),
            (0,),
        )
        for i, (slug, rate) in enumerate(rates.items())
    )
    return SteppedFigure(
        title="How fast each rung reads",
        alt=f"One bar: {names[0]}, {rates[names[0]]} GB/s.",
        data=(bar,),
        layout={"yaxis": {"title": {"text": "GB/s"}, "rangemode": "tozero"}},
        sequences={"": steps},
        table=DataTable(("rung", "GB/s"), tuple((slug, str(rate)) for slug, rate in rates.items()), (1,)),
        provenance=(Provenance.derived("least bytes over the median time.", recording),),
        rerecord=f"python -m recorder --gpu 0 --only {recording.key}",
        height=280,
        narrow_height=280,
    )
