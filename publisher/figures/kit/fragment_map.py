"""Which thread holds which cell of an MMA's operands? The recorded map, checked and put in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from publisher.figures.kit.figure import Missing
from publisher.figures.kit.style import fmt_count, listed
from schema.results import FragmentMap, Operand

LANES = 32
MOST_CELLS = 4096
BESIDE, BELOW = 1.9, 3.2  # between two matrices in the picture, in cells: room for numbers, and for a title too
REGISTER = {"a": "a", "b": "b", "d": "c"}  # the names of the PTX ISA


@dataclass(frozen=True)
class Grid:
    """A matrix in the picture. ``owner``, ``register`` and ``half`` are row-major; ``x``, ``y``: cell (0, 0)."""

    name: str
    rows: int
    columns: int
    owner: list[int]
    register: list[int]
    half: list[int]
    x: float
    y: float

    def held(self, lane: int) -> list[int]:
        """The places of a thread's cells, by register and half."""
        mine = [place for place, owner in enumerate(self.owner) if owner == lane]
        return sorted(mine, key=lambda place: (self.register[place], self.half[place]))

    def pieces(self, lane: int) -> list[list[int]]:
        """The places of a thread's cells, those of one register together where they are neighbours."""
        found: list[list[int]] = []
        for place in self.held(lane):
            last = found[-1][-1] if found else None
            if last is not None and self.register[last] == self.register[place] and self._next(last, place):
                found[-1].append(place)
            else:
                found.append([place])
        return found

    def _next(self, place: int, other: int) -> bool:
        """Is ``other`` the cell to the right, or the cell below?"""
        return other - place == self.columns or (other - place == 1 and other % self.columns > 0)

    def at(self, place: int) -> tuple[float, float]:
        return self.x + place % self.columns, self.y + place // self.columns

    def cell(self, place: int) -> str:
        return f"{self.name.upper()}[{place // self.columns}][{place % self.columns}]"

    def named(self, place: int) -> str:
        return f"{REGISTER[self.name]}{self.register[place]}"


Map = dict[str, Grid]  # by the names a, b, d


def read_map(found: FragmentMap, shape: str) -> Map:
    """The recorded map of a shape; ``Missing`` where its matrices do not fit, or a cell has no owner or two."""
    a, b, d = found.a, found.b, found.d
    if (a.rows, a.columns, b.columns) != (d.rows, b.rows, d.columns):
        raise Missing(f"the recorded sizes of {shape} do not make a product")
    right, below = a.columns + BESIDE, b.rows + BELOW
    return {
        "a": _grid("a", a, 0, below),
        "b": _grid("b", b, right, 0),
        "d": _grid("d", d, right, below),
    }


def _grid(name: str, operand: Operand, x: float, y: float) -> Grid:
    size = operand.rows * operand.columns
    torn = Missing(f"the recorded map of {name.upper()} does not give each cell one thread")
    if not 0 < size <= MOST_CELLS:
        raise torn
    arrays = operand.cells.arrays
    columns = [arrays[key].astype(int).tolist() for key in ("row", "column", "lane", "register", "half")]
    owner, register, half = [-1] * size, [0] * size, [0] * size
    for row, column, lane, number, part in zip(*columns, strict=True):
        place = row * operand.columns + column
        inside = 0 <= row < operand.rows and 0 <= column < operand.columns and 0 <= lane < LANES and part in (0, 1)
        if not inside or owner[place] >= 0:
            raise torn
        owner[place], register[place], half[place] = lane, number, part
    if -1 in owner:
        raise torn
    return Grid(name, operand.rows, operand.columns, owner, register, half, x, y)


def distinct(numbers: Iterable[int]) -> list[int]:
    """Each number once, in the order of first appearance."""
    return list(dict.fromkeys(numbers))


def meeting(grids: Map, lane: int, k: int) -> tuple[list[int], list[int]]:
    """The places in A and in B whose products a thread's cells of D take up at ``k``."""
    a, b, d = grids.values()
    held = d.held(lane)
    rows, columns = distinct(p // d.columns for p in held), distinct(p % d.columns for p in held)
    return [row * a.columns + k for row in rows], [k * b.columns + column for column in columns]


def checked(grids: Map, shape: str) -> str:
    """A sentence that says whether the recorded map is what the PTX ISA prints for this shape."""
    formulas = ISA.get(shape)
    if formulas is None:
        return "The PTX ISA's formula for this shape was not compared."
    for name, formula in formulas.items():
        grid = grids[name]
        for place in range(len(grid.owner)):
            told = formula(grid.owner[place], grid.register[place], grid.half[place])
            if told != divmod(place, grid.columns):
                return f"It differs from the PTX ISA's formula, which gives {grid.cell(place)} to another thread."
    return "It equals the PTX ISA's formula in every cell."


def _a(lane: int, register: int, half: int) -> tuple[int, int]:
    return lane // 4 + register % 2 * 8, lane % 4 * 2 + half + register // 2 * 8


def _b(lane: int, register: int, half: int) -> tuple[int, int]:
    return lane % 4 * 2 + half + register * 8, lane // 4


def _d(lane: int, register: int, half: int) -> tuple[int, int]:
    return lane // 4 + register // 2 * 8, lane % 4 * 2 + register % 2


# Row and column of a lane's register and half, as the PTX ISA describes the fragments of each shape for 16-bit inputs.
ISA: dict[str, dict[str, Callable[[int, int, int], tuple[int, int]]]] = {"m16n8k16": {"a": _a, "b": _b, "d": _d}}


def caption(grids: Map, lane: int, slug: str, verdict: str) -> str:
    """What a step shows, in words, for a thread. ``verdict`` is what ``checked`` said."""
    a, b, d = grids.values()
    kind, _, what = slug.partition("_")
    if kind == "hold":
        return _hold_caption(grids[what], lane, verdict)
    k = int(what[1:])
    of_a, of_b = meeting(grids, lane, k)
    text = (
        f"To its {len(d.held(lane))} cells of D thread {lane} adds the products of {_cells(a, of_a)} with "
        f"{_cells(b, of_b)}. The A cells are held by {_threads(a, of_a)}, the B cells by {_threads(b, of_b)}."
    )
    if k == 0:
        text += (
            " A marked cell of A or B names the thread that holds it. Walking through k is a way to read the product;"
        )
        text += " the hardware's own order is not recorded."
    if k == a.columns - 1:
        text += f" That completes the sums of {a.columns} products each, in one instruction for the whole warp."
    return text


def _hold_caption(grid: Grid, lane: int, verdict: str) -> str:
    held = grid.held(lane)
    by_register: dict[str, list[int]] = {}
    for place in held:
        by_register.setdefault(grid.named(place), []).append(place)
    packed = len(by_register) < len(held)
    each = "two 16-bit values in each, the lower half named first" if packed else "one 32-bit value in each"
    told = "; ".join(f"`{name}` {_cells(grid, places)}" for name, places in by_register.items())
    amount = f"{fmt_count(len(held), 'cell')} of {grid.name.upper()} in {fmt_count(len(by_register), 'register')}"
    text = f"Thread {lane} holds {amount}, {each}: {told}."
    return (
        f"{text} The map was found by a probe on the card, one cell after the other. {verdict}"
        if grid.name == "a"
        else text
    )


def _cells(grid: Grid, places: list[int]) -> str:
    return listed([grid.cell(place) for place in places])


def _threads(grid: Grid, places: list[int]) -> str:
    found = [str(owner) for owner in distinct(grid.owner[place] for place in places)]
    return f"thread {found[0]}" if len(found) == 1 else f"threads {listed(found)}"
