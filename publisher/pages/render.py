"""What does each page hold, and how does that become HTML? Dataclasses in, text out; no file is written here.

Every ``url`` is relative to the page that shows it; every ``html`` is trusted markup made by the publisher, any other
string is plain text that the templates escape. ``root`` leads from a page's folder to the output's root ("." or "..").
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from publisher.figures.kit.figure import Missing, SteppedFigure
from publisher.pages.assets import Assets, hashed_name
from publisher.pages.figure_view import breakable, figure_view, inline_code, spec_json
from publisher.pages.heights import room
from publisher.pages.sparkline import Rung, sparkline
from publisher.pictures.stills import Still

TEMPLATES = Path(__file__).parents[2] / "site" / "templates"


@dataclass(frozen=True)
class Link:
    title: str
    url: str


@dataclass(frozen=True)
class CardLink:
    """A card in the switcher. ``url`` leads to the same article on that card, or to its nearest page."""

    slug: str
    name: str
    url: str


@dataclass(frozen=True)
class Section:
    """A chapter or one of its parts. ``html`` is its body without the heading, which the template writes."""

    id: str
    title: str
    html: str
    subsections: tuple[Section, ...] = ()
    heading: str = ""  # HTML of the title, where it has emphasis or code

    @property
    def room(self) -> str:
        return room(self.html + "".join(part.title + part.html for part in self.subsections))


@dataclass(frozen=True, kw_only=True)
class Page:
    """What every page has. ``canonical``, ``og_image`` and ``feed`` are absolute, and None where no site URL is set."""

    title: str
    site_title: str
    root: str
    assets: Assets
    description: str = ""
    canonical: str | None = None
    og_image: str | None = None
    feed: str | None = None
    home_url: str = "index.html"  # relative to root, as are those below
    claims_url: str = "claims.html"
    glossary_url: str = "glossary.html"
    docs_url: str = ""  # "" where the site has no documentation


@dataclass(frozen=True, kw_only=True)
class ArticlePage(Page):
    slug: str
    lede: str  # HTML of the opening paragraph, without <p>
    card: CardLink
    cards: tuple[CardLink, ...]  # all cards that have this article, this one included
    sections: tuple[Section, ...]
    reading_minutes: int
    recorded: str = ""  # date of the newest recording, as a person writes it
    stale: tuple[str, ...] = ()  # a sentence a recording whose kernel changed since
    quick: bool = False  # recorded with --quick: fewer samples
    throttled: bool = False
    figures: tuple[Link, ...] = ()  # index of figures: title and "#fig-NAME"
    previous: Link | None = None
    next: Link | None = None
    pictures: str = ""  # URL of what pictures_script made, for figures rendered with inline=False


@dataclass(frozen=True)
class CardSummary:
    """An article's headline on one card. Times are texts with units; None where that was not measured."""

    card: CardLink
    best: str  # name of the fastest rung, cold
    best_cold: str | None
    library: str | None  # name of the library call
    library_cold: str | None
    rungs: tuple[Rung, ...] = ()  # in ladder order, for the small picture
    resolution_us: float = 0.0


@dataclass(frozen=True)
class ArticleSummary:
    slug: str
    title: str
    lede: str  # HTML, as in ArticlePage
    url: str  # of the article on the default card
    reading_minutes: int
    figures: int
    cards: tuple[CardSummary, ...]


@dataclass(frozen=True, kw_only=True)
class HomePage(Page):
    lede: str  # HTML
    articles: tuple[ArticleSummary, ...]


@dataclass(frozen=True)
class Verdict:
    """A claim on one card. ``holds`` is None where a recording it needs is missing; ``detail`` shows the values."""

    card: str  # slug
    holds: bool | None
    detail: str
    url: str = ""  # the place in the article


@dataclass(frozen=True)
class ClaimRow:
    expression: str
    text: str  # HTML of what the article says when it holds
    guarded: bool  # it says something else where it does not hold; the build would fail otherwise
    where: str  # file:line
    article: str
    verdicts: tuple[Verdict, ...]  # one a card, in the order of ``cards``


@dataclass(frozen=True, kw_only=True)
class ClaimsPage(Page):
    cards: tuple[CardLink, ...]
    claims: tuple[ClaimRow, ...]


@dataclass(frozen=True)
class GlossaryEntry:
    slug: str  # also the fragment: glossary.html#SLUG
    name: str
    html: str
    kind: str  # term, opcode
    used: tuple[Link, ...] = ()


@dataclass(frozen=True, kw_only=True)
class GlossaryPage(Page):
    entries: tuple[GlossaryEntry, ...]


@dataclass(frozen=True)
class SearchEntry:
    """``url`` is relative to the root of the output; ``text`` is plain and short, and shown below the title."""

    title: str
    kind: str  # section, figure, term, opcode
    url: str
    text: str = ""


def render_figure(name: str, figure: SteppedFigure | Missing, still: Still | None, inline: bool = True) -> str:
    """The figure as one <rb-figure>, id ``fig-NAME``. ``name`` is unique in its page and may differ from the module's.

    ``inline`` puts the states of its picture into the page; otherwise they come from ``pictures_script``.
    """
    if isinstance(figure, Missing):
        return _render("missing_figure.html", name=name, what=figure.what, command=figure.command)
    return _render("figure.html", view=figure_view(name, figure, still, inline))


def pictures_script(figures: Mapping[str, SteppedFigure | Missing | None]) -> tuple[str, str]:
    """File name and text of a script with the states of all pictures of a page, by the names given to render_figure.

    A figure's states are many times the page's own text, and nobody needs them before the first step. Each is a string
    that is parsed when its figure is opened.
    """
    rows = []
    for name, figure in figures.items():
        if isinstance(figure, SteppedFigure):
            text = spec_json(name, figure).replace("\\", "\\\\").replace("'", "\\'")
            rows.append(f"{json.dumps(name)}: '{text}'")
    text = "window.Rungbook.pictureTexts = {\n" + ",\n".join(rows) + "\n};\n"
    return hashed_name("pictures.js", text.encode()), text


def render_article(page: ArticlePage) -> str:
    return _render("article.html", page=page)


def render_home(page: HomePage) -> str:
    return _render("home.html", page=page)


def render_claims(page: ClaimsPage) -> str:
    return _render("claims.html", page=page)


def render_glossary(page: GlossaryPage) -> str:
    return _render("glossary.html", page=page)


@cache
def _environment() -> Environment:
    loader = FileSystemLoader(TEMPLATES)
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.filters["inline_code"] = inline_code
    made.filters["breakable"] = breakable
    made.globals["sparkline"] = sparkline
    return made


def _render(template: str, **values: Any) -> str:
    return _environment().get_template(template).render(**values)
