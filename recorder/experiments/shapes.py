"""How does time grow with the problem? The chosen rungs and library calls over the sizes that the ladder declares."""

from __future__ import annotations

from typing import Any

from recorder.libraries.call import Libraries
from recorder.measure.lanes import Bench
from recorder.measure.rotation import LAUNCHES
from recorder.measure.session import Session
from schema.ladder import sizes_of
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
    libraries = Libraries(ladder)
    session.compile_ahead((rung, "", {}) for rung in rungs)
    for i, problem in enumerate(ladder.shapes):
        bench = Bench(session, samples, problem)
        found = _shape(session, bench, libraries, i / len(ladder.shapes), (i + 1) / len(ladder.shapes))
        entries += [ShapeEntry(entry=slug, problem=problem, times=times) for slug, times in found.items()]
        for key, number in bench.numbers().items():
            method.setdefault(key, []).append(f"{sizes_of(problem)}: {number}")
        session.device.free_all()
    by_shape = {key: "; ".join(found) for key, found in method.items()}
    same = {"launches_per_sample": LAUNCHES, "samples": samples}
    return {"shapes": (ShapesResults(shapes=entries), {**same, **by_shape})}


def _shape(session: Session, bench: Bench, libraries: Libraries, first: float, last: float) -> dict[str, Any]:
    """Times by entry of the bench's problem."""
    ladder, problem = session.the_ladder, bench.problem
    calls = {call.slug: call for call in ladder.references}
    sizes = sizes_of(problem)
    session.progress(f"{sizes}: prepare", first)

    def prepare(slug: str, part: str) -> None:
        if slug in calls:
            work = bench.work(ladder.types(calls[slug]))
            enqueue = libraries.prepare(calls[slug], work).enqueue
        else:
            rung = ladder.rung(slug)
            work = bench.work(ladder.types(rung))
            enqueue = work.launcher(session.build(rung, problem))
        bench.add_kernel(slug, work, enqueue, part)

    for slug in ladder.shape_entries:
        part = f"{slug} {sizes}"
        bench.prepare(slug, lambda s=slug, p=part: prepare(s, p), part)
    bench.run(first, last)
    return {slug: bench.times(slug) for slug in ladder.shape_entries}
