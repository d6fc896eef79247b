"""Is each way in which a kernel's text breaks the conventions told, with its file, its line and what is right?"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from schema.conventions import source_faults
from schema.load_ladder import load_ladder
from tests.fake_recorder import KERNELS

RUNG, VARIANT, PLACEMENT = "02_lanes.cu", "02_lanes.math_only.cu", "02_lanes.placement.cu"
DECLARED = (
    "01_direct.cu, 02_lanes.cu, 02_lanes.loads_only.cu, 02_lanes.math_only.cu, 02_lanes.placement.cu, 01_direct.cu"
)
INDEX = "    // region: index\n"
LANE = "    const int lane = threadIdx.x % 32;\n"
POINT = "    const int point = (blockIdx.x * THREADS + threadIdx.x) / 32;\n"
BODY = "    // endregion\n\n    if (point < points) {\n"
OUTSIDE = (
    " stands outside of regions, and not so in 02_lanes.cu; there a variant only leaves code out, takes its own "
    "arguments, and defines helpers before the kernel if it adds regions"
)
CHANGES = "math_only declares changes=('compute',) and adds=()"
SIZES = "int points, int dimensions"
TAKES = "the ladder gives it x, centre, d, points, dimensions"
LITERAL = " is not 'constexpr int NAME = literal;'; the region constants has only those"
FAULTS = {  # what is wrong: file, text, what stands for it, line, sentence
    "no header": (RUNG, "// Lanes: the", "// Lanes, the", 1,
                  "the first line is not '// Title: what the kernel does, as a sentence.'"),
    "no idea": (VARIANT, ": the squares are added of numbers that never left the registers.", ":", 1,
                "the first line is not '// Title: what the kernel does, as a sentence.'"),
    "an open region": (RUNG, "        // endregion\n    }\n", "    }\n", 41,
                       "region 'store' is never closed; it needs a line '// endregion'"),
    "a nested region": (VARIANT, INDEX, INDEX + "    // region: inner\n", 25,
                        "region 'inner' begins inside region 'index' of line 24; close it with '// endregion' first"),
    "a nameless region": (RUNG, INDEX, "    // region\n", 26,
                          "a region needs a name in lower case, such as '// region: load'"),
    "a constant that is none": (RUNG, "THREADS = 128;", "THREADS = 4 * 32;", 8,
                                "'constexpr int THREADS = 4 * 32;'" + LITERAL),
    "a constant of another type": (VARIANT, "constexpr int SPLIT", "constexpr long SPLIT", 7,
                                   "'constexpr long SPLIT = 2;'" + LITERAL),
    "two constants a line": (RUNG, "SPLIT = 2;", "SPLIT = 2; constexpr int MORE = 1;", 9,
                             "'constexpr int SPLIT = 2; constexpr int MORE = 1;'" + LITERAL),
    "a constant twice": (RUNG, "int SPLIT", "int THREADS", 9, "the constant 'THREADS' is defined twice"),
    "another kernel": (RUNG, "\ndistance(", "\ndistances(", 1, "has no kernel 'distance'; its kernels are distances"),
    "no kernel": (RUNG, "__global__ void __launch_bounds__(THREADS)\ndistance(", "void\ndistances(", 1,
                  "has no kernel 'distance'; its kernels are none"),
    "a C++ name": (RUNG, 'extern "C" ', "", 21,
                   'distance is not extern "C"; a kernel begins: extern "C" __global__ void'),
    "no kernel but a function": (VARIANT, "__global__", "__device__", 19,
                                 'distance is not __global__; a kernel begins: extern "C" __global__ void'),
    "another order": (RUNG, SIZES, "int dimensions, int points", 24,
                      f"distance takes x, centre, d, dimensions, points; {TAKES}"),
    "an argument too few": (RUNG, SIZES, "int points", 21, f"distance takes x, centre, d, points; {TAKES}"),
    "an argument too many": (VARIANT, SIZES, SIZES + ",\n         float scale", 19,
                             f"distance takes x, centre, d, points, dimensions, scale; {TAKES}"),
    "a variant without its argument": (
        PLACEMENT, ",\n         unsigned long long* __restrict__ stamps)", ")", 27,
        f"distance takes x, centre, d, points, dimensions; {TAKES}, stamps"),
    "a variant's own region": (
        VARIANT, INDEX, "    // region: before\n    // endregion\n" + INDEX, 24,
        f"02_lanes.cu has no region 'before'; {CHANGES}"),
    "a region that is not added": (PLACEMENT, "// region: stamp_end", "// region: stamp", 1,
                                   "has no region 'stamp_end'; it is declared in adds"),
    "a region that is missing": (VARIANT, INDEX, "    // region: indices\n", 1,
                                 "has no region 'index'; 02_lanes.cu has it"),
    "a region that differs": (VARIANT, "threadIdx.x % 32;", "threadIdx.x % 16;", 25,
                              f"the region 'index' differs from that of 02_lanes.cu; {CHANGES}"),
    "a region that lacks a line": (
        VARIANT, "    const int point = (blockIdx.x * THREADS + threadIdx.x) / 32;\n", "", 25,
        f"the region 'index' differs from that of 02_lanes.cu; {CHANGES}"),
    "a constant that differs": (VARIANT, "SPLIT = 2;", "SPLIT = 4;", 7,
                                f"the region 'constants' differs from that of 02_lanes.cu; {CHANGES}"),
    "code outside": (VARIANT, BODY, BODY.replace("\n\n", "\n\n    __syncthreads();\n"), 29,
                     "'__syncthreads();'" + OUTSIDE),
    "code outside of one that adds regions": (
        PLACEMENT, BODY, BODY.replace("\n\n", "\n\n    __syncthreads();\n"), 42, "'__syncthreads();'" + OUTSIDE),
    "a helper": (VARIANT, "extern", "__device__ int one() { return 1; }\n\nextern", 18,
                 "'__device__ int one() { return 1; }'" + OUTSIDE),
    "a helper that differs": (PLACEMENT, "    float value;", "    float value = 1;", 13,
                              "'float value = 1;'" + OUTSIDE),
    "other bounds": (VARIANT, "__launch_bounds__(THREADS)", "__launch_bounds__(64)", 18,
                     "'extern \"C\" __global__ void __launch_bounds__(64)'" + OUTSIDE),
    "a region that moved": (
        VARIANT, f"{INDEX}{LANE}{POINT}{BODY}", BODY[18:] + f"{INDEX}{LANE}{POINT}    // endregion\n", 24,
        "'if (point < points) {'" + OUTSIDE),
    "an argument of another type": (
        VARIANT, "         float* __restrict__ d", "         double* __restrict__ d", 21,
        "takes 'double* __restrict__ d' where 02_lanes.cu takes 'float* __restrict__ d'"),
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the small ladder, to be spoilt."""
    return shutil.copytree(KERNELS / "distance", tmp_path / "kernels" / "distance")


