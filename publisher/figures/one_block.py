"""In which order does one block ask, wait and multiply? Three passes over K-slices, beside the loop that really ran.

The picture is authored from the order of the code; what each step lights is found in the recorded SASS by its opcodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from publisher.figures.kit.figure import DataTable, Evidence, Provenance, Step, SteppedFigure
from publisher.figures.kit.linked import Linked, linked
from publisher.figures.kit.options import RungName, SizeName
from publisher.figures.kit.style import (
    Trace,
    axis,
    base_layout,
    cells,
    fmt_count,
    hidden_axis,
    lacking,
    listed,
    merged,
    no_rung,
    reason,
    rerecord,
    value_of,
    words,
)
from sass import operands as op
from sass.explanations import family
from sass.listing import Instruction, is_dummy
from schema.results import Code

SLICES = 3
BUFFERS = 2
ROWS = ("Buffer 0", "Buffer 1", "Groups of copies asked for, not waited for", "Tensor cores")
QUEUE, CORES = 2, 3
CHANGED = (1, 2, 3)  # traces that a step changes: the present column, the cells, the barriers
ON_ITS_WAY, OWN_SHARE, THERE, FREE = "@q2", "@q4", "@load", "@surface"
LEGEND = -2.4  # its row
PITCH = 1.62  # of two rows of cells, in heights of a cell
BYTES = {"fp16": 2, "bf16": 2, "fp32": 4}
COPY, COMMIT, WAIT, BARRIER = ("LDGSTS",), ("LDGDEPBAR",), ("DEPBAR",), ("BAR",)
MULTIPLY, READ = ("HMMA",), ("LDS", "LDSM")
VERBS = {"request": "request", "wait": "wait", "barrier": "barrier", "multiply": "multiply", "done": "barrier"}


@dataclass(frozen=True)
class Event:
    """One thing that the block issues: its kind, the slice it is about, and the pass of the loop it belongs to."""

    kind: str
    slice: int
    turn: int  # -1: before the loop

    @property
    def slug(self) -> str:
        return f"{self.kind}_{self.slice}"


@dataclass(frozen=True)
class Block:
    """What the recording says of the block. ``slices`` is 0 where the problem's size was not recorded."""

    title: str
    code: Code
    linked: Linked
    element_bytes: int
    slices: int

    def constant(self, name: str) -> int:
        return self.code.constants.get(name, 0)

    @property
    def threads(self) -> int:
        x, y, z = self.code.block
        return x * y * z

    def found(self, *families: str) -> list[Instruction]:
        """The loop's instructions of these families, dummies left out."""
        return [i for i in self.linked.loop if family(i) in families and not is_dummy(i)]


def draw(evidence: Evidence, rung: RungName = "async_copy", inner: SizeName = "in_features") -> SteppedFigure:
    """``rung`` copies in the background into two buffers; ``inner`` is the summed dimension of the problem."""
    recording = evidence.need("code")
    block = _block(evidence, rung, inner)
    events = _events(block)
    steps = tuple(_step(block, events, place) for place in range(len(events)))
    return SteppedFigure(
        title=f"One block of {block.title}, in the order of issue",
        alt=(
            f"Four rows of {len(events)} cells, a column for each thing that the block issues: two buffers, the copies "
            "under way, and the tensor cores. In the first column slice 0 is on its way to buffer 0; the rest is empty."
        ),
        data=(*_base(events), *_labels(events)),
        layout=_layout(events),
        narrow=_narrow(events),
        sequences={"": steps},
        table=_table(block, events),
        provenance=(
            Provenance.recorded(recording),
            Provenance.authored("the picture, from the order of the code. The order of issue is not time."),
        ),
        rerecord=rerecord(evidence.subject, "code"),
        listings=block.linked.listings,
        topics=dict(block.linked.topics),
        height=420,
        narrow_height=460,
    )


# ---- what was recorded ---------------------------------------------------------------------------------------------


