"""How does time grow with the problem? The chosen rung and the library over batches and matrix sizes."""

from __future__ import annotations

from typing import Any

from recorder import libraries
from recorder.experiments.one_change import require_right
from recorder.experiments.times import CONDITIONS
from recorder.ladder import LibraryCall, Problem
from recorder.results import ShapeEntry, ShapesResults, TimePair
from recorder.session import Session, not_measured, sentence
from recorder.timing import LAUNCHES, Lane, graph_lane, interleave
from recorder.workload import Workload, fitting_workload

ESTIMATE_S = 60
SAMPLES = 100


def run(session: Session) -> dict[str, tuple[Any, dict[str, Any]]]:
    """The ``shapes`` experiment. One shape at a time: its entries are interleaved, then its memory is freed."""
    ladder = session.the_ladder
    samples = session.samples(SAMPLES)
    calls = {call.slug: call for call in ladder.references}
    entries: list[ShapeEntry] = []
    for i, problem in enumerate(ladder.shapes):
        sizes = " x ".join(str(v) for v in problem.values())
        session.progress(sizes, i / len(ladder.shapes))
        works: dict[tuple[str, str], Workload] = {}
        lanes: dict[str, list[Lane]] = {}
        outcomes: dict[str, Any] = {}
        for slug in ladder.shape_entries:
            name = f"{slug} {sizes}"
            outcomes[slug] = session.attempt(
                name, lambda s=slug, n=name, p=problem: _prepare(session, p, s, n, calls.get(s), works, lanes)
            )
        session.doing(sizes)
        interleave(
            session.device, [lane for pair in lanes.values() for lane in pair], samples, progress=lambda *_: None
        )
        for slug in ladder.shape_entries:
            times = outcomes[slug]
            if times is None:
                times = TimePair(**{c: lane.timed() for c, lane in zip(CONDITIONS, lanes[slug], strict=True)})
            entries.append(ShapeEntry(entry=slug, problem=problem, times=times))
        session.device.free_all()
    return {"shapes": (ShapesResults(shapes=entries), {"launches_per_sample": LAUNCHES, "samples": samples})}


def _prepare(
    session: Session, problem: Problem, slug: str, name: str, call: LibraryCall | None,
    works: dict[tuple[str, str], Workload], lanes: dict[str, list[Lane]],
) -> Any:  # fmt: skip
    ladder, device = session.the_ladder, session.device
    dtype, returns = (call.dtype, call.returns) if call else (ladder.rung(slug).dtype, "fp32")
    if (dtype, returns) not in works:
        works[dtype, returns] = fitting_workload(device, ladder, problem, dtype, 11, LAUNCHES, returns)
    work = works[dtype, returns]
    if call:
        try:
            libraries.library_version(call.library)
            enqueue = libraries.cublas_call(device, call, work)
        except libraries.LibraryMissing as error:
            return not_measured(sentence(error))
        enqueue(0)
        device.sync()
    else:
        built = session.build(ladder.rung(slug), problem)
        enqueue = work.launcher(built.module, built.launch, built.zero)
        require_right(session, name, work, enqueue)
    lanes[slug] = [graph_lane(device, name, enqueue, condition == "cold") for condition in CONDITIONS]
    return None
