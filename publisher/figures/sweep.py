"""Which setting is fastest, and is it the same cold and warm? Every setting of a sweep as a cell of two grids."""

from __future__ import annotations

import itertools
import math
from typing import Any

from publisher.facts.units import significant
from publisher.figures.kit.figure import Choice, DataTable, Evidence, Provenance, Step, SteppedFigure
from publisher.figures.kit.measured import (
    CONDITIONS,
    absence,
    compare,
    exact_us,
    interval_text,
    plain,
    rung_titles,
    twin_of,
)
from publisher.figures.kit.options import AxisName
from publisher.figures.kit.rows import safe
from publisher.figures.kit.settings import BEST, Sweep
from publisher.figures.kit.style import (
    CLEAR,
    axis,
    base_layout,
    cells,
    fmt_count,
    fmt_time,
    lacking,
    merged,
    note,
    rerecord,
)
from schema.results import Code

# The ramp from slow to fast; its middle is left out, neither ink nor paper reads well on it.
RAMP = ("@q0", "@q1", "@q2", "@q3", "@q4", "@q6", "@q7", "@q8")
ON_PAPER = ("@q6", "@q7", "@q8")
WIDE = {"cold": ([0.0, 0.47], [0.0, 0.9]), "warm": ([0.53, 1.0], [0.0, 0.9])}
NARROW = {"cold": ([0.0, 1.0], [0.56, 0.95]), "warm": ([0.0, 1.0], [0.0, 0.39])}


def draw(evidence: Evidence, down: AxisName = "", across: AxisName = "") -> SteppedFigure:
    """``down`` and ``across`` name the constants along the grids' axes: by default the sweep's first two."""
    recording = evidence.need("sweep")
    results = recording.results
    names = list(results.axes)
    if len(names) < 2:
        raise lacking(evidence, "sweep", "the sweep has fewer than two axes")
    down = down if down in names else names[0]
    across = across if across in names and across != down else next(name for name in names if name != down)
    twins = {condition: twin_of(evidence, condition) for condition in CONDITIONS}
    sweep = Sweep(evidence.subject, results.rung, results.axes, results.settings, down, across, twins)
    if all(sweep.fastest(condition) is None for condition in CONDITIONS):
        raise lacking(evidence, "sweep", "no setting of the sweep has a time", results.settings)
    options = _options(sweep)
    sequences = {slug: _steps(evidence, sweep, slug) for slug, _ in options}
    first = next(iter(sequences.values()))[0]
    rows, columns = len(sweep.axes[down]), len(sweep.axes[across])
    title = rung_titles(evidence).get(sweep.rung, sweep.rung)
    return SteppedFigure(
        title="Every setting, cold and warm",
        alt=f"Two grids of {rows} by {columns} cells with the time of each setting of {title}. {first.caption}",
        data=tuple(merged(base, over) for base, over in zip(_traces(sweep), first.data, strict=True)),
        layout=_layout(sweep, WIDE),
        narrow=_layout(sweep, NARROW),
        sequences=sequences if len(options) > 1 else {"": sequences[options[0][0]]},
        table=_table(sweep),
        provenance=(Provenance.recorded(recording),),
        rerecord=rerecord(evidence.subject, "sweep"),
        choices=(_choice(sweep, options),) if len(options) > 1 else (),
        height=84 + 50 * rows,
        narrow_height=130 + 2 * 44 * rows,
    )


def _options(sweep: Sweep) -> list[tuple[str, str]]:
    if not sweep.others:
        return [(BEST, "all")]
    combinations = itertools.product(*(sweep.axes[name] for name in sweep.others))
    each = ["-".join(str(value) for value in values) for values in combinations]
    return [(BEST, "best of all"), *((slug, slug.replace("-", " · ")) for slug in each)]


def _choice(sweep: Sweep, options: list[tuple[str, str]]) -> Choice:
    slug = sweep.others[0].lower() if len(sweep.others) == 1 else "others"
    return Choice(slug, " · ".join(plain(name) for name in sweep.others).capitalize(), tuple(options))


