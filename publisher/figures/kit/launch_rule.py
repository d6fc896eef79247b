"""How would a launch fill a card, had it another number of blocks, or were the card another? By rule alone: no times.

``site/scripts/later/what-if.js`` computes the same for a reader's sliders; a test demands that both agree.
"""

from __future__ import annotations

from dataclasses import dataclass


def slots(sms: int, per_sm: int) -> int:
    """Blocks that a card runs at once: ``per_sm``, the occupancy, on each of its SMs. Raises ValueError below 1."""
    _at_least_one(sms=sms, per_sm=per_sm)
    return sms * per_sm


def waves(blocks: int, slots: int) -> int:
    """Rounds that ``blocks`` take where ``slots`` of them run at once and all take equally long."""
    _at_least_one(blocks=blocks, slots=slots)
    return -(-blocks // slots)


def last_wave(blocks: int, slots: int) -> int:
    """Blocks of the last round: what the full rounds before it leave, from 1 to ``slots``."""
    return blocks - (waves(blocks, slots) - 1) * slots


def lit_sms(blocks: int, sms: int) -> int:
    """SMs that have work: blocks go to SMs that have none before any SM gets a second one."""
    _at_least_one(blocks=blocks, sms=sms)
    return min(blocks, sms)


def tail(blocks: int, sms: int, per_sm: int) -> float:
    """Share of the SMs, from 0 to below 1, that have nothing to do in the last wave."""
    return 1 - lit_sms(last_wave(blocks, slots(sms, per_sm)), sms) / sms


@dataclass(frozen=True)
class Filling:
    """A launch by the rule: all that a reader of the figure is told of it."""

    blocks: int
    lit: int  # SMs with work
    waves: int
    last: int  # blocks of the last wave
    idle: int  # SMs without work in the last wave
    tail: float  # … as a share of all


def filling(blocks: int, sms: int, per_sm: int) -> Filling:
    """The rule for a launch of ``blocks`` on ``sms`` SMs that each hold ``per_sm`` at once."""
    places = slots(sms, per_sm)
    last = last_wave(blocks, places)
    return Filling(
        blocks, lit_sms(blocks, sms), waves(blocks, places), last, sms - lit_sms(last, sms), tail(blocks, sms, per_sm)
    )


def _at_least_one(**numbers: int) -> None:
    for name, number in numbers.items():
        if number < 1:
            raise ValueError(f"{name} is {number}; a launch has at least 1")
