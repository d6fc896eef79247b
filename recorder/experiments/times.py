"""How long does each rung take, cold and warm, beside the library and the floors? The main table of a ladder."""

from __future__ import annotations

from typing import Any

from recorder.libraries.known import load_ahead
from recorder.libraries.references import prepare_reference
from recorder.measure.checks import Checks
from recorder.measure.floors import Floors
from recorder.measure.lanes import Bench, time_lanes
from recorder.measure.rotation import CONDITIONS
from recorder.measure.session import Session, is_fault
from recorder.measure.timing import SAMPLES, Lane, plain_lane
from schema.ladder import Rung
from schema.results import Reference, RungTimes, TimePair, TimesResults

ESTIMATE_S, QUICK_S = 180, 28
SEEDS_BEFORE, SEEDS_AFTER = (11, 23), (47,)
PLAIN_SAMPLES = 30


def run(session: Session) -> dict[str, tuple[Any, dict[str, Any]]]:
    """The ``times`` and ``conditions`` experiments of the session's ladder."""
    ladder = session.the_ladder
    bench = Bench(session, session.samples(SAMPLES))
    load_ahead(ladder.references)
    checks = right_rungs(session, bench)
    session.progress("the libraries", 0.05)
    references: dict[str, Any] = {
        call.slug: bench.prepare(call.slug, lambda c=call: prepare_reference(bench, c)) for call in ladder.references
    }
    floors = Floors(session, bench)
    floors.prepare(sorted({c.rung.dtype for c in checks.right.values()}))
    twins = [*list(checks.right)[-1:], *[slug for slug, found in references.items() if not is_fault(found)][:1]]
    for slug in twins:
        bench.add_twin(f"{slug}'", slug)
    bench.run(0.06, 0.92)
    for slug in list(checks.right):
        if is_fault(found := bench.times(slug)):
            checks.fail(slug, found)
    plain = plain_trains(session, checks, bench)
    session.progress("check again", 0.97)
    checks.whole(SEEDS_AFTER, timed=True)

    def rung_times(rung: Rung) -> Any:
        if rung.slug in checks.faults:
            return checks.faults[rung.slug]
        return RungTimes(**bench.pair(rung.slug), check=checks.check(rung.slug), **plain[rung.slug])

    def reference_times(slug: str) -> Any:
        times = bench.times(slug)
        return times if is_fault(times) else Reference(**bench.pair(slug), **references[slug])

    results = TimesResults(
        problem=ladder.problem,
        flops=ladder.flops(ladder.problem),
        least_bytes={d: ladder.least_bytes(ladder.problem, d) for d in dict.fromkeys(r.dtype for r in ladder.rungs)},
        rungs={rung.slug: rung_times(rung) for rung in ladder.rungs},
        references={slug: reference_times(slug) for slug in references},
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


def right_rungs(session: Session, bench: Bench) -> Checks:
    """The rungs that are right, with lanes on the bench."""
    ladder = session.the_ladder
    checks = Checks(session, bench)
    session.compile_ahead((rung, "", {}) for rung in ladder.rungs)

    def build(rung: Rung) -> None:
        work, built = bench.work(rung.dtype), session.build(rung, ladder.problem)
        checks.add(rung, work.launcher(built.module, built.launch, built.zero))

    for rung in ladder.rungs:
        session.progress(f"{rung.slug}: compile", 0.0)
        found = session.attempt(rung.slug, lambda r=rung: build(r))
        if is_fault(found):
            checks.fail(rung.slug, found)
    session.progress("check", 0.01)
    checks.whole(SEEDS_BEFORE)
    checks.odd()
    for slug, candidate in list(checks.right.items()):
        work = bench.work(candidate.rung.dtype)
        bench.prepare(slug, lambda s=slug, w=work, c=candidate: bench.add_kernel(s, w, c.enqueue))
        if slug in bench.faults:
            checks.fail(slug, bench.faults[slug])
    return checks


def plain_trains(session: Session, checks: Checks, bench: Bench) -> dict[str, dict[str, Any]]:
    """The times of the same trains launched one by one, by slug: ``plain_cold`` and ``plain_warm``."""
    found: dict[str, dict[str, Any]] = {}
    lanes: dict[tuple[str, str], Lane] = {}
    for slug, candidate in checks.right.items():
        for condition in CONDITIONS:
            if (slug, condition) in bench.lanes:
                launches = bench.lanes[slug, condition].launches
                name = f"{slug} {condition}, plain launches"
                lanes[slug, condition] = plain_lane(name, slug, candidate.enqueue, condition == "cold", launches)
    time_lanes(session, list(lanes.values()), session.samples(PLAIN_SAMPLES), 0.92, 0.97)
    for slug in checks.right:
        found[slug] = {
            f"plain_{condition}": lanes[slug, condition].timed()
            if (slug, condition) in lanes
            else bench.missing[slug, condition]
            for condition in CONDITIONS
        }
    return found
