"""Where do experiments run? In a process of their own, so that a fault or a hang costs one part, not the run.

Messages to the parent over a pipe: ``("ready", card)``, ``("progress", what, share)``, ``("doing", part)``, ``("beat",
seconds that a call to the card is stuck)``, ``("done", {file: text})``, ``("failed", why, whether the process is
lost)``. From the parent: a ``Task``, or None.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recorder.card.device import ContextLost, OutOfMemory
from recorder.compile.compiled import Cubins
from recorder.experiments import module_of
from recorder.measure.answers import Answers
from recorder.measure.session import Session, not_measured, sentence
from recorder.run.header import make_header, read_card
from recorder.run.watch import Watch
from schema.experiments import by_name
from schema.fresh import launched
from schema.ladder import KERNELS, LadderError
from schema.load_ladder import load_ladder
from schema.recording import MACHINE, Card, dump

Tell = Callable[..., None]


@dataclass(frozen=True)
class Task:
    """One job as the worker needs it; ``skip`` maps parts that broke an earlier worker to the reason."""

    subject: str
    experiment: str
    quick: bool
    skip: dict[str, str] = field(default_factory=dict)


def serve(connection: Any, device_factory: str, gpu: int, kernels: str = str(KERNELS)) -> None:
    """Take tasks until None comes. ``device_factory`` is ``module:callable``, called with the GPU's index."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interruption means
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    with suppress(EOFError, ConnectionError):  # the parent is gone, and nobody is left to tell
        _serve(connection, _teller(connection), device_factory, gpu, Path(kernels))
    # Libraries that were called may crash while they are taken down at exit, after all results are with the parent.
    connection.close()
    os._exit(0)


def _end_with_the_parent() -> None:
    """A parent that is killed cannot end its worker, and a worker left alone would keep the GPU."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _teller(connection: Any) -> Tell:
    """Sends a message; the beats come from a thread of their own."""
    lock = threading.Lock()

    def tell(*message: Any) -> None:
        with lock:
            connection.send(message)

    return tell


def _serve(connection: Any, tell: Tell, device_factory: str, gpu: int, kernels: Path) -> None:
    module, _, name = device_factory.partition(":")
    watch = Watch(lambda stuck_s: tell("beat", stuck_s))
    try:
        device = watch.over(getattr(importlib.import_module(module), name)(gpu))
        card = read_card(device)
    except Exception as error:
        tell("failed", sentence(error), True)
        return
    tell("ready", card)
    cubins, answers = Cubins(), Answers()
    while (task := connection.recv()) is not None:
        with watch:
            reply = _reply(task, lambda t=task: open_session(t, device, tell, kernels, cubins, answers), card, kernels)
        tell(*reply)
        if reply[-1] is True:
            return


def _reply(task: Task, opened: Callable[[], Session], card: Card, kernels: Path) -> tuple[Any, ...]:
    """What became of a task; the card is empty again unless the process is lost."""
    try:
        session = opened()
    except Exception as error:
        return "failed", sentence(error), False
    try:
        reply = ("done", run_task(task, session, card, kernels))
    except (ContextLost, EOFError, ConnectionError) as error:
        return "failed", sentence(error), True
    except Exception as error:
        reply = ("failed", sentence(error), False)
    try:
        session.device.free_all()
    except Exception as error:  # what the task launched last broke the context
        return "failed", sentence(error), True
    return reply


def open_session(task: Task, device: Any, tell: Tell, kernels: Path, cubins: Cubins, answers: Answers) -> Session:
    """The session of a task: it tells the parent what is done, and shares what earlier tasks have made."""
    return Session(
        device,
        None if task.subject == MACHINE else load_ladder(kernels / task.subject),
        task.quick,
        progress=lambda what, share: tell("progress", what, share),
        doing=lambda part: tell("doing", part),
        skip=dict(task.skip),
        cubins=cubins,
        answers=answers,
    )


def run_task(task: Task, session: Session, card: Card, kernels: Path) -> dict[str, str]:
    """Experiment name -> text of its recording."""
    started = time.monotonic()
    before = launched(task.experiment, session.ladder)
    try:
        found = module_of(task.experiment).run(session)
    except OutOfMemory as error:
        found = {name: (not_measured(sentence(error)), {}) for name in by_name(task.experiment).files}
    ladder = None if session.ladder is None else load_ladder(kernels / task.subject)
    if launched(task.experiment, ladder) != before:
        raise LadderError(f"the kernels of {task.subject} were changed while they were recorded; record again")
    conditions = session.sampler.conditions() if session.loaded else not_measured("nothing was timed")
    remarks = session.sampler.remarks() if session.loaded else {}
    texts = {}
    practice = getattr(session.device, "practice", False)
    for name, (results, method) in found.items():
        told = {**method, **remarks}
        header = make_header(name, task.subject, session.ladder, card, started, task.quick, told, conditions, practice)
        texts[name] = dump(header, results)
    return texts
