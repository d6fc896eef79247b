"""Is this process stuck in a call to the card? Beats tell how long one call has not come back.

Seconds in which other programs had the processor do not count: a call that was kept from running is slow, not stuck.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

BEAT_S = 0.25
# Calls that may wait for the card. Launches do not wait and are not watched: they are timed, and must cost no more.
WAITS = ("alloc", "download", "free", "free_all", "load", "memory_bytes", "sync", "time", "upload")
RUNS = 0.01  # a thread that had less of a beat than this was not kept from running: it waits


class Watch:
    """While entered, calls ``tell`` every ``beat_s`` seconds with how long the call of the moment is stuck.

    The thread that enters is the one that calls the device. ``cpu_clock`` gives the clock of its processor seconds.
    """

    def __init__(
        self, tell: Callable[[float], None], beat_s: float = BEAT_S,
        cpu_clock: Callable[[], Callable[[], float]] | None = None,
    ) -> None:  # fmt: skip
        self.tell, self.beat_s, self.cpu_clock = tell, beat_s, cpu_clock or _own_cpu_clock
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
        self._thread = threading.Thread(target=self._beat, args=(self.cpu_clock(),), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _beat(self, cpu_s: Callable[[], float]) -> None:
        stuck_s, seen, before = 0.0, 0, cpu_s()
        with suppress(OSError):  # whoever listened has gone
            while not self._stop.wait(self.beat_s):
                now = cpu_s()
                same = self._inside and self._begun == seen
                stuck_s = stuck_s + counted(self.beat_s, now - before) if same else 0.0
                seen, before = self._begun, now
                self.tell(stuck_s)


def counted(beat_s: float, cpu_s: float) -> float:
    """Seconds of a beat that a call had to come back: those it computed, or all where it only waited."""
    return min(beat_s, cpu_s) if cpu_s > RUNS * beat_s else beat_s


class _Watched:
    def __init__(self, device: Any, watch: Watch) -> None:
        self._device = device
        for name in WAITS:
            setattr(self, name, partial(watch.call, getattr(device, name)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._device, name)


def _own_cpu_clock() -> Callable[[], float]:
    """The clock of the processor seconds of this thread; one that stands still where the system has none."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return lambda: 0.0
    clock = time.pthread_getcpuclockid(threading.get_ident())
    return lambda: time.clock_gettime(clock)
