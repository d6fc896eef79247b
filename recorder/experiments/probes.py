"""What bounds a rung: its loads or its multiplies? The full kernel beside cut-down forms, cold and warm."""

from __future__ import annotations

from typing import Any

from recorder.measure.lanes import Bench
from recorder.measure.session import Session
from schema.results import ProbesResults, ProbeTimes, pair_of

ESTIMATE_S, QUICK_S = 8, 3
SAMPLES = 200
FORMS = ("full", "loads_only", "math_only")


def run(session: Session) -> dict[str, tuple[Any, dict[str, Any]]]:
    """The ``probes`` experiment: ``full``, ``loads_only`` and ``math_only`` of each probed rung.

    ``full`` is checked before and after timing. The halves compute no answer, so there is nothing to check in them.
    """
    ladder = session.the_ladder
    bench = Bench(session, session.samples(SAMPLES))

    def prepare(name: str, slug: str, variant: str) -> None:
        rung = ladder.rung(slug)
        work, built = bench.work(ladder.types(rung)), session.build(rung, ladder.problem, variant)
        enqueue = work.launcher(built)
        if variant:
            bench.add(name, enqueue, work.rotation)
        else:
            bench.add_kernel(name, work, enqueue)

    forms = [(slug, form, "" if form == "full" else form) for slug in ladder.probes for form in FORMS]
    session.compile_ahead((ladder.rung(slug), variant, {}) for slug, _, variant in forms)
    for slug, form, variant in forms:
        name = f"{slug}.{form}"
        session.progress(f"{name}: prepare", 0.0)
        bench.prepare(name, lambda n=name, s=slug, v=variant: prepare(n, s, v))
    bench.run(0.1)
    rungs = {
        slug: ProbeTimes(
            full=pair_of(bench.times(f"{slug}.full")),
            loads_only=bench.times(f"{slug}.loads_only"),
            math_only=bench.times(f"{slug}.math_only"),
        )
        for slug in ladder.probes
    }
    return {"probes": (ProbesResults(rungs=rungs), bench.method())}
