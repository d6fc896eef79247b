"""What are the operands of a SASS instruction? Registers, numbers and addresses, taken apart and put in words.

Numbers become decimal where a person would write them so, RZ becomes 0, and two registers that hold 64 bits together
are written ``R2:3``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

_REGISTER = re.compile(r"^(U?R)(\d+|Z)$")
_PREDICATE = re.compile(r"^!?U?P(\d+|T)$")
_NUMBER = re.compile(r"^-?(0x[0-9a-f]+|\d+)$")
_CONSTANT = re.compile(r"c\[0x([0-9a-f]+)\]\[([^\]]+)\]")
_DECIMAL_LIMIT = 1 << 20
# Where the kernel's arguments begin in constant bank 0, bytes, by compute capability's major number.
_ARGUMENTS_AT = {8: 0x160, 9: 0x210, 10: 0x380, 11: 0x380, 12: 0x380}


def split(operands: str) -> list[str]:
    """The operands of an instruction, without hints for the hardware (``.reuse``)."""
    parts = [part.strip() for part in operands.split(",")]
    return [part.replace(".reuse", "") for part in parts if part]


def is_predicate(operand: str) -> bool:
    return bool(_PREDICATE.match(operand))


def is_zero(operand: str) -> bool:
    return operand.lstrip("-|!").rstrip("|") in ("RZ", "URZ", "SRZ", "0x0", "0")


def number(operand: str) -> int | None:
    """The value of a literal as a signed 32-bit number, or None."""
    if not _NUMBER.match(operand):
        return None
    value = int(operand, 0)
    return value - (1 << 32) if 1 << 31 <= value < 1 << 32 else value


def shown(operand: str) -> str:
    """An operand as a person reads it: 0x50 is 80, RZ is 0; large numbers stay hexadecimal."""
    value = number(operand)
    if value is not None:
        return str(value) if abs(value) < _DECIMAL_LIMIT else operand
    sign = "-" if operand.startswith("-") else ""
    name = operand.removeprefix("-")
    if name in ("RZ", "URZ", "SRZ"):
        return "0"
    return sign + re.sub(r"\.(64|U32|S32)$", "", name)


def span(register: str, count: int) -> list[str]:
    """The names of ``count`` neighbouring registers from ``register`` on."""
    match = _REGISTER.match(register.lstrip("-~|!").split(".")[0].rstrip("|"))
    if match is None or match[2] == "Z":
        return []
    return [f"{match[1]}{int(match[2]) + i}" for i in range(count)]


def registers(register: str, count: int) -> str:
    """``R8``, ``R8 and R9``, ``R8 to R11``, each name as code; RZ is "nothing but zeros"."""
    names = [f"`{name}`" for name in span(register, count)]
    if not names:
        return "nothing but zeros" if is_zero(register) else f"`{shown(register)}`"
    if len(names) < 3:
        return " and ".join(names)
    return f"{names[0]} to {names[-1]}"


def wide(operand: str) -> str:
    """The operand as 64 bits: ``R2`` with its neighbour is ``R2:3``."""
    names = span(operand, 2)
    sign = "-" if operand.startswith("-") else ""
    return f"{sign}{names[0]}:{names[1].lstrip('UR')}" if names else shown(operand)


def total(terms: Iterable[str]) -> str:
    """Terms joined to a sum without its zeros: ``R1 - R2 + 4``."""
    text = ""
    for term in terms:
        if term in ("0", "-0", ""):
            continue
        if text:
            text += f" - {term[1:]}" if term.startswith("-") else f" + {term}"
        else:
            text = term
    return text or "0"


def product(a: str, b: str) -> str:
    if is_zero(a) or is_zero(b):
        return "0"
    first, second = shown(a), shown(b)
    if second == "1" or first == "1":
        return first if second == "1" else second
    return f"{first} * {second}"


def address(operand: str) -> str:
    """What stands in the brackets of a memory operand, as a sum: ``[R2.64+0x40]`` is ``R2:3 + 64``."""
    inside = operand[operand.rindex("[") + 1 :].rstrip("]")
    terms = []
    for term in re.findall(r"-?[^+\-]+", inside):
        name, _, suffix = term.partition(".")
        if suffix == "64":
            terms.append(wide(name))
        elif suffix.startswith("X") and suffix[1:].isdigit():
            terms.append(f"{name} * {suffix[1:]}")
        else:
            terms.append(shown(name))
    return total(terms)


def address_registers(operand: str) -> list[str]:
    """The registers that a memory operand reads, its descriptor's pair included."""
    names: list[str] = []
    for name, suffix in re.findall(r"(U?R\d+)(\.64)?", operand):
        names += span(name, 2 if suffix or f"desc[{name}]" in operand else 1)
    return names


def constant(operand: str, arch: str = "") -> str:
    """What a word of the constant bank is, as a sentence, or "" where the operand names none."""
    match = _CONSTANT.search(operand)
    if match is None:
        return ""
    start = _ARGUMENTS_AT.get(int(re.sub(r"\D", "", arch)[:-1])) if re.search(r"\d\d", arch) else None
    at = number(match[2])
    if match[1] == "0" and start is not None and at is not None and at >= start:
        return f"`{match[0]}` is a kernel argument, {at - start} bytes into the list of arguments."
    return f"`{match[0]}` is a word of the constant bank, which the driver fills before the launch."


def logic(table: int, names: Sequence[str], rows: Sequence[int] = range(8)) -> str:
    """The shortest formula of three inputs with this table of 8 bits, as far as the ``rows`` that can occur tell.

    Row 4a + 2b + c of the table holds the result for inputs a, b, c.
    """
    mask = sum(1 << row for row in rows)
    for value, text in _formulas():
        if (value ^ table) & mask == 0:
            return re.sub(r"[abc]", lambda m: names["abc".index(m[0])], text)
    return f"table 0x{table:02x} of {', '.join(names)}"


@cache
def _formulas() -> tuple[tuple[int, str], ...]:
    """Formulas of up to four inputs, the shorter first, each with its table."""
    best: dict[int, str] = {0x00: "0", 0xFF: "-1", 0xF0: "a", 0xCC: "b", 0xAA: "c"}
    for value, text in [(v, t) for v, t in best.items() if t in "abc"]:
        best[value ^ 0xFF] = f"~{text}"
    for _ in range(2):
        parts = [(v, t) for v, t in best.items() if t not in ("0", "-1")]
        for v1, t1 in parts:
            for v2, t2 in parts:
                for sign, value in (("&", v1 & v2), ("|", v1 | v2), ("^", v1 ^ v2)):
                    best.setdefault(value, f"{_inner(t1)} {sign} {_inner(t2)}")
    return tuple(sorted(best.items(), key=lambda item: (len(item[1]), item[1])))


def _inner(text: str) -> str:
    return f"({text})" if " " in text else text
