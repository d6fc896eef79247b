"""What is on the bench? The workloads and lanes of one experiment: made on first use, timed together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from recorder.measure.rotation import CONDITIONS, LAUNCHES, Rotation
from recorder.measure.session import Session, after_timing, is_fault, not_measured
from recorder.measure.timing import VISIT, Lane, interleave, replays
from recorder.measure.workload import Enqueue, Operands, Workload, fitting_operands
from schema.ladder import Problem, Types
from schema.results import Failed, NotMeasured, TimePair

SEED = 11


class Bench:
    """``samples`` of every lane, for one problem: the ladder's own unless another is given."""

    def __init__(self, session: Session, samples: int, problem: Problem | None = None) -> None:
        self.session, self.samples, self.seed = session, samples, SEED
        self.problem = problem or session.the_ladder.problem
        self.operands: dict[tuple[str, ...], Operands] = {}  # by the types of what is read
        self.works: dict[tuple[str, ...], Workload] = {}  # by all types
        self.lanes: dict[tuple[str, str], Lane] = {}
        self.missing: dict[tuple[str, str], NotMeasured] = {}  # conditions that cannot be timed
        self.faults: dict[str, Failed | NotMeasured] = {}  # things that could not be prepared

    def work(self, types: Types) -> Workload:
        """The workload of these types. Those whose types differ only in what is written share their operands."""
        session, ladder = self.session, self.session.the_ladder
        read = tuple(types[o.name] for o in ladder.operands if o.is_read)
        every = tuple(types[o.name] for o in ladder.operands)
        if read not in self.operands:
            answer = session.answer(self.problem, types, self.seed)
            self.operands[read] = fitting_operands(session.device, ladder, types, answer)
        if every not in self.works:
            self.works[every] = Workload(self.operands[read], types)
        return self.works[every]

    def renew(self, seed: int) -> None:
        """Fresh inputs for everything on the bench."""
        if seed != self.seed:
            self.seed = seed
            for operands in self.operands.values():
                operands.renew(self.session.answer(self.problem, operands.types, seed))

    # ---- lanes ----------------------------------------------------------------------------------------------------

    def prepare(self, name: str, put: Callable[[], Any], part: str = "") -> Any:
        """What ``put`` gives, which adds the lanes of a thing, or why it could not: ``times`` will say so too."""
        found = self.session.attempt(part or name, put)
        if is_fault(found):
            self.faults[name] = found
        return found

    def add_kernel(self, name: str, work: Workload, enqueue: Enqueue, part: str = "") -> None:
        """Lanes of a kernel that computes the answer: it is checked now, and its trains after they were timed."""
        work.require_right(part or name, enqueue)
        self.add(name, enqueue, work.rotation, part)
        for lane in self.lanes_of(name):
            lane.check_against(work, enqueue)

    def add(self, name: str, enqueue: Enqueue, rotation: Rotation | None = None, part: str = "") -> None:
        """A cold and a warm lane of one thing; ``part`` (``name`` unless given) is to blame when it breaks."""
        rotation = rotation or Rotation(LAUNCHES)
        self.add_replays(name, replays(self.session.device, enqueue, rotation), rotation, part)

    def add_replays(
        self, name: str, captured: Mapping[str, Callable[[], None]], rotation: Rotation, part: str = ""
    ) -> None:
        """Lanes of trains that are captured already, by condition; a condition that is missing is not measured."""
        for condition in CONDITIONS:
            if condition in captured:
                lane = Lane(f"{name} {condition}", part or name, captured[condition], rotation.launches)
                self.lanes[name, condition] = lane
            else:
                self.missing[name, condition] = not_measured(rotation.not_cold)

    def add_twin(self, name: str, of: str) -> None:
        """Lanes of their own over the same graphs: an A/A run."""
        for condition in CONDITIONS:
            if (of, condition) in self.lanes:
                self.lanes[name, condition] = self.lanes[of, condition].twin(f"{name} {condition}")
            else:
                self.missing[name, condition] = self.missing[of, condition]

    def run(self, first: float = 0.0, last: float = 1.0) -> None:
        """Time all lanes, interleaved; the progress goes from ``first`` to ``last``."""
        time_lanes(self.session, list(self.lanes.values()), self.samples, first, last)

    def lanes_of(self, name: str) -> list[Lane]:
        """The lanes of one thing: two, one where it cannot be cold, none where it could not be prepared."""
        return [self.lanes[name, condition] for condition in CONDITIONS if (name, condition) in self.lanes]

    def times(self, name: str) -> TimePair | Failed | NotMeasured:
        """Cold and warm times of one thing, or why there is neither."""
        fault = self.faults.get(name) or next((lane.fault for lane in self.lanes_of(name) if lane.fault), None)
        return fault or TimePair(**self.pair(name))

    def pair(self, name: str) -> dict[str, Any]:
        """``cold`` and ``warm`` times of one thing that was prepared, or why there are none."""
        return {
            condition: self.lanes[name, condition].timed()
            if (name, condition) in self.lanes
            else self.missing[name, condition]
            for condition in CONDITIONS
        }

    def numbers(self) -> dict[str, int]:
        """By key and types that are read: what made cold runs cold, and how long trains are that differ from most."""
        found: dict[str, int] = {}
        for operands in self.operands.values():
            rotation, label = operands.rotation, operands.label
            if rotation.launches != LAUNCHES:
                found[f"launches_per_sample_{label}"] = rotation.launches
            if not rotation.not_cold:
                found[f"cold_copies_{label}"] = rotation.copies
                found[f"cold_bytes_{label}"] = rotation.copies * operands.cold_bytes
        return found

    def method(self, **more: Any) -> dict[str, Any]:
        """What a reader must know to measure the same."""
        return {
            "clock": "CUDA events around the replay of one graph",
            "launches_per_sample": LAUNCHES,
            "samples": self.samples,
            "samples_per_visit": VISIT,
            "warm_up_ms": self.session.device.warm_up_ms,
            **self.numbers(),
            "inputs": "random, uniform in [-1, 1); of integers from -8 to 7",
            **more,
        }


def time_lanes(session: Session, lanes: list[Lane], samples: int, first: float = 0.0, last: float = 1.0) -> None:
    """Time lanes interleaved while the card's state is sampled; says which lane is visited, and how far this is.

    A part whose result is wrong afterwards has no times: whatever was timed of it may have been wrong already.
    """

    def before(lane: Lane, share: float) -> None:
        session.doing(lane.part)
        session.progress(lane.name, first + share * (last - first))

    with session.under_load():
        interleave(session.device, lanes, samples, VISIT, before)
    faults: dict[str, Failed | NotMeasured] = {}
    for lane in lanes:
        if lane.right is not None and lane.part not in faults:
            found = session.attempt(lane.part, lane.right)
            if is_fault(found):
                faults[lane.part] = after_timing(found)
    for lane in lanes:
        lane.fault = faults.get(lane.part)
