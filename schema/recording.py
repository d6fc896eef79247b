"""What is a recording? Its header, its file, its card: the one place that knows the format. No CUDA, no HTML.

A recording is one YAML file, ``recordings/<card>/<subject>/<experiment>.yaml``. The subject is a ladder, or
``machine`` for what belongs to the card alone. It may come from a stranger, so it is read strictly, without unknown
keys, and every error names file, line and key.
"""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import AfterValidator, Field

from schema.fit import fit, kind_of
from schema.numbers import Celsius, Count, MHz, Plain, Seconds, Size, Watts
from schema.results import EXPERIMENTS, Failed, Line, Maybe, Model, NotMeasured, Slug, Text
from schema.strict_yaml import at_most, looks_like_a_number, parse_yaml
from schema.texts import RecordingError, read_text

SCHEMA = 2
MACHINE = "machine"
MAX_BYTES = 8_000_000
KEPT_ASIDE = re.compile(r".+\.yaml\.old\d*")  # what could not be read when it was recorded again, and nobody reads

CardSlug = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
MaybeSize = Maybe[Size]
MaybeText = Maybe[Text]
Sms = Annotated[int, Field(ge=1, le=4096)]  # figures draw a cell each


class Card(Model):
    """The GPU that was recorded. A compile-only card has no device: its slug is its arch, its sizes not measured."""

    slug: CardSlug
    name: Line
    arch: Annotated[str, Field(pattern=r"^sm_[0-9]{2,3}[af]?$")]
    sms: Maybe[Sms]
    l2_bytes: MaybeSize
    memory_bytes: MaybeSize
    smem_per_sm_bytes: MaybeSize
    smem_per_block_bytes: MaybeSize
    registers_per_sm: MaybeSize
    threads_per_sm: MaybeSize
    blocks_per_sm: MaybeSize
    sm_clock_max_MHz: Maybe[MHz]
    memory_clock_max_MHz: Maybe[MHz]
    power_limit_W: Maybe[Watts]
    driver: MaybeText


class Conditions(Model):
    """The card's state under load: medians over an experiment, and every reason that was seen to slow the clocks."""

    sm_clock_MHz: Maybe[MHz]
    memory_clock_MHz: Maybe[MHz]
    power_W: Maybe[Watts]
    temperature_C: Maybe[Celsius]
    throttle_reasons: list[Text]
    other_processes: Maybe[Count]


def _a_time(text: str) -> str:
    try:
        datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ")
    except ValueError:
        raise ValueError("is not a date and time as in 2026-01-31T23:59:59Z") from None
    return text


