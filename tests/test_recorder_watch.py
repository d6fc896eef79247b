"""Who hangs? A call to the card that does not come back; not a process that computes, or that others keep waiting."""

from __future__ import annotations

import os
import queue
import shutil
import signal
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from recorder.run.serve import Task
from recorder.run.watch import WAITS, Watch, _at_this_thread, counted
from recorder.run.worker import Patience, Worker
from schema.recording import Card
from tests.fake_recorder import DEVICE, KERNELS
from tests.runs import LONG_S, Heard, children, record, recording, wait_for

RESOLUTION, PROBES = "distance/resolution", "distance/probes"


def beats(function: Any, enough: Any, **clock: Any) -> list[float]:
    """What each beat says of a call to ``function``, until they are ``enough``; then the call comes back."""
    heard: queue.Queue[float] = queue.Queue()
    come_back = threading.Event()
    watch = Watch(heard.put, 0.005, **clock)
    device = watch.over(SimpleNamespace(**dict.fromkeys(WAITS, lambda: function(come_back))))
    found: list[float] = []

    def listen() -> None:
        while not found or not enough(found):
            found.append(heard.get(timeout=LONG_S))
        come_back.set()

    listener = threading.Thread(target=listen)
    listener.start()
    with watch:
        while not come_back.is_set():
            device.sync()
    listener.join()
    return found


def test_a_call_that_only_waits_is_stuck_longer_with_every_beat():
    found = beats(lambda come_back: come_back.wait(), lambda found: found[-1] > 0.05)
    assert found == sorted(found)


def test_calls_that_come_back_are_not_stuck():
    beat, go, found = queue.Queue[float](), queue.Queue[None](), []

    def tell(stuck_s: float) -> None:
        beat.put(stuck_s)
        go.get(timeout=LONG_S)

    def until_the_next_beat() -> None:
        found.append(beat.get(timeout=LONG_S))

    watch = Watch(tell, 0.001)
    with watch:
        for _ in range(20):
            watch.call(until_the_next_beat)
            watch.call(go.put, None)  # no beat falls between the two
        beat.get(timeout=LONG_S)
        go.put(None)
    assert found == [0.0] * 20


def test_a_call_that_others_keep_from_running_is_stuck_no_longer_than_it_ran():
    assert counted(0.25, 0.0, True) == counted(0.25, 0.001, True) == 0.25  # it waits
    assert counted(0.25, 0.25, False) == counted(0.25, 0.3, False) == 0.25  # it asks again and again
    assert counted(0.25, 0.05, False) == counted(0.25, 0.05, True) == 0.05  # others had the processor
    assert counted(0.25, 0.0, False) == 0.0  # all the time
    clock = iter(range(1000))
    found = beats(
        lambda come_back: come_back.wait(), lambda found: found[-1] > 0.05,
        looker=lambda: lambda: (next(clock) * 0.001, False),
    )  # fmt: skip
    steps = {round(b - a, 6) for a, b in zip(found, found[1:], strict=False) if b > a}
    assert steps == {0.001}


def test_a_thread_that_computes_is_seen_to_and_so_is_one_that_sleeps():
    ends, looks = [threading.Event(), threading.Event()], queue.Queue[Any]()

    def computes() -> None:
        looks.put((0, _at_this_thread()))
        while not ends[0].is_set():
            sum(range(1000))

    def sleeps() -> None:
        looks.put((1, _at_this_thread()))
        ends[1].wait()

    threads = [threading.Thread(target=target) for target in (computes, sleeps)]
    for thread in threads:
        thread.start()
    look = dict(looks.get(timeout=LONG_S) for _ in threads)
    begun = look[0]()[0]
    wait_for(lambda: look[0]()[0] > begun + 0.02)
    wait_for(lambda: look[1]()[1])
    before = look[1]()[0]
    wait_for(lambda: look[0]()[0] > begun + 0.1)
    assert look[1]()[0] - before < 0.02 and look[1]()[1]
    for thread, end in zip(threads, ends, strict=True):
        end.set()
        thread.join()


def test_one_call_inside_another_is_a_part_of_it():
    watch = Watch(lambda stuck_s: None)
    device = watch.over(SimpleNamespace(**dict.fromkeys(WAITS, lambda: watch.call(lambda: watch._begun))))
    assert [device.download(), device.sync()] == [1, 2]


def test_a_launch_is_not_watched_for_it_is_timed():
    assert not {"launch", "fill", "capture"} & set(WAITS)


# ---- in a run ----------------------------------------------------------------------------------------------------


def test_a_ladder_that_computes_longer_than_a_card_may_be_silent_does_not_hang(tmp_path: Path):
    kernels = tmp_path / "kernels"
    shutil.copytree(KERNELS, kernels)
    ladder = kernels / "distance" / "ladder.py"
    slowly = "reference=lambda values: __import__('time').sleep(4) or squares(values, -1),"
    ladder.write_text(ladder.read_text().replace("reference=lambda values: squares(values, -1),", slowly))
    assert slowly in ladder.read_text()
    heard = Heard()
    record(tmp_path / "out", PROBES, kernels=kernels, quick=True, report=heard, patience=Patience(3.0))
    assert heard.said == []
    assert recording(tmp_path / "out", PROBES).results.rungs["lanes"].full.cold.samples.count == 20


def test_a_process_that_is_stopped_costs_a_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FAKE_FAULTS", "empty.cu:wait")
    monkeypatch.setenv("FAKE_GATE", str(tmp_path / "gate"))

    class Stopper(Heard):
        def begin(self, job: Any, index: int, count: int) -> None:
            for pid in children(os.getpid()):
                os.kill(pid, signal.SIGSTOP)

        def say(self, sentence: str) -> None:
            super().say(sentence)
            (tmp_path / "gate").touch()

    heard = Stopper()
    outcome = record(tmp_path, RESOLUTION, quick=True, report=heard, patience=Patience(2.0))[RESOLUTION]
    assert outcome.faults == ["its process did not run for 2 seconds"]


def test_a_job_that_crawls_is_given_up_at_its_limit(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FAKE_FAULTS", "02_lanes.cu:crawl")
    worker = Worker(DEVICE, 0, KERNELS)
    try:
        assert isinstance(worker.card, Card)
        reply = worker.do(Task("distance", "resolution", True), lambda what, share: None, 90.0, 2.0)
        assert (reply.texts, reply.lost, reply.why) == (None, True, "it took longer than 2 seconds")
    finally:
        worker.close()


def test_a_job_may_take_many_times_what_it_takes_on_a_large_card():
    assert [Patience().limit_s(estimate) for estimate in (1, 100)] == [900, 1500]
