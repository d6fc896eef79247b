"""What does each word and each machine instruction mean, and where is it used? The page under glossary/."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from publisher.article.roles import GLOSSARY_URL
from publisher.pages.figure_view import inline_code
from publisher.pages.render import GlossaryEntry, GlossaryPage, Link, render_glossary

if TYPE_CHECKING:
    from publisher.pages.site import Edition


def files(edition: Edition, common: dict[str, Any]) -> dict[str, str | bytes]:
    """``glossary/index.html``: terms by name, then opcodes by name."""
    terms = [
        GlossaryEntry(slug, term.name, term.html, "term", _used(edition, slug))
        for slug, term in sorted(edition.content.terms.items(), key=lambda item: item[1].name.lower())
    ]
    opcodes = [
        GlossaryEntry(opcode_id(name), name, _opcode(entry), "opcode")
        for name, entry in sorted(edition.content.opcodes.items())
    ]
    return {GLOSSARY_URL: render_glossary(GlossaryPage(**common, entries=(*terms, *opcodes)))}


def opcode_id(name: str) -> str:
    return f"op-{name.lower().replace('.', '-')}"


def _opcode(entry: dict[str, Any]) -> str:
    rows = "".join(
        f"<dt><code>.{escape(name)}</code></dt><dd>{inline_code(text)}</dd>"
        for name, text in entry["modifiers"].items()
    )
    suffixes = f'<dl class="modifiers">{rows}</dl>' if rows else ""
    return f"<p>{escape(entry['name'])}. {inline_code(entry['does'])}</p>{suffixes}"


def _used(edition: Edition, slug: str) -> tuple[Link, ...]:
    """The first use in each article, on its first card."""
    links = []
    for article in edition.content.articles:
        for page in edition.of(article)[:1]:
            if slug in page.terms:
                links.append(Link(article.title, f"../{article.slug}/index.html#{page.terms[slug]}"))
    return tuple(links)
