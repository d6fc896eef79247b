"""Does a kernel load and multiply at the same time? The full kernel beside its halves: loads only, and math only."""

from __future__ import annotations

from typing import Any

from publisher.facts.units import significant
from publisher.figures.kit.figure import Choice, DataTable, Evidence, Provenance, Step, SteppedFigure
from publisher.figures.kit.measured import (
    CONDITIONS,
    NUMERIC_TIME_COLUMNS,
    TIME_COLUMNS,
    absence,
    compare,
    published_set,
    rung_titles,
    time_of,
    time_rows,
    twin_of,
)
from publisher.figures.kit.options import PublishedName
from publisher.figures.kit.proof import Proof, proofs_of
from publisher.figures.kit.rows import BAR, LABEL, row_bars, row_words, rows_height, rows_layout, safe
from publisher.figures.kit.style import fmt_time, lacking, merged, rerecord, words
from publisher.source.published import PublishedSet
from schema.recording import Recording
from schema.results import ProbeTimes, Timed

PARTS = ("full", "loads_only", "math_only")
NAMES = {"full": "Full kernel", "loads_only": "Loads only", "math_only": "Math only"}
COLORS = {"full": "@s8", "loads_only": "@load", "math_only": "@math"}
ALL = (0, 1, 2, 3, 4, 5)  # every step states all traces; the last two are there with published figures only


def draw(evidence: Evidence, published: PublishedName = "") -> SteppedFigure:
    """``published`` names a set of ``recordings/published`` whose probes are marked beside the bars."""
    recording = evidence.need("probes")
    rungs: dict[str, ProbeTimes] = {slug: probe for slug, probe in recording.results.rungs.items() if _drawable(probe)}
    if not rungs:
        raise lacking(evidence, "probes", "no rung has a time of its full kernel beside its probes", recording.results)
    titles = rung_titles(evidence)
    proofs = {slug: proofs_of(evidence, slug, PARTS[1:]) for slug in rungs}
    sequences: dict[str, tuple[Step, ...]] = {}
    for slug, probe in rungs.items():
        for condition in CONDITIONS:
            sequences[f"{slug},{condition}"] = _steps(evidence, slug, condition, probe, proofs[slug], published)
    first = next(iter(sequences.values()))[0]
    data = tuple(merged(base, over) for base, over in zip(_traces()[: len(first.data)], first.data, strict=True))
    marks = published_set(evidence, published)
    slug = next(iter(rungs))
    height = rows_height(4, 78 if marks else 60)
    return SteppedFigure(
        title="A kernel and its halves",
        alt=f"Bars for the time of {titles.get(slug, slug)} cold: {first.caption}",
        data=data,
        layout=rows_layout(4, "time of a launch, µs", 1.0),
        sequences=sequences,
        table=_table(rungs, titles, proofs),
        provenance=_provenance(evidence, recording, marks),
        rerecord=rerecord(evidence.subject, "probes"),
        choices=(
            Choice("rung", "Rung", tuple((slug, titles.get(slug, slug)) for slug in rungs)),
            Choice("condition", "Condition", tuple((c, c) for c in CONDITIONS)),
        ),
        listings=tuple(
            proof.listing(f"{slug}_{part}", NAMES[part]) for slug in rungs for part, proof in proofs[slug].items()
        ),
        height=height,
        narrow_height=height,
    )


def _provenance(evidence: Evidence, recording: Recording, marks: PublishedSet | None) -> tuple[Provenance, ...]:
    code = evidence.card.get(evidence.subject, "code")
    found = [Provenance.recorded(recording, code) if code else Provenance.recorded(recording)]
    how = f"the sum of the halves and their overlap, from the medians{_twice(evidence)}."
    found.append(Provenance.derived(how, recording))
    if marks is not None:
        found.append(Provenance.published(f"{marks.data.source.text}, on {marks.data.card.name}.", marks.file))
    return tuple(found)


def _twice(evidence: Evidence) -> str:
    """What the sum of two launches counts twice, where an empty launch was timed."""
    times = evidence.card.get(evidence.subject, "times")
    empty = time_of(times.results.floors.get("empty"), "warm") if times else None
    return f"; the sum counts a launch twice, {fmt_time(empty.samples.median_us)} when it is empty" if empty else ""


def _drawable(probe: ProbeTimes) -> bool:
    return any(time_of(probe.full, condition) is not None for condition in CONDITIONS)


def _part(probe: ProbeTimes, part: str, condition: str) -> tuple[Timed | None, str]:
    pair = getattr(probe, part)
    timed = time_of(pair, condition)
    return timed, "" if timed else absence(pair, condition)


