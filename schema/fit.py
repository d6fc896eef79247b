"""Does data fit a model? Where not, a sentence for each place: what is expected, what is there, file, line and key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from sass.listing import ListingError
from schema.strict_yaml import Lines, Path, dotted, line_inside, nearest_line
from schema.texts import BlockError

M = TypeVar("M", bound=BaseModel)
IN_A_LINE = (BlockError, ListingError)  # faults of a text that say in which of its lines they are


def fit(
    model: type[M],
    data: Any,
    prefix: Path,
    shown: str,
    lines: Lines,
    faults: list[str],
    say: Callable[[Any], str] | None = None,
) -> M | None:
    """``data``, which lies at ``prefix`` in the file ``shown``, as a model; otherwise None, and faults.

    A fault is ``file:line: key: what``; ``say`` gives its words, otherwise ``sentence``.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        sentences: dict[tuple[Path, int], list[str]] = {}  # the members of a union each complain about one value
        for fault in error.errors(include_url=False):
            path = prefix + _real_path(fault["loc"], prefix, lines)
            wrong = fault.get("ctx", {}).get("error")
            inside = wrong.line if isinstance(wrong, IN_A_LINE) else 0
            sentences.setdefault((path, inside), []).append((say or sentence)(fault))
        for (path, inside), found in sentences.items():
            line = line_inside(path, lines, inside) or nearest_line(path, lines)
            faults.append(f"{shown}:{line}: {dotted(path) or 'the file'}: {' or '.join(dict.fromkeys(found))}")
    return None


_UNION_MEMBERS = ("value", "failed", "not_measured", "not_declared", "int", "float", "str", "bool", "[key]")


def is_key(part: str) -> bool:
    """Whether a part of pydantic's location is a key of the data, not the name of a member of a union."""
    return part not in _UNION_MEMBERS and not part.startswith(("function-", "constrained-"))


def _real_path(loc: tuple[int | str, ...], prefix: Path, lines: Lines) -> Path:
    """Pydantic's location without the names of union members, which are no keys of the file."""
    path: Path = ()
    for i, part in enumerate(loc):
        key = str(part)
        in_file = key != "[key]" and (*prefix, *path, key) in lines
        if in_file or (i == len(loc) - 1 and is_key(key)):
            path = (*path, key)
    return path


def sentence(fault: Any) -> str:
    """A fault of pydantic in words: what is expected, what is there, and to quote what YAML took for a number."""
    kind, value = fault["type"], fault.get("input")
    if kind == "extra_forbidden":
        return "is not a key that belongs here"
    if kind == "missing":
        return "is missing"
    message = fault["msg"].removeprefix("Value error, ").removeprefix("Input ")
    says_where = isinstance(value, dict) or isinstance(fault.get("ctx", {}).get("error"), IN_A_LINE)
    if kind == "value_error" and says_where:  # it says itself which part is wrong
        return message
    hint = "; quote it" if kind == "string_type" and isinstance(value, (bool, int, float)) else ""
    return f"{message}; this is {kind_of(value)}{hint}"


def kind_of(value: Any) -> str:
    """``the text 'abc'``, ``a whole number (3)``, ``a list``."""
    if value is None:
        return "empty"
    names = {dict: "a map", list: "a list", bool: "true or false", int: "a whole number", float: "a number"}
    for kind in (bool, int, float):
        if isinstance(value, kind):
            return f"{names[kind]} ({_digits(value)})"
    if isinstance(value, str):
        return f"the text {value[:40]!r}"
    return names.get(type(value), type(value).__name__)


def _digits(value: int | float) -> str:
    try:
        digits = str(value)
    except ValueError:  # more than Python writes
        return "with thousands of digits"
    return digits if len(digits) < 40 else f"{digits[:40]}…"
