"""Which thread holds which cell of an m16n8k16 multiply? One half of one register is one, and the card answers.

``ldmatrix`` fixes what row and column mean: it brings a matrix that lies row by row in memory into registers. With
that, B (then A) holds column numbers, one half of one register of A (then B) is one, and the value and the place of
the non-zero sums tell which cell that half is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from recorder.card.device import DeviceError
from recorder.compile.disassembly import disassemble
from recorder.measure.session import Session
from sass.listing import count_opcodes
from schema.launch import Launch
from schema.recording import numbers_block
from schema.results import FragmentMap, FragmentResults, Operand, Table

ESTIMATE_S, QUICK_S = 2, 2
SLUG, FILE = "m16n8k16", "fragment_m16n8k16.cu"
ROWS, COLUMNS, INNER = 16, 8, 16
INSTRUCTION = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
WARP = Launch((1, 1, 1), (32, 1, 1))


def run(session: Session) -> dict[str, tuple[Any, dict[str, Any]]]:
    """The ``fragment`` experiment of the machine."""
    return {
        "fragment": (
            FragmentResults(shapes={SLUG: session.attempt(SLUG, lambda: _probe(session))}),
            {"probe": "one-hot"},
        )
    }


def _probe(session: Session) -> FragmentMap:
    device = session.device
    load = session.machine_kernel(FILE, "load_fragments")
    multiply = session.machine_kernel(FILE, "multiply")

    def registers(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(A's 32 x 4, B's 32 x 2 registers) of A, 16 x 16, and B, 16 x 8, as ldmatrix loads them."""
        tiles = [device.alloc(512), device.alloc(256), device.alloc(512), device.alloc(256)]
        device.upload(tiles[0], a.astype(np.float16))
        device.upload(tiles[1], b.T.astype(np.float16))
        device.launch(load, WARP, [np.uint64(t) for t in tiles])
        found = device.download(tiles[2], (32, 4), np.uint32), device.download(tiles[3], (32, 2), np.uint32)
        for tile in tiles:
            device.free(tile)
        return found

    def products(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """D's registers, probes x 32 x 4, of ``a`` (probes x 32 x 4) and ``b`` (probes x 32 x 2)."""
        probes = len(a)
        places = [device.alloc(probes * n * 4) for n in (128, 64, 128)]
        device.upload(places[0], a.astype(np.uint32))
        device.upload(places[1], b.astype(np.uint32))
        device.launch(multiply, Launch((probes, 1, 1), (32, 1, 1)), [np.uint64(p) for p in places])
        found = device.download(places[2], (probes, 32, 4), np.float32)
        for place in places:
            device.free(place)
        return found

    d_cells = _cells_of_d(registers, products)
    where = {(lane, register): (row, column) for lane, register, _, row, column in d_cells}
    counting = np.arange(1, INNER + 1)
    _, b_counts = registers(np.zeros((ROWS, INNER)), np.repeat(counting[:, None], COLUMNS, 1))
    a_counts, _ = registers(np.repeat(counting[None, :], ROWS, 0), np.zeros((INNER, COLUMNS)))
    a_cells = _cells_of_input(4, lambda hot: products(hot, np.repeat(b_counts[None], len(hot), 0)), where, rows=True)
    b_cells = _cells_of_input(2, lambda hot: products(np.repeat(a_counts[None], len(hot), 0), hot), where, rows=False)
    opcodes = count_opcodes(disassemble(session.machine_cubin(FILE), "multiply").instructions)
    sass = next(opcode for opcode in opcodes if opcode.startswith("HMMA"))
    return FragmentMap(
        instruction=INSTRUCTION,
        sass=sass,
        a=_operand(ROWS, INNER, a_cells),
        b=_operand(INNER, COLUMNS, b_cells),
        d=_operand(ROWS, COLUMNS, d_cells),
    )


def _cells_of_d(registers: Any, products: Any) -> list[tuple[int, int, int, int, int]]:
    """Cells of D: with A one-hot in (row, 0) and B in (0, column), the one non-zero sum is cell (row, column)."""
    a_hot, b_hot = [], []
    for row in range(ROWS):
        for column in range(COLUMNS):
            a, b = np.zeros((ROWS, INNER)), np.zeros((INNER, COLUMNS))
            a[row, 0] = b[0, column] = 1
            loaded = registers(a, b)
            a_hot.append(loaded[0])
            b_hot.append(loaded[1])
    cells = []
    for probe, d in enumerate(products(np.array(a_hot), np.array(b_hot))):
        hot = np.argwhere(d != 0)
        if len(hot) != 1:
            raise DeviceError(f"the probe of D's cell {divmod(probe, COLUMNS)} lit {len(hot)} registers instead of one")
        cells.append((int(hot[0][0]), int(hot[0][1]), 0, probe // COLUMNS, probe % COLUMNS))
    return sorted(cells)


def _cells_of_input(
    count: int, products: Any, where: dict[Any, Any], rows: bool
) -> list[tuple[int, int, int, int, int]]:
    """Cells of A (``rows``) or B: which row (column) of D lights up, and the inner index that the sum holds."""
    halves = [(lane, register, half) for lane in range(32) for register in range(count) for half in (0, 1)]
    hot = np.zeros((len(halves), 32, count), np.uint32)
    for probe, (lane, register, half) in enumerate(halves):
        hot[probe, lane, register] = 0x3C00 << (16 * half)  # 1.0 as fp16
    cells = []
    for (lane, register, half), d in zip(halves, products(hot), strict=True):
        lit = [(where[int(i), int(r)], float(d[i, r])) for i, r in np.argwhere(d != 0)]
        lines = {place[0 if rows else 1] for place, _ in lit}
        values = {value for _, value in lit}
        if len(lines) != 1 or len(values) != 1 or len(lit) != (COLUMNS if rows else ROWS):
            raise DeviceError(f"lane {lane}, register {register}, half {half} is not one cell: it lit {len(lit)} sums")
        line, inner = lines.pop(), int(values.pop()) - 1
        cells.append((lane, register, half, *((line, inner) if rows else (inner, line))))
    return cells


def _operand(rows: int, columns: int, cells: list[tuple[int, int, int, int, int]]) -> Operand:
    flat = [v for cell in cells for v in cell]
    return Operand(
        rows=rows, columns=columns, cells=Table(columns="lane register half row column", rows=numbers_block(flat, 0, 5))
    )
