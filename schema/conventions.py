"""Do a ladder's kernels keep the conventions? What their text says against it, without compiling anything."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

from schema.kernel_entry import Entry, find_entry, kernels_in
from schema.kernel_text import (
    Region,
    SourceError,
    blank_comments,
    no_constants,
    read_constants,
    read_regions,
    source_hash,
)
from schema.ladder import Ladder
from schema.rungs import Rung, Variant

_HEADER = re.compile(r"// *[^\s:][^:]*: +\S.*[.?!]")
Lines = list[tuple[int, str]]  # line number and code: no comments, no blank lines, blanks collapsed


@dataclass(frozen=True)
class Text:
    """A kernel file without comments, and its regions."""

    code: str
    regions: dict[str, Region]

    def inside(self, name: str) -> Lines:
        """A region's first line, for one that is empty, and its code."""
        region = self.regions[name]
        lines = enumerate(self.code.splitlines()[region.first_line - 1 : region.last_line], region.first_line)
        return [(region.first_line - 1, ""), *((n, " ".join(line.split())) for n, line in lines if line.strip())]

    def outside(self, start: int, stop: int | None, shared: set[str]) -> Lines:
        """The code between two offsets that lies in no region, and a line for each of the ``shared`` regions."""
        inside = {n for region in self.regions.values() for n in range(region.first_line, region.last_line + 1)}
        opened = {r.first_line - 1: f"// region: {name}" for name, r in self.regions.items() if name in shared}
        lines = enumerate(self.code[start:stop].splitlines(), self.code.count("\n", 0, start) + 1)
        found = ((n, " ".join(line.split()) or opened.get(n, "")) for n, line in lines if n not in inside)
        return [(n, line) for n, line in found if line]


def source_faults(ladder: Ladder) -> list[str]:
    """What is wrong in the text of a ladder's kernels: a sentence each, which begins with file and line."""
    faults = list(_undeclared(ladder))
    for rung in ladder.rungs:
        of_rung = list(_faults_of(ladder, rung, None))
        faults += of_rung
        for variant in rung.variants:
            own = list(_faults_of(ladder, rung, variant))
            faults += own
            if not (own or of_rung):  # what is wrong by itself is compared once it is mended
                faults += _differences(ladder, rung, variant)
    return list(dict.fromkeys(faults))


def _undeclared(ladder: Ladder) -> Iterator[str]:
    for name in sorted({path.name for path in ladder.folder.glob("*.cu")} - set(ladder.files)):
        yield (
            f"kernels/{ladder.slug}/{name}:1: no rung or variant of ladder.py has this file; "
            f"declared are {', '.join(ladder.files)}"
        )


# ---- one file ------------------------------------------------------------------------------------------------------


def _faults_of(ladder: Ladder, rung: Rung, variant: Variant | None) -> Iterator[str]:
    """The faults of one file by itself; a file that cannot be read, or whose regions are none, has this one only."""
    file = ladder.name(rung, variant.slug if variant else "")
    try:
        source = ladder.source(rung, variant.slug if variant else "")
        regions = read_regions(source, file)
        read_constants(source, file)
    except SourceError as error:
        yield str(error)
        return
    if not _HEADER.fullmatch(source.partition("\n")[0].rstrip()):
        yield f"{file}:1: the first line is not '// Title: what the kernel does, as a sentence.'"
    for name, region in regions.items():
        if ladder.regions and name not in ladder.regions:
            yield (
                f"{file}:{region.first_line - 1}: {name!r} is none of the ladder's regions: {', '.join(ladder.regions)}"
            )
    for line, text in no_constants(source, file):
        yield f"{file}:{line}: {text!r} is not 'constexpr int NAME = literal;'; the region constants has only those"
    code = blank_comments(source)
    entry = find_entry(code, ladder.entry)
    if entry is None:
        yield f"{file}:1: has no kernel {ladder.entry!r}; its kernels are {', '.join(kernels_in(code)) or 'none'}"
        return
    for word in ('extern "C"', "__global__"):
        if word not in entry.head:
            yield f'{file}:{entry.line}: {ladder.entry} is not {word}; a kernel begins: extern "C" __global__ void'
    yield from _argument_faults(ladder, rung, variant, entry, file)


