"""How is YAML read? As plain data with the line of every key, where every word means what it looks like. No files.

It may come from a stranger, so it is bounded in size and depth and has no tags, aliases, duplicate keys or second
document. And it may come from a hurried author, so what YAML would bend is refused: ``12:30`` is no 750, ``no`` is no
false, and a date, an octal number, an empty value or a text that a ``#`` cuts short must be said plainly. ``13.10`` is
a number that knows how it was written.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from schema.texts import RecordingError

MAX_CHARACTERS = 8_000_000
MAX_DEPTH = 16
MAX_NODES = 200_000
MAX_FAULTS = 40  # shown of one file

Path = tuple[str, ...]
Lines = dict[Path, int]  # of every key, from 1
BLOCK = "|"  # below the key of a block of text: the line after which its own lines begin

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG = "tag:yaml.org,2002:"
_TEXT = f"{_TAG}str"
_WHOLE = re.compile(r"-?[1-9][0-9]*|0")
_DECIMAL = re.compile(r"-?(?:[1-9][0-9]*|0)\.[0-9]+(?:[eE][-+][0-9]+)?")
_NOT_FINITE = {".nan": "nan", ".inf": "inf", "-.inf": "-inf"}  # read, for a schema to refuse in its own words
# Text to this YAML, a number to other readers and to people.
_NUMBERLIKE = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[-+]?0[oO][0-7]+")


class Written(float):
    """A number that would not print as it was written, such as 13.10; as a text it is what was written."""

    def __new__(cls, text: str) -> Written:
        made = super().__new__(cls, text)
        made.text = text
        return made

    text: str

    def __str__(self) -> str:
        return self.text


def parse_yaml(text: str, shown: str) -> tuple[Any, Lines]:
    """Plain data and the line of every key; ``shown`` is the file's name in errors. Raises RecordingError."""
    if len(text) > MAX_CHARACTERS:
        raise RecordingError(f"{shown}:1: the text has {len(text):,} characters; at most {MAX_CHARACTERS:,} are read")
    loader: Any = None
    try:
        loader = _Loader(text)
        reader = _Reader(loader, text, shown)
        value = reader.read(())
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
    if reader.faults:
        raise RecordingError("\n".join(at_most(reader.faults, shown)))
    return value, reader.lines


class _Reader:
    """Builds data from events that were checked first, so that aliases and depth are refused before they cost."""

    def __init__(self, loader: Any, text: str, shown: str) -> None:
        self.shown = shown
        self.resolve = loader.resolve
        self.rows = text.split("\n") if "#" in text else []  # to see what a comment cuts off
        self.lines: Lines = {}
        self.faults: list[str] = []
        self._events = iter(self._checked(loader))

    def _checked(self, loader: Any) -> list[Any]:
        depth = 0
        events: list[Any] = []
        nodes = 0
        while loader.check_event():
            event = loader.get_event()
            line = event.start_mark.line + 1
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                raise self._error(line, "anchors and aliases are not allowed here; quote the text if it is one")
            if getattr(event, "tag", None):
                raise self._error(line, f"the tag {event.tag[:40]!r} is not allowed here; quote the text if it is one")
            if isinstance(event, yaml.ScalarEvent):
                nodes += 1
            elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
                nodes += 1
                depth += 1
                if depth > MAX_DEPTH:
                    raise self._error(line, f"is nested deeper than {MAX_DEPTH} levels")
            elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                depth -= 1
            elif isinstance(event, yaml.DocumentEndEvent):
                rest = loader.get_event()
                if not isinstance(rest, yaml.StreamEndEvent):
                    where = rest.start_mark.line + 1
                    raise self._error(where, "a second document starts here; only one is allowed")
                continue
            else:
                continue
            if nodes > MAX_NODES:
                raise self._error(line, f"has more than {MAX_NODES:,} values")
            events.append(event)
        if not events or (nodes == 1 and self._is_null(events[0])):
            raise self._error(1, "the file is empty")
        return events

    def _error(self, line: int, what: str) -> RecordingError:
        return RecordingError(f"{self.shown}:{line}: {what}")

    def read(self, path: Path, event: Any = None) -> Any:
        """The value that begins with ``event``, or with the next one."""
        event = event or next(self._events)
        self.lines.setdefault(path, event.start_mark.line + 1)
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event, path)
        if isinstance(event, yaml.SequenceStartEvent):
            found: list[Any] = []
            while not isinstance(item := next(self._events), yaml.SequenceEndEvent):
                found.append(self.read((*path, str(len(found))), item))
            return found
        result: dict[str, Any] = {}
        while not isinstance(key_event := next(self._events), yaml.MappingEndEvent):
            key, line = self._key(key_event), key_event.start_mark.line + 1
            place = (*path, key)
            if key in result:
                raise self._error(line, f"the key {dotted(place)} is there twice")
            self.lines[place] = line
            result[key] = self.read(place)
        return result

    def _key(self, event: Any) -> str:
        if isinstance(event, yaml.ScalarEvent):
            text = event.value
            if not event.implicit[0] or (self._tag(event) == _TEXT and not looks_like_a_number(text)):
                return text
        raise self._error(event.start_mark.line + 1, "a key must be a plain string; quote it")

    def _tag(self, event: Any) -> str:
        return self.resolve(yaml.ScalarNode, event.value, event.implicit)

    def _is_null(self, event: Any) -> bool:
        return isinstance(event, yaml.ScalarEvent) and event.implicit[0] and self._tag(event) == f"{_TAG}null"

    def _scalar(self, event: Any, path: Path) -> Any:
        text = event.value
        if event.style == BLOCK:
            self.lines[(*path, BLOCK)] = event.start_mark.line + 1
        if not event.implicit[0]:  # it is quoted, or a block
            return text
        tag = self._tag(event)
        why = ""
        if tag == _TEXT:
            if self.rows and self._cut_short(event):
                why = "what follows # is a comment; quote the text if it goes on, or put two blanks before the comment"
            elif not looks_like_a_number(text):
                return text
            else:
                why = f"{text[:40]} is read as text, not as a number; quote it, or write {_plain_number(text)}"
        elif tag == f"{_TAG}int" and _WHOLE.fullmatch(text):
            try:
                return int(text)
            except ValueError:  # more digits than Python converts
                why = f"the number {text[:40]}… has {len(text):,} digits; quote it if it is text"
        elif tag == f"{_TAG}float" and text in _NOT_FINITE:
            return float(_NOT_FINITE[text])
        elif tag == f"{_TAG}float" and _DECIMAL.fullmatch(text):
            number = float(text)
            return number if repr(number) == text else Written(text)
        elif tag == f"{_TAG}bool" and text in ("true", "false"):
            return text == "true"
        self.faults.append(
            f"{self.shown}:{event.start_mark.line + 1}: {dotted(path) or 'the file'}: {why or _bent(tag, text)}"
        )
        return text

    def _cut_short(self, event: Any) -> bool:
        """Whether a comment follows after a single blank, where it may have been meant as text."""
        mark = event.end_mark
        return mark.line < len(self.rows) and self.rows[mark.line][mark.column :].startswith(" #")


