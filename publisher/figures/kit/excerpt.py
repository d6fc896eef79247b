"""Which few lines of a kernel are worth showing beside a figure? What is new in it, and its loop in outline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from publisher.figures.kit.carried import MARK, taken_over, told
from publisher.figures.kit.figure import CodeLine, Listing
from publisher.figures.kit.style import Rung, fmt_count
from sass.explanations import entry_of, explain, family
from sass.listing import (
    Instruction,
    is_dummy,
    loop_instructions,
    loops,
    main_loop,
    parse_sass,
    without_padding,
)

LINES = 14
MARKED = ("load", "math", "store", "barrier")  # classes of the glossary that a page colours
GAP = "⋯"  # begins a line that stands for several …
MOST_NAMES = 3  # … and names so many of their opcode families


@dataclass(frozen=True)
class Kernel:
    """The instructions of a rung that execute, and which of them are in its loop."""

    rung: Rung
    instructions: tuple[Instruction, ...]
    classes: tuple[str, ...]  # of the instructions, by the glossary; "" for none that a page colours
    loop: frozenset[int]  # places of those in the main loop and the loops around it
    trouble: str  # why there are none
    over: Mapping[int, tuple[str, ...]]  # by offset, what the next pass of the main loop takes over

    @property
    def families(self) -> frozenset[str]:
        """Of the marked instructions of the whole kernel."""
        return self._families(range(len(self.instructions)))

    @property
    def loop_families(self) -> frozenset[str]:
        return self._families(self.loop)

    def _families(self, places: Iterable[int]) -> frozenset[str]:
        return frozenset(family(self.instructions[n]) for n in places if self.classes[n])


@dataclass(frozen=True)
class Excerpt:
    """A listing, and the keys of its lines by opcode family."""

    listing: Listing
    keys: Mapping[str, tuple[str, ...]]


def kernel_of(rung: Rung, glossary: Mapping[str, Any]) -> Kernel:
    """A rung without code is a kernel without instructions that says why."""
    if rung.code is None:
        return Kernel(rung, (), (), frozenset(), f"no code, {rung.why}", {})
    found = without_padding(parse_sass(rung.code.sass))
    main = main_loop(found)
    around = max((loop for loop in loops(found) if main and loop.offsets >= main.offsets), key=_size, default=None)
    inside = {i.offset for i in loop_instructions(found, around)} if around else set()
    real = tuple(i for i in found if not is_dummy(i))
    classes = tuple(_class(i, glossary) for i in real)
    places = frozenset(n for n, i in enumerate(real) if i.offset in inside)
    over = taken_over(loop_instructions(found, main)) if main else {}
    return Kernel(rung, real, classes, places, "it is empty", over)


def _class(instruction: Instruction, glossary: Mapping[str, Any]) -> str:
    kind = entry_of(instruction, glossary).get("class", "")
    moves = kind == "math" and instruction.operands.count("RZ") > 1  # e.g. HFMA2.MMA R8, -RZ, RZ, 0, 0
    return kind if kind in MARKED and not moves else ""


def _size(loop: Any) -> int:
    return len(loop.offsets)


def excerpt(kernel: Kernel, fresh: Collection[str], glossary: Mapping[str, Any], arch: str) -> Excerpt:
    """``LINES`` lines, fewer of a short kernel: families in ``fresh`` first, then an outline of the loop."""
    rung = kernel.rung
    title = f"{rung.number} {rung.title}"
    if not kernel.instructions:
        return Excerpt(Listing(rung.slug, f"{title}: {kernel.trouble}", "sass", ()), {})
    kept = _kept(kernel, fresh)
    lines, keys = [], dict[str, tuple[str, ...]]()
    for before, place in zip([None, *kept], kept, strict=False):
        if before is not None and place - before > 1:
            lines.append(_gap(kernel, range(before + 1, place)))
        i, kind = kernel.instructions[place], kernel.classes[place]
        key = f"{rung.slug}-{i.offset:x}"
        keeps = kernel.over.get(i.offset, ())
        marks = ((kind,) if kind else ()) + (("loop",) if place in kernel.loop else ()) + ((MARK,) if keeps else ())
        lines.append(
            CodeLine(key, i.text, marks, note=told(explain(i, glossary, arch), keeps), label=f"{i.offset:04x}")
        )
        keys[family(i)] = (*keys.get(family(i), ()), key)
    heading = f"{title}: {len(kept)} of its {fmt_count(len(kernel.instructions), 'instruction')}"
    return Excerpt(Listing(rung.slug, heading, "sass", tuple(lines)), keys)


def _kept(kernel: Kernel, fresh: Collection[str]) -> list[int]:
    """Places of the lines to show, as many as fit, the most telling first. A gap of one line shows that line."""
    kept: list[int] = []
    for place in _by_interest(kernel, fresh):
        more = sorted({*kept, place})
        more = sorted({*more, *(a + 1 for a, b in zip(more, more[1:], strict=False) if b - a == 2)})
        if _height(more) <= LINES:
            kept = more
    return kept


def _height(kept: Sequence[int]) -> int:
    """Lines that an excerpt of these places takes, with one for each gap."""
    return len(kept) + sum(b - a > 1 for a, b in zip(kept, kept[1:], strict=False))


def _by_interest(kernel: Kernel, fresh: Collection[str]) -> Iterator[int]:
    marked = [n for n, kind in enumerate(kernel.classes) if kind]
    inside = [n for n in marked if n in kernel.loop]
    names = [family(i) for i in kernel.instructions]
    new = [n for n in (*inside, *marked) if names[n] in fresh]
    yield from _first_of_each(new, names)
    yield from _first_of_each(inside, names)
    yield from [n for n in sorted(kernel.loop) if names[n] == "BRA"][-1:]
    yield from _first_of_each([n for n in marked if n not in kernel.loop and kernel.classes[n] == "store"], names)
    yield from _second_of_each([n for n in new if n in kernel.loop], names)
    yield from _second_of_each(inside, names)
    yield from inside
    yield from sorted(kernel.loop)
    yield from range(len(names))


def _first_of_each(places: Sequence[int], names: Sequence[str]) -> list[int]:
    found: dict[str, int] = {}
    for place in places:
        found.setdefault(names[place], place)
    return list(found.values())


def _second_of_each(places: Sequence[int], names: Sequence[str]) -> list[int]:
    first = set(_first_of_each(places, names))
    return _first_of_each([n for n in places if n not in first], names)


def _gap(kernel: Kernel, places: range) -> CodeLine:
    marks = ("loop",) if all(n in kernel.loop for n in places) else ()
    first = kernel.instructions[places.start].offset
    return CodeLine(f"{kernel.rung.slug}-{first:x}-gap", f"{GAP} {_tally(kernel, places)}", marks)


def _tally(kernel: Kernel, places: Sequence[int]) -> str:
    """What stands at the places, by family: ``31 LDG, 16 FFMA, 12 others``."""
    counts = Counter(family(kernel.instructions[n]) for n in places if kernel.classes[n])
    most = counts.most_common(MOST_NAMES)
    others = len(places) - sum(count for _, count in most)
    parts = [f"{count} {name}" for name, count in most]
    return ", ".join([*parts, *([fmt_count(others, "other")] if others else [])])
