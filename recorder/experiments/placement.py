"""Which SM ran each block, and when? Instrumented variants of the rungs, stamped by %smid and %globaltimer."""

from __future__ import annotations

from typing import Any

import numpy as np

from recorder.measure.lanes import Bench, time_lanes
from recorder.measure.session import Session, not_measured
from recorder.measure.timing import Lane, graph_lane
from schema.ladder import LadderError, Rung
from schema.owned import blocks_of, owned_by
from schema.recording import MAX_BYTES, numbers_block
from schema.results import (
    MAX_BLOCK_CHARS,
    Failed,
    NotDeclared,
    NotMeasured,
    Owned,
    PlacementResults,
    RungPlacement,
    Table,
    owned_columns,
)

ESTIMATE_S, QUICK_S = 4, 2
SAMPLES = 200
KEPT = 3  # consecutive launches from the middle of a cold train
LEAST_TRAIN = 20
COLUMNS = ("block", "sm", "start_ns", "end_ns")
STAMP_BYTES = 24  # SM, start and end, 8 bytes each
# How long the tables get: digits of a block's number and of a stamp (a launch of less than a second), the blanks that
# YAML puts before a row, and what the tables may take of a recording beside its header and its times.
BLOCK_DIGITS, NS_DIGITS, INDENT, OF_A_FILE = 6, 9, 10, 0.9


def run(session: Session) -> dict[str, tuple[Any, dict[str, Any]]]:
    """The ``placement`` experiment: a table of blocks for each launch, and the instrumented variant's own time."""
    ladder = session.the_ladder
    ticks: list[int] = []
    rungs: dict[str, Any] = {}
    method: dict[str, Any] = {"condition": "cold", "kept": f"{KEPT} launches in a row from the middle of a train"}
    session.compile_ahead((ladder.rung(slug), "placement", {}) for slug in ladder.placements)
    for i, slug in enumerate(ladder.placements):
        span = i / len(ladder.placements), (i + 1) / len(ladder.placements)
        session.progress(f"{slug}: prepare", span[0])
        rungs[slug] = session.attempt(slug, lambda s=slug, at=span: _place(session, ladder.rung(s), ticks, method, *at))
        session.device.free_all()
    step: Any = not_measured("no rung could be placed")
    if ticks:
        distinct = np.unique(np.array(ticks))
        step = int(np.min(np.diff(distinct))) if distinct.size > 1 else not_measured("all stamps are equal")
    return {"placement": (PlacementResults(timer_step_ns=step, rungs=rungs), method)}


def train_length(copies: int) -> int:
    """Launches of a train that touches each copy equally often: what a launch reads was pushed out of the caches."""
    return -(-LEAST_TRAIN // copies) * copies


def most_blocks(sms: int, tables: int) -> int:
    """The most blocks of a launch of which so many tables fit into one recording of a card with ``sms`` SMs."""
    row = BLOCK_DIGITS + len(str(sms)) + 2 * NS_DIGITS + len(COLUMNS)
    return min(MAX_BLOCK_CHARS // row, int(OF_A_FILE * MAX_BYTES) // (tables * (row + INDENT)))


def _place(
    session: Session, rung: Rung, ticks: list[int], method: dict[str, Any], first: float, last: float
) -> RungPlacement | Failed | NotMeasured:
    """``ticks`` takes every stamp that was read, in nanoseconds, and ``method`` what made the train cold."""
    device, ladder = session.device, session.the_ladder
    built = session.build(rung, ladder.problem, "placement")
    blocks = built.launch.blocks
    most = most_blocks(device.attribute("MULTIPROCESSOR_COUNT"), KEPT * len(ladder.placements))
    if blocks > most:
        return not_measured(
            f"a launch has {blocks:,} blocks; the tables of {most:,} blocks at most fit into a recording"
        )
    bench = Bench(session, 0)
    work = bench.work(ladder.types(rung))
    if work.rotation.not_cold:
        return not_measured(work.rotation.not_cold)
    launches = train_length(work.rotation.copies)
    method |= {f"launches_in_train_{work.operands.label}": launches, **bench.numbers()}
    size = blocks * STAMP_BYTES
    stamps = device.alloc((KEPT + 1) * size)  # the launches that are not kept share the last place
    stamping = [work.launcher(built, [np.uint64(stamps + place * size)]) for place in range(KEPT + 1)]
    others, before = stamping[KEPT], (launches - KEPT) // 2

    def train() -> None:
        for i in range(launches):
            kept = before <= i < before + KEPT
            (stamping[i - before] if kept else others)(i)

    work.require_right(f"{rung.slug}.placement", others)
    lane = graph_lane(device, f"{rung.slug} cold", rung.slug, others, True, work.rotation.launches)
    stamped = Lane(f"{rung.slug} stamped", rung.slug, device.capture(train, launches).replay, launches)
    lanes = [each.check_against(work, others) for each in (lane, stamped)]
    time_lanes(session, lanes, session.samples(SAMPLES), first, last)
    if stamped.fault:
        return stamped.fault
    stamped.replay()
    found = device.download(stamps, (KEPT, blocks, 3), np.uint64).astype(np.int64)
    owns: Any = session.attempt(rung.slug, lambda: owned(session, rung))
    tables = []
    for sm, start, end in (launch.T for launch in found):
        ticks.extend(int(t) for t in np.concatenate([start, end]))
        zero = int(start.min())
        rows = np.column_stack([np.arange(blocks), sm, start - zero, end - zero]).ravel()
        tables.append(Table(columns=" ".join(COLUMNS), rows=numbers_block(rows, 0, len(COLUMNS))))
    return RungPlacement(condition="cold", instrumented=lane.timed(), launches=tables, owns=owns)


def owned(session: Session, rung: Rung) -> Owned | NotDeclared:
    """The region that each block owns, as the ladder declares it; a sentence where it does not."""
    ladder = session.the_ladder
    constants = ladder.constants(rung, "placement")
    if rung.owns is None:
        return NotDeclared(not_declared=f"the ladder does not declare what a block of {rung.slug} owns")
    blocks = blocks_of(rung.launch(ladder.problem, constants))
    regions = [owned_by(ladder, rung, block, ladder.problem, constants) for block in blocks]
    names = list(dict.fromkeys(region.operand for region in regions))
    if len(names) > 1:
        raise LadderError(f"blocks of {rung.slug} own parts of {' and '.join(names)}; they own parts of one operand")
    operand = ladder.operand(names[0])
    shape = operand.shape(ladder.problem)
    rows = [(n, *(edge for span in region.spans for edge in span)) for n, region in enumerate(regions)]
    columns = owned_columns(len(shape))
    table = Table(columns=" ".join(columns), rows=numbers_block(np.array(rows).ravel(), 0, len(columns)))
    return Owned(operand=operand.shown, shape=list(shape), regions=table)
