"""How do the times change with the sizes of the problem? One rung beside library calls, by each size and by all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from publisher.facts.units import grouped
from publisher.figures.kit.figure import Choice, DataTable, Evidence, Provenance, Step, SteppedFigure
from publisher.figures.kit.measured import (
    CONDITIONS,
    SAME,
    absence,
    compare,
    exact_us,
    interval_text,
    plain,
    time_of,
    twin_of,
)
from publisher.figures.kit.rows import safe
from publisher.figures.kit.style import (
    CLEAR,
    Layout,
    Trace,
    axis,
    base_layout,
    fmt_time,
    lacking,
    listed,
    note,
    rerecord,
    rungs,
    told,
)
from schema.recording import Recording
from schema.results import ShapeEntry, Timed

LOOKS = (("@accent", "solid", "circle"), ("@s2", "solid", "square"), ("@s3", "dot", "diamond"), ("@s4", "dash", "x"))
MOST_ENTRIES = len(LOOKS)
FAR_APART = 3  # largest over smallest time, from which on the axis is logarithmic


@dataclass(frozen=True)
class Series:
    """Shapes that share an axis: those that differ from the usual problem in ``varying`` alone, or in several sizes."""

    slug: str
    title: str
    varying: tuple[str, ...]
    problems: tuple[dict[str, int], ...]


def draw(evidence: Evidence) -> SteppedFigure:
    recording = evidence.need("shapes")
    entries = list(dict.fromkeys(shape.entry for shape in recording.results.shapes))[:MOST_ENTRIES]
    titles = {entry: entry for entry in entries} | _titles(evidence)
    ours = next((entry for entry in entries if entry in {rung.slug for rung in rungs(evidence)}), None)
    if ours is None or not any(time_of(s.times, c) for s in recording.results.shapes for c in CONDITIONS):
        raise lacking(evidence, "shapes", "no rung was timed at other sizes", recording.results.shapes)
    entries = [ours, *(entry for entry in entries if entry != ours)]
    base = _base(evidence, recording)
    chosen = _series(recording, base)
    view = View(evidence, recording, entries, titles)
    sequences = {condition: tuple(_step(view, one, condition, base) for one in chosen) for condition in CONDITIONS}
    return SteppedFigure(
        title="Other sizes",
        alt=f"Time by size for {listed([titles[e] for e in entries])}, and below it their ratio. "
        f"{told(sequences['cold'][0])}",
        data=tuple(_data(view)),
        layout=base_layout(
            margin={"l": 8, "r": 14, "t": 8, "b": 56},  # names of two lines have room at every step
            xaxis=axis(domain=[0, 1], anchor="y2", showgrid=False, tickfont={"color": "@ink"}),
            yaxis=axis(domain=[0.48, 1], nticks=6),
            yaxis2=axis(domain=[0, 0.36], anchor="x", nticks=5, rangemode="tozero"),
            showlegend=True,
            legend={
                "orientation": "h",
                "x": 0,
                "y": 1.02,
                "yanchor": "bottom",
                "font": {"size": 12},
                "itemwidth": 30,
                "bgcolor": CLEAR,
            },
            annotations=[
                note(f"divided by the time of {safe(view.name(ours))}; above 1, it is faster", 0, 0.36, yshift=6)
            ],
        ),
        narrow={"xaxis": {"tickfont": {"size": 11}}},
        sequences=sequences,
        table=_table(view),
        provenance=(
            Provenance.recorded(recording),
            Provenance.derived("ratios of medians.", recording),
        ),
        rerecord=rerecord(evidence.subject, "shapes"),
        choices=(Choice("condition", "Condition", tuple((c, c) for c in CONDITIONS)),),
        height=460,
        narrow_height=460,
    )


@dataclass(frozen=True)
class View:
    """What all parts of the figure look at; the first of ``entries`` is the rung that the others are compared with."""

    evidence: Evidence
    recording: Recording
    entries: list[str]
    titles: dict[str, str]  # of all entries

    def fact(self, entry: str, problem: dict[str, int], condition: str) -> str:
        """The path of a time in the recording; unlike any path, but still an id of its own, where there is none."""
        shape = self.shape(entry, problem)
        if shape is None:
            return f"{entry}/{_label(problem, list(problem))}"
        number = self.recording.results.shapes.index(shape)
        return f"{self.recording.header.subject}.shapes.shapes.{number}.times.{condition}"

    def shape(self, entry: str, problem: dict[str, int]) -> ShapeEntry | None:
        found = self.recording.results.shapes
        return next((s for s in found if s.entry == entry and s.problem == problem), None)

    def timed(self, entry: str, problem: dict[str, int], condition: str) -> Timed | None:
        shape = self.shape(entry, problem)
        return time_of(shape.times, condition) if shape else None

    def name(self, entry: str) -> str:
        return self.titles[entry]


# ---- which shapes share an axis ------------------------------------------------------------------------------------


def _titles(evidence: Evidence) -> dict[str, str]:
    titles = {rung.slug: f"rung {rung.number}" for rung in rungs(evidence)}
    timed = evidence.card.get(evidence.subject, "times")
    if timed:
        titles |= {slug: getattr(ref, "title", slug) for slug, ref in timed.results.references.items()}
    return titles


def _base(evidence: Evidence, recording: Recording) -> dict[str, int]:
    """The problem of the ladder's times; without them the one that most shapes are close to."""
    timed = evidence.card.get(evidence.subject, "times")
    if timed:
        return dict(timed.results.problem)
    problems = [s.problem for s in recording.results.shapes]
    return max(problems, key=lambda p: sum(sum(p[k] == q.get(k) for k in p) for q in problems))


