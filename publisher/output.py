"""How do pages reach the disk? Into a fresh folder, swapped in at the end; never over somebody else's files."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

MARKER = ".rungbook"
_NOTE = "This folder is written by build.py and replaced by it: keep nothing of your own here.\n"


class OutputError(Exception):
    """An output folder that cannot be used. The message says why and what to do."""


def check_out(out: Path) -> None:
    """Refuse a folder that holds something this program did not write."""
    if out.exists() and not out.is_dir():
        raise OutputError(f"{out} is a file; name a folder with --out")
    if out.is_dir() and not (out / MARKER).exists() and any(out.iterdir()):
        raise OutputError(
            f"{out} is not empty and was not written by build.py; empty it yourself or name another folder with --out"
        )


@contextlib.contextmanager
def fresh_folder(out: Path) -> Iterator[Path]:
    """A new folder beside ``out`` that takes its place when the block ends well; otherwise ``out`` stays as it was."""
    check_out(out)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    except OSError as error:
        raise OutputError(f"{out.parent} cannot be written: {error.strerror}") from None
    try:
        staging.chmod(0o755)
        (staging / MARKER).write_text(_NOTE, encoding="utf-8")
        yield staging
        _swap(staging, out)
    except OSError as error:
        raise OutputError(f"{out} could not be written: {error.strerror or error}") from None
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _swap(staging: Path, out: Path) -> None:
    old = staging.with_name(f"{staging.name}.old")
    if out.exists():
        os.rename(out, old)
    try:
        os.rename(staging, out)
    except OSError:
        if old.exists():
            os.rename(old, out)
        raise
    shutil.rmtree(old, ignore_errors=True)


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> int:
    """Write ``path -> content`` below ``folder``; files with the same content are left. Returns how many changed."""
    changed = 0
    for name, content in files.items():
        path = folder / name
        raw = content.encode() if isinstance(content, str) else content
        if path.exists() and path.stat().st_size == len(raw) and path.read_bytes() == raw:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(raw)
        changed += 1
    return changed
