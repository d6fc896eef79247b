"""Do the recorder's parts keep what they promise? Rotation, time left, the bar, NVML, counters, compiling and more."""

from __future__ import annotations

import stat
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from recorder import cubins as cubins_module
from recorder import show
from recorder.conditions import Nvml, Sampler
from recorder.cubins import Cubins
from recorder.device import ContextLost, DeviceError, OutOfMemory
from recorder.experiments import ALL, Experiment, Job, counters
from recorder.experiments.resolution import event_step
from recorder.ladder import load_ladder
from recorder.outcome import Outcome
from recorder.results import Failed, NotMeasured
from recorder.rotation import LAUNCHES, rotate
from recorder.session import MAX_SENTENCE, Session, sentence, shortened
from recorder.show import BarReport, LineReport
from recorder.timeleft import TimeLeft, words
from tests import fake_nvml
from tests.fake_recorder import KERNELS
from tests.runs import record, recording

MB = 1_000_000


# ---- how cold is made cold ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("nbytes, l2, free, copies, launches", [
    (33 * MB, 60 * MB, 100_000 * MB, 10, 100),  # 8 are enough, 10 divide the train
    (67 * MB, 60 * MB, 100_000 * MB, 4, 100),
    (2 * MB, 60 * MB, 100_000 * MB, 128, 128),  # more copies than launches: a longer train touches them all
    (33 * MB, 60 * MB, 320 * MB, 8, 96),  # no room for 10; 8 do, in a train that they divide
    (33 * MB, 4 * MB, 150 * MB, 1, 100),  # no room for 256 MB, and the L2 is small
    (9 * MB, 4 * MB, 150 * MB, 2, 100),
    (900 * MB, 60 * MB, 1000 * MB, 1, 100),  # larger than any cache by itself
])  # fmt: skip
def test_a_rotation_is_cold_fits_and_goes_on_evenly(nbytes: int, l2: int, free: int, copies: int, launches: int):
    found = rotate("w", nbytes, l2, free)
    assert (found.copies, found.launches, found.not_cold) == (copies, launches, "")
    assert found.copies * nbytes >= 4 * l2 and found.launches % found.copies == 0


def test_a_card_without_room_is_told_what_a_cold_run_needs():
    found = rotate("w", 33 * MB, 60 * MB, 200 * MB)
    assert (found.copies, found.launches) == (1, LAUNCHES)
    assert found.not_cold == "a cold run needs 8 copies of w, 264 MB; the card has 200 MB free"


# ---- time left ---------------------------------------------------------------------------------------------------


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_time_left_begins_as_estimated_and_learns():
    clock = Clock()
    left = TimeLeft({"a": 10, "b": 100, "c": 5}, clock)
    assert left.seconds() == 115
    left.begin("a")
    clock.now = 40  # four times as slow as on a large card
    left.end("a")
    assert left.pace == 2.5
    assert left.seconds() == 2.5 * 105
    left.begin("b")
    clock.now = 50
    left.progress(0.5)
    by_progress, by_estimate = 10, 250 - 10
    assert left.seconds() == 2.5 * 5 + 0.5 * by_progress + 0.5 * by_estimate
    left.end("b")
    left.end("c")
    assert left.seconds() == 0


def test_a_skipped_job_takes_no_time_and_teaches_nothing():
    left = TimeLeft({"a": 10, "b": 20}, Clock())
    left.end("a")
    assert (left.seconds(), left.pace) == (20, 1.0)


def test_time_left_falls_to_nothing_within_a_job_and_never_below():
    clock = Clock()
    left = TimeLeft({"a": 10}, clock)
    left.begin("a")
    seen = []
    for step in range(1, 21):
        clock.now = step * 2.0
        left.progress(step / 20)
        seen.append(left.seconds())
    assert min(seen) >= 0 and seen[-1] == 0 and seen[10] == pytest.approx(9.9, abs=0.1)


def test_words_for_times():
    assert [words(s) for s in (0.4, 47, 100, 3600, 3900)] == ["0 s", "47 s", "2 min", "1 h 0 min", "1 h 5 min"]


JOB = Job("distance", Experiment("times"))


