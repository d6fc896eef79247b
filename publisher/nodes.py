"""What is a parsed chapter made of? HTML that is the same on every card, and roles and directives between it."""

from __future__ import annotations

from dataclasses import dataclass, field


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


@dataclass(frozen=True)
class Anchor:
    """A link to a place of the same article; checked when all chapters are known."""

    target: str
    file: str
    line: int


Node = Role | Directive
Pieces = tuple[str | Node, ...]


@dataclass(frozen=True)
class Part:
    """What stands under one heading of the second level; the first part of a chapter has its title."""

    id: str
    title: str
    pieces: Pieces
    line: int
    text: str  # plain, for the search


@dataclass
class Document:
    """One parsed file. ``parts[0]`` is what comes before the first ``##``."""

    title: str
    parts: list[Part]
    words: int
    anchors: list[Anchor]
    ids: list[str] = field(default_factory=list)


def nodes_of(pieces: Pieces) -> list[Node]:
    """All roles and directives, those inside directives too, in the order of the text."""
    found: list[Node] = []
    for piece in pieces:
        if isinstance(piece, str):
            continue
        found.append(piece)
        if isinstance(piece, Directive):
            found += nodes_of(piece.body)
            found += nodes_of(piece.otherwise or ())
    return found
