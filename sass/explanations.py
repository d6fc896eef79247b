"""What does this SASS instruction mean? The glossary's words for its opcode, and what its own operands do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sass import operands as op
from sass.formulas import COMPARISONS, reading
from sass.listing import Instruction, is_dummy
from sass.opcodes import family, modifiers

# Suffixes that the reading of the operands already tells.
_SAID: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("LDG", "LDS", "STG", "STS", "LDC", "ULDC", "LDCU", "LDGSTS"), ("64", "128", "256", "U8", "U16", "S16")
    ),
    **dict.fromkeys(("ISETP", "UISETP", "FSETP"), (*COMPARISONS, "AND", "OR", "XOR")),
    **dict.fromkeys(("IMAD", "UIMAD"), ("X",)),
    **dict.fromkeys(("LOP3", "ULOP3", "PLOP3", "UPLOP3"), ("LUT",)),
    **dict.fromkeys(("SHF", "USHF"), ("L", "R", "HI", "U32")),
    **dict.fromkeys(("LEA", "ULEA"), ("X",)),
    "LDSM": ("2", "4"),
    "DEPBAR": ("LE",),
}


def entry_of(instruction: Instruction, glossary: Mapping[str, Any]) -> Mapping[str, Any]:
    """The glossary's entry, or an empty one."""
    return glossary.get(family(instruction), {})


def explain(instruction: Instruction, glossary: Mapping[str, Any], arch: str = "") -> str:
    """What the instruction does, a line each: the glossary's words, what its operands do, what its suffixes mean.

    ``code`` stands in back-ticks. ``arch`` (such as "sm_90a") tells where kernel arguments lie. An opcode that the
    glossary lacks still gets its operands.
    """
    return "\n".join(filter(None, [general(instruction, glossary), particular(instruction, glossary, arch)]))


def general(instruction: Instruction, glossary: Mapping[str, Any]) -> str:
    """What every instruction of its family does, in the glossary's words."""
    entry = entry_of(instruction, glossary)
    return f"{entry['name']}. {entry['does']}" if entry else "The glossary has no entry for this opcode."


def particular(instruction: Instruction, glossary: Mapping[str, Any], arch: str = "") -> str:
    """What this one does with its own operands, and what its suffixes mean; "" where there is nothing to say."""
    if is_dummy(instruction):
        return "This one never executes: its predicate is always false. The compiler fills a slot with it."
    entry, here = entry_of(instruction, glossary), reading(instruction)
    told = [f"Here: {here}."] if here else []
    told += [text for part in op.split(instruction.operands) for text in [op.constant(part, arch)] if text]
    if instruction.predicate:
        told.append(_guard(instruction.predicate))
    known, said = entry.get("modifiers", {}), _SAID.get(family(instruction), ())
    suffixes = "; ".join(f"`{m}` {known[m]}" for m in modifiers(instruction) if m in known and m not in said)
    return "\n".join(filter(None, [" ".join(told), f"Suffixes: {suffixes}." if suffixes else ""]))


def _guard(predicate: str) -> str:
    name = predicate.lstrip("!")
    state = "false" if predicate.startswith("!") else "true"
    who = "Done only if" if name.startswith("U") else "Done only by threads in which"
    return f"{who} `{name}` is {state}."