def _block(evidence: Evidence, rung: str, inner: str) -> Block:
    found = evidence.need("code").results.rungs
    if rung not in found:
        raise no_rung(evidence, rung, list(found))
    code = value_of(found[rung].code)
    if code is None:
        raise lacking(evidence, "code", f"there is no code of {rung}, {reason(found[rung].code)}", found[rung].code)
    sides = linked(code, evidence.sources, evidence.glossary, evidence.card.card.arch)
    if sides is None:
        raise lacking(evidence, "code", f"the SASS of {rung} has no loop")
    times = evidence.card.get(evidence.subject, "times")
    columns = times.results.problem.get(inner, 0) if times else 0
    per_range = columns // (code.constants.get("SPLIT") or 1)
    slices = per_range // code.constants["K_SLICE"] if code.constants.get("K_SLICE") else 0
    block = Block(found[rung].title, code, sides, BYTES.get(found[rung].dtype, 0), slices)
    for families in (COPY, COMMIT, WAIT, MULTIPLY, READ):
        if not block.found(*families):
            raise lacking(evidence, "code", f"the loop of {rung} has no {' or '.join(families)}")
    if len(block.found(*BARRIER)) < 2:
        raise lacking(evidence, "code", f"the loop of {rung} has no two barriers")
    return block


def _events(block: Block) -> list[Event]:
    passes = min(SLICES, block.slices) if block.slices else SLICES
    events = [Event("request", 0, -1)]
    for turn in range(passes):
        if not block.slices or turn + 1 < block.slices:
            events.append(Event("request", turn + 1, turn))
        events += [Event(kind, turn, turn) for kind in ("wait", "barrier", "multiply", "done")]
    return events


def _instructions(block: Block, event: Event) -> list[Instruction]:
    """The instructions that a step is made of."""
    if event.kind == "request" and event.turn < 0:
        return [i for i in block.linked.before if family(i) in (*COPY, *COMMIT)]
    barriers = block.found(*BARRIER)
    waits = block.found(*WAIT)
    after = [b for b in barriers if waits and b.offset > waits[0].offset] or barriers
    return {
        "request": block.found(*COPY, *COMMIT),
        "wait": waits,
        "barrier": after[:1],
        "multiply": block.found(*READ, *MULTIPLY),
        "done": [b for b in barriers if b is not after[0]],
    }[event.kind]


# ---- steps -----------------------------------------------------------------------------------------------------------


def _step(block: Block, events: list[Event], place: int) -> Step:
    event = events[place]
    shown = tuple(listing.slug for listing in block.linked.listings)
    lit = block.linked.lines_of(_instructions(block, event), in_loop=event.turn >= 0)
    title = f"{VERBS[event.kind].capitalize()}{'' if event.kind == 'done' else f' {event.slice}'}"
    if event.kind == "done":
        title = f"Barrier after {event.slice}"
    return Step(event.slug, title, _caption(block, event), _frame(events, place), CHANGED, {}, shown, lit)


def _frame(events: list[Event], place: int) -> tuple[Trace, ...]:
    """What was issued up to ``place``: its column, the cells that are not free, the barriers."""
    filled = [(row, column, *_cell(events, row, column)) for row in range(len(ROWS)) for column in range(place + 1)]
    filled = [one for one in filled if one[2] != FREE]
    barriers = [n for n, event in enumerate(events[: place + 1]) if event.kind in ("barrier", "done")]
    return (
        {"x": [place]},
        _placed([column for _, column, *_ in filled], [row for row, *_ in filled], 0.9)
        | {
            "marker": {"color": [color for *_, color, _, _ in filled]},
            "text": [text for *_, text, _ in filled],
            "textfont": {"color": [ink for *_, ink in filled]},
        },
        _placed([n + 0.49 for n in barriers for _ in ROWS], [row for _ in barriers for row in range(len(ROWS))], 1.02),
    )


def _placed(columns: list[Any], rows: list[int], height: float) -> Trace:
    return {"x": columns, "base": [round(row * PITCH - height / 2, 2) for row in rows], "y": [height] * len(rows)}


