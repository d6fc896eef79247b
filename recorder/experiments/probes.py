"""What bounds a rung: its loads or its multiplies? The full kernel beside cut-down forms, cold and warm."""

from __future__ import annotations

from typing import Any

from recorder.bench import Bench
from recorder.checks import require_right
from recorder.results import ProbesResults, ProbeTimes, TimePair
from recorder.session import Session, is_fault

ESTIMATE_S, QUICK_S = 8, 3
SAMPLES = 200
FORMS = ("full", "loads_only", "math_only")


def run(session: Session) -> dict[str, tuple[Any, dict[str, Any]]]:
    """The ``probes`` experiment: ``full``, which is checked, ``loads_only`` and ``math_only`` of each probed rung."""
    ladder = session.the_ladder
    bench = Bench(session, session.samples(SAMPLES))
    outcomes: dict[str, Any] = {}

    def prepare(name: str, slug: str, variant: str) -> None:
        rung = ladder.rung(slug)
        work, built = bench.work(rung.dtype), session.build(rung, ladder.problem, variant)
        enqueue = work.launcher(built.module, built.launch, built.zero)
        if not variant:
            require_right(slug, work, enqueue)
        bench.add(name, enqueue, work.rotation)

    forms = [(slug, form, "" if form == "full" else form) for slug in ladder.probes for form in FORMS]
    session.compile_ahead((ladder.rung(slug), variant, {}) for slug, _, variant in forms)
    for slug, form, variant in forms:
        name = f"{slug}.{form}"
        session.progress(f"{name}: prepare", 0.0)
        outcomes[name] = session.attempt(name, lambda n=name, s=slug, v=variant: prepare(n, s, v))
    bench.run(0.1)

    def pair(name: str) -> Any:
        return outcomes[name] if is_fault(outcomes[name]) else TimePair(**bench.pair(name))

    def full(name: str) -> TimePair:
        found = pair(name)
        return TimePair(cold=found, warm=found) if is_fault(found) else found

    rungs = {
        slug: ProbeTimes(
            full=full(f"{slug}.full"), loads_only=pair(f"{slug}.loads_only"), math_only=pair(f"{slug}.math_only")
        )
        for slug in ladder.probes
    }
    return {"probes": (ProbesResults(rungs=rungs), bench.method())}
