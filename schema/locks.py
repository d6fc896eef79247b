"""Who holds a file? One process at a time, and none once it is gone, however it went."""

from __future__ import annotations

from typing import IO, Any

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None
    import msvcrt


def try_lock(handle: IO[Any]) -> bool:
    """Hold an open file until it is closed; False where another process holds it."""
    try:
        if fcntl is None:
            msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,name-defined]
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
