"""What do kernels compute on the fake device? In numpy, by their entry name: the small ladders', and the MMA probes.

A program says which arguments are addresses that it stores to, and computes what it stores there. A kernel that has no
program here stores nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

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
    """``compute(device, launch, arguments)`` gives the stores; ``outputs`` are the places of their addresses."""

    compute: Callable[[Any, Any, list[Any]], Stores]
    outputs: tuple[int, ...]


PROGRAMS = {
    "distance": Program(distance, (2, 5)),
    "sums": Program(sums, (1,)),
    "copy": Program(copy, (1,)),
    "load_fragments": Program(load_fragments, (2, 3)),
    "multiply": Program(multiply, (2,)),
}
