"""What does a sweep say? Its settings by cell and by choice, the fastest of any of them, and their names in words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from publisher.figures.kit.measured import compare, plain, time_of
from schema.results import Setting, Timed

BEST = "best"  # the choice that shows in each cell the fastest of the other axes


@dataclass(frozen=True)
class Sweep:
    """The settings of a sweep on two axes of the drawing; the other axes are a choice."""

    subject: str
    rung: str
    axes: dict[str, list[int]]
    settings: list[Setting]
    down: str
    across: str
    twins: dict[str, float]

    @property
    def others(self) -> list[str]:
        return [name for name in self.axes if name not in (self.down, self.across)]

    def time(self, index: int, condition: str) -> Timed | None:
        return time_of(self.settings[index].times, condition)

    @cached_property
    def _by_cell(self) -> dict[tuple[int | None, int | None], list[int]]:
        found: dict[tuple[int | None, int | None], list[int]] = {}
        for index, setting in enumerate(self.settings):
            cell = (setting.constants.get(self.down), setting.constants.get(self.across))
            found.setdefault(cell, []).append(index)
        return found

    def at(self, option: str, row: int, column: int) -> list[int]:
        """Indices of the settings of a cell: one, or for ``best`` one for each value of the other axes."""
        return [i for i in self._by_cell.get((row, column), ()) if option in (BEST, self.option(i))]

    def option(self, index: int) -> str:
        """The choice that shows this setting: its values on the axes that are not drawn."""
        return self.option_of(self.settings[index].constants)

    def option_of(self, constants: dict[str, int]) -> str:
        return "-".join(str(constants.get(name, 0)) for name in self.others)

    def fastest(self, condition: str, among: list[int] | None = None) -> int | None:
        indices = range(len(self.settings)) if among is None else among
        timed = {i: time.samples.median_us for i in indices if (time := self.time(i, condition))}
        return min(timed, key=lambda i: timed[i]) if timed else None

    def indices(self, option: str) -> list[int]:
        return [i for i in range(len(self.settings)) if option in (BEST, self.option(i))]

    def place(self, constants: dict[str, int]) -> tuple[int, int] | None:
        """Row and column of the cell of these constants, if the grid has one."""
        row, column = constants.get(self.down), constants.get(self.across)
        rows, columns = self.axes[self.down], self.axes[self.across]
        return (rows.index(row), columns.index(column)) if row in rows and column in columns else None

    def words(self, index: int) -> str:
        values = self.settings[index].constants
        return ", ".join(f"{plain(name)} {values[name]}" for name in self.axes if name in values)

    def same_as(self, best: int, condition: str) -> list[int]:
        """The other settings that the resolution cannot tell from ``best``."""
        first = self.time(best, condition)
        assert first is not None
        others = [(i, self.time(i, condition)) for i in range(len(self.settings)) if i != best]
        return [i for i, time in others if time and compare(first, time, self.twins[condition]).same]
