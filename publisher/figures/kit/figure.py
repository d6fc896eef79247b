"""What is a stepped figure? A Plotly figure, its named steps, what stands beside it, and where its data came from.

Colours in a spec are tokens such as ``@accent`` (see ``site/styles/tokens.css``), never literals: the page
resolves them in its own theme, so light, dark and print need one spec.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from publisher.facts.commands import to_record
from schema.recording import CardRecordings, Recording


@dataclass(frozen=True)
class Provenance:
    """Where a figure's data came from. Made only by the constructors below, from the data itself."""

    kind: str  # recorded, derived, published, authored
    text: str  # a sentence for a person
    files: tuple[str, ...] = ()

    @staticmethod
    def recorded(*recordings: Recording) -> Provenance:
        newest = max(r.date for r in recordings)
        files = tuple(f"recordings/{r.card.slug}/{r.key}.yaml" for r in recordings)
        return Provenance("recorded", f"Recorded on {recordings[0].card.name}, {newest}.", files)

    @staticmethod
    def derived(how: str, *recordings: Recording) -> Provenance:
        files = tuple(f"recordings/{r.card.slug}/{r.key}.yaml" for r in recordings)
        return Provenance("derived", f"Derived: {how}", files)

    @staticmethod
    def published(source: str, file: str) -> Provenance:
        return Provenance("published", f"Published, not recorded here: {source}", (file,))

    @staticmethod
    def authored(what: str) -> Provenance:
        return Provenance("authored", f"Authored: {what}")


@dataclass(frozen=True)
class CodeLine:
    """A line of a listing. ``key`` is unique in the figure; ``links`` are keys of its partners in other listings."""

    key: str
    text: str
    marks: tuple[str, ...] = ()  # e.g. "loop", "barrier", "load", "math", "store"
    links: tuple[str, ...] = ()
    note: str = ""  # opens when the line is chosen: plain text, `code` allowed
    label: str = ""  # a short gutter text, e.g. the source line or the offset


@dataclass(frozen=True)
class Listing:
    slug: str
    title: str
    language: str  # cuda, ptx, sass
    lines: tuple[CodeLine, ...]


@dataclass(frozen=True)
class Step:
    """A named state: overrides over the base figure (each frame is whole over the base, not over the step before)."""

    slug: str
    title: str
    caption: str  # plain text, `code` allowed; says what is to be seen
    data: tuple[dict[str, Any], ...] = ()  # trace overrides …
    traces: tuple[int, ...] = ()  # … of these traces
    layout: dict[str, Any] = field(default_factory=dict)
    show: tuple[str, ...] = ()  # slugs of the listings that this step shows; none: those of the step before
    lit: tuple[str, ...] = ()  # keys of code lines that this step lights


@dataclass(frozen=True)
class Choice:
    """A second dimension of a figure, e.g. which rung: a row of buttons above it."""

    slug: str
    label: str
    options: tuple[tuple[str, str], ...]  # (slug, label)


@dataclass(frozen=True)
class DataTable:
    """The numbers behind a figure. Cells are text; ``numeric`` columns align right with tabular digits."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[int, ...] = ()
    caption: str = ""


@dataclass(frozen=True)
class SteppedFigure:
    """Everything a page needs of a figure. ``sequences`` maps the chosen options, joined by ``,`` in the order of
    ``choices``, to its steps; a figure without choices has the one key ``""``. All have base ``data``/``layout``."""

    title: str
    alt: str  # the first state in words, for a reader who cannot see it
    data: tuple[dict[str, Any], ...]
    layout: dict[str, Any]
    sequences: dict[str, tuple[Step, ...]]
    table: DataTable
    provenance: tuple[Provenance, ...]
    rerecord: str  # the command that renews its data
    choices: tuple[Choice, ...] = ()
    listings: tuple[Listing, ...] = ()
    topics: dict[str, str] = field(default_factory=dict)  # opcode without suffixes -> said of all lines that have it
    narrow: dict[str, Any] = field(default_factory=dict)  # layout overrides below 520 px of width
    height: int = 420  # of the plot, px
    narrow_height: int = 420
    driver: str = ""  # name of a module in site/scripts/later/ that computes states from `driver_data`
    driver_data: dict[str, Any] = field(default_factory=dict)


class Missing(Exception):
    """A figure cannot be drawn on this card: ``what`` it needs or what does not fit, without a dot.

    ``command`` would fill it; "" where running one cannot help, e.g. where the recording is there and does not fit.
    """

    def __init__(self, what: str, command: str = "") -> None:
        super().__init__(what)
        self.what, self.command = what, command


@dataclass(frozen=True)
class Evidence:
    """What a figure module may look at: one card's recordings, the article's ladder, and the text of its kernels."""

    cards: dict[str, CardRecordings]  # all cards, for figures that set cards side by side
    card: CardRecordings  # the card of this page
    subject: str  # the ladder's slug
    sources: dict[str, str] = field(default_factory=dict)  # kernel file name -> text
    glossary: dict[str, Any] = field(default_factory=dict)  # content/glossary.yaml
    published: dict[str, Any] = field(default_factory=dict)  # recordings/published: name -> PublishedSet
    declared: frozenset[str] | None = None  # the experiments that the ladder declares; None where that is not known

    def need(self, experiment: str, subject: str | None = None) -> Recording:
        """The recording, or ``Missing`` with the command that would make it, if one can."""
        subject = subject or self.subject
        found = self.card.get(subject, experiment)
        if found is None:
            why, command = to_record(self.card, subject, experiment, self.declared)
            raise Missing(f"{self.card.card.name} has no recording of {subject}/{experiment}{why}", command)
        return found
