"""What do the sliders of a what-if start from? The recorded launches of the rungs that a figure shows.

How many blocks another launch would have is looked up in the table that was recorded with the code.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from publisher.figures.kit.measured import value_of
from publisher.figures.kit.placed import Launch, Placed
from schema.results import Launches

DRIVER = "what-if"  # site/scripts/later/what-if.js
MOST_SMS = 192  # to choose from; more where the card has more


def what_if(shown: Sequence[tuple[Placed, Launch]]) -> dict[str, Any]:
    """``driver`` and ``driver_data`` of a figure, or nothing where no rung has a known occupancy."""
    found = {placed.rung.slug: one for placed, launch in shown if (one := _setting(placed, launch))}
    if not found:
        return {}
    data = {"most": max(MOST_SMS, *(one["sms"] for one in found.values())), "settings": found}
    return {"driver": DRIVER, "driver_data": data}


def blocks_at(launches: Launches, values: Sequence[int]) -> int:
    """The recorded blocks of the launch with one of the values of each choice; 0: the rung does not accept them."""
    place = 0
    for choice, value in zip(launches.choices, values, strict=True):
        place = place * len(choice.values) + choice.values.index(value)
    return launches.counts[place]


def _setting(placed: Placed, launch: Launch) -> dict[str, Any] | None:
    """A rung as it was launched, by the recordings of its code and of its placement."""
    code = placed.rung.code
    per_sm = value_of(code.blocks_per_sm) if code else None
    if code is None or not per_sm:
        return None
    setting = {
        "name": f"{placed.rung.number} {placed.rung.title}",
        "sms": launch.sms,
        "per": int(per_sm),
        "blocks": launch.blocks,
        "lit": launch.sms - launch.idle_sms,
    }
    return setting | _choices(placed.others, code.constants, launch.blocks)


def _choices(launches: Launches | None, constants: dict[str, int], blocks: int) -> dict[str, Any]:
    """What else can be turned: the choices, each with the recorded value, and the blocks of all their combinations.

    Nothing where the table is not of this launch: where it gives the recorded values other blocks than ran.
    """
    if launches is None or any(choice.constant not in constants for choice in launches.choices):
        return {"choices": [], "table": [blocks]}
    recorded = [constants[choice.constant] for choice in launches.choices]
    listed = all(value in choice.values for choice, value in zip(launches.choices, recorded, strict=True))
    if listed and blocks_at(launches, recorded) != blocks:
        return {"choices": [], "table": [blocks]}
    choices = [
        {"name": choice.constant, "title": choice.title, "values": choice.values, "recorded": value}
        for choice, value in zip(launches.choices, recorded, strict=True)
    ]
    return {"choices": choices, "table": launches.counts}
