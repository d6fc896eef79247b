"""Which registers does an instruction read and write, and which does a loop carry from one pass to the next?"""

from __future__ import annotations

from collections.abc import Sequence

from sass import operands as op
from sass.control_flow import branch_target
from sass.listing import Instruction, is_dummy
from sass.opcodes import byte_width, family, mma_widths, modifiers

_NO_RESULT = (
    "STG", "STS", "STL", "ST", "RED", "REDG", "LDGSTS", "LDGDEPBAR", "DEPBAR", "BAR", "BRA", "BSSY", "BSYNC", "BREAK",
    "EXIT", "NOP", "CALL", "RET", "MEMBAR", "ERRBAR", "CGAERRBAR", "CCTL", "WARPSYNC", "NANOSLEEP", "YIELD", "KILL",
    "BRX",
)  # fmt: skip
_ONLY_PREDICATES = ("ISETP", "FSETP", "DSETP", "HSETP2", "PLOP3", "FCHK", "R2P")  # nothing but predicates is written
_PAIRS = ("DFMA", "DADD", "DMUL", "FFMA2", "FADD2", "FMUL2")


def registers(instruction: Instruction) -> tuple[frozenset[str], frozenset[str]]:
    """The registers that are written and read, such as R8 and UR4; RZ and predicates are left out."""
    if is_dummy(instruction):
        return frozenset(), frozenset()
    parts = op.split(instruction.operands)
    written: list[str] = []
    if family(instruction).removeprefix("U") in _ONLY_PREDICATES:
        parts = [part for part in parts if not op.is_predicate(part)]
    elif family(instruction) not in _NO_RESULT:
        while parts and op.is_predicate(parts[0]):
            parts = parts[1:]
        if parts:
            written = op.span(parts[0], _result_width(instruction))
            parts = parts[1:]
    read: list[str] = []
    for place, part in enumerate(parts):
        read += op.address_registers(part) if "[" in part else op.span(part, _source_width(instruction, place))
    return frozenset(written), frozenset(read)


def carried(loop: Sequence[Instruction]) -> frozenset[str]:
    """Registers whose value a pass of the loop takes over from the pass before: read before they are written anew.

    ``loop`` is in the order of the listing and begins with the loop's first instruction. A register that the loop
    only reads is no such register: it stays the same.
    """
    effects = [registers(i) for i in loop]
    places = {i.offset: at for at, i in enumerate(loop)}
    live: list[frozenset[str]] = [frozenset()] * len(loop)
    changed = True
    while changed:
        changed = False
        for at in reversed(range(len(loop))):
            after = frozenset[str]().union(*(live[follower] for follower in _followers(loop, at, places)))
            written, read = effects[at]
            now = read | (after if loop[at].predicate else after - written)
            if now != live[at]:
                live[at], changed = now, True
    everything = frozenset[str]().union(*(written for written, _ in effects))
    return live[0] & everything if loop else frozenset()


def _followers(loop: Sequence[Instruction], at: int, places: dict[int, int]) -> list[int]:
    instruction = loop[at]
    found = []
    branches = family(instruction) == "BRA"
    target = branch_target(instruction) if branches else None
    if target in places:
        found.append(places[target])
    conditional = bool(instruction.predicate) or "," in instruction.operands
    if at + 1 < len(loop) and (not branches or conditional):
        found.append(at + 1)
    return found


def _result_width(i: Instruction) -> int:
    name, said = family(i), modifiers(i)
    if name == "HMMA":
        return mma_widths(i)[2]
    if name == "LDSM":
        return int(said[-1]) if said[-1].isdigit() else 1
    if name.startswith(("LD", "ULDC")):
        return max(1, byte_width(i) // 4)
    if name == "CS2R":
        return 1 if "32" in said else 2
    return 2 if name in _PAIRS or {"64", "WIDE"} & set(said) else 1


def _source_width(i: Instruction, place: int) -> int:
    name, said = family(i), modifiers(i)
    if name == "HMMA":
        a, b, c = mma_widths(i)
        return (a, b, c)[place] if place < 3 else 1
    if name in ("STG", "STS", "STL", "ST"):
        return max(1, byte_width(i) // 4)
    if "WIDE" in said:
        return 2 if place == 2 else 1
    if name.endswith("IMAD") and "HI" in said:
        return 2 if place == 2 else 1
    return 2 if name in _PAIRS or "64" in said else 1