def _argument_faults(ladder: Ladder, rung: Rung, variant: Variant | None, entry: Entry, file: str) -> Iterator[str]:
    """Names in order; the first that differs is told."""
    wanted = (*ladder.taken(rung), *(variant.arguments if variant else ()))
    takes = [parameter.name for parameter in entry.parameters]
    if takes != list(wanted):
        same = next((n for n, pair in enumerate(zip(takes, wanted, strict=False)) if pair[0] != pair[1]), None)
        line = entry.line if same is None else entry.parameters[same].line
        yield (
            f"{file}:{line}: {ladder.entry} takes {', '.join(takes) or 'nothing'}; "
            f"the ladder gives it {', '.join(wanted) or 'nothing'}"
        )
        return
    maps = {one.name for one in rung.tensor_maps}
    for parameter in entry.parameters:
        words = set(re.findall(r"\w+|[*&]", parameter.text))
        if parameter.name in maps and (
            not {"const", "__grid_constant__", "CUtensorMap"} <= words or words & {"*", "&"}
        ):
            yield (
                f"{file}:{parameter.line}: {parameter.name!r} is a tensor map; "
                f"it is taken as: const __grid_constant__ CUtensorMap {parameter.name}"
            )


# ---- a variant beside its rung -------------------------------------------------------------------------------------


def _differences(ladder: Ladder, rung: Rung, variant: Variant) -> Iterator[str]:
    """Where a variant differs from its rung and does not say so; neither has a fault by itself."""
    file, rungs_file = ladder.name(rung, variant.slug), ladder.file(rung)
    sources = ladder.source(rung), ladder.source(rung, variant.slug)
    of_rung, of_variant = map(read_regions, sources)
    if source_hash(sources[0]) == source_hash(sources[1]):
        yield f"{file}:1: its code is that of {rungs_file}, comments apart; a variant changes something"
        return
    rungs, variants = Text(blank_comments(sources[0]), of_rung), Text(blank_comments(sources[1]), of_variant)
    declares = f"{variant.slug} declares changes={variant.changes!r} and adds={variant.adds!r}"
    for name, region in of_variant.items():
        if name not in of_rung:
            if name not in variant.adds:
                yield f"{file}:{region.first_line - 1}: {rungs_file} has no region {name!r}; {declares}"
        elif name not in variant.changes:
            line = _first_difference(rungs.inside(name), variants.inside(name))
            if line:
                yield f"{file}:{line}: the region {name!r} differs from that of {rungs_file}; {declares}"
    for name in (*(n for n in of_rung if n not in variant.changes), *variant.adds):
        if name not in of_variant:
            why = "it is declared in adds" if name in variant.adds else f"{rungs_file} has it"
            yield f"{file}:1: has no region {name!r}; {why}"
    yield from _outside(ladder, variant, rungs, variants, file, rungs_file)


def _first_difference(before: Lines, after: Lines) -> int:
    """The line of the second where the two differ, 0 where they do not."""
    pairs = zip_longest(before, after, fillvalue=(0, ""))
    last = after[-1][0] if after else 0
    return next((theirs[0] or last for ours, theirs in pairs if ours[1] != theirs[1]), 0)


def _outside(
    ladder: Ladder, variant: Variant, rungs: Text, variants: Text, file: str, rungs_file: str
) -> Iterator[str]:
    """Code in no region may be left out; helpers before the kernel may come with what ``adds`` regions."""
    before, after = find_entry(rungs.code, ladder.entry), find_entry(variants.code, ladder.entry)
    assert before is not None and after is not None, "neither has a fault by itself"
    for own, parameter in zip(before.parameters, after.parameters, strict=False):
        if own.text != parameter.text:
            yield f"{file}:{parameter.line}: takes {parameter.text!r} where {rungs_file} takes {own.text!r}"
    shared = {*rungs.regions} & {*variants.regions}
    heads = rungs.outside(0, before.opening, shared), variants.outside(0, after.opening, shared)
    bodies = rungs.outside(before.body, None, shared), variants.outside(after.body, None, shared)
    for line, text in (*_added(*heads, may_insert=bool(variant.adds)), *_added(*bodies)):
        yield (
            f"{file}:{line}: {text!r} stands outside of regions, and not so in {rungs_file}; there a variant only "
            "leaves code out, takes its own arguments, and defines helpers before the kernel if it adds regions"
        )


def _added(before: Lines, after: Lines, may_insert: bool = False) -> Lines:
    """The first line of every place where the second has what the first has not."""
    matcher = SequenceMatcher(None, [text for _, text in before], [text for _, text in after], autojunk=False)
    allowed = ("equal", "delete", "insert" if may_insert else "")
    return [after[first] for kind, _, _, first, _ in matcher.get_opcodes() if kind not in allowed]
