"""Which SM ran which part of an operand? The operand with the parts that blocks own beside the SMs, a block a step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from publisher.figures.kit.figure import DataTable, Evidence, Provenance, Step, SteppedFigure
from publisher.figures.kit.options import LaunchNumber, RungName
from publisher.figures.kit.parts import Box, Parts, parts_of
from publisher.figures.kit.placed import Launch, depth, placed_rungs
from publisher.figures.kit.rows import safe
from publisher.figures.kit.style import (
    base_layout,
    cells,
    fmt_count,
    fmt_time,
    hidden_axis,
    lacking,
    rerecord,
    sm_grid,
    told,
    words,
)
from publisher.figures.kit.what_if import what_if

MOST_STEPS = 64  # with more blocks than that, a step places several …
GROUPS = 16  # … in so many steps
MOST_WIRES = 16
LEFT = 5.0  # room for the operand, in columns of the SM grid
STRIP = 1.0  # of it for an operand of one dimension
GUTTER = 1.6
CHANGES = ("x", "y", "base", "width", "text")  # of a trace that a step lays over the picture
NOTHING, DONE, NOW = "@surface", "@q4", "@accent"


@dataclass(frozen=True)
class Scheme:
    """Where everything stands, in columns and rows of the SM grid: the operand to the left, row 0 on top."""

    launch: Launch
    parts: Parts
    columns: int
    rows: int
    spots: list[tuple[int, int]]

    @property
    def width(self) -> float:
        """Of the operand."""
        return LEFT if len(self.parts.shape) > 1 else STRIP

    def box_at(self, box: Box) -> tuple[float, float, float, float]:
        """Left, right, top and bottom of a part of the operand."""
        rows, columns = self.parts.size
        across, down = self.width / columns, self.rows / rows
        left, right, top, bottom = box
        return left * across, right * across, top * down - 0.5, bottom * down - 0.5

    def sm_at(self, sm: int) -> tuple[float, float]:
        column, row = self.spots[sm]
        return LEFT + GUTTER + column + 0.5, float(row)


def draw(evidence: Evidence, rung: RungName = "", launch: LaunchNumber = "1") -> SteppedFigure:
    """``rung``, by default the first of the placement recording, and ``launch`` (from 1) choose what is shown."""
    recording, (placed, *_), _ = placed_rungs(evidence, [rung] if rung else [])
    number = int(launch) if launch.isdigit() else 0
    if not 1 <= number <= len(placed.launches):
        what = f"{placed.rung.slug} has {len(placed.launches)} recorded launches, and no launch {launch}"
        raise lacking(evidence, "placement", what)
    shown = placed.launches[number - 1]
    parts = parts_of(evidence, placed, shown)
    scheme = Scheme(shown, parts, *sm_grid(shown.sms))
    groups = _groups(shown.blocks)
    steps = tuple(_step(scheme, groups, place) for place in range(len(groups)))
    title = f"{placed.rung.number} {placed.rung.title}"
    return SteppedFigure(
        title=f"Tiles, blocks and SMs: {title}",
        alt=(
            f"To the left {parts.operand} with the {fmt_count(parts.distinct, 'part')} of it that blocks own, to the "
            f"right the {fmt_count(shown.sms, 'SM')} of the card as a grid. {told(steps[0])}"
        ),
        data=tuple(_data(scheme)),
        layout=base_layout(
            margin={"l": 4, "r": 4, "t": 4, "b": 4},
            xaxis=hidden_axis(range=[-0.1, LEFT + GUTTER + scheme.columns + 0.1]),
            yaxis=hidden_axis(range=[scheme.rows - 0.4, -1.5]),
            hovermode="closest",
        ),
        sequences={"": (*steps, _all(scheme))},
        table=_table(scheme, number),
        provenance=(
            Provenance.recorded(recording),
            Provenance.authored(
                f"the drawing of the card and of {parts.operand}. The grid of SMs is in the order of their numbers, "
                f"not as on the die, and {parts.operand} is not to scale."
            ),
        ),
        rerecord=rerecord(evidence.subject, "placement"),
        height=460,
        narrow_height=380,
        **what_if([(placed, shown)]),
    )


def _groups(blocks: int) -> list[range]:
    size = -(-blocks // GROUPS) if blocks > MOST_STEPS else 1
    return [range(first, min(first + size, blocks)) for first in range(0, blocks, size)]


# ---- the picture ---------------------------------------------------------------------------------------------------


def _data(scheme: Scheme) -> list[dict[str, Any]]:
    """The operand and the card at rest, then what a step lays over them (see ``_state``), then words and an outline."""
    parts = scheme.parts
    sms = [scheme.sm_at(sm) for sm in range(scheme.launch.sms)]
    inside = "and their block" if _few(scheme) else "and how many blocks"
    heads = [
        f"{safe(parts.operand)}: {fmt_count(parts.distinct, 'part')}",
        f"{fmt_count(scheme.launch.sms, 'SM')} {inside}",
    ]
    return [
        _tiles(scheme, parts.boxes, NOTHING)
        | {"hovertext": [f"Block {b} owns {safe(parts.words(b))}" for b in range(scheme.launch.blocks)]},
        _sms_cells(sms, NOTHING) | {"hovertext": [_ran(scheme, sm) for sm in range(scheme.launch.sms)]},
        _tiles(scheme, [], DONE) | {"hoverinfo": "skip"},
        _tiles(scheme, [], NOW) | {"hoverinfo": "skip"},
        _sms_cells([], DONE) | {"hoverinfo": "skip", "textfont": {"size": 11, "color": "@ink"}},
        _sms_cells([], NOW) | {"hoverinfo": "skip", "textfont": {"size": 11, "color": "@paper"}},
        _line([], [], NOW, 1.5),
        words([0, LEFT + GUTTER], [-0.95, -0.95], heads, "@muted", textposition="middle right"),
        _outline(scheme),
    ]


def _line(x: list[float], y: list[float], color: str, width: float) -> dict[str, Any]:
    line = {"color": color, "width": width}
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "line": line, "hoverinfo": "skip"}


def _outline(scheme: Scheme) -> dict[str, Any]:
    """The whole operand, for blocks need not own all of it."""
    right, top, bottom = scheme.width, -0.5, scheme.rows - 0.5
    return _line([0, right, right, 0, 0], [top, top, bottom, bottom, top], "@grid", 1)


def _tiles(scheme: Scheme, boxes: Sequence[Box], color: str) -> dict[str, Any]:
    """A rectangle for each part of the operand, less a gap that sets it off from the next."""
    places = [scheme.box_at(box) for box in boxes]
    widths = [round(right - left - min(0.05, (right - left) / 6), 3) for left, right, _, _ in places]
    trace = cells([round((left + right) / 2, 3) for left, right, _, _ in places], [0.0] * len(places), color)
    return trace | {
        "width": widths[0] if len(set(widths)) == 1 else widths,
        "base": [round(top, 3) for _, _, top, _ in places],
        "y": [round(bottom - top - min(0.05, (bottom - top) / 6), 3) for _, _, top, bottom in places],
    }


def _sms_cells(places: Sequence[tuple[float, float]], color: str) -> dict[str, Any]:
    return cells([round(x, 3) for x, _ in places], [y for _, y in places], color)


def _few(scheme: Scheme) -> bool:
    """May an SM show the number of its block, for it has one at most?"""
    return int(scheme.launch.per_sm.max()) <= 1


def _boxes(scheme: Scheme, blocks: range) -> list[Box]:
    """The parts of ``blocks``, one by one where they can be told apart."""
    parts = scheme.parts
    return [parts.boxes[b] for b in blocks] if scheme.launch.blocks <= MOST_STEPS else parts.joined(blocks)


def _state(scheme: Scheme, now: range) -> tuple[tuple[dict[str, Any], ...], tuple[int, ...]]:
    """Overrides of traces 2 to 6 when the blocks ``now`` get their SMs; those before them have theirs."""
    launch = scheme.launch
    counts = np.bincount(launch.sm[: now.stop], minlength=launch.sms)
    lit = sorted({int(sm) for sm in launch.sm[now.start : now.stop]})
    done = [sm for sm in range(launch.sms) if counts[sm] and sm not in lit]
    text = {sm: str(counts[sm]) for sm in (*done, *lit)}
    if _few(scheme):
        text = {int(sm): str(block) for block, sm in enumerate(launch.sm[: now.stop])}
    xs, ys = _wires(scheme, now)
    overrides = [
        _tiles(scheme, _boxes(scheme, range(now.start)), DONE),
        _tiles(scheme, _boxes(scheme, now), NOW),
        _sms_cells([scheme.sm_at(sm) for sm in done], "") | {"text": [text[sm] for sm in done]},
        _sms_cells([scheme.sm_at(sm) for sm in lit], "") | {"text": [text[sm] for sm in lit]},
        {"x": xs, "y": ys},
    ]
    kept = [{key: value for key, value in o.items() if key in CHANGES} for o in overrides]
    if not _few(scheme):
        kept[2] |= {"marker": {"color": [depth(int(counts[sm]))[0] for sm in done]}}
        kept[2] |= {"textfont": {"color": [depth(int(counts[sm]))[1] for sm in done]}}
    return tuple(kept), tuple(range(2, 7))


def _wires(scheme: Scheme, now: range) -> tuple[list[float | None], list[float | None]]:
    """A line from each new block's part to its SM, while few enough to be followed."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    for block in now if len(now) <= MOST_WIRES else ():
        _, right, top, bottom = scheme.box_at(scheme.parts.boxes[block])
        x, y = scheme.sm_at(int(scheme.launch.sm[block]))
        middle = round((top + bottom) / 2, 3)
        xs += [round(right, 3), round(LEFT + GUTTER / 3, 3), round(x - 0.44, 3), None]
        ys += [middle, middle, y, None]
    return xs, ys


