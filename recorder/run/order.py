"""How does a recording run go? Jobs in order, each in a worker process, each file written as its job ends.

A worker that dies, hangs or loses its context is replaced. The part that it was doing is recorded as failed and its
job is tried again without it. Nothing that was recorded before is touched until its successor is whole.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

from recorder.compile.nvrtc import check_arch
from recorder.experiments import Job
from recorder.measure.session import not_measured, shortened
from recorder.run.folder import RunError, locked, path_of, state_of, write
from recorder.run.header import make_header
from recorder.run.outcome import Outcome, faults_of, flags_of, idea_flags
from recorder.run.serve import Task
from recorder.run.worker import PATIENCE, START_S, Patience, Reply, Worker
from schema.ladder import KERNELS, Ladder
from schema.recording import Card, RecordingError, dump, parse
from schema.results import Failed

START_TRIES = 3  # a process may be killed while it starts
MAX_BROKEN = 6  # parts of a job that may break a process before the job is given up


class RunStopped(RunError):
    """A run that cannot go on; what it did before is in ``outcomes``, and recorded."""

    def __init__(self, message: str, card: Card, outcomes: list[Outcome]) -> None:
        super().__init__(message)
        self.card, self.outcomes = card, outcomes


class Report:
    """What a run tells while it goes on; a program that shows it overrides these."""

    def begin(self, job: Job, index: int, count: int) -> None: ...

    def progress(self, job: Job, what: str, share: float) -> None: ...

    def end(self, outcome: Outcome) -> None: ...

    def say(self, sentence: str) -> None: ...


def run(
    jobs: list[Job], ladders: dict[str, Ladder], out: Path, gpu: int, *, force: bool = False, quick: bool = False,
    report: Report | None = None, device_factory: str = "recorder.card.device:Device", kernels: Path = KERNELS,
    patience: Patience = PATIENCE,
) -> tuple[Card, list[Outcome]]:  # fmt: skip
    """Record ``jobs`` under ``out/<card>/``; returns the card and what became of each job.

    Raises RunError where a run cannot begin, ToolkitError where nothing can be compiled for the card, and RunStopped
    where it cannot go on.
    """
    this = Run(jobs, ladders, out, gpu, force, quick, report or Report(), device_factory, kernels, patience)
    this.start_worker()
    try:
        check_arch(this.card.arch)
        with locked(this.folder, dict.fromkeys(job.subject for job in jobs)):
            for index, job in enumerate(jobs):
                this.outcomes.append(this.skipped(job) or this.record(job, index))
                this.report.end(this.outcomes[-1])
                if this.stop:
                    raise RunStopped(this.stop, this.card, this.outcomes)
    finally:
        this.worker.close()
    return this.card, this.outcomes


@dataclass
class Run:
    """One call of ``run``. ``stop`` says why it cannot go on."""

    jobs: list[Job]
    ladders: dict[str, Ladder]
    out: Path
    gpu: int
    force: bool
    quick: bool
    report: Report
    device_factory: str
    kernels: Path
    patience: Patience
    outcomes: list[Outcome] = field(default_factory=list)
    stop: str = ""

    def start_worker(self) -> None:
        self.worker = Worker(self.device_factory, self.gpu, self.kernels)
        self.card: Card = self.worker.card
        self.folder = self.out / self.card.slug

    def skipped(self, job: Job) -> Outcome | None:
        """The outcome of a job that is recorded already."""
        ladder = self.ladders.get(job.subject)
        state, recording = state_of(job, self.folder, ladder)
        if self.force or recording is None or not (state == "recorded" or (self.quick and state == "quick")):
            return None
        flags = [*flags_of(recording), *idea_flags(recording, ladder)]
        return Outcome(job, "skipped", 0.0, faults_of(recording), flags)

    def record(self, job: Job, index: int) -> Outcome:
        """Do a job, and write what it gives."""
        started = time.monotonic()
        self.report.begin(job, index, len(self.jobs))
        reply = self._ask(job)
        if reply.texts is None:
            why = shortened(f"{reply.doing}: {reply.why}" if reply.lost and reply.doing else reply.why)
            return self._failed(job, why, started)
        return self._write(job, reply.texts, started)

    def _ask(self, job: Job) -> Reply:
        """The worker's reply, without the parts that broke earlier workers; those are recorded as failed in it."""
        silence_s, limit_s = self.patience.silence_s, self.patience.limit_s(job.estimate_s(self.quick))
        broken: dict[str, str] = {}
        while True:
            task = Task(job.subject, job.experiment.name, self.quick, dict(broken))
            reply = self.worker.do(task, lambda *said: self.report.progress(job, *said), silence_s, limit_s)
            if not reply.lost:
                return reply
            again = bool(reply.doing) and reply.doing not in broken and len(broken) < MAX_BROKEN
            self._replace_worker()
            if self.stop or not again:
                return reply
            self.report.say(f"{job.key}: {reply.doing}: {reply.why}; going on without it in a fresh process")
            broken[reply.doing] = shortened(reply.why)

    def _replace_worker(self) -> None:
        why = ""
        end = time.monotonic() + START_S
        for _ in range(START_TRIES):
            try:
                self.worker.kill()
                self.start_worker()
                return
            except RunError as error:
                why = str(error)
            if time.monotonic() > end:
                break
        self.stop = f"no further process could be started: {why}. What is recorded is kept"

    def _failed(self, job: Job, why: str, started: float) -> Outcome:
        """A job that gave nothing is recorded as failed, unless it is recorded from an earlier run."""
        outcome = Outcome(job, "failed", time.monotonic() - started, [why])
        ladder = self.ladders.get(job.subject)
        if state_of(job, self.folder, ladder)[0] in ("recorded", "quick"):
            path = path_of(self.folder, job)
            self.report.say(f"{job.key}: {why}. The recording made before is kept: {path}")
            return outcome
        texts = {}
        for name in job.experiment.files:
            none = not_measured("the experiment failed")
            header = make_header(name, job.subject, ladder, self.card, started, self.quick, {}, none)
            texts[name] = dump(header, Failed(failed=why))
        self._put(job, texts)
        return outcome

    def _write(self, job: Job, texts: dict[str, str], started: float) -> Outcome:
        faults: list[str] = []
        flags: list[str] = []
        for name, text in texts.items():
            try:
                recording = parse(text, f"{job.subject}/{name}.yaml")
            except RecordingError as error:  # too large, say
                return self._failed(job, shortened(f"its recording would be no good: {error}"), started)
            faults += faults_of(recording)
            found = (*flags_of(recording), *idea_flags(recording, self.ladders.get(job.subject)))
            flags += [flag for flag in found if flag not in flags]
        if not self._put(job, texts):
            return Outcome(job, "failed", time.monotonic() - started, [self.stop])
        return Outcome(job, "recorded", time.monotonic() - started, faults, flags)

    def _put(self, job: Job, texts: dict[str, str]) -> bool:
        """Write the files of a job; what cannot be written stops the run."""
        for name in job.experiment.files:
            path = path_of(self.folder, job, name)
            try:
                said = write(path, texts[name])
            except OSError as error:
                self.stop = f"{path}: cannot be written: {error.strerror or error}. What was recorded before is kept"
                return False
            if said:
                self.report.say(said)
        return True
