"""How does a run talk to the process that works for it? A task in, progress and texts out, and patience that ends."""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recorder.run.folder import RunError
from recorder.run.serve import Task, serve
from schema.recording import Card

START_S = 180.0
END_S = 10.0
KILL_S = 60.0  # the driver ends the kernels of a killed process first
LOOK_S = 1.0


@dataclass(frozen=True)
class Patience:
    """How long one call to the card may take, and how long a job: so many times what it takes on a large card."""

    silence_s: float = 90.0
    least_s: float = 900.0
    times: int = 15

    def limit_s(self, estimate_s: float) -> float:
        return max(self.least_s, self.times * estimate_s)


@dataclass(frozen=True)
class Reply:
    """What became of a task: ``texts`` by experiment, or None and ``why``; ``doing`` is the part that was worked on.

    ``lost``: the process is of no use any more.
    """

    texts: dict[str, str] | None
    why: str = ""
    lost: bool = False
    doing: str = ""


PATIENCE = Patience()


class Worker:
    """A worker process and the pipe to it; RunError where it does not come up."""

    def __init__(self, device_factory: str, gpu: int, kernels: Path, start_s: float = START_S) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, child = context.Pipe()
        self.process = context.Process(target=serve, args=(child, device_factory, gpu, str(kernels)), daemon=True)
        self.busy = True
        self.process.start()
        child.close()
        silence = ["failed", f"the driver did not answer within {start_s:.0f} seconds", True]
        kind, *rest = self._receive(start_s) or silence
        if kind != "ready":
            self.close()
            raise RunError(str(rest[0]))
        self.card: Card = rest[0]
        self.busy = False

    def _receive(self, timeout_s: float) -> list[Any] | None:
        """The worker's next message, None where none comes in time; what became of a worker that has gone."""
        try:
            return [*self.connection.recv()] if self.connection.poll(timeout_s) else None
        except (EOFError, OSError):
            self.process.join(END_S)
            return ["failed", f"its process {_ended(self.process.exitcode)}", True]

    def _hear(self, patience_s: float) -> list[Any]:
        """The worker's next message. Its beats come even while it waits for the card, unless it does not run at all.

        Patience is counted in looks, so that time in which this process was stopped itself does not count.
        """
        looks = (self._receive(LOOK_S) for _ in range(max(1, round(patience_s / LOOK_S))))
        return next(filter(None, looks), ["failed", f"its process did not run for {patience_s:.0f} seconds", True])

    def do(self, task: Task, progress: Callable[[str, float], None], silence_s: float, limit_s: float) -> Reply:
        """Let the worker do a task, unless a call to the card takes longer than ``silence_s``, or all ``limit_s``."""
        end = time.monotonic() + limit_s
        doing = ""
        self.busy = True
        try:
            self.connection.send(task)
        except OSError:
            self.process.join(END_S)
            return Reply(None, f"its process {_ended(self.process.exitcode)}", True)
        while True:
            kind, *rest = self._hear(silence_s)
            if kind == "progress":
                progress(*rest)
            elif kind == "doing":
                doing = rest[0]
            elif kind == "beat" and rest[0] >= silence_s:
                return Reply(
                    None, f"the card did not answer for {silence_s:.0f} seconds; the kernel hangs", True, doing
                )
            elif kind == "beat" and time.monotonic() > end:
                return Reply(None, f"it took longer than {limit_s:.0f} seconds", True, doing)
            elif kind != "beat":
                reply = Reply(rest[0], doing=doing) if kind == "done" else Reply(None, rest[0], rest[1], doing)
                self.busy = reply.lost
                return reply

    def close(self) -> None:
        """End the process: an idle one is asked, a busy one or one that does not answer is killed."""
        if not self.busy:
            try:
                self.connection.send(None)
                self.process.join(END_S)
            except OSError:
                pass
        self.kill()

    def kill(self) -> None:
        if self.process.is_alive():
            self.process.kill()
            self.process.join(KILL_S)
        self.connection.close()
        if self.process.is_alive():
            raise RunError("the driver does not let go of the worker's process; the GPU may need a reset")


def _ended(exit_code: int | None) -> str:
    if exit_code is None:
        return "closed its pipe"
    if exit_code < 0:
        try:
            return f"was ended by {signal.Signals(-exit_code).name}"
        except ValueError:
            return f"was ended by signal {-exit_code}"
    return f"ended (exit status {exit_code})"