# ---- the steps -----------------------------------------------------------------------------------------------------


def _step(scheme: Scheme, groups: Sequence[range], place: int) -> Step:
    now, launch = groups[place], scheme.launch
    data, traces = _state(scheme, now)
    if len(now) == 1:
        block = now[0]
        late = float(launch.start_us[block])
        when = f"started {fmt_time(late)} after the first" if late else "started with the first"
        caption = f"It owns {scheme.parts.words(block)}. Recorded: it ran on SM {launch.sm[block]} and {when}."
        return Step(f"block_{block}", f"Block {block}", caption, data, traces)
    here = [int(sm) for sm in launch.sm[now.start : now.stop]]
    caption = (
        f"Recorded: they ran on {_sms(sorted(set(here)))}. "
        f"So far {fmt_count(now.stop, 'block')} have {fmt_count(len(set(launch.sm[: now.stop].tolist())), 'SM')}."
    )
    return Step(f"blocks_{now.start}", f"Blocks {now.start} to {now.stop - 1}", caption, data, traces)


def _all(scheme: Scheme) -> Step:
    launch = scheme.launch
    data, traces = _state(scheme, range(launch.blocks, launch.blocks))
    caption = f"Recorded: {launch.spread_text}. {_neighbours(scheme)}"
    return Step("all", "All blocks", caption, data, traces)


