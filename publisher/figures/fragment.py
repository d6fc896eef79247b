"""Which thread holds which cell of a tensor-core instruction, and whose meet when it fires? As probed on the card.

``site/scripts/later/fragment.js`` computes the same frames for the other 31 threads; a test demands that both agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from publisher.figures.kit.figure import DataTable, Evidence, Provenance, Step, SteppedFigure
from publisher.figures.kit.fragment_map import (
    LANES,
    REGISTER,
    Grid,
    Map,
    caption,
    checked,
    distinct,
    meeting,
    read_map,
)
from publisher.figures.kit.measured import reason
from publisher.figures.kit.options import ShapeName
from publisher.figures.kit.style import (
    Trace,
    base_layout,
    cells,
    hidden_axis,
    lacking,
    listed,
    merged,
    rerecord,
    value_of,
    words,
)
from schema.recording import MACHINE

PAD_COLUMNS, PAD_WIDTH, PAD_HEIGHT = 4, 3.0, 1.9  # the threads as 8 rows of 4, in units of a matrix cell
THICK = 0.92  # of a cell's side
RESTING = 0.86  # the same of a cell without marks: on a phone a gap of less is none in some rows
COLOR = {"a": "@s1", "b": "@s4", "d": "@s3"}
OVERLAYS = (4, 5, 6, 7)  # traces that a step changes: strips, cells of the thread, cells that meet, threads


def draw(evidence: Evidence, shape: ShapeName = "m16n8k16") -> SteppedFigure:
    """``shape`` is one that the probe recorded. Other threads than the first are the driver's."""
    recording = evidence.need("fragment", MACHINE)
    found = value_of(recording.results.shapes.get(shape))
    if found is None:
        entry = recording.results.shapes.get(shape)
        why = f"was {reason(entry)}" if entry else f"is not one of {listed(list(recording.results.shapes))}"
        raise lacking(evidence, "fragment", f"the fragment map of {shape} {why}", entry, subject=MACHINE)
    grids = read_map(found, shape)
    verdict = checked(grids, shape)
    steps = tuple(_step(grids, slug, verdict) for slug in slugs(grids))
    a, b, d = grids.values()
    return SteppedFigure(
        title=f"Who holds which cell of {shape}",
        alt=(
            f"Three matrices of cells: A of {a.rows} by {a.columns}, B of {b.rows} by {b.columns} above D of {d.rows} "
            f"by {d.columns}, and the {LANES} threads of the warp. Marked are thread 0 and its {len(a.held(0))} cells "
            "of A."
        ),
        data=(*_base(grids), *map(merged, _overlays(), steps[0].data), *_labels(grids)),
        layout=_layout(grids),
        narrow={"font": {"size": 11}, "margin": {"l": 0, "r": 0}},  # a name such as c0 then fits into a cell
        sequences={"": steps},
        table=_table(grids),
        provenance=(
            Provenance.recorded(recording),
            Provenance.authored("the walk through k. In which order the hardware multiplies and adds is not recorded."),
        ),
        rerecord=rerecord(MACHINE, "fragment"),
        height=560,
        narrow_height=470,
        driver="fragment",
        driver_data={"matrices": [_compact(grid) for grid in grids.values()], "lanes": LANES, "verdict": verdict},
    )


def _compact(grid: Grid) -> dict[str, Any]:
    return {
        "name": grid.name,
        "rows": grid.rows,
        "columns": grid.columns,
        "x": grid.x,
        "y": grid.y,
        "color": COLOR[grid.name],
        "prefix": REGISTER[grid.name],
        "owner": grid.owner,
        "register": grid.register,
        "half": grid.half,
    }


# ---- steps -----------------------------------------------------------------------------------------------------------


def slugs(grids: Map) -> list[str]:
    """hold_a, hold_b, hold_d, and fire_k0 to fire_kN."""
    return ["hold_a", "hold_b", "hold_d", *(f"fire_k{k}" for k in range(grids["a"].columns))]


def _step(grids: Map, slug: str, verdict: str) -> Step:
    kind, _, what = slug.partition("_")
    title = f"Cells of {what.upper()}" if kind == "hold" else f"Fire: k = {what[1:]}"
    return Step(slug, title, caption(grids, 0, slug, verdict), tuple(frame(grids, 0, slug)), OVERLAYS)


def frame(grids: Map, lane: int, slug: str) -> list[Trace]:
    """The overlays of a step for a thread: strips of rows and columns, its cells, the cells that meet, the threads."""
    a, b, d = grids.values()
    kind, _, what = slug.partition("_")
    shown = [d]
    strips: list[tuple[float, float, float, float, str]] = []
    meet: list[tuple[Grid, int]] = []
    if kind == "hold":
        shown = [a, b, d][: "abd".index(what) + 1]
    else:
        k = int(what[1:])
        of_a, of_b = meeting(grids, lane, k)
        for y in [a.at(place)[1] for place in of_a]:
            strips += [(a.x, y, a.columns, THICK, "@q1"), (a.x, y, k, THICK, "@q3")]
        for x in [b.at(place)[0] for place in of_b]:
            strips += [(x, b.y, THICK, b.rows, "@q1"), (x, b.y, THICK, k, "@q3")]
        meet = [*((a, place) for place in of_a), *((b, place) for place in of_b)]
    strips = [strip for strip in strips if strip[2] and strip[3]]
    mine = [(grid, places) for grid in shown for places in grid.pieces(lane)]
    lent = [grid.owner[place] for grid, place in meet]
    pads = [other for other in distinct(lent) if other != lane]
    return [
        {
            "x": [x if w == THICK else x + (w - 1) / 2 for x, y, w, h, color in strips],
            "base": [round(y - (h / 2 if h == THICK else 0.5), 2) for x, y, w, h, color in strips],
            "y": [h for x, y, w, h, color in strips],
            "width": [w for x, y, w, h, color in strips],
            "marker": {"color": [color for x, y, w, h, color in strips]},
        },
        _marked(mine, [grid.named(places[0]) for grid, places in mine]),
        _marked([(grid, [place]) for grid, place in meet], [str(owner) for owner in lent]),
        _pad([*pads, lane], ["@q3"] * len(pads) + ["@accent"], ["@ink"] * len(pads) + ["@paper"]),
    ]


