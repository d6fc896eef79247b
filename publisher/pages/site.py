"""Which pages and files does the whole site have? From woven articles to texts by path. Pure."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any

from publisher.article.roles import GLOSSARY_URL
from publisher.article.weave import Woven, at_root
from publisher.facts.stale import Stale
from publisher.faults import Fault
from publisher.figures.kit.figure import SteppedFigure
from publisher.pages import claims_page, compare_page, feeds, glossary_page
from publisher.pages.assets import Assets
from publisher.pages.data import data_json
from publisher.pages.headline import headline
from publisher.pages.notes import Asides
from publisher.pages.render import (
    ArticlePage,
    ArticleSummary,
    CardLink,
    HomePage,
    Link,
    Section,
    render_article,
    render_home,
)
from publisher.pictures.share import Share, find_share, share_of
from publisher.pictures.stills import STILLS
from publisher.source.content import Article, Content
from schema.recording import CardRecordings

CLAIMS_URL = "claims/index.html"


@dataclass(frozen=True)
class Edition:
    """Everything checked and woven, before it has places. ``default`` is the slug of the card a reader sees first."""

    content: Content
    cards: Mapping[str, CardRecordings]
    default: str
    woven: tuple[Woven, ...]
    stale: Mapping[str, list[Stale]]
    site_url: str | None
    docs: Woven | None = None
    stills: Path = STILLS  # where pictures drawn before are kept

    def of(self, article: Article) -> list[Woven]:
        """The article on its cards, the default card first."""
        pages = [page for page in self.woven if page.article.slug == article.slug]
        return sorted(pages, key=lambda page: (page.card.slug != self.default, page.card.slug))

    def places(self) -> Iterator[tuple[Woven, str]]:
        """Every article page with its folder: the default card's stands at the article's own address too."""
        for article in self.content.articles:
            for i, page in enumerate(self.of(article)):
                if i == 0:
                    yield page, article.slug
                yield page, f"{article.slug}/{page.card.slug}"

    def absolute(self, path: str) -> str | None:
        """The address of a page where the site's own is known; a folder's page by its folder."""
        return f"{self.site_url.rstrip('/')}/{path.removesuffix('index.html')}" if self.site_url else None


@dataclass(frozen=True)
class Built:
    """A checked site: files by path, and what to say about it."""

    files: dict[str, str | bytes]
    pages: int
    figures: int
    cards: tuple[str, ...]
    woven: tuple[Woven, ...] = field(default=(), repr=False)
    shares: tuple[Share, ...] = field(default=(), repr=False)
    faults: tuple[Fault, ...] = ()  # only where the build was asked to be lenient


def edition_files(edition: Edition, assets: Assets) -> Built:
    """The text of every file but the assets."""
    files: dict[str, str | bytes] = {"index.html": render_home(_home(edition, assets))}
    for page in edition.woven:
        name, text = _asides(page).added_to(page.pictures)
        files[f"{page.article.slug}/{page.card.slug}/{name}"] = text
        shared, picture = _share(edition, page), _picture(edition, page)
        if shared and picture:
            files[f"{page.article.slug}/{page.card.slug}/{shared.name}"] = picture
    for page, place in edition.places():
        files[f"{place}/index.html"] = render_article(_article_page(edition, page, place, assets))
    for article in edition.content.articles:
        for page in edition.of(article):
            files[f"{article.slug}/{page.card.slug}/data.json"] = data_json(edition.cards[page.card.slug], page)
        if len(edition.of(article)) > 1:
            files |= _compare_files(edition, article, assets)
    if edition.docs:
        files |= _docs_files(edition, edition.docs, assets)
    files |= claims_page.files(edition, _common(edition, assets, "Claims", CLAIMS_URL))
    files |= glossary_page.files(edition, _common(edition, assets, "Glossary", GLOSSARY_URL))
    files |= feeds.files(edition)
    drawn = sum(isinstance(d.figure, SteppedFigure) for page in edition.woven for d in page.figures.values())
    pages = sum(name.endswith(".html") for name in files)
    shares = tuple(made for page in edition.woven if (made := _share(edition, page)))
    return Built(files, pages, drawn, tuple(edition.cards), edition.woven, shares)


def _share(edition: Edition, page: Woven) -> Share | None:
    """What stands for an article on a card where a link to it is shared."""
    line = f"{edition.content.title}: as recorded on {page.card.name}"
    return share_of(page.article.title, line, (drawn.figure for drawn in page.figures.values()))


def _picture(edition: Edition, page: Woven) -> bytes | None:
    return find_share(_share(edition, page), edition.stills) if edition.site_url else None


def _common(edition: Edition, assets: Assets, title: str, path: str) -> dict[str, Any]:
    """What every page has."""
    depth = path.count("/")
    return {
        "title": title,
        "site_title": edition.content.title,
        "root": "/".join([".."] * depth) or ".",
        "assets": assets,
        "canonical": edition.absolute(path),
        "feed": edition.absolute(feeds.FEED),
        "home_url": "index.html",
        "claims_url": CLAIMS_URL,
        "glossary_url": GLOSSARY_URL,
        "docs_url": f"{edition.docs.article.slug}/index.html" if edition.docs else "",
    }


def _home(edition: Edition, assets: Assets) -> HomePage:
    articles = []
    for article in edition.content.articles:
        pages = edition.of(article)
        if not pages:
            continue
        first = pages[0]
        summaries = []
        for page in pages:
            url = f"{article.slug}/index.html" if page is first else f"{article.slug}/{page.card.slug}/index.html"
            link = CardLink(page.card.slug, page.card.name, url)
            summaries.append(headline(edition.cards[page.card.slug], article.subject, article.library, link))
        articles.append(
            ArticleSummary(
                slug=article.slug,
                title=article.title,
                lede=at_root(first.lede, ".", f"{article.slug}/index.html"),
                url=f"{article.slug}/index.html",
                reading_minutes=article.reading_minutes,
                figures=len(first.figures),
                cards=tuple(summaries),
            )
        )
    common = _common(edition, assets, edition.content.title, "index.html")
    common["description"] = edition.content.tagline
    lede = escape(edition.content.tagline)
    if edition.docs:
        lede += f'. <a href="{edition.docs.article.slug}/index.html">{escape(edition.docs.article.title)}</a>'
    return HomePage(**common, lede=lede, articles=tuple(articles))


def _article_page(edition: Edition, page: Woven, place: str, assets: Assets) -> ArticlePage:
    article, recordings, asides = page.article, edition.cards[page.card.slug], Asides()
    common = _common(edition, assets, article.title, f"{place}/index.html")
    root = common["root"]
    pages = edition.of(article)
    own = place.count("/") == 0
    common["description"] = page.lede_text
    common["canonical"] = edition.absolute(f"{article.slug}/" if page is pages[0] else f"{place}/")
    shared = _share(edition, page)
    if shared and _picture(edition, page):
        common["og_image"] = edition.absolute(f"{article.slug}/{page.card.slug}/{shared.name}")

    lede = asides.taken_from(at_root(page.lede, root))
    sections = tuple(_placed(section, root, asides) for section in page.sections)

    def link(other: Woven) -> CardLink:
        up = "" if own else "../"
        url = f"{up}index.html" if other is pages[0] else f"{up}{other.card.slug}/index.html"
        return CardLink(other.card.slug, other.card.name, url)

    related = [r for r in recordings.recordings.values() if r.header.subject == article.subject]
    articles = edition.content.articles
    at = articles.index(article)
    return ArticlePage(
        **common,
        slug=article.slug,
        lede=lede,
        card=link(page),
        cards=(*(link(other) for other in pages), *_compare_link(pages, "" if own else "../")),
        sections=sections,
        reading_minutes=article.reading_minutes,
        recorded=_spoken_date(max(r.date for r in related)),
        stale=tuple(stale.sentence for stale in edition.stale.get(page.card.slug, ())),
        quick=any(r.header.quick for r in related),
        throttled=any(_throttled(r.header.conditions) for r in related),
        figures=_figure_links(page),
        previous=_neighbour(edition, articles[at - 1], root) if at > 0 else None,
        next=_neighbour(edition, articles[at + 1], root) if at + 1 < len(articles) else None,
        pictures=f"{root}/{article.slug}/{page.card.slug}/{asides.added_to(page.pictures)[0]}",
    )


def _compare_link(pages: list[Woven], up: str) -> list[CardLink]:
    """The way to the page that sets the cards side by side, where there are several."""
    return [CardLink(compare_page.FOLDER, "Compare", f"{up}{compare_page.FOLDER}/index.html")] if len(pages) > 1 else []


def _compare_files(edition: Edition, article: Article, assets: Assets) -> dict[str, str | bytes]:
    """``<article>/compare/index.html`` and its figure's script."""
    pages, place = edition.of(article), f"{article.slug}/{compare_page.FOLDER}"
    sections, figure, (script, text) = compare_page.sections(edition, pages)
    cards = [CardLink(page.card.slug, page.card.name, f"../{page.card.slug}/index.html") for page in pages]
    cards[0] = CardLink(pages[0].card.slug, pages[0].card.name, "../index.html")
    here = CardLink(compare_page.FOLDER, "Compare", "index.html")
    title = f"{article.title}: {len(pages)} cards"
    page = ArticlePage(
        **_common(edition, assets, title, f"{place}/index.html"),
        slug=article.slug,
        lede="The same kernels and the same text, recorded on each of these cards. Marks and tables say which.",
        card=here,
        cards=(*cards, here),
        sections=sections,
        reading_minutes=1,
        figures=(Link(figure.title, f"#fig-{compare_page.NAME}"),) if figure else (),
        pictures=script,
    )
    return {f"{place}/index.html": render_article(page), f"{place}/{script}": text}


