"""The linear ladder: Y = X W^T for a few rows of X, where reading W is nearly all the work."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from schema.ladder import (
    Choice,
    Comparison,
    Constants,
    Ladder,
    Launch,
    LibraryCall,
    Operand,
    Phase,
    Pipeline,
    Problem,
    Region,
    Rung,
    Sweep,
    Variant,
)

STATIC_SMEM_LIMIT = 48 * 1024  # bytes of shared memory that a block may have without asking for more
EPS32 = 2.0**-24


def ceil_div(a: int, b: int) -> int:
    return -(-a // b)


# ---- launches ------------------------------------------------------------------------------------------------------


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
    if smem_bytes > STATIC_SMEM_LIMIT:
        return (
            f"the parts of the sums would need {smem_bytes} bytes of shared memory; "
            f"a block has at most {STATIC_SMEM_LIMIT} without asking for more, and this kernel does not ask"
        )
    if c["SPLIT"] * c["K_SLICE"] > 4096:
        return "there are not enough columns for every warp of a block"
    return ""


# ---- what a picture may say ------------------------------------------------------------------------------------------


def tile_of_w(block: tuple[int, int, int], p: Problem, c: Constants) -> Region:
    """Some rows of W, and the part of their columns that the block sums."""
    tile, _, part = block
    columns = p["in_features"] // tiled(p, c).grid[2]
    rows = (tile * c["TILE_ROWS"], (tile + 1) * c["TILE_ROWS"])
    return Region("w", (rows, (part * columns, (part + 1) * columns)))


def rows_of_w(block: tuple[int, int, int], p: Problem, c: Constants) -> Region:
    """Some rows of W, whole."""
    return Region("w", ((block[0] * c["TILE_ROWS"], (block[0] + 1) * c["TILE_ROWS"]),))


def slice_of(p: Problem, c: Constants) -> tuple[Region, ...]:
    """A slice of K_SLICE columns: of the tile of W, and of the rows of X."""
    rows = min(c["BATCH"], p["batch"])
    return Region("w", ((0, c["TILE_ROWS"]), (0, c["K_SLICE"]))), Region("x", ((0, rows), (0, c["K_SLICE"])))


def slices_of_all_warps(p: Problem, c: Constants) -> tuple[Region, ...]:
    """What the warps of a block load at a time, each its own K_SLICE columns: they lie side by side."""
    return slice_of(p, {**c, "K_SLICE": c["SPLIT"] * c["K_SLICE"]})


def passes(p: Problem, c: Constants) -> int:
    return p["in_features"] // (c.get("SPLIT", 1) * c["K_SLICE"])


ONE_BUFFER = Pipeline(passes, tuple(map(Phase, ("load", "barrier", "multiply", "release"))), 1, 0, slice_of)
TWO_BUFFERS = Pipeline(passes, tuple(map(Phase, ("request", "wait", "barrier", "multiply", "release"))), 2, 1, slice_of)
REGISTERS = Pipeline(passes, (Phase("load", ("LDG",)), Phase("multiply")), 0, 0, slices_of_all_warps)
TILES = Choice("TILE_ROWS", "Rows of W a tile", (8, 16, 32, 64, 128, 256, 512))
SPLITS = Choice("SPLIT", "Split: blocks a tile", (1, 2, 4, 8, 16, 32, 64))

# What a loop asks for slices and waits for them with, and all that it does.
ASKS_AND_WAITS = ("LDGSTS", "LDGDEPBAR", "DEPBAR", "BAR")
ALL_OF_THE_LOOP = ("HMMA", *ASKS_AND_WAITS, "LDG", "LDS", "STS")
PLACEMENT = Variant("placement", adds=("stamp_start", "stamp_end"), kept=ALL_OF_THE_LOOP, arguments=("stamps",))
MATH_ONLY = Variant(
    "math_only", ("load", "loop"),
    gone=("LDGSTS", "LDG", "LDL", "LDGDEPBAR", "DEPBAR"), kept=("HMMA", "LDS", "BAR"),
)  # fmt: skip
PROBED = (Variant("loads_only", ("compute", "loop"), kept=ASKS_AND_WAITS, nowhere=("HMMA",)), MATH_ONLY, PLACEMENT)
TUNED = (
    Variant("loads_only", ("compute", "loop"), kept=("LDG", *ASKS_AND_WAITS), nowhere=("HMMA",)), MATH_ONLY, PLACEMENT,
)  # fmt: skip
APART = (
    Variant("no_prefetch", ("loop",), kept=("HMMA", "LDGSTS")),
    Variant("register_prefetch", ("load", "loop"), kept=("HMMA",), gained=("LDG", "STS"), nowhere=("LDGSTS",)),
)

TENSOR = ("HMMA",)
ASYNC = ("HMMA", "LDGSTS", "LDGDEPBAR")
COPIES_AND_ATOMICS = ("LDGSTS", "LDGDEPBAR", "RED", "ATOM", "ATOMG")

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
    operands=(
        Operand("x", lambda p: (p["batch"], p["in_features"]), title="X"),
        Operand("w", lambda p: (p["out_features"], p["in_features"]), cold=True, title="W"),
        Operand("y", lambda p: (p["batch"], p["out_features"]), role="out", dtype="fp32", title="Y"),
    ),
    regions=("constants", "index", "load", "compute", "loop", "store", "stamp_start", "stamp_end"),
    reference=lambda v: v["x"] @ v["w"].T,
    scale=lambda v: np.abs(v["x"]) @ np.abs(v["w"]).T,
    # A sum of K products in fp32 makes K roundings of at most EPS32 of the running sum. They are as often up as down,
    # so they add like a random walk; eight of its standard deviations leave room for any order of the sum.
    tolerance=lambda p: 8 * EPS32 * p["in_features"] ** 0.5,
    tolerance_reason="8 standard deviations of the random walk that in_features fp32 roundings make, "
    "relative to the sum of the absolute products",
    flops=lambda p: 2 * p["batch"] * p["out_features"] * p["in_features"],
    rungs=(
        Rung("naive", "01_naive.cu", "fp32", flat, must_have=("FFMA",), unit="fp32"),
        Rung("shared", "02_shared.cu", "fp32", tiled, whole_tiles, must_have=("FFMA", "LDS", "STS", "BAR"),
             unit="fp32", owns=tile_of_w, pipeline=ONE_BUFFER),
        Rung("registers", "03_registers.cu", "fp32", tiled, whole_tiles, must_have=("FFMA", "LDS", "STS", "BAR"),
             unit="fp32", owns=tile_of_w, pipeline=ONE_BUFFER),
        Rung("fp16", "04_fp16.cu", "fp16", tiled, whole_tiles, must_have=("FFMA", "HADD2", "LDS", "STS"),
             unit="fp32", owns=tile_of_w, pipeline=ONE_BUFFER),
        Rung("tensor_core", "05_tensor_core.cu", "fp16", tiled, whole_tiles, must_have=TENSOR,
             unit="tensor_fp16", owns=tile_of_w, pipeline=ONE_BUFFER),
        Rung("async_copy", "06_async_copy.cu", "fp16", tiled, whole_tiles, variants=(*PROBED, *APART), must_have=ASYNC,
             unit="tensor_fp16", owns=tile_of_w, pipeline=TWO_BUFFERS, choices=(TILES,)),
        Rung("split_k", "07_split_k.cu", "fp16", tiled, whole_tiles, adds_into_y, PROBED, (*ASYNC, "RED"),
             unit="tensor_fp16", owns=tile_of_w, pipeline=TWO_BUFFERS, choices=(TILES, SPLITS)),
        Rung("tuned", "08_tuned.cu", "fp16", rows_only, whole_slices, variants=TUNED, must_have=("HMMA", "LDG"),
             unit="tensor_fp16", owns=rows_of_w, pipeline=REGISTERS, choices=(TILES,), must_not_have=COPIES_AND_ATOMICS,
             new_start=True,
             # These sizes were chosen on an sm_90; there ptxas needs 86 registers a thread for them. For these two it
             # wants more than the 128 that a block of 512 threads leaves, and keeps the rest in local memory.
             spills=("sm_86", "sm_89")),
    ),
    references=(
        LibraryCall("cublas_fp16", "cuBLAS, FP16 output", "cublas", "fp16", {"y": "fp16"}),
        LibraryCall("cublas_fp32", "cuBLAS, FP32 output", "cublas", "fp16"),
        LibraryCall("pytorch_linear", "PyTorch linear", "torch_linear", "fp16", {"y": "fp16"}),
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
