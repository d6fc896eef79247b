"""Which experiments are there? Each module here has ``run(session)``, and an estimate of its seconds on a card."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from recorder.ladder import Ladder
from recorder.recording import MACHINE


@dataclass(frozen=True)
class Experiment:
    """``needs(ladder)`` says whether a ladder declares what the experiment is about; ``also`` are by-products."""

    name: str
    of_machine: bool = False
    also: tuple[str, ...] = ()
    needs: Callable[[Ladder], bool] = lambda ladder: True

    @property
    def module(self) -> Any:
        return import_module(f"recorder.experiments.{self.name}")

    @property
    def estimate_s(self) -> int:
        return self.module.ESTIMATE_S


# In the order they run: what a page needs first comes first.
ALL = (
    Experiment("code"),
    Experiment("times", also=("conditions",)),
    Experiment("placement", needs=lambda ladder: bool(ladder.placements)),
    Experiment("fragment", of_machine=True),
    Experiment("peaks", of_machine=True),
    Experiment("probes", needs=lambda ladder: bool(ladder.probes)),
    Experiment("one_change", needs=lambda ladder: bool(ladder.comparisons)),
    Experiment("shapes", needs=lambda ladder: bool(ladder.shapes)),
    Experiment("resolution"),
    Experiment("sweep", needs=lambda ladder: ladder.sweep is not None),
    Experiment("counters", needs=lambda ladder: True),
)
COUNTERS = "counters"


def by_name(name: str) -> Experiment:
    """The experiment of this name."""
    return next(e for e in ALL if e.name == name)


@dataclass(frozen=True)
class Job:
    """One experiment of one subject: the unit of work, of resuming and of loss."""

    subject: str
    experiment: Experiment

    @property
    def key(self) -> str:
        return f"{self.subject}/{self.experiment.name}"


def jobs(ladders: dict[str, Ladder], counters: bool = False) -> list[Job]:
    """Every job there is, in order."""
    found = []
    for experiment in ALL:
        if experiment.name == COUNTERS and not counters:
            continue
        subjects = (
            [MACHINE] if experiment.of_machine else [s for s, ladder in ladders.items() if experiment.needs(ladder)]
        )
        found += [Job(subject, experiment) for subject in subjects]
    return found
