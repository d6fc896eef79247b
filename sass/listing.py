"""What does a SASS listing hold? Instructions, counts and loops, from the recording's text alone. No CUDA, no tools.

A recording keeps one instruction a line: ``OFFSET Lsource Pptx TEXT``, e.g. ``0a30 L42 P17 @!P0 BRA 0xa20``. Offsets
are hexadecimal with at least four digits; source and PTX lines are 1-based, ``L-`` and ``P-`` where unknown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from operator import lt

from sass.control_flow import Loop, natural_loops

_LINE = re.compile(r"^([0-9a-f]{4,8}) L(-|[1-9]\d{0,6}) P(-|[1-9]\d{0,6}) (\S.*)$")
_TEXT = re.compile(r"^(?:@(!?U?P(?:\d+|T)) +)?([A-Z][A-Z0-9_]*(?:\.\S+)?)(?: +(.*))?$")
_LISTING = re.compile(  # the two together, for a whole text at once
    r"(?:[0-9a-f]{4,8} L(?:-|[1-9]\d{0,6}) P(?:-|[1-9]\d{0,6}) "
    r"(?:@!?U?P(?:\d+|T) +)?[A-Z][A-Z0-9_]*(?:\.[^ \n]+)?(?: .*)?\n)*"
)
_SOURCE = re.compile(r"^\S+ L(\d+) P", re.M)
_NEVER = ("!PT", "!UPT")  # ptxas guards its dummies by the constant false
_WEIGHTS = {
    "FFMA": 1,
    "FMUL": 1,
    "FADD": 1,
    "DFMA": 1,
    "DMUL": 1,
    "DADD": 1,
    "HFMA2": 2,
    "HMUL2": 2,
    "HADD2": 2,
    "FFMA2": 2,
}
_READS = ("LD", "LDG", "LDGSTS", "LDS", "LDSM", "LDL", "UBLKCP", "UTMALDG")
_SHAPE = re.compile(r"\.(\d+)x(\d+)x(\d+)|\.(8|16)(8)(4|8|16|32|64|128)\b")


class ListingError(ValueError):
    """A listing that is not in the recording's line format. The message names the line, which is ``line``; 0: none."""

    def __init__(self, what: str, line: int = 0) -> None:
        super().__init__(what)
        self.line = line


@dataclass(frozen=True, slots=True)
class Instruction:
    """One SASS instruction. ``text`` is predicate, opcode and operands without the semicolon, blanks collapsed."""

    offset: int  # bytes from the kernel's start
    predicate: str  # "!P0", "" for none
    opcode: str  # in full, e.g. HMMA.16816.F32
    operands: str
    text: str
    source_line: int | None = None
    ptx_line: int | None = None


def make_instruction(
    offset: int, text: str, source_line: int | None = None, ptx_line: int | None = None
) -> Instruction:
    """Split an instruction's text, with or without its semicolon, into its parts. Empty text is a ListingError."""
    clean = " ".join(text.split()).removesuffix(";").rstrip()
    match = _TEXT.match(clean)
    if match is None:
        raise ListingError(f"{text[:60]!r} is no SASS instruction")
    return Instruction(offset, match[1] or "", match[2], match[3] or "", clean, source_line, ptx_line)


def format_sass(instructions: Sequence[Instruction]) -> str:
    """The recording's text of a listing, one instruction a line, with a newline at its end."""
    return "".join(f"{i.offset:04x} L{i.source_line or '-'} P{i.ptx_line or '-'} {i.text}\n" for i in instructions)


def parse_sass(text: str) -> tuple[Instruction, ...]:
    """The instructions of a recording's listing. A line of another form, or offsets that fall, are a ListingError."""
    found: list[Instruction] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        match = _LINE.match(line.strip())
        if match is None:
            raise ListingError(f"line {number} is not 'OFFSET Lsource Pptx TEXT': {line.strip()[:60]!r}", number)
        offset = int(match[1], 16)
        if found and offset <= found[-1].offset:
            raise ListingError(f"line {number}: offset {match[1]} does not come after {found[-1].offset:04x}", number)
        try:
            found.append(make_instruction(offset, match[4], _number(match[2]), _number(match[3])))
        except ListingError as error:
            raise ListingError(f"line {number}: {error}", number) from None
    return tuple(found)


def check_sass(text: str) -> str:
    """The same text, where ``parse_sass`` reads it; else its ListingError. Quicker than reading it."""
    if _LISTING.fullmatch(text):
        offsets = [line[:5] for line in text.split("\n")[:-1]]
        if all(map(lt, offsets, offsets[1:])) and "".join(offsets)[4::5].isspace():  # all have four digits
            return text
    parse_sass(text)
    return text