def _series(recording: Recording, base: dict[str, int]) -> list[Series]:
    """A series for each size that varies alone at three values or more, and one for all that vary together."""
    problems: list[dict[str, int]] = []
    for shape in recording.results.shapes:
        if shape.problem not in problems:
            problems.append(shape.problem)
    found: list[Series] = []
    taken: list[dict[str, int]] = []
    for key in base:
        alone = [p for p in problems if all(p.get(k) == v for k, v in base.items() if k != key)]
        if len(alone) >= 3:
            ordered = tuple(sorted(alone, key=lambda p: p[key]))
            found.append(Series(f"by_{key}", f"By {plain(key)}", (key,), ordered))
            taken += [p for p in alone if p != base]
    rest = [p for p in problems if p not in taken]
    if len(rest) > 1 or not found:
        varying = tuple(k for k in base if len({p.get(k) for p in rest}) > 1)
        ordered = tuple(sorted(rest, key=lambda p: (math.prod(p.values()), *p.values())))
        found.append(Series("by_size", "By size", varying or tuple(base), ordered))
    return found


def _label(problem: dict[str, int], varying: Sequence[str]) -> str:
    sizes = [problem[key] for key in varying]
    if len(sizes) == 2 and sizes[0] == sizes[1]:
        return f"{sizes[0]}²"
    return "<br>× ".join(str(size) for size in sizes)


def _words(problem: dict[str, int], varying: Sequence[str]) -> str:
    return ", ".join(f"{plain(key)} {grouped(problem[key])}" for key in varying)


# ---- the picture ---------------------------------------------------------------------------------------------------


def _data(view: View) -> list[Trace]:
    """For each entry a line of times, then for each but the first a line of ratios, then the line at 1."""
    looks = list(zip(LOOKS, view.entries, strict=False))
    traces: list[Trace] = []
    for (color, dash, symbol), entry in looks:
        traces.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": safe(view.name(entry)),
                "x": [],
                "y": [],
                "hoverinfo": "text",
                "connectgaps": False,
                "line": {"color": color, "width": 2, "dash": dash},
                "marker": {"color": color, "size": 8, "symbol": symbol},
            }
        )
    below = [trace | {"yaxis": "y2", "showlegend": False} for trace in traces[1:]]
    one: Trace = {"type": "scatter", "mode": "lines", "x": [], "y": [], "yaxis": "y2", "showlegend": False}
    return [*traces, *below, one | {"line": {"color": "@muted", "width": 1, "dash": "dot"}, "hoverinfo": "skip"}]


def _step(view: View, one: Series, condition: str, base: dict[str, int]) -> Step:
    places = list(range(len(one.problems)))
    medians = {
        entry: [_median(view.timed(entry, problem, condition)) for problem in one.problems] for entry in view.entries
    }
    ours = medians[view.entries[0]]
    data: list[Trace] = []
    for entry, us in medians.items():
        said = [_hover(view, entry, p, one, condition) for p in one.problems]
        ids = [view.fact(entry, p, condition) for p in one.problems]
        data.append({"x": places, "y": us, "ids": ids, "hovertext": said})
    for entry in view.entries[1:]:
        ratios = [round(a / b, 4) if a and b else None for a, b in zip(medians[entry], ours, strict=True)]
        said = [f"{safe(view.name(entry))} / {safe(view.name(view.entries[0]))}: {r}" if r else "" for r in ratios]
        data.append({"x": places, "y": ratios, "hovertext": said})
    data.append({"x": [-0.3, len(places) - 0.7], "y": [1, 1]})
    layout = {
        "xaxis": {
            "tickvals": places,
            "ticktext": [_label(p, one.varying) for p in one.problems],
            "range": [-0.4, len(places) - 0.6],
            "title": {
                "text": " × ".join(safe(plain(key)) for key in one.varying),
                "font": {"size": 12, "color": "@muted"},
            },
        },
        "yaxis": _scale([value for us in medians.values() for value in us if value] or [1.0]),
    }
    return Step(one.slug, one.title, _caption(view, one, condition, base), tuple(data), tuple(range(len(data))), layout)


