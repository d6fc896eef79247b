"""What did somebody else print? The one loader of ``recordings/published/``: strict, and never without a source."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, StringConstraints, ValidationError

from publisher.units import SUFFIXES
from recorder.recording import RecordingError, dotted, nearest_line, parse_yaml
from recorder.results import Model

MAX_BYTES = 100_000
UNITS = SUFFIXES | {"GB": "GB", "MB": "MB"}

Words = Annotated[str, StringConstraints(min_length=1, max_length=300)]
Key = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_]{0,63}$")]
Flat = dict[Key, int | float | Words]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]


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
    for path in sorted(folder.glob("*.yaml")):
        shown = f"{folder.parent.name}/{folder.name}/{path.name}"
        try:
            sets[path.stem] = _load(path, shown)
        except RecordingError as error:
            faults.append(str(error))
    if faults:
        raise RecordingError("\n".join(faults))
    return sets


def _load(path: Path, shown: str) -> PublishedSet:
    if path.stat().st_size > MAX_BYTES:
        raise RecordingError(f"{shown}:1: has more than {MAX_BYTES:,} bytes; published figures are few")
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise RecordingError(f"{shown}:1: is not UTF-8") from None
    data, lines = parse_yaml(text, shown)
    if not path.stem.replace("_", "a").isalnum() or not path.stem.islower():
        raise RecordingError(
            f"{shown}:1: a file of published figures is named in small letters, digits and underscores"
        )
    try:
        parsed = PublishedFile.model_validate(data)
    except ValidationError as error:
        raise RecordingError("\n".join(_sentences(error, shown, lines))) from None
    faults = [f"{shown}:{nearest_line(p, lines)}: {dotted(p)}: {why}" for p, why in _bad(parsed.values, ("values",))]
    if faults:
        raise RecordingError("\n".join(faults))
    return PublishedSet(path.stem, shown, parsed)


def _sentences(error: ValidationError, shown: str, lines: dict[tuple[str, ...], int]) -> Iterator[str]:
    told: set[tuple[str, ...]] = set()
    for fault in error.errors(include_url=False, include_context=False):
        path = tuple(str(part) for part in fault["loc"])
        if path not in lines and fault["type"] != "missing":
            path = path[:-1]  # the last part names a member of a union, which is no key of the file
        if path in told:
            continue
        told.add(path)
        why = {"missing": "is missing", "extra_forbidden": "is not a key that belongs here"}.get(fault["type"])
        if path == ("source",) and why == "is missing":
            why = "is missing; a published figure without a source cannot be shown"
        yield f"{shown}:{nearest_line(path, lines)}: {dotted(path) or 'the file'}: {why or fault['msg']}"


def _bad(here: dict[str, Any], path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """The leaves that are neither a finite number nor a short text, with the reason."""
    for key, value in here.items():
        place = (*path, key)
        if isinstance(value, dict):
            yield from _bad(value, place)
        elif isinstance(value, bool) or not isinstance(value, (int, float, str)):
            yield place, "must be a number or a short text"
        elif isinstance(value, float) and not abs(value) < float("inf"):
            yield place, "must be a finite number"
        elif isinstance(value, str) and not 0 < len(value) <= 300:
            yield place, "must have 1 to 300 characters"


def _leaves(here: dict[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    for key, value in here.items():
        if isinstance(value, dict):
            yield from _leaves(value, (*path, key))
        else:
            yield ".".join((*path, key))
