"""What were warps waiting for? A profiler's stall reasons in plain words, and which of them matter to a ladder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from publisher.figures.kit.measured import plain
from publisher.figures.kit.style import listed

ISSUED = "selected"  # the profiler lists it among the reasons, but such a warp does not wait
REST = "rest"
COMMON = 0.1  # a reason that takes this share of some rung's time has a colour, until the colours end
COLORS = ("@s1", "@s2", "@s3", "@s4", "@s5", "@s6", "@s7")
# What the profiler's reasons mean, as its manual tells them; others keep their names.
REASONS = {
    "long_scoreboard": "data from global memory",
    "short_scoreboard": "data from shared memory",
    "barrier": "the block's barrier",
    "lg_throttle": "a full queue to global memory",
    "mio_throttle": "a full queue to shared memory",
    "math_pipe_throttle": "a busy arithmetic unit",
    "wait": "an instruction's fixed delay",
    "not_selected": "its turn, though ready",
    "drain": "its last stores",
    "membar": "a memory barrier",
    "no_instruction": "the next instruction's code",
    REST: "anything else, or at work",
}

Shares = Mapping[str, float]  # reason -> share of a warp's time


@dataclass(frozen=True)
class Part:
    """A piece of a rung's bar, in percent."""

    row: int
    slug: str
    name: str
    color: str
    base: float
    share: float


def waits_for(name: str) -> str:
    return REASONS.get(name, plain(name))


def common(stalls: Mapping[str, Shares]) -> list[str]:
    """The reasons that have a colour, the most frequent first."""
    total = Counter[str]()
    for one in stalls.values():
        total.update({name: share for name, share in one.items() if name != ISSUED})
    order = [name for name, _ in total.most_common()]
    worth = [name for name in order if any(one.get(name, 0.0) >= COMMON for one in stalls.values())]
    return (worth or order[:1])[: len(COLORS)]


def stacked(row: int, slug: str, shares: Shares, top: list[str]) -> list[Part]:
    """The bar of a rung: its shares of the common reasons in their order, and what is left."""
    named = {name: shares.get(name, 0.0) for name in top}
    parts, base = [], 0.0
    for place, (name, part) in enumerate((named | {REST: sum(shares.values()) - sum(named.values())}).items()):
        share = round(100 * max(part, 0.0), 2)
        parts.append(Part(row, slug, name, "@grid" if name == REST else COLORS[place], round(base, 2), share))
        base += share
    return parts


def square(top: list[str], name: str) -> str:
    """A square in the reason's colour, for labels."""
    return f'<span style="color:{COLORS[top.index(name)]}">■</span>'


def leading(stalls: Mapping[str, Shares], titles: Mapping[str, str]) -> str:
    """What most rungs wait for most, and what the others do; no full stop."""
    first = {slug: max(set(one) - {ISSUED}, key=lambda name: one[name]) for slug, one in stalls.items()}
    (most, count), *others = Counter(first.values()).most_common()
    told = f"Of {len(stalls)} rungs {count} wait most for {waits_for(most)} (`{plain(most)}`)"
    for name, _ in others:
        who = listed([titles[slug] for slug, found in first.items() if found == name])
        told += f", {who} for {waits_for(name)} (`{plain(name)}`)"
    return told
