"""The linear ladder: Y = X W^T for a few rows of X, where reading W is nearly all the work."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from schema.ladder import Comparison, Constants, Input, Ladder, LibraryCall, Problem, Rung, Sweep
from schema.launch import Launch

SMEM_LIMIT = 48 * 1024  # static shared memory that a block may have on every card
EPS32 = 2.0**-24
EPS16 = 2.0**-11


def ceil_div(a: int, b: int) -> int:
    return -(-a // b)


def flat(p: Problem, c: Constants) -> Launch:
    """A thread for each cell of Y."""
    return Launch((ceil_div(p["batch"] * p["out_features"], c["THREADS"]), 1, 1), (c["THREADS"], 1, 1))


def tiled(p: Problem, c: Constants) -> Launch:
    """Tiles of W in x, tiles of X in y, ranges of the inner dimension in z."""
    grid = (p["out_features"] // c["TILE_ROWS"], ceil_div(p["batch"], c["BATCH"]), c.get("SPLIT", 1))
    return Launch(grid, (c["THREADS"], 1, 1))


def rows_only(p: Problem, c: Constants) -> Launch:
    """Tiles of W in x and of X in y; the split is among the warps of a block."""
    return Launch((p["out_features"] // c["TILE_ROWS"], ceil_div(p["batch"], c["BATCH"]), 1), (c["THREADS"], 1, 1))


def anything(p: Problem, c: Constants) -> bool:
    return True


def whole_tiles(p: Problem, c: Constants) -> bool:
    """Whole tiles of W and whole slices of every range; any number of rows of X."""
    return p["out_features"] % c["TILE_ROWS"] == 0 and p["in_features"] % (c.get("SPLIT", 1) * c["K_SLICE"]) == 0


def whole_slices(p: Problem, c: Constants) -> bool:
    """Whole tiles of W and whole slices; a warp past the last column has nothing to do."""
    return p["out_features"] % c["TILE_ROWS"] == 0 and p["in_features"] % c["K_SLICE"] == 0


def adds_into_y(c: Constants) -> bool:
    return True


def tile_threads(c: Constants) -> dict[str, int]:
    """A warp for each 16 rows of the tile (rungs 5 to 7)."""
    return {"THREADS": c["TILE_ROWS"] // 16 * 32}


def split_threads(c: Constants) -> dict[str, int]:
    """A warp for each part of the columns (rung 8)."""
    return {"THREADS": c["SPLIT"] * 32}


def refuse(c: Constants) -> str:
    smem_bytes = c["SPLIT"] * 16 * (c["TILE_ROWS"] + 1) * 4
    if smem_bytes > SMEM_LIMIT:
        return f"the parts of the sums would need {smem_bytes} bytes of shared memory; a block has {SMEM_LIMIT}"
    if c["SPLIT"] * c["K_SLICE"] > 4096:
        return "there are not enough columns for every warp of a block"
    return ""


PROBED = ("loads_only", "math_only", "placement")
TENSOR = ("HMMA",)
ASYNC = ("HMMA", "LDGSTS", "LDGDEPBAR")

# What rung 6 changes, each alone: (slug, title, kernel, constants rewritten, what it shows).
ASYNC_COPY_APART = (
    ("tensor_core", "Rung 5: neither", "tensor_core", {}, "load, wait, multiply"),
    ("no_prefetch", "cp.async, no prefetch", "async_copy.no_prefetch", {}, "the copy alone"),
    ("register_prefetch", "Prefetch, no cp.async", "async_copy.register_prefetch", {}, "the prefetch alone"),
    ("async_copy", "Rung 6: both", "async_copy", {}, "copy and prefetch"),
)

LADDER = Ladder(
    slug="linear",
    title="One multiply, eight kernels",
    entry="linear",
    folder=Path(__file__).resolve().parent,
    problem={"batch": 16, "out_features": 4096, "in_features": 4096},
    inputs=(
        Input("x", lambda p: (p["batch"], p["in_features"])),
        Input("w", lambda p: (p["out_features"], p["in_features"]), streamed=True),
    ),
    output_shape=lambda p: (p["batch"], p["out_features"]),
    sizes=("batch", "out_features", "in_features"),
    reference=lambda i: i["x"].astype(np.float64) @ i["w"].astype(np.float64).T,
    scale=lambda i: np.abs(i["x"].astype(np.float64)) @ np.abs(i["w"].astype(np.float64)).T,
    # A sum of K products in fp32 makes K roundings of at most EPS32 of the running sum. They are as often up as down,
    # so they add like a random walk; eight of its standard deviations leave room for any order of the sum.
    tolerance=lambda p: 8 * EPS32 * p["in_features"] ** 0.5,
    tolerance_reason="8 standard deviations of the random walk that in_features fp32 roundings make, "
    "relative to the sum of the absolute products",
    flops=lambda p: 2 * p["batch"] * p["out_features"] * p["in_features"],
    least_bytes=lambda p, dtype: {"fp32": 4, "fp16": 2}[dtype]
    * (p["batch"] * p["in_features"] + p["out_features"] * p["in_features"])
    + 4 * p["batch"] * p["out_features"],
    rungs=(
        Rung("naive", "01_naive.cu", "fp32", flat, anything, must_have=("FFMA",)),
        Rung("shared", "02_shared.cu", "fp32", tiled, whole_tiles, must_have=("FFMA", "LDS", "STS", "BAR")),
        Rung("registers", "03_registers.cu", "fp32", tiled, whole_tiles, must_have=("FFMA", "LDS", "STS", "BAR")),
        Rung("fp16", "04_fp16.cu", "fp16", tiled, whole_tiles, must_have=("FFMA", "HADD2", "LDS", "STS")),
        Rung("tensor_core", "05_tensor_core.cu", "fp16", tiled, whole_tiles, must_have=TENSOR),
        Rung(
            "async_copy", "06_async_copy.cu", "fp16", tiled, whole_tiles,
            variants=(*PROBED, "no_prefetch", "register_prefetch"), must_have=ASYNC,
        ),
        Rung("split_k", "07_split_k.cu", "fp16", tiled, whole_tiles, adds_into_y, PROBED, (*ASYNC, "RED")),
        Rung("tuned", "08_tuned.cu", "fp16", rows_only, whole_slices, variants=PROBED, must_have=("HMMA", "LDG")),
    ),
    references=(
        LibraryCall("cublas_fp16", "cuBLAS, FP16 output", "cublas", "fp16", "fp16", EPS16),
        LibraryCall("cublas_fp32", "cuBLAS, FP32 output", "cublas", "fp16", "fp32", 0.0),
        LibraryCall("pytorch_linear", "PyTorch linear", "torch_linear", "fp16", "fp16", EPS16),
    ),
    check_problems=(
        {"batch": 1, "out_features": 1000, "in_features": 777},
        {"batch": 13, "out_features": 384, "in_features": 4096},
        {"batch": 33, "out_features": 256, "in_features": 2048},
    ),
    probes=("async_copy", "split_k", "tuned"),
    placements=("async_copy", "split_k", "tuned"),
    sweep=Sweep(
        "tuned",
        axes={"TILE_ROWS": (8, 16, 32, 64), "SPLIT": (2, 4, 8, 16, 32), "K_SLICE": (32, 64, 128, 256)},
        derived=split_threads,
        refuse=refuse,
    ),
    comparisons=(
        Comparison("async_copy_apart", ASYNC_COPY_APART),
        Comparison(
            "same_tile",
            tuple(
                (f"split_{s}", f"split {s}", "split_k", {"SPLIT": s}, "the tile held at 128 rows")
                for s in (1, 2, 4, 8, 16)
            ),
        ),
        Comparison(
            "same_blocks",
            tuple(
                (f"tile_{t}", f"tile {t}, split {t // 16}", "split_k",
                 {"TILE_ROWS": t, "SPLIT": t // 16, **tile_threads({"TILE_ROWS": t})}, "256 blocks in all")
                for t in (16, 32, 64, 128)
            ),
        ),
    ),
    shapes=(
        *({"batch": b, "out_features": 4096, "in_features": 4096} for b in (1, 2, 4, 8, 16, 32, 64)),
        *({"batch": 16, "out_features": n, "in_features": n} for n in (1024, 2048, 8192)),
        {"batch": 16, "out_features": 11008, "in_features": 4096},
    ),
    shape_entries=("tuned", "cublas_fp16", "cublas_fp32"),
)  # fmt: skip
