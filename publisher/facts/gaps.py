"""What was not measured on a card? Every absent experiment and every failed or skipped value, with its reason."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from publisher.facts.commands import absences, repeat, to_record
from schema.experiments import OF_MACHINE
from schema.recording import MACHINE, CardRecordings
from schema.results import EXPERIMENTS, Failed, Model, NotMeasured

NOT_RUN = "this experiment was not run on this card"
MOST = 40  # of one experiment; a hostile recording must not make an endless page


@dataclass(frozen=True)
class Gap:
    what: str
    why: str
    command: str  # "" where running again would meet the same reason


def gaps_of(card: CardRecordings, subject: str, declared: Collection[str] | None = None) -> list[Gap]:
    """The gaps in what a card says of one ladder and of itself; ``declared``: the experiments that the ladder has."""
    found = []
    newest = {recording.date: recording for recording in card.recordings.values()}
    if newest:
        for name, value in sorted(vars(card.card).items()):
            if isinstance(value, NotMeasured):
                found.append(Gap(f"card.{name}", _why(value), repeat(card, MACHINE, "peaks", value)))
    for experiment in EXPERIMENTS:
        where = MACHINE if experiment in OF_MACHINE else subject
        recording = card.get(where, experiment)
        if declared is not None and where == subject and experiment not in declared:
            continue
        if recording is None:
            without = card.without.get((where, experiment))
            why, command = to_record(card, where, experiment, declared)
            why = _why(without.results) if without else why.removeprefix(": ") or NOT_RUN
            found.append(Gap(f"{where}/{experiment}", why, command))
            continue
        missing = [(path, _why(value)) for path, value in _walk(recording.results, "")]
        shown = {why: [path for path, other in missing if other == why] for _, why in missing}
        for why, paths in list(shown.items())[:MOST]:
            listed = "; ".join(paths[:6]) + (f" and {len(paths) - 6} more" if len(paths) > 6 else "")
            again = [value for _, value in absences(recording.results) if _why(value) == why]
            found.append(Gap(f"{where}/{experiment}: {listed}", why, repeat(card, where, experiment, *again)))
    return found


def _walk(value: Any, path: str) -> Iterator[tuple[str, Failed | NotMeasured]]:
    if isinstance(value, (Failed, NotMeasured)):
        yield path.removeprefix("rungs."), value
    elif isinstance(value, Model):
        for name in type(value).model_fields:
            yield from _walk(getattr(value, name), f"{path}.{name}" if path else name)
    elif isinstance(value, dict):
        for name, inner in value.items():
            if not isinstance(inner, (int, float, str)):
                yield from _walk(inner, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list) and value and isinstance(value[0], Model):
        for i, inner in enumerate(value):
            for place, gap in _walk(inner, ""):
                yield _named(inner, i) if place == "times" else f"{path}.{i}.{place}", gap


def _named(entry: Any, place: int) -> str:
    """A setting by its constants, a shape by its kernel and sizes, anything else by its place."""
    constants = {name.lower(): value for name, value in (getattr(entry, "constants", None) or {}).items()}
    sizes = constants or getattr(entry, "problem", None)
    if not sizes:
        return str(place)
    words = [f"{name.replace('_', ' ')} {size}" for name, size in sizes.items()]
    return ", ".join([*filter(None, [getattr(entry, "entry", "")]), *words])


def _why(value: Failed | NotMeasured) -> str:
    return f"failed: {value.failed}" if isinstance(value, Failed) else value.not_measured
