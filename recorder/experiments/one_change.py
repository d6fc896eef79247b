"""What does one change gain alone? Controlled comparisons: one thing differs, the rest is held."""

from __future__ import annotations

from typing import Any

from recorder.device import DeviceError
from recorder.experiments.times import Bench, method
from recorder.results import ChangeEntry, Failed, OneChangeResults, TimePair
from recorder.session import Session

ESTIMATE_S = 40
SAMPLES = 200
SEEDS = (11,)


def run(session: Session) -> dict[str, tuple[Any, dict[str, Any]]]:
    """The ``one_change`` experiment: every comparison that the ladder declares."""
    ladder = session.the_ladder
    bench = Bench(session, session.samples(SAMPLES))
    blocks: dict[str, int] = {}
    outcomes: dict[str, Failed | None] = {}

    def prepare(name: str, kernel: str, constants: dict[str, int]) -> None:
        slug, _, variant = kernel.partition(".")
        rung = ladder.rung(slug)
        built = session.build(rung, ladder.problem, variant, constants)
        work = bench.work(rung.dtype)
        enqueue = work.launcher(built.module, built.launch, built.zero)
        require_right(session, name, work, enqueue)
        blocks[name] = built.launch.blocks
        bench.add(name, enqueue)

    for comparison in ladder.comparisons:
        for slug, _, kernel, constants, _ in comparison.entries:
            name = f"{comparison.slug}.{slug}"
            session.progress(f"{name}: prepare", 0.0)
            outcomes[name] = session.attempt(name, lambda n=name, k=kernel, c=constants: prepare(n, k, c))
    bench.run()

    def entry(name: str, title: str, what: str, constants: dict[str, int]) -> ChangeEntry:
        times = outcomes[name] or TimePair(**bench.pair(name))
        return ChangeEntry(title=title, what=what, constants=constants, blocks=blocks.get(name, 0), times=times)

    comparisons = {
        c.slug: {
            slug: entry(f"{c.slug}.{slug}", title, what, constants) for slug, title, _, constants, what in c.entries
        }
        for c in ladder.comparisons
    }
    return {"one_change": (OneChangeResults(comparisons=comparisons), method(bench))}


def require_right(session: Session, name: str, work: Any, enqueue: Any) -> None:
    """One check against float64 over a poisoned output; a wrong kernel is not timed."""
    tolerance = session.the_ladder.tolerance(work.problem)
    error = work.error(enqueue)
    if not error <= tolerance:
        raise DeviceError(f"{name} is wrong: its worst error is {error / tolerance:.3g} times the tolerance")
