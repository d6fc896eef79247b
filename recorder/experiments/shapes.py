"""How does time grow with the problem? The chosen rung and the library over batches and matrix sizes."""

from __future__ import annotations

from typing import Any

from recorder.libraries.references import prepare_reference
from recorder.measure.lanes import Bench
from recorder.measure.rotation import LAUNCHES
from recorder.measure.session import Session
from schema.ladder import Problem, sizes_of
from schema.results import ShapeEntry, ShapesResults

ESTIMATE_S, QUICK_S = 20, 9
SAMPLES = 100


def run(session: Session) -> dict[str, tuple[Any, dict[str, Any]]]:
    """The ``shapes`` experiment. One shape at a time: its entries are interleaved, then its memory is freed."""
    ladder = session.the_ladder
    samples = session.samples(SAMPLES)
    entries: list[ShapeEntry] = []
    method: dict[str, list[str]] = {}  # what differs from shape to shape
    rungs = [rung for rung in ladder.rungs if rung.slug in ladder.shape_entries]
    session.compile_ahead((rung, "", {}) for rung in rungs)
    for i, problem in enumerate(ladder.shapes):
        bench = Bench(session, samples, problem)
        found = _shape(session, bench, problem, i / len(ladder.shapes), (i + 1) / len(ladder.shapes))
        entries += [ShapeEntry(entry=slug, problem=problem, times=times) for slug, times in found.items()]
        for key, number in bench.numbers().items():
            method.setdefault(key, []).append(f"{sizes_of(problem)}: {number}")
        session.device.free_all()
    by_shape = {key: "; ".join(found) for key, found in method.items()}
    same = {"launches_per_sample": LAUNCHES, "samples": samples}
    return {"shapes": (ShapesResults(shapes=entries), {**same, **by_shape})}


def _shape(session: Session, bench: Bench, problem: Problem, first: float, last: float) -> dict[str, Any]:
    """Times by entry of one problem."""
    ladder = session.the_ladder
    calls = {call.slug: call for call in ladder.references}
    sizes = sizes_of(problem)
    session.progress(f"{sizes}: prepare", first)

    def prepare(slug: str, part: str) -> None:
        if slug in calls:
            prepare_reference(bench, calls[slug], part)
            return
        rung = ladder.rung(slug)
        work, built = bench.work(rung.dtype), session.build(rung, problem)
        bench.add_kernel(slug, work, work.launcher(built.module, built.launch, built.zero), part)

    for slug in ladder.shape_entries:
        part = f"{slug} {sizes}"
        bench.prepare(slug, lambda s=slug, p=part: prepare(s, p), part)
    bench.run(first, last)
    return {slug: bench.times(slug) for slug in ladder.shape_entries}
