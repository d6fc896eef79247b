"""What does a recording say at a path such as ``ladder.rung.cold``? A quantity, a gap, or an error that helps."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from publisher.facts.commands import repeat, to_record
from publisher.facts.quantity import Quantity
from publisher.facts.shape_paths import ShapePathError, find_shape
from publisher.facts.units import DATA, PLAIN, TIME, UNITS, WORK, unit_of_key
from publisher.faults import instead
from schema.recording import MACHINE, Card, CardRecordings, Recording
from schema.results import (
    ABSENT,
    EXPERIMENTS,
    Code,
    Failed,
    Model,
    NotDeclared,
    NotMeasured,
    ShapesResults,
    Table,
    Timed,
)
from schema.statistics import resolution_us, twin_difference

CONDITIONS = ("cold", "warm")
TIMES, CODE = "times", "code"
_GROUPS = ("flops", "least_bytes", "problem", "floors")  # parts of times that need no experiment's name
_CODE_FIELDS = (
    "registers",
    "blocks",
    "threads",
    "blocks_per_sm",
    "smem_bytes",
    "local_bytes",
    "const",
    "file",
    "entry",
)
_RUNG_FIELDS = ("title", "idea", "dtype")  # of code, beside the compiled kernel
_TIME_FIELDS = ("cold", "warm", "plain_cold", "plain_warm", "check")
_REFERENCE_FIELDS = ("accumulates", "returns", "version", "kernels")


class FactMissing(Exception):
    """This card has no such value although the path is good. ``command`` would fill it; "" where none can."""

    def __init__(self, what: str, command: str = "") -> None:
        super().__init__(what)
        self.what, self.command = what, command


class UnknownFact(Exception):
    """A path that names nothing on any card. The message says what exists instead."""

    needs = ("recordings", "kernels")  # the inputs by which it is unknown


@dataclass
class Facts:
    """The facts of one card. ``names`` and ``constants`` are what kernel files name, recorded or not."""

    card: CardRecordings
    cards: Mapping[str, CardRecordings] = field(default_factory=dict)  # all, to tell a gap from a misspelling
    names: Mapping[str, Iterable[str]] = field(default_factory=dict)
    constants: Mapping[str, Mapping[str, Container[str]]] = field(
        default_factory=dict
    )  # ladder -> rung -> names, from its source
    declared: Mapping[str, Container[str]] = field(default_factory=dict)  # ladder -> its experiments, where known
    _known: dict[str, Quantity | FactMissing | UnknownFact] = field(default_factory=dict, repr=False)
    _twins: dict[tuple[str, str], float] = field(default_factory=dict, repr=False)

    def get(self, path: str) -> Quantity:
        """The quantity at ``path``; raises ``FactMissing`` or ``UnknownFact``."""
        if path not in self._known:
            try:
                self._known[path] = self._find(path)
            except (FactMissing, UnknownFact) as error:
                self._known[path] = error
        found = self._known[path]
        if isinstance(found, Exception):
            raise found
        return found

    def _find(self, path: str) -> Quantity:
        parts = path.split(".")
        if parts[0] == "card":
            return self._of_card(path, parts[1:])
        subjects = self._subjects
        if parts[0] not in subjects:
            raise UnknownFact(f"{path}: there is no {parts[0]}; {instead(parts[0], ['card', *subjects])}")
        if len(parts) < 2:
            raise UnknownFact(f"{path} names no value; {instead('', self._seconds(path))}")
        subject, second = parts[0], parts[1]
        if second in _GROUPS and subject != MACHINE:
            return self._in(subject, TIMES, (second, *parts[2:]), path)
        if second in EXPERIMENTS:
            return self._in(subject, second, tuple(parts[2:]), path)
        return self._of_name(subject, second, parts[2:], path)

    @cached_property
    def _subjects(self) -> list[str]:
        recorded = {subject for card in (self.card, *self.cards.values()) for subject, _ in card.recordings}
        return sorted(recorded | set(self.names) | {MACHINE})

    def _seconds(self, subject: str) -> list[str]:
        return [*self._names(subject), *_GROUPS, *EXPERIMENTS]

    def _of_card(self, path: str, rest: list[str]) -> Quantity:
        known = [*Card.model_fields, "date"]
        if len(rest) != 1 or rest[0] not in known:
            raise UnknownFact(
                f"{path}: a card has no {'.'.join(rest) or 'empty field'}; {instead('.'.join(rest), known)}"
            )
        if rest[0] == "date":
            return Quantity(max(r.date for r in self.card.recordings.values()), kind="recorded", keys=(path,))
        value = getattr(self.card.card, rest[0])
        newest = max(self.card.recordings.values(), key=lambda r: r.header.recorded)
        return self._quantity(value, rest[0], path, newest, path)

    def _of_name(self, subject: str, name: str, rest: list[str], path: str) -> Quantity:
        """A rung, a reference or a floor by its own name."""
        names = self._names(subject)
        if names and name not in names:
            raise UnknownFact(f"{path}: {subject} has no {name}; {instead(name, self._seconds(subject))}")
        fields = [*_TIME_FIELDS, *_CODE_FIELDS, *_RUNG_FIELDS, *_REFERENCE_FIELDS]
        if not rest or rest[0] not in fields:
            raise UnknownFact(
                f"{path}: {name} has no {'.'.join(rest) or 'empty field'}; {instead('.'.join(rest), fields)}"
            )
        if rest[0] in _CODE_FIELDS:
            return self._of_code(subject, name, rest, path)
        if rest[0] in _RUNG_FIELDS:
            return self._in(subject, CODE, ("rungs", name, *rest), path)
        groups = ("references",) if rest[0] in _REFERENCE_FIELDS else ("rungs", "references", "floors")
        times = self._need(subject, TIMES)
        for group in groups:
            if name in getattr(times.results, group):
                return self._in(subject, TIMES, (group, name, *rest), path)
        raise FactMissing(f"{self.card.card.name} has no {rest[0]} of {name}", self._younger(subject, TIMES, path))

    def _of_code(self, subject: str, name: str, rest: list[str], path: str) -> Quantity:
        recording = self._need(subject, CODE)
        rung = recording.results.rungs.get(name)
        if rung is None:
            raise FactMissing(f"{self.card.card.name} has no compiled {name}", self._younger(subject, CODE, path))
        code = self._state(rung.code, path, recording)
        assert isinstance(code, Code)
        made = {
            "blocks": math.prod(code.grid),
            "threads": math.prod(code.block),
            "smem_bytes": code.dynamic_smem_bytes + code.static_smem_bytes,
        }
        if rest[0] == "const":
            if (
                len(rest) == 2
                and rest[1] not in code.constants
                and rest[1] in self.constants.get(subject, {}).get(name, ())
            ):
                raise FactMissing(
                    f"{self.card.card.name} recorded {name} before it had {rest[1]}",
                    to_record(self.card, subject, CODE)[1],
                )
            if len(rest) != 2 or rest[1] not in code.constants:
                raise UnknownFact(
                    f"{path}: {name} has no constant {'.'.join(rest[1:])}; {instead(rest[-1], code.constants)}"
                )
            return self._quantity(code.constants[rest[1]], "", path, recording, path)
        if len(rest) > 1:
            raise UnknownFact(f"{path}: {rest[0]} is a value and has no parts")
        value = made[rest[0]] if rest[0] in made else getattr(code, rest[0])
        return self._quantity(value, rest[0], path, recording, path)

    def _names(self, subject: str) -> list[str]:
        found = list(self.names.get(subject, ()))
        for card in (self.card, *self.cards.values()):
            code, times = card.get(subject, CODE), card.get(subject, TIMES)
            found += code.results.rungs if code else ()
            if times:
                found += [*times.results.rungs, *times.results.references, *times.results.floors]
        return list(dict.fromkeys(found))

    def _need(self, subject: str, experiment: str) -> Recording:
        found = self.card.get(subject, experiment)
        if found is None:
            why, command = to_record(self.card, subject, experiment, self.declared.get(subject))
            raise FactMissing(f"{self.card.card.name} has no recording of {subject}/{experiment}{why}", command)
        return found

    def _in(self, subject: str, experiment: str, rest: tuple[str, ...], path: str) -> Quantity:
        """The value at ``rest`` in the results of an experiment; ``rungs`` may be left out of the path."""
        recording = self._need(subject, experiment)
        here: Any = recording.results
        if rest and not _has(here, rest[0]) and _has(here, "rungs"):
            rest = ("rungs", *rest)
        elif len(rest) > 1 and isinstance(here, ShapesResults) and rest[0] != "shapes":
            rest = self._shape(subject, here, rest, path)
        for i, part in enumerate(rest):
            here = self._state(here, path, recording)
            if not _has(here, part):
                elsewhere = self._elsewhere(path)
                if elsewhere or (isinstance(here, list) and part.isdigit()):
                    again = to_record(self.card, subject, experiment)[1] if elsewhere else ""
                    raise FactMissing(f"{self.card.card.name} has no {path}", again)
                whole = ".".join((subject, experiment, *rest[:i]))
                raise UnknownFact(f"{path}: {whole} has no {part}; {instead(part, _keys(here))}")
            here = _get(here, part)
        if not rest:
            raise UnknownFact(f"{path} is a whole recording, not one value; {instead('', _keys(here))}")
        last = rest[-1]
        parent = rest[-2] if len(rest) > 1 else ""
        return self._quantity(here, last, path, recording, canonical(subject, experiment, rest), parent)

    def _shape(self, subject: str, shapes: ShapesResults, rest: tuple[str, ...], path: str) -> tuple[str, ...]:
        """The place of a shape that is named by its sizes."""
        try:
            found = find_shape(shapes, self._need(subject, TIMES).results.problem, rest)
        except ShapePathError as error:
            if self._elsewhere(path):
                found = None
            else:
                raise UnknownFact(f"{path}: {error}") from None
        if found is None:
            again = to_record(self.card, subject, "shapes")[1] if self._elsewhere(path) else ""
            raise FactMissing(f"{self.card.card.name} has no {path}", again)
        return found

    def _younger(self, subject: str, experiment: str, path: str) -> str:
        """The command that records what another card has and this one lacks, or what a kernel's file has since."""
        name = path.split(".")[1]
        recording = self._need(subject, experiment)
        lacks = name in self.names.get(subject, ()) and name not in recording.results.rungs
        return to_record(self.card, subject, experiment)[1] if lacks or self._elsewhere(path) else ""

    def _elsewhere(self, path: str) -> bool:
        """Whether some other card has this very path: then it is a gap here, not a misspelling."""
        for card in self.cards.values():
            if card.slug != self.card.slug:
                try:
                    Facts(card, {}, self.names, self.constants).get(path)
                except FactMissing:
                    continue
                except UnknownFact:
                    continue
                return True
        return False

    def _state(self, value: Any, path: str, recording: Recording) -> Any:
        header = recording.header
        if isinstance(value, ABSENT):
            again = repeat(self.card, header.subject, header.experiment, value)
            raise FactMissing(f"{path} {reason(value)} ({header.card.name})", again)
        return value

    def _quantity(
        self, value: Any, key: str, path: str, recording: Recording, canonical: str, parent: str = ""
    ) -> Quantity:
        value = self._state(value, path, recording)
        base: dict[str, Any] = {"keys": (canonical,), "recordings": (recording.key,), "date": recording.date}
        if isinstance(value, Timed):
            return self._time(value, canonical, recording, base)
        if isinstance(value, bool):
            return Quantity("yes" if value else "no", kind="recorded", **base)
        if isinstance(value, str) and len(value) <= 400:
            return Quantity(value, kind="recorded", **base)
        if isinstance(value, list) and all(isinstance(part, str) for part in value):
            return Quantity(", ".join(value) or "none", kind="recorded", **base)
        if isinstance(value, (int, float)):
            unit = unit_of_key(key) or ("bytes" if parent == "least_bytes" else "")
            factor, dimension = UNITS.get(unit, (1, PLAIN))
            if key == "flops":
                dimension = WORK
            held = value if factor == 1 else value * factor
            kind = "derived" if dimension == WORK or parent == "least_bytes" else "recorded"
            return Quantity(held, dimension, kind, unit="" if dimension in (TIME, DATA) else unit, **base)
        what = "a table" if isinstance(value, Table) else "a listing" if isinstance(value, str) else "a group of values"
        raise UnknownFact(f"{path} is {what}, not one value; {instead('', _keys(value))}")

    def _time(self, timed: Timed, canonical: str, recording: Recording, base: dict[str, Any]) -> Quantity:
        condition = canonical.rsplit(".", 1)[-1].removeprefix("plain_")
        twins = self.twin_difference(recording.header.subject, condition)
        samples = timed.samples
        return Quantity(
            samples.median_us,
            TIME,
            "recorded",
            statistic="median",
            samples=samples.count,
            resolution=resolution_us(samples, samples, twins),
            source=samples,
            twin_difference=twins,
            **base,
        )

    def twin_difference(self, subject: str, condition: str) -> float:
        """The largest relative difference that second runs showed in this ladder's times; 0 without twins."""
        if (subject, condition) not in self._twins:
            self._twins[subject, condition] = largest_twin_difference(self.card.get(subject, TIMES), condition)
        return self._twins[subject, condition]


