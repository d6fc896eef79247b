"""Where do experiments run? In a process of their own, so that a fault or a hang costs one part, not the run.

Messages to the parent over a pipe: ``("progress", what, share)``, ``("doing", slug)``, ``("done", {file: text})``,
``("failed", why, fatal)``. From the parent: a ``Task``, or None to end.
"""

from __future__ import annotations

import importlib
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recorder.device import ContextLost, OutOfMemory
from recorder.experiments import by_name
from recorder.header import make_header, read_card
from recorder.ladder import KERNELS, load_ladder
from recorder.recording import MACHINE, dump
from recorder.results import Failed, NotMeasured
from recorder.session import Session, sentence


@dataclass(frozen=True)
class Task:
    """One job as the worker needs it; ``skip`` maps slugs that broke an earlier worker to the reason."""

    subject: str
    experiment: str
    quick: bool
    skip: dict[str, str] = field(default_factory=dict)


def serve(connection: Any, device_factory: str, gpu: int, kernels: str = str(KERNELS)) -> None:
    """Take tasks until None comes. ``device_factory`` is ``module:callable``, called with the GPU's index."""
    module, _, name = device_factory.partition(":")
    try:
        device = getattr(importlib.import_module(module), name)(gpu)
    except Exception as error:
        connection.send(("failed", sentence(error), True))
        return
    connection.send(("ready", read_card(device)))
    while (task := connection.recv()) is not None:
        try:
            connection.send(("done", run_task(task, device, connection, Path(kernels))))
        except ContextLost as error:
            connection.send(("failed", sentence(error), True))
            return
        except Exception as error:
            connection.send(("failed", sentence(error), False))
        try:
            device.free_all()
        except ContextLost as error:
            connection.send(("failed", sentence(error), True))
            return
    # Libraries that were called may crash while they are taken down at exit, after all results are in the parent's hands.
    connection.close()
    os._exit(0)


def run_task(task: Task, device: Any, connection: Any, kernels: Path = KERNELS) -> dict[str, str]:
    """Experiment name -> text of its recording."""
    started = time.monotonic()
    ladder = None if task.subject == MACHINE else load_ladder(kernels / task.subject)
    session = Session(
        device,
        ladder,
        task.quick,
        progress=lambda what, share: connection.send(("progress", what, share)),
        doing=lambda slug: connection.send(("doing", slug)),
        skip=dict(task.skip),
    )
    card = read_card(device)
    try:
        found = by_name(task.experiment).module.run(session)
    except OutOfMemory as error:
        found = {task.experiment: (NotMeasured(not_measured=sentence(error)), {})}
    return {
        name: text_of(name, task, ladder, card, started, results, method, device)
        for name, (results, method) in found.items()
    }


def text_of(
    name: str, task: Task, ladder: Any, card: Any, started: float, results: Any, method: dict[str, Any], device: Any
) -> str:
    header = make_header(name, task.subject, ladder, card, started, task.quick, method, device)
    return dump(header, results)


def failed_text(name: str, task: Task, ladder: Any, card: Any, started: float, why: str, quick: bool) -> str:
    """The recording of an experiment that could not be made: all it says is why."""
    header = make_header(name, task.subject, ladder, card, started, quick, {}, None)
    return dump(header, Failed(failed=why))
