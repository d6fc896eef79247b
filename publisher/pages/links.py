"""Does every link of every page lead somewhere? Asked of the pages as they are written: their files, and each id once.

What an author links to was asked before, where the line is known (see places.py); this finds whatever else there is.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from urllib.parse import unquote

from publisher.faults import Fault, instead
from publisher.source.content import Article
from publisher.source.nodes import Anchor, Directive, Node, Role

# No tag of a page has two of these, and none has a < or > within.
_PLACE = re.compile(r'<[a-z][^<>]*? (id|href|src)="([^"]*)"')
_OUTSIDE = re.compile(r"[a-z]+:")


def link_faults(files: Mapping[str, str | bytes], assets: Collection[str], articles: Iterable[Article]) -> list[Fault]:
    """A fault for every id that stands twice in its page, and every address that nothing of the site has.

    ``files`` are all pages and what they load, by path; ``assets`` the paths of files that were written before.
    """
    by_slug = {article.slug: article for article in articles}
    places = {
        name: [(kind, word, found.start()) for found in _PLACE.finditer(text) for kind, word in [found.groups()]]
        for name, text in files.items()
        if name.endswith(".html") and isinstance(text, str)
    }
    ids = {name: Counter(word for kind, word, _ in found if kind == "id") for name, found in places.items()}
    faults: dict[tuple[str, str, str], Fault] = {}
    for page, found in places.items():
        for kind, word, at in found:
            if kind == "id":
                what = f"the id {word} stands twice in the page {page}" if ids[page][word] > 1 else ""
            else:
                what = _dead(page, unquote(word), files, assets, ids)
            if what and (page, kind, word) not in faults:
                line = str(files[page]).count("\n", 0, at) + 1
                faults[page, kind, word] = _written(what, word, by_slug.get(page.partition("/")[0])) or Fault(
                    page, line, what
                )
    return list(faults.values())


def _dead(
    page: str,
    href: str,
    files: Collection[str],
    assets: Collection[str],
    ids: Mapping[str, Mapping[str, int]],
) -> str:
    """What is wrong with an address in a page; "" where it leads to a file, and to a place in it."""
    path, _, fragment = href.partition("#")
    if _OUTSIDE.match(href):
        return ""
    target = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
    if target not in files and target not in assets:
        return f"the page {page} links to {href}, which is no file of the site"
    place = fragment.partition("?")[0]
    if place and target in ids and place not in ids[target]:
        return f"the page {page} links to {href}, which is no place there; {instead(place, ids[target], limit=6)}"
    return ""


def _written(what: str, word: str, article: Article | None) -> Fault | None:
    """The fault at the line of the chapter that wrote the link or the id, where there is one."""
    for chapter in article.chapters if article else ():
        for node in chapter.document.nodes:
            if _writes(node, unquote(word)):
                return Fault(node.file, node.line, what)
    return None


def _writes(node: Node, word: str) -> bool:
    if isinstance(node, Anchor):
        return f"#{node.target}" == word
    if isinstance(node, Role):
        return node.name == "step" and f"#fig-{node.content.partition('|')[0].strip()}" == word
    return isinstance(node, Directive) and node.name == "figure" and f"fig-{node.options.get('id', node.argument)}" in (
        word, word.rpartition("-")[0]
    )  # fmt: skip