def _cell(events: list[Event], row: int, column: int) -> tuple[str, str, str]:
    """Colour, text and ink of a cell after the event of its column was issued."""
    event, past = events[column], events[: column + 1]
    free = (FREE, "", "@muted")
    if row == CORES:
        return ("@math", str(event.slice), "@paper") if event.kind == "multiply" else free
    done = {kind: {e.slice for e in past if e.kind == kind} for kind in VERBS}
    waiting = sorted(done["request"] - done["wait"])
    if row == QUEUE:
        return (ON_ITS_WAY, " ".join(map(str, waiting)), "@ink") if waiting else free
    held = next((s for s in done["request"] if s % BUFFERS == row and s not in done["done"]), None)
    if held is None:
        return free
    if held in done["barrier"]:
        return THERE, str(held), "@paper"
    return ON_ITS_WAY if held in waiting else OWN_SHARE, str(held), "@ink"


def _caption(block: Block, event: Event) -> str:
    s, buffer = event.slice, event.slice % BUFFERS
    said = f" {_counted(_instructions(block, event))}."
    if event.kind == "request":
        size = _slice_words(block)
        if event.turn < 0:
            return f"Before the loop the threads ask for slice 0{size}, into buffer 0, and go on at once.{said}"
        before = " That buffer is free: the barrier before saw to it." if s >= BUFFERS else ""
        also = f" Slice {s - 1} may still be on its way."
        return (
            f"The threads ask for slice {s}, to be copied into buffer {buffer}, and go on at once.{before}{also}{said}"
        )
    if event.kind == "wait":
        left = op.number(op.split(_instructions(block, event)[0].operands)[-1])
        until = (
            f"at most {fmt_count(left, 'group')} of its copies is under way"
            if left
            else "none of its copies is under way"
        )
        return (
            f"Each thread waits until {until}: its own share of slice {s} has landed. "
            f"Of the other threads' shares it knows nothing yet.{said}"
        )
    if event.kind == "barrier":
        return (
            f"All {block.threads} threads meet. Each has waited for its own share, so past this point all of slice {s} "
            f"is in buffer {buffer} and may be read.{said}"
        )
    if event.kind == "multiply":
        beside = f" Slice {s + 1} may travel meanwhile." if not block.slices or s + 1 < block.slices else ""
        return (
            f"Each of the {block.threads // 32} warps reads its cells of slice {s} from buffer {buffer} into registers "
            f"and multiplies them on the tensor cores.{beside}{said}"
        )
    rest = ""
    if s == SLICES - 1:
        many = f", {block.slices} passes in all" if block.slices else ""
        rest = f" So it goes on{many}. The order of issue is not time: how long each step takes is not shown here."
    return f"The threads meet again. Nobody reads buffer {buffer} any more, so it may be filled anew.{said}{rest}"


def _slice_words(block: Block) -> str:
    rows, batch, columns = (block.constant(name) for name in ("TILE_ROWS", "BATCH", "K_SLICE"))
    if not (rows and batch and columns and block.element_bytes):
        return ""
    size = (rows + batch) * columns * block.element_bytes
    return f", {columns} columns of {rows} rows of the weights and of {batch} rows of the input, {size:,} bytes in all"


def _counted(instructions: list[Instruction]) -> str:
    """How many instructions of which family make up the step: ``In SASS: 3 `LDGSTS` and 1 `LDGDEPBAR` ``."""
    counts: dict[str, int] = {}
    for i in instructions:
        counts[family(i)] = counts.get(family(i), 0) + 1
    return "In SASS: " + (listed([f"{n} `{name}`" for name, n in counts.items()]) if counts else "nothing of its own")


# ---- the drawing -----------------------------------------------------------------------------------------------------