class Header(Model):
    schema_: int = Field(alias="schema")
    experiment: Slug
    subject: Slug
    recorded: Annotated[str, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z$"), AfterValidator(_a_time)]
    seconds: Seconds
    quick: bool
    practice: bool  # made by a device of make-believe, for an author to try a ladder: no page may show its numbers
    card: Card
    toolkit: dict[Text, Text]
    sources: dict[Text, Text]  # kernel file that was launched -> hash of its source with comments blanked
    declared: dict[Slug, Text]  # what the ladder declared of it, resolved: see ``schema.fresh``
    method: dict[Slug, Text | Plain | bool]
    conditions: Maybe[Conditions]


@dataclass(frozen=True)
class Recording:
    """A loaded recording: ``header``, ``results`` (a model of ``schema.results``), and where it came from."""

    header: Header
    results: Any
    path: Path | None = None
    lines: dict[tuple[str, ...], int] = field(default_factory=dict, repr=False)

    @property
    def key(self) -> str:
        return f"{self.header.subject}/{self.header.experiment}"

    @property
    def card(self) -> Card:
        return self.header.card

    @property
    def date(self) -> str:
        return self.header.recorded[:10]


# ---- reading ---------------------------------------------------------------------------------------------------


def load(path: Path, root: Path | None = None) -> Recording:
    """Read and check one recording; ``RecordingError`` lists every fault with file, line and key."""
    shown = str(path.relative_to(root)) if root and path.is_relative_to(root) else str(path)
    return parse(read_text(path, shown, MAX_BYTES), shown, path)


def parse(text: str, shown: str, path: Path | None = None) -> Recording:
    """Check the text of a recording; ``shown`` is the file name used in errors."""
    data, lines = parse_yaml(text, shown)
    if not isinstance(data, dict):
        raise RecordingError(f"{shown}:1: a recording is a map of keys; this is {kind_of(data)}")
    schema = data.get("schema")
    if type(schema) is not int or schema != SCHEMA:
        raise RecordingError(
            f"{shown}:{lines.get(('schema',), 1)}: schema is {kind_of(schema)}; this version reads schema {SCHEMA}. "
            "Record again with: python -m recorder --force"
        )
    results = data.pop("results", None)
    experiment = data.get("experiment")
    if not isinstance(experiment, str) or experiment not in EXPERIMENTS:
        known = ", ".join(EXPERIMENTS)
        line = lines.get(("experiment",), 1)
        raise RecordingError(f"{shown}:{line}: experiment is {kind_of(experiment)}; known experiments are {known}")
    faults: list[str] = []
    header = fit(Header, data, (), shown, lines, faults)
    model = _whole_experiment(results) or EXPERIMENTS[experiment]
    body = fit(model, results, ("results",), shown, lines, faults)
    if faults:
        raise RecordingError("\n".join(at_most(faults, shown)))
    assert header is not None
    assert body is not None
    return Recording(header, body, path, lines)


def _whole_experiment(results: Any) -> type[Model] | None:
    """``Failed`` or ``NotMeasured`` when the results say only why there are none."""
    if isinstance(results, dict) and len(results) == 1:
        return {"failed": Failed, "not_measured": NotMeasured}.get(next(iter(results)))
    return None


# ---- writing ---------------------------------------------------------------------------------------------------


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def _string(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    if "\n" in text:
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|")
    style = "'" if looks_like_a_number(text) else None  # what YAML leaves a text, a reader may take for a number
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _string)


def dump(header: Header, results: Model) -> str:
    """The YAML text of a recording; ``parse`` of it gives equal models back."""
    body = header.model_dump(by_alias=True, mode="json")
    body["results"] = results.model_dump(mode="json")
    return yaml.dump(body, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)


def write_atomically(path: Path, text: str) -> None:
    """Write beside ``path`` and rename: a reader sees the old file or the new one, never half of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def numbers_block(values: Any, decimals: int = 5, per_line: int = 20) -> str:
    """Numbers as a text block: rounded to ``decimals``, trailing zeros dropped, ``per_line`` a line."""
    words = [f"{float(v):.{decimals}f}" for v in values]
    if decimals:
        words = [word.rstrip("0").rstrip(".") for word in words]
    return "".join(" ".join(words[i : i + per_line]) + "\n" for i in range(0, len(words), per_line))


# ---- a card's folder ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CardRecordings:
    """All recordings of one card, by ``(subject, experiment)``; ``without``: those that only say why there is none."""

    slug: str
    folder: Path
    recordings: dict[tuple[str, str], Recording]
    without: dict[tuple[str, str], Recording] = field(default_factory=dict)

    def get(self, subject: str, experiment: str) -> Recording | None:
        return self.recordings.get((subject, experiment))

    @cached_property
    def card(self) -> Card:
        """The card as its newest recording describes it."""
        return max(self.recordings.values(), key=lambda r: r.header.recorded).card

    @property
    def compile_only(self) -> bool:
        return not isinstance(self.card.sms, int)


def load_card(folder: Path, root: Path | None = None) -> CardRecordings:
    """Load ``recordings/<card>/``; all faults of all its files come in one ``RecordingError``."""
    found: dict[tuple[str, str], Recording] = {}
    without: dict[tuple[str, str], Recording] = {}
    faults: list[str] = []
    for path in sorted(p for p in folder.rglob("*") if p.suffix in (".yaml", ".yml") and p.name[0] != "."):
        shown = str(path.relative_to(root)) if root and path.is_relative_to(root) else str(path)
        if len(path.relative_to(folder).parts) != 2 or path.suffix != ".yaml":
            faults.append(f"{shown}:1: is no place for a recording; it lies in <card>/<subject>/<experiment>.yaml")
            continue
        try:
            recording = load(path, root)
        except RecordingError as error:
            faults.append(str(error))
            continue
        header = recording.header
        expected = (header.card.slug, header.subject, header.experiment)
        if (folder.name, path.parent.name, path.stem) != expected:
            faults.append(f"{shown}:1: says it is {'/'.join(expected)}, which is not where it lies")
        target = without if isinstance(recording.results, (Failed, NotMeasured)) else found
        target[(header.subject, header.experiment)] = recording
    if faults:
        raise RecordingError("\n".join(faults))
    return CardRecordings(folder.name, folder, found, without)


def load_cards(folder: Path, root: Path | None = None) -> dict[str, CardRecordings]:
    """Every card under ``recordings/``, by slug; ``published`` is no card. One ``RecordingError`` tells all faults."""
    cards: dict[str, CardRecordings] = {}
    faults: list[str] = []
    for sub in sorted(p for p in folder.glob("*") if p.is_dir() and p.name != "published"):
        try:
            card = load_card(sub, root)
        except RecordingError as error:
            faults.append(str(error))
            continue
        if card.recordings:
            cards[sub.name] = card
    if faults:
        raise RecordingError("\n".join(faults))
    return cards


__all__ = [
    "Card", "CardRecordings", "Conditions", "Count", "Header", "Recording", "RecordingError",
    "dump", "load", "load_card", "load_cards", "numbers_block", "parse", "write_atomically",
]  # fmt: skip
