"""How do pages reach the disk? Into a fresh folder, swapped in at the end; never over somebody else's files."""

from __future__ import annotations

import contextlib
import glob
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from schema.locks import try_lock

MARKER = ".rungbook"
_NOTE = "This folder is written by build.py and replaced by it: keep nothing of your own here.\n"
_OLD = ".old"


class OutputError(Exception):
    """An output folder that cannot be used. The message says why and what to do."""


def checked_out(out: Path, inputs: Iterable[Path] = ()) -> Path:
    """The folder that ``out`` leads to. Raises for one that holds, or lies in, something this program did not write."""
    try:
        real = out.resolve()
    except (OSError, RuntimeError):
        raise OutputError(f"{out} is a symbolic link that leads nowhere; name another folder with --out") from None
    for folder in (path.resolve() for path in inputs):
        if real == folder or real.is_relative_to(folder):
            where = "is" if real == folder else "lies in"
            raise OutputError(f"{out} {where} {folder}, which a build reads; name another folder with --out")
        if folder.is_relative_to(real):
            raise OutputError(f"{out} holds {folder}, which a build reads; name another folder with --out")
    if real.exists() and not real.is_dir():
        raise OutputError(f"{out} is a file; name a folder with --out")
    if real.is_dir() and not (real / MARKER).exists() and any(real.iterdir()):
        raise OutputError(
            f"{out} is not empty and was not written by build.py; empty it yourself or name another folder with --out"
        )
    return real


# ---- folders of one process --------------------------------------------------------------------------------------


@dataclass
class Scratch:
    """A folder that is this process's own until it is closed."""

    folder: Path
    _held: IO[str]

    def release(self) -> None:
        """Give it out of hand: another process may take it for left behind."""
        self._held.close()

    def close(self) -> None:
        self.release()
        shutil.rmtree(self.folder, ignore_errors=True)


def scratch(parent: Path | None = None, prefix: str = "rungbook-") -> Scratch:
    """A new folder in ``parent``, else where temporary files lie. What killed processes left there goes first."""
    place = parent or Path(tempfile.gettempdir())
    for path in left_behind(place, prefix):
        shutil.rmtree(path, ignore_errors=True)
    try:
        place.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=place))
        held = (folder / MARKER).open("w", encoding="utf-8")
        try_lock(held)
        held.write(_NOTE)
        held.flush()
    except OSError as error:
        raise OutputError(f"{place} cannot be written: {error.strerror}") from None
    return Scratch(folder, held)


def left_behind(parent: Path, prefix: str) -> list[Path]:
    """Folders that this program made with ``prefix`` and that no process holds any more."""
    found = []
    for marker in sorted(parent.glob(f"{glob.escape(prefix)}*/{MARKER}")):
        with contextlib.suppress(OSError), marker.open("r+", encoding="utf-8") as handle:
            if try_lock(handle):
                found.append(marker.parent)
    return found


@contextlib.contextmanager
def fresh_folder(out: Path, inputs: Iterable[Path] = ()) -> Iterator[Path]:
    """A new folder beside ``out`` that takes its place when the block ends well; otherwise ``out`` stays as it was.

    A symbolic link stays one, and the folder that it leads to is replaced. ``inputs`` are folders that a build reads.
    """
    real = checked_out(out, inputs)
    prefix = f".{real.name}."
    for path in left_behind(real.parent, prefix):
        if path.name.endswith(_OLD) and not real.exists():  # killed between the two steps of a swap
            with contextlib.suppress(OSError):
                os.rename(path, real)
    made = scratch(real.parent, prefix)
    try:
        made.folder.chmod(0o755)
        yield made.folder
        made.release()
        _swap(made.folder, real)
    except OSError as error:
        raise OutputError(f"{out} could not be written: {error.strerror or error}") from None
    finally:
        made.close()


def _swap(staging: Path, out: Path) -> None:
    old = staging.with_name(f"{staging.name}{_OLD}")
    if out.exists():
        os.rename(out, old)
    try:
        os.rename(staging, out)
    except BaseException:
        if old.exists() and not out.exists():
            os.rename(old, out)
        raise
    finally:
        shutil.rmtree(old, ignore_errors=True)


# ---- files -------------------------------------------------------------------------------------------------------


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
