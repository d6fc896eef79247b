"""How is something timed? Trains in graphs, interleaved in rounds, every sample kept.

A *lane* is one thing under one condition. In each round every lane is visited once: one replay that is not counted,
to leave the cache and the clock in the lane's own state, then some counted ones back to back. Drift hits all alike.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from recorder.measure.rotation import LAUNCHES, Rotation
from recorder.measure.workload import Enqueue, Workload
from schema.recording import numbers_block
from schema.results import Failed, NotMeasured, Timed
from schema.statistics import VISIT

SAMPLES = 500


@dataclass
class Lane:
    """``replay`` runs ``launches`` launches; ``samples`` are microseconds per launch in the order they were taken.

    ``part`` is what is to blame when a replay breaks the context. ``right`` replays it once more and raises WrongResult
    where that does not compute the answer; None where there is no answer to compare with. ``fault`` says why what was
    timed is no time.
    """

    name: str
    part: str
    replay: Callable[[], None]
    launches: int
    right: Callable[[], object] | None = None
    samples: list[float] = field(default_factory=list)
    fault: Failed | NotMeasured | None = None

    def timed(self) -> Timed | Failed | NotMeasured:
        return self.fault or Timed(samples_us=numbers_block(self.samples))

    def twin(self, name: str) -> Lane:
        """A lane of its own over the same replay, whose result the first one answers for."""
        return Lane(name, self.part, self.replay, self.launches)

    def check_against(self, work: Workload, enqueue: Enqueue) -> Lane:
        """This lane, whose replays must compute the answer of ``work``; one launch alone, where a second changes it."""
        check = enqueue if work.changes_what_it_reads else lambda copy: self.replay()
        self.right = lambda: work.require_right(self.part, check)
        return self


def train(enqueue: Enqueue, cold: bool, launches: int) -> Callable[[], None]:
    """Consecutive launches: cold ones rotate through the copies, warm ones reread the first."""

    def run() -> None:
        for i in range(launches):
            enqueue(i if cold else 0)

    return run


def replays(device: Any, enqueue: Enqueue, rotation: Rotation) -> dict[str, Callable[[], None]]:
    """Replays of graphs of a train, by the conditions that the rotation allows."""
    return {
        condition: device.capture(train(enqueue, condition == "cold", rotation.launches), rotation.launches).replay
        for condition in rotation.conditions
    }


def graph_lane(
    device: Any, name: str, part: str, enqueue: Enqueue, cold: bool = False, launches: int = LAUNCHES
) -> Lane:
    """A lane that replays one graph of a train."""
    return Lane(name, part, device.capture(train(enqueue, cold, launches), launches).replay, launches)


def plain_lane(name: str, part: str, enqueue: Enqueue, cold: bool = False, launches: int = LAUNCHES) -> Lane:
    """The same train launched one by one from the host, without a graph."""
    return Lane(name, part, train(enqueue, cold, launches), launches)


def warm_up(device: Any, lanes: Sequence[Lane], before: Callable[[Lane], None] = lambda lane: None) -> None:
    """Run all lanes in turn until the clocks have had the load that they need to rise."""
    end = time.monotonic() + device.warm_up_ms / 1000
    while lanes:
        for lane in lanes:
            before(lane)
            lane.replay()
            device.sync()
        if time.monotonic() >= end:
            return


def interleave(
    device: Any,
    lanes: Sequence[Lane],
    samples: int = SAMPLES,
    visit: int = VISIT,
    before: Callable[[Lane, float], None] = lambda lane, share: None,
) -> None:
    """Take ``samples`` samples of every lane in rounds of ``visit``; ``before`` hears each visit and the share done."""
    warm_up(device, lanes, lambda lane: before(lane, 0.0))
    rounds = -(-samples // visit)
    for round_ in range(rounds):
        count = min(visit, samples - round_ * visit)
        for i, lane in enumerate(lanes):
            before(lane, (round_ + i / len(lanes)) / rounds)
            lane.replay()
            lane.samples += [us / lane.launches for us in device.time(lane.replay, count)]
