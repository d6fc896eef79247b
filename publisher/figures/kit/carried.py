"""Which lines of a loop write what its next pass takes over?"""

from __future__ import annotations

from collections.abc import Sequence

from sass.listing import Instruction
from sass.registers import carried, registers

MARK = "carried"


def taken_over(loop: Sequence[Instruction]) -> dict[int, tuple[str, ...]]:
    """By offset, in the order of their numbers, the registers of an instruction that the next pass reads first.

    ``loop`` is in the order of the listing and begins with the loop's first instruction.
    """
    over = carried(loop)
    found = {i.offset: tuple(sorted(registers(i)[0] & over, key=_by_number)) for i in loop}
    return {offset: names for offset, names in found.items() if names}


def told(note: str, names: Sequence[str]) -> str:
    """The note of a line that writes ``names``, with that said in it."""
    if not names:
        return note
    said = f"The next pass of the loop takes over {', '.join(f'`{name}`' for name in names)} from this one."
    return f"{note}\n{said}".strip()


def _by_number(name: str) -> tuple[str, int]:
    return name.rstrip("0123456789"), int(name.lstrip("UR") or 0)
