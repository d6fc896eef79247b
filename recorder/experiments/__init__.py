"""How is each experiment made? A module here has ``run(session)``, and estimates of its seconds on a large card."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from types import ModuleType

from schema.experiments import ALL, COUNTERS, Experiment
from schema.ladder import Ladder
from schema.recording import MACHINE


def module_of(name: str) -> ModuleType:
    """The module that makes an experiment."""
    return import_module(f"{__name__}.{name}")


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

    def estimate_s(self, quick: bool = False) -> int:
        """About how many seconds it takes on a large card."""
        module = module_of(self.experiment.name)
        return module.QUICK_S if quick else module.ESTIMATE_S


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
