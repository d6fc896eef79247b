"""Are kernels right? Against float64 on fresh random inputs, over a poisoned output, at the ladder's size and odd ones.

Library calls are checked as rungs are. All that read the same types are checked on one seed before the next: making
inputs and their answer costs most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from recorder.measure.answers import Answer
from recorder.measure.lanes import SEED, Bench
from recorder.measure.rotation import Rotation
from recorder.measure.session import Session, after_timing
from recorder.measure.workload import Enqueue, Operands, Workload
from schema.ladder import Problem, Types, sizes_of
from schema.results import Check, Failed, NotMeasured

Prepare = Callable[[Workload], Enqueue]


@dataclass
class Candidate:
    """Something that was right so far. ``prepare`` makes its call for another workload; ``accepts`` says for which."""

    slug: str
    types: Types
    enqueue: Enqueue
    prepare: Prepare
    accepts: Callable[[Problem], bool]
    worst: float = 0.0
    cases: list[str] = field(default_factory=list)


class Checks:
    """The candidates that are ``right`` so far, by slug, and the ``faults`` of the others."""

    def __init__(self, session: Session, bench: Bench) -> None:
        self.session, self.bench = session, bench
        self.right: dict[str, Candidate] = {}
        self.faults: dict[str, Any] = {}

    def add(self, candidate: Candidate) -> None:
        self.right[candidate.slug] = candidate

    def fail(self, slug: str, fault: Failed | NotMeasured) -> None:
        """A candidate that is not right, or of which that cannot be said."""
        self.faults[slug] = fault
        self.right.pop(slug, None)

    def whole(self, seeds: Iterable[int], timed: bool = False) -> None:
        """Check at the bench's size on fresh inputs for each seed, on another copy for each."""
        for seed in seeds:
            self.bench.renew(seed)

            def error(candidate: Candidate, seed: int = seed) -> float:
                work = self.bench.work(candidate.types)
                return work.require_right(candidate.slug, candidate.enqueue, seed % work.rotation.copies)

            self._each(f"{sizes_of(self.bench.problem)}, seed {seed}", error, timed)

    def odd(self) -> None:
        """Check at the further sizes that the ladder declares, of what accepts them."""
        for problem in self.session.the_ladder.check_problems:
            works: dict[tuple[str, ...], Workload] = {}

            def error(candidate: Candidate, problem: Problem = problem, works: dict = works) -> float:
                key = tuple(candidate.types.values())
                if key not in works:
                    works[key] = self._workload(problem, candidate.types)
                return works[key].require_right(candidate.slug, candidate.prepare(works[key]))

            accepted = [c for c in self.right.values() if c.accepts(problem)]
            self._each(f"{sizes_of(problem)}, seed {SEED}", error, only=accepted)
            for work in works.values():
                work.free()

    def _workload(self, problem: Problem, types: Types) -> Workload:
        ladder = self.session.the_ladder
        answer = Answer(ladder, problem, ladder.make_inputs(problem, types, SEED))
        return Workload(Operands(self.session.device, ladder, types, answer, Rotation(1)), types)

    def _each(
        self, case: str, error: Callable[[Candidate], float], timed: bool = False, only: list[Candidate] | None = None
    ) -> None:
        for candidate in list(self.right.values()) if only is None else only:
            found = self.session.attempt(candidate.slug, lambda c=candidate: error(c))
            if isinstance(found, (Failed, NotMeasured)):
                self.fail(candidate.slug, after_timing(found) if timed else found)
            else:
                candidate.worst = max(candidate.worst, found)
                candidate.cases.append(case)

    def check(self, slug: str) -> Check:
        """What was checked of something that is right."""
        candidate = self.right[slug]
        return Check(worst_error=candidate.worst, tolerance=1.0, cases=list(candidate.cases))
