"""The sums ladder: y[row] = the sum of x[row, :], where every number is read once and used once."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from schema.ladder import Constants, Ladder, Launch, Operand, Problem, Rung

EPS32 = 2.0**-24


def thread_a_row(p: Problem, c: Constants) -> Launch:
    return Launch((-(-p["rows"] // c["THREADS"]), 1, 1), (c["THREADS"], 1, 1))


def warp_a_row(p: Problem, c: Constants) -> Launch:
    return Launch((-(-p["rows"] * c["WARP"] // c["THREADS"]), 1, 1), (c["THREADS"], 1, 1))


LADDER = Ladder(
    slug="sums",
    title="Sums of rows",
    entry="sums",
    folder=Path(__file__).resolve().parent,
    problem={"rows": 4096, "columns": 1024},
    operands=(
        Operand("x", lambda p: (p["rows"], p["columns"]), cold=True),
        Operand("y", lambda p: (p["rows"],), role="out"),
    ),
    reference=lambda v: v["x"].sum(axis=1),
    scale=lambda v: np.abs(v["x"]).sum(axis=1),
    tolerance=lambda p: 8 * EPS32 * p["columns"] ** 0.5,
    tolerance_reason="8 standard deviations of the random walk that the roundings of a sum make",
    flops=lambda p: p["rows"] * p["columns"],
    rungs=(
        Rung("plain", "01_plain.cu", "fp32", thread_a_row),
        Rung("warp", "02_warp.cu", "fp32", warp_a_row),
    ),
    check_problems=({"rows": 33, "columns": 70},),
)
