"""What does compiled code prove about a cut-down kernel? Its loads and multiplies, counted in its loop and listed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from publisher.figures.kit.figure import CodeLine, Evidence, Listing
from publisher.figures.kit.style import listed
from sass.listing import Instruction, is_dummy, loop_instructions, loops, parse_sass, without_padding
from sass.opcodes import family
from schema.results import Code
from schema.units import UNITS

# Ways to ask global memory for data: into shared memory in the background, by a descriptor, and into registers.
LOADS = ("LDGSTS", "UTMALDG", "LDG")
MATHS = ("HMMA", "HGMMA", "UTCHMMA", "FFMA")  # where the ladder declares no unit
LISTED = 3  # lines of one opcode, at most


@dataclass(frozen=True)
class Proof:
    """What the compiled code of one variant holds. ``names``: the loads and the multiplies of the full kernel."""

    names: tuple[str, str]
    loads: tuple[Instruction, ...]  # of every kind, also one that the full kernel has not
    maths: tuple[Instruction, ...]
    loop: frozenset[int]  # offsets

    @property
    def words(self) -> str:
        """``Its compiled loop has 2 `LDGSTS` and 4 `HMMA`, and 2 `LDGSTS` stand outside it``; no full stop."""
        if not self.loop:
            return f"Its compiled code, which has no loop for them, has {self._counted(self.loads, self.maths)}"
        groups = (self.loads, self.maths)
        inside = self._counted(*(tuple(i for i in group if i.offset in self.loop) for group in groups))
        outside = [i for group in groups for i in group if i.offset not in self.loop]
        text = f"Its compiled loop has {inside}"
        return text + (f", and {_names(outside)} stand{'s' * (len(outside) == 1)} outside it" if outside else "")

    @property
    def in_loop(self) -> tuple[str, str]:
        """How many loads and multiplies the loop has."""
        loads, maths = (sum(i.offset in self.loop for i in group) for group in (self.loads, self.maths))
        return str(loads), str(maths)

    def _counted(self, loads: Sequence[Instruction], maths: Sequence[Instruction]) -> str:
        load, math = self.names
        return f"{_names(loads) or f'no `{load}`'} and {_names(maths) or f'no `{math}`'}"

    def listing(self, slug: str, name: str) -> Listing:
        """The counted instructions alone, by opcode; what is not there is said in words."""
        lines = []
        for group in _alike(sorted((*self.loads, *self.maths), key=lambda i: i.offset), self.loop):
            kind = "load" if group[0] in self.loads else "math"
            marks = (kind, "loop") if group[0].offset in self.loop else (kind,)
            left = len(group) - LISTED
            shown = group if left < 2 else group[:LISTED]
            lines += [CodeLine(f"{slug}-{i.offset:x}", i.text, marks, label=f"{i.offset:04x}") for i in shown]
            if left > 1:
                lines.append(CodeLine(f"{slug}-{group[0].offset:x}-more", f"… {left} more {group[0].opcode}", marks))
        for missing, group in zip(self.names, (self.loads, self.maths), strict=True):
            if not group:
                lines.append(CodeLine(f"{slug}-no-{missing.lower()}", f"no {missing}"))
        groups = zip(self.names, (self.loads, self.maths), strict=True)
        counts = (_names(group).replace("`", "") or f"0 {missing}" for missing, group in groups)
        return Listing(slug, f"{name}: {', '.join(counts)}", "sass", tuple(lines))


def proofs_of(evidence: Evidence, rung: str, variants: Sequence[str]) -> dict[str, Proof]:
    """``full`` and each of ``variants``, as far as the code recording has them."""
    recording = evidence.card.get(evidence.subject, "code")
    if recording is None or rung not in recording.results.rungs:
        return {}
    codes = {"full": recording.results.rungs[rung].code}
    codes |= {variant: recording.results.variants.get(f"{rung}.{variant}") for variant in variants}
    listings = {name: without_padding(parse_sass(code.sass)) for name, code in codes.items() if isinstance(code, Code)}
    if "full" not in listings:
        return {}
    unit = UNITS.get(recording.results.rungs[rung].unit)
    load = _first_family(listings["full"], LOADS)
    maths = unit.families if unit else (_first_family(listings["full"], MATHS),)
    names = (load, _first_family(listings["full"], maths))
    return {name: _proof(found, names, maths) for name, found in listings.items()}


def _proof(found: tuple[Instruction, ...], names: tuple[str, str], families: tuple[str, ...]) -> Proof:
    real = [i for i in found if not is_dummy(i)]
    loads = tuple(i for i in real if family(i) in LOADS)
    maths = tuple(i for i in real if family(i) in families)
    return Proof(names, loads, maths, _loop(found, {i.offset for i in (*loads, *maths)}))


def _loop(found: tuple[Instruction, ...], counted: set[int]) -> frozenset[int]:
    """The loop with the most of what is counted, the innermost of equals. A kernel without its multiplies keeps it."""
    best = max(loops(found), key=lambda one: (len(one.offsets & counted), -len(one.offsets)), default=None)
    return (
        frozenset(i.offset for i in loop_instructions(found, best)) if best and best.offsets & counted else frozenset()
    )


def _first_family(found: tuple[Instruction, ...], families: tuple[str, ...]) -> str:
    present = {family(i) for i in found if not is_dummy(i)}
    return next((name for name in families if name in present), families[0])


def _names(group: Sequence[Instruction]) -> str:
    """``3 `LDGSTS` ``, the families in the order of the code; "" for none."""
    return listed([f"{count} `{name}`" for name, count in Counter(map(family, group)).items()]) if group else ""


def _alike(ordered: Sequence[Instruction], loop: frozenset[int]) -> list[list[Instruction]]:
    """Those of one opcode together, in the loop and outside it apart, by their first."""
    groups: dict[tuple[str, bool], list[Instruction]] = {}
    for one in ordered:
        groups.setdefault((one.opcode, one.offset in loop), []).append(one)
    return list(groups.values())
