"""Which shape does ``ladder.shapes.rung.rows_64.cold`` mean? The ladder's problem but for the sizes it names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from publisher.faults import instead
from schema.results import ShapesResults

_SELECTOR = re.compile(r"^([A-Za-z][A-Za-z0-9_]*)_(\d+)$")


class ShapePathError(Exception):
    """A path that can name no shape. The message says what exists instead."""


def find_shape(results: ShapesResults, problem: Mapping[str, int], parts: Sequence[str]) -> tuple[str, ...] | None:
    """The place of ``parts`` (entry, sizes, ``cold`` or ``warm``) in the results; None where that was not recorded.

    Sizes that are not named are those of ``problem``, the ladder's own.
    """
    entry, *selectors, condition = parts
    entries = dict.fromkeys(shape.entry for shape in results.shapes)
    if entry not in entries:
        raise ShapePathError(f"no shape of {entry} was recorded; {instead(entry, entries)}")
    if condition not in ("cold", "warm"):
        raise ShapePathError(f"a shape has no {condition}; {instead(condition, ('cold', 'warm'))}")
    wanted: dict[str, Any] = dict(problem)
    for selector in selectors:
        found = _SELECTOR.match(selector)
        if not found or found[1] not in problem:
            name = found[1] if found else selector
            such = "".join(f", such as {one}_{size}" for one, size in list(problem.items())[:1])
            raise ShapePathError(f"{selector} names no size{such}; {instead(name, problem)}")
        wanted[found[1]] = int(found[2])
    for i, shape in enumerate(results.shapes):
        if shape.entry == entry and shape.problem == wanted:
            return ("shapes", str(i), "times", condition)
    return None
