"""Which few lines of a kernel's main loop are worth showing beside a figure?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from publisher.figure import CodeLine, Listing
from publisher.figures._style import Rung, fmt_count
from publisher.instructions import entry_of, explain, family
from recorder.listing import Instruction, ListingError, is_dummy, loop_instructions, main_loop, parse_sass

LINES = 14
MARKED = ("load", "math", "store", "barrier")  # classes of the glossary that a page colours


@dataclass(frozen=True)
class Excerpt:
    """A listing, the opcode families of the whole loop that are of a marked class, and the keys of their lines."""

    listing: Listing
    families: frozenset[str]
    keys: Mapping[str, tuple[str, ...]]  # family -> keys of the lines shown


def loop_excerpt(rung: Rung, glossary: Mapping[str, Any], arch: str) -> Excerpt:
    """At most ``LINES`` neighbouring instructions of the rung's main loop: those with the most marked classes.

    Of equals the first. A kernel without a loop shows its own instructions; a rung without code says why.
    """
    title = f"{rung.number} {rung.title}"
    loop, in_loop, trouble = _loop(rung)
    if not loop:
        return Excerpt(Listing(rung.slug, f"{title}: {trouble}", "sass", ()), frozenset(), {})
    classes = [_class(i, glossary) for i in loop]
    shown = min(len(loop), LINES)
    start = max(range(len(loop) - shown + 1), key=lambda s: (_variety(classes[s : s + shown]), -s))
    lines, keys = [], dict[str, tuple[str, ...]]()
    for i, kind in list(zip(loop, classes, strict=True))[start : start + shown]:
        key = f"{rung.slug}-{i.offset:x}"
        marks = ((kind,) if kind in MARKED else ()) + (("loop",) if in_loop else ())
        lines.append(CodeLine(key, i.text, marks, note=explain(i, glossary, arch), label=f"{i.offset:04x}"))
        keys[family(i)] = (*keys.get(family(i), ()), key)
    part = "all" if shown == len(loop) else f"{start + 1} to {start + shown} of"
    name = "its main loop" if in_loop else "the kernel, which has no loop"
    heading = f"{title}: {part} {fmt_count(len(loop), 'instruction')} of {name}"
    families = frozenset(family(i) for i, kind in zip(loop, classes, strict=True) if kind in MARKED)
    return Excerpt(Listing(rung.slug, heading, "sass", tuple(lines)), families, keys)


def _loop(rung: Rung) -> tuple[tuple[Instruction, ...], bool, str]:
    if rung.code is None:
        return (), False, f"no code, {rung.why}"
    try:
        found = parse_sass(rung.code.sass)
    except ListingError as error:
        return (), False, f"its listing cannot be read, {error}"
    loop = main_loop(found)
    real = tuple(i for i in (loop_instructions(found, loop) if loop else found) if not is_dummy(i))
    return real, loop is not None, "its listing is empty"


def _class(instruction: Instruction, glossary: Mapping[str, Any]) -> str:
    return entry_of(instruction, glossary).get("class", "")


def _variety(classes: Sequence[str]) -> tuple[int, int]:
    marked = [kind for kind in classes if kind in MARKED]
    return len(set(marked)), min(len(marked), LINES // 2)
