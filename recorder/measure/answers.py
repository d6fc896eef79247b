"""What goes into a problem, and what must come out? Random inputs and their float64 answer, kept for the next asker."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from schema.ladder import Ladder, Problem

KEPT = 2  # a large problem's inputs are 100 MB and more


@dataclass
class Answer:
    """``inputs`` by name, the float64 reference, and what an error is divided by, cell by cell."""

    ladder: Ladder
    inputs: dict[str, np.ndarray]

    @cached_property
    def expected(self) -> np.ndarray:
        return self.ladder.reference(self.inputs)

    @cached_property
    def scale(self) -> np.ndarray:
        """Never zero, so that it can be divided by."""
        return np.maximum(self.ladder.scale(self.inputs), np.finfo(np.float64).tiny)


class Answers:
    """The answers asked for last: making one costs about a second, and most experiments ask for the same."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[object, ...], Answer] = OrderedDict()

    def get(self, ladder: Ladder, problem: Problem, dtype: str, seed: int) -> Answer:
        """Inputs of ``dtype``, random by ``seed``, and their answer."""
        key = (ladder.slug, tuple(sorted(problem.items())), dtype, seed)
        if key not in self._kept:
            while len(self._kept) >= KEPT:
                self._kept.popitem(last=False)
            self._kept[key] = Answer(ladder, ladder.make_inputs(problem, dtype, seed))
        self._kept.move_to_end(key)
        return self._kept[key]
