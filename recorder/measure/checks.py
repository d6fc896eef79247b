"""Are kernels right? Against float64 on fresh random inputs, over a poisoned output, at the ladder's size and odd ones.

All rungs of an input type are checked on one seed before the next: making inputs and their answer costs most.
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
from schema.ladder import Problem, Rung, sizes_of
from schema.results import Check, Failed, NotMeasured


@dataclass
class Candidate:
    """A rung that was right so far."""

    rung: Rung
    enqueue: Enqueue
    worst: float = 0.0
    cases: list[str] = field(default_factory=list)


class Checks:
    """The rungs that are ``right`` so far, by slug, and the ``faults`` of the others."""

    def __init__(self, session: Session, bench: Bench) -> None:
        self.session, self.bench = session, bench
        self.right: dict[str, Candidate] = {}
        self.faults: dict[str, Any] = {}

    def add(self, rung: Rung, enqueue: Enqueue) -> None:
        self.right[rung.slug] = Candidate(rung, enqueue)

    def fail(self, slug: str, fault: Failed | NotMeasured) -> None:
        """A rung that is not right, or of which that cannot be said."""
        self.faults[slug] = fault
        self.right.pop(slug, None)

    def whole(self, seeds: Iterable[int], timed: bool = False) -> None:
        """Check at the bench's size on fresh inputs for each seed, on another copy for each."""
        for seed in seeds:
            self.bench.renew(seed)

            def error(candidate: Candidate, seed: int = seed) -> float:
                work = self.bench.work(candidate.rung.dtype)
                return work.require_right(candidate.rung.slug, candidate.enqueue, seed % work.rotation.copies)

            self._each(f"{sizes_of(self.bench.problem)}, seed {seed}", error, timed)

    def odd(self) -> None:
        """Check at the further sizes that the ladder declares, where a rung accepts them."""
        ladder = self.session.the_ladder
        for problem in ladder.check_problems:
            works: dict[str, Workload] = {}

            def error(candidate: Candidate, problem: Problem = problem, works: dict[str, Workload] = works) -> float:
                rung = candidate.rung
                if rung.dtype not in works:
                    answer = Answer(ladder, ladder.make_inputs(problem, rung.dtype, SEED))
                    operands = Operands(self.session.device, ladder, problem, answer, Rotation(1))
                    works[rung.dtype] = Workload(operands)
                work, built = works[rung.dtype], self.session.build(rung, problem)
                return work.require_right(rung.slug, work.launcher(built.module, built.launch, built.zero))

            accepted = [c for c in self.right.values() if c.rung.accepts(problem, ladder.constants(c.rung))]
            self._each(f"{sizes_of(problem)}, seed {SEED}", error, only=accepted)
            for work in works.values():
                work.free()

    def _each(
        self, case: str, error: Callable[[Candidate], float], timed: bool = False, only: list[Candidate] | None = None
    ) -> None:
        for candidate in list(self.right.values()) if only is None else only:
            slug = candidate.rung.slug
            found = self.session.attempt(slug, lambda c=candidate: error(c))
            if isinstance(found, (Failed, NotMeasured)):
                self.fail(slug, after_timing(found) if timed else found)
            else:
                candidate.worst = max(candidate.worst, found)
                candidate.cases.append(case)

    def check(self, slug: str) -> Check:
        """What was checked of a rung that is right."""
        candidate = self.right[slug]
        return Check(worst_error=candidate.worst, tolerance=1.0, cases=list(candidate.cases))