# ---- the drawing ---------------------------------------------------------------------------------------------------


def _traces() -> list[dict[str, Any]]:
    """Bars, their words, the line that carries the full time down, the sum, other people's figures and their words."""
    line = {"type": "scatter", "mode": "lines", "x": [], "y": [], "hoverinfo": "skip"}
    thin = row_bars([], [], [], [], width=0.05, name="published")
    told = words([], [], [], "@muted", textposition="middle right", textfont={"size": 11})
    return [row_bars([], [], [], []), row_words([], []), line, row_bars([], [], [], []), thin, told]


def _steps(
    evidence: Evidence, slug: str, condition: str, probe: ProbeTimes, proofs: dict[str, Proof], published: str
) -> tuple[Step, ...]:
    times = {part: _part(probe, part, condition) for part in PARTS}
    captions = {part: _caption(evidence, part, condition, times, proofs.get(part)) for part in PARTS}
    axis = _axis(evidence, slug, probe, published)
    steps = []
    for count, part in enumerate(PARTS, start=1):
        shown = PARTS[:count]
        listing = (f"{slug}_{part}",) if part in proofs else ()
        data = _state(evidence, slug, condition, probe, shown, published, together=False)
        steps.append(Step(part, NAMES[part], captions[part], data, ALL[: len(data)], axis, listing))
    if all(times[part][0] is not None for part in PARTS):
        data = _state(evidence, slug, condition, probe, PARTS, published, together=True)
        caption = _overlap(evidence, condition, {part: timed for part, (timed, _) in times.items() if timed})
        steps.append(Step("together", "The halves together", caption, data, ALL[: len(data)], axis))
    return tuple(steps)


def _axis(evidence: Evidence, slug: str, probe: ProbeTimes, published: str) -> dict[str, Any]:
    """One linear scale for both conditions of a rung, so that cold and warm can be compared by eye."""
    highest = 0.0
    for condition in CONDITIONS:
        medians = [
            timed.samples.median_us if timed else 0.0 for timed, _ in (_part(probe, p, condition) for p in PARTS)
        ]
        printed = [
            _printed(evidence, published_set(evidence, published), slug, condition, part) or 0.0 for part in PARTS
        ]
        highest = max(highest, medians[0], medians[1] + medians[2], *printed)
    return {"xaxis": {"range": [0, round(highest * 1.06, 3)]}}


def _state(
    evidence: Evidence,
    slug: str,
    condition: str,
    probe: ProbeTimes,
    shown: tuple[str, ...],
    published: str,
    together: bool,
) -> tuple[dict[str, Any], ...]:
    rows: list[float] = []
    values: list[float | None] = []
    colors: list[str] = []
    ids: list[str] = []
    hover: list[str] = []
    texts: list[str] = []
    for row, part in enumerate(shown):
        timed, why = _part(probe, part, condition)
        us = round(timed.samples.median_us, 4) if timed else None
        rows.append(row)
        values.append(us)
        colors.append(COLORS[part])
        ids.append(f"{evidence.subject}.probes.{slug}.{part}.{condition}")
        told = fmt_time(us) if us is not None else why
        hover.append(f"{NAMES[part]}, {condition}: {safe(told)}")
        texts.append(f"<b>{NAMES[part]}</b>  {told.split(':')[0]}")
    bars = row_bars(rows, values, colors, ids)
    loads, maths = values[1:3] if together else (None, None)
    added = row_bars([], [], [], [])
    if loads is not None and maths is not None:
        added = row_bars([3, 3], [loads, maths], colors[1:], ids[1:], [0, loads])
        texts.append(f"<b>One after the other</b>  {fmt_time(loads + maths)}, added up")
    full = values[0]
    line = {"line": {"color": "@ink", "width": 1, "dash": "dot"}} | _down(full, len(texts), bool(published))
    label = row_words(list(range(len(texts))), texts)
    return (
        _changed(bars) | {"hovertext": hover},
        {key: label[key] for key in ("x", "y", "text")},
        line,
        _changed(added) | {"hovertext": hover[1:]},
        *(_marks(evidence, slug, condition, shown, published) if published else ()),
    )


def _down(full: float | None, rows: int, published: bool) -> dict[str, Any]:
    """The full time carried down past ``rows`` rows, with gaps where their words may reach as far."""
    first, last = -BAR / 2, BAR / 2 if published else 1 + LABEL - BAR / 2
    below = range(rows) if full is not None and rows > 1 else range(0)
    ys = [y for row in below for y in (round(row + first, 2), round(row + last, 2), None)]
    return {"x": [full if y is not None else None for y in ys], "y": ys}


