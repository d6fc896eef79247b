"""What is a rung's main loop on every card that has its code? Rows by generation, counts by kind, and listings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from publisher.figures.kit.excerpt import MARKED
from publisher.figures.kit.figure import CodeLine, Evidence, Listing
from publisher.figures.kit.style import fmt_count, listed, value_of
from sass.control_flow import branch_target
from sass.explanations import entry_of, family
from sass.listing import Instruction, is_dummy, loop_instructions, main_loop, parse_sass
from schema.recording import CardRecordings, Recording

HOLLOW = "@paper"  # with an outline: no colour is left that all others differ from
# Kinds of instructions in the order of the bars: name, colour, families, and else classes of the glossary.
KINDS: tuple[tuple[str, str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("to shared", "@s1", ("LDGSTS", "STS", "UTMALDG"), ()),
    ("from shared", "@s3", ("LDS", "LDSM"), ()),
    ("global", "@q7", (), ("load", "store")),
    ("math", "@math", (), ("math",)),
    ("integers", "@s8", (), ("integer",)),
    ("moves", "@s7", (), ("move", "convert")),
    ("waits", "@s4", (), ("barrier",)),
    ("branches", "@s6", (), ("control",)),
    ("other", HOLLOW, (), ("other", "")),
)
BRANCHES = ("BRA", "BSSY", "JMP")  # and what else names the place where threads go on


@dataclass(frozen=True)
class Row:
    """One rung's loop on one card."""

    card: CardRecordings
    recording: Recording
    ptxas: str
    loop: tuple[Instruction, ...]  # dummies left out
    families: Mapping[str, int]  # how often each kind of instruction is in the loop

    @property
    def compiler(self) -> str:
        """ptxas and its version, without its options."""
        return " ".join(self.ptxas.split()[:2])

    @property
    def arch(self) -> str:
        return self.recording.card.arch

    @property
    def name(self) -> str:
        """sm_80, or with the card's name where one was recorded on."""
        return self.arch if self.card.compile_only else f"{self.arch}, {self.recording.card.name}"


@lru_cache(maxsize=1024)
def _loop(sass: str) -> tuple[tuple[Instruction, ...], Mapping[str, int]] | None:
    """The main loop without dummies, and its kinds; None where there is none. Kept: each card shows all cards."""
    found = parse_sass(sass)
    loop = main_loop(found)
    if not loop:
        return None
    real = tuple(i for i in loop_instructions(found, loop) if not is_dummy(i))
    return real, Counter(map(family, real))


def rows_of(evidence: Evidence, slug: str) -> list[Row]:
    """The rung's loop on every card that has it, by generation."""
    rows = []
    for card in evidence.cards.values():
        recording = card.get(evidence.subject, "code")
        code = value_of(recording.results.rungs[slug].code) if recording and slug in recording.results.rungs else None
        if recording is None or code is None:
            continue
        loop = _loop(code.sass)
        if loop:
            rows.append(Row(card, recording, code.ptxas, *loop))
    return sorted(rows, key=lambda row: (int(re.sub(r"\D", "", row.arch)), row.arch, row.card.slug))


def _kind(evidence: Evidence, instruction: Instruction) -> str:
    name, group = family(instruction), entry_of(instruction, evidence.glossary).get("class", "")
    for kind, _, families, classes in KINDS:
        if name in families or group in classes:
            return kind
    return KINDS[-1][0]


def counts_of(evidence: Evidence, row: Row) -> dict[str, int]:
    counts = {kind: 0 for kind, *_ in KINDS}
    for i in row.loop:
        counts[_kind(evidence, i)] += 1
    return counts


def topics_of(evidence: Evidence, rows: Iterable[Row]) -> dict[str, str]:
    """What the opcodes in these loops are called; the glossary's page says more."""
    names = {family(i): entry_of(i, evidence.glossary).get("name") for row in rows for i in row.loop}
    return {opcode: f"{name}." for opcode, name in names.items() if name}


def listings_of(evidence: Evidence, slug: str, rows: Sequence[Row]) -> dict[str, Listing]:
    """A listing for each card, by its slug; architectures with the same loop share one."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(i.text for i in row.loop), []).append(row)
    found: dict[str, Listing] = {}
    for group in groups.values():
        first = group[0]
        name = f"{slug}-{first.card.slug}"
        targets = {branch_target(i) for i in first.loop if family(i) in BRANCHES}
        lines = tuple(_line(evidence, name, i, targets) for i in first.loop)
        title = f"{listed([row.name for row in group])}: {fmt_count(len(first.loop), 'instruction')}"
        found |= dict.fromkeys((row.card.slug for row in group), Listing(name, title, "sass", lines))
    return found


def _line(evidence: Evidence, name: str, i: Instruction, targets: Collection[int | None]) -> CodeLine:
    """A line; only where a branch leads does it show its offset."""
    kind = entry_of(i, evidence.glossary).get("class", "")
    label = f"{i.offset:04x}" if i.offset in targets else ""
    return CodeLine(f"{name}-{i.offset:x}", i.text, (kind,) if kind in MARKED else (), label=label)
