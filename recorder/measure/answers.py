"""What goes into a problem, and what must come out? Random inputs and their float64 answer, kept for the next asker."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from schema.dtypes import exact
from schema.ladder import Ladder, Problem, Types

KEPT = 2  # a large problem's inputs are 100 MB and more


@dataclass
class Answer:
    """``inputs`` by name; of each operand that is written the float64 reference, and what an error is divided by."""

    ladder: Ladder
    problem: Problem
    inputs: dict[str, np.ndarray]

    @cached_property
    def expected(self) -> dict[str, np.ndarray]:
        return self.ladder.answers(self.inputs, self.problem)

    @cached_property
    def scale(self) -> dict[str, np.ndarray]:
        """Never zero, so that it can be divided by."""
        tiny = np.finfo(np.float64).tiny
        found = self.ladder.answers(self.inputs, self.problem, "scale")
        return {name: np.maximum(array, tiny) for name, array in found.items()}

    def error(self, name: str, got: np.ndarray) -> float:
        """The worst error of a result, cell by cell relative to the scale; a NaN is infinite."""
        error = np.abs(exact(got) - self.expected[name]) / self.scale[name]
        return float("inf") if np.isnan(error).any() else float(error.max())


class Answers:
    """The answers asked for last: making one costs about a second, and most experiments ask for the same."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[object, ...], Answer] = OrderedDict()

    def get(self, ladder: Ladder, problem: Problem, types: Types, seed: int) -> Answer:
        """Inputs of these types, random by ``seed``, and their answer."""
        read = tuple((o.name, types[o.name]) for o in ladder.operands if o.is_read)
        key = (ladder.slug, tuple(sorted(problem.items())), read, seed)
        if key not in self._kept:
            while len(self._kept) >= KEPT:
                self._kept.popitem(last=False)
            self._kept[key] = Answer(ladder, problem, ladder.make_inputs(problem, types, seed))
        self._kept.move_to_end(key)
        return self._kept[key]