# ---- the drawing ---------------------------------------------------------------------------------------------------


def _layout(sweep: Sweep, domains: dict[str, tuple[list[float], list[float]]]) -> dict[str, Any]:
    rows, columns = sweep.axes[sweep.down], sweep.axes[sweep.across]
    made: dict[str, Any] = {"margin": {"l": 8, "r": 8, "t": 4, "b": 8}, "annotations": []}
    for suffix, condition in (("", "cold"), ("2", "warm")):
        x, y = domains[condition]
        ticks = {"tickmode": "array", "showgrid": False}
        across = {"tickvals": list(range(len(columns))), "ticktext": [str(v) for v in columns], **ticks}
        down = {"tickvals": list(range(len(rows))), "ticktext": [str(v) for v in rows], **ticks}
        reach = [-0.54, len(columns) - 0.46]
        first = x[0] == 0.0
        made[f"xaxis{suffix}"] = axis(safe(plain(sweep.across)), domain=x, anchor=f"y{suffix}", range=reach, **across)
        made[f"yaxis{suffix}"] = axis(
            safe(plain(sweep.down)) if first else "", domain=y, anchor=f"x{suffix}", range=[len(rows) - 0.46, -0.54],
            showticklabels=True, **down,
        )  # fmt: skip
        made["annotations"].append(note(f"<b>{condition}</b>, µs", x[0], y[1], font={"color": "@ink"}))
    return base_layout(**made)


def _traces(sweep: Sweep) -> list[dict[str, Any]]:
    """Cells, the outline of the fastest cell and the mark of the ladder's own setting, first cold, then warm."""
    rows, columns = sweep.axes[sweep.down], sweep.axes[sweep.across]
    ys = [row for row in range(len(rows)) for _ in columns]
    xs = list(range(len(columns))) * len(rows)
    traces = []
    for suffix in ("", "2"):
        axes = {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}"}
        traces.append(cells(xs, ys, "@surface", 0.86, 0.86, textfont={"size": 12}, **axes))
        line = {"width": 2, "color": "@ink"}
        traces.append(cells([], [], CLEAR, 1.0, 1.0, marker={"line": line}, hoverinfo="skip", **axes))
        mark = {"symbol": "diamond", "size": 9, "color": "@warm", "line": {"color": "@paper", "width": 1}}
        traces.append(
            {"type": "scatter", "mode": "markers", "x": [], "y": [], "marker": mark, "hoverinfo": "skip", **axes}
        )
    return traces


def _steps(evidence: Evidence, sweep: Sweep, option: str) -> tuple[Step, ...]:
    painted = {condition: _painted(sweep, option, condition) for condition in CONDITIONS}
    ladder = _ladder_constants(evidence, sweep)
    steps = []
    for condition in CONDITIONS:
        caption = _fastest_caption(sweep, option, condition)
        steps.append(_step(sweep, condition, f"Fastest {condition}", caption, painted, option, (condition,), None))
    if _place_of_ladder(sweep, option, ladder):
        caption = _ladder_caption(evidence, sweep, ladder or {})
        steps.append(_step(sweep, "ladder", "The ladder's own setting", caption, painted, option, CONDITIONS, ladder))
    return tuple(steps)


def _step(
    sweep: Sweep, slug: str, title: str, caption: str, painted: dict[str, dict[str, Any]], option: str,
    outlined: tuple[str, ...], ladder: dict[str, int] | None,
) -> Step:  # fmt: skip
    data: list[dict[str, Any]] = []
    for condition in CONDITIONS:
        place = _place_of_fastest(sweep, option, condition) if condition in outlined else None
        outline = (
            {"x": [], "base": [], "y": []} if place is None else {"x": [place[1]], "base": [place[0] - 0.5], "y": [1.0]}
        )
        own = _place_of_ladder(sweep, option, ladder)
        mark = {"x": [], "y": []} if own is None else {"x": [own[1] + 0.35], "y": [own[0] - 0.32]}
        data += [painted[condition], outline, mark]
    return Step(slug, title, caption, tuple(data), tuple(range(6)))


