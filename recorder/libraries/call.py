"""How does a ladder call a library? By a function of its ``libraries.py``, which takes a workload.

``kernels/<ladder>/libraries.py`` holds functions ``name(work) -> Called``. Each is checked as a rung is: the result of
every operand that the ladder writes, at every size, over poison.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from recorder.measure.workload import Enqueue, LibraryMissing, Workload
from schema.kernel_file import read_source
from schema.ladder import LIBRARIES, Ladder, LadderError, LibraryCall
from schema.load_ladder import run_declaration


@dataclass(frozen=True)
class Called:
    """A library's version, and ``enqueue(copy)``: the call on the device's stream, which a graph can capture.

    It allocates nothing once it has been called, and works on the addresses that the workload gives.
    """

    version: str
    enqueue: Enqueue


class Libraries:
    """The functions beside a ladder, by the names that its library calls use; ``libraries.py`` is run once."""

    def __init__(self, ladder: Ladder) -> None:
        self.ladder = ladder
        self.shown = f"kernels/{ladder.slug}/{LIBRARIES}"
        self._functions: dict[str, Any] | None = None

    def function(self, call: LibraryCall) -> Callable[[Workload], Called]:
        """Raises LibraryMissing where something that it imports is not installed, LadderError where there is none."""
        if self._functions is None:
            path = self.ladder.folder / LIBRARIES
            try:
                module = run_declaration(path, read_source(path, self.shown), self.shown)
            except LadderError as error:
                if isinstance(error.__cause__, ImportError):
                    raise LibraryMissing(str(error.__cause__)) from None
                raise
            self._functions = {name: f for name, f in vars(module).items() if callable(f) and name[0] != "_"}
        if call.call not in self._functions:
            has = ", ".join(
                n for n, f in self._functions.items() if getattr(f, "__module__", "") == _module(self.ladder)
            )
            raise LadderError(f"{self.shown} has no function {call.call!r}; it has {has or 'none'}", call.call)
        return self._functions[call.call]

    def prepare(self, call: LibraryCall, work: Workload) -> Called:
        """The call on a workload, made once: a library loads its kernels at the first call."""
        made = self.function(call)(work)
        if not isinstance(made, Called):
            raise LadderError(f"{self.shown}: {call.call} gives {made!r}; it gives Called(version, enqueue)", call.call)
        made.enqueue(0)
        work.device.sync()
        return made


def _module(ladder: Ladder) -> str:
    return f"kernels.{ladder.slug}.libraries"
