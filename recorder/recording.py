"""What is a recording? Its header, its file, its card: the one place that knows the format. No CUDA, no HTML.

A recording is one YAML file, ``recordings/<card>/<subject>/<experiment>.yaml``. The subject is a ladder, or
``machine`` for what belongs to the card alone. It may come from a stranger, so it is read as data: bounded in
size and depth, no tags, no aliases, no duplicate or unknown keys, and every error names file, line and key.
"""

from __future__ import annotations

import os
import stat
import tempfile
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import AfterValidator, Field, ValidationError

from recorder.misfit import UNION_MEMBERS
from recorder.results import EXPERIMENTS, Count, Failed, Maybe, Model, NotMeasured, Slug, Text

SCHEMA = 1
MACHINE = "machine"
MAX_BYTES = 8_000_000
MAX_DEPTH = 16
MAX_NODES = 200_000
MAX_FAULTS = 40  # shown of one file

CardSlug = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
MaybeInt = Maybe[Count]
MaybeNumber = Maybe[float | int]
MaybeText = Maybe[Text]
Sms = Annotated[int, Field(ge=1, le=4096)]  # figures draw a cell each


class RecordingError(Exception):
    """A recording that cannot be used. The message is ``file:line: what is wrong``, one line per fault."""


class Card(Model):
    """The GPU that was recorded. A compile-only card has no device: its slug is its arch, its sizes not measured."""

    slug: CardSlug
    name: Text
    arch: Annotated[str, Field(pattern=r"^sm_[0-9]{2,3}[af]?$")]
    sms: Maybe[Sms]
    l2_bytes: MaybeInt
    memory_bytes: MaybeInt
    smem_per_sm_bytes: MaybeInt
    smem_per_block_bytes: MaybeInt
    registers_per_sm: MaybeInt
    threads_per_sm: MaybeInt
    blocks_per_sm: MaybeInt
    sm_clock_max_MHz: MaybeNumber
    memory_clock_max_MHz: MaybeNumber
    power_limit_W: MaybeNumber
    driver: MaybeText


class Conditions(Model):
    """The card's state under load: medians over an experiment, and every reason that was seen to slow the clocks."""

    sm_clock_MHz: MaybeNumber
    memory_clock_MHz: MaybeNumber
    power_W: MaybeNumber
    temperature_C: MaybeNumber
    throttle_reasons: list[Text]
    other_processes: MaybeInt


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
    seconds: float
    quick: bool
    card: Card
    toolkit: dict[Text, Text]
    sources: dict[Text, Text]  # kernel file -> hash of its source with comments blanked
    method: dict[Slug, str | int | float | bool]
    conditions: Maybe[Conditions]


@dataclass(frozen=True)
class Recording:
    """A loaded recording: ``header``, ``results`` (a model of ``recorder.results``), and where it came from."""

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
    return parse(_read(path, shown), shown, path)


def _read(path: Path, shown: str) -> str:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):  # reading a pipe would wait for ever
            raise RecordingError(f"{shown}:1: is not a regular file")
        if status.st_size > MAX_BYTES:
            raise RecordingError(
                f"{shown}:1: the file has {status.st_size:,} bytes; a recording has at most {MAX_BYTES:,}"
            )
        raw = path.read_bytes()
    except OSError as error:
        raise RecordingError(f"{shown}:1: cannot be read: {error.strerror}") from None
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise RecordingError(f"{shown}:{line}: byte 0x{raw[error.start]:02x} is not UTF-8") from None
    if text.startswith("\ufeff"):
        raise RecordingError(f"{shown}:1: starts with a byte order mark; save it as plain UTF-8")
    if "\r" in text:
        line = text[: text.index("\r")].count("\n") + 1
        raise RecordingError(f"{shown}:{line}: has a carriage return; save it with Unix line ends")
    return text


