"""y[row] = the sum of a row of bfloat16 numbers: by warps, by clusters of two blocks, and through tensor maps."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from schema.ladder import Constants, Ladder, Launch, Operand, Problem, Region, Rung, TensorMap

EPS32 = 2.0**-24
WIDE = 256  # columns of a box, the most that a tensor map has


def warp_a_row(p: Problem, c: Constants) -> Launch:
    return Launch((-(-p["rows"] * 32 // c["THREADS"]), 1, 1), (c["THREADS"], 1, 1))


def cluster_a_row(p: Problem, c: Constants) -> Launch:
    """Two blocks in x share a row, which they hand to each other over the cluster; the next launch may begin early."""
    return Launch((2, p["rows"], 1), (c["THREADS"], 1, 1), cluster=(2, 1, 1), programmatic=True)


def half_a_row(block: tuple[int, int, int], p: Problem, c: Constants) -> Region:
    half = p["columns"] // 2
    return Region("x", ((block[1], block[1] + 1), (block[0] * half, (block[0] + 1) * half)))


def boxes(p: Problem, c: Constants) -> Launch:
    """A block brings a box of rows at a time; its buffer is more than a block has without asking."""
    return Launch((-(-p["rows"] // c["ROWS"]), 1, 1), (c["THREADS"], 1, 1), c["BUFFERS"] * c["ROWS"] * WIDE * 2 + 128)


def even(p: Problem, c: Constants) -> bool:
    return p["columns"] % 2 == 0


def whole_boxes(p: Problem, c: Constants) -> bool:
    return p["columns"] % WIDE == 0


LADDER = Ladder(
    slug="row_sums",
    title="Sums of rows in bfloat16",
    entry="row_sums",
    folder=Path(__file__).resolve().parent,
    problem={"rows": 1024, "columns": 2048},
    operands=(
        Operand("x", lambda p: (p["rows"], p["columns"]), cold=True),
        Operand("y", lambda p: (p["rows"],), role="out", dtype="fp32"),
    ),
    reference=lambda v: v["x"].sum(axis=1),
    scale=lambda v: np.abs(v["x"]).sum(axis=1),
    tolerance=lambda p: 8 * EPS32 * p["columns"] ** 0.5,
    tolerance_reason="8 standard deviations of the random walk that the roundings of a sum make",
    flops=lambda p: p["rows"] * p["columns"],
    rungs=(
        Rung("warp", "01_warp.cu", "bf16", warp_a_row, must_have=("SHFL",)),
        Rung("cluster", "02_cluster.cu", "bf16", cluster_a_row, even, needs="sm_90", owns=half_a_row,
             dtypes={"y": "bf16"}),
        Rung("boxes", "03_boxes.cu", "bf16", boxes, whole_boxes, needs="sm_90",
             arguments=("x_map", "y", "rows", "columns"), must_have=("UTMALDG",),
             tensor_maps=(TensorMap("x_map", "x", lambda p, c: (c["ROWS"], WIDE)),)),
    ),
    check_problems=({"rows": 5, "columns": 512},),
)  # fmt: skip
