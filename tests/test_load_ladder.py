"""Is each slip in ``ladder.py`` one sentence with its file and its line, and is what is unusual no slip?"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from schema.ladder import LadderError
from schema.load_ladder import load_ladder
from tests.fake_recorder import KERNELS
from tests.test_conventions import replaced

CENTRE = 'Operand("centre", lambda p: (p["dimensions"],))'
D = 'Operand("d", lambda p: (p["points"],), role="out", dtype="fp32")'
DIRECT = 'Rung("direct", "01_direct.cu", "fp32", thread_a_point, must_have=("FFMA",)),'
TYPES = "fp64, fp32, tf32, fp16, bf16, fp8_e4m3, fp8_e5m2, int32, int8"
SLIPS = {  # what is wrong: text, what stands for it, a text of the line that is told, the sentence
    "a role": (D, D.replace('"out"', '"output"'), '"output"',
               "operand d: a role is one of in, out, inout; 'output' is none"),
    "a role some lines on": (D, D.replace(' role="out"', '\n            role="output"'), '"output"',
                             "operand d: a role is one of in, out, inout; 'output' is none"),
    "an operand's type": (D, D.replace("fp32", "float"), '"float"',
                          f"operand d: a type is one of {TYPES}; 'float' is none"),
    "a rung's type": (DIRECT, DIRECT.replace("fp32", "fp31"), '"fp31"',
                      f"rung direct: a type is one of {TYPES}; 'fp31' is none"),
    "a library call's type": ('"pretend", "fp32"', '"pretend", "single"', '"single"',
                              f"library call pretend: a type is one of {TYPES}; 'single' is none"),
    "a unit": ('must_have=("FFMA",)', 'must_have=("FFMA",), unit="fp31"', '"fp31"',
               "rung direct: a unit is one of fp64, fp32, fp16, int32, tensor_fp16, tensor_bf16, tensor_tf32, "
               "tensor_fp64, tensor_int8, tensor_fp8; 'fp31' is none"),
    "an architecture": ('must_have=("FFMA",)', 'must_have=("FFMA",), needs="hopper"', '"hopper"',
                        "rung direct: 'hopper' is no architecture; one is such as sm_90 or sm_90a"),
    "what the first block owns": (
        '"x", ((block[0] * points,', '"x", ((block[0] * points - 1,', "owns=points_of",
        "lanes: block (0, 0, 0) owns -1 to 4 of a dimension of x that has 2048"),
    "what the last block owns": (
        'min((block[0] + 1) * points, p["points"])', "(block[0] + 2) * points", "owns=points_of",
        "lanes: block (511, 0, 1) owns 2044 to 2052 of a dimension of x that has 2048"),
    "an operand that is owned": ('Region(\n        "x"', 'Region(\n        "z"', '"z"',
                                 "the ladder distance has no operand 'z'; it has x, centre, d"),
    "a constant in a choice": (
        "owns=points_of,", 'owns=points_of, choices=(Choice("PARTS", "Parts", (1, 2)),),', '"PARTS"',
        "lanes has no constant 'PARTS'; it has THREADS, SPLIT"),
    "a constant in a choice far above": (
        "EPS32 = 2.0**-24\n", 'EPS32 = 2.0**-24\nPARTS = Choice("PARTS", "Parts", (1, 2))\n', "PARTS = Choice",
        "lanes has no constant 'PARTS'; it has THREADS, SPLIT"),
    "a variant for a probe": (
        'Variant("math_only"', 'Variant("maths_only"', 'probes=("lanes",)',
        "probes needs a variant 'math_only' of lanes; it declares loads_only, maths_only, placement"),
    "no variants for a probe": ('probes=("lanes",)', 'probes=("direct",)', 'probes=("direct",)',
                                "probes needs a variant 'loads_only' of direct; it declares none"),
    "a rung for a placement": ('placements=("lanes",)', 'placements=("lane",)', 'placements=("lane",)',
                               "placements names the rung 'lane'; there are direct, lanes"),
    "a rung for a sweep": ('Sweep("lanes"', 'Sweep("lane"', 'Sweep("lane"',
                           "sweep names the rung 'lane'; there are direct, lanes"),
    "a variant in a comparison": (
        'f"split {s}", "lanes"', 'f"split {s}", "lanes.apart"', '"lanes.apart"',
        "comparisons needs a variant 'apart' of lanes; it declares loads_only, math_only, placement"),
    "an entry of the shapes": ('shape_entries=("lanes",', 'shape_entries=("lane",', "shape_entries=",
                               "shape_entries names 'lane'; there are direct, lanes, pretend, absent"),
    "sizes to check": (
        'check_problems=({"points": 33,', 'check_problems=({"rows": 33,', "check_problems=",
        "check_problems has the sizes {'rows': 33, 'dimensions': 70}; the problem's are points, dimensions"),
    "a launch": ('return Launch((-(-p["points"] // c["THREADS"]), 1, 1), (c["THREADS"], 1, 1))',
                 "return Launch((1, 1, 1), (2048, 1, 1))", 'Rung("direct"',
                 "direct: its block has 2048 threads; a block has at most 1024"),
    "a launch of the second rung": (', 1, c["SPLIT"]), (c["THREADS"], 1, 1))', ', 1, 1.5), (c["THREADS"], 1, 1))',
                                    '"lanes", "02_lanes.cu"',
                                    "lanes: its grid is (512, 1, 1.5); it has three whole numbers of at least 1"),
    "a reference's shape": ("reference=lambda values: squares(values, -1)",
                            "reference=lambda values: squares(values, -1).reshape(-1, 1)", "reference=",
                            "reference gives d the shape (7, 1); it is declared as (7,)"),
    "a scale's shape": ("scale=lambda values: squares(values, +1)", "scale=lambda values: 1.0", "scale=",
                        "scale gives d the shape (); it is declared as (7,)"),
    "a reference's names": ("reference=lambda values: squares(values, -1)",
                            'reference=lambda values: {"y": squares(values, -1)}', "reference=",
                            "reference gives y; the ladder writes d"),
    "a reference that fails": ('values["centre"]', 'values["center"]',
                               'values["center"]', "KeyError: 'center'"),
    "a function that fails": ('c["THREADS"]), 1, 1)', 'c["WARPS"]), 1, 1)', 'c["WARPS"]', "KeyError: 'WARPS'"),
    "an argument that there is none of": (
        'must_have=("FFMA",)', 'must_have=("FFMA",), arguments=("x", "center", "d")', '"center"',
        "direct takes 'center'; there are centre, d, dimensions, points, x"),
    "nothing that is written": (D, D.replace('"out"', '"in"'), "operands=",
                                'no operand is written; declare one with role="out" or "inout"'),
    "a name twice": (CENTRE, CENTRE.replace('"centre"', '"x"'), 'Operand("x"',
                     "the name of an operand, a scalar or a size 'x' occurs twice"),
    "a name that is none": (
        CENTRE, CENTRE.replace('"centre"', '"the centre"'), '"the centre"',
        "'the centre' is no name of an operand, a scalar or a size: letters, digits and _ after a letter"),
    "a shape that is none": (CENTRE, CENTRE.replace('(p["dimensions"],)', 'p["dimensions"]'), 'Operand("centre"',
                             "operand centre has the shape 640; it is a tuple of sizes"),
    "an operand that is written and cold": (D, D[:-1] + ", cold=True)", 'Operand("d"',
                                            "operand d is written only; what is cold is read"),
    "a field that there is none of": (D, D[:-1] + ", kind=3)", "kind=3",
                                      "TypeError: Operand.__init__() got an unexpected keyword argument 'kind'"),
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the small ladder, to be spoilt."""
    made = shutil.copytree(KERNELS / "distance", tmp_path / "kernels" / "distance")
    replaced(made / "ladder.py", "    Comparison,\n", "    Choice,\n    Comparison,\n")
    return made


