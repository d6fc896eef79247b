"""What of another dialect would be printed as it is typed? One table: its looks, its name, what to write instead."""

from __future__ import annotations

import re
from dataclasses import dataclass

from publisher.faults import Fault

HIDDEN = "\ufffc"  # stands for what is no plain text: code, a role, a character after a backslash
CODE = "write it in back-ticks, or with a backslash before its first character"


@dataclass(frozen=True)
class Dialect:
    """``pattern`` is asked of the text outside code, a line a line; what it finds is quoted in the fault."""

    pattern: str
    name: str
    instead: str


DIALECTS = (
    Dialect(r"<!--", "an HTML comment", "notes to yourself are # comments in article.yaml; as text, " + CODE),
    Dialect(r"<(?:/?[A-Za-z][A-Za-z0-9-]*(?:[\s/][^<>]*)?|[?!][^<>]*)>", "raw HTML, which no page passes on", CODE),
    Dialect(r"&#?\w+;", "an entity of HTML that does not exist", "write the character itself; as text, " + CODE),
    Dialect(r"^%", "a comment of MyST", "notes to yourself are # comments in article.yaml; as text, " + CODE),
    Dialect(r"^\+\+\+", "a block break of MyST", "start a part with ##"),
    Dialect(r"^\([\w-]+\)=", "a target of MyST", "every heading can be linked to: #its-words"),
    Dialect(r"\[\^[^\]\s]+\]", "a footnote", "write a :::{note}, which stands in the margin"),
    Dialect(r"\[@[\w:;@ -]+\]", "a citation", "cite a number with {published}, a text with a link"),
    Dialect(r"\{[#.][^{}]*\}", "an attribute list", "ids come from the words of a heading; classes cannot be given"),
    Dialect(r"\[\[[^\[\]]+\]\]", "a wiki link", "write [text](NN-chapter.md) or [text](#section)"),
    Dialect(r"\[[^\[\]]+\]\[[^\[\]]*\]", "a link whose address is not defined", "write [text](address)"),
    Dialect(r"\]\([^()]*\)", "a link that cannot be read", "write [text](address), a blank in an address as %20"),
    Dialect(r"^\[![\w-]+\]", "a callout", "write :::{note} A title … :::"),
    Dialect(r"^(?:!!!|\?\?\?)\+?\s*\w", "an admonition", "write :::{note} A title … :::"),
    Dialect(r"^\.\. [\w-]+::", "a directive of reStructuredText", "write :::{name} argument … :::"),
    Dialect(r"^:{3,}.*", "a line of colons that closes nothing", "an outer fence has more colons than those inside it"),
    Dialect(r"^\[[ xX]\](?=\s|$)", "a task list", "write a plain list"),
    Dialect(r"^:\s+\S", "a definition list", "write a list, or add the word to content/terms.yaml"),
    Dialect(r"^\*\[[^\]]+\]:", "an abbreviation", "add the word to content/terms.yaml and use {term}"),
    Dialect(r"^\[TOC\]$", "a table of contents", "every article has one"),
    Dialect(r"^#{1,6}(?=[^\s#\d])", "a heading without a blank", "write a blank after the #; as text, " + CODE),
    Dialect(r"^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|[-:| \t]*$", "a table that cannot be read",
            "its head and its second line need the same number of cells"),
    Dialect(r"^\|.*\|\s*$", "a row of no table", "a table has a head and |---| below it; as text, " + CODE),
    Dialect(r"^\[[^\[\]]+\]:\s", "a link's definition inside a paragraph", "put an empty line before it"),
    Dialect(r"\$\$|\$(?=[^\s$])[^$\n]*(?<=[^\s$])\$(?!\d)", "mathematics", "write it in plain characters: Y = X Wᵀ; as "
            "text, " + CODE),
    Dialect(r"\\(?:begin|end|frac|text|ref|cite|label|mathrm|sqrt)\{", "LaTeX", "write it in plain characters"),
    Dialect(r"(?<![=\w])==(?=[^\s=])[^=\n]*(?<=[^\s=])==(?![=\w])", "a highlight", "write *emphasis*"),
    Dialect(r"(?<![+\w])\+\+(?=[^\s+])[^+\n]*(?<=[^\s+])\+\+(?![+\w])", "an insertion", "write *emphasis*"),
    Dialect(r"(?<=\w)\^[^\s^]+\^", "a superscript", "write the character: x²"),
    Dialect(r"(?<=\w)~[^\s~]+~", "a subscript", "write the character: x₂"),
    Dialect(r"(?<![\w:]):[a-z][a-z0-9_+-]*:(?![\w:])", "an emoji or a role by colons", "write the character itself; a "
            "role is {name}`text`"),
    Dialect(r"\{\{|\{%|\}\}|%\}", "a template", "a page takes its numbers with {value}`…`; as text, " + CODE),
    Dialect(r"\*\*", "bold that opens or closes nothing", "write **bold** with no blank inside the marks; as text, "
            + CODE),
    Dialect(r"~~", "a stroke through nothing", "write ~~gone~~ with no blank inside the marks; as text, " + CODE),
    Dialect(r"`+", "a back-tick that opens no code", "close it with as many back-ticks; as text, put a backslash "
            "before it"),
    Dialect(r"\bhttps?://\S+", "an address that is no link", "write <https://…> or [text](https://…)"),
)  # fmt: skip
_FIRST = r"(?=[]<>&%+()\[{}!?.:*#|\-$\\=^~`h])"  # every pattern begins with one of these: most characters are none
_EACH = "|".join(f"(?P<d{i}>{dialect.pattern})" for i, dialect in enumerate(DIALECTS))
_ALL = re.compile(f"{_FIRST}(?:{_EACH})", re.MULTILINE)


def check_dialects(text: str, file: str, line: int) -> list[Fault]:
    """A fault for all that readers would see as it was typed. ``text`` starts at ``line``, with ``HIDDEN`` for code."""
    faults = []
    for found in _ALL.finditer(text):
        dialect = DIALECTS[int(str(found.lastgroup)[1:])]
        shown = found[0].replace(HIDDEN, "…").split("\n")[0]
        what = f"{shown!r} is {dialect.name}; {dialect.instead}"
        faults.append(Fault(file, line + text.count("\n", 0, found.start()), what))
    return faults
