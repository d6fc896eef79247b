"""How full is the card? Blocks on each SM, and blocks at work from moment to moment, for a launch of each rung."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np

from publisher.figures.kit.figure import DataTable, Evidence, Provenance, Step, SteppedFigure
from publisher.figures.kit.measured import CONDITIONS, value_of
from publisher.figures.kit.options import LaunchNumber, RungNames
from publisher.figures.kit.placed import Launch, Placed, depth, percent, placed_rungs
from publisher.figures.kit.style import (
    axis,
    base_layout,
    cells,
    fmt_count,
    fmt_time,
    hidden_axis,
    lacking,
    note,
    rerecord,
    sm_grid,
    times,
    told,
    words,
)
from publisher.figures.kit.what_if import what_if
from schema.recording import Recording

MOST_MOMENTS = 150  # of the line; more would be finer than the screen
GAP = 0.09  # between the panels, of the width
SIDE = 0.9  # of a cell
EMPTY, USED, COUNTS, PAST, PRESENT = range(5)  # places of the traces; a step changes all but the first


def draw(evidence: Evidence, rungs: RungNames = "", launch: LaunchNumber = "1") -> SteppedFigure:
    """``rungs``: slugs between blanks or commas, those of the placement recording by default; ``launch``: from 1."""
    recording, placed, absent = placed_rungs(evidence, rungs.replace(",", " ").split())
    timed = evidence.card.get(evidence.subject, "times")
    number = int(launch) if launch.isdigit() else 0
    fewest = min(len(p.launches) for p in placed)
    if not 1 <= number <= fewest:
        raise lacking(evidence, "placement", f"{fewest} launches of each rung are recorded, and no launch {launch}")
    launches = [p.launches[number - 1] for p in placed]
    sms = max(one.sms for one in launches)
    top = max(int(one.running[1].max()) for one in launches)
    end = max(one.duration_us for one in launches)
    columns, rows, _ = sm_grid(sms)
    split = 0.5 - GAP / 2
    steps = tuple(_step(timed, placed, place, number) for place in range(len(placed)))
    return SteppedFigure(
        title="Filling the card",
        alt=f"The {sms} SMs of the card as cells, and blocks at work against time. {told(steps[0])}",
        data=tuple(_data(sms, end)),
        layout=base_layout(
            margin={"l": 16, "r": 18, "t": 24, "b": 44},  # room for all labels: the picture then stands still
            xaxis=hidden_axis(range=[-0.5, columns - 0.5], domain=[0, split]),
            yaxis=hidden_axis(range=[rows - 0.5, -0.5], domain=[0, 1]),
            xaxis2=axis(
                "time in the launch, µs",
                domain=[split + GAP, 1],
                anchor="y2",
                range=[0, round(end * 1.02, 3)],
                nticks=6,
            ),
            yaxis2=axis(range=[0, max(top, sms) * 1.1], domain=[0, 1], anchor="x2", nticks=6),
            annotations=_heads((0, 1), (split + GAP - 0.04, 1)),
        ),
        narrow={
            "xaxis": {"domain": [0, 1]},
            "yaxis": {"domain": [0.44, 1]},
            "xaxis2": {"domain": [0, 1]},
            "yaxis2": {"domain": [0, 0.34]},
            "annotations": _heads((0, 1), (0, 0.35)),
        },
        sequences={"": steps},
        table=_table(placed, launches, number, absent),
        provenance=(
            Provenance.recorded(recording, *([timed] if timed else [])),
            Provenance.authored("the grid of SMs, in the order of their numbers; it is not a picture of the die."),
        ),
        rerecord=rerecord(evidence.subject, "placement"),
        height=400,
        narrow_height=580,
        **what_if(list(zip(placed, launches, strict=True))),
    )


def _heads(*places: tuple[float, float]) -> list[dict[str, Any]]:
    texts = ("SMs and how many blocks each ran", "blocks at work")
    return [note(text, x, y, yshift=4) for text, (x, y) in zip(texts, places, strict=True)]


def _data(sms: int, end: float) -> list[dict[str, Any]]:
    """Traces EMPTY to PRESENT, then the line that the blocks would reach with one an SM, and its word.

    Cells and their numbers are traces of their own: a still then needs a shape a colour and not one a cell.
    """
    _, _, spots = sm_grid(sms)
    columns, rows = [x for x, _ in spots], [y for _, y in spots]
    right: dict[str, Any] = {"type": "scatter", "mode": "lines", "xaxis": "x2", "yaxis": "y2", "x": [], "y": []}
    return [
        cells(columns, rows, "@surface", SIDE, SIDE, hovertext=[f"SM {sm}" for sm in range(sms)]),
        cells(columns, rows, "@q2", SIDE, SIDE, hoverinfo="skip"),
        words([], [], [], textfont={"size": 11}),
        right | {"line": {"color": "@muted", "width": 1, "shape": "hv"}, "hoverinfo": "skip"},
        right
        | {
            "line": {"color": "@accent", "width": 1.5, "shape": "hv"},
            "fill": "tozeroy",
            "fillcolor": "@q2",
            "hovertemplate": "%{y} blocks from %{x} µs on<extra></extra>",
        },
        right
        | {
            "x": [0, round(end, 3)],
            "y": [sms, sms],
            "line": {"color": "@muted", "width": 1, "dash": "dot"},
            "hoverinfo": "skip",
        },
        words([round(end, 3)], [sms], [f"{sms} SMs"], "@muted", xaxis="x2", yaxis="y2", textposition="top left"),
    ]


def _step(timed: Recording | None, placed: Sequence[Placed], place: int, number: int) -> Step:
    one = placed[place]
    launch, rung = one.launches[number - 1], one.rung
    past: tuple[list[float | None], list[int | None]] = ([], [])
    for other in placed[:place]:
        for kept, new in zip(past, _line(other.launches[number - 1]), strict=True):
            kept += [*new, None]  # type: ignore[arg-type]
    moments, running = _line(launch)
    data = (*_used(launch), {"x": past[0], "y": past[1]}, {"x": moments, "y": running})
    most = int(launch.running[1].max())
    together = "all at once" if most == launch.blocks else f"at most {most} at once"
    parts = [
        f"{fmt_count(launch.blocks, 'block')}, {together}: {launch.spread_text}.",
        f"First start to last end: {fmt_time(launch.duration_us)}, and of all SMs' time in it "
        f"{percent(launch.busy_share)} had a block.",
        _others(one, number),
        _times(timed, one),
        "The thin lines are the rungs before it." if place else "",
    ]
    return Step(
        rung.slug, f"{rung.number} {rung.title}", " ".join(filter(None, parts)), data, (USED, COUNTS, PAST, PRESENT)
    )


def _used(launch: Launch) -> tuple[dict[str, Any], dict[str, Any]]:
    """The cells of SMs that had blocks, those of one number side by side, and their numbers.

    An SM without blocks has no text, not an empty one: Plotly would keep it empty in later steps.
    """
    _, _, spots = sm_grid(launch.sms)
    counts = [int(count) for count in launch.per_sm]
    used = sorted((sm for sm in range(launch.sms) if counts[sm]), key=lambda sm: counts[sm])
    filled = cells([spots[sm][0] for sm in used], [spots[sm][1] for sm in used], "", SIDE, SIDE)
    colors = [depth(counts[sm])[0] for sm in used]
    texts = {
        "x": filled["x"],
        "y": [spots[sm][1] for sm in used],
        "text": [str(counts[sm]) for sm in used],
        "textfont": {"color": [depth(counts[sm])[1] for sm in used]},
    }
    return {"x": filled["x"], "base": filled["base"], "marker": {"color": colors}}, texts


def _line(launch: Launch) -> tuple[list[float], list[int]]:
    moments, running = launch.running
    if moments.size > MOST_MOMENTS:
        even = np.linspace(0, launch.duration_us, MOST_MOMENTS)
        running = running[np.searchsorted(moments, even, side="right") - 1]
        moments = even
    return [round(float(m), 3) for m in moments], [int(n) for n in running]


def _others(placed: Placed, number: int) -> str:
    """Did the other recorded launches give each SM as many blocks?"""
    ours = placed.launches[number - 1].per_sm
    others = [launch.per_sm for n, launch in enumerate(placed.launches, start=1) if n != number]
    if not others:
        return ""
    unlike = sum(not np.array_equal(ours, theirs) for theirs in others)
    if unlike:
        return f"Of {len(others)} more recorded launches, {unlike} gave some SMs another number."
    return f"{len(others)} more recorded launches gave each SM the same number."


def _times(timed: Recording | None, placed: Placed) -> str:
    """The times of the rung itself, timed without the instruments that record placement, and what those add."""
    parts = []
    for condition in CONDITIONS if timed else ():
        found, why = times(timed, placed.rung.slug, condition)  # type: ignore[arg-type]
        parts.append(f"{condition} {fmt_time(found.samples.median_us) if found else why}")
    plain = f"Timed without instruments: {', '.join(parts)}." if parts else ""
    instrumented = value_of(placed.recorded.instrumented)
    if instrumented is None:
        return plain
    median = fmt_time(instrumented.samples.median_us)
    return f"{plain} With them, {placed.recorded.condition}: {median}."


def _table(placed: Sequence[Placed], launches: Sequence[Launch], number: int, absent: Sequence[str]) -> DataTable:
    rows = []
    for one, launch in zip(placed, launches, strict=True):
        for count in sorted(set(launch.per_sm.tolist()), reverse=True):
            sms = np.flatnonzero(launch.per_sm == count).tolist()
            rows.append((f"{one.rung.number} {one.rung.title}", str(count), str(len(sms)), _ranges(sms)))
    missing = f" Not shown: {'; '.join(absent)}." if absent else ""
    return DataTable(
        ("rung", "blocks an SM", "SMs", "which"),
        tuple(rows),
        (1, 2),
        f"Blocks that each SM ran in launch {number}.{missing}",
    )


def _ranges(numbers: Sequence[int]) -> str:
    """``0, 2, 4 to 9``."""
    runs = [[n for _, n in run] for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])]
    parts = [f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs]
    return ", ".join(parts)
