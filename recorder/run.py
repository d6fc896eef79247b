"""How does a recording run go? Jobs in order, each in a worker process, each file written as its job ends.

A worker that dies, hangs or loses its context is replaced. The part that it was doing is recorded as failed and its
job is tried again without it. Nothing that was recorded before is touched until its successor is whole.
"""

from __future__ import annotations

import fcntl
import multiprocessing
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recorder.experiments import Job
from recorder.header import subject_sources
from recorder.ladder import KERNELS, Ladder
from recorder.recording import Card, Recording, RecordingError, load, write_atomically
from recorder.results import Failed, NotMeasured
from recorder.worker import Task, failed_text, serve

SILENCE_S = 90.0  # a worker that says nothing for so long hangs
START_S = 180.0
MAX_RETRIES = 6


class RunError(Exception):
    """A run that cannot go on, as a sentence for a person."""


@dataclass
class Outcome:
    """What became of a job: ``recorded``, ``failed`` or ``skipped``, and the parts of it that failed."""

    job: Job
    state: str
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)


class Report:
    """What a run tells while it goes on; a program that shows it overrides these."""

    def begin(self, job: Job, index: int, count: int) -> None: ...

    def progress(self, job: Job, what: str, share: float) -> None: ...

    def end(self, outcome: Outcome) -> None: ...

    def say(self, sentence: str) -> None: ...


class Worker:
    """A worker process and the pipe to it."""

    def __init__(self, device_factory: str, gpu: int, kernels: Path) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, child = context.Pipe()
        self.process = context.Process(target=serve, args=(child, device_factory, gpu, str(kernels)), daemon=True)
        self.process.start()
        child.close()
        kind, *rest = self._receive(START_S)
        if kind != "ready":
            self.kill()
            raise RunError(str(rest[0]))
        self.card: Card = rest[0]

    def _receive(self, timeout: float) -> tuple[Any, ...]:
        if not self.connection.poll(timeout):
            return ("failed", f"nothing was heard for {timeout:.0f} seconds; the kernel hangs", True)
        try:
            return self.connection.recv()
        except (EOFError, ConnectionResetError):
            self.process.join(5)
            return ("failed", f"its process died (exit status {self.process.exitcode})", True)

    def do(self, task: Task, job: Job, report: Report, silence: float) -> tuple[dict[str, str] | None, str, bool, str]:
        """(texts or None, why, whether the worker is lost, what it was doing)."""
        self.connection.send(task)
        doing = ""
        while True:
            kind, *rest = self._receive(silence)
            if kind == "progress":
                report.progress(job, *rest)
            elif kind == "doing":
                doing = rest[0]
            elif kind == "done":
                return rest[0], "", False, doing
            else:
                return None, rest[0], rest[1], doing

    def kill(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()

    def close(self) -> None:
        try:
            self.connection.send(None)
            self.process.join(10)
        except (BrokenPipeError, OSError):
            pass
        if self.process.is_alive():
            self.process.kill()


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a card's folder; a second run on it is refused, a crashed one leaves nothing behind."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = (folder / ".lock").open("w")
    except OSError as error:
        raise RunError(f"{folder}: cannot be written: {error.strerror}. Choose another folder with --out") from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        handle.close()
        raise RunError(
            f"{folder}: another run is writing here; wait for it, or choose another folder with --out"
        ) from None
    try:
        yield
    finally:
        (folder / ".lock").unlink(missing_ok=True)
        handle.close()


def state_of(job: Job, folder: Path, ladder: Ladder | None) -> tuple[str, Recording | None]:
    """``recorded``, ``quick``, ``stale``, ``failed``, ``unreadable`` or ``missing``, and the recording if it loads."""
    path = folder / job.subject / f"{job.experiment.name}.yaml"
    if not path.exists():
        return "missing", None
    try:
        recording = load(path)
    except RecordingError:
        return "unreadable", None
    if recording.header.sources != subject_sources(job.subject, ladder):
        return "stale", recording
    if isinstance(recording.results, (Failed, NotMeasured)):
        return "failed", recording
    return ("quick" if recording.header.quick else "recorded"), recording


def run(
    jobs: list[Job], ladders: dict[str, Ladder], out: Path, gpu: int, *, force: bool = False, quick: bool = False,
    report: Report | None = None, device_factory: str = "recorder.device:Device", kernels: Path = KERNELS,
    silence: float = SILENCE_S,
) -> tuple[Card, list[Outcome]]:  # fmt: skip
    """Record ``jobs`` under ``out/<card>/``; returns the card and what became of each job."""
    report = report or Report()
    worker = Worker(device_factory, gpu, kernels)
    card, folder = worker.card, out / worker.card.slug
    outcomes: list[Outcome] = []
    try:
        with locked(folder):
            for index, job in enumerate(jobs):
                ladder = ladders.get(job.subject)
                state, _ = state_of(job, folder, ladder)
                if not force and (state == "recorded" or (quick and state == "quick")):
                    outcomes.append(Outcome(job, "skipped"))
                    continue
                report.begin(job, index, len(jobs))
                worker, outcome = _one(
                    job, ladder, worker, folder, quick, report, device_factory, gpu, kernels, silence
                )
                outcomes.append(outcome)
                report.end(outcome)
    finally:
        worker.close()
    return card, outcomes


def _one(
    job: Job, ladder: Ladder | None, worker: Worker, folder: Path, quick: bool, report: Report,
    device_factory: str, gpu: int, kernels: Path, silence: float,
) -> tuple[Worker, Outcome]:  # fmt: skip
    started = time.monotonic()
    skip: dict[str, str] = {}
    texts: dict[str, str] | None = None
    why = ""
    for _ in range(MAX_RETRIES):
        task = Task(job.subject, job.experiment.name, quick, dict(skip))
        texts, why, lost, doing = worker.do(task, job, report, silence)
        if texts is not None or not lost:
            break
        worker.kill()
        worker = Worker(device_factory, gpu, kernels)
        if not doing or doing in skip:
            break
        report.say(f"{job.key}: {doing}: {why}; going on without it in a fresh process")
        skip[doing] = why
    seconds = time.monotonic() - started
    if texts is None:
        if doing:
            why = f"{doing}: {why}"
        task = Task(job.subject, job.experiment.name, quick, skip)
        texts = {
            job.experiment.name: failed_text(job.experiment.name, task, ladder, worker.card, started, why[:400], quick)
        }
        whole = folder / job.subject / f"{job.experiment.name}.yaml"
        if state_of(job, folder, ladder)[0] == "recorded":
            report.say(f"{job.key}: failed; the recording made before is kept at {whole}")
            return worker, Outcome(job, "failed", seconds, [why])
    for name, text in texts.items():
        path = folder / job.subject / f"{name}.yaml"
        try:
            write_atomically(path, text)
        except OSError as error:
            raise RunError(f"{path}: cannot be written: {error.strerror}. What was recorded before is kept") from None
    faults = [why] if why else faults_of(texts[job.experiment.name])
    return worker, Outcome(job, "failed" if why else "recorded", seconds, faults)


def faults_of(text: str) -> list[str]:
    """Every ``failed: why`` in a recording's text."""
    import yaml

    found: list[str] = []

    def walk(value: Any, path: str) -> None:
        if isinstance(value, dict):
            if set(value) == {"failed"}:
                found.append(f"{path}: {value['failed']}")
            else:
                for key, part in value.items():
                    walk(part, f"{path}.{key}" if path else str(key))
        elif isinstance(value, list):
            for i, part in enumerate(value):
                walk(part, f"{path}.{i}")

    walk(yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)).get("results"), "")
    return found
