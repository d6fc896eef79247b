"""How many copies of the cold operands make a run cold? As many as the caches cannot hold, if the card can."""

from __future__ import annotations

from dataclasses import dataclass

CONDITIONS = ("cold", "warm")
LAUNCHES = 100  # of a train
COLD_BYTES = 256_000_000
COLD_L2_MULTIPLE = 4
SHARE_OF_MEMORY = 0.9


@dataclass(frozen=True)
class Rotation:
    """Launch i of a train of ``launches`` works on copy i modulo ``copies``; ``not_cold`` says why that is not cold.

    ``launches`` is a multiple of ``copies``: every copy is touched within a train, and the rotation goes on evenly
    from one replay to the next.
    """

    copies: int
    launches: int = LAUNCHES
    not_cold: str = ""

    @property
    def conditions(self) -> tuple[str, ...]:
        """The conditions that can be timed."""
        return ("warm",) if self.not_cold else CONDITIONS


def rotate(name: str, nbytes: int, l2_bytes: int, free_bytes: int) -> Rotation:
    """The rotation of operands of ``nbytes`` in all, called ``name``, on a card with so much L2 and free memory.

    The copies add up to at least four times the L2 and to 256 MB, and their number divides a train of 100 launches; an
    operand that needs more copies than that has longer trains. A card without room for them gets fewer copies, as long
    as they are four times its L2.
    """
    room = int(SHARE_OF_MEMORY * free_bytes // nbytes)
    cold = max(1, -(-COLD_L2_MULTIPLE * l2_bytes // nbytes))
    wanted = max(cold, -(-COLD_BYTES // nbytes))
    for copies in (_even(wanted), wanted, _even(cold), cold):
        if copies <= room:
            return Rotation(copies, max(1, LAUNCHES // copies) * copies)
    return Rotation(
        1,
        not_cold=f"a cold run needs {cold} copies of {name}, {cold * nbytes / 1e6:.0f} MB; "
        f"the card has {free_bytes / 1e6:.0f} MB free",
    )


def _even(least: int) -> int:
    """The least number from ``least`` on that divides a train."""
    return next((n for n in range(least, LAUNCHES + 1) if LAUNCHES % n == 0), least)