def _base(events: list[Event]) -> list[Trace]:
    """A lane for each row, and the traces that steps fill."""
    middle, span = PITCH * (len(ROWS) - 1) / 2, PITCH * (len(ROWS) - 1) + 2.05
    lanes = [row * PITCH for row in range(len(ROWS))]
    wide = len(events) - 0.1
    empty = (
        cells([], [middle - 0.22], "@grid", 1.0, span, hoverinfo="skip"),
        cells([], [], [], 0.9, hoverinfo="skip", textfont={"size": 12}),
        cells([], [], "@barrier", 0.09, hoverinfo="skip"),
    )
    behind = cells([(len(events) - 1) / 2] * len(lanes), lanes, FREE, wide, 0.9, hoverinfo="skip")
    return [behind, *map(merged, empty, _frame(events, 0))]


def _labels(events: list[Event]) -> list[Trace]:
    """Names of rows and passes, and what the three blues and the upright lines mean."""
    rows = [(-0.47, row * PITCH - 0.73, name) for row, name in enumerate(ROWS)]
    turns = sorted({event.turn for event in events if event.turn >= 0})
    heads = [(_middle(events, turn), -1.5, f"<b>pass {turn}</b>") for turn in turns]
    told = ((ON_ITS_WAY, "on its way"), (OWN_SHARE, "own share here"), (THERE, "all here"), ("@barrier", "barrier"))
    starts = [part * len(events) for part in (0, 0.26, 0.6, 0.82)]
    return [
        words(*zip(*rows, strict=True), color="@muted", textposition="middle right", textfont={"size": 12}),
        words(*zip(*heads, strict=True), textfont={"size": 12}),
        cells(
            [s - 0.2 for s in starts], [LEGEND] * len(told), [color for color, _ in told], 0.55, 0.35, hoverinfo="skip"
        )
        | {"width": [0.55] * (len(told) - 1) + [0.12]},
        words(
            [s + 0.25 for s in starts], [LEGEND] * len(told), [text for _, text in told], textposition="middle right"
        ),
    ]


def _middle(events: list[Event], turn: int) -> float:
    places = [place for place, event in enumerate(events) if event.turn == turn]
    return sum(places) / len(places)


def _layout(events: list[Event]) -> dict[str, Any]:
    bottom = PITCH * (len(ROWS) - 1) + 0.62
    starts = [p for p, event in enumerate(events) if p and event.turn != events[p - 1].turn]
    return base_layout(
        margin={"l": 4, "r": 4, "t": 2, "b": 4},
        xaxis=axis(
            range=[-0.55, len(events) - 0.4],
            tickvals=list(range(len(events))),
            ticktext=[f"{VERBS[e.kind]}<br>{e.slice}" if e.kind != "done" else "barrier" for e in events],
            showgrid=False,
            tickangle=0,
            tickfont={"size": 11},
        ),
        yaxis=hidden_axis(range=[bottom, -2.75]),
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


def _narrow(events: list[Event]) -> dict[str, Any]:
    names = [VERBS[e.kind] + ("" if e.kind == "done" else f" {e.slice}") for e in events]
    return {"xaxis": {"ticktext": names, "tickangle": -90}}


def _table(block: Block, events: list[Event]) -> DataTable:
    rows = []
    for place, event in enumerate(events):
        buffers = [_cell(events, row, place) for row in range(BUFFERS)]
        state = {FREE: "free", ON_ITS_WAY: "on its way", OWN_SHARE: "own share landed", THERE: "there"}
        told = [f"{state[color]}{f', slice {text}' if text else ''}" for color, text, _ in buffers]
        turn = "before the loop" if event.turn < 0 else f"pass {event.turn}"
        counted = _counted(_instructions(block, event)).removeprefix("In SASS: ").replace("`", "")
        rows.append((str(place + 1), turn, VERBS[event.kind], str(event.slice), *told, counted))
    columns = ("order", "where", "what", "slice", "buffer 0 after it", "buffer 1 after it", "in SASS")
    return DataTable(columns, tuple(rows), (0, 3), "What the block issues, in order. Order is not time.")
