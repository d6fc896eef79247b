"""Which experiments are there? Their names in order, whom each is about, and what a ladder must declare for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from schema.ladder import Ladder


@dataclass(frozen=True)
class Experiment:
    """``needs(ladder)`` says whether a ladder declares what the experiment is about; ``also`` are by-products."""

    name: str
    of_machine: bool = False
    also: tuple[str, ...] = ()
    needs: Callable[[Ladder], bool] = lambda ladder: True

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
CODE = "code"  # the only one that needs no card
COUNTERS = "counters"  # the only one that is made on request alone: it takes a profiler
OF_MACHINE = tuple(name for experiment in ALL if experiment.of_machine for name in experiment.files)


def by_name(name: str) -> Experiment:
    """The experiment of this name."""
    return next(experiment for experiment in ALL if experiment.name == name)


def declared_by(ladder: Ladder) -> frozenset[str]:
    """The experiments of its own that a ladder has something for, by-products among them."""
    return frozenset(
        name
        for experiment in ALL
        if not experiment.of_machine and experiment.needs(ladder)
        for name in experiment.files
    )
