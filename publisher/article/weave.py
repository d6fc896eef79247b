"""How does an article become pages of one card? Its parsed chapters, filled in with what depends on the card."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from html import escape

from publisher.article.directives import DIRECTIVES, render_directive
from publisher.article.drawing import FigureError, Figures
from publisher.article.roles import ROLES, render_role
from publisher.article.step_links import StepUse
from publisher.facts.claims import Outcome
from publisher.facts.values import Facts
from publisher.faults import Fault, instead
from publisher.figures.kit.figure import Evidence, Missing, SteppedFigure
from publisher.pages.figure_view import step_fragment
from publisher.pages.render import Section
from publisher.source.content import Article, Chapter, Content
from publisher.source.markup import text_of
from publisher.source.nodes import Anchor, Directive, Heading, Node, Pieces, Role
from publisher.source.places import PlaceError
from publisher.source.snippets import snippet
from schema.recording import Card, CardRecordings

# Both stand in links until the page's place is known: the way from it to the output's root, and to the page that the
# text was written for, which is none as long as it stands there.
ROOT, HERE = "\x02", "\x03"


FIGURE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")


@dataclass
class Drawn:
    """A figure of an article on one card: ``name`` is unique in its page, ``fault`` says why it could not be drawn."""

    name: str
    figure: SteppedFigure | Missing | None
    fault: str = ""

    @property
    def steps(self) -> dict[str, str]:
        """The titles of its steps by the fragment that leads there, without the figure's name."""
        if not isinstance(self.figure, SteppedFigure):
            return {}
        found: dict[str, str] = {}
        for key, steps in self.figure.sequences.items():
            for step in steps:
                found[step_fragment("", key, step.slug).removeprefix("/")] = step.title
        return found


@dataclass(frozen=True)
class ClaimOnCard:
    """A claim as it came out: the directive, its place in the page, and what each text would say."""

    node: Directive
    id: str
    outcome: Outcome


@dataclass
class Woven:
    """One article on one card: sections with ``ROOT`` in their links, and what other pages need of it."""

    article: Article
    card: Card
    lede: str
    sections: tuple[Section, ...]
    figures: dict[str, Drawn]
    claims: list[ClaimOnCard]
    terms: dict[str, str]  # term -> id of the section that uses it first
    steps: list[StepUse]
    pictures: tuple[str, str] = field(repr=False)  # file name and text of the script with its figures' states
    plain: Callable[[Pieces], str] = field(repr=False)  # a text again, roles only, for the list of claims

    @property
    def lede_text(self) -> str:
        """The lede without markup, for descriptions."""
        return text_of(self.lede)


class _Same:
    """Equal to itself alone: a thing that was read again is another, and comparing recordings would cost more."""

    def __init__(self, thing: object) -> None:
        self.thing = thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.thing is other.thing

    __hash__ = None  # type: ignore[assignment]


@dataclass
class WovenChapter:
    """A chapter on a card, with all that weaving it brought up; used again while its ``basis`` is the same."""

    basis: tuple[object, ...]
    section: Section
    claims: list[ClaimOnCard]
    steps: list[StepUse]
    terms: dict[str, str]
    faults: list[Fault]


