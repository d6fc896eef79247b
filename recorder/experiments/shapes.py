"""How does time grow with the problem? The chosen rung and the library over batches and matrix sizes."""

from __future__ import annotations

from typing import Any

from recorder.bench import Bench
from recorder.checks import require_right
from recorder.ladder import Problem
from recorder.references import prepare_reference
from recorder.results import ShapeEntry, ShapesResults, TimePair
from recorder.rotation import LAUNCHES
from recorder.session import Session, is_fault

ESTIMATE_S, QUICK_S = 20, 9
SAMPLES = 100


def run(session: Session) -> dict[str, tuple[Any, dict[str, Any]]]:
    """The ``shapes`` experiment. One shape at a time: its entries are interleaved, then its memory is freed."""
    ladder = session.the_ladder
    samples = session.samples(SAMPLES)
    entries: list[ShapeEntry] = []
    launches: dict[str, int] = {}
    rungs = [rung for rung in ladder.rungs if rung.slug in ladder.shape_entries]
    session.compile_ahead((rung, "", {}) for rung in rungs)
    for i, problem in enumerate(ladder.shapes):
        bench = Bench(session, samples, problem)
        found = _shape(session, bench, problem, i / len(ladder.shapes), (i + 1) / len(ladder.shapes))
        entries += [ShapeEntry(entry=slug, problem=problem, times=times) for slug, times in found.items()]
        for dtype, operands in bench.operands.items():
            if operands.rotation.launches != LAUNCHES:
                sizes = "_".join(str(v) for v in problem.values())
                launches[f"launches_per_sample_{dtype}_{sizes}"] = operands.rotation.launches
        session.device.free_all()
    return {
        "shapes": (ShapesResults(shapes=entries), {"launches_per_sample": LAUNCHES, "samples": samples, **launches})
    }


def _shape(session: Session, bench: Bench, problem: Problem, first: float, last: float) -> dict[str, Any]:
    """Times by entry of one problem."""
    ladder = session.the_ladder
    calls = {call.slug: call for call in ladder.references}
    sizes = " x ".join(str(v) for v in problem.values())
    session.progress(f"{sizes}: prepare", first)

    def prepare(slug: str, part: str) -> None:
        if slug in calls:
            prepare_reference(bench, calls[slug], part)
            return
        rung = ladder.rung(slug)
        work, built = bench.work(rung.dtype), session.build(rung, problem)
        enqueue = work.launcher(built.module, built.launch, built.zero)
        require_right(part, work, enqueue)
        bench.add(slug, enqueue, work.rotation, part)

    outcomes: dict[str, Any] = {}
    for slug in ladder.shape_entries:
        part = f"{slug} {sizes}"
        outcomes[slug] = session.attempt(part, lambda s=slug, p=part: prepare(s, p))
    bench.run(first, last)
    return {slug: outcome if is_fault(outcome) else TimePair(**bench.pair(slug)) for slug, outcome in outcomes.items()}