def replaced(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.mark.parametrize("what", FAULTS)
def test_a_broken_convention_is_told_with_its_line(folder: Path, what: str):
    file, old, new, line, sentence = FAULTS[what]
    ladder = load_ladder(folder)
    replaced(folder / file, old, new)
    assert f"kernels/distance/{file}:{line}: {sentence}" in source_faults(ladder)


def test_all_faults_of_all_files_come_at_once_and_each_once(folder: Path):
    ladder = load_ladder(folder)
    for file in (RUNG, VARIANT):
        replaced(folder / file, " endregion", " end")
    replaced(folder / PLACEMENT, "stamps)", "stamp)")
    found = source_faults(ladder)
    assert [fault.split(":")[0] for fault in found] == [f"kernels/distance/{f}" for f in (RUNG, VARIANT, PLACEMENT)]


def test_files_that_are_not_declared_and_that_are_not_there(folder: Path):
    ladder = load_ladder(folder)
    (folder / VARIANT).rename(folder / "03_more.cu")
    assert source_faults(ladder) == [
        "kernels/distance/03_more.cu:1: no rung or variant of ladder.py has this file; "
        f"declared are {DECLARED.removesuffix(', 01_direct.cu')}",
        f"kernels/distance/{VARIANT}:1: cannot be read: No such file or directory",
    ]


def test_names_of_regions_are_held_to_those_of_a_ladder_that_has_some(folder: Path):
    names = ("constants", "index", "compute", "store")
    replaced(folder / "ladder.py", "    probes=", f"    regions={names!r},\n    probes=")
    assert source_faults(load_ladder(folder)) == [
        f"kernels/distance/{PLACEMENT}:{line}: {name!r} is none of the ladder's regions: {', '.join(names)}"
        for line, name in ((33, "stamp_start"), (60, "stamp_end"))
    ]


def test_a_variant_that_changes_nothing(folder: Path):
    rung = (folder / RUNG).read_text(encoding="utf-8")
    (folder / VARIANT).write_text(rung.replace("// Lanes: ", "// Lanes, math only: "), encoding="utf-8")
    assert source_faults(load_ladder(folder)) == [
        f"kernels/distance/{VARIANT}:1: its code is that of 02_lanes.cu, comments apart; a variant changes something"
    ]


HARMLESS = {  # what is no fault: file, text, what stands for it
    "a comment in a parameter": (RUNG, SIZES, "int points /* of x, (all) */, int dimensions"),
    "the name in a comment": (RUNG, "extern", "// distance(x) {\nextern"),
    "a declaration before": ("01_direct.cu", "extern", 'extern "C" __global__ void distance(const float*);\nextern'),
    "code left out": (VARIANT, '    asm("cvt', '    // asm("cvt'),
    "comments and blanks in a region": (VARIANT, "    const int lane = ", "\n    // of a warp\n    const  int lane = "),
    "other line breaks of the parameters": (PLACEMENT, "d,                      // [points]\n", "d,\n"),
}


@pytest.mark.parametrize("what", HARMLESS)
def test_what_keeps_the_conventions_is_no_fault(folder: Path, what: str):
    file, old, new = HARMLESS[what]
    replaced(folder / file, old, new)
    assert source_faults(load_ladder(folder)) == []


def test_tensor_maps_are_taken_by_value(folder: Path):
    replaced(folder / "ladder.py", "    Variant,\n", "    TensorMap,\n    Variant,\n")
    replaced(
        folder / "ladder.py",
        '"01_direct.cu", "fp32", thread_a_point,',
        '"01_direct.cu", "fp32", thread_a_point, arguments=("x_map", "centre", "d", "points", "dimensions"),\n'
        '             tensor_maps=(TensorMap("x_map", "x", lambda p, c: (1, 32)),),',
    )
    ladder = load_ladder(folder)
    for taken in ("const CUtensorMap x_map", "const __grid_constant__ CUtensorMap* x_map", "CUtensorMap x_map"):
        shutil.copy(KERNELS / "distance" / "01_direct.cu", folder)
        replaced(folder / "01_direct.cu", "const float* __restrict__ x", taken)
        assert source_faults(ladder) == [
            "kernels/distance/01_direct.cu:12: 'x_map' is a tensor map; "
            "it is taken as: const __grid_constant__ CUtensorMap x_map"
        ]
    shutil.copy(KERNELS / "distance" / "01_direct.cu", folder)
    replaced(folder / "01_direct.cu", "const float* __restrict__ x", "const __grid_constant__ CUtensorMap x_map")
    assert source_faults(ladder) == []