@dataclass
class Weaver:
    """Fills in one article for one card. ``fault`` collects; nothing is raised for what an author can mend."""

    site: Content
    article: Article
    recordings: CardRecordings
    facts: Facts
    modules: Figures
    evidence: Evidence
    faults: list[Fault]
    snippets: dict[str, str] = field(default_factory=dict)  # shared by all cards: a quotation is the same on each
    kept: dict[tuple[str, ...], WovenChapter] = field(default_factory=dict)  # of earlier builds
    ROOT: str = ROOT
    HERE: str = HERE
    figures: dict[str, Drawn] = field(default_factory=dict)
    claims: list[ClaimOnCard] = field(default_factory=list)
    terms: dict[str, str] = field(default_factory=dict)
    steps: list[StepUse] = field(default_factory=list)
    shown: bool = True  # whether the card shows what is being woven
    _section: str = ""

    @property
    def card(self) -> Card:
        return self.recordings.card

    @property
    def subject(self) -> str:
        return self.article.subject

    def weave(self) -> Woven:
        self._draw()
        lede, terms = self.html(self.article.lede), self.terms
        chapters = [self._chapter_kept(chapter) for chapter in self.article.chapters]
        for chapter in chapters:
            terms = chapter.terms | terms  # the first use counts
        return Woven(
            article=self.article,
            card=self.card,
            lede=lede,
            sections=tuple(chapter.section for chapter in chapters),
            figures=self.figures,
            claims=[claim for chapter in chapters for claim in chapter.claims],
            terms=terms,
            steps=[step for chapter in chapters for step in chapter.steps],
            pictures=self.modules.pictures({name: drawn.figure for name, drawn in self.figures.items()}),
            plain=self.plain,
        )

    def _chapter_kept(self, chapter: Chapter) -> WovenChapter:
        """The chapter as it was woven before, where nothing that it says depends on has changed."""
        place = (self.article.slug, self.card.slug, chapter.slug)
        figures = [drawn.figure for drawn in self.figures.values()]
        things = (chapter.document, self.recordings, *self.evidence.cards.values(), *figures)
        places = self.article.places.of(chapter.document)
        basis = (*map(_Same, things), tuple(self.figures), places, *self.site.basis)
        if place not in self.kept or self.kept[place].basis != basis:
            self.kept[place] = self._chapter_woven(chapter, basis)
        self.faults += self.kept[place].faults
        return self.kept[place]

    def _chapter_woven(self, chapter: Chapter, basis: tuple[object, ...]) -> WovenChapter:
        outer, self.faults, self.claims, self.steps, self.terms = self.faults, [], [], [], {}
        section = self._woven(chapter)
        made = WovenChapter(basis, section, self.claims, self.steps, self.terms, self.faults)
        self.faults = outer
        return made

    def _draw(self) -> None:
        """All figures first: a sentence may lead to a figure below it."""
        for chapter in self.article.chapters:
            for node in chapter.document.nodes:
                if isinstance(node, Directive) and node.name == "figure" and node.argument:
                    self._draw_one(node)

    def _draw_one(self, node: Directive) -> None:
        options = dict(node.options)
        name = options.pop("id", node.argument)
        for given in (node.argument, name):
            if not FIGURE_NAME.fullmatch(given):
                self.fault(node, f"{given!r} is no name of a figure, which is small letters, digits, - and _")
                return
        if name in self.figures:
            self.fault(
                node, f"the figure {name} stands twice in this article; give one another name with :id: other-name"
            )
            return
        try:
            figure = self.modules.draw(node.argument, options, self.evidence, self.article.figures_folder)
            self.figures[name] = Drawn(name, figure)
        except FigureError as error:
            self.figures[name] = Drawn(name, None, str(error))
            self.fault(node, str(error), error.needs)

    def _woven(self, chapter: Chapter) -> Section:
        made = []
        for part in chapter.document.parts:
            self._section = self.article.places.ids[part.heading]
            made.append(Section(self._section, part.title, self.html(part.pieces), heading=part.title_html))
        return replace(made[0], subsections=tuple(made[1:]))

    def html(self, pieces: Pieces) -> str:
        return "".join(piece if isinstance(piece, str) else self._node(piece) for piece in pieces)

    def plain(self, pieces: Pieces) -> str:
        """As ``html`` without directives: what a claim says, without a second copy of figures and ids."""
        return "".join(p if isinstance(p, str) else self._node(p) for p in pieces if not isinstance(p, Directive))

    def check(self, pieces: Pieces) -> None:
        """Find the faults of a text that this card does not show: another may, and the list of claims does."""
        kept = self.claims, self.terms, self.shown
        self.claims, self.terms, self.shown = [], {}, False
        self.html(pieces)
        self.claims, self.terms, self.shown = kept

    def _node(self, node: Node) -> str:
        if isinstance(node, Heading):
            return escape(self.article.places.ids[node])
        if isinstance(node, Anchor):
            return self._anchor(node)
        if node.name not in (ROLES if isinstance(node, Role) else DIRECTIVES):
            return ""  # a fault already: content_reader.py knows the names
        return render_role(node, self) if isinstance(node, Role) else render_directive(node, self)

    def _anchor(self, node: Anchor) -> str:
        """Where a link leads; to the figure itself where this card's has no such step."""
        try:
            id = self.article.places.find(node)
        except PlaceError:
            return ""  # a fault already: content_reader.py follows every link
        step, _, query = node.target.partition("/")[2].partition("?")
        if step and self.step_title(node, id.removeprefix("fig-"), step) is not None:
            id = f"{id}/{step}?{query}" if query else f"{id}/{step}"
        return f"{HERE}#{escape(id)}"

    # ---- what roles and directives ask for -----------------------------------------------------------------------

    def fault(self, node: Node, what: str, needs: tuple[str, ...] = ()) -> None:
        self.faults.append(Fault(node.file, node.line, what, needs))

    def use_term(self, slug: str) -> None:
        self.terms.setdefault(slug, self._section)

    def figure(self, node: Directive) -> str:
        drawn = self.figures.get(node.options.get("id", node.argument))
        if drawn is None or drawn.figure is None:
            return ""
        return self.modules.html(drawn.name, drawn.figure)

    def snippet(self, argument: str) -> str:
        if argument not in self.snippets:
            self.snippets[argument] = snippet(argument, self.site.kernels)
        return self.snippets[argument]

    def claim(self, node: Directive, outcome: Outcome) -> str:
        id = self.article.places.claims[node.file, node.line]
        self.claims.append(ClaimOnCard(node, id, outcome))
        return id

    def step_title(self, node: Node, figure: str, step: str) -> str | None:
        """The title of a step, None where this card cannot draw the figure or has no such step."""
        drawn = self.figures.get(figure)
        if drawn is None:
            self.fault(node, f"this article has no figure {figure}; {instead(figure, self.figures)}", ("chapters",))
            return None
        if not isinstance(drawn.figure, SteppedFigure):
            return None
        self.steps.append(StepUse(node, f"{figure}/{step}", step in drawn.steps, tuple(drawn.steps)))
        return drawn.steps.get(step)


def at_root(html: str, root: str, here: str = "") -> str:
    """The HTML with its links made for a page at ``root``; ``here`` leads from it to the page the text is from."""
    return html.replace(ROOT, root).replace(HERE, here)
