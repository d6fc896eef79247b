"""Do the recorder's parts keep what they promise? Rotation, time left, the bar, a session, compiling and more."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import pytest

from recorder.card.device import ContextLost, DeviceError, OutOfMemory
from recorder.compile.compiled import Cubins
from recorder.experiments import Job
from recorder.experiments.resolution import event_step
from recorder.measure.rotation import LAUNCHES, rotate
from recorder.measure.session import MAX_SENTENCE, Session, sentence, shortened
from recorder.run.outcome import Outcome
from recorder.run.terminal import BarReport, LineReport
from recorder.run.timeleft import TimeLeft, words
from schema.experiments import ALL, Experiment
from schema.load_ladder import load_ladder
from schema.results import Failed, NotMeasured
from tests.fake_recorder import KERNELS
from tests.runs import LONG_S

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
    monkeypatch.setenv("COLUMNS", "60")
    bar = BarReport([JOB], every_s=0.0)
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


def test_a_log_has_a_line_now_and_then(capsys: pytest.CaptureFixture[str]):
    lines = LineReport([JOB], quick=True, every_s=LONG_S)
    lines.begin(JOB, 0, 3)
    for share in (0.1, 0.2):
        lines.progress(JOB, "lanes cold", share)
    lines.every_s = 0.0
    lines.progress(JOB, "lanes warm", 0.3)
    lines.end(Outcome(JOB, "skipped"))
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "[1/3] distance/times: about 28 s, 28 s left in all"
    assert [line.partition(",")[0] for line in said[1:]] == ["     30% lanes warm", "distance/times: recorded before"]


def test_every_experiment_has_estimates():
    assert all(0 < job.estimate_s(quick=True) <= job.estimate_s() for job in (Job("", e) for e in ALL))


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


def test_a_kernel_is_compiled_once_however_many_ask():
    compiled: list[str] = []
    begin = threading.Barrier(5)

    def compile_slowly(source: str, name: str, arch: str) -> Any:
        compiled.append(source)
        threading.Event().wait(0.05)  # others ask meanwhile, or later: no matter
        if source == "bad":
            raise DeviceError("does not compile")
        return SimpleNamespace(cubin=source.encode())

    cubins, got = Cubins(compile_slowly), []

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
