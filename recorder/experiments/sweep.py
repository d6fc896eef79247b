"""Which sizes are best? Every combination of a rung's constants, checked, then timed cold and warm."""

from __future__ import annotations

import itertools
from typing import Any

from recorder.measure.lanes import Bench
from recorder.measure.session import Session, not_measured
from schema.results import Setting, SweepResults

ESTIMATE_S, QUICK_S = 80, 10
SAMPLES = 200
NOTHING = {"blocks": 0, "threads": 0, "smem_bytes": 0, "registers": 0}


def run(session: Session) -> dict[str, tuple[Any, dict[str, Any]]]:
    """The ``sweep`` experiment: a setting that is not legal is ``not_measured`` with the reason."""
    ladder = session.the_ladder
    sweep = ladder.sweep
    assert sweep is not None, "the ladder declares no sweep"
    rung = ladder.rung(sweep.rung)
    bench = Bench(session, session.samples(SAMPLES))
    combinations = [dict(zip(sweep.axes, values, strict=True)) for values in itertools.product(*sweep.axes.values())]
    refused = {_name(c): why for c in combinations if (why := sweep.refuse(c))}
    facts: dict[str, dict[str, int]] = {}

    def prepare(name: str, constants: dict[str, int]) -> None:
        built = session.build(rung, ladder.problem, "", {**constants, **sweep.derived(constants)})
        facts[name] = {
            "blocks": built.launch.blocks,
            "threads": built.launch.threads,
            "smem_bytes": built.module.static_smem_bytes + built.launch.dynamic_smem_bytes,
            "registers": built.module.registers,
        }
        work = bench.work(ladder.types(rung))
        bench.add_kernel(name, work, work.launcher(built))

    legal = [c for c in combinations if _name(c) not in refused]
    session.compile_ahead((rung, "", {**c, **sweep.derived(c)}) for c in legal)
    for i, constants in enumerate(combinations):
        name = _name(constants)
        session.progress(f"check {name}", 0.1 * i / len(combinations))
        if name not in refused:
            bench.prepare(name, lambda n=name, c=constants: prepare(n, c))
    bench.run(0.1)
    settings = []
    for constants in combinations:
        name = _name(constants)
        times = not_measured(refused[name]) if name in refused else bench.times(name)
        settings.append(Setting(constants=constants, times=times, **facts.get(name, NOTHING)))
    results = SweepResults(rung=rung.slug, axes={k: list(v) for k, v in sweep.axes.items()}, settings=settings)
    return {"sweep": (results, bench.method())}


def _name(constants: dict[str, int]) -> str:
    return "_".join(f"{k.lower()}_{v}" for k, v in constants.items())
