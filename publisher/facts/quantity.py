"""What is a number on a page? Its value, unit, kind, and the recordings it came from, kept through arithmetic."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from publisher.facts.units import PLAIN, Dimension, name_of
from schema.statistics import Samples, resolution_us

Kind = Literal["recorded", "derived", "published", "authored"]
LARGEST, LEAST = 1e100, 1e-100  # beyond these lies no value of a page, and a float soon cannot hold it


class QuantityError(Exception):
    """Arithmetic that makes no sense, e.g. a time added to a number of bytes. The message is a sentence."""


@dataclass(frozen=True)
class Quantity:
    """``value`` is in the held unit of its dimension (µs, bytes, operations, W, °C), or a text.

    ``keys`` are the facts it came from, e.g. ``ladder.rung.cold``; ``recordings`` the files, e.g. ``ladder/times``.
    ``resolution`` is the smallest difference that the measurement can tell, in the same unit as the value; 0 if exact.
    """

    value: float | int | str
    dimension: Dimension = PLAIN
    kind: Kind = "authored"
    keys: tuple[str, ...] = ()
    recordings: tuple[str, ...] = ()
    statistic: str = ""
    samples: int = 0
    resolution: float = 0.0
    date: str = ""
    source: Samples | None = None  # the samples themselves, where this is the median of them
    twin_difference: float = 0.0  # relative difference of two runs of one kernel under this condition
    unit: str = ""  # preferred when shown; empty for the natural one

    @property
    def number(self) -> float | int:
        if isinstance(self.value, str):
            raise QuantityError(f"{self.name} is a text ({self.value[:40]!r}), not a number")
        if self.value and not LEAST <= abs(self.value) <= LARGEST:
            raise QuantityError(
                f"{self.name} is too {'large' if abs(self.value) > 1 else 'small'} to be calculated with"
            )
        return self.value

    @property
    def name(self) -> str:
        return " and ".join(self.keys) or "the number"


def combine(a: Quantity, b: Quantity, value: float | int, dimension: Dimension, resolution: float) -> Quantity:
    """The result of arithmetic on ``a`` and ``b``: derived as soon as either was recorded or derived."""
    keys = tuple(dict.fromkeys(a.keys + b.keys))
    made = Quantity(
        value=value,
        dimension=dimension,
        kind="derived" if keys else "authored",
        keys=keys,
        recordings=tuple(dict.fromkeys(a.recordings + b.recordings)),
        statistic=" and ".join(dict.fromkeys(s for s in (a.statistic, b.statistic) if s)),
        samples=min((n for n in (a.samples, b.samples) if n), default=0),
        resolution=resolution,
        date=max(a.date, b.date),
    )
    _ = made.number  # one that is too large or too small raises here
    return made


def add(a: Quantity, b: Quantity, sign: int = 1) -> Quantity:
    _same_dimension(a, b, "added" if sign > 0 else "subtracted")
    return combine(a, b, a.number + sign * b.number, a.dimension, a.resolution + b.resolution)


def multiply(a: Quantity, b: Quantity) -> Quantity:
    value = a.number * b.number
    resolution = abs(a.number) * b.resolution + abs(b.number) * a.resolution
    return combine(a, b, value, _powers(a.dimension, b.dimension, 1), resolution)


def divide(a: Quantity, b: Quantity) -> Quantity:
    if b.number == 0:
        raise QuantityError(f"{b.name} is 0 and cannot be divided by")
    whole = isinstance(a.number, int) and isinstance(b.number, int) and a.number % b.number == 0
    value = a.number // b.number if whole else a.number / b.number
    resolution = (a.resolution + abs(value) * b.resolution) / abs(b.number)
    return combine(a, b, value, _powers(a.dimension, b.dimension, -1), resolution)


def negate(a: Quantity) -> Quantity:
    return replace(a, value=-a.number, kind="derived" if a.keys else a.kind, source=None)


def resolution(a: Quantity, b: Quantity) -> float:
    """The difference below which ``a`` and ``b`` are the same: by their samples, else the sum of what each carries."""
    if a.source is not None and b.source is not None:
        return resolution_us(a.source, b.source, max(a.twin_difference, b.twin_difference))
    return a.resolution + b.resolution


def difference(a: Quantity, b: Quantity) -> float:
    """-1, 0 or 1: ``a`` is smaller than, the same as, or larger than ``b`` by the measurement's own resolution."""
    _same_dimension(a, b, "compared")
    gap = a.number - b.number
    return 0 if abs(gap) <= resolution(a, b) else 1 if gap > 0 else -1


def _same_dimension(a: Quantity, b: Quantity, verb: str) -> None:
    _ = a.number, b.number  # a text raises here
    if a.dimension != b.dimension:
        raise QuantityError(
            f"{a.name} is {name_of(a.dimension)} and {b.name} is {name_of(b.dimension)}: they cannot be {verb}"
        )


def _powers(a: Dimension, b: Dimension, sign: int) -> Dimension:
    t, d, w, p, c = (x + sign * y for x, y in zip(a, b, strict=True))
    return (t, d, w, p, c)
