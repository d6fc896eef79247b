"""Which experiments are there? Each module here has ``run(session)``, and estimates of its seconds on a large card."""

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

    def estimate_s(self, quick: bool = False) -> int:
        return self.module.QUICK_S if quick else self.module.ESTIMATE_S

    @property
    def files(self) -> tuple[str, ...]:
        """The recordings that it makes, in the order of writing: its own comes last, and says that all are there."""
        return (*self.also, self.name)


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
    Experiment("counters"),
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

    @property
    def names(self) -> tuple[str, ...]:
        """What ``--only`` may call it."""
        by_products = (f"{self.subject}/{name}" for name in self.experiment.also)
        return (self.key, self.subject, self.experiment.name, *by_products)


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
