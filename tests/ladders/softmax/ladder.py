"""Each row of x becomes its softmax, in place: one operand that is read, written, and all that is cold."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from schema.ladder import Constants, Ladder, Launch, Operand, Problem, Region, Rung, Variant

EPS32 = 2.0**-24


def block_a_row(p: Problem, c: Constants) -> Launch:
    return Launch((p["rows"], 1, 1), (c["THREADS"], 1, 1))


def warp_a_row(p: Problem, c: Constants) -> Launch:
    return Launch((-(-p["rows"] * 32 // c["THREADS"]), 1, 1), (c["THREADS"], 1, 1))


def one_row(block: tuple[int, int, int], p: Problem, c: Constants) -> Region:
    return Region("x", ((block[0], block[0] + 1),))


def rows_of_warps(block: tuple[int, int, int], p: Problem, c: Constants) -> Region:
    each = c["THREADS"] // 32
    return Region("x", ((block[0] * each, min((block[0] + 1) * each, p["rows"])),))


def softmax(v: dict) -> np.ndarray:
    e = np.exp(v["x"] - v["x"].max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


LADDER = Ladder(
    slug="softmax",
    title="Softmax in place",
    entry="softmax",
    folder=Path(__file__).resolve().parent,
    problem={"rows": 2048, "columns": 512},
    operands=(Operand("x", lambda p: (p["rows"], p["columns"]), role="inout", cold=True),),
    reference=softmax,
    scale=softmax,
    tolerance=lambda p: 64 * EPS32,
    tolerance_reason="an exponential is off by two units in the last place, a sum of positive numbers by a few",
    flops=lambda p: 5 * p["rows"] * p["columns"],
    rungs=(
        Rung("block", "01_block.cu", "fp32", block_a_row, owns=one_row, must_have=("MUFU", "BAR")),
        Rung("warp", "02_warp.cu", "fp32", warp_a_row, owns=rows_of_warps, must_have=("MUFU", "SHFL"),
             variants=(Variant("placement", adds=("stamp_start", "stamp_end"), arguments=("stamps",)),)),
    ),
    check_problems=({"rows": 37, "columns": 129},),
    placements=("warp",),
)  # fmt: skip
