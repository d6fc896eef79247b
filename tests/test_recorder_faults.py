"""What does bad luck cost? One part, never the run: it is recorded as failed or not measured, with the reason."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import Field, ValidationError

from recorder.measure.session import sentence
from recorder.run.order import RunStopped
from recorder.run.worker import Patience
from schema.results import Failed, Maybe, Model, NotMeasured, Slug, Table
from schema.statistics import Samples
from tests.fake_recorder import KERNELS
from tests.runs import Heard, command, files, record, recording

TIMES = "distance/times"
LIBRARY = "pretend"  # the fake device calls the pretend library's kernel so


def times(out: Path) -> Any:
    return recording(out, TIMES).results


def test_a_wrong_rung_is_recorded_as_failed_and_not_timed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FAKE_FAULTS", "02_lanes.cu:wrong")
    outcome = record(tmp_path, TIMES, quick=True)[TIMES]
    assert outcome.state == "recorded"
    assert [f.split(" its worst")[0] for f in outcome.faults] == ["rungs.lanes: lanes is wrong:"]
    found = times(tmp_path)
    assert found.rungs["direct"].cold.samples.count == 50
    assert "times the tolerance" in found.rungs["lanes"].failed
    assert set(found.floors) == {"empty", "move_fp32"} and set(found.twins) == {"direct", "pretend"}


def test_a_wrong_library_is_recorded_as_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FAKE_FAULTS", f"{LIBRARY}:wrong")
    record(tmp_path, TIMES, quick=True)
    assert times(tmp_path).references["pretend"].failed.startswith("pretend is wrong: ")
    assert times(tmp_path).rungs["lanes"].cold.samples.count == 50


FATAL = {"fault": "illegal address", "die": "ended by SIGKILL", "hang": "the kernel hangs"}


@pytest.mark.parametrize("kind", FATAL)
def test_a_rung_that_breaks_its_process_fails_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str):
    monkeypatch.setenv("FAKE_FAULTS", f"02_lanes.cu:{kind}")
    heard = Heard()
    outcomes = record(tmp_path, f"{TIMES},machine/fragment", quick=True, report=heard, patience=Patience(2.0))
    assert [o.state for o in outcomes.values()] == ["recorded", "recorded"]
    found = times(tmp_path)
    assert FATAL[kind] in found.rungs["lanes"].failed
    assert found.rungs["direct"].cold.samples.count == 50
    assert recording(tmp_path, "machine/fragment").results.shapes["m16n8k16"].a.rows == 16  # in the fresh process
    assert len(heard.said) == 1 and "going on without it in a fresh process" in heard.said[0]


@pytest.mark.parametrize("file, name", [("empty.cu", "empty"), ("move.cu", "move_fp32")])
def test_a_floor_that_breaks_its_process_fails_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, name: str
):
    monkeypatch.setenv("FAKE_FAULTS", f"{file}:fault")
    record(tmp_path, TIMES, quick=True)
    floor = times(tmp_path).floors[name]
    assert "illegal address" in floor.cold.failed and floor.warm == floor.cold
    assert set(times(tmp_path).rungs) == {"direct", "lanes"}


def test_a_library_that_breaks_its_process_fails_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FAKE_FAULTS", f"{LIBRARY}:die")
    record(tmp_path, f"{TIMES},distance/shapes", quick=True)
    assert "SIGKILL" in times(tmp_path).references["pretend"].failed
    shapes = recording(tmp_path, "distance/shapes").results.shapes
    assert [(s.entry, type(s.times).__name__) for s in shapes] == 2 * [("lanes", "TimePair"), ("pretend", "Failed")]


def test_every_experiment_goes_on_without_the_kernel_that_faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FAKE_FAULTS", "02_lanes.math_only:fault,02_lanes.placement:fault")
    assert (
        record(tmp_path, "distance/placement", quick=True)["distance/placement"].faults[0].startswith("rungs.lanes: ")
    )
    outcomes = record(tmp_path, "distance/probes,distance/one_change", quick=True)
    assert [f.partition(": ")[0] for f in outcomes["distance/probes"].faults] == ["rungs.lanes.math_only"]
    assert recording(tmp_path, "distance/probes").results.rungs["lanes"].full.cold.samples.count == 20
    assert outcomes["distance/one_change"].faults == []


def test_a_bug_on_the_way_is_named_with_its_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FAKE_FAULTS", "02_lanes.cu:raise")
    record(tmp_path, TIMES, quick=True)
    assert times(tmp_path).rungs["lanes"] == Failed(failed="ZeroDivisionError: a bug on the way to the card")
    assert isinstance(times(tmp_path).rungs["direct"].cold.samples, Samples)


def test_a_process_that_dies_before_it_does_anything_fails_its_experiment_alone(tmp_path: Path):
    broken = tmp_path / "kernels" / "distance"
    broken.mkdir(parents=True)
    (broken / "ladder.py").write_text("import os, sys\nfrom tests.mini_ladder.distance.ladder import *\n"
                                      "if 'pytest' not in sys.modules: os._exit(7)\n")  # fmt: skip
    outcomes = record(tmp_path, "distance/probes,machine/fragment", kernels=tmp_path / "kernels", quick=True)
    assert outcomes["distance/probes"].faults == ["its process ended (exit status 7)"]
    assert recording(tmp_path, "distance/probes").results == Failed(failed="its process ended (exit status 7)")
    assert outcomes["machine/fragment"].state == "recorded"


# ---- a run that cannot go on -------------------------------------------------------------------------------------


def test_when_no_process_starts_again_what_is_recorded_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FAKE_FAULTS", "02_lanes.cu:die")
    monkeypatch.setenv("FAKE_STARTS", f"{tmp_path / 'starts'}:1")
    with pytest.raises(RunStopped, match="no further process could be started: the driver does not answer") as caught:
        record(tmp_path, "machine/fragment,distance/resolution", quick=True)
    assert [o.state for o in caught.value.outcomes] == ["recorded", "failed"]
    assert recording(tmp_path, "machine/fragment").results.shapes
    assert recording(tmp_path, "distance/resolution").results == Failed(
        failed="lanes: its process was ended by SIGKILL"
    )


def test_the_command_says_so_in_a_sentence(tmp_path: Path):
    done = command(
        "--out", tmp_path / "out", "--only", "machine/fragment,distance/resolution", "--quick",
        FAKE_FAULTS="02_lanes.cu:die", FAKE_STARTS=f"{tmp_path / 'starts'}:1",
    )  # fmt: skip
    assert done.returncode == 1
    assert "recorder: no further process could be started" in done.stderr
    assert "Run the same command to go on." in done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert "machine/fragment" in done.stdout


def test_a_failure_does_not_replace_what_was_recorded_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    record(tmp_path, "distance/resolution", quick=True)
    before = files(tmp_path)
    monkeypatch.setenv("FAKE_FAULTS", "02_lanes.cu:die")
    monkeypatch.setenv("FAKE_STARTS", f"{tmp_path.parent / (tmp_path.name + '-starts')}:1")
    with pytest.raises(RunStopped):
        record(tmp_path, "distance/resolution", quick=True, force=True)
    assert files(tmp_path) == before


# ---- a card that is small, or that does not say how it is --------------------------------------------------------


def test_a_small_card_gets_fewer_copies_that_are_still_cold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FAKE_MEMORY", str(64_000_000))
    record(tmp_path, "distance/probes", quick=True)
    found = recording(tmp_path, "distance/probes")
    assert found.header.method["cold_copies_fp16"] == 2  # 5 MB, four times the fake L2 of 1 MiB
    assert found.results.rungs["lanes"].full.cold.samples.count == 20


def test_a_card_without_room_to_be_cold_is_timed_warm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FAKE_MEMORY", str(4_500_000))
    outcomes = record(tmp_path, "distance/probes,distance/placement", quick=True)
    full = recording(tmp_path, "distance/probes").results.rungs["lanes"].full
    assert full.warm.samples.count == 20
    assert full.cold.not_measured == "a cold run needs 2 copies of x, 5 MB; the card has 4 MB free"
    assert isinstance(recording(tmp_path, "distance/placement").results.rungs["lanes"], NotMeasured)
    assert [o.faults for o in outcomes.values()] == [[], []]


def test_a_card_without_room_for_a_type_leaves_out_its_rungs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FAKE_MEMORY", str(6_000_000))
    outcome = record(tmp_path, TIMES, quick=True)[TIMES]
    assert times(tmp_path).rungs["lanes"].not_measured == "the card has no memory left for 3 MB of device memory"
    assert times(tmp_path).rungs["direct"].warm.samples.count == 50
    assert outcome.faults == []


def test_a_card_that_refuses_to_tell_its_state_is_recorded_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FAKE_NVML", "refuses")
    record(tmp_path, TIMES, quick=True)
    header = recording(tmp_path, TIMES).header
    refused = NotMeasured(not_measured="NVML: Not Supported")
    assert header.card.driver == header.card.power_limit_W == refused
    state: Any = header.conditions
    assert state.sm_clock_MHz == state.power_W == state.other_processes == refused and state.throttle_reasons == []
    assert header.method["throttle_reasons"] == "not known: NVML: Not Supported"
    assert recording(tmp_path, "distance/conditions").results == refused


def test_a_card_that_refuses_its_power_alone_tells_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FAKE_NVML", "no_power")
    record(tmp_path, TIMES, quick=True)
    columns = recording(tmp_path, "distance/conditions").results.samples.columns
    assert columns == "seconds sm_clock_MHz memory_clock_MHz temperature_C"
    state: Any = recording(tmp_path, TIMES).header.conditions
    assert (state.sm_clock_MHz, state.power_W.not_measured) == (1900, "NVML: Not Supported")


@pytest.mark.parametrize("mood, flag", [
    ("throttled", "the clocks were slowed: sw_power_cap"), ("busy", "1 more processes computed on the card"),
])  # fmt: skip
def test_a_run_under_a_throttle_or_beside_others_is_kept_and_flagged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mood: str, flag: str
):
    monkeypatch.setenv("FAKE_NVML", mood)
    assert record(tmp_path, "distance/probes", quick=True)["distance/probes"].flags == [flag]
    again = record(tmp_path, "distance/probes", quick=True)["distance/probes"]
    assert (again.state, again.flags) == ("skipped", [flag])


# ---- what is too large to be recorded ----------------------------------------------------------------------------


def test_a_launch_of_millions_of_blocks_is_told_the_limits_of_a_recording(tmp_path: Path):
    kernels = tmp_path / "kernels"
    shutil.copytree(KERNELS, kernels)
    ladder = kernels / "distance" / "ladder.py"
    text = ladder.read_text().replace('problem={"points": 2048,', 'problem={"points": 4_687_500,')
    ladder.write_text(
        text.replace('"dimensions": 640},\n    inputs', '"dimensions": 2},\n    inputs').replace(">= 32", ">= 2")
    )
    outcomes = record(tmp_path / "out", "distance/placement,distance/code", kernels=kernels, quick=True)
    placed = recording(tmp_path / "out", "distance/placement").results.rungs["lanes"]
    assert placed.not_measured == (
        "a launch has 2,343,750 blocks; the tables of 61,538 blocks at most fit into a recording"
    )
    assert outcomes["distance/placement"].faults == []
    faults = outcomes["distance/code"].faults
    assert (
        "rungs.lanes.code: it cannot be recorded: grid.0: is 1,171,875; a recording takes 1,048,576 at most" in faults
    )


Small = Annotated[int, Field(ge=1, le=3000)]


class Picky(Model):
    """A model with each kind of limit that recordings have."""

    count: Small = 1
    text: Annotated[str, Field(max_length=1000)] = ""
    name: Slug = "a"
    few: Annotated[list[int], Field(min_length=1, max_length=2)] = [1]
    number: float = 1.0
    maybe: Maybe[float] = 1.0
    times: Table | None = None


@pytest.mark.parametrize("given, words", [
    ({"count": 2_343_750}, "count: is 2,343,750; a recording takes 3,000 at most"),
    ({"count": 0}, "count: is 0; a recording takes 1 at least"),
    ({"text": "x" * 63_000}, "text: has 63,000 characters; a recording has room for 1,000"),
    ({"name": "No Slug"}, "name: is 'No Slug'; a recording takes names of the form"),
    ({"few": [1, 2, 3]}, "few: has 3 entries; a recording has room for 2"),
    ({"few": []}, "few: has 0 entries; a recording has at least 1"),
    ({"number": float("inf")}, "number: is inf, which is no finite number"),
    ({"maybe": float("nan")}, "maybe: is nan, which is no finite number"),
    ({"times": {"columns": "a b", "rows": "1 2 3"}}, "times: the rows do not fill the columns 'a b'"),
    ({"count": "many"}, "count: is 'many' of type str, which a recording does not take there"),
    ({"other": 1}, "other: is '1' of type int, which a recording does not take there"),
])  # fmt: skip
def test_what_does_not_fit_a_recording_is_said_in_our_words(given: dict[str, Any], words: str):
    with pytest.raises(ValidationError) as caught:
        Picky(**given)
    said = sentence(caught.value)
    assert said.startswith(f"it cannot be recorded: {words}") and "\n" not in said
    for theirs in ("validation error", "Input should", "should have", "type=", "pydantic"):
        assert theirs not in said


def test_a_machine_without_memory_is_no_mistake_of_a_kernel():
    assert sentence(MemoryError("Unable to allocate 9. GiB")) == "this machine has no memory left for it"
