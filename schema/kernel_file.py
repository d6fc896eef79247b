"""How is a kernel's or a ladder's file read? As any text of ours, without zero bytes: a compiler stops at one."""

from __future__ import annotations

from pathlib import Path

from schema.kernel_text import SourceError
from schema.texts import RecordingError, read_text

MAX_BYTES = 400_000


def read_source(path: Path, shown: str) -> str:
    """The text of a file, its lines ended by ``\\n`` and without a byte order mark: a clone's settings change nothing.

    Raises SourceError, which calls the file ``shown``: it may come into a recording, and that names no folder of ours.
    """
    try:
        text = read_text(path, shown, MAX_BYTES)
    except RecordingError as error:
        raise SourceError(str(error)) from None
    before, zero, _ = text.partition("\0")
    if zero:
        raise SourceError(f"{shown}:{before.count(chr(10)) + 1}: has a zero byte; save the file as plain text")
    return text
