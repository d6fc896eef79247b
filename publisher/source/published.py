"""What did somebody else print? The one loader of ``recordings/published/``: strict, and never without a source."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, StringConstraints

from publisher.facts.units import SUFFIXES
from schema.fit import fit, sentence
from schema.numbers import RANGES, out_of_range
from schema.results import Model
from schema.strict_yaml import Path as Place
from schema.strict_yaml import dotted, nearest_line, parse_yaml
from schema.texts import RecordingError, read_text

MAX_BYTES = 100_000
UNITS = SUFFIXES | {"GB": "GB", "MB": "MB"}

Words = Annotated[str, StringConstraints(min_length=1, max_length=300)]
Key = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_]{0,63}$")]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]


def _leaf(value: Any) -> Any:
    """A number, kept as it was written, or a short text."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ValueError("must be a number or a short text")
    if isinstance(value, str) and not 0 < len(value) <= 300:
        raise ValueError("must have 1 to 300 characters")
    return value


Flat = dict[Key, Annotated[Any, AfterValidator(_leaf)]]


class Source(Model):
    """Who printed the values. The title is what a page shows."""

    title: Words
    publisher: Words | None = None
    figures_from: Words | None = None
    measured: Words | None = None

    @property
    def text(self) -> str:
        parts = [f"“{self.title}”", self.publisher, self.figures_from and f"figures from {self.figures_from}"]
        return ", ".join(part for part in parts if part)


class PublishedCard(Model):
    """The card of the source, as far as the source tells."""

    name: Words
    sms: int | None = None
    compute_capability: Words | None = None
    driver: Words | None = None
    toolkit: Words | None = None
    flags: Words | None = None
    l2_MB: float | int | None = None
    memory_GB: float | int | None = None
    fp32_tflops: float | int | None = None
    dram_GBps: float | int | None = None


class PublishedFile(Model):
    """One file. ``values`` are maps in maps; a leaf is a number, whose key ends in its unit, or a short text."""

    source: Source
    card: PublishedCard
    problem: Flat = Field(default_factory=dict)
    method: Flat = Field(default_factory=dict)
    values: Annotated[dict[Key, Any], Field(min_length=1)]


@dataclass(frozen=True)
class Published:
    """One published value: ``unit`` is empty for a plain number or a text; ``key`` is ``set.path``."""

    value: float | str
    unit: str
    source: str
    card: str
    key: str


@dataclass(frozen=True)
class PublishedSet:
    """All values of one source. ``file`` is its path below the recordings' folder."""

    name: str
    file: str
    data: PublishedFile

    def get(self, path: str) -> Published:
        """The value at ``kernels.6.cold_us`` (or ``card.sms``, ``method.samples``).

        Raises ``KeyError`` with a sentence that names what exists instead.
        """
        tree = self._tree
        here: Any = tree
        seen: list[str] = []
        for part in path.split("."):
            if not isinstance(here, dict) or part not in here:
                raise KeyError(self._no_such(path, seen, here))
            here = here[part]
            seen.append(part)
        if isinstance(here, dict):
            raise KeyError(f"published {self.name}.{path} is a group of values; name one of {', '.join(here)}")
        return Published(
            here, unit_of(seen[-1], here), self.data.source.text, self.data.card.name, f"{self.name}.{path}"
        )

    def number(self, path: str) -> float | None:
        """The number at ``path``, or ``None`` where the source printed none."""
        try:
            value = self.get(path).value
        except KeyError:
            return None
        return None if isinstance(value, str) else float(value)

    def paths(self) -> Iterator[str]:
        """Every path that ``get`` accepts, in the order of the file."""
        yield from _leaves(self._tree, ())

    @property
    def _tree(self) -> dict[str, Any]:
        head = {"card": self.data.card.model_dump(exclude_none=True), "method": self.data.method}
        return {**self.data.values, **head, "problem": self.data.problem}

    def _no_such(self, path: str, seen: list[str], here: Any) -> str:
        known = list(here) if isinstance(here, dict) else []
        last = path.split(".")[len(seen)]
        close = difflib.get_close_matches(last, known, n=1)
        where = ".".join((self.name, *seen))
        hint = f"did you mean {close[0]}?" if close else f"{where} has {', '.join(known) or 'no parts'}"
        return f"published {where} has no {last}; {hint}"


def unit_of(key: str, value: float | str) -> str:
    """The unit that a key's ending declares, as a page writes it; empty for texts and plain numbers."""
    return "" if isinstance(value, str) else UNITS.get(key.rsplit("_", 1)[-1], "")


def load_published(folder: Path) -> dict[str, PublishedSet]:
    """Every source in ``folder``, by file name without its ending; an absent folder has none.

    All faults of all files come in one ``RecordingError``, each as ``file:line: key: what is wrong``.
    """
    sets: dict[str, PublishedSet] = {}
    faults: list[str] = []
    for path in sorted(folder.glob("[!.]*.yaml")):
        shown = f"{folder.parent.name}/{folder.name}/{path.name}"
        try:
            sets[path.stem] = _load(path, shown)
        except RecordingError as error:
            faults.append(str(error))
    if faults:
        raise RecordingError("\n".join(faults))
    return sets


def _load(path: Path, shown: str) -> PublishedSet:
    data, lines = parse_yaml(read_text(path, shown, MAX_BYTES), shown)
    if not path.stem.replace("_", "a").isalnum() or not path.stem.islower():
        raise RecordingError(
            f"{shown}:1: a file of published figures is named in small letters, digits and underscores"
        )
    faults: list[str] = []
    parsed = fit(PublishedFile, data, (), shown, lines, faults, _said)
    if parsed is not None:
        faults += [f"{shown}:{nearest_line(place, lines)}: {dotted(place)}: {why}" for place, why in _wrong(data, ())]
    if parsed is None or faults:
        raise RecordingError("\n".join(faults))
    return PublishedSet(path.stem, shown, parsed)


def _said(fault: Any) -> str:
    hint = "; a published figure without a source cannot be shown" if fault["loc"] == ("source",) else ""
    return f"{sentence(fault)}{hint}"


def _wrong(here: dict[str, Any], path: Place) -> Iterator[tuple[Place, str]]:
    """Leaves that are no leaf, numbers that nobody measured, and texts where a key's unit promises a number."""
    for key, value in here.items():
        place, unit = (*path, key), key.rsplit("_", 1)[-1]
        if isinstance(value, dict):
            yield from _wrong(value, place)
        elif isinstance(value, str) and unit_of(key, 0):
            yield place, f"must be a number, because its key ends in {unit}; this is the text {value[:40]!r}"
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            if why := out_of_range(value, unit if unit in RANGES else ""):
                yield place, why
        elif path[:1] == ("values",):
            try:
                _leaf(value)
            except ValueError as error:
                yield place, str(error)


def _leaves(here: dict[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    for key, value in here.items():
        if isinstance(value, dict):
            yield from _leaves(value, (*path, key))
        else:
            yield ".".join((*path, key))
