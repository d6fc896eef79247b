"""The sums ladder: y[row] = the sum of x[row, :], where every number is read once and used once."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from schema.ladder import Constants, Input, Ladder, Problem, Rung
from schema.launch import Launch

EPS32 = 2.0**-24


def thread_a_row(p: Problem, c: Constants) -> Launch:
    return Launch((-(-p["rows"] // c["THREADS"]), 1, 1), (c["THREADS"], 1, 1))


def warp_a_row(p: Problem, c: Constants) -> Launch:
    return Launch((-(-p["rows"] * c["WARP"] // c["THREADS"]), 1, 1), (c["THREADS"], 1, 1))


def anything(p: Problem, c: Constants) -> bool:
    return True


LADDER = Ladder(
    slug="sums",
    title="Sums of rows",
    entry="sums",
    folder=Path(__file__).resolve().parent,
    problem={"rows": 4096, "columns": 1024},
    inputs=(Input("x", lambda p: (p["rows"], p["columns"]), streamed=True),),
    output_shape=lambda p: (p["rows"],),
    sizes=("rows", "columns"),
    reference=lambda i: i["x"].astype(np.float64).sum(axis=1),
    scale=lambda i: np.abs(i["x"].astype(np.float64)).sum(axis=1),
    tolerance=lambda p: 8 * EPS32 * p["columns"] ** 0.5,
    tolerance_reason="8 standard deviations of the random walk that the roundings of a sum make",
    flops=lambda p: p["rows"] * p["columns"],
    least_bytes=lambda p, dtype: 4 * (p["rows"] * p["columns"] + p["rows"]),
    rungs=(
        Rung("plain", "01_plain.cu", "fp32", thread_a_row, anything),
        Rung("warp", "02_warp.cu", "fp32", warp_a_row, anything),
    ),
    check_problems=({"rows": 33, "columns": 70},),
)