def parse(text: str, shown: str, path: Path | None = None) -> Recording:
    """Check the text of a recording; ``shown`` is the file name used in errors."""
    data, lines = parse_yaml(text, shown)
    if not isinstance(data, dict):
        raise RecordingError(f"{shown}:1: a recording is a map of keys; this is {_kind(data)}")
    schema = data.get("schema")
    if type(schema) is not int or schema != SCHEMA:
        raise RecordingError(
            f"{shown}:{lines.get(('schema',), 1)}: schema is {_kind(schema)}; this version reads schema {SCHEMA}. "
            "Record again with: python -m recorder --force"
        )
    results = data.pop("results", None)
    experiment = data.get("experiment")
    if not isinstance(experiment, str) or experiment not in EXPERIMENTS:
        known = ", ".join(EXPERIMENTS)
        line = lines.get(("experiment",), 1)
        raise RecordingError(f"{shown}:{line}: experiment is {_kind(experiment)}; known experiments are {known}")
    faults: list[str] = []
    header = _validate(Header, data, (), shown, lines, faults)
    model = _whole_experiment(results) or EXPERIMENTS[experiment]
    body = _validate(model, results, ("results",), shown, lines, faults)
    if faults:
        raise RecordingError("\n".join(faults))
    assert header is not None
    assert body is not None
    return Recording(header, body, path, lines)


def _whole_experiment(results: Any) -> type[Model] | None:
    """``Failed`` or ``NotMeasured`` when the results say only why there are none."""
    if isinstance(results, dict) and len(results) == 1:
        return {"failed": Failed, "not_measured": NotMeasured}.get(next(iter(results)))
    return None


def parse_yaml(text: str, shown: str) -> tuple[Any, dict[tuple[str, ...], int]]:
    """Plain YAML data and the line of every key; refuses aliases, tags, duplicate keys, depth and bulk."""
    if len(text) > MAX_BYTES:
        raise RecordingError(f"{shown}:1: the text has {len(text):,} characters; at most {MAX_BYTES:,} are read")
    loader: Any = None
    try:
        loader = _Loader(text)
        node = _compose(loader, shown)
        lines: dict[tuple[str, ...], int] = {}
        value = _construct(loader, node, (), lines, shown, [0])
        return value, lines
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise RecordingError(f"{shown}:{mark.line + 1 if mark else 1}: is not valid YAML: {problem}") from None
    except UnicodeEncodeError:
        raise RecordingError(f"{shown}:1: is not valid YAML: it has half of a surrogate pair") from None
    except RecursionError:
        raise RecordingError(f"{shown}:1: is nested too deeply; at most {MAX_DEPTH} levels are read") from None
    finally:
        if loader is not None:
            loader.dispose()