def _painted(sweep: Sweep, option: str, condition: str) -> dict[str, Any]:
    """Colour, text and hover of every cell; the ramp runs over the whole sweep, so that choices compare."""
    times = [time.samples.median_us for i in range(len(sweep.settings)) if (time := sweep.time(i, condition))]
    low, high = (min(times), max(times)) if times else (1.0, 1.0)
    colors, texts, inks, hovers, ids = [], [], [], [], []
    for row, column in itertools.product(sweep.axes[sweep.down], sweep.axes[sweep.across]):
        among = sweep.at(option, row, column)
        best = sweep.fastest(condition, among)
        time = None if best is None else sweep.time(best, condition)
        if best is None or time is None:
            colors.append("@surface")
            texts.append("–")
            inks.append("@muted")
            hovers.append(safe(_why_empty(sweep, among, condition)))
            ids.append(f"{sweep.subject}.sweep.none.{row}.{column}.{condition}")
            continue
        us = time.samples.median_us
        color = RAMP[_shade(us, low, high)]
        colors.append(color)
        texts.append(significant(us))
        inks.append("@paper" if color in ON_PAPER else "@ink")
        hovers.append(f"{safe(sweep.words(best))}: {fmt_time(us)}")
        ids.append(f"{sweep.subject}.sweep.settings.{best}.times.{condition}")
    return {"marker": {"color": colors}, "text": texts, "textfont": {"color": inks}, "hovertext": hovers, "ids": ids}


def _shade(us: float, low: float, high: float) -> int:
    """0 for the slowest to the last of the ramp for the fastest, even steps of the speed.

    Speed, not time: so the fast settings, which a reader compares, have most of the shades.
    """
    if high <= low:
        return len(RAMP) - 1
    place = (low / us - low / high) / (1 - low / high)
    return min(len(RAMP) - 1, int(place * len(RAMP)))


def _place_of_fastest(sweep: Sweep, option: str, condition: str) -> tuple[int, int] | None:
    best = sweep.fastest(condition, sweep.indices(option))
    return None if best is None else sweep.place(sweep.settings[best].constants)


def _place_of_ladder(sweep: Sweep, option: str, ladder: dict[str, int] | None) -> tuple[int, int] | None:
    return sweep.place(ladder) if ladder and option in (BEST, sweep.option_of(ladder)) else None


# ---- the words -----------------------------------------------------------------------------------------------------


def _why_empty(sweep: Sweep, among: list[int], condition: str) -> str:
    if not among:
        return "not a setting of the sweep"
    return f"{sweep.words(among[0])}: {absence(sweep.settings[among[0]].times, condition)}"


def _fastest_caption(sweep: Sweep, option: str, condition: str) -> str:
    over_all = sweep.fastest(condition)
    if over_all is None:
        return f"No setting has a {condition} time."
    best = sweep.fastest(condition, sweep.indices(option))
    if best is None:
        return f"With {_option_words(sweep, option)} no setting has a {condition} time; the table says why."
    time = sweep.time(best, condition)
    assert time is not None
    told = f"the fastest setting ({sweep.words(best)}) takes {fmt_time(time.samples.median_us)}"
    if option != BEST and best != over_all:
        winner = sweep.time(over_all, condition)
        assert winner is not None
        relation = compare(time, winner, sweep.twins[condition]).beside("that one")
        return (
            f"{condition.capitalize()}, with {_option_words(sweep, option)}, {told}. Over all settings "
            f"the fastest ({sweep.words(over_all)}) takes {fmt_time(winner.samples.median_us)}; this one is {relation}."
        )
    same = len(sweep.same_as(best, condition))
    timed = sum(sweep.time(i, condition) is not None for i in range(len(sweep.settings)))
    equals = (
        f"{fmt_count(same, 'other setting')} cannot be told from it"
        if same
        else "no other setting comes within the resolution"
    )
    absent = len(sweep.settings) - timed
    gaps = f" {fmt_count(absent, 'more setting')} could not be timed: the empty cells and the table say why."
    cell = f" A cell shows the fastest of its {_others(sweep)}." if option == BEST and sweep.others else ""
    said = f"{condition.capitalize()}, {told}, of {fmt_count(timed, 'setting')}; {equals}."
    return f"{said}{cell}{gaps if absent else ''}"


