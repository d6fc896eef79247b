"""How is content read? Every file strictly and to the end; a fault has its file, its line, and what exists instead."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from publisher.article.directives import ARGUMENT, BODILESS, DIRECTIVES, NO_ARGUMENT, OPTIONS
from publisher.article.roles import ROLES
from publisher.faults import Fault, Faults, faults_of, instead
from publisher.source.content import (
    CONTROL,
    MAX_CHAPTER_BYTES,
    RESERVED,
    Article,
    ArticleFile,
    Cache,
    Chapter,
    Content,
    SiteFile,
)
from publisher.source.document import parse_document, parse_line, slugify
from publisher.source.glossary import read_opcodes, read_terms
from publisher.source.nodes import Anchor, Directive, Document, Node, Role, nodes_of
from publisher.source.places import PlaceError, Places, places_of
from publisher.source.plain_text import check_plain
from publisher.source.published import load_published
from publisher.source.unread import folders_in, passed_over
from schema.fit import fit, sentence
from schema.strict_yaml import Lines, dotted, nearest_line, parse_yaml
from schema.texts import RecordingError, read_text


def load_content(
    folder: Path, kernels: Path, published: Path, docs: Path | None, root: Path, faults: Faults, cache: Cache
) -> Content | None:
    """Read everything; faults are appended, and None comes back only where not even the site's title can be read."""
    reader = _Reader(root, faults, cache)
    site = reader.model(folder / "site.yaml", SiteFile)
    opcodes = read_opcodes(reader, folder / "glossary.yaml")
    terms = read_terms(reader, folder / "terms.yaml", opcodes)
    articles = [reader.article(path) for path in folders_in(folder) if (path / "article.yaml").exists()]
    if not articles and not folders_in(folder):
        faults.append(
            Fault(reader.shown(folder), 1, "holds no article; an article is a folder here with an article.yaml")
        )
    try:
        sets = load_published(published)
    except RecordingError as error:
        faults += faults_of(error)
        faults.unread.add("published")
        sets = {}
    if site is None:
        return None
    _, lines = reader.yaml(folder / "site.yaml")
    reader.plain(folder / "site.yaml", lines, {("title",): site.title, ("tagline",): site.tagline})
    return Content(
        title=site.title,
        tagline=site.tagline,
        default_card=site.default_card,
        default_card_line=lines.get(("default_card",), 1),
        url=site.url.rstrip("/") if site.url else None,
        docs=reader.article(docs, ("docs",)) if docs and (docs / "article.yaml").exists() else None,
        articles=tuple(sorted((a for a in articles if a), key=lambda a: (a.order, a.slug))),
        terms=terms,
        term_slugs={term.name.lower(): slug for slug, term in terms.items()},
        opcodes=opcodes,
        published=sets,
        kernels=reader.kernels(kernels),
    )


