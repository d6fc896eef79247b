"""What does this SASS instruction mean? The glossary's words for its opcode, and what its own operands do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from publisher import operands as op
from publisher.opcodes import family, modifiers
from publisher.readings import COMPARISONS, reading
from recorder.listing import Instruction, is_dummy

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
    """What the instruction does, in sentences: its name, the glossary's words, and what its own operands do.

    ``code`` stands in back-ticks. ``arch`` (such as "sm_90a") tells where kernel arguments lie. An opcode that the
    glossary lacks still gets its operands.
    """
    entry = entry_of(instruction, glossary)
    parts = [f"{entry['name']}. {entry['does']}" if entry else "The glossary has no entry for this opcode."]
    if is_dummy(instruction):
        parts.append("This one never executes: its predicate is always false. The compiler puts it in to fill a slot.")
        return " ".join(parts)
    here = reading(instruction)
    if here:
        parts.append(f"Here: {here}.")
    parts += [text for part in op.split(instruction.operands) for text in [op.constant(part, arch)] if text]
    known = entry.get("modifiers", {})
    told = [
        f"`{m}` {known[m]}"
        for m in modifiers(instruction)
        if m in known and m not in _SAID.get(family(instruction), ())
    ]
    if told:
        parts.append(f"Suffixes: {'; '.join(told)}.")
    if instruction.predicate:
        parts.append(_guard(instruction.predicate))
    return " ".join(parts)


def _guard(predicate: str) -> str:
    name = predicate.lstrip("!")
    state = "false" if predicate.startswith("!") else "true"
    who = "Done only if" if name.startswith("U") else "Done only by threads in which"
    return f"{who} `{name}` is {state}."