def test_the_bar_shows_what_runs_now_and_fits_its_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(show, "DRAW_EVERY_S", 0.0)
    monkeypatch.setenv("COLUMNS", "60")
    bar = BarReport([JOB])
    bar.begin(JOB, 0, 1)
    bar.progress(JOB, "split_k cold", 0.5)
    bar.say("something to know")
    bar.end(Outcome(JOB, "recorded", 12.3, ["x"], ["the clocks were slowed: y"]))
    drawn = [part for part in capsys.readouterr().out.split("\r\x1b[K") if part]
    assert drawn[1].startswith("[1/1] distance/times ████████████············  50%  ") and len(drawn[1]) == 59
    assert drawn[2] == "something to know\n"
    assert drawn[3] == "[1/1] distance/times recorded in 12.3 s, 1 part failed, the clocks were slowed: y\n"
    monkeypatch.setenv("COLUMNS", "200")
    bar.begin(JOB, 0, 1)
    bar.progress(JOB, "split_k cold", 0.5)
    assert "left  split_k cold" in capsys.readouterr().out


def test_a_log_has_a_line_now_and_then(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    lines = LineReport([JOB], quick=True)
    lines.begin(JOB, 0, 3)
    for share in (0.1, 0.2):
        lines.progress(JOB, "lanes cold", share)
    monkeypatch.setattr(show, "LINE_EVERY_S", -1.0)
    lines.progress(JOB, "lanes warm", 0.3)
    lines.end(Outcome(JOB, "skipped"))
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "[1/3] distance/times: about 28 s, 28 s left in all"
    assert [line.partition(",")[0] for line in said[1:]] == ["     30% lanes warm", "distance/times: recorded before"]


def test_every_experiment_has_estimates():
    assert all(0 < e.estimate_s(quick=True) <= e.estimate_s() for e in ALL)


# ---- the card's state --------------------------------------------------------------------------------------------


def nvml(monkeypatch: pytest.MonkeyPatch, mood: str) -> Nvml:
    monkeypatch.setitem(sys.modules, "pynvml", fake_nvml)
    monkeypatch.setattr(fake_nvml, "MOOD", mood)
    return Nvml("0000:00:00.0")


def test_other_processes_are_those_beside_this_one(monkeypatch: pytest.MonkeyPatch):
    assert nvml(monkeypatch, "works").other_processes() == 0
    assert nvml(monkeypatch, "busy").other_processes() == 1
    assert "not even this one" in nvml(monkeypatch, "blind").other_processes().not_measured
    hidden = nvml(monkeypatch, "works")
    monkeypatch.setattr("recorder.conditions.os.getpid", lambda: -1)  # in a container NVML counts otherwise
    monkeypatch.setattr(fake_nvml, "nvmlDeviceGetComputeRunningProcesses", lambda handle: [fake_nvml.Process(5)])
    assert hidden.other_processes() == 0


def test_reasons_that_the_owner_chose_are_no_throttle(monkeypatch: pytest.MonkeyPatch):
    assert nvml(monkeypatch, "throttled").throttle_reasons() == ["sw_power_cap"]
    assert nvml(monkeypatch, "works").throttle_reasons() == []
    assert "Not Supported" in nvml(monkeypatch, "refuses").throttle_reasons().not_measured


def test_a_sampler_without_nvml_says_so(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "pynvml", None)
    sampler = Sampler(SimpleNamespace(pci_bus_id=lambda: "0"))
    with sampler:
        pass
    none = NotMeasured(not_measured="nvidia-ml-py is not installed")
    assert sampler.results() == none and sampler.conditions().sm_clock_MHz == none
    assert sampler.remarks() == {"throttle_reasons": "not known: nvidia-ml-py is not installed"}


def test_a_sampler_goes_on_where_it_stopped(monkeypatch: pytest.MonkeyPatch):
    nvml(monkeypatch, "throttled")
    sampler = Sampler(SimpleNamespace(pci_bus_id=lambda: "0"))
    for _ in range(2):
        with sampler:
            threading.Event().wait(0.02)
    assert len(sampler.rows) == 2 and sampler.reasons == {"sw_power_cap": 2}
    assert sampler.conditions().throttle_reasons == ["sw_power_cap"]


# ---- counters ----------------------------------------------------------------------------------------------------

NCU = """#!/bin/sh
[ "$1" = --version ] && { echo "Version 2026.1 (build 1)"; exit; }
%s
"""
CSV = """echo '==PROF== Connected'
cat <<EOF
"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"
"0","distance","dram__bytes_read.sum","Mbyte","33.5"
"0","distance","gpu__time_duration.sum","us","12.5"
"0","distance","lts__t_sector_hit_rate.pct","%","1,234.5"
"0","distance","smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio","inst","1"
"0","distance","smsp__average_warps_issue_stalled_wait_per_issue_active.ratio","inst","3"
"0","distance","sm__warps_active.avg.pct_of_peak_sustained_active","%","n/a"
EOF"""


def profiler(folder: Path, body: str) -> str:
    path = folder / "ncu"
    path.write_text(NCU % body)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(folder)


def test_counters_are_read_from_the_profiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", profiler(tmp_path, CSV) + ":/usr/bin:/bin")
    assert record(tmp_path / "out", "distance/counters")["distance/counters"].faults == []
    found: Any = recording(tmp_path / "out", "distance/counters").results
    lanes = found.rungs["lanes"]
    assert found.tool == "ncu 2026.1 (build 1)"
    assert lanes.cold["dram__bytes_read.sum"] == 33.5e6 and lanes.cold["gpu__time_duration.sum"] == 12_500
    assert lanes.cold["lts__t_sector_hit_rate.pct"] == 1234.5
    assert isinstance(lanes.cold["sm__warps_active.avg.pct_of_peak_sustained_active"], NotMeasured)
    assert lanes.stalls == {"barrier": 0.25, "wait": 0.75}


def counted(tool: Path | str) -> Any:
    session = Session(SimpleNamespace(index=0, sync=lambda: None), load_ladder(KERNELS / "distance"), False)
    return session.attempt("lanes", lambda: counters._count(session, f"{tool}/ncu", "lanes"))


def test_a_profiler_that_may_not_read_is_quoted(tmp_path: Path):
    refusal = "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission"
    found = counted(profiler(tmp_path, f"echo '{refusal}'"))
    assert found == Failed(failed=f"ncu read nothing of lanes: {refusal}")


def test_a_profiler_that_hangs_is_left_before_the_process_counts_as_hanging(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    from recorder.run import SILENCE_S

    assert counters.TIMEOUT_S < SILENCE_S
    monkeypatch.setattr(counters, "TIMEOUT_S", 0.2)
    assert "did not finish lanes within 0.2 s" in counted(profiler(tmp_path, "exec sleep 5")).failed


# ---- parts of a session ------------------------------------------------------------------------------------------


def session(**more: Any) -> Session:
    return Session(SimpleNamespace(sync=lambda: None, arch="sm_90"), load_ladder(KERNELS / "distance"), False, **more)


@pytest.mark.parametrize("error, outcome", [
    (OutOfMemory("no memory"), NotMeasured(not_measured="no memory")),
    (DeviceError("no luck"), Failed(failed="no luck")),
    (KeyError("TILE"), Failed(failed="KeyError: 'TILE'")),
    (ValueError(), Failed(failed="ValueError")),
])  # fmt: skip
def test_a_part_that_raises_becomes_the_reason(error: Exception, outcome: object):
    def part() -> None:
        raise error

    assert session().attempt("part", part) == outcome


def test_a_lost_context_is_not_swallowed_even_behind_another_error():
    def lost() -> None:
        raise ContextLost("illegal address")

    def library() -> None:
        raise RuntimeError("CUDA error: an illegal memory access was encountered")

    with pytest.raises(ContextLost):
        session().attempt("part", lost)
    broken = session()
    broken.device.sync = lost
    with pytest.raises(ContextLost):
        broken.attempt("part", library)


def test_a_part_to_skip_is_not_tried():
    assert session(skip={"part": "it hung"}).attempt("part", lambda: 1 / 0) == Failed(failed="it hung")


def test_sentences_are_one_line_that_prints():
    assert sentence(DeviceError("a\n  b\x07c")) == "a b?c"
    assert len(shortened("word " * 200)) == MAX_SENTENCE


def test_a_kernel_is_compiled_once_however_many_ask(monkeypatch: pytest.MonkeyPatch):
    compiled: list[str] = []
    begin = threading.Barrier(5)

    def compile_slowly(source: str, name: str, arch: str) -> Any:
        compiled.append(source)
        threading.Event().wait(0.05)
        if source == "bad":
            raise DeviceError("does not compile")
        return SimpleNamespace(cubin=source.encode())

    monkeypatch.setattr(cubins_module, "compile_cubin", compile_slowly)
    cubins, got = Cubins(), []

    def ask() -> None:
        begin.wait()
        got.append(cubins.get("good", "n", "sm_90"))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    cubins.ahead([("good", "n", "sm_90"), ("bad", "n", "sm_90")])
    begin.wait()
    for thread in threads:
        thread.join()
    assert got == [b"good"] * 4
    for _ in range(2):
        with pytest.raises(DeviceError, match="does not compile"):
            cubins.get("bad", "n", "sm_90")
    assert sorted(compiled) == ["bad", "good"]


def test_the_event_clocks_step_is_the_commonest_gap():
    assert event_step([1.024, 1.056, 1.088, 1.12, 1.216]) == pytest.approx(0.032)
    assert "all event differences are equal" in event_step([1.0, 1.0]).not_measured
