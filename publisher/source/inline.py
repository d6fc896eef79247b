"""What is wrong with a run of text? Links, roles out of place, numbers typed by hand, and what is no Markdown here."""

from __future__ import annotations

import re
from typing import Protocol
from urllib.parse import unquote

from markdown_it.common.utils import normalizeReference
from markdown_it.token import Token

from publisher.article.directives import DIRECTIVES
from publisher.article.roles import ROLES
from publisher.faults import Fault
from publisher.source.dialects import HIDDEN, check_dialects
from publisher.source.nodes import Anchor
from publisher.source.typed_numbers import IN_TEXT, check_literals

_NAMES = "|".join([*ROLES, *DIRECTIVES])
_UNREAD_ROLE = re.compile(rf"\{{(?:([a-z][a-z-]+)\}}\s*(?:`|(?<=\s){HIDDEN})|({_NAMES})\}})")
_CHAPTER_LINK = re.compile(r"^([^/#?:]+\.md)(?:#(.*))?$")


class Reading(Protocol):
    """What reading a file collects."""

    file: str
    faults: list[Fault]
    used: set[str]  # labels of links by reference


def check_run(token: Token, reading: Reading, line: int, remedy: str = IN_TEXT) -> None:
    """Append a fault for all that is wrong with an inline token, which begins at ``line``; give links their nodes."""
    at, linked = line, False
    for child in token.children or []:
        linked = child.type == "link_open" or (linked and child.type != "link_close")
        if child.type == "myst_role":
            child.meta["line"] = at
            if linked and child.meta["name"] != "definition":
                # Both can be reached by key, and HTML allows no such thing inside another.
                what = f"{{{child.meta['name']}}} stands inside a link; end the link before it"
                reading.faults.append(Fault(reading.file, at, what))
        elif child.type in ("softbreak", "hardbreak"):
            at += 1
        elif child.type == "link_open":
            _link(child, reading, at, remedy)
        elif child.type == "image":
            what = "an image cannot be published; draw it as a figure: :::{figure} name"
            reading.faults.append(Fault(reading.file, at, what))
    check_text(token.meta["shown"], token.meta["bare"], reading, line, remedy)


def check_text(shown: str, bare: str, reading: Reading, line: int, remedy: str) -> None:
    """Faults of a text as readers see it, ``shown``, and as it was typed, ``bare``."""
    for found in _UNREAD_ROLE.finditer(bare):
        what = f"{{{found[1] or found[2]}}} has no text in back-ticks right after it (in a table, a bar is written \\|)"
        reading.faults.append(Fault(reading.file, line + bare.count("\n", 0, found.start()), what))
    reading.faults += check_literals(shown, reading.file, line, remedy)
    reading.faults += check_dialects(_UNREAD_ROLE.sub(HIDDEN, bare), reading.file, line)


def _link(token: Token, reading: Reading, line: int, remedy: str) -> None:
    href = unquote(str(token.attrGet("href") or ""))
    chapter = _CHAPTER_LINK.match(href)
    if chapter or (href.startswith("#") and len(href) > 1):
        token.meta["node"] = Anchor(*_place(href), reading.file, line)
    elif not re.match(r"https?://[^/\s]", href):
        what = f"the link {href!r} leads nowhere; link to #a-section, to NN-chapter.md, or to an https address"
        reading.faults.append(Fault(reading.file, line, what))
    if "label" in token.meta:
        reading.used.add(normalizeReference(token.meta["label"]))
    title = str(token.attrGet("title") or "")
    check_text(title, title, reading, line, remedy)


def _place(href: str) -> tuple[str, str]:
    chapter, _, target = href.partition("#")
    return chapter, target
