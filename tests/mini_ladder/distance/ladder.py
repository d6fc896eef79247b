"""The distance ladder: d[point] = |x[point] - centre|^2, a problem that is no product of matrices."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from schema.ladder import (
    Comparison,
    Constants,
    Ladder,
    Launch,
    LibraryCall,
    Operand,
    Problem,
    Region,
    Rung,
    Sweep,
    Variant,
)

EPS32 = 2.0**-24


def thread_a_point(p: Problem, c: Constants) -> Launch:
    return Launch((-(-p["points"] // c["THREADS"]), 1, 1), (c["THREADS"], 1, 1))


def warp_a_point(p: Problem, c: Constants) -> Launch:
    return Launch((-(-p["points"] * 32 // c["THREADS"]), 1, c["SPLIT"]), (c["THREADS"], 1, 1))


def not_tiny(p: Problem, c: Constants) -> bool:
    """Declines odd sizes below a warp, as a rung with whole tiles would."""
    return p["dimensions"] >= 32


def refuse(c: Constants) -> str:
    return "a block of 256 threads is not split four ways here" if c["THREADS"] == 256 and c["SPLIT"] == 4 else ""


def points_of(block: tuple[int, int, int], p: Problem, c: Constants) -> Region:
    """A warp a point; with a split the dimensions are shared among blocks."""
    points, part = c["THREADS"] // 32, p["dimensions"] // c["SPLIT"]
    return Region(
        "x", ((block[0] * points, min((block[0] + 1) * points, p["points"])), (block[2] * part, (block[2] + 1) * part))
    )


def squares(values: dict[str, np.ndarray], sign: int) -> np.ndarray:
    x, centre = values["x"], values["centre"]
    return ((x - centre if sign < 0 else np.abs(x) + np.abs(centre)) ** 2).sum(axis=1)


LADDER = Ladder(
    slug="distance",
    title="Squared distances",
    entry="distance",
    folder=Path(__file__).resolve().parent,
    problem={"points": 2048, "dimensions": 640},
    operands=(
        Operand("x", lambda p: (p["points"], p["dimensions"]), cold=True),
        Operand("centre", lambda p: (p["dimensions"],)),
        Operand("d", lambda p: (p["points"],), role="out", dtype="fp32"),
    ),
    reference=lambda values: squares(values, -1),
    scale=lambda values: squares(values, +1),
    # Each term has three roundings and the sum one more a term; they add like a random walk.
    tolerance=lambda p: 8 * EPS32 * p["dimensions"] ** 0.5,
    tolerance_reason="8 standard deviations of the random walk that the roundings of a sum make",
    flops=lambda p: 3 * p["points"] * p["dimensions"],
    rungs=(
        Rung("direct", "01_direct.cu", "fp32", thread_a_point, must_have=("FFMA",)),
        Rung(
            "lanes", "02_lanes.cu", "fp16", warp_a_point, not_tiny, lambda c: c["SPLIT"] > 1,
            (
                Variant("loads_only", ("compute",), gone=("FFMA",), kept=("LDG",)),
                Variant("math_only", ("compute",), gone=("LDG",), kept=("FFMA",)),
                Variant("placement", adds=("stamp_start", "stamp_end"), kept=("FFMA", "LDG"), arguments=("stamps",)),
            ),
            ("FFMA", "SHFL"), owns=points_of,
        ),
    ),
    references=(
        LibraryCall("pretend", "The pretend library", "pretend", "fp32"),
        LibraryCall("absent", "A library that is not there", "absent", "fp16"),
    ),
    check_problems=({"points": 33, "dimensions": 70}, {"points": 7, "dimensions": 3}),
    probes=("lanes",),
    placements=("lanes",),
    sweep=Sweep("lanes", {"THREADS": (64, 256), "SPLIT": (1, 4)}, lambda c: {}, refuse),
    comparisons=(
        Comparison(
            "split_alone",
            tuple((f"split_{s}", f"split {s}", "lanes", {"SPLIT": s}, "the block held at 128 threads") for s in (1, 2)),
        ),
    ),
    shapes=({"points": 512, "dimensions": 640}, {"points": 4096, "dimensions": 640}),
    shape_entries=("lanes", "pretend"),
)  # fmt: skip
