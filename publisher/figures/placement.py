"""Which SM worked when? Every block of a launch as a bar from its start to its end, a wave a step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from publisher.figures.kit.figure import Choice, DataTable, Evidence, Provenance, Step, SteppedFigure
from publisher.figures.kit.measured import value_of
from publisher.figures.kit.options import RungNames
from publisher.figures.kit.placed import Launch, Placed, percent, placed_rungs
from publisher.figures.kit.style import Trace, axis, base_layout, fmt_count, fmt_time, note, rerecord, told, words

MOST_LAUNCHES = 3
MOST_WAVES = 8  # a further wave is drawn with the last of these
BEFORE = 0.6  # of the tail: how much of what comes before it the enlargement shows
PAST, NOW = "@q4", "@accent"


def draw(evidence: Evidence, rungs: RungNames = "") -> SteppedFigure:
    """``rungs``: slugs between blanks or commas; those of the placement recording by default."""
    recording, placed, absent = placed_rungs(evidence, rungs.replace(",", " ").split())
    numbers = range(1, 1 + min(MOST_LAUNCHES, *(len(p.launches) for p in placed)))
    bars: list[Trace] = []
    where: dict[tuple[str, int], list[int]] = {}  # the traces of a launch, one a wave
    for p in placed:
        for number in numbers:
            made = _bars(p.launches[number - 1])
            where[p.rung.slug, number] = list(range(len(bars), len(bars) + len(made)))
            bars += made
    clock = value_of(recording.results.timer_step_ns)
    sequences = {
        f"{p.rung.slug},{n}" if len(numbers) > 1 else p.rung.slug: _steps(p, n, where[p.rung.slug, n], len(bars))
        for p in placed
        for n in numbers
    }
    first = next(iter(sequences.values()))[0]
    sms = max(launch.sms for p in placed for launch in p.launches)
    choices = [Choice("rung", "Rung", tuple((p.rung.slug, f"{p.rung.number} {p.rung.title}") for p in placed))]
    if len(numbers) > 1:
        choices.append(Choice("launch", "Launch", tuple((str(n), str(n)) for n in numbers)))
    return SteppedFigure(
        title="Placement in time",
        alt=f"A row for each of {sms} SMs, a bar for each block from its start to its end. {told(first)}",
        data=(*bars, *_marks()),
        layout=base_layout(
            margin={"l": 8, "r": 14, "t": 26, "b": 40},
            xaxis=axis("time in the launch, µs", nticks=7),
            yaxis=axis(range=[sms - 0.5, -0.5], showgrid=False, tickvals=list(range(0, sms, 20 if sms > 60 else 10))),
            annotations=[note("SM", 0, 1, xanchor="right", xshift=-6, yshift=2)],
        ),
        sequences=sequences,
        table=_table(placed, numbers, absent),
        provenance=(
            Provenance.recorded(recording),
            Provenance.derived(
                "a block of wave 2 started in the place of one that had ended. The tail begins when the first SM that "
                "had work has no more"
                + (f". The clock behind the bars moves in steps of {clock:g}\u00a0ns." if clock else "."),
                recording,
            ),
        ),
        rerecord=rerecord(evidence.subject, "placement"),
        choices=tuple(choices),
        height=560,
        narrow_height=520,
    )


# ---- the picture ---------------------------------------------------------------------------------------------------


def _bars(launch: Launch) -> list[Trace]:
    """A trace a wave, hidden until its launch is chosen. Blocks that share an SM at a time share its row's height."""
    lanes = int(launch.lane.max()) + 1
    waves = np.minimum(launch.wave, MOST_WAVES)
    traces: list[Trace] = []
    for wave in range(1, int(waves.max()) + 1):
        here = np.flatnonzero(waves == wave)
        trace: Trace = {
            "type": "bar",
            "orientation": "h",
            "visible": False,
            "base": [round(float(v), 3) for v in launch.start_us[here]],
            "x": [round(float(v), 3) for v in (launch.end_us - launch.start_us)[here]],
            "y": [int(sm) for sm in launch.sm[here]],
            "width": round(1 / lanes, 4),
            "customdata": [int(block) for block in launch.block[here]],
            "marker": {"color": NOW, "line": {"width": 0}},
            "hovertemplate": "block %{customdata} on SM %{y}<br>from %{base} µs to %{x} µs<extra></extra>",
        }
        if lanes > 1:
            trace["offset"] = [round(int(lane) / lanes - 0.5, 3) for lane in launch.lane[here]]
        traces.append(trace)
    return traces


def _marks() -> list[Trace]:
    """The beginning of the tail: a line and its word, shown by the last step."""
    line: Trace = {"type": "scatter", "mode": "lines", "x": [], "y": [], "hoverinfo": "skip"}
    return [
        line | {"line": {"color": "@ink", "width": 1.5, "dash": "dot"}, "cliponaxis": False},
        words([], [], [], textposition="top center"),
    ]


