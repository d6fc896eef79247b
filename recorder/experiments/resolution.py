"""How fine can these times be? A/A runs, single launches against trains, graph against plain, and the event clock's step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from recorder.experiments.times import Bench
from recorder.launch import Launch
from recorder.results import ResolutionResults
from recorder.session import Session, not_measured
from recorder.timing import LAUNCHES, Lane, graph_lane, interleave, plain_lane

ESTIMATE_S = 20
SAMPLES = 200
TWINS = 5


def run(session: Session) -> dict[str, tuple[Any, dict[str, Any]]]:
    """The ``resolution`` experiment, warm, with the empty kernel and the ladder's last rung."""
    device, ladder = session.device, session.the_ladder
    samples = session.samples(SAMPLES)
    bench = Bench(session, samples)
    rung = ladder.rungs[-1]
    empty, one_warp = session.machine_kernel("empty.cu", "empty"), Launch((1, 1, 1), (32, 1, 1))
    built = session.build(rung, ladder.problem)
    kernels: dict[str, Callable[[int], None]] = {
        "empty": lambda copy: device.launch(empty, one_warp, []),
        rung.slug: bench.work(rung.dtype).launcher(built.module, built.launch, built.zero),
    }
    lanes: dict[str, dict[str, Lane]] = {}
    twins: dict[str, list[Lane]] = {}
    for slug, enqueue in kernels.items():
        session.doing(slug)
        lanes[slug] = {
            "graph_train": graph_lane(device, f"{slug} graph train", enqueue, False),
            "plain_train": plain_lane(f"{slug} plain train", enqueue, False),
            "graph_single": graph_lane(device, f"{slug} graph single", enqueue, False, 1),
            "plain_single": plain_lane(f"{slug} plain single", enqueue, False, 1),
        }
        train = lanes[slug]["graph_train"]
        twins[slug] = [Lane(f"{slug} twin {i + 1}", train.replay, LAUNCHES) for i in range(TWINS)]
    every = [lane for by in lanes.values() for lane in by.values()] + [lane for t in twins.values() for lane in t]
    interleave(device, every, samples, progress=session.progress)
    raw = [
        us * lane.launches
        for by in lanes.values()
        for kind, lane in by.items()
        if "single" in kind
        for us in lane.samples
    ]
    results = ResolutionResults(
        twins={slug: [lane.timed() for lane in t] for slug, t in twins.items()},
        launches={slug: {kind: lane.timed() for kind, lane in by.items()} for slug, by in lanes.items()},
        event_step_us=event_step(raw),
    )
    return {"resolution": (results, {"launches_per_train": LAUNCHES, "samples": samples, "condition": "warm"})}


def event_step(raw_us: list[float]) -> Any:
    """The event clock's step in microseconds: the commonest gap between neighbouring distinct event differences."""
    distinct = np.unique(np.round(np.array(raw_us), 4))
    gaps = np.round(np.diff(distinct), 4)
    gaps = gaps[gaps > 0]
    if not gaps.size:
        return not_measured("all event differences are equal")
    values, counts = np.unique(gaps, return_counts=True)
    return float(values[counts.argmax()])
