"""What does a kernel take? Operands with their types and roles, scalars by value, and tensor maps made on the host."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from schema.dtypes import DTYPES

Problem = Mapping[str, int]
Constants = Mapping[str, int]
ROLES = ("in", "out", "inout")
SCALARS = {
    "fp64": np.float64, "fp32": np.float32, "fp16": np.float16, "int32": np.int32, "int64": np.int64,
}  # fmt: skip
SWIZZLES = (0, 32, 64, 128)


class LadderError(Exception):
    """A ladder that cannot be used, as a sentence for a person; ``word`` is the word of its file that is wrong.

    ``within``: where that word stands: in ``Rung NAME`` or ``Operand NAME``, or in a keyword of the ladder.
    """

    def __init__(self, message: str, word: str = "", within: str = "") -> None:
        super().__init__(message)
        self.word, self.within = word, within


@dataclass(frozen=True)
class Operand:
    """An array on the card.

    ``shape`` is its C order shape for a problem. ``role``: ``in`` is read, ``out`` is written, ``inout`` is both.
    ``dtype`` is a name of ``schema.dtypes``; empty for the type of the rung. ``cold``: cold runs find it outside L2.
    ``title`` is how pages call it.
    """

    name: str
    shape: Callable[[Problem], tuple[int, ...]]
    role: str = "in"
    dtype: str = ""
    cold: bool = False
    title: str = ""

    def __post_init__(self) -> None:
        known(self.role, ROLES, f"operand {self.name}: a role is")
        if self.dtype:
            known(self.dtype, DTYPES, f"operand {self.name}: a type is")
        if self.role == "out" and self.cold:
            raise LadderError(f"operand {self.name} is written only; what is cold is read", self.name)

    @property
    def is_read(self) -> bool:
        return self.role != "out"

    @property
    def is_written(self) -> bool:
        return self.role != "in"

    @property
    def shown(self) -> str:
        return self.title or self.name


@dataclass(frozen=True)
class Scalar:
    """A number that a kernel takes by value: ``value`` for a problem, in a type of ``SCALARS``."""

    name: str
    dtype: str
    value: Callable[[Problem], float]

    def __post_init__(self) -> None:
        known(self.dtype, SCALARS, f"scalar {self.name}: a type is")


@dataclass(frozen=True)
class TensorMap:
    """A descriptor for the Tensor Memory Accelerator, made on the host and passed by value as ``__grid_constant__``.

    ``box`` is the C order shape of the tile that one copy brings; ``swizzle`` is 0, 32, 64 or 128 bytes.
    """

    name: str
    operand: str
    box: Callable[[Problem, Constants], tuple[int, ...]]
    swizzle: int = 0

    def __post_init__(self) -> None:
        if self.swizzle not in SWIZZLES:
            sizes = ", ".join(map(str, SWIZZLES))
            raise LadderError(
                f"tensor map {self.name}: a swizzle is one of {sizes} bytes, not {self.swizzle}", "swizzle"
            )


@dataclass(frozen=True)
class Region:
    """A box of an operand: ``first`` and one past the last index of each dimension, whole where it names fewer."""

    operand: str
    spans: tuple[tuple[int, int], ...]


def known(word: str, words: object, what: str) -> None:
    """LadderError unless ``word`` is one of ``words``."""
    names = list(words)  # type: ignore[call-overload]
    if word not in names:
        raise LadderError(f"{what} one of {', '.join(names)}; {word!r} is none", word)