# ---- the steps -----------------------------------------------------------------------------------------------------


def _steps(placed: Placed, number: int, traces: Sequence[int], mark: int) -> tuple[Step, ...]:
    launch = placed.launches[number - 1]
    layout = {"xaxis": {"range": [0, round(launch.duration_us * 1.02, 3)]}}
    steps = []
    for wave in range(1, len(traces) + 1):
        data = tuple({"visible": True, "marker": {"color": NOW if n == wave else PAST}} for n in range(1, wave + 1))
        caption = _wave_text(placed, launch, wave)
        title = f"Wave {wave} of {len(traces)}" if len(traces) > 1 else "A single wave"
        steps.append(Step(f"wave_{wave}", title, caption, data, tuple(traces[:wave]), layout))
    tail = launch.duration_us - launch.tail_start_us
    at = round(launch.tail_start_us, 3)
    data = (
        *({"visible": True, "marker": {"color": PAST}} for _ in traces),
        {"x": [at, at], "y": [-0.5, launch.sms - 0.5]},
        {"x": [at], "y": [-0.5], "text": ["first idle SM"], "textposition": _side(at, launch)},
    )
    caption = (
        f"At {fmt_time(at)} the first SM that had work runs out of it. The last block ends {fmt_time(tail)} later, "
        f"{percent(tail / launch.duration_us)} of the launch. {launch.spread_text[0].upper()}{launch.spread_text[1:]}. "
        f"Of all SMs' time, from the first start to the last end, {percent(launch.busy_share)} had a block."
    )
    steps.append(Step("tail", "The tail", caption, data, (*traces, mark, mark + 1), layout))
    if tail:
        near = {"xaxis": {"range": [round(max(0.0, at - tail * BEFORE), 3), round(launch.duration_us + tail / 20, 3)]}}
        steps.append(Step("ends", "Its ends", _ends_text(launch), data, (*traces, mark, mark + 1), near))
    return tuple(steps)


def _ends_text(launch: Launch) -> str:
    """When the launch was half done, and which SM was the last."""
    ends = np.sort(launch.end_us)
    last = int(np.argmax(launch.end_us))
    half = float(ends[(launch.blocks - 1) // 2])
    latest = f"block {launch.block[last]} on SM {launch.sm[last]}, at {fmt_time(float(ends[-1]))}"
    return (
        f"The same, enlarged. The first block ends at {fmt_time(float(ends[0]))}, half of them have ended by "
        f"{fmt_time(half)}, and the last, {latest}."
    )


def _side(at: float, launch: Launch) -> str:
    return "top left" if at > launch.duration_us * 0.5 else "top right"


def _wave_text(placed: Placed, launch: Launch, wave: int) -> str:
    waves = np.minimum(launch.wave, MOST_WAVES)
    here = np.flatnonzero(waves == wave)
    first, last = float(launch.start_us[here].min()), float(launch.start_us[here].max())
    end = float(launch.end_us[here].max())
    together = int(launch.lane.max()) + 1
    thin = f" Up to {together} blocks share an SM at a time, each a thinner bar." if together > 1 else ""
    rung = f"Rung {placed.rung.number} has {fmt_count(launch.blocks, 'block')} for {launch.sms} SMs"
    if int(waves.max()) == 1:
        within = f" within {fmt_time(last)}" if last else " at the same moment"
        return f"{rung}, and none waits for another: all start{within}. The last ends at {_at(end)}.{thin}"
    later = " of this wave and later ones" if wave == MOST_WAVES and int(launch.wave.max()) > MOST_WAVES else ""
    text = f"{fmt_count(here.size, 'block')}{later}, started from {_at(first)} to {_at(last)}"
    text += f". The last ends at {_at(end)}."
    return text if wave > 1 else f"{rung}. In this wave: {text}{thin}"


def _at(us: float) -> str:
    return fmt_time(us) if us else "0"


def _table(placed: Sequence[Placed], numbers: Sequence[int], absent: Sequence[str]) -> DataTable:
    rows = []
    for p in placed:
        for number in numbers:
            launch = p.launches[number - 1]
            rows.append(
                (
                    f"{p.rung.number} {p.rung.title}",
                    str(number),
                    str(launch.blocks),
                    str(launch.sms - launch.idle_sms),
                    f"{launch.per_sm.min()} to {launch.per_sm.max()}",
                    str(int(launch.wave.max())),
                    f"{launch.duration_us:.3f}",
                    f"{launch.duration_us - launch.tail_start_us:.3f}",
                )
            )
    return DataTable(
        ("rung", "launch", "blocks", "SMs used", "blocks an SM", "waves", "first start to last end, µs", "tail, µs"),
        tuple(rows),
        (1, 2, 3, 4, 5, 6, 7),
        f"Not shown: {'; '.join(absent)}." if absent else "",
    )
