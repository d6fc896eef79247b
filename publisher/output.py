"""How do pages reach the disk? Into a fresh folder, swapped in at the end; never over somebody else's files."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

MARKER = ".rungbook"
_NOTE = "This folder is written by build.py and replaced by it: keep nothing of your own here.\n"
_OLD = ".old"


class OutputError(Exception):
    """An output folder that cannot be used. The message says why and what to do."""


def check_out(out: Path, inputs: Sequence[Path] = ()) -> Path:
    """The folder that ``out`` means, links followed. Raises OutputError.

    Refuses a folder that holds something this program did not write, one that holds an input, and one inside an input.
    """
    try:
        real = out.resolve(strict=False)
        if real.exists() and not real.is_dir():
            raise OutputError(f"{out} is a file; name a folder with --out")
        for folder in inputs:
            if real == folder or real in folder.parents:
                raise OutputError(f"{out} would replace {folder}, which the build reads; name another with --out")
            if folder in real.parents:
                raise OutputError(f"{out} lies in {folder}, which the build reads; name another with --out")
        if real.is_dir() and not (real / MARKER).exists() and any(real.iterdir()):
            raise OutputError(
                f"{out} is not empty and was not written by build.py; "
                "empty it yourself or name another folder with --out"
            )
    except (OSError, RuntimeError) as error:  # a link that leads to itself is the one or the other
        raise OutputError(f"{out} cannot be used: {getattr(error, 'strerror', None) or error}") from None
    return real


@contextlib.contextmanager
def fresh_folder(out: Path) -> Iterator[Path]:
    """A new folder beside ``out`` that takes its place when the block ends well; otherwise ``out`` stays as it was."""
    out = check_out(out)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        _clear_away(out)
        staging = Path(tempfile.mkdtemp(prefix=f".{out.name}.{os.getpid()}.", dir=out.parent))
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
    old = staging.with_name(f"{staging.name}{_OLD}")
    try:
        if out.exists():
            os.rename(out, old)
        os.rename(staging, out)
    except BaseException:  # an interruption too
        if old.exists() and not out.exists():
            os.rename(old, out)
        raise
    finally:
        if out.exists():
            shutil.rmtree(old, ignore_errors=True)


def _clear_away(out: Path) -> None:
    """Remove what builds left that were killed; a site that one of them had put aside comes back first."""
    name = re.compile(rf"\.{re.escape(out.name)}\.(\d+)\.[^.]+({re.escape(_OLD)})?")
    for path in sorted(out.parent.iterdir()):
        found = name.fullmatch(path.name)
        if not found or _runs(int(found[1])) or not (path / MARKER).exists():
            continue
        if found[2] and not out.exists():
            os.rename(path, out)
        else:
            shutil.rmtree(path, ignore_errors=True)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # somebody else's
    return True


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
