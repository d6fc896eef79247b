"""What does an architecture look like without a card? SASS, registers and shared memory of every ladder."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from recorder.compile.nvrtc import check_arch
from recorder.experiments import Job
from recorder.experiments import code as code_experiment
from recorder.measure.session import Session, not_measured
from recorder.run.folder import RunError, locked, path_of, state_of, write
from recorder.run.header import compile_only_card, make_header
from recorder.run.outcome import faults_of, idea_flags
from schema.ladder import Ladder
from schema.recording import dump, parse

WITHOUT = "compiled without a card"


def record_archs(
    archs: list[str], jobs: list[Job], ladders: dict[str, Ladder], out: Path, force: bool, say: Callable[[str], None]
) -> int:
    """Write ``<out>/<arch>/<ladder>/code.yaml`` for each arch and job; 1 when a kernel did not compile, else 0.

    Raises ToolkitError where the compiler does not know an arch, RunError where it cannot write.
    """
    for arch in archs:
        check_arch(arch)
    failed = False
    for arch in archs:
        folder = out / arch
        with locked(folder, [job.subject for job in jobs]):
            for job in jobs:
                ladder = ladders[job.subject]
                if not force and state_of(job, folder, ladder)[0] == "recorded":
                    say(f"{arch}: {job.subject} is recorded already; --force records it again")
                    continue
                failed |= _record(arch, job, ladder, folder, say)
    return int(failed)


def _record(arch: str, job: Job, ladder: Ladder, folder: Path, say: Callable[[str], None]) -> bool:
    """Whether a kernel failed."""
    started = time.monotonic()
    results, method = code_experiment.run(Session(None, ladder, False), arch)["code"]
    none = not_measured(WITHOUT)
    header = make_header("code", job.subject, ladder, compile_only_card(arch), started, False, method, none)
    path, text = path_of(folder, job), dump(header, results)
    try:
        said = write(path, text)
    except OSError as error:
        raise RunError(f"{path}: cannot be written: {error.strerror or error}") from None
    if said:
        say(said)
    recording = parse(text, str(path))
    faults = faults_of(recording)
    lines = [f"failed: {fault}" for fault in faults] + [f"flagged: {flag}" for flag in idea_flags(recording, ladder)]
    took = f"{len(results.rungs)} rungs and {len(results.variants)} variants in {time.monotonic() - started:.1f} s"
    say(f"{arch}: {job.subject}, {took}" + "".join(f"\n  {line}" for line in lines))
    return bool(faults)