def _docs_files(edition: Edition, page: Woven, assets: Assets) -> dict[str, str | bytes]:
    """``docs/index.html`` and its figures' script: written like an article, with no card to switch to."""
    place, asides = page.article.slug, Asides()
    sections = tuple(_placed(section, "..", asides) for section in page.sections)
    script, text = asides.added_to(page.pictures)
    made = ArticlePage(
        **_common(edition, assets, page.article.title, f"{place}/index.html"),
        slug=place,
        lede=at_root(page.lede, ".."),
        card=CardLink(page.card.slug, page.card.name, "index.html"),
        cards=(),
        sections=sections,
        reading_minutes=page.article.reading_minutes,
        figures=_figure_links(page),
        pictures=script,
    )
    return {f"{place}/index.html": render_article(made), f"{place}/{script}": text}


def _figure_links(page: Woven) -> tuple[Link, ...]:
    drawn = [d for d in page.figures.values() if isinstance(d.figure, SteppedFigure)]
    return tuple(Link(d.figure.title, f"#fig-{d.name}") for d in drawn if isinstance(d.figure, SteppedFigure))


def _neighbour(edition: Edition, article: Article, root: str) -> Link | None:
    return Link(article.title, f"{root}/{article.slug}/index.html") if edition.of(article) else None


def _asides(page: Woven) -> Asides:
    """The notes of all numbers of a page, in the order of the text."""
    asides = Asides()
    asides.taken_from(page.lede)
    for section in page.sections:
        _placed(section, "", asides)
    return asides


def _placed(section: Section, root: str, asides: Asides) -> Section:
    """The section for a page at ``root``, with its numbers' notes set aside."""
    html = asides.taken_from(at_root(section.html, root))
    parts = tuple(_placed(part, root, asides) for part in section.subsections)
    return replace(section, html=html, subsections=parts)


def _throttled(conditions: Any) -> bool:
    return bool(getattr(conditions, "throttle_reasons", ()))


def _spoken_date(date: str) -> str:
    day = datetime.date.fromisoformat(date)
    return f"{day.day} {day:%B %Y}"
