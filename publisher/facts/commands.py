"""Which command would record what a page lacks? None where running it cannot help: then the reason stands alone."""

from __future__ import annotations

from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any

from schema.experiments import CODE, declared_by
from schema.kernel_text import SourceError
from schema.ladder import LadderError
from schema.load_ladder import load_ladder
from schema.recording import MACHINE, CardRecordings
from schema.results import Failed, Model, NotMeasured


def rerecord(subject: str, experiment: str, force: bool = False) -> str:
    """The command that records an experiment on a card, ``force``: though it is recorded."""
    return f"python -m recorder --gpu 0 {'--force ' if force else ''}--only {subject}/{experiment}"


def declared(folder: Path) -> frozenset[str] | None:
    """The experiments that a ladder has something for; None where its ``ladder.py`` cannot be used, so all may be."""
    try:
        ladder = load_ladder(folder)
    except (LadderError, SourceError):  # the recorder says so to whoever runs the command
        return None
    return declared_by(ladder)


def to_record(
    card: CardRecordings, subject: str, experiment: str, known: Container[str] | None = None
) -> tuple[str, str]:
    """Why a card has no such recording, as the end of a sentence, and the command; ``known``: see ``declared``."""
    without = card.without.get((subject, experiment))
    if without:
        ((kind, why),) = without.results
        said = "failed" if kind == "failed" else "was not measured"
        return f", which {said}: {why}", repeat(card, subject, experiment, without.results)
    if known is not None and subject != MACHINE and experiment not in known:
        return ": the ladder declares nothing for it", ""
    return "", _command(card, subject, experiment)


def repeat(card: CardRecordings, subject: str, experiment: str, *values: Any) -> str:
    """The command where something in ``values`` failed. What was not measured would not be the next time either."""
    failed = any(isinstance(found, Failed) for value in values for _, found in absences(value))
    return _command(card, subject, experiment) if failed else ""


def absences(value: Any, path: str = "") -> Iterator[tuple[str, Failed | NotMeasured]]:
    """All that failed or was not measured in a part of a recording, each with its path."""
    if isinstance(value, (Failed, NotMeasured)):
        yield path, value
    elif isinstance(value, (Model, dict)):
        parts = {name: getattr(value, name) for name in type(value).model_fields} if isinstance(value, Model) else value
        for name, inner in parts.items():
            if not isinstance(inner, (int, float, str)):
                yield from absences(inner, f"{path}.{name}" if path else str(name))
    elif isinstance(value, (list, tuple)):
        for place, inner in enumerate(value):
            if not isinstance(inner, (int, float, str)):
                yield from absences(inner, f"{path}.{place}" if path else str(place))


def _command(card: CardRecordings, subject: str, experiment: str) -> str:
    """Of an architecture that was only compiled for, code alone can be had."""
    if card.compile_only:
        return f"python -m recorder --arch {card.card.arch} --only {subject}/{CODE}" if experiment == CODE else ""
    return rerecord(subject, experiment)
