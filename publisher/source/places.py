"""Which ids has an article's page, and where does a link inside the article lead? Every id stands once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from publisher.faults import instead
from publisher.source.nodes import Anchor, Directive, Document, Heading, Pieces

# What pages give to parts of their own: their templates, the figures' template, and the scripts.
OWN_IDS = ("main", "figures", "terms", "opcodes", "times", "hover-card")
OWN_STARTS = ("fig-", "claim-", "op-", "table-")


class PlaceError(Exception):
    """A link that leads nowhere, or to several places. The message says what exists instead."""


@dataclass(frozen=True)
class Places:
    """The places of one article. Chapters are named by their files."""

    ids: dict[Heading, str] = field(default_factory=dict)
    claims: dict[tuple[str, int], str] = field(default_factory=dict)  # (file, line) of a claim -> its id
    chapters: dict[str, str] = field(default_factory=dict)  # file -> id of the chapter
    # file -> what a link may call a place that stands in this chapter -> the ids of such places
    names: dict[str, dict[str, list[str]]] = field(default_factory=dict)

    def of(self, document: Document) -> tuple[str, ...]:
        """All that a chapter takes from here: the ids of its headings, and where its links lead."""
        anchors = [node for node in document.nodes if isinstance(node, Anchor)]
        return (*(self.ids[heading] for heading in document.headings), *map(self._found, anchors))

    def _found(self, anchor: Anchor) -> str:
        try:
            return self.find(anchor)
        except PlaceError:
            return ""

    def find(self, anchor: Anchor) -> str:
        """The id that a link leads to: for a step, its figure's. Raises ``PlaceError``."""
        target = anchor.target.partition("/")[0] if anchor.target.startswith("fig-") else anchor.target
        if anchor.chapter:
            return self._in_chapter(anchor, target)
        own = self.names.get(anchor.file, {}).get(target)
        every = [id for names in self.names.values() for id in names.get(target, ())]
        found = own or ([target] if target in every else every)
        if len(found) == 1:
            return found[0]
        if found:
            several = ", ".join(f"#{id}" for id in found)
            raise PlaceError(f"the link leads to #{target}, of which there are several; name one: {several}")
        known = [name for names in self.names.values() for name in names]
        raise PlaceError(f"the link leads to #{target}, which is no place of this article; {instead(target, known)}")

    def _in_chapter(self, anchor: Anchor, target: str) -> str:
        files = {file.rpartition("/")[2]: file for file in self.chapters}
        if anchor.chapter not in files:
            raise PlaceError(f"there is no chapter {anchor.chapter}; {instead(anchor.chapter, files)}")
        file = files[anchor.chapter]
        found = self.names[file].get(target, []) if target else [self.chapters[file]]
        if len(found) == 1:
            return found[0]
        what = f"several places #{target}" if found else f"no place #{target}"
        raise PlaceError(f"{anchor.chapter} has {what}; {instead(target, found or self.names[file])}")


def places_of(documents: Mapping[str, Document]) -> Places:
    """The places of an article whose chapters are ``documents``, by file.

    A heading has the address of its words. Where several headings of the article have the same, each has its chapter's
    before it, and a number from the second on in one chapter. So has one that the page itself has a part of that name.
    """
    places = Places()
    for file, document in documents.items():
        slug = document.parts[0].heading.slug
        places.chapters[file] = places.ids[document.parts[0].heading] = f"chapter-{slug}" if is_own(slug) else slug
    below = [(file, heading) for file, document in documents.items() for heading in document.headings[1:]]
    count = Counter([heading.slug for _, heading in below] + list(places.ids.values()))
    shared = [(file, heading) for file, heading in below if count[heading.slug] > 1 or is_own(heading.slug)]
    places.ids.update((heading, heading.slug) for file, heading in below if (file, heading) not in shared)
    taken = set(places.ids.values())
    for file, heading in shared:
        places.ids[heading] = _free(f"{places.chapters[file]}-{heading.slug}", taken)
        taken.add(places.ids[heading])
    for file, document in documents.items():
        _name(places, file, document)
    return places


def is_own(id: str) -> bool:
    """Whether pages have, or may have, a part of their own by that name."""
    return id in OWN_IDS or f"{id}-".startswith(OWN_STARTS)


def _free(id: str, taken: set[str]) -> str:
    number, made = 1, id
    while made in taken:
        number += 1
        made = f"{id}-{number}"
    return made


def _name(places: Places, file: str, document: Document) -> None:
    names: dict[str, list[str]] = {}
    for heading in document.headings:
        for name in dict.fromkeys((heading.slug, places.ids[heading])):
            names.setdefault(name, []).append(places.ids[heading])
    claims = 0
    for node, nested in (found for part in document.parts for found in _directives(part.pieces)):
        if node.name == "figure":
            id = f"fig-{node.options.get('id', node.argument)}"
            names[id] = [id]
        elif node.name == "claim":
            claims += 1
            id = places.claims[node.file, node.line] = f"claim-{places.chapters[file]}-{claims}"
            if not nested:  # one in another's text is there on some cards only
                names[id] = [id]
    places.names[file] = names


def _directives(pieces: Pieces, nested: bool = False) -> Iterator[tuple[Directive, bool]]:
    """Every directive, and whether it stands in the text of a claim."""
    for piece in pieces:
        if isinstance(piece, Directive):
            yield piece, nested
            yield from _directives((*piece.body, *(piece.otherwise or ())), nested or piece.name == "claim")
