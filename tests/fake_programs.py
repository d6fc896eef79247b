"""What do kernels compute on the fake device? In numpy, by their entry name: the small ladders', and the MMA probes.

A program says which arguments are addresses that it stores to, and computes what it stores there. A kernel that has no
program here stores nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from schema.dtypes import numpy_dtype, rounded
from schema.load_ladder import load_ladder

Stores = dict[int, np.ndarray]  # address -> what is stored there
LANES = np.arange(32)


def distance(device: Any, launch: Any, arguments: list[Any]) -> Stores:
    x, centre, d, points, dimensions = (int(a) for a in arguments[:5])
    dtype = np.float32 if device.nbytes(x) == 4 * points * dimensions else np.float16
    difference = device.view(x, dtype, (points, dimensions)).astype(np.float64) - device.view(
        centre, dtype, (dimensions,)
    )
    stores: Stores = {d: np.einsum("pk,pk->p", difference, difference).astype(np.float32)}
    if len(arguments) > 5:
        block = np.arange(launch.blocks)
        start = 1_000_000 + 32 * (block // 8)
        stores[int(arguments[5])] = np.stack([block % 4, start, start + 320], axis=1).astype(np.uint64)
    return stores


def sums(device: Any, launch: Any, arguments: list[Any]) -> Stores:
    x, y, rows, columns = (int(a) for a in arguments)
    return {y: device.view(x, np.float32, (rows, columns)).sum(axis=1, dtype=np.float64).astype(np.float32)}


def cells(registers: int, operand: str) -> np.ndarray:
    """Lanes x registers x halves x (row, column) of an m16n8k16 operand, by the formulas of the PTX ISA."""
    lane, register, half = np.meshgrid(LANES, np.arange(registers), np.arange(2), indexing="ij")
    group, quad = lane // 4, lane % 4
    if operand == "a":
        return np.stack([group + 8 * (register % 2), quad * 2 + half + 8 * (register // 2)], axis=-1)
    return np.stack([quad * 2 + half + 8 * register, group], axis=-1)  # b: row is the inner index


def copy(device: Any, launch: Any, arguments: list[Any]) -> Stores:
    source, target, vectors = (int(a) for a in arguments)
    return {target: device.view(source, np.uint32, (4 * vectors,))}


def load_fragments(device: Any, launch: Any, arguments: list[Any]) -> Stores:
    a_tile, b_tile, a, b = (int(v) for v in arguments)
    of_a, of_b = device.view(a_tile, np.uint16, (16, 16)), device.view(b_tile, np.uint16, (8, 16)).T
    return {
        a: _packed(of_a[tuple(np.moveaxis(cells(4, "a"), -1, 0))]),
        b: _packed(of_b[tuple(np.moveaxis(cells(2, "b"), -1, 0))]),
    }


def multiply(device: Any, launch: Any, arguments: list[Any]) -> Stores:
    a, b, d = (int(v) for v in arguments)
    probes = launch.blocks
    of_a, of_b = np.zeros((probes, 16, 16)), np.zeros((probes, 16, 8))
    for target, address, registers, operand in ((of_a, a, 4, "a"), (of_b, b, 2, "b")):
        halves = device.view(address, np.float16, (probes, 32, registers, 2))
        row, column = np.moveaxis(cells(registers, operand), -1, 0)
        target[:, row, column] = halves
    product = of_a @ of_b
    lane, register = np.meshgrid(LANES, np.arange(4), indexing="ij")
    row, column = lane // 4 + 8 * (register // 2), lane % 4 * 2 + register % 2
    return {d: product[:, row, column].astype(np.float32)}


def _packed(halves: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(halves.astype(np.uint16)).view(np.uint32)[..., 0]


@dataclass(frozen=True)
class Program:
    """``compute(device, launch, arguments)`` gives the stores; ``outputs`` are the places of their addresses.

    ``cold`` is the place of the address that cold runs turn; ``by_reference``: it computes all at once.
    """

    compute: Callable[[Any, Any, list[Any]], Stores]
    outputs: tuple[int, ...]
    cold: int = 0
    by_reference: bool = False


def program_of(ladders: str, name: str) -> Program | None:
    """What a kernel ``kernels/LADDER/FILE`` of a ladder below ``ladders`` computes: its reference; None for others."""
    _, slug, file = name.split("/")
    if not ladders or not (Path(ladders) / slug / "ladder.py").exists():
        return None
    ladder = load_ladder(Path(ladders) / slug)
    rung = next((r for r in ladder.rungs if file.startswith(r.file.removesuffix(".cu"))), None)
    if rung is None or file.split(".")[1] in ("loads_only", "math_only"):
        return None
    taken, maps = ladder.taken(rung), {one.name: one.operand for one in rung.tensor_maps}
    places = {maps.get(argument, argument): place for place, argument in enumerate(taken)}

    def compute(device: Any, launch: Any, arguments: list[Any]) -> Stores:
        problem = {size: int(arguments[places[size]]) for size in ladder.problem}
        types, values = ladder.types(rung), {}
        for operand in (o for o in ladder.operands if o.is_read):
            held = numpy_dtype(types[operand.name])
            values[operand.name] = device.view(
                int(arguments[places[operand.name]]), held, operand.shape(problem)
            ).copy()
        stores: Stores = {}
        for written, answer in ladder.answers(values, problem).items():
            stores[int(arguments[places[written]])] = rounded(answer, types[written])
        if len(arguments) > len(taken):
            block = np.arange(launch.blocks)
            start = 1_000_000 + 32 * (block // 8)
            stores[int(arguments[-1])] = np.stack([block % 4, start, start + 320], axis=1).astype(np.uint64)
        return stores

    outputs = (*(places[o.name] for o in ladder.outputs), len(taken))
    cold = places[ladder.cold[0].name] if ladder.cold else 0
    return Program(compute, outputs, cold, True)


PROGRAMS = {
    "distance": Program(distance, (2, 5)),
    "sums": Program(sums, (1,)),
    "copy": Program(copy, (1,)),
    "load_fragments": Program(load_fragments, (2, 3)),
    "multiply": Program(multiply, (2,)),
}
