"""What does an opcode itself say, before its operands? Its family, its suffixes, and how wide its data is."""

from __future__ import annotations

from sass.listing import Instruction

_WIDTHS = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16, "256": 32}


def family(instruction: Instruction) -> str:
    """The opcode without its suffixes: LDS for LDS.128."""
    return instruction.opcode.split(".")[0]


def modifiers(instruction: Instruction) -> list[str]:
    return instruction.opcode.split(".")[1:]


def byte_width(i: Instruction) -> int:
    """Bytes that one thread moves: from the suffix, 4 without one."""
    return next((_WIDTHS[m] for m in modifiers(i) if m in _WIDTHS), 4)


def mma_widths(i: Instruction) -> tuple[int, int, int]:
    """How many registers of a thread hold A, B, and C or D of an HMMA."""
    a, b = {"16816": (4, 2), "1688": (2, 1)}.get(modifiers(i)[0], (4, 2))
    return a, b, 4 if "F32" in modifiers(i)[1:2] else 2
