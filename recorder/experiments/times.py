"""How long does each rung take, cold and warm, beside the library and the floors? The main table of a ladder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from recorder.libraries.call import Libraries
from recorder.measure.checks import Candidate, Checks
from recorder.measure.floors import Floors
from recorder.measure.lanes import Bench, time_lanes
from recorder.measure.rotation import CONDITIONS
from recorder.measure.session import Session, is_fault
from recorder.measure.timing import SAMPLES, Lane, plain_lane
from recorder.measure.workload import Enqueue, Workload
from schema.ladder import LibraryCall, Rung
from schema.results import OperandUse, Reference, RungTimes, TimePair, TimesResults

ESTIMATE_S, QUICK_S = 180, 28
SEEDS_BEFORE, SEEDS_AFTER = (11, 23), (47,)
PLAIN_SAMPLES = 30


def run(session: Session) -> dict[str, tuple[Any, dict[str, Any]]]:
    """The ``times`` and ``conditions`` experiments of the session's ladder."""
    ladder = session.the_ladder
    bench = Bench(session, session.samples(SAMPLES))
    checks, calls = Checks(session, bench), Calls(session, bench)
    session.compile_ahead((rung, "", {}) for rung in ladder.rungs)
    for rung in ladder.rungs:
        session.progress(f"{rung.slug}: compile", 0.0)
        _try(checks, rung.slug, lambda r=rung: _rung(session, bench, r))
    for call in ladder.references:
        session.progress(f"{call.title}: prepare", 0.01)
        _try(checks, call.slug, lambda c=call: calls.candidate(c))
    session.progress("check", 0.02)
    checks.whole(SEEDS_BEFORE)
    checks.odd()
    for slug, candidate in list(checks.right.items()):
        work = bench.work(candidate.types)
        bench.prepare(slug, lambda s=slug, w=work, c=candidate: bench.add_kernel(s, w, c.enqueue))
        if slug in bench.faults:
            checks.fail(slug, bench.faults[slug])
    right = [rung for rung in ladder.rungs if rung.slug in checks.right]
    floors = Floors(session, bench)
    floors.prepare({ladder.label(rung): ladder.types(rung) for rung in right})
    twins = [rung.slug for rung in right][-1:] + [c.slug for c in ladder.references if c.slug in checks.right][:1]
    for slug in twins:
        bench.add_twin(f"{slug}'", slug)
    bench.run(0.06, 0.92)
    for slug in list(checks.right):
        if is_fault(found := bench.times(slug)):
            checks.fail(slug, found)
    plain = plain_trains(session, checks, bench, [rung.slug for rung in right])
    session.progress("check again", 0.97)
    checks.whole(SEEDS_AFTER, timed=True)

    def rung_times(rung: Rung) -> Any:
        if rung.slug in checks.faults:
            return checks.faults[rung.slug]
        return RungTimes(**bench.pair(rung.slug), check=checks.check(rung.slug), **plain[rung.slug])

    def reference_times(call: LibraryCall) -> Any:
        if call.slug in checks.faults:
            return checks.faults[call.slug]
        return Reference(**bench.pair(call.slug), check=checks.check(call.slug), **calls.told(call))

    results = TimesResults(
        problem=ladder.problem,
        operands={
            o.name: OperandUse(title=o.shown, role=o.role, shape=list(o.shape(ladder.problem)), cold=o.cold)
            for o in ladder.operands
        },
        flops=ladder.flops(ladder.problem),
        least_bytes={ladder.label(r): ladder.least_bytes(ladder.problem, ladder.types(r)) for r in ladder.rungs},
        rungs={rung.slug: rung_times(rung) for rung in ladder.rungs},
        references={call.slug: reference_times(call) for call in ladder.references},
        floors=floors.results(),
        twins={
            slug: TimePair(**bench.pair(f"{slug}'"))
            for slug in twins
            if not is_fault(checks.faults.get(slug) or bench.times(slug))
        },
    )
    every = {"every_seconds": session.sampler.every_s, "during": "times"}
    return {
        "times": (results, bench.method(tolerance=ladder.tolerance_reason)),
        "conditions": (session.sampler.results(), every),
    }


def _try(checks: Checks, slug: str, prepare: Callable[[], Candidate]) -> None:
    """A candidate that can be prepared is checked; of one that cannot, the reason is kept."""
    found = checks.session.attempt(slug, prepare)
    if isinstance(found, Candidate):
        checks.add(found)
    else:
        checks.fail(slug, found)


def _rung(session: Session, bench: Bench, rung: Rung) -> Candidate:
    ladder = session.the_ladder
    types = ladder.types(rung)

    def prepare(work: Workload) -> Enqueue:
        return work.launcher(session.build(rung, work.problem))

    constants = ladder.constants(rung)
    return Candidate(
        rung.slug, types, prepare(bench.work(types)), prepare, lambda problem: rung.accepts(problem, constants)
    )


class Calls:
    """Library calls as candidates, and what a recording says of them beside their times."""

    def __init__(self, session: Session, bench: Bench) -> None:
        self.session, self.bench = session, bench
        self.libraries = Libraries(session.the_ladder)
        self._told: dict[str, dict[str, Any]] = {}

    def candidate(self, call: LibraryCall) -> Candidate:
        types = self.session.the_ladder.types(call)
        made = self.libraries.prepare(call, self.bench.work(types))
        kernels = self.session.device.kernels_of(lambda: made.enqueue(0))
        self._told[call.slug] = {"version": made.version, "kernels": [name[:400] for name in kernels]}
        return Candidate(
            call.slug,
            types,
            made.enqueue,
            lambda work: self.libraries.prepare(call, work).enqueue,
            lambda problem: True,
        )

    def told(self, call: LibraryCall) -> dict[str, Any]:
        """Title, types, version and kernels of a call that was made a candidate."""
        ladder = self.session.the_ladder
        types = ladder.types(call)
        returns = ", ".join(dict.fromkeys(types[o.name] for o in ladder.outputs))
        return {"title": call.title, "accumulates": call.accumulates, "returns": returns, **self._told[call.slug]}


def plain_trains(session: Session, checks: Checks, bench: Bench, slugs: list[str]) -> dict[str, dict[str, Any]]:
    """The times of the rungs' trains launched one by one, by slug: ``plain_cold`` and ``plain_warm``."""
    found: dict[str, dict[str, Any]] = {}
    lanes: dict[tuple[str, str], Lane] = {}
    candidates = {slug: checks.right[slug] for slug in slugs if slug in checks.right}
    for slug, candidate in candidates.items():
        for condition in CONDITIONS:
            if (slug, condition) in bench.lanes:
                launches = bench.lanes[slug, condition].launches
                name = f"{slug} {condition}, plain launches"
                lanes[slug, condition] = plain_lane(name, slug, candidate.enqueue, condition == "cold", launches)
    time_lanes(session, list(lanes.values()), session.samples(PLAIN_SAMPLES), 0.92, 0.97)
    for slug in candidates:
        found[slug] = {
            f"plain_{condition}": lanes[slug, condition].timed()
            if (slug, condition) in lanes
            else bench.missing[slug, condition]
            for condition in CONDITIONS
        }
    return found
