"""Which setting is fastest? Every legal combination of a rung's constants, checked, then timed cold and warm."""

from __future__ import annotations

import itertools
from typing import Any

from recorder.experiments.one_change import require_right
from recorder.experiments.times import Bench, method
from recorder.results import Setting, SweepResults, TimePair
from recorder.session import Session, not_measured

ESTIMATE_S = 90
SAMPLES = 200


def run(session: Session) -> dict[str, tuple[Any, dict[str, Any]]]:
    """The ``sweep`` experiment: a setting that is not legal is ``not_measured`` with the reason."""
    ladder = session.the_ladder
    sweep = ladder.sweep
    assert sweep is not None, "the ladder declares no sweep"
    rung = ladder.rung(sweep.rung)
    bench = Bench(session, session.samples(SAMPLES))
    combinations = [dict(zip(sweep.axes, values, strict=True)) for values in itertools.product(*sweep.axes.values())]
    facts: list[dict[str, Any]] = []

    def prepare(name: str, constants: dict[str, int]) -> dict[str, Any]:
        built = session.build(rung, ladder.problem, "", {**constants, **sweep.derived(constants)})
        work = bench.work(rung.dtype)
        enqueue = work.launcher(built.module, built.launch, built.zero)
        require_right(session, name, work, enqueue)
        bench.add(name, enqueue)
        return {
            "blocks": built.launch.blocks,
            "threads": built.launch.threads,
            "smem_bytes": built.module.static_smem_bytes + built.launch.dynamic_smem_bytes,
            "registers": built.module.registers,
        }

    for i, constants in enumerate(combinations):
        name = _name(constants)
        why = sweep.refuse(constants)
        session.progress(f"compile {name}", 0.2 * i / len(combinations))
        outcome: Any = not_measured(why) if why else session.attempt(name, lambda n=name, c=constants: prepare(n, c))
        known = outcome if isinstance(outcome, dict) else {"blocks": 0, "threads": 0, "smem_bytes": 0, "registers": 0}
        facts.append({**known, "fault": None if isinstance(outcome, dict) else outcome})
    bench.run((0.2, 1.0))
    settings = []
    for constants, fact in zip(combinations, facts, strict=True):
        fault = fact.pop("fault")
        times = fault or TimePair(**bench.pair(_name(constants)))
        settings.append(Setting(constants=constants, times=times, **fact))
    results = SweepResults(rung=rung.slug, axes={k: list(v) for k, v in sweep.axes.items()}, settings=settings)
    return {"sweep": (results, method(bench))}


def _name(constants: dict[str, int]) -> str:
    return "_".join(f"{k.lower()}_{v}" for k, v in constants.items())
