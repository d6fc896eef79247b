"""How fine can times be? A/A runs, single launches against trains, graph against plain, and the event clock's step."""

from __future__ import annotations

from typing import Any

import numpy as np

from recorder.measure.floors import ONE_WARP
from recorder.measure.lanes import Bench, time_lanes
from recorder.measure.session import Session, is_fault, not_measured
from recorder.measure.timing import LAUNCHES, Lane, graph_lane, plain_lane
from recorder.measure.workload import Enqueue
from schema.results import ResolutionResults, Timed

ESTIMATE_S, QUICK_S = 3, 2
SAMPLES = 200
TWINS = 5
KINDS = ("graph_train", "plain_train", "graph_single", "plain_single")


def run(session: Session) -> dict[str, tuple[Any, dict[str, Any]]]:
    """The ``resolution`` experiment, warm, with the empty kernel and the ladder's last rung."""
    ladder, samples = session.the_ladder, session.samples(SAMPLES)
    rung = ladder.rungs[-1]
    outcomes = {
        "empty": session.attempt("empty", lambda: lanes_of(session, "empty", _empty(session))),
        rung.slug: session.attempt(rung.slug, lambda: _last_rung(session)),
    }
    lanes = {slug: found for slug, found in outcomes.items() if isinstance(found, dict)}
    twins = {slug: [by["graph_train"].twin(f"{slug} twin {i + 1}") for i in range(TWINS)] for slug, by in lanes.items()}
    every = [lane for by in lanes.values() for lane in by.values()] + [lane for t in twins.values() for lane in t]
    time_lanes(session, every, samples)
    singles = [lane for lane in every if lane.launches == 1 and not lane.fault]
    launches: dict[str, Any] = {
        slug: dict.fromkeys(KINDS, found)
        if is_fault(found)
        else {kind: lane.timed() for kind, lane in lanes[slug].items()}
        for slug, found in outcomes.items()
    }
    results = ResolutionResults(
        twins={
            slug: [found for lane in t if isinstance(found := lane.timed(), Timed)]
            for slug, t in twins.items()
            if not any(lane.fault for lane in t)
        },
        launches=launches,
        event_step_us=event_step([us for lane in singles for us in lane.samples]),
    )
    return {"resolution": (results, {"launches_per_train": LAUNCHES, "samples": samples, "condition": "warm"})}


def lanes_of(session: Session, slug: str, enqueue: Enqueue) -> dict[str, Lane]:
    """The four ways of launching, by kind."""
    device = session.device
    return {
        "graph_train": graph_lane(device, f"{slug} graph train", slug, enqueue),
        "plain_train": plain_lane(f"{slug} plain train", slug, enqueue),
        "graph_single": graph_lane(device, f"{slug} graph single", slug, enqueue, launches=1),
        "plain_single": plain_lane(f"{slug} plain single", slug, enqueue, launches=1),
    }


def _empty(session: Session) -> Enqueue:
    kernel = session.machine_kernel("empty.cu", "empty")
    return lambda copy: session.device.launch(kernel, ONE_WARP, [])


def _last_rung(session: Session) -> dict[str, Lane]:
    """Its lanes, which are checked after timing too; the empty kernel has no result."""
    ladder = session.the_ladder
    rung = ladder.rungs[-1]
    work, built = Bench(session, 0).work(ladder.types(rung)), session.build(rung, ladder.problem)
    enqueue = work.launcher(built)
    work.require_right(rung.slug, enqueue)
    lanes = lanes_of(session, rung.slug, enqueue)
    return {kind: lane.check_against(work, enqueue) for kind, lane in lanes.items()}


def event_step(raw_us: list[float]) -> Any:
    """The event clock's step in microseconds: the commonest gap between neighbouring distinct event differences."""
    distinct = np.unique(np.round(np.array(raw_us), 4))
    gaps = np.round(np.diff(distinct), 4)
    gaps = gaps[gaps > 0]
    if not gaps.size:
        return not_measured("all event differences are equal")
    values, counts = np.unique(gaps, return_counts=True)
    return float(values[counts.argmax()])
