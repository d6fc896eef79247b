"""How is something timed? Trains in graphs, interleaved in rounds, every sample kept.

A *lane* is one thing under one condition. In each round every lane is visited once: one replay that is not counted,
to leave the cache and the clock in the lane's own state, then some counted ones back to back. Drift hits all alike.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from recorder.recording import numbers_block
from recorder.results import Timed

LAUNCHES = 100
SAMPLES = 500
VISIT = 10
WARM_UP_MS = 300


@dataclass
class Lane:
    """``replay`` runs ``launches`` launches; ``samples`` are microseconds per launch in the order they were taken."""

    name: str
    replay: Callable[[], None]
    launches: int
    samples: list[float] = field(default_factory=list)

    def timed(self) -> Timed:
        return Timed(samples_us=numbers_block(self.samples))


def graph_lane(device: Any, name: str, enqueue: Callable[[int], None], cold: bool, launches: int = LAUNCHES) -> Lane:
    """A lane that replays one graph of ``launches`` launches: cold rotates through the copies, warm rereads the first."""

    def train() -> None:
        for i in range(launches):
            enqueue(i if cold else 0)

    graph = device.capture(train, launches)
    return Lane(name, graph.replay, launches)


def plain_lane(name: str, enqueue: Callable[[int], None], cold: bool, launches: int = LAUNCHES) -> Lane:
    """The same train launched one by one from the host, without a graph."""

    def train() -> None:
        for i in range(launches):
            enqueue(i if cold else 0)

    return Lane(name, train, launches)


def warm_up(device: Any, lanes: Sequence[Lane], milliseconds: float = WARM_UP_MS) -> None:
    """Run all lanes in turn until the clocks have had ``milliseconds`` of load."""
    end = time.monotonic() + milliseconds / 1000
    while True:
        for lane in lanes:
            lane.replay()
            device.sync()
        if time.monotonic() >= end:
            return


def interleave(
    device: Any,
    lanes: Sequence[Lane],
    samples: int = SAMPLES,
    visit: int = VISIT,
    progress: Callable[[str, float], None] = lambda what, share: None,
) -> None:
    """Take ``samples`` samples of every lane in rounds of ``visit``."""
    warm_up(device, lanes)
    rounds = -(-samples // visit)
    for round_ in range(rounds):
        count = min(visit, samples - round_ * visit)
        for i, lane in enumerate(lanes):
            progress(lane.name, (round_ + i / len(lanes)) / rounds)
            lane.replay()
            lane.samples += [us / lane.launches for us in device.time(lane.replay, count)]
