"""What is a parsed chapter made of? HTML that is the same on every card, and between it what depends on more."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Role:
    """An inline role, e.g. ``{value}`ladder.rung.cold```."""

    name: str
    content: str
    file: str
    line: int


@dataclass(frozen=True)
class Directive:
    """A block between colons. ``otherwise`` is the body of the directive of that name inside it, if there is one."""

    name: str
    argument: str
    options: dict[str, str]
    body: Pieces
    otherwise: Pieces | None
    file: str
    line: int
    title: Pieces = ()  # the argument as a text, where it is shown


@dataclass(frozen=True)
class Anchor:
    """A link to a place of the same article: ``chapter`` is a chapter's file, ``target`` what follows ``#``, or ""."""

    chapter: str
    target: str
    file: str
    line: int


@dataclass(frozen=True)
class Heading:
    """Where a heading stands. Its id is known when all chapters of its article are: see places.py."""

    slug: str
    file: str
    line: int


Node = Role | Directive | Anchor | Heading
Pieces = tuple[str | Node, ...]


@dataclass(frozen=True)
class Part:
    """What stands under one heading of the second level; the first part of a chapter has its title."""

    heading: Heading
    title: str
    title_html: str  # with the emphasis and the code that ``title`` has without
    pieces: Pieces
    text: str  # plain, for the search


@dataclass(frozen=True)
class Document:
    """One parsed file. ``parts[0]`` is what comes before the first heading of the second level."""

    title: str
    parts: list[Part]
    words: int

    @property
    def nodes(self) -> list[Node]:
        """All that is no HTML yet, in the order of the text."""
        return [node for part in self.parts for node in nodes_of(part.pieces)]

    @property
    def headings(self) -> list[Heading]:
        """Its title, then every heading of any level, in the order of the text."""
        found = []
        for part in self.parts:
            found += [part.heading, *(node for node in nodes_of(part.pieces) if isinstance(node, Heading))]
        return found


def nodes_of(pieces: Pieces) -> list[Node]:
    """All nodes, those inside directives too, in the order of the text."""
    found: list[Node] = []
    for piece in pieces:
        if isinstance(piece, str):
            continue
        found.append(piece)
        if isinstance(piece, Directive):
            found += nodes_of(piece.title) + nodes_of(piece.body) + nodes_of(piece.otherwise or ())
    return found
