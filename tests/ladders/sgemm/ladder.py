"""C = alpha A B + beta C, row by row in memory: a grid of two dimensions, scalars, an output that is read as well."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from schema.ladder import Choice, Constants, Ladder, Launch, Operand, Problem, Region, Rung, Scalar

EPS32 = 2.0**-24
ALPHA, BETA = 1.5, -0.5


def tiles(p: Problem, c: Constants) -> Launch:
    """Tiles of columns of C in x, of rows in y."""
    side = c["TILE"]
    return Launch((-(-p["N"] // side), -(-p["M"] // side), 1), (side, side, 1))


def tile_of_c(block: tuple[int, int, int], p: Problem, c: Constants) -> Region:
    x, y, _ = block
    side = c["TILE"]
    return Region("c", ((y * side, min((y + 1) * side, p["M"])), (x * side, min((x + 1) * side, p["N"]))))


def product(v: dict, magnitude: bool) -> np.ndarray:
    a, b, c = (np.abs(v[name]) if magnitude else v[name] for name in ("a", "b", "c"))
    alpha, beta = (abs(v[name]) if magnitude else v[name] for name in ("alpha", "beta"))
    return alpha * (a @ b) + beta * c


LADDER = Ladder(
    slug="sgemm",
    title="A product of matrices",
    entry="sgemm",
    folder=Path(__file__).resolve().parent,
    problem={"M": 256, "N": 384, "K": 320},
    operands=(
        Operand("a", lambda p: (p["M"], p["K"]), cold=True, title="A"),
        Operand("b", lambda p: (p["K"], p["N"]), cold=True, title="B"),
        Operand("c", lambda p: (p["M"], p["N"]), role="inout", title="C"),
    ),
    scalars=(Scalar("alpha", "fp32", lambda p: ALPHA), Scalar("beta", "fp32", lambda p: BETA)),
    arguments=("M", "N", "K", "alpha", "a", "b", "beta", "c"),
    reference=lambda v: product(v, False),
    scale=lambda v: product(v, True),
    tolerance=lambda p: 8 * EPS32 * p["K"] ** 0.5,
    tolerance_reason="8 standard deviations of the random walk that K fp32 roundings make",
    flops=lambda p: 2 * p["M"] * p["N"] * p["K"],
    rungs=(
        Rung("naive", "01_naive.cu", "fp32", tiles, unit="fp32", owns=tile_of_c, must_have=("FFMA",)),
        Rung(
            "shared", "02_shared.cu", "fp32", tiles, unit="fp32", owns=tile_of_c, must_have=("FFMA", "LDS", "STS"),
            choices=(Choice("TILE", "Rows and columns of C a block", (8, 16, 32)),),
        ),
    ),
    check_problems=({"M": 33, "N": 70, "K": 5},),
    shapes=({"M": 128, "N": 128, "K": 128}, {"M": 256, "N": 512, "K": 64}),
    shape_entries=("shared",),
)  # fmt: skip
