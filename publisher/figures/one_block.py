"""In which order does one block ask, wait and multiply? Passes of its declared loop, beside the code that really ran.

The picture plays the loop over slices as the ladder declares it; what each step lights is found in the recorded SASS.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from publisher.figures.kit.block import Block, read_block
from publisher.figures.kit.block_words import caption, counted, name, verb
from publisher.figures.kit.figure import DataTable, Evidence, Provenance, Step, SteppedFigure
from publisher.figures.kit.options import RungName
from publisher.figures.kit.pipeline import ON_ITS_WAY, OWN_SHARE, THERE, Stages
from publisher.figures.kit.style import (
    Trace,
    axis,
    base_layout,
    cells,
    hidden_axis,
    merged,
    rerecord,
    words,
)

COLORS = {ON_ITS_WAY: "@q2", OWN_SHARE: "@q4", THERE: "@load"}
INKS = {ON_ITS_WAY: "@ink", OWN_SHARE: "@ink", THERE: "@paper"}
FREE = "@surface"
# Of the legend: colour, words, width of the mark in columns, and of the whole entry in parts of the picture.
TOLD = {
    ON_ITS_WAY: (COLORS[ON_ITS_WAY], "on its way", 0.55, 0.26),
    OWN_SHARE: (COLORS[OWN_SHARE], "own share here", 0.55, 0.34),
    THERE: (COLORS[THERE], "all here", 0.55, 0.22),
}
MEETING = ("@barrier", "barrier", 0.12, 0.0)
HEADS, LEGEND, TOP = -1.5, -2.4, -2.75  # their rows, and where the picture begins
PITCH = 1.62  # of two rows of cells, in heights of a cell
PX = 50  # of a row of height 1
USUAL = 16  # columns that the marks of the legend are made for, and that have room for level names
LEAST = 6  # columns that a picture has room for


@dataclass(frozen=True)
class Row:
    """A lane: a buffer by its number (-1 for registers), the copies under way, or the unit."""

    kind: str  # buffer, queue, unit
    name: str
    buffer: int = -1


def draw(evidence: Evidence, rung: RungName = "") -> SteppedFigure:
    """``rung`` is the one whose block is shown; without it, the first whose loop over slices is declared."""
    recording = evidence.need("code")
    block = read_block(evidence, rung)
    rows = _rows(block)
    steps = tuple(_step(block, rows, place) for place in range(len(block.events)))
    height = round(PX * (_bottom(rows) - TOP)) + 6
    return SteppedFigure(
        title=f"One block of {block.title}, in the order of issue",
        alt=(
            f"Rows of {len(block.events)} cells, a column for each thing that the block issues, and in them numbers of "
            f"slices. The rows are {'; '.join(row.name for row in rows)}. First: {steps[0].caption}"
        ),
        data=(*_base(block, rows), *_labels(block, rows)),
        layout=_layout(block, rows),
        narrow={"xaxis": {"ticktext": _ticks(block, " "), "tickangle": -90}},
        sequences={"": steps},
        table=_table(block, rows),
        provenance=(
            Provenance.recorded(recording),
            Provenance.authored("the picture, from the loop that the ladder declares. The order of issue is not time."),
        ),
        rerecord=rerecord(evidence.subject, "code"),
        listings=block.linked.listings,
        topics=dict(block.linked.topics),
        height=height,
        narrow_height=height + 40,
    )


def _rows(block: Block) -> list[Row]:
    """A row a buffer, as many as are played with, or one for registers; then what is under way, and the unit."""
    kinds = {event.kind for event in block.events}
    most = max(event.slice for event in block.events) + 1
    buffers = [Row("buffer", f"Buffer {n}", n) for n in range(min(block.pipeline.buffers, most))]
    rows = buffers or [Row("buffer", "Registers")]
    if "request" in kinds:
        rows.append(Row("queue", "Slices asked for, not waited for"))
    if "multiply" in kinds:
        title = block.unit.title if block.unit else "arithmetic"
        rows.append(Row("unit", title[0].upper() + title[1:]))
    return rows


# ---- steps -----------------------------------------------------------------------------------------------------------


def _step(block: Block, rows: Sequence[Row], place: int) -> Step:
    event = block.events[place]
    shown = tuple(listing.slug for listing in block.linked.listings)
    lit = block.linked.lines_of(block.instructions(event), in_loop=event.turn >= 0)
    frame = _frame(block, rows, place)
    changed = tuple(range(1, 1 + len(frame)))
    return Step(event.slug, name(block, event), caption(block, place), frame, changed, {}, shown, lit)


def _frame(block: Block, rows: Sequence[Row], place: int) -> tuple[Trace, ...]:
    """What was issued up to ``place``: its column, the cells that are not free, and the barriers if there are any."""
    filled = [
        (row, n, *cell) for row in range(len(rows)) for n in range(place + 1) if (cell := _cell(block, rows[row], n))
    ]
    barriers = [n for n in _meetings(block) if n <= place]
    cells_ = _placed([n for _, n, *_ in filled], [row for row, *_ in filled], 0.9) | {
        "marker": {"color": [color for *_, color, _, _ in filled]},
        "text": [text for *_, text, _ in filled],
        "textfont": {"color": [ink for *_, ink in filled]},
    }
    lines = _placed(
        [n + 0.49 for n in barriers for _ in rows], [row for _ in barriers for row in range(len(rows))], 1.02
    )
    return ({"x": [place]}, cells_, *([lines] if _meetings(block) else []))


def _meetings(block: Block) -> list[int]:
    """Columns in which the block's threads meet."""
    return [n for n, event in enumerate(block.events) if event.kind in ("barrier", "release") and block.meets(event)]