# ---- words ---------------------------------------------------------------------------------------------------------


def _neighbours(scheme: Scheme) -> str:
    """How many neighbours in the operand ran on SMs with neighbouring numbers: recorded, and often a surprise."""
    parts, sm = scheme.parts, scheme.launch.sm
    pairs = [(b, b + 1) for b in range(scheme.launch.blocks - 1) if parts.touch(b, b + 1)]
    if not pairs:
        return f"No two blocks with neighbouring numbers own parts of {parts.operand} that touch."
    near = sum(abs(int(sm[a]) - int(sm[b])) == 1 for a, b in pairs)
    what = f"of blocks with neighbouring numbers whose parts of {parts.operand} touch"
    return f"Of {fmt_count(len(pairs), 'pair')} {what}, {near or 'none'} ran on SMs of neighbouring numbers."


def _ran(scheme: Scheme, sm: int) -> str:
    here = [str(block) for block in scheme.launch.block[scheme.launch.sm == sm]]
    if not here:
        return f"SM {sm}: no block"
    return f"SM {sm}: {'block' if len(here) == 1 else 'blocks'} {', '.join(here)}"


def _sms(numbers: Sequence[int]) -> str:
    shown = ", ".join(map(str, numbers[:8]))
    return f"SM {shown}" if len(numbers) == 1 else f"SMs {shown}{' and others' if len(numbers) > 8 else ''}"


def _table(scheme: Scheme, number: int) -> DataTable:
    launch = scheme.launch
    rows = [
        (str(block), scheme.parts.words(block), str(launch.sm[block]),
         f"{launch.start_us[block]:.3f}", f"{launch.end_us[block]:.3f}")
        for block in range(launch.blocks)
    ]  # fmt: skip
    return DataTable(
        ("block", "owns", "SM", "start µs", "end µs"),
        tuple(rows),
        (0, 2, 3, 4),
        f"Launch {number}, by the instrumented form of the kernel; times since its first block started.",
    )