@pytest.mark.parametrize("what", SLIPS)
def test_a_slip_is_one_sentence_with_its_line(folder: Path, what: str):
    old, new, told, sentence = SLIPS[what]
    replaced(folder / "ladder.py", old, new)
    if what.endswith("far above"):
        replaced(folder / "ladder.py", "owns=points_of,", "owns=points_of, choices=(PARTS,),")
    rows = (folder / "ladder.py").read_text(encoding="utf-8").splitlines()
    line = next(n for n, row in enumerate(rows, start=1) if told in row)
    with pytest.raises(LadderError) as caught:
        load_ladder(folder)
    assert str(caught.value) == f"kernels/distance/ladder.py:{line}: {sentence}"


def test_sizes_may_have_capital_names_and_no_operand_need_be_cold(folder: Path):
    path = folder / "ladder.py"
    text = path.read_text(encoding="utf-8").replace('"points"', '"M"').replace('"dimensions"', '"N"')
    path.write_text(text.replace(", cold=True", ""), encoding="utf-8")
    ladder = load_ladder(folder)
    assert (list(ladder.problem), ladder.cold) == (["M", "N"], ())
    assert ladder.taken() == ("x", "centre", "d", "M", "N")


def test_a_problem_that_is_too_large_to_be_tried_loads(folder: Path):
    """And in no time: the wrong shape of its reference is told when it is first asked for."""
    replaced(folder / "ladder.py", '"points": 2048, "dimensions": 640', '"points": 1048576, "dimensions": 640')
    replaced(folder / "ladder.py", "check_problems=(", "check_problems=() and (")
    replaced(folder / "ladder.py", "reference=lambda values: squares(values, -1)", "reference=lambda values: 1.0")
    assert load_ladder(folder).problem["points"] == 1048576
