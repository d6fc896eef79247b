"""What is recorded in a card's folder, and who may write there? One run at a time, and nothing is lost to it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from recorder.experiments import Job
from schema.fresh import changes, now
from schema.ladder import Ladder
from schema.locks import try_lock
from schema.recording import Recording, RecordingError, load, write_atomically
from schema.results import Failed, NotMeasured

LOCK = ".lock"
LEFTOVERS = "*/.*.yaml.*"  # what a run that was killed while it wrote leaves behind


class RunError(Exception):
    """A run that cannot begin, as a sentence for a person."""


# ---- states ------------------------------------------------------------------------------------------------------


def path_of(folder: Path, job: Job, name: str = "") -> Path:
    """The file of a job's own recording, or of its by-product ``name``."""
    return folder / job.subject / f"{name or job.experiment.name}.yaml"


def state_of(job: Job, folder: Path, ladder: Ladder | None) -> tuple[str, Recording | None]:
    """``recorded``, ``quick``, ``stale``, ``failed``, ``unreadable`` or ``missing``, and the recording if it loads.

    A by-product that is missing, unreadable or stale makes its job so: the two belong together.
    """
    state, recording = _state_of_file(path_of(folder, job), ladder)
    for name in job.experiment.also:
        other, _ = _state_of_file(path_of(folder, job, name), ladder)
        if state in ("recorded", "quick") and other not in ("recorded", "failed"):
            state = other
    return state, recording


def _state_of_file(path: Path, ladder: Ladder | None) -> tuple[str, Recording | None]:
    if not path.exists():
        return "missing", None
    try:
        recording = load(path)
    except RecordingError:
        return "unreadable", None
    if changes(recording.header, now(recording.header.experiment, ladder)):
        return "stale", recording
    if isinstance(recording.results, (Failed, NotMeasured)):
        return "failed", recording
    return ("quick" if recording.header.quick else "recorded"), recording


# ---- writing -----------------------------------------------------------------------------------------------------


def write(path: Path, text: str) -> str:
    """Write a recording. A file there that cannot be read is kept beside it; the sentence that says so comes back."""
    said = ""
    if path.exists():
        try:
            load(path)
        except RecordingError as error:
            aside = _free_name(path)
            path.rename(aside)
            said = f"{str(error).splitlines()[0]}. It is kept as {aside.name}"
    write_atomically(path, text)
    return said


def _free_name(path: Path) -> Path:
    """A name beside ``path`` that nothing has, and that no reader takes for a recording."""
    names = (path.with_name(f"{path.name}.old{n or ''}") for n in range(10_000))
    return next(name for name in names if not name.exists())


@contextmanager
def locked(folder: Path, subjects: Iterable[str] = ()) -> Iterator[None]:
    """Hold a card's folder; a second run is refused, as is one that could not write. A killed run holds nothing."""
    try:
        for sub in (folder, *(folder / subject for subject in subjects)):
            sub.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=sub):
                pass
        handle = _lock(folder / LOCK)
    except OSError as error:
        raise RunError(f"{folder}: cannot be written: {error.strerror}. Choose another folder with --out") from None
    if handle is None:
        raise RunError(f"{folder}: another run is writing here; wait for it, or choose another folder with --out")
    try:
        for path in folder.glob(LEFTOVERS):
            path.unlink(missing_ok=True)
        yield
    finally:
        with suppress(OSError):  # Windows does not remove a file that is open; a lock that stays is no lock
            (folder / LOCK).unlink(missing_ok=True)
        handle.close()


def _lock(path: Path) -> IO[str] | None:
    """An open, locked file at ``path``; None when another process holds it."""
    while True:
        handle = path.open("w")
        if not try_lock(handle):
            handle.close()
            return None
        if path.exists() and path.stat().st_ino == os.fstat(handle.fileno()).st_ino:
            return handle
        handle.close()  # the run before removed the file between our opening and our locking it
