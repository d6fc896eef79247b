"""Which SM ran which tile of a matrix? The matrix cut in tiles beside the SMs of the card, a block a step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from publisher.facts.commands import to_record
from publisher.facts.units import grouped
from publisher.figures.kit.figure import DataTable, Evidence, Missing, Provenance, Step, SteppedFigure
from publisher.figures.kit.options import ConstantName, LaunchNumber, RungName
from publisher.figures.kit.placed import Launch, Placed, depth, placed_rungs
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
LEFT = 5.0  # width of the matrix in columns of the SM grid
GUTTER = 1.6
NOTHING, DONE, NOW = "@surface", "@q4", "@accent"


@dataclass(frozen=True)
class Scheme:
    """Where everything stands, in columns and rows of the SM grid: the matrix to the left, row 0 on top."""

    launch: Launch
    grid: tuple[int, int, int]
    rows_per_tile: int  # 0 when the kernel's constants do not tell
    columns: int
    rows: int
    spots: list[tuple[int, int]]

    @property
    def tiles(self) -> int:
        return self.grid[0]

    @property
    def ranges(self) -> int:
        """Blocks that share a tile: the grid's y and z."""
        return self.grid[1] * self.grid[2]

    def tile_at(self, block: int) -> tuple[float, float]:
        """Middle of the rectangle of W that a block owns; blocks count in x, then y, then z."""
        height, width = self.rows / self.tiles, LEFT / self.ranges
        return (block // self.tiles + 0.5) * width, (block % self.tiles + 0.5) * height - 0.5

    def sm_at(self, sm: int) -> tuple[float, float]:
        column, row = self.spots[sm]
        return LEFT + GUTTER + column + 0.5, float(row)


def draw(
    evidence: Evidence,
    rung: RungName = "async_copy",
    launch: LaunchNumber = "1",
    tile: ConstantName = "TILE_ROWS",
    matrix: str = "W",
) -> SteppedFigure:
    """``rung`` and ``launch`` (from 1) choose the recording, ``tile`` names the constant that holds a tile's rows."""
    recording, (placed, *_), _ = placed_rungs(evidence, [rung])
    number = int(launch) if launch.isdigit() else 0
    if not 1 <= number <= len(placed.launches):
        raise lacking(
            evidence, "placement", f"{rung} has {len(placed.launches)} recorded launches, and no launch {launch}"
        )
    scheme = _scheme(evidence, placed, number, tile)
    groups = _groups(scheme.launch.blocks)
    steps = tuple(_step(scheme, groups, place, matrix) for place in range(len(groups)))
    title = f"{placed.rung.number} {placed.rung.title}"
    return SteppedFigure(
        title=f"Tiles, blocks and SMs: {title}",
        alt=(
            f"To the left {matrix} cut in {fmt_count(scheme.tiles, 'tile')}, to the right the "
            f"{fmt_count(scheme.launch.sms, 'SM')} of the card as a grid. {told(steps[0])}"
        ),
        data=tuple(_data(scheme, matrix)),
        layout=base_layout(
            margin={"l": 4, "r": 4, "t": 4, "b": 4},
            xaxis=hidden_axis(range=[-0.1, LEFT + GUTTER + scheme.columns + 0.1]),
            yaxis=hidden_axis(range=[scheme.rows - 0.4, -1.5]),
            hovermode="closest",
        ),
        sequences={"": (*steps, _all(scheme, matrix))},
        table=_table(scheme, matrix, number),
        provenance=(
            Provenance.recorded(recording),
            Provenance.authored(
                "the drawing of the card. The grid of SMs is in the order of their numbers, not as on the die."
            ),
        ),
        rerecord=rerecord(evidence.subject, "placement"),
        height=460,
        narrow_height=380,
        **what_if([(placed, scheme.launch)], tile, matrix),
    )


def _scheme(evidence: Evidence, placed: Placed, number: int, tile: str) -> Scheme:
    launch = placed.launches[number - 1]
    code = placed.rung.code
    x, y, z = (*(code.grid if code else [launch.blocks]), 1, 1)[:3]
    if x * y * z != launch.blocks:
        raise Missing(
            f"{evidence.card.card.name}: {placed.rung.slug} was compiled for another grid than the {launch.blocks} "
            "recorded blocks",
            to_record(evidence.card, evidence.subject, "placement")[1],
        )
    columns, rows, spots = sm_grid(launch.sms)
    return Scheme(launch, (x, y, z), code.constants.get(tile, 0) if code else 0, columns, rows, spots)


def _groups(blocks: int) -> list[range]:
    size = -(-blocks // GROUPS) if blocks > MOST_STEPS else 1
    return [range(first, min(first + size, blocks)) for first in range(0, blocks, size)]


# ---- the picture ---------------------------------------------------------------------------------------------------


def _data(scheme: Scheme, matrix: str) -> list[dict[str, Any]]:
    """The matrix and the card at rest, then what a step lays over them (see ``_state``)."""
    blocks = range(scheme.launch.blocks)
    sms = [scheme.sm_at(sm) for sm in range(scheme.launch.sms)]
    inside = "and their block" if _few(scheme) else "and how many blocks"
    parts = f" x {scheme.ranges} parts" if scheme.ranges > 1 else ""
    heads = [f"{matrix}: {fmt_count(scheme.tiles, 'tile')}{parts}", f"{fmt_count(scheme.launch.sms, 'SM')} {inside}"]
    return [
        _tiles(scheme, [range(b, b + 1) for b in blocks], NOTHING)
        | {"hovertext": [_owns(scheme, b, matrix) for b in blocks]},
        _sms_cells(sms, NOTHING) | {"hovertext": [_ran(scheme, sm) for sm in range(scheme.launch.sms)]},
        _tiles(scheme, [], DONE) | {"hoverinfo": "skip"},
        _tiles(scheme, [], NOW) | {"hoverinfo": "skip"},
        _sms_cells([], DONE) | {"hoverinfo": "skip", "textfont": {"size": 11, "color": "@ink"}},
        _sms_cells([], NOW) | {"hoverinfo": "skip", "textfont": {"size": 11, "color": "@paper"}},
        {
            "type": "scatter",
            "mode": "lines",
            "x": [],
            "y": [],
            "line": {"color": NOW, "width": 1.5},
            "hoverinfo": "skip",
        },
        words([0, LEFT + GUTTER], [-0.95, -0.95], heads, "@muted", textposition="middle right"),
    ]


def _tiles(scheme: Scheme, runs: Sequence[range], color: str) -> dict[str, Any]:
    """A rectangle for each run of blocks that lie in one column of the matrix."""
    each = scheme.rows / scheme.tiles
    gap = min(0.05, each / 6)
    places = [(scheme.tile_at(run.start), scheme.tile_at(run.stop - 1)) for run in runs]
    trace = cells(
        [round(x, 3) for (x, _), _ in places], [0.0] * len(places), color, round(LEFT / scheme.ranges - 0.05, 3)
    )
    return trace | {
        "base": [round(first - each / 2, 3) for (_, first), _ in places],
        "y": [round(last - first + each - gap, 3) for (_, first), (_, last) in places],
    }


def _sms_cells(places: Sequence[tuple[float, float]], color: str) -> dict[str, Any]:
    return cells([round(x, 3) for x, _ in places], [y for _, y in places], color)


def _few(scheme: Scheme) -> bool:
    """May an SM show the number of its block, for it has one at most?"""
    return int(scheme.launch.per_sm.max()) <= 1


def _runs(scheme: Scheme, blocks: range) -> list[range]:
    """``blocks`` one by one where they can be told apart, else a run for each column that they reach into."""
    if scheme.launch.blocks <= MOST_STEPS:
        return [range(block, block + 1) for block in blocks]
    cuts = [b for b in range(0, scheme.launch.blocks + 1, scheme.tiles) if blocks.start < b < blocks.stop]
    edges = [blocks.start, *cuts, blocks.stop]
    return [range(a, b) for a, b in zip(edges, edges[1:], strict=False) if a < b]


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
        _tiles(scheme, _runs(scheme, range(now.start)), DONE),
        _tiles(scheme, _runs(scheme, now), NOW),
        _sms_cells([scheme.sm_at(sm) for sm in done], "") | {"text": [text[sm] for sm in done]},
        _sms_cells([scheme.sm_at(sm) for sm in lit], "") | {"text": [text[sm] for sm in lit]},
        {"x": xs, "y": ys},
    ]
    kept = [{key: value for key, value in o.items() if key in ("x", "y", "base", "text")} for o in overrides]
    if not _few(scheme):
        kept[2] |= {"marker": {"color": [depth(int(counts[sm]))[0] for sm in done]}}
        kept[2] |= {"textfont": {"color": [depth(int(counts[sm]))[1] for sm in done]}}
    return tuple(kept), tuple(range(2, 7))


def _wires(scheme: Scheme, now: range) -> tuple[list[float | None], list[float | None]]:
    """A line from each new block's tile to its SM, while few enough to be followed."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    for block in now if len(now) <= MOST_WIRES else ():
        (x0, y0), (x1, y1) = scheme.tile_at(block), scheme.sm_at(int(scheme.launch.sm[block]))
        xs += [round(x0 + LEFT / scheme.ranges / 2, 3), round(LEFT + GUTTER / 3, 3), round(x1 - 0.44, 3), None]
        ys += [round(y0, 3), round(y0, 3), y1, None]
    return xs, ys


# ---- the steps -----------------------------------------------------------------------------------------------------


def _step(scheme: Scheme, groups: Sequence[range], place: int, matrix: str) -> Step:
    now, launch = groups[place], scheme.launch
    data, traces = _state(scheme, now)
    if len(now) == 1:
        block = now[0]
        late = float(launch.start_us[block])
        when = f"started {fmt_time(late)} after the first" if late else "started with the first"
        caption = f"It owns {_part(scheme, block, matrix)}. Recorded: it ran on SM {launch.sm[block]} and {when}."
        return Step(f"block_{block}", f"Block {block}", caption, data, traces)
    here = [int(sm) for sm in launch.sm[now.start : now.stop]]
    caption = (
        f"Recorded: they ran on {_sms(sorted(set(here)))}. "
        f"So far {fmt_count(now.stop, 'block')} have {fmt_count(len(set(launch.sm[: now.stop].tolist())), 'SM')}."
    )
    return Step(f"blocks_{now.start}", f"Blocks {now.start} to {now.stop - 1}", caption, data, traces)


def _all(scheme: Scheme, matrix: str) -> Step:
    launch = scheme.launch
    data, traces = _state(scheme, range(launch.blocks, launch.blocks))
    caption = f"Recorded: {launch.spread_text}. {_neighbours(scheme, matrix)}"
    return Step("all", "All blocks", caption, data, traces)


def _neighbours(scheme: Scheme, matrix: str) -> str:
    """How many neighbouring tiles ran on SMs with neighbouring numbers: recorded, and often a surprise."""
    pairs = [(b, b + 1) for b in range(scheme.launch.blocks - 1) if (b + 1) % scheme.tiles]
    near = sum(abs(int(scheme.launch.sm[a]) - int(scheme.launch.sm[b])) == 1 for a, b in pairs)
    count = fmt_count(len(pairs), "pair")
    return f"Of {count} of neighbouring tiles of {matrix}, {near or 'none'} ran on SMs of neighbouring numbers."


# ---- words ---------------------------------------------------------------------------------------------------------


def _owns(scheme: Scheme, block: int, matrix: str) -> str:
    return f"Block {block} owns {_part(scheme, block, matrix)}"


def _part(scheme: Scheme, block: int, matrix: str) -> str:
    tile, part = block % scheme.tiles, block // scheme.tiles
    text = f"tile {tile} of {matrix}"
    if scheme.rows_per_tile:
        first = tile * scheme.rows_per_tile
        text = f"rows {grouped(first)} to {grouped(first + scheme.rows_per_tile - 1)} of {matrix}"
    return text + (f", part {part + 1} of {scheme.ranges}" if scheme.ranges > 1 else "")


def _ran(scheme: Scheme, sm: int) -> str:
    here = [str(block) for block in scheme.launch.block[scheme.launch.sm == sm]]
    if not here:
        return f"SM {sm}: no block"
    return f"SM {sm}: {'block' if len(here) == 1 else 'blocks'} {', '.join(here)}"


def _sms(numbers: Sequence[int]) -> str:
    shown = ", ".join(map(str, numbers[:8]))
    return f"SM {shown}" if len(numbers) == 1 else f"SMs {shown}{' and others' if len(numbers) > 8 else ''}"


def _table(scheme: Scheme, matrix: str, number: int) -> DataTable:
    launch = scheme.launch
    rows = [
        (str(block), _part(scheme, block, matrix), str(launch.sm[block]),
         f"{launch.start_us[block]:.3f}", f"{launch.end_us[block]:.3f}")
        for block in range(launch.blocks)
    ]  # fmt: skip
    return DataTable(
        ("block", "owns", "SM", "start µs", "end µs"),
        tuple(rows),
        (0, 2, 3, 4),
        f"Launch {number}, by the instrumented form of the kernel; times since its first block started.",
    )
