"""How full is the card? Blocks on each SM, and blocks at work from moment to moment, for a launch of each rung."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from publisher.figure import Choice, DataTable, Evidence, Provenance, Step, SteppedFigure
from publisher.figures._measured import CONDITIONS, value_of
from publisher.figures._placed import Launch, Placed, depth, placed_rungs
from publisher.figures._style import (
    axis,
    base_layout,
    cells,
    fmt_count,
    fmt_time,
    hidden_axis,
    listed,
    note,
    rerecord,
    sm_grid,
    times,
    told,
    words,
)
from recorder.recording import Recording

MOST_LAUNCHES = 3  # to choose from
MOST_MOMENTS = 300  # of the line; more would be finer than the screen
GAP = 0.09  # between the panels, of the width


def draw(evidence: Evidence, rungs: str = "") -> SteppedFigure:
    """``rungs``: slugs between blanks or commas; those of the placement recording by default."""
    recording, placed, absent = placed_rungs(evidence, rungs.replace(",", " ").split())
    timed = evidence.card.get(evidence.subject, "times")
    sms = max(launch.sms for p in placed for launch in p.launches)
    numbers = range(1, 1 + min(MOST_LAUNCHES, *(len(p.launches) for p in placed)))
    sequences = {str(n): tuple(_step(timed, p, n, sms) for p in placed) for n in numbers}
    several = len(numbers) > 1
    top = max(int(launch.running[1].max()) for p in placed for launch in p.launches[: len(numbers)])
    columns, rows, _ = sm_grid(sms)
    split = 0.5 - GAP / 2
    return SteppedFigure(
        title="Filling the card",
        alt=f"The {sms} SMs of the card as cells, and blocks at work against time. {told(sequences['1'][0])}",
        data=tuple(_data(sms)),
        layout=base_layout(
            margin={"l": 4, "r": 12, "t": 24, "b": 40},
            xaxis=hidden_axis(range=[-0.5, columns - 0.5], domain=[0, split]),
            yaxis=hidden_axis(range=[rows - 0.5, -0.5], domain=[0, 1]),
            xaxis2=axis("time in the launch, µs", domain=[split + GAP, 1], anchor="y2", rangemode="tozero", nticks=6),
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
        sequences=sequences if several else {"": sequences["1"]},
        table=_table(placed, sms, numbers, absent),
        provenance=(
            Provenance.recorded(recording, *([timed] if timed else [])),
            Provenance.authored("the grid of SMs, in the order of their numbers; it is not a picture of the die."),
        ),
        rerecord=rerecord(evidence.subject, "placement"),
        choices=(Choice("launch", "Launch", tuple((str(n), str(n)) for n in numbers)),) if several else (),
        height=400,
        narrow_height=580,
    )


def _heads(*places: tuple[float, float]) -> list[dict[str, Any]]:
    texts = ("SMs and how many blocks each ran", "blocks at work")
    return [note(text, x, y, yshift=4) for text, (x, y) in zip(texts, places, strict=True)]


def _data(sms: int) -> list[dict[str, Any]]:
    """The cells, the blocks at work, and the line that they would reach with one block an SM."""
    _, _, spots = sm_grid(sms)
    return [
        cells([x for x, _ in spots], [y for _, y in spots], "@surface", 0.9, 0.9, textfont={"size": 11}),
        {
            "type": "scatter",
            "mode": "lines",
            "xaxis": "x2",
            "yaxis": "y2",
            "x": [],
            "y": [],
            "line": {"color": "@accent", "width": 1.5, "shape": "hv"},
            "fill": "tozeroy",
            "fillcolor": "@q1",
            "hovertemplate": "%{y} blocks from %{x} µs on<extra></extra>",
        },
        {
            "type": "scatter",
            "mode": "lines",
            "xaxis": "x2",
            "yaxis": "y2",
            "x": [],
            "y": [],
            "line": {"color": "@muted", "width": 1, "dash": "dot"},
            "hoverinfo": "skip",
        },
        words([], [], [], "@muted", xaxis="x2", yaxis="y2", textposition="top left"),
    ]


def _step(timed: Recording | None, placed: Placed, number: int, sms: int) -> Step:
    launch, rung = placed.launches[number - 1], placed.rung
    counts = [int(count) for count in launch.per_sm]
    moments, running = _line(launch)
    end = round(launch.duration_us, 3)
    data = (
        {
            "text": [str(count) if count else "" for count in counts],
            "marker": {"color": [depth(count)[0] for count in counts]},
            "textfont": {"color": [depth(count)[1] for count in counts]},
            "hovertext": [f"SM {sm}: {fmt_count(count, 'block')}" for sm, count in enumerate(counts)],
        },
        {"x": moments, "y": running},
        {"x": [0, end], "y": [sms, sms]},
        {"x": [end], "y": [sms], "text": [f"{sms} SMs"]},
    )
    caption = (
        f"{fmt_count(launch.blocks, 'block')}. Recorded in launch {number}: "
        f"{launch.spread_text}. At most {fmt_count(int(launch.running[1].max()), 'block')} were at work at once; "
        f"from the first start to the last end it took {fmt_time(launch.duration_us)}. {_times(timed, placed)}"
    )
    layout = {"xaxis2": {"range": [0, round(end * 1.02, 3)]}}
    return Step(rung.slug, f"{rung.number} {rung.title}", caption.strip(), data, (0, 1, 2, 3), layout)


def _line(launch: Launch) -> tuple[list[float], list[int]]:
    moments, running = launch.running
    if moments.size > MOST_MOMENTS:
        even = np.linspace(0, launch.duration_us, MOST_MOMENTS)
        running = running[np.searchsorted(moments, even, side="right") - 1]
        moments = even
    return [round(float(m), 3) for m in moments], [int(n) for n in running]


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


def _table(placed: Sequence[Placed], sms: int, numbers: Sequence[int], absent: Sequence[str]) -> DataTable:
    rows = []
    for sm in range(sms):
        counts = [", ".join(str(p.launches[n - 1].per_sm[sm]) for n in numbers) for p in placed]
        rows.append((str(sm), *counts))
    said = f" in launch {listed([str(n) for n in numbers])}" if len(numbers) > 1 else ""
    missing = f" Not shown: {'; '.join(absent)}." if absent else ""
    heads = (f"{p.rung.number} {p.rung.title}" for p in placed)
    return DataTable(
        ("SM", *heads), tuple(rows), tuple(range(len(placed) + 1)), f"Blocks that each SM ran{said}.{missing}"
    )
