"""What does the text of a CUDA file say by itself? Its constants, named regions, and hash. No CUDA, no files.

A rung owns its sizes as ``constexpr int NAME = literal;`` lines inside ``// region: constants`` … ``// endregion``.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

CONSTANTS = "constants"
HASH_DIGITS = 32

_COMMENT_OR_LITERAL = re.compile(
    r"""(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)
      | (?P<literal>(?<!\w)(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"
                  | "(?:\\.|[^"\\\n])*"
                  | (?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*')""",  # 1'000 holds a separator, not a literal
    re.DOTALL | re.VERBOSE,
)
_PUNCTUATION = re.compile(r"<<=|>>=|<=>|\.\.\.|->\*|::|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||##|[-+*/%&|^]=|[^\w\s]")
_WORD = re.compile(r"\.?\d(?:[eEpP][+-]|[\w.]|'(?=\w))*|\w+")
_REGION = re.compile(r"^[ \t]*//[ \t]*region\b(?P<rest>.*)$")
_END = re.compile(r"^[ \t]*//[ \t]*endregion\b.*$")
_NAME = re.compile(r"^:[ \t]*([a-z][a-z0-9_]*)[ \t]*$")
_CONSTANT = re.compile(
    r"^(?P<head>[ \t]*constexpr[ \t]+int[ \t]+(?P<name>\w+)[ \t]*=[ \t]*)"
    r"(?P<value>-?(?:0[xX][0-9a-fA-F]+|\d+))(?=[ \t]*;)",
    re.MULTILINE,
)


class SourceError(Exception):
    """A kernel file that does not keep the conventions. The message says what is wrong, where, and what exists."""


@dataclass(frozen=True)
class Region:
    """A named part of a source. Lines are 1-based, both inside the markers; ``text`` holds no marker line."""

    first_line: int
    last_line: int
    text: str


def read_regions(source: str, file: str = "") -> dict[str, Region]:
    """All named regions in the order of the file. Unclosed, nested, nameless or repeated regions are a SourceError."""
    regions: dict[str, Region] = {}
    lines = source.splitlines()
    name, opened = "", 0
    for number, line in enumerate(lines, start=1):
        start = _REGION.match(line)
        if start is None and not _END.match(line):
            continue
        if start is None:
            if not name:
                raise SourceError(f"{_at(file, number)}'// endregion' closes nothing; no region is open here")
            regions[name] = Region(opened + 1, number - 1, "\n".join(lines[opened : number - 1]))
            name = ""
            continue
        named = _NAME.match(start["rest"])
        if named is None:
            raise SourceError(f"{_at(file, number)}a region needs a name in lower case, such as '// region: load'")
        if name:
            raise SourceError(
                f"{_at(file, number)}region {named[1]!r} begins inside region {name!r} of line {opened};"
                " close it with '// endregion' first"
            )
        if named[1] in regions:
            raise SourceError(
                f"{_at(file, number)}region {named[1]!r} exists already, from line {regions[named[1]].first_line - 1}"
            )
        name, opened = named[1], number
    if name:
        raise SourceError(f"{_at(file, opened)}region {name!r} is never closed; it needs a line '// endregion'")
    return regions


def read_constants(source: str, file: str = "") -> dict[str, int]:
    """The literals of the constants region by name, in the order of the file; empty where there is no such region."""
    return {match["name"]: int(match["value"], 0) for match in _constants(source, file)}


def rewrite_constants(source: str, constants: dict[str, int], file: str = "") -> str:
    """The source with the literals of these constants replaced and nothing else; a name it lacks is a SourceError."""
    found = list(_constants(source, file))
    exist = [match["name"] for match in found]
    for name in constants:
        if name not in exist:
            where = f"{file} has" if file else "the source has"
            raise SourceError(
                f"{where} no constant {name!r} in its region '{CONSTANTS}';"
                f" it has {', '.join(exist) if exist else 'none'}"
            )
    for match in reversed(found):
        if match["name"] in constants:
            source = source[: match.start("value")] + str(int(constants[match["name"]])) + source[match.end("value") :]
    return source


def no_constants(source: str, file: str = "") -> list[tuple[int, str]]:
    """The lines of the constants region, by number, that hold code other than one ``constexpr int NAME = literal;``."""
    region = read_regions(source, file).get(CONSTANTS)
    if region is None:
        return []
    lines = enumerate(blank_comments(source).splitlines()[region.first_line - 1 : region.last_line], region.first_line)
    constants = ((number, line, _CONSTANT.match(line)) for number, line in lines if line.strip())
    return [(n, line.strip()) for n, line, found in constants if not (found and line[found.end() :].strip() == ";")]


def blank_comments(source: str) -> str:
    """The source with every comment replaced by blanks: all offsets and line numbers stay. Strings are respected."""

    def blank(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", match[0]) if match["comment"] else match[0]

    return _COMMENT_OR_LITERAL.sub(blank, source)


def source_hash(source: str) -> str:
    """``sha256:`` and hex digits over the source's tokens: comments and layout do not count, code does."""
    text = blank_comments(source.replace("\r\n", "\n")).replace("\\\n", "")
    digest = hashlib.sha256("\n".join(_statements(text)).encode()).hexdigest()
    return f"sha256:{digest[:HASH_DIGITS]}"


def _constants(source: str, file: str) -> Iterator[re.Match[str]]:
    region = read_regions(source, file).get(CONSTANTS)
    if region is None:
        return
    lines = source.splitlines(keepends=True)
    start = sum(map(len, lines[: region.first_line - 1]))
    end = sum(map(len, lines[: region.last_line]))
    seen: set[str] = set()
    for match in _CONSTANT.finditer(blank_comments(source), start, end):
        if match["name"] in seen:
            number = source.count("\n", 0, match.start("name")) + 1
            raise SourceError(f"{_at(file, number)}the constant {match['name']!r} is defined twice")
        seen.add(match["name"])
        yield match


def _statements(text: str) -> Iterator[str]:
    """Tokens joined by blanks: one line a preprocessor directive, one line for all code between two of them."""
    code: list[str] = []
    for is_directive, tokens in _lines(text):
        if not is_directive:
            code += tokens
            continue
        if code:
            yield " ".join(code)
            code = []
        yield " ".join(tokens)
    if code:
        yield " ".join(code)


def _lines(text: str) -> Iterator[tuple[bool, list[str]]]:
    tokens: list[str] = []
    at = 0
    while at < len(text):
        if text[at] == "\n":
            if tokens:
                yield tokens[0] == "#", tokens
            tokens = []
        if text[at].isspace():
            at += 1
            continue
        match = _COMMENT_OR_LITERAL.match(text, at) or _WORD.match(text, at) or _PUNCTUATION.match(text, at)
        assert match is not None
        tokens.append(match[0])
        at = match.end()
    if tokens:
        yield tokens[0] == "#", tokens


def _at(file: str, line: int) -> str:
    return f"{file}:{line}: " if file else f"line {line}: "
