"""How is the glossary read, its words and its instructions? Each entry once, under a name that can be an address."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from publisher.faults import Fault
from publisher.pages.glossary_page import opcode_id
from publisher.source.content import OpcodeFile, Term, TermFile
from publisher.source.markup import text_of
from publisher.source.places import is_own
from publisher.source.plain_text import term_html
from schema.strict_yaml import dotted, nearest_line

if TYPE_CHECKING:
    from publisher.source.read import Lines
    from publisher.source.read import _Reader as Reader

TERM, OPCODE = re.compile(r"[a-z0-9][a-z0-9-]*"), re.compile(r"[A-Z][A-Z0-9_]*")


def read_terms(reader: Reader, path: Path, opcodes: Collection[str]) -> dict[str, Term]:
    """The glossary's words by their slugs; each word once."""
    entries = _entries(reader, path, TermFile, TERM, "small letters, digits and -")
    known = [*entries, *map(opcode_id, opcodes)]
    found: dict[str, Term] = {}
    slugs: dict[str, str] = {}
    for slug, (entry, lines) in entries.items():
        reader.plain(path, lines, {(slug, "term"): entry.term})
        html = term_html(entry.text, reader.shown(path), nearest_line((slug, "text"), lines), known, reader.faults)
        found[slug] = Term(slug, entry.term, html, text_of(html))
        first = slugs.setdefault(entry.term.lower(), slug)
        what = ""
        if first != slug:
            what = f"{slug}.term: the word {entry.term} has an entry already, {first}; {{term}} takes a word to one"
        elif is_own(slug):
            what = f"{slug}: the page of the glossary has a part of that name; call the entry {slug}-term"
        if what:
            reader.faults.append(Fault(reader.shown(path), nearest_line((slug, "term"), lines), what))
    return found


def read_opcodes(reader: Reader, path: Path) -> dict[str, Any]:
    """What each instruction does, by its opcode; each as the figures take it."""
    entries = _entries(reader, path, OpcodeFile, OPCODE, "an instruction without its suffixes, in capital letters")
    for name, (entry, lines) in entries.items():
        texts = {(name, "name"): entry.name, (name, "does"): entry.does}
        texts |= {(name, "modifiers", suffix): text for suffix, text in entry.modifiers.items()}
        reader.plain(path, lines, texts, sizes=True)
    return {name: entry.model_dump(by_alias=True) for name, (entry, _) in entries.items()}


def _entries(
    reader: Reader, path: Path, kind: type[Any], key: re.Pattern[str], is_key: str
) -> dict[str, tuple[Any, Lines]]:
    """The entries of a map and the file's lines; ``is_key`` says in words what a ``key`` is."""
    if not path.exists():
        return {}
    data, lines = reader.yaml(path)
    if not isinstance(data, dict):
        if data is not None:
            reader.unread(path, Fault(reader.shown(path), 1, "is a map: one entry a word"))
        return {}
    found = {}
    for slug, entry in data.items():
        if not key.fullmatch(slug):
            what = f"{dotted((slug,))}: cannot name an entry, which is {is_key}"
            reader.unread(path, Fault(reader.shown(path), lines[(slug,)], what))
        elif (read := reader.validated(kind, entry, (slug,), path, lines)) is not None:
            found[slug] = (read, lines)
    return found
