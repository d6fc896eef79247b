"""How does a build go? Read, check, draw, weave; then the files of the whole site, for somebody else to write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from publisher.article.drawing import Figures
from publisher.article.step_links import step_faults
from publisher.article.weave import Weaver, Woven, WovenChapter
from publisher.facts.commands import declared
from publisher.facts.stale import Stale, Today, stale_recordings
from publisher.facts.values import Facts, reason
from publisher.faults import BuildError, Fault, Faults, faults_of, instead
from publisher.figures.kit.figure import Evidence
from publisher.pages import compare_page
from publisher.pages.assets import Assets, copy_assets
from publisher.pages.links import link_faults
from publisher.pages.search import search_entries
from publisher.pages.site import Built, Edition, edition_files
from publisher.pictures.stills import STILLS
from publisher.source.content import Article, Cache, Content
from publisher.source.read import load_content
from publisher.source.unread import PUBLISHED, folders_in, unread_files
from schema.fresh import Now, now
from schema.kernel_text import SourceError
from schema.ladder import Ladder, LadderError
from schema.load_ladder import load_ladder
from schema.recording import MACHINE, CardRecordings, RecordingError, load_card

RECORDINGS, KERNELS = "recordings", "kernels"
RESERVED_CARDS = (compare_page.FOLDER,)
ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Options:
    """Where a build reads from, and what it lets pass."""

    recordings: Path = ROOT / "recordings"
    content: Path = ROOT / "content"
    kernels: Path = ROOT / "kernels"
    docs: Path | None = None
    site_url: str | None = None
    allow_stale: bool = False
    lenient: bool = False  # give pages in spite of faults, for a preview that shows both
    root: Path = ROOT  # paths in errors are relative to it
    stills: Path = STILLS  # pictures of figures drawn before

    @property
    def inputs(self) -> tuple[Path, ...]:
        """Every folder that a build reads, and those of the program."""
        own = (ROOT / name for name in ("site", "publisher", "recorder", "schema", "sass"))
        return (self.content, self.recordings, self.kernels, *own, *([self.docs] if self.docs else []))


@dataclass
class Builder:
    """A build that can be repeated: what did not change since the last time is not read, parsed or drawn again."""

    options: Options
    cache: Cache = field(default_factory=Cache)
    modules: Figures = field(default_factory=Figures)
    assets: Assets | None = None  # a preview keeps them: a new search index would rename a file on every page
    chapters: dict[tuple[str, ...], WovenChapter] = field(default_factory=dict)
    _cards: dict[Path, tuple[tuple[object, ...], CardRecordings | RecordingError]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.modules.stills = self.options.stills

    def build(self, folder: Path) -> Built:
        """Check all, copy assets into ``folder``, give the other files. Raises ``BuildError`` with every fault."""
        faults = Faults()
        content, cards = self.read_content(faults), self.read_cards(faults)
        asked = self.options
        faults += unread_files(asked.recordings, asked.content, asked.docs, asked.kernels, self._shown)
        if content is None:
            raise BuildError(faults.told())
        stale = self._stale(cards, content, faults)
        default = self._default_card(cards, content, faults)
        woven = [page for article in content.articles for page in self._article(article, content, cards, faults)]
        docs = self._docs(content, cards, default, faults)
        faults += step_faults([use for page in (*woven, *docs) for use in page.steps])
        if faults and (not self.options.lenient or not woven):
            raise BuildError(faults.told())
        edition = Edition(
            content,
            cards,
            default,
            tuple(woven),
            stale,
            self.options.site_url or content.url,
            docs[0] if docs else None,
            self.options.stills,
        )
        if self.assets is None or not self.options.lenient:
            self.assets = copy_assets(folder, search=search_entries(edition))
        built = edition_files(edition, self.assets)
        articles = [*content.articles, *(page.article for page in docs)]
        faults += link_faults(built.files, self.assets.files, articles)
        if faults and not self.options.lenient:
            raise BuildError(faults.told())
        return replace(built, faults=tuple(faults.told()))

    def forget_pages(self) -> None:
        """Templates, styles or scripts have changed: everything is rendered again, nothing is read again."""
        self.assets = None
        self.modules.rendered.clear()
        self.modules.scripts.clear()
        self.chapters.clear()

    def read_content(self, faults: Faults) -> Content | None:
        """Everything that authors wrote; None where not even the site's title can be read."""
        asked = self.options
        published = asked.recordings / PUBLISHED
        return load_content(asked.content, asked.kernels, published, asked.docs, asked.root, faults, self.cache)

    def read_cards(self, faults: Faults) -> dict[str, CardRecordings]:
        """Every card under the recordings' folder; a card that was read before and has not changed is kept."""
        folder = self.options.recordings
        if not folder.is_dir():
            faults.append(
                Fault(str(folder), 1, "is not a folder; recordings are made with: python -m recorder --gpu 0")
            )
            faults.unread.add(RECORDINGS)
            return {}
        cards: dict[str, CardRecordings] = {}
        for sub in (found for found in folders_in(folder) if found.name != PUBLISHED):
            files = sorted(sub.rglob("*.y*ml"))
            stamp = tuple((str(p), p.stat().st_mtime_ns, p.stat().st_size) for p in files)
            if sub not in self._cards or self._cards[sub][0] != stamp:
                self._cards[sub] = (stamp, self._read_card(sub))
            found = self._cards[sub][1]
            if isinstance(found, RecordingError):
                faults += faults_of(found)
                faults.unread.add(RECORDINGS)
            elif sub.name in RESERVED_CARDS:
                faults.append(
                    Fault(self._shown(sub), 1, f"no card can be called {sub.name}: pages of the site have that name")
                )
            elif found.recordings:
                cards[found.slug] = found
            elif found.without:
                faults.append(Fault(self._shown(sub), 1, _nothing(found)))
        return cards

    def _read_card(self, folder: Path) -> CardRecordings | RecordingError:
        try:
            return load_card(folder, self.options.root)
        except RecordingError as error:
            return error

    def _stale(self, cards: Mapping[str, CardRecordings], content: Content, faults: Faults) -> dict[str, list[Stale]]:
        today = self._today()
        found = {slug: stale_recordings(card, today, content.kernels) for slug, card in cards.items()}
        for slug, card in cards.items():
            for subject in sorted(
                {subject for subject, _ in (*card.recordings, *card.without)} - {*content.kernels, MACHINE}
            ):
                place = self._shown(self.options.recordings / slug / subject)
                what = f"no ladder is called {subject}; {instead(subject, content.kernels)}"
                faults.append(Fault(place, 1, what, (KERNELS,)))
                found[slug] = [stale for stale in found[slug] if stale.recording.header.subject != subject]
        faults += self._practice(cards)
        if not self.options.allow_stale:
            for slug, stales in found.items():
                for stale in stales:
                    file = f"{self._shown(self.options.recordings)}/{slug}/{stale.recording.key}.yaml"
                    line = stale.recording.lines.get(("sources",), 1)
                    again = f"Record it again: {stale.command}; or publish it marked as stale: --allow-stale"
                    what = f"{stale.sentence} {again}"
                    faults.append(Fault(file, line, what, (KERNELS,)))
        return found

    def _practice(self, cards: Mapping[str, CardRecordings]) -> Iterator[Fault]:
        """A fault for each recording that no card made."""
        for slug, card in cards.items():
            for recording in card.recordings.values():
                if recording.header.practice:
                    file = f"{self._shown(self.options.recordings)}/{slug}/{recording.key}.yaml"
                    what = "was made by the practice device, and its numbers are none; record it on a card"
                    yield Fault(file, recording.lines.get(("practice",), 1), what)

    def _today(self) -> Today:
        """What each experiment of each ladder is now; None of one that cannot be used, which is a fault elsewhere."""
        folder = self.options.kernels
        ladders: dict[str, Ladder | None] = {MACHINE: None}
        for path in sorted(folder.glob("[!.]*/ladder.py")):
            with suppress(LadderError, SourceError):
                ladders[path.parent.name] = load_ladder(path.parent)

        @cache
        def today(subject: str, experiment: str) -> Now | None:
            return now(experiment, ladders[subject]) if subject in ladders else None

        return today

    def _default_card(self, cards: Mapping[str, CardRecordings], content: Content, faults: Faults) -> str:
        whole = [slug for slug, card in cards.items() if not card.compile_only]
        if content.default_card in whole:
            return content.default_card
        file = f"{self._shown(self.options.content)}/site.yaml"
        if not whole:
            what = "no card has been recorded; run: python -m recorder --gpu 0"
            faults.append(Fault(file, 1, what, (RECORDINGS,)))
            return ""
        what = f"default_card: there is no card {content.default_card}; {instead(content.default_card, whole)}"
        faults.append(Fault(file, content.default_card_line, what, (RECORDINGS,)))
        return ""

    def _article(
        self, article: Article, content: Content, cards: Mapping[str, CardRecordings], faults: Faults
    ) -> list[Woven]:
        """The article on every card that recorded some of its ladder; compile-only cards only serve as evidence."""
        snippets: dict[str, str] = {}
        readable = [
            c for c in cards.values() if not c.compile_only and any(s == article.subject for s, _ in c.recordings)
        ]
        self._subject(article, content, faults)
        if not readable and article.subject in content.kernels:
            command = f"python -m recorder --gpu 0 --only {article.subject}"
            what = f"subject: no card has a recording of {article.subject}; record it: {command}"
            faults.append(Fault(article.file, article.subject_line, what, (RECORDINGS,)))
        return [self._weaver(article, card, content, cards, faults, snippets).weave() for card in readable]

    def _subject(self, article: Article, content: Content, faults: Faults) -> None:
        """A fault for an article of a ladder that there is not."""
        if article.subject not in (*content.kernels, MACHINE):
            what = f"subject: no ladder is called {article.subject}; {instead(article.subject, content.kernels)}"
            faults.append(Fault(article.file, article.subject_line, what, (KERNELS,)))

    def _docs(self, content: Content, cards: Mapping[str, CardRecordings], default: str, faults: Faults) -> list[Woven]:
        """The documentation on the default card; nothing where there is none."""
        if content.docs is None or default not in cards:
            return []
        self._subject(content.docs, content, faults)
        return [self._weaver(content.docs, cards[default], content, cards, faults, {}).weave()]

    def _weaver(
        self,
        article: Article,
        card: CardRecordings,
        content: Content,
        cards: Mapping[str, CardRecordings],
        faults: Faults,
        snippets: dict[str, str],
    ) -> Weaver:
        folder = self.options.kernels / article.subject
        file = folder / "ladder.py"
        known = self.cache.get(file, lambda: declared(folder)) if file.is_file() else None
        declares = {article.subject: known} if known is not None else {}
        facts = Facts(card, cards, content.rung_names, content.constants, declares)
        evidence = Evidence(
            cards=dict(cards),
            card=card,
            subject=article.subject,
            sources=content.kernels.get(article.subject, {}),
            glossary=content.opcodes,
            published=content.published,
            declared=known,
        )
        return Weaver(content, article, card, facts, self.modules, evidence, faults, snippets, self.chapters)

    def _shown(self, path: Path) -> str:
        return str(path.relative_to(self.options.root)) if path.is_relative_to(self.options.root) else str(path)


def _nothing(card: CardRecordings) -> str:
    """What is wrong with a card that has files and no result in any."""
    (key, recording), *more = card.without.items()
    first = f"{'/'.join(key)} {reason(recording.results)}"
    others = f", and {len(more)} more" if more else ""
    return f"nothing was recorded on this card: {first}{others}; record it again, or remove the folder"
