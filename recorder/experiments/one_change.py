"""What does one change gain alone? Controlled comparisons: one thing differs, the rest is held."""

from __future__ import annotations

from typing import Any

from recorder.measure.lanes import Bench
from recorder.measure.session import Session
from schema.ladder import Rung
from schema.results import ChangeEntry, OneChangeResults

ESTIMATE_S, QUICK_S = 25, 6
SAMPLES = 200


def run(session: Session) -> dict[str, tuple[Any, dict[str, Any]]]:
    """The ``one_change`` experiment: every comparison that the ladder declares."""
    ladder = session.the_ladder
    bench = Bench(session, session.samples(SAMPLES))
    blocks: dict[str, int] = {}

    def prepare(name: str, rung: Rung, variant: str, constants: dict[str, int]) -> None:
        work, built = bench.work(ladder.types(rung)), session.build(rung, ladder.problem, variant, constants)
        blocks[name] = built.launch.blocks
        bench.add_kernel(name, work, work.launcher(built))

    entries = []
    for comparison in ladder.comparisons:
        for slug, _, kernel, constants, _ in comparison.entries:
            rung, _, variant = kernel.partition(".")
            entries.append((f"{comparison.slug}.{slug}", ladder.rung(rung), variant, constants))
    session.compile_ahead((rung, variant, constants) for _, rung, variant, constants in entries)
    for name, rung, variant, constants in entries:
        session.progress(f"{name}: prepare", 0.0)
        bench.prepare(name, lambda n=name, r=rung, v=variant, c=constants: prepare(n, r, v, c))
    bench.run(0.1)

    def entry(name: str, title: str, what: str, constants: dict[str, int]) -> ChangeEntry:
        return ChangeEntry(
            title=title, what=what, constants=constants, blocks=blocks.get(name, 0), times=bench.times(name)
        )

    comparisons = {
        c.slug: {
            slug: entry(f"{c.slug}.{slug}", title, what, constants) for slug, title, _, constants, what in c.entries
        }
        for c in ladder.comparisons
    }
    return {"one_change": (OneChangeResults(comparisons=comparisons), bench.method())}
