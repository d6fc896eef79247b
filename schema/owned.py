"""Which part of which operand does a block own? Asked of the ladder, and held to the operand's shape."""

from __future__ import annotations

from collections.abc import Iterator

from schema.ladder import Ladder
from schema.launch import Launch
from schema.operands import Constants, LadderError, Problem, Region
from schema.rungs import Block, Rung


def owned_by(ladder: Ladder, rung: Rung, block: Block, problem: Problem, constants: Constants) -> Region:
    """The region of one block, with a span for each dimension; LadderError where there is no such part."""
    assert rung.owns is not None, "the rung declares what its blocks own"
    region = rung.owns(block, problem, constants)
    if not isinstance(region, Region):
        raise LadderError(f"{rung.slug}: owns gives {region!r} for block {block}; it gives a Region", "owns")
    return whole_region(ladder, region, problem, f"{rung.slug}: block {block} owns")


def whole_region(ladder: Ladder, region: Region, problem: Problem, what: str, word: str = "owns") -> Region:
    """The region with a span for each dimension of its operand; LadderError, which begins with ``what``, otherwise."""
    shape = ladder.operand(region.operand).shape(problem)
    if len(region.spans) > len(shape):
        many = f"{len(region.spans)} spans of {region.operand}, which has {len(shape)} dimensions"
        raise LadderError(f"{what} {many}", word)
    spans = (*region.spans, *((0, size) for size in shape[len(region.spans) :]))
    for (first, stop), size in zip(spans, shape, strict=True):
        if not 0 <= first < stop <= size:
            raise LadderError(f"{what} {first} to {stop} of a dimension of {region.operand} that has {size}", word)
    return Region(region.operand, spans)


def blocks_of(launch: Launch) -> Iterator[Block]:
    """The blocks of a launch by their number: x first, then y, then z."""
    across, down, deep = launch.grid
    return ((x, y, z) for z in range(deep) for y in range(down) for x in range(across))
