"""How does a test make a recording run? On the fake device: in this process, or as a command that can be killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from recorder.experiments import Job, jobs
from recorder.run.order import Report, run
from recorder.run.outcome import Outcome
from schema.load_ladder import load_ladders
from schema.recording import Recording, load, load_card
from tests.fake_recorder import DEVICE, KERNELS

ROOT = Path(__file__).resolve().parent.parent
CARD, LADDER = "fake-gpu", "distance"
LONG_S = 300.0  # nothing takes so long, however busy the machine is
LIGHT = "distance/probes,distance/one_change,distance/resolution"  # jobs of some tenths of a second


class Heard(Report):
    """Keeps what a run told."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.said: list[str] = []
        self.ended: list[Outcome] = []
        self.shares: dict[str, list[float]] = {}

    def begin(self, job: Job, index: int, count: int) -> None:
        self.begun.append(job.key)

    def progress(self, job: Job, what: str, share: float) -> None:
        self.shares.setdefault(job.key, []).append(share)

    def end(self, outcome: Outcome) -> None:
        self.ended.append(outcome)

    def say(self, sentence: str) -> None:
        self.said.append(sentence)


def record(out: Path, only: str = LIGHT, kernels: Path = KERNELS, **options: Any) -> dict[str, Outcome]:
    """Record these jobs under ``out``; the outcomes by ``subject/experiment``."""
    ladders = load_ladders(kernels)
    names = only.split(",")
    chosen = [job for job in jobs(ladders, counters=True) if not only or set(names) & set(job.names)]
    _, outcomes = run(chosen, ladders, out, 0, device_factory=DEVICE, kernels=kernels, **options)
    return {outcome.job.key: outcome for outcome in outcomes}


def recording(out: Path, key: str) -> Recording:
    """The recording of ``subject/experiment`` of the fake card."""
    return load(out / CARD / f"{key}.yaml")


def all_recordings(out: Path) -> dict[str, Recording]:
    """Every recording of the fake card by key; each is read strictly."""
    card = load_card(out / CARD)
    return {"/".join(key): found for key, found in {**card.recordings, **card.without}.items()}


def parts(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every part of a recording's dumped results with the path of its keys."""
    yield path, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in items:
        yield from parts(part, f"{path}.{key}".strip("."))


def files(out: Path) -> dict[str, bytes]:
    """All files under ``out``, hidden ones too."""
    return {str(p.relative_to(out)): p.read_bytes() for p in sorted(out.rglob("*")) if p.is_file()}


def command(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The recorder's command on the fake device, run to its end."""
    return subprocess.run(
        words(*arguments), cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, timeout=LONG_S
    )


def begun(*arguments: str | Path, **environment: str) -> subprocess.Popen[str]:
    """The same command, running, in a process group of its own."""
    return subprocess.Popen(
        words(*arguments), cwd=ROOT, env=os.environ | environment, text=True, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=heed_ctrl_c,
    )  # fmt: skip


def heed_ctrl_c() -> None:
    """In a process that begins: a shell may have started the tests in the background, and those ignore it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def words(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "tests.fake_recorder", *map(str, arguments)]


def wait_for(condition: Callable[[], bool], seconds: float = LONG_S) -> None:
    """Until ``condition()``; an AssertionError when it does not come."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.005)


def children(pid: int) -> list[int]:
    """The processes that ``pid`` started and that run."""
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def alive(pid: int) -> bool:
    """Does it run? A zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
