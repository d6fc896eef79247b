"""Does whoever records a ladder hear of kernels that are not what they are declared to be, and at what cost?"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from schema.recording import load
from tests.fake_recorder import DEVICE, KERNELS, main
from tests.runs import CARD
from tests.test_conventions import replaced

FAULTS = [
    "recorder: kernels/distance/02_lanes.cu:24: distance takes x, centre, d, dimensions, points; "
    "the ladder gives it x, centre, d, points, dimensions",
    "recorder: kernels/distance/02_lanes.math_only.cu:1: the first line is not "
    "'// Title: what the kernel does, as a sentence.'",
]
FLAG = "lanes: its code holds no HMMA, which must_have asks for; it holds "


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    """A copy of the small ladder, to be spoilt."""
    shutil.copytree(KERNELS / "distance", tmp_path / "kernels" / "distance")
    return tmp_path / "kernels"


@pytest.mark.parametrize("asked", [("--only", "distance/resolution"), ("--arch", "sm_90"), ()], ids=" ".join)
def test_all_faults_of_the_text_are_told_before_anything_is_used(
    kernels: Path, capsys: pytest.CaptureFixture[str], asked: tuple[str, ...]
):
    replaced(kernels / "distance" / "02_lanes.cu", "int points, int dimensions", "int dimensions, int points")
    replaced(kernels / "distance" / "02_lanes.math_only.cu", "registers.", "registers")
    out = kernels.parent / "out"
    assert main([*asked, "--out", str(out)], "tests.no_module:Device", kernels) == 2
    said = capsys.readouterr()
    assert said.err.splitlines() == FAULTS
    assert not out.exists()


def test_a_ladder_that_is_not_asked_for_stops_nothing(kernels: Path, capsys: pytest.CaptureFixture[str]):
    replaced(kernels / "distance" / "02_lanes.cu", "int points, int dimensions", "int dimensions, int points")
    asked = ["--only", "machine/fragment", "--quick", "--out", str(kernels.parent / "out")]
    assert main(asked, DEVICE, kernels) == 0, capsys.readouterr().err


def test_code_that_lacks_its_idea_is_flagged_each_time_and_kept(kernels: Path, capsys: pytest.CaptureFixture[str]):
    replaced(kernels / "distance" / "ladder.py", '("FFMA", "SHFL")', '("FFMA", "SHFL", "HMMA")')
    replaced(kernels / "distance" / "ladder.py", 'gone=("LDG",)', 'gone=("FFMA",)')
    out = kernels.parent / "out"
    for _ in range(2):  # the second run finds it recorded
        assert main(["--only", "distance/code", "--out", str(out)], DEVICE, kernels) == 0
        rung, variant = (line for line in capsys.readouterr().err.splitlines() if line.startswith("flagged: "))
        assert rung.startswith(f"flagged: distance/code: {FLAG}")
        assert variant == "flagged: distance/code: lanes.math_only: its main loop holds FFMA, which it declares gone"
    code = load(out / CARD / "distance" / "code.yaml").results
    assert "SHFL" in code.rungs["lanes"].code.sass and "FFMA" in code.variants["lanes.math_only"].sass


def test_without_a_card_it_is_flagged_too_and_nothing_else_is(kernels: Path, capsys: pytest.CaptureFixture[str]):
    replaced(kernels / "distance" / "ladder.py", '("FFMA", "SHFL")', '("FFMA", "SHFL", "HMMA")')
    assert main(["--arch", "sm_90", "--out", str(kernels.parent / "out")], DEVICE, kernels) == 0
    flagged = [line for line in capsys.readouterr().out.splitlines() if "flagged" in line]
    assert len(flagged) == 1 and flagged[0].startswith(f"  flagged: {FLAG}")
