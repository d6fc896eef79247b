"""Is this process stuck in a call to the card? Beats tell how long one call has not come back.

Seconds in which other programs had the processor do not count: a call that was kept from running is slow, not stuck.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

BEAT_S = 0.25
# Calls that may wait for the card. Launches do not wait and are not watched: they are timed, and must cost no more.
WAITS = ("alloc", "download", "free", "free_all", "load", "memory_bytes", "sync", "time", "upload")
LITTLE = 0.01  # of a beat: a thread that waits may look now and then whether it still has to
Look = Callable[[], tuple[float, bool]]  # the processor seconds of a thread, and whether it sleeps at this moment


class Watch:
    """While entered, calls ``tell`` every ``beat_s`` seconds with how long the call of the moment is stuck.

    The thread that enters is the one that calls the device; ``looker`` gives what looks at it.
    """

    def __init__(
        self, tell: Callable[[float], None], beat_s: float = BEAT_S,
        looker: Callable[[], Look] | None = None,
    ) -> None:  # fmt: skip
        self.tell, self.beat_s, self.looker = tell, beat_s, looker or _at_this_thread
        self._inside, self._begun = False, 0

    def over(self, device: Any) -> Any:
        """The device, with its calls watched that may wait for the card."""
        return _Watched(device, self)

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Make one watched call; one inside another is a part of it."""
        if self._inside:
            return function(*arguments)
        self._inside, self._begun = True, self._begun + 1
        try:
            return function(*arguments)
        finally:
            self._inside = False

    def __enter__(self) -> Watch:
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat, args=(self.looker(),), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _beat(self, look: Look) -> None:
        stuck_s, seen, (before_s, _) = 0.0, 0, look()
        with suppress(OSError):  # whoever listened has gone
            while not self._stop.wait(self.beat_s):
                cpu_s, sleeps = look()
                same = self._inside and self._begun == seen
                stuck_s = stuck_s + counted(self.beat_s, cpu_s - before_s, sleeps) if same else 0.0
                seen, before_s = self._begun, cpu_s
                self.tell(stuck_s)


def counted(beat_s: float, cpu_s: float, sleeps: bool) -> float:
    """Seconds of a beat that a call had to come back: all where it only waited, else those in which it ran."""
    return beat_s if sleeps and cpu_s < LITTLE * beat_s else min(beat_s, cpu_s)


class _Watched:
    def __init__(self, device: Any, watch: Watch) -> None:
        self._device = device
        for name in WAITS:
            setattr(self, name, partial(watch.call, getattr(device, name)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._device, name)


def _at_this_thread() -> Look:
    """Looks at the thread that asks for it. Where the system does not tell, it seems to sleep all the time."""
    state = Path(f"/proc/self/task/{threading.get_native_id()}/stat")
    if not (state.exists() and hasattr(time, "pthread_getcpuclockid")):
        return lambda: (0.0, True)
    clock = time.pthread_getcpuclockid(threading.get_ident())
    return lambda: (time.clock_gettime(clock), state.read_text().rpartition(")")[2].split()[0] != "R")
