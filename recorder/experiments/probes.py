"""What bounds a rung: its loads or its multiplies? The full kernel beside cut-down forms, cold and warm."""

from __future__ import annotations

from typing import Any

from recorder.experiments.times import Bench, method
from recorder.results import Failed, ProbesResults, ProbeTimes, TimePair
from recorder.session import Session

ESTIMATE_S = 30
SAMPLES = 200
FORMS = ("full", "loads_only", "math_only")


def run(session: Session) -> dict[str, tuple[Any, dict[str, Any]]]:
    """The ``probes`` experiment: ``full``, ``loads_only`` and ``math_only`` of each probed rung."""
    ladder = session.the_ladder
    bench = Bench(session, session.samples(SAMPLES))
    outcomes: dict[str, Failed | None] = {}

    def prepare(slug: str, form: str) -> None:
        rung = ladder.rung(slug)
        built = session.build(rung, ladder.problem, "" if form == "full" else form)
        bench.add(f"{slug}.{form}", bench.work(rung.dtype).launcher(built.module, built.launch, built.zero))

    for slug in ladder.probes:
        for form in FORMS:
            name = f"{slug}.{form}"
            session.progress(f"{name}: prepare", 0.0)
            outcomes[name] = session.attempt(name, lambda s=slug, f=form: prepare(s, f))
    bench.run()

    def pair(name: str) -> Any:
        return outcomes[name] or TimePair(**bench.pair(name))

    def full(name: str) -> TimePair:
        fault = outcomes[name]
        return TimePair(cold=fault, warm=fault) if fault else pair(name)

    rungs = {
        slug: ProbeTimes(
            full=full(f"{slug}.full"), loads_only=pair(f"{slug}.loads_only"), math_only=pair(f"{slug}.math_only")
        )
        for slug in ladder.probes
    }
    return {"probes": (ProbesResults(rungs=rungs), method(bench))}
