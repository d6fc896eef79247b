"""What did the authors write? Site, articles, chapters, terms, glossary, read strictly; faults have file and line."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, Field

from publisher.source.nodes import Directive, Document, Pieces
from publisher.source.places import Places
from publisher.source.published import PublishedSet
from publisher.source.snippets import slug_of
from schema.kernel_text import SourceError, read_constants
from schema.results import Model

WORDS_A_MINUTE = 200
MAX_CHAPTER_BYTES = 400_000
RESERVED = ("assets", "claims", "glossary", "docs", "compare")  # folders of the output that are no articles

# XML knows none of these, and no page shows them; the publisher keeps some for marks of its own.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def _shown(text: str) -> str:
    if found := CONTROL.search(text):
        raise ValueError(f"holds the control character U+{ord(found[0]):04X}, which no page can show")
    if not text.strip():
        raise ValueError("is empty")
    return text


Words = Annotated[str, Field(min_length=1, max_length=2000), AfterValidator(_shown)]
Slug = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,63}$")]


class SiteFile(Model):
    """content/site.yaml. ``url`` is where the site will be served; without it there are no canonical links, no feed."""

    title: Words
    tagline: Words
    default_card: Slug
    url: Annotated[str, Field(pattern=r"^https?://[^\s\x00-\x1f\x7f-\x9f]+$")] | None = None


class ArticleFile(Model):
    """content/<article>/article.yaml. ``subject`` is the ladder that facts and figures of the article come from."""

    title: Words
    subject: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
    order: int
    lede: Words
    library: Slug | None = None  # the reference of the index's headline; by default the first that was recorded


class TermFile(Model):
    term: Words
    text: Words


OpcodeClass = Literal["load", "store", "math", "barrier", "control", "integer", "move", "convert", "other"]


class OpcodeFile(Model):
    """An entry of content/glossary.yaml: what a machine instruction does, and its suffixes."""

    name: Words
    class_: Annotated[OpcodeClass, Field(alias="class")]
    does: Words
    modifiers: dict[str, Words] = Field(default_factory=dict)


@dataclass(frozen=True)
class Chapter:
    slug: str
    file: str
    document: Document


@dataclass(frozen=True)
class Article:
    slug: str
    title: str
    subject: str
    order: int
    lede: Pieces
    library: str | None
    file: str
    subject_line: int
    chapters: tuple[Chapter, ...]
    places: Places
    figures_folder: Path

    def claims(self) -> list[Directive]:
        """Every claim of its chapters, in the order of the text."""
        nodes = [node for chapter in self.chapters for node in chapter.document.nodes]
        return [node for node in nodes if isinstance(node, Directive) and node.name == "claim"]

    @property
    def reading_minutes(self) -> int:
        return max(1, round(sum(chapter.document.words for chapter in self.chapters) / WORDS_A_MINUTE))


@dataclass(frozen=True)
class Term:
    slug: str
    name: str
    html: str
    text: str  # without markup


@dataclass(frozen=True)
class Content:
    """All of content/, checked. ``opcodes`` is the glossary for figures, ``term_slugs`` finds a term by its word."""

    title: str
    tagline: str
    default_card: str
    default_card_line: int
    url: str | None
    articles: tuple[Article, ...]
    docs: Article | None  # docs/, written like an article and shown on the default card alone
    terms: dict[str, Term]
    term_slugs: dict[str, str]
    opcodes: dict[str, Any]
    published: dict[str, PublishedSet]
    kernels: dict[str, dict[str, str]]  # ladder -> file name -> text

    @property
    def basis(self) -> tuple[object, ...]:
        """What any chapter may depend on beside its own text, to be compared with that of an earlier build."""
        return (self.terms, self.opcodes, self.kernels, self.published)

    @cached_property
    def rung_names(self) -> dict[str, list[str]]:
        """The rungs of each ladder as its files name them, variants apart."""
        return {
            ladder: [slug for file in sorted(files) if (slug := slug_of(file)) and "." not in slug]
            for ladder, files in self.kernels.items()
        }

    @cached_property
    def constants(self) -> dict[str, dict[str, set[str]]]:
        """The names of the constants of each rung, by ladder and rung."""
        return {
            ladder: {slug_of(file): _constants(text) for file, text in files.items()}
            for ladder, files in self.kernels.items()
        }


def _constants(text: str) -> set[str]:
    try:
        return set(read_constants(text))
    except SourceError:
        return set()


T = TypeVar("T")


@dataclass
class Cache:
    """What was parsed, by file and its time of change: a preview parses only the chapter that was touched."""

    kept: dict[Path, tuple[tuple[int, int], Any]] = field(default_factory=dict)

    def get(self, path: Path, make: Callable[[], T]) -> T:
        stat = path.stat()
        stamp = (stat.st_mtime_ns, stat.st_size)
        if path not in self.kept or self.kept[path][0] != stamp:
            self.kept[path] = (stamp, make())
        return self.kept[path][1]
