"""Which sentences lead to a step of a figure that no card has? On some cards only, it is a gap and no fault."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from publisher.faults import Fault, instead
from publisher.source.nodes import Node


@dataclass(frozen=True)
class StepUse:
    """A sentence that leads to a step. On no card at all is a fault; on some is a card that lacks it."""

    node: Node
    target: str
    found: bool
    known: tuple[str, ...]


def step_faults(uses: Collection[StepUse]) -> list[Fault]:
    """A fault for every sentence whose step exists on no card that could draw its figure."""
    found = {(use.node, use.target) for use in uses if use.found}
    return [
        Fault(
            use.node.file,
            use.node.line,
            f"no card has the step {use.target}; {instead(use.target.partition('/')[2], use.known)}",
            ("recordings", "chapters"),
        )
        for use in uses
        if (use.node, use.target) not in found
    ]
