"""What site do the browser tests read? Made-up figures, rendered by the same templates as any other."""

from __future__ import annotations

from pathlib import Path

from publisher.figures.kit.figure import Choice, CodeLine, DataTable, Listing, Missing, Provenance, Step, SteppedFigure
from publisher.pages.assets import copy_assets
from publisher.pages.render import (
    ArticlePage,
    ArticleSummary,
    CardLink,
    CardSummary,
    ClaimRow,
    ClaimsPage,
    GlossaryEntry,
    GlossaryPage,
    HomePage,
    Link,
    SearchEntry,
    Section,
    Verdict,
    pictures_script,
    render_article,
    render_claims,
    render_figure,
    render_glossary,
    render_home,
)
from publisher.pages.sparkline import Rung

NAMES = ("one", "two", "three", "four", "five")
TIMES = (500.0, 230.0, 90.0, 41.0, 9.5)
AXIS = {"gridcolor": "@grid", "tickfont": {"color": "@muted"}, "automargin": True, "zeroline": False}
CARDS = (CardLink("card-a", "Card A", "card-a.html"), CardLink("card-b", "Card B", "card-b.html"))
ARTICLE = "sample/card-a.html"
PAGES = ("index.html", "claims.html", "glossary.html", ARTICLE)


def rungs() -> SteppedFigure:
    """Bars that appear one a step, with a source and a SASS listing that point at each other."""
    base = {
        "type": "bar",
        "x": list(NAMES),
        "ids": [f"sample.{name}.cold" for name in NAMES],
        "marker": {"color": "@cold"},
    }
    steps = tuple(
        Step(
            name,
            name.capitalize(),
            f"Rung `{name}` takes {TIMES[place]} µs, which is written here at some length so that captions differ.",
            ({"y": [*TIMES[: place + 1], *[None] * (len(NAMES) - place - 1)]},),
            (0,),
            {"title": {"text": name}},
            ("source", "sass") if place else ("source",),
            ("source-1",) if place else (),
        )
        for place, name in enumerate(NAMES)
    )
    source = (
        CodeLine(
            "source-0",
            "for (int k = 0; k < K; ++k) {  // a loop long enough to need a scroll bar of its own",
            ("loop",),
            (),
            "",
            "10",
        ),
        CodeLine(
            "source-1", "  sum += w[k] * x[k];", ("loop", "math"), ("sass-1", "sass-2"), "Adds one `product`.", "11"
        ),
        CodeLine("source-2", "}", ("loop",), (), "", "12"),
    )
    sass = (
        CodeLine("sass-0", "MOV R1, c[0x0][0x28]", (), (), "", "0000"),
        CodeLine("sass-1", "LDG.E R2, [R4.64]", ("loop", "load"), (), "Loads.", "0010"),
        CodeLine("sass-2", "FFMA R0, R2, R3, R0", ("loop", "math"), (), "Multiplies and adds.", "0020"),
    )
    return SteppedFigure(
        title="Rungs",
        alt="One bar: rung one takes 500 µs.",
        data=(base,),
        layout={
            "xaxis": {**AXIS, "type": "category"},
            "yaxis": {**AXIS, "range": [0, 520]},
            "margin": {"l": 40, "r": 8, "t": 30, "b": 30},
        },
        sequences={"": steps},
        table=DataTable(("rung", "cold"), tuple(zip(NAMES, map(str, TIMES), strict=True)), (1,), "Times, µs"),
        provenance=(Provenance("recorded", "Recorded on Card A, never."),),
        rerecord="python -m recorder --gpu 0 --only sample/times",
        listings=(Listing("source", "rung.cu", "cuda", source), Listing("sass", "Machine code", "sass", sass)),
        narrow={"xaxis": {"tickangle": -45}},
        height=300,
        narrow_height=260,
    )


def halves() -> SteppedFigure:
    """Two choices of two options each; one of the four combinations was not measured."""
    base = {"type": "scatter", "mode": "markers", "x": [1, 2], "y": [1, 2], "marker": {"color": "@s2", "size": 14}}

    def steps(scale: int) -> tuple[Step, ...]:
        found = [("full", "Full kernel"), ("loads", "Loads only"), ("math", "Math only")][: 3 if scale < 3 else 2]
        return tuple(
            Step(slug, title, f"{title} at {scale}.", ({"y": [scale, place]},), (0,))
            for place, (slug, title) in enumerate(found)
        )

    return SteppedFigure(
        title="Halves",
        alt="Two points.",
        data=(base,),
        layout={"xaxis": AXIS, "yaxis": {**AXIS, "range": [-1, 5]}},
        sequences={"six,cold": steps(1), "six,warm": steps(2), "seven,cold": steps(3)},
        table=DataTable(("part", "value"), (("full, with a comma", "1"), ('with "quotes"', "2")), (1,)),
        provenance=(
            Provenance("derived", "Derived: twice the half."),
            Provenance("published", "Published, not recorded here: elsewhere."),
        ),
        rerecord="python -m recorder --gpu 0 --only sample/probes",
        choices=(
            Choice("rung", "Rung", (("six", "Six"), ("seven", "Seven"))),
            Choice("condition", "Weights", (("cold", "cold"), ("warm", "warm"))),
        ),
        height=280,
        narrow_height=240,
    )


