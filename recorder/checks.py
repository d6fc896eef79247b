"""Are kernels right? Against float64 on fresh random inputs, over a poisoned output, at the ladder's size and odd ones.

All rungs of an input type are checked on one seed before the next: making inputs and their answer costs most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from recorder.answers import Answer
from recorder.bench import SEED, Bench
from recorder.ladder import Problem, Rung
from recorder.results import Check, Failed
from recorder.rotation import Rotation
from recorder.session import Session, WrongResult, is_fault, shortened
from recorder.workload import Enqueue, Operands, Workload


def require_right(name: str, work: Workload, enqueue: Enqueue, copy: int = 0) -> float:
    """The worst error of one launch in units of the tolerance; WrongResult where it is more than one."""
    ladder = work.ladder
    error = work.error(enqueue, copy) / ladder.tolerance(work.problem)
    if not error <= 1.0:
        raise WrongResult(
            f"{name} is wrong: its worst error is {error:.3g} times the tolerance ({ladder.tolerance_reason})"
        )
    return error


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

    def whole(self, seeds: Iterable[int], prefix: str = "") -> None:
        """Check at the bench's size on fresh inputs for each seed, on another copy for each."""
        for seed in seeds:
            self.bench.renew(seed)

            def error(candidate: Candidate, seed: int = seed) -> float:
                work = self.bench.work(candidate.rung.dtype)
                return require_right(candidate.rung.slug, work, candidate.enqueue, seed % work.rotation.copies)

            self._each(f"{_sizes(self.bench.problem)}, seed {seed}", error, prefix)

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
                return require_right(rung.slug, work, work.launcher(built.module, built.launch, built.zero))

            accepted = [c for c in self.right.values() if c.rung.accepts(problem, ladder.constants(c.rung))]
            self._each(f"{_sizes(problem)}, seed {SEED}", error, only=accepted)
            for work in works.values():
                work.free()

    def _each(
        self, case: str, error: Callable[[Candidate], float], prefix: str = "", only: list[Candidate] | None = None
    ) -> None:
        for candidate in list(self.right.values()) if only is None else only:
            slug = candidate.rung.slug
            found = self.session.attempt(slug, lambda c=candidate: error(c))
            if is_fault(found):
                if prefix and isinstance(found, Failed):
                    found = Failed(failed=shortened(prefix + found.failed))
                self.faults[slug] = found
                del self.right[slug]
            else:
                assert isinstance(found, float)
                candidate.worst = max(candidate.worst, found)
                candidate.cases.append(case)

    def check(self, slug: str) -> Check:
        """What was checked of a rung that is right."""
        candidate = self.right[slug]
        return Check(worst_error=candidate.worst, tolerance=1.0, cases=list(candidate.cases))


def _sizes(problem: Problem) -> str:
    return " x ".join(str(size) for size in problem.values())
