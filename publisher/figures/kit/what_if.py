"""What do the sliders of a what-if start from? The recorded launches of the rungs that a figure shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from publisher.figures.kit.launch_rule import blocks
from publisher.figures.kit.measured import value_of
from publisher.figures.kit.placed import Launch, Placed

DRIVER = "what-if"  # site/scripts/later/what-if.js
TILES = tuple(2**power for power in range(3, 10))  # rows of a tile to choose from, beside the recorded ones
SPLITS = tuple(2**power for power in range(7))
MOST_SMS = 192  # to choose from; more where the card has more


def what_if(shown: Sequence[tuple[Placed, Launch]], tile: str = "TILE_ROWS", matrix: str = "W") -> dict[str, Any]:
    """``driver`` and ``driver_data`` of a figure, or nothing where no rung has tiles and a known occupancy.

    ``tile`` names the constant that holds a tile's rows, ``matrix`` what the tiles are cut from.
    """
    found = {placed.rung.slug: one for placed, launch in shown if (one := _setting(placed, launch, tile))}
    rows = min((one["tile"] * one.pop("tiles") for one in found.values()), default=0)
    found = {slug: one for slug, one in found.items() if blocks(one["tile"], one["split"], rows) == one["blocks"]}
    if not found:
        return {}
    data = {
        "rows": rows,
        "of": matrix,
        "tiles": sorted({tile for tile in TILES if tile <= rows} | {one["tile"] for one in found.values()}),
        "splits": sorted({*SPLITS} | {one["split"] for one in found.values()}),
        "most": max(MOST_SMS, *(one["sms"] for one in found.values())),
        "settings": found,
    }
    return {"driver": DRIVER, "driver_data": data}


def _setting(placed: Placed, launch: Launch, tile: str) -> dict[str, Any] | None:
    """A rung as it was launched, by the recordings of its code and of its placement."""
    code = placed.rung.code
    per_sm = value_of(code.blocks_per_sm) if code else None
    if code is None or not per_sm or tile not in code.constants:
        return None
    x, y, z = (*code.grid, 1, 1)[:3]
    return {
        "name": f"{placed.rung.number} {placed.rung.title}",
        "tile": code.constants[tile],
        "tiles": x,
        "split": y * z,
        "sms": launch.sms,
        "per": int(per_sm),
        "blocks": launch.blocks,
        "lit": launch.sms - launch.idle_sms,
    }
