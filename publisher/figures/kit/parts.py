"""Which part of an operand does a block own? As it was recorded: in words, and as boxes in indices of the operand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from publisher.facts.units import grouped
from publisher.figures.kit.figure import Evidence
from publisher.figures.kit.measured import reason, value_of
from publisher.figures.kit.placed import Launch, Placed
from publisher.figures.kit.style import lacking

AXES = {1: (("element", "elements"),), 2: (("row", "rows"), ("column", "columns"))}  # what can be drawn
Box = tuple[int, int, int, int]  # left, right, top, bottom; right and bottom are one past the last


@dataclass(frozen=True)
class Parts:
    """``first`` and ``stop``, one past the last, have a row a block and a column a dimension; parts may overlap."""

    operand: str
    shape: tuple[int, ...]
    first: np.ndarray
    stop: np.ndarray

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns of the operand; one of one dimension is a single column."""
        return self.shape[0], self.shape[1] if len(self.shape) > 1 else 1

    @cached_property
    def boxes(self) -> list[Box]:
        """The part of each block."""
        top, bottom = self.first[:, 0], self.stop[:, 0]
        flat = len(self.shape) == 1
        left, right = (np.zeros_like(top), np.ones_like(top)) if flat else (self.first[:, 1], self.stop[:, 1])
        return [(*map(int, box),) for box in zip(left, right, top, bottom, strict=True)]  # type: ignore[misc]

    @property
    def distinct(self) -> int:
        """How many different parts there are: blocks may share one."""
        return len(set(self.boxes))

    def joined(self, blocks: Iterable[int]) -> list[Box]:
        """The parts of ``blocks`` in fewer boxes: those in a column, or else in a row, that leave no gap are one."""
        boxes = [self.boxes[block] for block in blocks]
        columns = _stacked(boxes)
        rows = [_turned(box) for box in _stacked([_turned(box) for box in boxes])]
        return min(columns, rows, key=len)

    def words(self, block: int) -> str:
        """``rows 0 to 127, columns 1,024 to 2,047 of W``; a dimension that is whole goes without saying."""
        spans = zip(AXES[len(self.shape)], self.first[block], self.stop[block], self.shape, strict=True)
        told = [_span(names, int(first), int(stop)) for names, first, stop, size in spans if stop - first < size]
        return f"{', '.join(told) or 'all'} of {self.operand}"

    def touch(self, one: int, other: int) -> bool:
        """Do the parts of two blocks have an edge, a corner or more in common?"""
        apart = (self.first[one] > self.stop[other]) | (self.first[other] > self.stop[one])
        return not apart.any()


def parts_of(evidence: Evidence, placed: Placed, launch: Launch) -> Parts:
    """What each block of a recorded launch owns; ``Missing`` where that is not recorded or cannot be drawn."""
    rung, owns = placed.rung.slug, placed.recorded.owns
    found = value_of(owns)
    if found is None:
        raise lacking(evidence, "placement", reason(owns), owns)
    dimensions = len(found.shape)
    if dimensions not in AXES:
        what = f"blocks of {rung} own parts of {found.operand}, which has {dimensions} dimensions"
        raise lacking(evidence, "placement", f"{what}; only one or two dimensions can be drawn")
    columns = found.regions.arrays
    order = np.argsort(columns["block"], kind="stable")
    numbers = np.arange(launch.blocks)
    if not all(np.array_equal(numbers, blocks) for blocks in (launch.block, columns["block"][order])):
        what = f"the recorded parts of {found.operand} are not those of the {launch.blocks} blocks of {rung} that ran"
        raise lacking(evidence, "placement", what)
    first, stop = (
        np.column_stack([columns[f"{side}_{place}"][order] for place in range(dimensions)]).astype(int)
        for side in ("first", "stop")
    )
    return Parts(found.operand, tuple(found.shape), first, stop)


def _stacked(boxes: Iterable[Box]) -> list[Box]:
    """Boxes of the same left and right that stand on one another, or overlap, as one."""
    made: list[Box] = []
    for left, right, top, bottom in sorted(boxes):
        if made and made[-1][:2] == (left, right) and made[-1][3] >= top:
            made[-1] = (left, right, made[-1][2], max(made[-1][3], bottom))
        else:
            made.append((left, right, top, bottom))
    return made


def _turned(box: Box) -> Box:
    """Rows for columns; turned twice it is the same again."""
    left, right, top, bottom = box
    return top, bottom, left, right


def _span(names: tuple[str, str], first: int, stop: int) -> str:
    if stop - first == 1:
        return f"{names[0]} {grouped(first)}"
    return f"{names[1]} {grouped(first)} to {grouped(stop - 1)}"