def largest_twin_difference(times: Recording | None, condition: str) -> float:
    """The A/A test of one condition: the largest difference of a twin from the run it repeats, as a fraction."""
    if times is None or condition not in CONDITIONS:
        return 0.0
    found = [0.0]
    for name, twin in times.results.twins.items():
        for group in (times.results.rungs, times.results.references, times.results.floors):
            first, second = getattr(group.get(name), condition, None), getattr(twin, condition)
            if isinstance(first, Timed) and isinstance(second, Timed):
                found.append(twin_difference(first.samples, second.samples))
    return max(found)


def reason(value: Failed | NotMeasured | NotDeclared) -> str:
    """``failed: why``, ``was not measured: why`` or ``is not declared: why``."""
    if isinstance(value, NotDeclared):
        return f"is not declared: {value.not_declared}"
    return f"failed: {value.failed}" if isinstance(value, Failed) else f"was not measured: {value.not_measured}"


def canonical(subject: str, experiment: str, rest: tuple[str, ...]) -> str:
    """One spelling a fact, the one that figures put in their points' ids."""
    if experiment == TIMES and rest[0] in ("rungs", "references"):
        return ".".join((subject, *rest[1:]))
    if experiment == TIMES:
        return ".".join((subject, *rest))
    return ".".join((subject, experiment, *(rest[1:] if rest and rest[0] == "rungs" else rest)))


def _keys(value: Any) -> list[str]:
    if isinstance(value, Model):
        return list(type(value).model_fields)
    if isinstance(value, dict):
        return list(value)
    return [str(i) for i in range(len(value))] if isinstance(value, list) else []


def _has(value: Any, part: str) -> bool:
    return part in _keys(value)


def _get(value: Any, part: str) -> Any:
    if isinstance(value, Model):
        return getattr(value, part)
    return value[int(part)] if isinstance(value, list) else value[part]
