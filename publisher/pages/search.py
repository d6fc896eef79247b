"""What can a reader search for? Sections, figures, terms and instructions, each with its place in the site."""

from __future__ import annotations

from typing import TYPE_CHECKING

from publisher.article.roles import GLOSSARY_URL
from publisher.figures.kit.figure import SteppedFigure
from publisher.pages import glossary_page
from publisher.pages.render import SearchEntry

if TYPE_CHECKING:
    from publisher.pages.site import Edition

SEARCH_CHARS = 160


def search_entries(edition: Edition) -> list[SearchEntry]:
    """Sections and figures of each article on its first card, then terms and instructions."""
    entries = []
    for article in (*edition.content.articles, *([edition.docs.article] if edition.docs else [])):
        url = f"{article.slug}/index.html"
        for chapter in article.chapters:
            for part in chapter.document.parts:
                text = (
                    part.text if len(part.text) <= SEARCH_CHARS else part.text[:SEARCH_CHARS].rsplit(" ", 1)[0] + " …"
                )
                entries.append(SearchEntry(part.title, "section", f"{url}#{article.places.ids[part.heading]}", text))
        for page in edition.of(article)[:1]:
            for drawn in page.figures.values():
                if isinstance(drawn.figure, SteppedFigure):
                    entries.append(SearchEntry(drawn.figure.title, "figure", f"{url}#fig-{drawn.name}", article.title))
    for slug, term in edition.content.terms.items():
        entries.append(SearchEntry(term.name, "term", f"{GLOSSARY_URL}#{slug}", term.text))
    for name, opcode in edition.content.opcodes.items():
        entries.append(SearchEntry(name, "opcode", f"{GLOSSARY_URL}#{glossary_page.opcode_id(name)}", opcode["name"]))
    return entries