def last_source_line(text: str) -> int:
    """The largest source line that a listing names; 0 where it names none."""
    return max(map(int, {*_SOURCE.findall(text)}), default=0)


def is_dummy(instruction: Instruction) -> bool:
    """Does it only fill a slot? ptxas emits e.g. ``@!PT LDS RZ, [RZ]`` and ``@!UPT UIADD3 URZ``, which never run."""
    return instruction.predicate in _NEVER


def without_padding(instructions: Sequence[Instruction]) -> tuple[Instruction, ...]:
    """The listing without what fills up its end: the NOPs and the branch to itself before them."""
    end = len(instructions)
    while end and (instructions[end - 1].opcode == "NOP" or _stays(instructions[end - 1])):
        end -= 1
    return tuple(instructions[:end])


def count_opcodes(instructions: Sequence[Instruction]) -> dict[str, int]:
    """How often each opcode stands in the listing, the most frequent first; dummies and the padding are left out."""
    real = (i for i in without_padding(instructions) if not is_dummy(i))
    return dict(sorted(Counter(i.opcode for i in real).items(), key=lambda item: (-item[1], item[0])))


def loops(instructions: Sequence[Instruction]) -> list[Loop]:
    """The loops in the order they begin, an outer one before those inside it.

    A loop is a natural loop: a branch back to a place that every way to the branch has passed. So a cold part that
    ptxas moved behind the end of the kernel and that jumps back is none, and neither is the padding's branch to itself.
    """
    return natural_loops(without_padding(instructions))


def loop_instructions(instructions: Sequence[Instruction], loop: Loop) -> tuple[Instruction, ...]:
    """The instructions that belong to a loop, in the order of the listing."""
    return tuple(i for i in instructions if i.offset in loop.offsets)


def math_weight(instruction: Instruction) -> int:
    """Multiply-adds that one thread's share of the instruction makes; 0 where it is no such arithmetic.

    A tensor-core instruction of shape m x n x k counts m n k / 32 (warpgroup forms, of 128 threads, m n k / 128).
    """
    family = instruction.opcode.split(".")[0]
    zeros = instruction.operands.count("RZ")
    if is_dummy(instruction) or zeros > 1:  # e.g. HFMA2.MMA R8, -RZ, RZ, 0, 0: a move
        return 0
    if family.endswith("MMA"):
        shape = _SHAPE.search(instruction.opcode)
        m, n, k = (int(word) for word in shape.groups() if word) if shape else (16, 8, 16)
        return max(1, m * n * k // (128 if family.endswith("GMMA") else 32))
    if family in ("HADD2", "FADD", "DADD") and zeros:  # e.g. HADD2.F32 R1, -RZ, R2.H0_H0: a conversion
        return 0
    return _WEIGHTS.get(family, 0)


def main_loop(instructions: Sequence[Instruction], families: tuple[str, ...] = ()) -> Loop | None:
    """The hot loop of a kernel, or None where it has no loop, or none with an opcode of ``families``, if it is given.

    The rule: the loop that by itself, not counting loops inside it, makes the most multiply-adds a pass
    (``math_weight``). So an unrolled body wins over its remainder, and a loop over slices wins over the copying loops
    inside it. Where no loop makes any, it is the loop with the most reads of memory, loops inside it counted, for then
    the way round is what matters. With ``families``, opcodes without the parts behind the first dot, it is the loop
    that by itself holds the most of those. Of equals the one with more instructions wins, then the first.
    """
    found = loops(instructions)
    inside = {
        loop: frozenset().union(*(other.offsets for other in found if other.offsets < loop.offsets)) for loop in found
    }
    weight = (lambda i: int(_is_of(i, families))) if families else math_weight
    work = {loop: sum(weight(i) for i in instructions if i.offset in loop.offsets - inside[loop]) for loop in found}
    if families:
        found = [loop for loop in found if work[loop]]
    elif not any(work.values()):
        work = {loop: sum(_is_of(i, _READS) for i in loop_instructions(instructions, loop)) for loop in found}
    return max(found, key=lambda loop: (work[loop], len(loop.offsets), -loop.start_offset), default=None)


def _is_of(instruction: Instruction, families: tuple[str, ...]) -> bool:
    return instruction.opcode.split(".")[0] in families and not is_dummy(instruction)


def _stays(instruction: Instruction) -> bool:
    return instruction.opcode == "BRA" and instruction.operands == f"0x{instruction.offset:x}"


def _number(text: str) -> int | None:
    return None if text == "-" else int(text)