@dataclass
class _Reader:
    root: Path
    faults: Faults
    cache: Cache

    def shown(self, path: Path) -> str:
        return str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)

    def text(self, path: Path) -> str | None:
        """The text of a file of the authors, or None with a fault."""
        shown = self.shown(path)
        if not path.exists():
            self.unread(path, Fault(shown, 1, "is not there; docs/06-adding-an-article.md says what it holds"))
            return None
        try:
            text = read_text(path, shown, MAX_CHAPTER_BYTES)
        except RecordingError as error:
            self.unread(path, *faults_of(error))
            return None
        if found := CONTROL.search(text):
            what = f"holds the control character U+{ord(found[0]):04X}, which no page can show; delete it"
            self.unread(path, Fault(shown, text.count("\n", 0, found.start()) + 1, what))
            return None
        return text

    def unread(self, path: Path, *faults: Fault) -> None:
        """Faults for which a file, or a part of it, is left out: what others say of that would only follow."""
        self.faults += faults
        self.faults.unread.add({".md": "chapters", ".cu": "kernels"}.get(path.suffix, path.stem))

    def yaml(self, path: Path) -> tuple[Any, dict[tuple[str, ...], int]]:
        text = self.text(path)
        if text is None:
            return None, {}
        try:
            return self.cache.get(path, lambda: parse_yaml(text, self.shown(path)))
        except RecordingError as error:
            self.unread(path, *faults_of(error))
            return None, {}

    def model(self, path: Path, kind: type[Any]) -> Any:
        data, lines = self.yaml(path)
        return None if data is None else self.validated(kind, data, (), path, lines)

    def validated(
        self, kind: type[Any], data: Any, prefix: tuple[str, ...], path: Path, lines: dict[tuple[str, ...], int]
    ) -> Any:
        known = [info.alias or name for name, info in kind.model_fields.items()]
        faults: list[str] = []
        found = fit(kind, data, prefix, self.shown(path), lines, faults, lambda fault: _sentence(fault, known))
        if found is None:
            self.unread(path, *(fault for text in faults for fault in faults_of(RecordingError(text))))
        return found

    def plain(self, path: Path, lines: Lines, texts: Mapping[tuple[str, ...], str], sizes: bool = False) -> None:
        """Check texts that are printed as they are typed, by their keys in the file, whose ``lines`` are given."""
        shown = self.shown(path)
        for key, text in texts.items():
            found = check_plain(text, shown, nearest_line(key, lines), sizes)
            self.faults += [replace(fault, what=f"{dotted(key)}: {fault.what}") for fault in found]

    def article(self, folder: Path, allowed: tuple[str, ...] = ()) -> Article | None:
        head = self.model(folder / "article.yaml", ArticleFile)
        chapters = [self.chapter(path) for path in sorted(folder.glob("*.md")) if not passed_over(path)]
        if not re.fullmatch(r"[a-z][a-z0-9_-]*", folder.name) or folder.name in set(RESERVED) - set(allowed):
            what = f"an article's folder is small letters, digits, - and _, and none of {', '.join(RESERVED)}"
            self.faults.append(Fault(self.shown(folder), 1, what))
            return None
        if not chapters:
            self.faults.append(Fault(self.shown(folder), 1, "holds no chapter; a chapter is a file NN-slug.md"))
        if head is None:
            return None
        kept = [chapter for chapter in chapters if chapter]
        _, lines = self.yaml(folder / "article.yaml")
        shown = self.shown(folder / "article.yaml")
        self.plain(folder / "article.yaml", lines, {("title",): head.title})
        lede = parse_line(head.lede.strip(), shown, lines.get(("lede",), 1), self.faults)
        self._nodes(nodes_of(lede))
        places = self._places(kept)
        self._links([*nodes_of(lede), *(node for chapter in kept for node in chapter.document.nodes)], places)
        return Article(
            slug=folder.name,
            title=head.title,
            subject=head.subject,
            order=head.order,
            lede=lede,
            library=head.library,
            file=shown,
            subject_line=lines.get(("subject",), 1),
            chapters=tuple(kept),
            places=places,
            figures_folder=folder / "figures",
        )

    def chapter(self, path: Path) -> Chapter | None:
        shown = self.shown(path)
        found = re.match(r"^\d+-([a-z0-9-]+)\.md$", path.name)
        if not found:
            what = "a chapter's file is NN-slug.md: its place, and small letters, digits and -"
            self.unread(path, Fault(shown, 1, what))
            return None
        text = self.text(path)
        if text is None:
            return None

        def make() -> tuple[Document, list[Fault]]:
            new: list[Fault] = []
            return parse_document(text, shown, new, slugify(found[1])), new

        document, new = self.cache.get(path, make)
        self.faults += new
        self._nodes(document.nodes)
        return Chapter(found[1], shown, document)

    def _nodes(self, nodes: list[Node]) -> None:
        """What can be said of roles and directives without a card: their names, arguments and places."""
        for node in nodes:
            what = ""
            if isinstance(node, Role):
                what = _role_fault(node)
            elif isinstance(node, Directive):
                what = _directive_fault(node)
            if what:
                self.faults.append(Fault(node.file, node.line, what))

    def _places(self, chapters: list[Chapter]) -> Places:
        """The ids of the article's page; two chapters cannot have one."""
        slugs: dict[str, str] = {}
        for chapter in chapters:
            slug = chapter.document.parts[0].heading.slug
            first = slugs.setdefault(slug, chapter.file)
            if first != chapter.file:
                what = f"has the address #{slug}, as {first} has; rename one of the two files"
                self.faults.append(Fault(chapter.file, 1, what))
        return places_of({chapter.file: chapter.document for chapter in chapters})

    def _links(self, nodes: list[Node], places: Places) -> None:
        for node in nodes:
            if isinstance(node, Anchor):
                try:
                    places.find(node)
                except PlaceError as error:
                    self.faults.append(Fault(node.file, node.line, str(error), ("chapters",)))

    def kernels(self, folder: Path) -> dict[str, dict[str, str]]:
        """ladder -> file name -> text of every .cu file."""
        found: dict[str, dict[str, str]] = {}
        for path in (path for ladder in folders_in(folder) for path in sorted(ladder.glob("[!.]*.cu"))):
            text = self.cache.get(path, lambda path=path: self.text(path))
            if text is not None:
                found.setdefault(path.parent.name, {})[path.name] = text
        return found


def _role_fault(role: Role) -> str:
    if role.name not in ROLES:
        return f"there is no role {{{role.name}}}; {instead(role.name, ROLES)}"
    return "" if role.content else f"{{{role.name}}} is empty"


def _directive_fault(node: Directive) -> str:
    if node.name == "otherwise":
        return "an :::{otherwise} belongs inside a claim, whose own fence has more colons: ::::{claim} …"
    if node.name not in DIRECTIVES:
        return f"there is no directive {{{node.name}}}; {instead(node.name, [*DIRECTIVES, 'otherwise'])}"
    if node.name in ARGUMENT and not node.argument:
        return f":::{{{node.name}}} needs an argument on its first line"
    if node.name in NO_ARGUMENT and node.argument:
        return f":::{{{node.name}}} takes no argument"
    if node.name not in OPTIONS and node.options:
        option = next(iter(node.options)).replace("_", "-")
        return f":::{{{node.name}}} takes no lines such as :{option}: value; put an empty line before its text"
    if node.name in BODILESS and any(not isinstance(piece, str) or piece.strip() for piece in node.body):
        return f":::{{{node.name}}} has no body; it only takes lines such as :key: value"
    return ""


def _sentence(fault: Any, known: list[str]) -> str:
    hint = f"; {instead(str(fault['loc'][-1]), known)}" if fault["type"] == "extra_forbidden" else ""
    return f"{sentence(fault)}{hint}"