def _median(timed: Timed | None) -> float | None:
    return round(timed.samples.median_us, 4) if timed else None


def _scale(medians: Sequence[float]) -> Layout:
    """From zero, or logarithmic where the times are far apart."""
    low, high = min(medians), max(medians)
    title = {"font": {"size": 12, "color": "@muted"}, "standoff": 8}
    if high < FAR_APART * low:
        return {"type": "linear", "range": [0, round(high * 1.1, 3)], "title": title | {"text": "time, µs"}}
    bottom, top = math.log10(low) - 0.1, math.log10(high) + 0.1
    marks = [m * 10.0**e for e in range(math.floor(bottom), math.ceil(top) + 1) for m in (1, 2, 5)]
    ticks = {"tickmode": "array", "tickvals": marks, "ticktext": [f"{mark:,g}" for mark in marks]}
    title |= {"text": "time, µs (logarithmic)"}
    return {"type": "log", "range": [round(bottom, 3), round(top, 3)], "title": title, **ticks}


# ---- words ---------------------------------------------------------------------------------------------------------


def _hover(view: View, entry: str, problem: dict[str, int], one: Series, condition: str) -> str:
    timed = view.timed(entry, problem, condition)
    told = safe(f"{view.name(entry)}, {_words(problem, one.varying)}")
    return f"{told}: {fmt_time(timed.samples.median_us)}" if timed else ""


def _caption(view: View, one: Series, condition: str, base: dict[str, int]) -> str:
    """Where the rung is the faster, the same and the slower beside each of the others, and what has no time."""
    ours = view.entries[0]
    fixed = [key for key in base if key not in one.varying]
    parts = [condition.capitalize() + (f", {_words(base, fixed)}." if fixed else ".")]
    twin = twin_of(view.evidence, condition)
    for other in view.entries[1:]:
        groups: dict[str, list[str]] = {"faster": [], SAME: [], "slower": []}
        for problem in one.problems:
            a, b = view.timed(ours, problem, condition), view.timed(other, problem, condition)
            if a is None or b is None:
                continue
            word = compare(a, b, twin)
            key = SAME if word.same else "faster" if word.ours_us < word.theirs_us else "slower"
            groups[key].append(_short(problem, one.varying))
        total = sum(len(found) for found in groups.values())
        everywhere = "every size" if total == len(one.problems) else "every size at which both have a time"
        said = [
            f"{key} at {everywhere if len(found) == total and total > 1 else listed(found)}"
            for key, found in groups.items()
            if found
        ]
        if said:
            parts.append(f"Beside {view.name(other)}, {view.name(ours)} is {', '.join(said)}.")
    parts += _gaps(view, one, condition)
    return " ".join(parts)


def _gaps(view: View, one: Series, condition: str) -> list[str]:
    """What has no time, by reason."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for entry in view.entries:
        for problem in one.problems:
            shape = view.shape(entry, problem)
            if shape is None:
                reasons.setdefault((entry, "not measured"), []).append(_short(problem, one.varying))
            elif time_of(shape.times, condition) is None:
                reasons.setdefault((entry, absence(shape.times, condition)), []).append(_short(problem, one.varying))
    return [f"No time for {view.name(entry)} at {listed(at)}: {why}." for (entry, why), at in reasons.items()]


def _short(problem: dict[str, int], varying: Sequence[str]) -> str:
    return _label(problem, varying).replace("<br>", " ")


def _table(view: View) -> DataTable:
    rows = []
    for shape in view.recording.results.shapes:
        if shape.entry not in view.entries:
            continue
        sizes = " × ".join(str(v) for v in shape.problem.values())
        for condition in CONDITIONS:
            timed = time_of(shape.times, condition)
            told = (
                (exact_us(timed.samples.median_us), interval_text(timed))
                if timed
                else ("", absence(shape.times, condition))
            )
            rows.append((view.name(shape.entry), sizes, condition, *told))
    sizes = " × ".join(plain(key) for key in view.recording.results.shapes[0].problem)
    return DataTable(("", sizes, "condition", "median µs", "95 % interval"), tuple(rows), (3, 4))