def _placed(columns: list[Any], rows: list[int], height: float) -> Trace:
    return {"x": columns, "base": [round(row * PITCH - height / 2, 2) for row in rows], "y": [height] * len(rows)}


def _cell(block: Block, row: Row, place: int) -> tuple[str, str, str] | None:
    """Colour, text and ink of a cell after the event of its column was issued; None where it is free."""
    event, stages = block.events[place], block.stages[place]
    if row.kind == "unit":
        return ("@math", str(event.slice), "@paper") if event.kind == "multiply" else None
    held = _held(block, row, stages)
    if not held:
        return None
    stage = min((stages[number] for number in held), key=list(COLORS).index)
    return COLORS[stage], " ".join(map(str, held)), INKS[stage]


def _held(block: Block, row: Row, stages: Stages) -> list[int]:
    """The slices of a row: those under way, or those that have their place in this buffer, or in registers."""
    if row.kind == "queue":
        return sorted(number for number, stage in stages.items() if stage == ON_ITS_WAY)
    return sorted(number for number in stages if row.buffer < 0 or number % block.pipeline.buffers == row.buffer)


# ---- the drawing -----------------------------------------------------------------------------------------------------


def _bottom(rows: Sequence[Row]) -> float:
    return PITCH * (len(rows) - 1) + 0.62


def _room(block: Block) -> int:
    """Columns of the picture, used or not."""
    return max(len(block.events), LEAST)


def _base(block: Block, rows: Sequence[Row]) -> list[Trace]:
    """A lane for each row, and the traces that steps fill."""
    middle, span = PITCH * (len(rows) - 1) / 2, PITCH * (len(rows) - 1) + 2.05
    lanes = [row * PITCH for row in range(len(rows))]
    count = len(block.events)
    first = _frame(block, rows, 0)
    empty = (
        cells([], [middle - 0.22], "@grid", 1.0, span, hoverinfo="skip"),
        cells([], [], [], 0.9, hoverinfo="skip", textfont={"size": 12}),
        cells([], [], "@barrier", 0.09 * _room(block) / USUAL, hoverinfo="skip"),
    )[: len(first)]
    behind = cells([(count - 1) / 2] * len(lanes), lanes, FREE, count - 0.1, 0.9, hoverinfo="skip")
    return [behind, *map(merged, empty, first)]


def _labels(block: Block, rows: Sequence[Row]) -> list[Trace]:
    """Names of rows and passes, and what the blues and the upright lines mean, as far as they are in the picture."""
    events, room = block.events, _room(block)
    unit = room / USUAL
    lanes = [(-0.47, row * PITCH - 0.73, one.name) for row, one in enumerate(rows)]
    turns = sorted({event.turn for event in events if event.turn >= 0})
    heads = [(_middle(block, turn), HEADS, f"<b>pass {turn}</b>") for turn in turns]
    seen = {stage for stages in block.stages for stage in stages.values()}
    told = [entry for stage, entry in TOLD.items() if stage in seen] + ([MEETING] if _meetings(block) else [])
    starts = [-0.47 + room * sum(share for *_, share in told[:n]) for n in range(len(told))]
    at = [LEGEND] * len(told)
    return [
        words(*zip(*lanes, strict=True), color="@muted", textposition="middle right", textfont={"size": 12}),
        words(*zip(*heads, strict=True), textfont={"size": 12}),
        cells([s + 0.275 * unit for s in starts], at, [color for color, *_ in told], 0.55, 0.35, hoverinfo="skip")
        | {"width": [width * unit for _, _, width, _ in told]},
        words([s + 0.72 * unit for s in starts], at, [text for _, text, *_ in told], textposition="middle right"),
    ]


def _middle(block: Block, turn: int) -> float:
    places = [place for place, event in enumerate(block.events) if event.turn == turn]
    return sum(places) / len(places)


def _ticks(block: Block, between: str) -> list[str]:
    return [
        word
        if (word := verb(block, event)) == "barrier" and event.kind == "release"
        else f"{word}{between}{event.slice}"
        for event in block.events
    ]


def _layout(block: Block, rows: Sequence[Row]) -> dict[str, Any]:
    events = block.events
    starts = [p for p, event in enumerate(events) if p and event.turn != events[p - 1].turn]
    return base_layout(
        margin={"l": 4, "r": 4, "t": 2, "b": 4},
        xaxis=axis(
            range=[-0.55, _room(block) - 0.4],
            tickvals=list(range(len(events))),
            ticktext=_ticks(block, "<br>" if len(events) <= USUAL else " "),
            showgrid=False,
            tickangle=0 if len(events) <= USUAL else -90,
            tickfont={"size": 11},
        ),
        yaxis=hidden_axis(range=[_bottom(rows), TOP]),
        shapes=[
            {
                "type": "line",
                "x0": start - 0.5,
                "x1": start - 0.5,
                "y0": -1.75,
                "y1": -1.2,
                "line": {"color": "@muted", "width": 1},
                "layer": "below",
            }
            for start in starts
        ],
    )


def _table(block: Block, rows: Sequence[Row]) -> DataTable:
    buffers = [row for row in rows if row.kind == "buffer"]
    found = []
    for place, event in enumerate(block.events):
        stages = block.stages[place]
        held = [[f"{stages[n]}, slice {n}" for n in _held(block, row, stages)] for row in buffers]
        turn = "before the loop" if event.turn < 0 else f"pass {event.turn}"
        done = counted(block, event).removeprefix("In SASS: ").replace("`", "")
        told = ["; ".join(one) or "free" for one in held]
        found.append((str(place + 1), turn, verb(block, event), str(event.slice), *told, done))
    names = [f"{row.name.lower()} after it" for row in buffers]
    columns = ("order", "where", "what", "slice", *names, "in SASS")
    return DataTable(columns, tuple(found), (0, 3), "What the block issues, in order. Order is not time.")