def cells() -> SteppedFigure:
    """A grid of 132 cells and more steps than there is room for names."""
    count = 132
    base = {
        "type": "bar", "x": [place % 11 for place in range(count)], "y": [0.88] * count,
        "base": [place // 11 - 0.44 for place in range(count)],
        "width": 0.88, "marker": {"color": ["@surface"] * count}, "hoverinfo": "none",
    }  # fmt: skip
    steps = tuple(
        Step(
            f"moment-{moment}",
            f"Moment {moment}",
            f"{moment} rows at work.",
            ({"marker": {"color": _row_colours(moment, count)}},),
            (0,),
        )
        for moment in range(12)
    )
    hidden = {"visible": False, "fixedrange": True}
    return SteppedFigure(
        title="Cells",
        alt="132 cells, all idle.",
        data=(base,),
        layout={
            "xaxis": {**hidden, "range": [-0.6, 10.6]},
            "yaxis": {**hidden, "range": [11.6, -0.6]},
            "margin": {"l": 0, "r": 0, "t": 0, "b": 0},
        },
        sequences={"": steps},
        table=DataTable(("SM", "blocks"), tuple((str(place), "1") for place in range(40)), (0, 1)),
        provenance=(Provenance.authored("a scheme of the chip."),),
        rerecord="python -m recorder --gpu 0 --only sample/placement",
        height=360,
        narrow_height=320,
    )


def _row_colours(rows: int, count: int) -> list[str]:
    return [f"@q{place % 9}" if place // 11 < rows else "@surface" for place in range(count)]


def figures() -> dict[str, SteppedFigure]:
    return {"rungs": rungs(), "halves": halves(), "cells": cells()}


def write_site(dist: Path) -> Path:
    """The whole sample site below ``dist``; returns ``dist``."""
    (dist / "sample").mkdir(parents=True)
    index = [
        SearchEntry("Warp", "term", "glossary.html#warp", "32 threads that run together."),
        SearchEntry("The question", "section", f"{ARTICLE}#question", "What is the fastest way to multiply?"),
        SearchEntry("Cells", "figure", f"{ARTICLE}#fig-cells", "132 cells"),
    ]
    common = {"site_title": "Sample", "assets": copy_assets(dist, search=index), "description": "A site for tests."}
    for card in CARDS:
        (dist / "sample" / card.url).write_text(render_article(_article(card, common)), encoding="utf-8")
    name, text = pictures_script(figures())
    (dist / "sample" / name).write_text(text, encoding="utf-8")
    (dist / "index.html").write_text(render_home(_home(common)), encoding="utf-8")
    verdicts = (
        Verdict("card-a", True, "9.5 µs, 9.6 µs", f"{ARTICLE}#question"),
        Verdict("card-b", None, "no recording"),
    )
    claim = ClaimRow(
        "same(sample.four.cold, sample.five.cold)",
        "<p>Both are the same.</p>",
        False,
        "content/x.md:3",
        "Sample",
        verdicts,
    )
    claims = ClaimsPage(title="Claims", root=".", cards=CARDS, claims=(claim,), **common)  # type: ignore[arg-type]
    (dist / "claims.html").write_text(render_claims(claims), encoding="utf-8")
    entries = (
        GlossaryEntry(
            "warp",
            "warp",
            "<p>32 threads that run together.</p>",
            "term",
            (Link("The question", f"{ARTICLE}#question"),),
        ),
        GlossaryEntry("op-ldg", "LDG", "<p>Loads from global memory.</p>", "opcode"),
    )
    glossary = GlossaryPage(title="Glossary", root=".", entries=entries, **common)  # type: ignore[arg-type]
    (dist / "glossary.html").write_text(render_glossary(glossary), encoding="utf-8")
    return dist


def _article(card: CardLink, common: dict) -> ArticlePage:
    html = {name: render_figure(name, figure, None, inline=name == "halves") for name, figure in figures().items()}
    missing = render_figure(
        "counters", Missing("Card A has no recording of sample/counters", "python -m recorder --gpu 0"), None
    )
    note = '<div class="margin-note" role="note"><p class="margin-note-title">Train</p><p>Timed together.</p></div>'
    sections = (
        Section("question", "The question", _prose() + note + html["rungs"] + _prose()),
        Section("answer", "The answer", html["halves"], (Section("chip", "The chip", html["cells"] + missing),)),
        Section("end", "The end", _prose() * 6),
    )
    return ArticlePage(
        title="A sample", root="..", slug="sample", lede="What a page can hold.", card=card, cards=CARDS,
        sections=sections,
        reading_minutes=3, recorded="1 May 2026", quick=True,
        figures=(Link("Rungs", "#fig-rungs"), Link("Halves", "#fig-halves")),
        next=Link("Home", "../index.html"), pictures=pictures_script(figures())[0], **common,
    )  # fmt: skip


def _prose() -> str:
    note = "Recorded: Card A, median of `500` samples."
    number = f'<data class="num" value="9.5" data-keys="sample.five.cold" tabindex="0" data-note="{note}">9.5 µs</data>'
    term = '<a class="term" href="../glossary.html#warp">warp</a>'
    step = '<a class="step-link" href="#fig-rungs/four">the fourth rung</a>'
    return f"<p>A {term} of the last rung needs {number}, less than {step}; <code>__syncthreads()</code> waits.</p>\n"


def _home(common: dict) -> HomePage:
    rungs = tuple(Rung(name, name, time) for name, time in zip(NAMES, TIMES, strict=True))
    summary = CardSummary(CardLink("card-a", "Card A", ARTICLE), "five", "9.5 µs", "the library", "12 µs", rungs)
    article = ArticleSummary("sample", "A sample", "What a page can hold.", ARTICLE, 3, 3, (summary,))
    return HomePage(title="Sample", root=".", lede="A site for tests.", articles=(article,), **common)
