"""Which SM ran each block, and when? Instrumented variants of the rungs, stamped by %smid and %globaltimer."""

from __future__ import annotations

from typing import Any

import numpy as np

from recorder.bench import Bench, time_lanes
from recorder.checks import require_right
from recorder.device import OutOfMemory
from recorder.ladder import Rung
from recorder.recording import numbers_block
from recorder.results import PlacementResults, RungPlacement, Table
from recorder.session import Session, not_measured
from recorder.timing import Lane, graph_lane

ESTIMATE_S, QUICK_S = 4, 2
SAMPLES = 200
KEPT = 3  # consecutive launches from the middle of a cold train
TRAIN = 20
COLUMNS = ("block", "sm", "start_ns", "end_ns")
STAMP_BYTES = 24  # SM, start and end, 8 bytes each


def run(session: Session) -> dict[str, tuple[Any, dict[str, Any]]]:
    """The ``placement`` experiment: a table of blocks for each launch, and the instrumented variant's own time."""
    ladder = session.the_ladder
    ticks: list[int] = []
    rungs: dict[str, Any] = {}
    session.compile_ahead((ladder.rung(slug), "placement", {}) for slug in ladder.placements)
    for i, slug in enumerate(ladder.placements):
        span = i / len(ladder.placements), (i + 1) / len(ladder.placements)
        session.progress(f"{slug}: prepare", span[0])
        rungs[slug] = session.attempt(slug, lambda s=slug, at=span: _place(session, ladder.rung(s), ticks, *at))
        session.device.free_all()
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


def _place(session: Session, rung: Rung, ticks: list[int], first: float, last: float) -> RungPlacement:
    """``ticks`` takes every stamp that was read, in nanoseconds."""
    device, ladder = session.device, session.the_ladder
    work, built = Bench(session, 0).work(rung.dtype), session.build(rung, ladder.problem, "placement")
    if work.rotation.not_cold:
        raise OutOfMemory(work.rotation.not_cold)
    blocks = built.launch.blocks
    stamps = device.alloc(TRAIN * blocks * STAMP_BYTES)
    each = [
        work.launcher(built.module, built.launch, built.zero, [np.uint64(stamps + i * blocks * STAMP_BYTES)])
        for i in range(TRAIN)
    ]
    require_right(f"{rung.slug}.placement", work, each[0])
    stamped = device.capture(lambda: [each[i](i) for i in range(TRAIN)], TRAIN)
    lane = graph_lane(device, f"{rung.slug} cold", rung.slug, each[0], True, work.rotation.launches)
    lanes = [lane, Lane(f"{rung.slug} stamped", rung.slug, stamped.replay, TRAIN)]
    time_lanes(session, lanes, session.samples(SAMPLES), first, last)
    stamped.replay()
    found = device.download(stamps, (TRAIN, blocks, 3), np.uint64).astype(np.int64)
    launches = []
    for launch in range(TRAIN // 2, TRAIN // 2 + KEPT):
        sm, start, end = found[launch].T
        ticks.extend(int(t) for t in np.concatenate([start, end]))
        zero = int(start.min())
        rows = np.column_stack([np.arange(blocks), sm, start - zero, end - zero]).ravel()
        launches.append(Table(columns=" ".join(COLUMNS), rows=numbers_block(rows, 0, len(COLUMNS))))
    return RungPlacement(condition="cold", instrumented=lane.timed(), launches=launches)
