"""How is a kernel's or a ladder's file read? As UTF-8 with the line ends of any system; what is no text is an error."""

from __future__ import annotations

import codecs
from pathlib import Path

from recorder.source import SourceError


def read_source(path: Path, shown: str) -> str:
    """The text of a file, its lines ended by ``\\n`` and without a byte order mark: a clone's settings change nothing.

    Raises SourceError, which calls the file ``shown``: it may come into a recording, and that names no folder of ours.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise SourceError(f"{shown}:1: cannot be read: {error.strerror}") from None
    raw = raw.removeprefix(codecs.BOM_UTF8).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SourceError(
            f"{shown}:{_line(raw, error.start)}: byte 0x{raw[error.start]:02x} is not UTF-8; save the file as UTF-8"
        ) from None
    if b"\0" in raw:  # to a compiler the file would end there
        raise SourceError(f"{shown}:{_line(raw, raw.index(0))}: has a zero byte; save the file as plain text")
    return text


def _line(raw: bytes, at: int) -> int:
    return raw.count(b"\n", 0, at) + 1