def _changed(bars: dict[str, Any]) -> dict[str, Any]:
    return {key: bars[key] for key in ("x", "y", "base", "marker", "ids")}


def _marks(
    evidence: Evidence, slug: str, condition: str, shown: tuple[str, ...], published: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What others printed for the rung at the same place in their ladder: a thin bar under the part's, and words."""
    found = published_set(evidence, published)
    ys: list[float] = []
    xs: list[float | None] = []
    texts: list[str] = []
    for row, part in enumerate(shown):
        value = _printed(evidence, found, slug, condition, part)
        if found is not None and value is not None:
            xs.append(value)
            ys.append(row + 0.23)
            texts.append(f"{fmt_time(value)} published for {safe(found.data.card.name)}")
    bars = _changed(row_bars(ys, xs, ["@muted"] * len(ys), [f"published.{y}" for y in ys])) | {"hovertext": texts}
    return bars, {"x": [0] * len(ys), "y": [y + 0.15 for y in ys], "text": texts}


def _printed(evidence: Evidence, found: PublishedSet | None, slug: str, condition: str, part: str) -> float | None:
    order = list(rung_titles(evidence))
    if found is None or slug not in order:
        return None
    return found.number(f"probes.{order.index(slug) + 1}.{condition}.{part}_us")


# ---- the words -----------------------------------------------------------------------------------------------------


def _caption(
    evidence: Evidence, part: str, condition: str, times: dict[str, tuple[Timed | None, str]], proof: Proof | None
) -> str:
    timed, why = times[part]
    full = times["full"][0]
    what = {
        "full": "The whole kernel",
        "loads_only": "With every load and no multiply the kernel",
        "math_only": f"With every multiply and no load{' in its loop' if proof and proof.loads else ''} the kernel",
    }[part]
    if timed is None:
        told = f"{what} has no {condition} time here ({why})."
    elif part == "full" or full is None:
        told = f"{what} takes {fmt_time(timed.samples.median_us)} {condition}."
    else:
        pair = compare(timed, full, twin_of(evidence, condition))
        told = f"{what} takes {fmt_time(pair.ours_us)} {condition}, {pair.beside('the full kernel')}."
    return f"{told} {proof.words if proof else 'Its compiled code was not recorded'}."


def _overlap(evidence: Evidence, condition: str, times: dict[str, Timed]) -> str:
    """The full time against its two bounds: the halves after each other, and the longer half alone."""
    full, loads, maths = (times[part] for part in PARTS)
    twins = twin_of(evidence, condition)
    whole, load, math = (timed.samples.median_us for timed in (full, loads, maths))
    longer, name = (loads, "loads") if load >= math else (maths, "math")
    resolution = compare(full, loads, twins).resolution_us + compare(full, maths, twins).resolution_us
    start = f"After each other the halves would take {fmt_time(load + math)}; the full kernel takes {fmt_time(whole)}"
    if whole > load + math + resolution:
        return f"{start}: more than both halves, so the full kernel pays for something that neither half has."
    if whole >= load + math - resolution:
        return f"{start}: within the resolution nothing overlaps."
    if compare(full, longer, twins).same:
        return f"{start}, the same as its {name} alone within the resolution: the other half hides behind it entirely."
    if whole < max(load, math):
        return (
            f"{start}, less than its {name} alone. So the part that was left runs differently here than inside the "
            "full kernel, and no overlap can be worked out from it."
        )
    hidden = load + math - whole
    share = significant(100 * hidden / min(load, math), 2)
    return f"{start}, so {fmt_time(hidden)} of them overlap: {share}\u202f% of the shorter half."


def _table(rungs: dict[str, ProbeTimes], titles: dict[str, str], proofs: dict[str, dict[str, Proof]]) -> DataTable:
    rows = []
    for slug, probe in rungs.items():
        for part in PARTS:
            proof = proofs[slug].get(part)
            counts = proof.in_loop if proof else ("", "")
            for row in time_rows(getattr(probe, part)):
                rows.append((titles.get(slug, slug), NAMES[part].lower(), *row, *counts))
    columns = ("rung", "part", *TIME_COLUMNS, "loads in its loop", "multiplies in its loop")
    numeric = (*(2 + i for i in NUMERIC_TIME_COLUMNS), 6, 7)
    return DataTable(
        columns, tuple(rows), numeric, "Times of whole kernels and their halves, and what their SASS holds."
    )
