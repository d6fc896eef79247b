"""What does the fake device keep? Buffers in numpy, and operations whose stores are computed when somebody looks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Buffer:
    """Device memory, zero until written; a ``shared`` array belongs to several buffers and is not written in place."""

    nbytes: int
    array: np.ndarray | None = None
    shared: bool = False
    todo: list[tuple[int, Callable[[], None]]] = field(default_factory=list)  # stores that nobody has looked at yet

    def bytes(self, write: bool = False) -> np.ndarray:
        todo, self.todo = self.todo, []
        for _, store in todo:
            store()
        if self.array is None:
            self.array = np.zeros(self.nbytes, np.uint8)
        if write and self.shared:
            self.array, self.shared = self.array.copy(), False
        return self.array


@dataclass
class Op:
    """Something on the stream: its time and its stores; those to a whole buffer or an address replace older ones."""

    us: float
    kind: str = ""
    whole: dict[int, Buffer] = field(default_factory=dict)  # by identity: buffers that are replaced entirely
    replaced: set[int] = field(default_factory=set)  # addresses
    stores: list[tuple[Buffer, int, Callable[[], None]]] = field(default_factory=list)

    def apply(self) -> None:
        for buffer in self.whole.values():
            buffer.todo = []
        if self.replaced:
            for buffer in {id(b): b for b, _, _ in self.stores}.values():
                buffer.todo = [item for item in buffer.todo if item[0] not in self.replaced]
        for buffer, address, store in self.stores:
            buffer.todo.append((address, store))

    def then(self, other: Op) -> Op:
        """Both as one: what the second replaces is not even done."""
        kept = [s for s in self.stores if id(s[0]) not in other.whole and s[1] not in other.replaced]
        return Op(
            self.us + other.us, self.kind or other.kind, self.whole | other.whole,
            self.replaced | other.replaced, kept + other.stores,
        )  # fmt: skip