def _bent(tag: str, text: str) -> str:
    """What is wrong with a plain word that YAML reads as something that does not look like it."""
    said = text[:40]
    if tag == f"{_TAG}null":
        return f"{said} is read as no value; quote it if it is text" if text else "is empty; write a value or no key"
    if tag == f"{_TAG}bool":
        word = "true" if text.lower() in ("yes", "on", "true") else "false"
        return f"{said} is read as {word}; quote it if it is text, otherwise write {word}"
    if tag in (f"{_TAG}int", f"{_TAG}float"):
        number = _plain_number(text)
        return f"{said} is read as the number {number}; quote it if it is text, otherwise write {number}"
    if tag == f"{_TAG}timestamp":
        return f"{said} is read as a date; quote it"
    return f"{said} has a meaning of its own in YAML; quote it"


def _plain_number(text: str) -> str:
    """A number as it would have to be written, e.g. ``750`` for ``12:30`` and ``13.1`` for ``13.10``."""
    try:
        found = yaml.safe_load(text)
        if isinstance(found, str):
            found = int(text, 0) if text.lower().lstrip("+-").startswith("0o") else float(text)
        shown = repr(found)
    except (ValueError, OverflowError, yaml.YAMLError):
        return "it plainly"
    mantissa, e, exponent = shown.partition("e")
    return f"{mantissa}{'' if '.' in mantissa else '.0'}e{exponent}" if e else shown


def looks_like_a_number(text: str) -> bool:
    """Whether a text would be taken for a number if it stood without quotes."""
    return _NUMBERLIKE.fullmatch(text) is not None


def at_most(faults: list[str], shown: str) -> list[str]:
    """The first faults of a file, and how many more there are."""
    more = len(faults) - MAX_FAULTS
    return [*faults[:MAX_FAULTS], f"{shown}:1: and {more} faults more"] if more > 0 else faults


def nearest_line(path: Path, lines: Lines) -> int:
    """The line of ``path``, or of the closest part above it that the file has."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


def line_inside(path: Path, lines: Lines, line: int) -> int:
    """The line in the file of ``line``, from 1, of a block of text; 0 where the text at ``path`` is no block."""
    start = lines.get((*path, BLOCK))
    return start + line if start and line else 0


def dotted(path: Path) -> str:
    """``('results', 'rungs')`` as ``results.rungs``; a key that is long or does not print is shown cut and escaped."""
    return ".".join(part if part.isprintable() and len(part) <= 64 else repr(part[:64]) for part in path)
