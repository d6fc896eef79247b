"""Which SM ran each block, and when? Instrumented variants of the rungs, stamped by %smid and %globaltimer."""

from __future__ import annotations

from typing import Any

import numpy as np

from recorder.ladder import Rung
from recorder.recording import numbers_block
from recorder.results import PlacementResults, RungPlacement, Table
from recorder.session import Session, not_measured
from recorder.timing import LAUNCHES, Lane, graph_lane, interleave
from recorder.workload import fitting_workload

ESTIMATE_S = 10
KEPT = 3  # consecutive launches from the middle of a cold train
TRAIN = 20
COLUMNS = ("block", "sm", "start_ns", "end_ns")


def run(session: Session) -> dict[str, tuple[Any, dict[str, Any]]]:
    """The ``placement`` experiment: a table of blocks for each launch, and the instrumented variant's own time."""
    ladder = session.the_ladder
    ticks: list[int] = []
    rungs: dict[str, Any] = {}
    for i, slug in enumerate(ladder.placements):
        session.progress(slug, i / len(ladder.placements))
        rungs[slug] = session.attempt(slug, lambda s=slug: _place(session, ladder.rung(s), ticks))
    step: Any = not_measured("no rung could be placed")
    if ticks:
        distinct = np.unique(np.array(ticks))
        step = int(np.min(np.diff(distinct))) if distinct.size > 1 else not_measured("all stamps are equal")
    method = {
        "condition": "cold",
        "launches_in_train": TRAIN,
        "kept": f"launches {TRAIN // 2} to {TRAIN // 2 + KEPT - 1}",
    }
    return {"placement": (PlacementResults(timer_step_ns=step, rungs=rungs), method)}


def _place(session: Session, rung: Rung, ticks: list[int]) -> RungPlacement:
    device, ladder = session.device, session.the_ladder
    work = fitting_workload(device, ladder, ladder.problem, rung.dtype, 11, LAUNCHES)
    built = session.build(rung, ladder.problem, "placement")
    blocks = built.launch.blocks
    stamps = device.alloc(TRAIN * blocks * 24)
    each = [
        work.launcher(built.module, built.launch, built.zero, [np.uint64(stamps + i * blocks * 24)])
        for i in range(TRAIN)
    ]
    train = device.capture(lambda: [each[i](i) for i in range(TRAIN)], TRAIN)
    lane = graph_lane(device, rung.slug, each[0], True)
    interleave(device, [lane, Lane("stamped", train.replay, TRAIN)], session.samples(200))
    train.replay()
    found = device.download(stamps, (TRAIN, blocks, 3), np.uint64).astype(np.int64)
    work.free()
    device.free(stamps)
    launches = []
    for launch in range(TRAIN // 2, TRAIN // 2 + KEPT):
        sm, start, end = found[launch].T
        ticks.extend(int(t) for t in np.concatenate([start, end]))
        first = int(start.min())
        rows = [v for b in range(blocks) for v in (b, int(sm[b]), int(start[b]) - first, int(end[b]) - first)]
        launches.append(Table(columns=" ".join(COLUMNS), rows=numbers_block(rows, 0, len(COLUMNS))))
    return RungPlacement(condition="cold", instrumented=lane.timed(), launches=launches)
