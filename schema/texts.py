"""How does a file become text? One way for recordings, chapters and kernels, with a sentence where it does not."""

from __future__ import annotations

import stat
from pathlib import Path


class RecordingError(Exception):
    """A file that cannot be used. The message is ``file:line: what is wrong``, one line per fault."""


class BlockError(ValueError):
    """A text of several lines is wrong in one of them: ``line``, from 1; 0 where that is not known."""

    def __init__(self, what: str, line: int = 0) -> None:
        super().__init__(what)
        self.line = line


def read_text(path: Path, shown: str, limit: int) -> str:
    """The text of a UTF-8 file of at most ``limit`` bytes; ``shown`` is the file's name in errors.

    Line ends of any system come back as ``\\n`` and a byte order mark is left out: neither is part of what was written.
    Raises RecordingError.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):  # reading a pipe would wait for ever
            raise RecordingError(f"{shown}:1: is not a regular file")
        if status.st_size > limit:
            raise RecordingError(f"{shown}:1: the file has {status.st_size:,} bytes; at most {limit:,} are read")
        raw = path.read_bytes()
    except OSError as error:
        raise RecordingError(f"{shown}:1: cannot be read: {error.strerror}") from None
    try:
        return _unix(raw).decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        what = f"byte 0x{error.object[error.start]:02x} is not UTF-8; save the file as UTF-8"
        raise RecordingError(f"{shown}:{line}: {what}") from None


def _unix(raw: bytes) -> bytes:
    return raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in raw else raw
