"""Which instructions of a SASS listing form loops? Basic blocks, dominators and natural loops, without any tool."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

_TARGET = re.compile(r"(?:^|[ ,(])0x([0-9a-f]+)\)?$")
_LEAVES = ("EXIT", "RET", "KILL", "BRX", "JMX", "BRXU", "JMXU", "RTT", "BPT")


class _Instruction(Protocol):
    @property
    def offset(self) -> int: ...
    @property
    def predicate(self) -> str: ...
    @property
    def opcode(self) -> str: ...
    @property
    def operands(self) -> str: ...


@dataclass(frozen=True)
class Loop:
    """A loop. ``offsets`` are its instructions; start and end are the lowest and the highest of them, inclusive.

    ``kind`` is "innermost", or "outer" where another loop lies inside it.
    """

    start_offset: int
    end_offset: int
    kind: str
    offsets: frozenset[int]


def natural_loops(instructions: Sequence[_Instruction]) -> list[Loop]:
    """All natural loops, by start and then the larger first; back branches to one place make one loop."""
    if not instructions:
        return []
    blocks = _blocks(instructions)
    follow = _successors(blocks)
    before: list[list[int]] = [[] for _ in blocks]
    for at, targets in enumerate(follow):
        for target in targets:
            before[target].append(at)
    dominators = _dominators(follow, before)
    bodies: dict[int, set[int]] = {}
    for tail, targets in enumerate(follow):
        for head in targets:
            if dominators[tail] >> head & 1:
                bodies.setdefault(head, set()).update(_body(head, tail, before))
    return sorted(
        (_loop(blocks, body, bodies.values()) for body in bodies.values()),
        key=lambda loop: (loop.start_offset, -len(loop.offsets)),
    )


def branch_target(instruction: _Instruction) -> int | None:
    """The offset that a branch or call names, or None."""
    match = _TARGET.search(instruction.operands)
    return int(match[1], 16) if match else None


def _loop(blocks: list[list[_Instruction]], body: set[int], bodies: Iterable[set[int]]) -> Loop:
    offsets = frozenset(i.offset for at in body for i in blocks[at])
    holds_another = any(other < body for other in bodies)
    return Loop(min(offsets), max(offsets), "outer" if holds_another else "innermost", offsets)


def _blocks(instructions: Sequence[_Instruction]) -> list[list[_Instruction]]:
    starts = {instructions[0].offset}
    for at, instruction in enumerate(instructions):
        if _family(instruction) in ("BRA", "BSSY", "CALL", "BSYNC", "JMP", *_LEAVES):
            target = branch_target(instruction)
            if target is not None:
                starts.add(target)
            if at + 1 < len(instructions):
                starts.add(instructions[at + 1].offset)
    blocks: list[list[_Instruction]] = []
    for instruction in instructions:
        if instruction.offset in starts:
            blocks.append([])
        blocks[-1].append(instruction)
    return blocks


def _successors(blocks: list[list[_Instruction]]) -> list[list[int]]:
    """For each block the blocks that may follow it."""
    starts = {block[0].offset: at for at, block in enumerate(blocks)}
    joins: dict[str, int | None] = {}  # barrier register -> where its threads meet again
    follow: list[list[int]] = []
    for at, block in enumerate(blocks):
        for instruction in block:
            if _family(instruction) == "BSSY":  # a register is used again and again: the last one above counts
                joins[instruction.operands.split(",")[0]] = branch_target(instruction)
        last = block[-1]
        family = _family(last)
        target = None
        if family in ("BRA", "JMP", "CALL"):
            target = branch_target(last)
        elif family == "BSYNC":
            target = joins.get(last.operands)
        always = not last.predicate and "," not in last.operands  # "BRA.U !UP0, 0x850" is conditional too
        leaves = family in (*_LEAVES, "BRA", "JMP") or (family == "BSYNC" and target is not None)
        found = [starts[target]] if target in starts else []
        if not (always and leaves) and at + 1 < len(blocks):
            found.append(at + 1)
        follow.append(found)
    return follow


def _dominators(follow: list[list[int]], before: list[list[int]]) -> list[int]:
    """For each block a bit set of its dominators; one that the entry does not reach has none, not even itself."""
    reached, todo = {0}, [0]
    while todo:
        for target in follow[todo.pop()]:
            if target not in reached:
                reached.add(target)
                todo.append(target)
    everything = (1 << len(follow)) - 1
    sets = [everything if at in reached else 0 for at in range(len(follow))]
    sets[0] = 1
    changed = True
    while changed:
        changed = False
        for at in sorted(reached - {0}):
            common = everything
            for source in before[at]:
                if source in reached:
                    common &= sets[source]
            common |= 1 << at
            if common != sets[at]:
                sets[at], changed = common, True
    return sets


def _body(head: int, tail: int, before: list[list[int]]) -> set[int]:
    body, todo = {head, tail}, [tail]
    while todo:
        at = todo.pop()
        if at == head:
            continue
        for source in before[at]:
            if source not in body:
                body.add(source)
                todo.append(source)
    return body


def _family(instruction: _Instruction) -> str:
    return instruction.opcode.split(".")[0]
