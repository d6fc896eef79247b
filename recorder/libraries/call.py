"""What is a library to the recorder? Something that solves a ladder's problem, called once and captured in trains."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from recorder.measure.timing import replays
from recorder.measure.workload import Enqueue, Workload
from schema.ladder import LibraryCall


@dataclass(frozen=True)
class Prepared:
    """A library call, made once: its kernels' names, and by condition the replay of a train and the error of a replay.

    An error is measured by one more replay each time that it is asked for.
    """

    kernels: list[str]
    replays: dict[str, Callable[[], None]]
    errors: dict[str, Callable[[], float]]


class Library(Protocol):
    """Something that solves the same problem; both raise LibraryMissing where it cannot be called."""

    def version(self) -> str: ...

    def prepare(self, device: Any, call: LibraryCall, work: Workload) -> Prepared: ...


def prepared(device: Any, work: Workload, enqueue: Enqueue) -> Prepared:
    """What ``prepare`` gives of a library that puts its kernels on the device's stream."""
    enqueue(0)  # a library loads its kernels at the first call
    device.sync()
    trains = replays(device, enqueue, work.rotation)
    errors = {
        condition: lambda replay=replay: work.error(lambda copy: replay()) for condition, replay in trains.items()
    }
    return Prepared(device.kernels_of(lambda: enqueue(0)), trains, errors)