_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _compose(loader: Any, shown: str) -> yaml.Node:
    """Build the node tree from checked events, so that aliases and depth are refused before they cost anything."""
    depth = 0
    events: list[yaml.Event] = []
    while loader.check_event():
        event = loader.get_event()
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise RecordingError(f"{shown}:{line}: anchors and aliases are not allowed in a recording")
        if getattr(event, "tag", None):
            raise RecordingError(f"{shown}:{line}: the tag {event.tag[:40]!r} is not allowed in a recording")
        if isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            depth += 1
            if depth > MAX_DEPTH:
                raise RecordingError(f"{shown}:{line}: is nested deeper than {MAX_DEPTH} levels")
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            depth -= 1
        if isinstance(event, (yaml.ScalarEvent, yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            events.append(event)
            if len(events) > MAX_NODES:
                raise RecordingError(f"{shown}:{line}: has more than {MAX_NODES:,} values")
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            events.append(event)
        elif isinstance(event, yaml.DocumentEndEvent):
            rest = loader.get_event()
            if not isinstance(rest, yaml.StreamEndEvent):
                raise RecordingError(
                    f"{shown}:{rest.start_mark.line + 1}: a second document starts here; only one is allowed"
                )
    if not events:
        raise RecordingError(f"{shown}:1: the file is empty")
    position = 0

    def build() -> yaml.Node:
        nonlocal position
        event = events[position]
        position += 1
        if isinstance(event, yaml.ScalarEvent):
            tag = loader.resolve(yaml.ScalarNode, event.value, event.implicit)
            return yaml.ScalarNode(tag, event.value, event.start_mark, event.end_mark)
        children: list[Any] = []
        if isinstance(event, yaml.SequenceStartEvent):
            while not isinstance(events[position], yaml.SequenceEndEvent):
                children.append(build())
            position += 1
            return yaml.SequenceNode("tag:yaml.org,2002:seq", children, event.start_mark)
        while not isinstance(events[position], yaml.MappingEndEvent):
            children.append((build(), build()))
        position += 1
        return yaml.MappingNode("tag:yaml.org,2002:map", children, event.start_mark)

    return build()


def _construct(
    loader: Any, node: yaml.Node, path: tuple[str, ...], lines: dict[tuple[str, ...], int], shown: str, count: list[int]
) -> Any:
    lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.ScalarNode):
        try:
            return loader.construct_object(node)
        except ValueError:  # e.g. the 45th of a month, or more digits than Python converts
            what = f"{node.value[:40]!r} is no number and no date; quote it if it is text"
            raise RecordingError(f"{shown}:{node.start_mark.line + 1}: {dotted(path)}: {what}") from None
    if isinstance(node, yaml.SequenceNode):
        return [_construct(loader, n, (*path, str(i)), lines, shown, count) for i, n in enumerate(node.value)]
    result: dict[str, Any] = {}
    assert isinstance(node, yaml.MappingNode)
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        if not isinstance(key_node, yaml.ScalarNode) or key_node.tag != "tag:yaml.org,2002:str":
            raise RecordingError(f"{shown}:{line}: a key must be a plain string; quote it")
        key = key_node.value
        if key in result:
            raise RecordingError(f"{shown}:{line}: the key {dotted((*path, key))} is there twice")
        lines[(*path, key)] = line
        result[key] = _construct(loader, value_node, (*path, key), lines, shown, count)
    return result


def _validate(
    model: type[Model],
    data: Any,
    prefix: tuple[str, ...],
    shown: str,
    lines: dict[tuple[str, ...], int],
    faults: list[str],
) -> Any:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        sentences: dict[tuple[str, ...], list[str]] = {}  # the members of a union each complain about one value
        for fault in error.errors(include_url=False, include_context=False):
            path = prefix + _real_path(fault["loc"], prefix, lines)
            sentences.setdefault(path, []).append(_sentence(fault))
        for path, found in sentences.items():
            what = found[0] if len(set(found)) == 1 else " or ".join(dict.fromkeys(found))
            faults.append(f"{shown}:{nearest_line(path, lines)}: {dotted(path) or 'the recording'}: {what}")
        if len(faults) > MAX_FAULTS:
            faults[MAX_FAULTS:] = [f"{shown}:1: and {len(faults) - MAX_FAULTS} faults more"]
    return None


def _real_path(
    loc: tuple[int | str, ...], prefix: tuple[str, ...], lines: dict[tuple[str, ...], int]
) -> tuple[str, ...]:
    """Pydantic's location without the names of union members, which are no keys of the file."""
    path: tuple[str, ...] = ()
    for i, part in enumerate(loc):
        key = str(part)
        in_file = key != "[key]" and (*prefix, *path, key) in lines
        if in_file or (i == len(loc) - 1 and key not in UNION_MEMBERS):
            path = (*path, key)
    return path


def _sentence(fault: Any) -> str:
    kind, shown_input = fault["type"], _kind(fault.get("input"))
    if kind == "extra_forbidden":
        return "is not a key that belongs here"
    if kind == "missing":
        return "is missing"
    message = fault["msg"].removeprefix("Value error, ").removeprefix("Input ")
    return f"{message}; this is {shown_input}"


def _kind(value: Any) -> str:
    if value is None:
        return "empty"
    names = {dict: "a map", list: "a list", bool: "true or false", int: "a whole number", float: "a number"}
    for kind in (bool, int, float):
        if isinstance(value, kind):
            digits = str(value)
            return f"{names[kind]} ({digits if len(digits) < 40 else digits[:40] + '…'})"
    if isinstance(value, str):
        return f"the text {value[:40]!r}"
    return names.get(type(value), type(value).__name__)


def nearest_line(path: tuple[str, ...], lines: dict[tuple[str, ...], int]) -> int:
    """The line of ``path``, or of the closest part above it that the file has."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


def dotted(path: tuple[str, ...]) -> str:
    """``('results', 'rungs')`` as ``results.rungs``; a key that is long or does not print is shown cut and escaped."""
    return ".".join(part if part.isprintable() and len(part) <= 64 else repr(part[:64]) for part in path)


# ---- writing ---------------------------------------------------------------------------------------------------


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def _string(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    if "\n" in text:
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|")
    return dumper.represent_scalar("tag:yaml.org,2002:str", text)


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
    for path in sorted(p for p in folder.rglob("*") if p.suffix in (".yaml", ".yml")):
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