def _others(sweep: Sweep) -> str:
    """What a cell has several settings of: ``4 k slices``, or ``6 settings`` where more than one axis is not drawn."""
    count = math.prod(len(sweep.axes[name]) for name in sweep.others)
    return fmt_count(count, plain(sweep.others[0]) if len(sweep.others) == 1 else "setting")


def _option_words(sweep: Sweep, option: str) -> str:
    return ", ".join(f"{plain(name)} {value}" for name, value in zip(sweep.others, option.split("-"), strict=False))


def _ladder_constants(evidence: Evidence, sweep: Sweep) -> dict[str, int] | None:
    """The constants that the ladder's rung was compiled with, if the code recording has all of the sweep's."""
    code = evidence.card.get(evidence.subject, "code")
    rung = code.results.rungs.get(sweep.rung) if code else None
    if rung is None or not isinstance(rung.code, Code) or not all(name in rung.code.constants for name in sweep.axes):
        return None
    return {name: rung.code.constants[name] for name in sweep.axes}


def _ladder_caption(evidence: Evidence, sweep: Sweep, ladder: dict[str, int]) -> str:
    title = rung_titles(evidence).get(sweep.rung, sweep.rung)
    setting = ", ".join(f"{plain(name)} {value}" for name, value in ladder.items())
    start = f"The diamond is the setting that the rung {title} is compiled with: {setting}."
    own = next(
        (i for i, s in enumerate(sweep.settings) if all(s.constants.get(n) == v for n, v in ladder.items())), None
    )
    if own is None:
        return f"{start} It is no setting of this sweep."
    told = []
    for condition in CONDITIONS:
        best, time = sweep.fastest(condition), sweep.time(own, condition)
        winner = None if best is None else sweep.time(best, condition)
        if time is None or winner is None:
            told.append(f"It has no {condition} time here.")
        elif own == best:
            told.append(f"{condition.capitalize()} it is the sweep's fastest.")
        else:
            relation = compare(time, winner, sweep.twins[condition]).beside("that one")
            told.append(f"{condition.capitalize()} it is not the fastest setting but {relation}.")
    return f"{start} {' '.join(told)} {_chosen_by(sweep, own)}".rstrip()


def _chosen_by(sweep: Sweep, own: int) -> str:
    wins = [condition for condition in CONDITIONS if sweep.fastest(condition) == own]
    if len(wins) == len(CONDITIONS):
        return "So cold and warm times agree on the ladder's constants."
    return f"So the ladder's constants are what the {wins[0]} times choose." if wins else ""


def _table(sweep: Sweep) -> DataTable:
    rows = []
    for index, setting in enumerate(sweep.settings):
        values = tuple(str(setting.constants.get(name, "")) for name in sweep.axes)
        numbers = (setting.blocks, setting.threads, setting.smem_bytes, setting.registers)
        launched = tuple(str(value) if setting.registers else "" for value in numbers)  # no registers: never compiled
        times = [sweep.time(index, condition) for condition in CONDITIONS]
        shown = tuple(exact_us(time.samples.median_us) if time else "" for time in times)
        told = [
            interval_text(time) if time else absence(setting.times, c)
            for time, c in zip(times, CONDITIONS, strict=True)
        ]
        remark = told[0] if told[0] == told[1] and not any(times) else f"cold {told[0]}; warm {told[1]}"
        rows.append((*values, *launched, *shown, remark))
    columns = (
        *(plain(name) for name in sweep.axes),
        "blocks",
        "threads",
        "shared bytes",
        "registers",
        "cold µs",
        "warm µs",
    )
    numeric = tuple(range(len(columns)))
    return DataTable(
        (*columns, "95 % intervals µs, or why not"), tuple(rows), numeric, "All settings of the sweep, medians."
    )
