"""What does compiled code prove about a cut-down kernel? Its load and multiply instructions, counted and listed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from publisher.figure import CodeLine, Evidence, Listing
from publisher.figures._style import fmt_count
from recorder.listing import (
    Instruction,
    ListingError,
    is_dummy,
    loop_instructions,
    main_loop,
    parse_sass,
    without_padding,
)
from recorder.results import Code

LOADS = ("LDGSTS", "UTMALDG", "LDG")  # the first that the full kernel has is what its variants keep or drop
MATHS = ("HMMA", "HGMMA", "UTCHMMA", "FFMA")
LISTED = 40  # lines of a listing at most


@dataclass(frozen=True)
class Proof:
    """What the compiled code of one variant holds: load and multiply instructions, in all and in the main loop."""

    load: str
    math: str
    loads: tuple[Instruction, ...]
    maths: tuple[Instruction, ...]
    loop: frozenset[int]  # offsets

    @property
    def words(self) -> str:
        """``2 `LDGSTS` and 4 `HMMA`, 2 and 4 of them in the main loop``."""
        counts = [f"{len(g) or 'no'} `{f}`" for f, g in ((self.load, self.loads), (self.math, self.maths))]
        inside = [str(sum(i.offset in self.loop for i in group)) for group in (self.loads, self.maths) if group]
        where = f", {' and '.join(inside)} of them in the main loop" if inside and self.loop else ""
        return " and ".join(counts) + where

    def listing(self, slug: str, name: str) -> Listing:
        """The counted instructions alone, in the order of the code; what is not there is said in words."""
        lines = []
        both = sorted((*self.loads, *self.maths), key=lambda i: i.offset)
        for one in both[:LISTED]:
            marks = ("load" if one in self.loads else "math", *(("loop",) if one.offset in self.loop else ()))
            lines.append(CodeLine(f"{slug}-{one.offset:x}", one.text, marks, label=f"{one.offset:04x}"))
        if len(both) > LISTED:
            lines.append(CodeLine(f"{slug}-more", f"… {fmt_count(len(both) - LISTED, 'more line')}"))
        for family, group in ((self.load, self.loads), (self.math, self.maths)):
            if not group:
                lines.append(CodeLine(f"{slug}-no-{family.lower()}", f"no {family}"))
        title = f"{name}: {len(self.loads)} {self.load}, {len(self.maths)} {self.math}"
        return Listing(slug, title, "sass", tuple(lines))


def proofs_of(evidence: Evidence, rung: str, variants: Sequence[str]) -> dict[str, Proof]:
    """``full`` and each of ``variants``, as far as the code recording has them and their listings can be read."""
    recording = evidence.card.get(evidence.subject, "code")
    if recording is None or rung not in recording.results.rungs:
        return {}
    codes = {"full": recording.results.rungs[rung].code}
    codes |= {variant: recording.results.variants.get(f"{rung}.{variant}") for variant in variants}
    listings: dict[str, tuple[Instruction, ...]] = {}
    for name, code in codes.items():
        if isinstance(code, Code):
            try:
                listings[name] = without_padding(parse_sass(code.sass))
            except ListingError:
                continue
    if "full" not in listings:
        return {}
    load, math = (_first_family(listings["full"], families) for families in (LOADS, MATHS))
    return {name: _proof(found, load, math) for name, found in listings.items()}


def _proof(found: tuple[Instruction, ...], load: str, math: str) -> Proof:
    loop = main_loop(found)
    offsets = frozenset(i.offset for i in loop_instructions(found, loop)) if loop else frozenset()
    real = [i for i in found if not is_dummy(i)]
    loads, maths = (tuple(i for i in real if i.opcode.split(".")[0] == family) for family in (load, math))
    return Proof(load, math, loads, maths, offsets)


def _first_family(found: tuple[Instruction, ...], families: tuple[str, ...]) -> str:
    present = {i.opcode.split(".")[0] for i in found if not is_dummy(i)}
    return next((family for family in families if family in present), families[0])
