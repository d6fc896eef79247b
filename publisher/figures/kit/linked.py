"""How do source, PTX and SASS of a kernel's main loop stand side by side, each line linked to its partners?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from publisher.figures.kit.carried import MARK, taken_over, told
from publisher.figures.kit.excerpt import MARKED
from publisher.figures.kit.figure import CodeLine, Listing
from publisher.figures.kit.style import fmt_count
from sass.control_flow import Loop
from sass.explanations import entry_of, family, general, particular
from sass.listing import Instruction, ListingError, is_dummy, loop_instructions, main_loop, parse_sass
from schema.kernel_text import SourceError, read_regions
from schema.results import Code

SHOWN_REGIONS = ("loop", "load", "compute")  # the loop first: what it calls comes after it
_LABEL = re.compile(r"(\$L\w+)")
_DEFINITION = re.compile(r"^\s*(?:const auto (\w+) = \[|(?:__device__ )[\w ]+?(\w+)\()")
_LOOP = re.compile(r"^\s*for \(")


@dataclass(frozen=True)
class Linked:
    """Three listings and what finds their lines. ``before``: the instructions before the loop, in no listing."""

    listings: tuple[Listing, ...]
    loop: tuple[Instruction, ...]
    before: tuple[Instruction, ...]
    source: str
    topics: Mapping[str, str]  # opcode without suffixes -> what all instructions of it do

    def lines_of(self, chosen: Iterable[Instruction], in_loop: bool = True) -> tuple[str, ...]:
        """Keys of the lines of these instructions in all listings, and of the source lines that call them."""
        chosen = list(chosen)
        keys = [f"sass-{i.offset:x}" for i in chosen] + [f"ptx-{i.ptx_line}" for i in chosen]
        lines = {i.source_line for i in chosen if i.source_line}
        first = _loop_line(self.source)
        wanted = lines | _callers(self.source, lines)
        keys += [
            f"cuda-{line}"
            for line in sorted(wanted)
            if not first or in_loop == (line >= first) or _helper(self.source, line)
        ]
        exist = {line.key for listing in self.listings for line in listing.lines}
        return tuple(key for key in dict.fromkeys(keys) if key in exist)


def linked(
    code: Code, sources: Mapping[str, str], glossary: Mapping[str, Any], arch: str, loop: Loop | None = None
) -> Linked | None:
    """A loop of ``code`` in its languages, its main loop where none is given; None where it has no loop.

    ListingError: no such PTX line.
    """
    found = parse_sass(code.sass)
    loop = loop or main_loop(found)
    if loop is None:
        return None
    inside = loop_instructions(found, loop)
    by_name = {PurePosixPath(name).name: text for name, text in sources.items()}
    source = by_name.get(PurePosixPath(code.file).name, "")
    before = tuple(i for i in found if i.offset < loop.start_offset)
    listings = [_sass(inside, glossary, arch), *_ptx(inside, code.ptx), *_cuda(inside, source, code.file)]
    topics = {family(i): general(i, glossary) for i in inside}
    return Linked(tuple(reversed(_joined(listings, inside))), inside, before, source, topics)


# ---- one listing a language ------------------------------------------------------------------------------------------


def _sass(loop: Sequence[Instruction], glossary: Mapping[str, Any], arch: str) -> Listing:
    over, lines = taken_over(loop), []
    for i in loop:
        kind = "" if is_dummy(i) else entry_of(i, glossary).get("class", "")
        keeps = over.get(i.offset, ())
        marks = ["loop"] + ([kind] if kind in MARKED else []) + ([MARK] if keeps else [])
        note = told(particular(i, glossary, arch), keeps)
        lines.append(CodeLine(f"sass-{i.offset:x}", i.text, tuple(marks), note=note, label=f"{i.offset:04x}"))
    dummies = sum(map(is_dummy, loop))
    title = fmt_count(len(loop) - dummies, "instruction")
    title += f", {fmt_count(dummies, 'dummy', 'dummies')}" if dummies else ""
    return Listing("sass", title, "sass", tuple(lines))


def _ptx(loop: Sequence[Instruction], ptx: str) -> list[Listing]:
    """The PTX of the loop: from the label that the last branch names to that branch; else all that is named."""
    text = ptx.splitlines()
    for i in loop:
        if (i.ptx_line or 0) > len(text):
            raise ListingError(f"the SASS at {i.offset:04x} names line {i.ptx_line} of the PTX, which has {len(text)}")
    named = sorted({i.ptx_line for i in loop if i.ptx_line})
    if not named:
        return []
    last = loop[-1].ptx_line
    first = named[0]
    label = _LABEL.search(text[last - 1]) if last in named and last is not None else None
    if label:
        starts = [n for n, line in enumerate(text, start=1) if line.strip().startswith(f"{label[1]}:")]
        first, end = (starts[0], last) if starts and last and starts[0] < last else (first, named[-1])
    else:
        end = named[-1]
    lines = []
    for number in range(first, (end or first) + 1):
        line = " ".join(text[number - 1].split())
        if line:
            lines.append(CodeLine(f"ptx-{number}", line, ("loop",), label=str(number)))
    return [Listing("ptx", "PTX of the loop", "ptx", tuple(lines))]


def _cuda(loop: Sequence[Instruction], source: str, file: str) -> list[Listing]:
    """The regions that the loop comes from, then the helpers that its instructions name, each with its line numbers."""
    text = source.splitlines()
    named = {i.source_line for i in loop if i.source_line and i.source_line <= len(text)}
    try:
        regions = read_regions(source)
    except SourceError:
        regions = {}
    wanted = [n for name in SHOWN_REGIONS if name in regions for n in _region_lines(regions[name])]
    helpers = {n for line in named.difference(wanted) for n in _paragraph(text, line)}
    wanted += sorted(helpers.difference(wanted))
    lines: list[CodeLine] = []
    first = _loop_line(source)
    end = regions["loop"].last_line if "loop" in regions else 0
    for before, number in zip([0, *wanted], wanted, strict=False):
        if before and number != before + 1:
            lines.append(CodeLine(f"cuda-before-{number}", "⋯"))
        marks = ("loop",) if first and first <= number <= end else ()
        lines.append(CodeLine(f"cuda-{number}", text[number - 1], marks, label=str(number)))
    return [Listing("cuda", PurePosixPath(file).name, "cuda", tuple(lines))] if lines else []


def _region_lines(region: Any) -> range:
    return range(region.first_line, region.last_line + 1)


def _paragraph(text: Sequence[str], line: int) -> range:
    """The lines around ``line`` up to the next blank lines or region marks."""

    def stops(number: int) -> bool:
        return not text[number - 1].strip() or "region" in text[number - 1]

    first = last = line
    while first > 1 and not stops(first - 1):
        first -= 1
    while last < len(text) and not stops(last + 1):
        last += 1
    return range(first, last + 1)


# ---- links -----------------------------------------------------------------------------------------------------------


def _joined(listings: Sequence[Listing], loop: Sequence[Instruction]) -> list[Listing]:
    exist = {line.key for listing in listings for line in listing.lines}
    links: dict[str, list[str]] = {}
    for i in loop:
        cuda, ptx, sass = f"cuda-{i.source_line}", f"ptx-{i.ptx_line}", f"sass-{i.offset:x}"
        for mine, other in ((sass, cuda), (sass, ptx), (ptx, cuda)):
            if mine in exist and other in exist and other not in links.setdefault(mine, []):
                links[mine].append(other)
    joined = []
    for listing in listings:
        lines = tuple(
            CodeLine(line.key, line.text, line.marks, tuple(links.get(line.key, ())), line.note, line.label)
            for line in listing.lines
        )
        joined.append(Listing(listing.slug, listing.title, listing.language, lines))
    return joined


def _loop_line(source: str) -> int:
    """The number of the line that opens the main loop: the first ``for`` of the region ``loop``; 0 for none."""
    try:
        region = read_regions(source).get("loop")
    except SourceError:
        return 0
    lines = enumerate(region.text.splitlines(), start=region.first_line) if region else ()
    return next((number for number, line in lines if _LOOP.match(line)), 0)


def _helper(source: str, line: int) -> bool:
    """Is the line part of a function or lambda that both the loop and the lines before it call?"""
    return any(start <= line <= end for _, start, end in _definitions(source))


def _callers(source: str, lines: set[int]) -> set[int]:
    """Lines that call a function or lambda in whose body one of ``lines`` lies; and the callers of those."""
    text = source.splitlines()
    found: set[int] = set()
    for name, start, end in _definitions(source):
        if any(start <= line <= end for line in lines | found):
            calls = re.compile(rf"\b{name}\(")
            found |= {n for n, line in enumerate(text, start=1) if calls.search(line) and not start <= n <= end}
    return found - lines


def _definitions(source: str) -> list[tuple[str, int, int]]:
    """Helpers with first and last line, in the order of the file. A body ends where a line closes its indent."""
    text = source.splitlines()
    found = []
    for number, line in enumerate(text, start=1):
        match = _DEFINITION.match(line)
        if match:
            indent = line[: len(line) - len(line.lstrip())]
            ends = (
                n for n in range(number + 1, len(text) + 1) if text[n - 1].startswith((f"{indent}}}", f"{indent}}};"))
            )
            found.append((match[1] or match[2], number, next(ends, number)))
    return found
