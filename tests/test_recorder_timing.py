"""Is a time that of a right result, and of a cold one? What was timed is checked again, and trains touch every copy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from recorder.experiments import placement
from recorder.experiments.placement import LEAST_TRAIN, train_length
from schema.experiments import ALL
from schema.recording import MAX_BYTES
from schema.results import MAX_BLOCK_CHARS
from tests.runs import parts, record, recording

# Experiment -> file of a kernel that is right until it was timed, and whose times must go with it.
TIMED = [
    ("distance/times", "02_lanes.cu", ["rungs.lanes"]),
    ("distance/times", "pretend", ["references.pretend"]),
    ("distance/placement", "02_lanes.placement.cu", ["rungs.lanes"]),
    ("distance/probes", "02_lanes.cu", ["rungs.lanes.full.cold", "rungs.lanes.full.warm"]),
    ("distance/one_change", "02_lanes.cu", [f"comparisons.split_alone.split_{s}.times" for s in (1, 2)]),
    ("distance/sweep", "02_lanes.cu", [f"settings.{i}.times" for i in (0, 1, 2)]),
    ("distance/shapes", "02_lanes.cu", ["shapes.0.times"]),
    ("distance/shapes", "pretend", ["shapes.1.times"]),
    ("distance/resolution", "02_lanes.cu", [f"launches.lanes.{kind}" for kind in ("graph_train", "plain_single")]),
    ("machine/peaks", "copy.cu", ["copy_GBps"]),
]
NOT_TIMED = {"code", "fragment", "counters"}  # the counters' own check is below


def dumped(out: Path, key: str) -> dict[str, Any]:
    return dict(parts(recording(out, key).results.model_dump()))


@pytest.mark.parametrize("key, file, wrong", TIMED, ids=lambda value: value if isinstance(value, str) else "")
def test_what_turns_wrong_while_it_is_timed_has_no_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, file: str, wrong: list[str]
):
    monkeypatch.setenv("FAKE_FAULTS", f"{file}:tires")
    if key == "machine/peaks":
        monkeypatch.setenv("FAKE_MEMORY", str(64_000_000))  # a copy of all of it takes long in numpy
    faults = record(tmp_path, key, quick=True)[key].faults
    found = dumped(tmp_path, key)
    for path in wrong:
        assert found[path].keys() == {"failed"} and found[path]["failed"].startswith("after timing: ")
        assert any(fault.startswith(f"{path}: after timing: ") for fault in faults)
    name = file.partition(".")[0].partition("_")[2]
    timed = [path for path, part in found.items() if isinstance(part, dict) and "samples_us" in part]
    halves = ("loads_only", "math_only")  # they compute nothing that could be wrong
    assert not [path for path in timed if name and name in path.split(".") and not set(halves) & set(path.split("."))]
    assert timed or key in ("machine/peaks", "distance/placement", "distance/one_change", "distance/sweep")


def test_every_experiment_that_times_is_among_those():
    assert {key.partition("/")[2] for key, _, _ in TIMED} | NOT_TIMED == {experiment.name for experiment in ALL}


def test_a_rung_that_is_right_keeps_its_times_beside_one_that_turns_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("FAKE_FAULTS", "01_direct.cu:tires")
    record(tmp_path, "distance/times", quick=True)
    times = recording(tmp_path, "distance/times").results
    assert times.rungs["direct"].failed.startswith("after timing: direct is wrong: its worst error is ")
    assert times.rungs["lanes"].cold.samples.count == times.references["pretend"].cold.samples.count == 50
    assert set(times.twins) == {"lanes", "pretend"} and "move_fp32" in times.floors


def test_a_card_without_room_for_an_operand_beyond_its_caches_has_no_such_roof(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("FAKE_MEMORY", str(12_000_000))
    assert record(tmp_path, "machine/peaks", quick=True)["machine/peaks"].faults == []
    peaks = recording(tmp_path, "machine/peaks").results
    assert peaks.read_GBps == peaks.copy_GBps
    assert peaks.read_GBps.not_measured == (
        "an operand that the caches do not hold needs 4 MB; the card has room for 3"
    )
    assert peaks.l2_read_GBps > 0


# ---- placement ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("copies, launches", [(1, 20), (4, 20), (10, 20), (12, 24), (20, 20), (100, 100), (391, 391)])
def test_a_placed_train_touches_every_copy(copies: int, launches: int):
    assert train_length(copies) == launches
    assert launches >= max(copies, LEAST_TRAIN) and launches % copies == 0


@pytest.mark.parametrize("sms, tables", [(1, 3), (132, 3), (132, 9), (4096, 30)])
def test_tables_of_the_most_blocks_fit_into_a_recording(sms: int, tables: int):
    most = placement.most_blocks(sms, tables)
    row = f"{most - 1} {sms - 1} {999_999_999} {999_999_999}\n"
    assert 1000 < most < 10**placement.BLOCK_DIGITS
    assert most * len(row) <= MAX_BLOCK_CHARS
    assert tables * most * (len(row) + placement.INDENT) < MAX_BYTES