def _marked(chosen: Sequence[tuple[Grid, list[int]]], text: list[str]) -> Trace:
    """A bar for each piece: a cell, or the neighbours that one register holds."""
    ends = [(grid, grid.at(places[0]), grid.at(places[-1])) for grid, places in chosen]
    return {
        "x": [round((first[0] + last[0]) / 2, 2) for _, first, last in ends],
        "base": [round(first[1] - THICK / 2, 2) for _, first, _ in ends],
        "y": [round(last[1] - first[1] + THICK, 2) for _, first, last in ends],
        "width": [round(last[0] - first[0] + THICK, 2) for _, first, last in ends],
        "marker": {"color": [COLOR[grid.name] for grid, _, _ in ends]},
        "text": text,
    }


def _pad(lanes: Sequence[int], colors: list[str], text_colors: list[str]) -> Trace:
    return {
        "x": [lane % PAD_COLUMNS * PAD_WIDTH + (PAD_WIDTH - 1) / 2 for lane in lanes],
        "base": [round(lane // PAD_COLUMNS * PAD_HEIGHT - 0.5, 2) for lane in lanes],
        "y": [PAD_HEIGHT - 0.12] * len(lanes),
        "marker": {"color": colors},
        "text": [str(lane) for lane in lanes],
        "textfont": {"color": text_colors},
    }


# ---- the drawing -----------------------------------------------------------------------------------------------------


def _base(grids: Map) -> list[Trace]:
    traces = [_matrix(grid) for grid in grids.values()]
    lanes = range(LANES)
    pad = _pad(lanes, ["@surface"] * LANES, ["@muted"] * LANES)
    told = {
        "ids": [f"{MACHINE}.fragment.lane.{lane}" for lane in lanes],
        "hovertext": [f"thread {lane}" for lane in lanes],
        "textfont": {"size": 11},
    }
    return [*traces, merged(cells([], [], [], PAD_WIDTH - 0.12), merged(pad, told))]


def _overlays() -> list[Trace]:
    """The traces that steps fill. They let the pointer through to the cells below."""
    strips = cells([], [], [], 1, hoverinfo="skip")
    # Their names have the size of the layout, which is less on a phone.
    marked = cells([], [], [], THICK, hoverinfo="skip", textfont={"color": "@paper"})
    pads = cells([], [], [], PAD_WIDTH - 0.12, hoverinfo="skip", textfont={"size": 11})
    return [strips, marked, marked, pads]


def _matrix(grid: Grid) -> Trace:
    places = range(len(grid.owner))
    xs, ys = [grid.at(place)[0] for place in places], [grid.at(place)[1] for place in places]
    halves = ("", "") if len(set(grid.half)) < 2 else (", lower half", ", upper half")
    return cells(
        xs,
        ys,
        "@surface",
        RESTING,
        RESTING,
        ids=[f"{MACHINE}.fragment.{grid.name}.{place // grid.columns}.{place % grid.columns}" for place in places],
        customdata=[[grid.owner[p], grid.named(p) + halves[grid.half[p]], grid.cell(p)] for p in places],
        hovertemplate="%{customdata[2]}: thread %{customdata[0]}, %{customdata[1]}<extra></extra>",
    )


def _labels(grids: Map) -> list[Trace]:
    """Titles over the matrices and the threads, and every fourth row and column number."""
    a, b, d = grids.values()
    titles = [(-0.5, b.y - 2.0, f"<b>{LANES} threads</b>")]
    for grid in (a, b, d):
        titles.append((grid.x - 0.5, grid.y - 2.0, f"<b>{grid.name.upper()}</b>  {grid.rows} × {grid.columns}"))
    numbers: list[tuple[float, float, str]] = []
    for grid in (a, b, d):
        numbers += [(grid.x + column, grid.y - 0.95, str(column)) for column in range(0, grid.columns, 4)]
        numbers += [(grid.x - 1.05, grid.y + row, str(row)) for row in range(0, grid.rows, 4)]
    return [
        words(*zip(*titles, strict=True), textposition="middle right", textfont={"size": 13}),
        words(*zip(*numbers, strict=True), color="@muted", textfont={"size": 11}),
    ]


def _layout(grids: Map) -> dict[str, Any]:
    d = grids["d"]
    return base_layout(
        font={"size": 12},
        margin={"l": 4, "r": 4, "t": 2, "b": 4},
        xaxis=hidden_axis(range=[-1.7, d.x + d.columns - 0.4]),
        yaxis=hidden_axis(range=[d.y + d.rows - 0.3, -2.75]),
    )


def _table(grids: Map) -> DataTable:
    names = [name for grid in grids.values() for name in sorted({grid.named(p) for p in range(len(grid.owner))})]
    rows = []
    for lane in range(LANES):
        held: dict[str, list[str]] = {name: [] for name in names}
        for grid in grids.values():
            for place in grid.held(lane):
                held[grid.named(place)].append(grid.cell(place))
        rows.append((str(lane), *(", ".join(found) for found in held.values())))
    caption = "The cells in each register of each thread; in a register of two, the lower half first."
    return DataTable(("thread", *names), tuple(rows), (0,), caption)
