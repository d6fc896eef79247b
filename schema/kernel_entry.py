"""Where does a kernel begin, and what does it take? Read from a CUDA file's text, comments blanked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">"}
_NAME = re.compile(r"(\w+)\s*(?:\[[^\]]*\]\s*)*$")


@dataclass(frozen=True)
class Parameter:
    """One parameter: its text, its name, which is empty where it has none, and the line on which it ends."""

    text: str
    name: str
    line: int


@dataclass(frozen=True)
class Entry:
    """The definition of a kernel: what stands before its name, the line of the name, and what it takes.

    ``opening`` and ``body`` are offsets in the code: of the parenthesis behind the name, and one past the brace.
    """

    head: str
    line: int
    parameters: tuple[Parameter, ...]
    opening: int
    body: int


def find_entry(code: str, name: str) -> Entry | None:
    """The definition of a function: of several a ``__global__`` one, else the first; None where there is none."""
    found = list(_definitions(code, name))
    return next((entry for entry in found if "__global__" in entry.head), found[0] if found else None)


def kernels_in(code: str) -> list[str]:
    """The names of all kernels of a file."""
    heads = (re.split(r"[;{]", part, maxsplit=1)[0] for part in code.split("__global__")[1:])
    names = ([n for n in re.findall(r"(\w+)\s*\(", head) if not n.startswith("__")] for head in heads)
    return list(dict.fromkeys(found[0] for found in names if found))


def _definitions(code: str, name: str) -> Iterator[Entry]:
    for match in re.finditer(rf"\b{re.escape(name)}\s*\(", code):
        opening = match.end() - 1
        closing = _closing(code, opening)
        brace = re.compile(r"\s*\{").match(code, closing + 1)
        if closing and brace:
            head = re.split(r"[;}]", code[: match.start()])[-1]
            parameters = tuple(_parameters(code, opening + 1, closing))
            yield Entry(head, _line(code, match.start()), parameters, opening, brace.end())


def _closing(code: str, opening: int) -> int:
    """The offset of the parenthesis that closes the one at ``opening``; 0 where none does."""
    depth = 0
    for match in re.compile(r"[()]").finditer(code, opening):
        depth += 1 if match[0] == "(" else -1
        if depth == 0:
            return match.start()
    return 0


def _parameters(code: str, start: int, end: int) -> Iterator[Parameter]:
    """What stands between the commas that no bracket encloses."""
    depth, first = 0, start
    for at in range(start, end + 1):
        depth += (code[at] in _PAIRS) - (at < end and code[at] in _PAIRS.values())
        if at == end or (code[at] == "," and depth == 0):
            text = " ".join(code[first:at].split())
            if text and text != "void":
                named = _NAME.search(text)
                yield Parameter(text, named[1] if named else "", _line(code, first + len(code[first:at].rstrip())))
            first = at + 1


def _line(code: str, offset: int) -> int:
    return code.count("\n", 0, offset) + 1
