"""What becomes of a rung's main loop on other architectures? Its instructions by kind, and listed side by side.

Compiling needs no card, so architectures that nobody recorded on appear too. Nothing here is a time.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

from publisher.figures.kit.by_arch import HOLLOW, KINDS, Row, counts_of, listings_of, rows_of, topics_of
from publisher.figures.kit.figure import Choice, DataTable, Evidence, Listing, Provenance, Step, SteppedFigure
from publisher.figures.kit.options import RungNames
from publisher.figures.kit.rows import row_bars, row_words, rows_height, rows_layout, safe
from publisher.figures.kit.style import fmt_count, lacking, listed, merged, no_rung, rerecord
from sass.explanations import family

UNNAMED = ("branches", "other")  # colours that carry no text
NAMED = 0.055  # of the longest bar: a segment of this length has room for its number


def draw(evidence: Evidence, rungs: RungNames = "") -> SteppedFigure:
    """``rungs``: slugs between blanks or commas, the last rung without any. Those without a loop here are left out."""
    own = evidence.need("code").results.rungs
    wanted = rungs.replace(",", " ").split() or list(own)[-1:]
    by_rung = {slug: rows_of(evidence, slug) for slug in wanted if slug in own}
    mine = {slug: next((r for r in rows if r.card.slug == evidence.card.slug), None) for slug, rows in by_rung.items()}
    drawn = {slug: (row, by_rung[slug]) for slug, row in mine.items() if row is not None}
    if not drawn:
        if len(wanted) == 1 and wanted[0] not in own:
            raise no_rung(evidence, wanted[0], list(own))
        codes = [own[slug].code for slug in wanted if slug in own]
        what = f"there is no loop of {listed(wanted)}; there are the rungs {listed(list(own))}"
        raise lacking(evidence, "code", what, codes)
    titles = {slug: own[slug].title for slug in drawn}
    listings = {slug: listings_of(evidence, slug, rows) for slug, (_, rows) in drawn.items()}
    longest = max(len(row.loop) for _, rows in drawn.values() for row in rows)
    bars = {slug: _traces(evidence, slug, rows) for slug, (_, rows) in drawn.items()}
    frames = {
        slug: [_frame(bars, slug, n, longest) for n in (None, *range(len(rows)))] for slug, (_, rows) in drawn.items()
    }
    sequences = {
        slug: _steps(frames[slug], titles[slug], home, rows, listings[slug]) for slug, (home, rows) in drawn.items()
    }
    most = max(len(rows) for _, rows in drawn.values())
    first = next(iter(sequences.values()))[0]
    return SteppedFigure(
        title="The same loop on other architectures",
        alt=f"A bar for each architecture, made of counts of instructions. {first.caption}",
        data=tuple(map(merged, (_band(), *itertools.chain(*bars.values())), first.data)),
        layout=_layout(most, longest),
        narrow={"margin": {"t": 66}, "legend": {"font": {"size": 11}}},
        sequences=sequences if len(sequences) > 1 else {"": next(iter(sequences.values()))},
        table=_table(evidence, titles, {slug: rows for slug, (_, rows) in drawn.items()}),
        provenance=_provenance(rows for _, rows in drawn.values()),
        rerecord=rerecord(evidence.subject, "code"),
        choices=(Choice("rung", "Rung", tuple(titles.items())),) if len(titles) > 1 else (),
        topics=topics_of(evidence, (row for _, rows in drawn.values() for row in rows)),
        listings=tuple(one for found in listings.values() for one in dict.fromkeys(found.values())),
        height=rows_height(most, 52) + 38,
        narrow_height=rows_height(most, 52) + 62,
    )


def _provenance(by_rung: Iterable[list[Row]]) -> tuple[Provenance, ...]:
    """Each card that was recorded on, and the architectures that were only compiled for."""
    rows = {row.card.slug: row for rows in by_rung for row in rows}.values()
    found = [Provenance.recorded(row.recording) for row in rows if not row.card.compile_only]
    compiled = [row for row in rows if row.card.compile_only]
    if compiled:
        archs = listed([row.arch for row in compiled])
        how = f"the loops for {archs} were compiled from the same sources, without a card."
        found.append(Provenance.derived(how, *(row.recording for row in compiled)))
    return tuple(found)


# ---- steps ---------------------------------------------------------------------------------------------------------


def _steps(
    frames: Sequence[tuple[dict[str, Any], ...]], title: str, home: Row, rows: list[Row], listings: dict[str, Listing]
) -> tuple[Step, ...]:
    own = listings[home.card.slug].slug
    beside = [row for row in rows if listings[row.card.slug].slug != own][-1:]
    first = (own, *(listings[row.card.slug].slug for row in beside))
    steps = [Step("all", "All", _overview(title, home, rows, beside), frames[0], (), {}, first)]
    for row, frame in zip(rows, frames[1:], strict=True):
        shown = tuple(dict.fromkeys((own, listings[row.card.slug].slug)))
        lit = _lit(row, home, listings) if row is not home else ()
        slug = row.card.slug.replace("-", "_")
        name = row.arch if row.card.compile_only else row.recording.card.name
        steps.append(Step(slug, name, _caption(title, home, row), frame, (), {}, shown, lit))
    return tuple(steps)


def _lit(row: Row, home: Row, listings: dict[str, Listing]) -> tuple[str, ...]:
    """The lines of either loop whose opcode the other has not."""
    lit = []
    for mine, other in ((row, home), (home, row)):
        name = listings[mine.card.slug].slug
        lit += [f"{name}-{i.offset:x}" for i in mine.loop if family(i) not in other.families]
    return tuple(lit)


def _overview(title: str, home: Row, rows: list[Row], beside: list[Row]) -> str:
    sizes = sorted({len(row.loop) for row in rows})
    spread = f"{sizes[0]} to {sizes[-1]} instructions" if len(sizes) > 1 else fmt_count(sizes[0], "instruction")
    common = sorted(name for name in home.families if all(name in row.families for row in rows))
    told = listed([f"`{name}`" for name in common])
    archs = len({row.arch for row in rows})
    listing = f" Listed are the loop for the page's card, {home.name}, and that for {beside[0].name}." if beside else ""
    return (
        f"One pass of the main loop of {title}, compiled for {fmt_count(archs, 'architecture')}: {spread}. All of them "
        f"have {told}.{listing}"
    )


def _caption(title: str, home: Row, row: Row) -> str:
    how = "compiled only, without a card" if row.card.compile_only else f"recorded on {row.recording.card.name}"
    text = f"{title} for {row.arch}, {how}, by {row.compiler}: {fmt_count(len(row.loop), 'instruction')} a pass."
    if row is home:
        return f"{text} This is the page's card."
    if row.arch == home.arch and row.compiler != home.compiler:
        text += f" The architecture is that of the page's card; its loop was made by {home.compiler}."
    here = sorted(name for name in row.families if name not in home.families)
    there = sorted(name for name in home.families if name not in row.families)
    for names, where in ((here, "which the loop of the page's card has not"), (there, None)):
        if names:
            told = listed([f"`{name}`" for name in names])
            text += f" It has {told}, {where}." if where else f" It lacks {told}."
    return text if here or there else f"{text} It is made of the same opcodes as the loop of the page's card."


# ---- the drawing ---------------------------------------------------------------------------------------------------


def _traces(evidence: Evidence, slug: str, rows: list[Row]) -> list[dict[str, Any]]:
    """The bars of one rung, a trace a kind that any row has, and the names of its rows."""
    counts = [counts_of(evidence, row) for row in rows]
    longest = max(len(row.loop) for row in rows)
    places = list(range(len(rows)))
    starts = [0] * len(rows)
    traces = []
    for kind, color, *_ in KINDS:
        have = [place for place in places if counts[place][kind]]
        if not have:
            continue
        values = [counts[place][kind] for place in have]
        ids = [f"{evidence.subject}.code.{slug}.{rows[n].card.slug}.{kind.replace(' ', '_')}" for n in have]
        named = [str(n) if n >= longest * NAMED and kind not in UNNAMED else "" for n in values]
        traces.append(
            row_bars(
                have,
                values,
                [],
                ids,
                [starts[place] for place in have],
                name=kind,
                text=named,
                textposition="inside",
                hovertext=[f"{safe(rows[n].name)}, {kind}: {value}" for n, value in zip(have, values, strict=True)],
                marker={"color": color, "line": {"color": "@muted", "width": int(color == HOLLOW)}},
                insidetextanchor="middle",
                textangle=0,
                constraintext="none",
                textfont={"size": 11, "color": "@paper"},
            )
        )
        starts = [start + count[kind] for start, count in zip(starts, counts, strict=True)]
    names = [f"<b>{safe(row.arch)}</b>  {_tail(row)}" for row in rows]
    return [*traces, row_words(places, names, showlegend=False)]


def _band() -> dict[str, Any]:
    """A band behind the row that a step is about."""
    return row_bars([], [], [], [], [], hoverinfo="skip", marker={"color": "@surface"}, width=0.84, showlegend=False)


def _frame(
    bars: dict[str, list[dict[str, Any]]], slug: str, place: int | None, longest: int
) -> tuple[dict[str, Any], ...]:
    """Overrides of a step: the band, and of each rung's traces whether they are seen."""
    band: dict[str, Any] = {"x": [], "y": [], "base": []}
    if place is not None:
        band = {"x": [longest * 2], "y": [place - 0.13], "base": [-longest]}
    seen = [{"visible": one == slug} for one, traces in bars.items() for _ in traces]
    return band, *seen


def _tail(row: Row) -> str:
    count = fmt_count(len(row.loop), "instruction")
    return count if row.card.compile_only else f"{count}, {safe(row.recording.card.name)}"


def _layout(rows: int, longest: int) -> dict[str, Any]:
    legend = {
        "orientation": "h",
        "x": 0,
        "xanchor": "left",
        "y": 1,
        "yanchor": "bottom",
        "traceorder": "normal",
        "font": {"size": 12, "color": "@ink"},
        "itemclick": False,
        "itemdoubleclick": False,
    }
    layout = rows_layout(rows, "instructions in one pass of the loop", longest * 1.02)
    return merged(layout, {"showlegend": True, "legend": legend, "margin": {"l": 16, "r": 16, "t": 42, "b": 44}})


def _table(evidence: Evidence, titles: dict[str, str], by_rung: dict[str, list[Row]]) -> DataTable:
    rows = []
    for slug, found in by_rung.items():
        for row in found:
            counts = [str(n) for n in counts_of(evidence, row).values()]
            rows.append((titles[slug], row.name, row.ptxas, str(len(row.loop)), *counts))
    columns = ("rung", "architecture", "ptxas", "instructions", *(kind for kind, *_ in KINDS))
    caption = "Instructions of one pass of the main loop, by kind. What never executes is left out."
    return DataTable(columns, tuple(rows), tuple(range(3, len(columns))), caption)
