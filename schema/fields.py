"""What may ``ladder.py`` declare? Every field of every class as Markdown tables, for the documentation.

``python -m schema.fields`` renews them in ``docs/06-adding-an-article.md``.
"""

from __future__ import annotations

import ast
import inspect
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any

from schema.field_words import WORDS
from schema.ladder import KERNELS

DOC = KERNELS.parent / "docs" / "06-adding-an-article.md"
HEADING = "## Every field\n"
_PLAIN = {
    "str": "text",
    "int": "whole number",
    "float": "number",
    "bool": "yes or no",
    "Any": "array or arrays by name",
}
_PLAIN |= {
    "Constants": "constants",
    "Problem": "problem",
    "Values": "values by name",
    "Block": "block",
    "Path": "folder",
}


def tables() -> str:
    """A heading and a table a class: the name, type, default and meaning of each field."""
    parts = []
    for cls, (heading, words) in WORDS.items():
        rows = ["| field | what it is | default | meaning |", "| --- | --- | --- | --- |"]
        for field in fields(cls):
            cells = (f"`{field.name}`", type_in_words(str(field.type)), default_of(field), words[field.name])
            rows.append("| " + " | ".join(cells) + " |")
        parts.append(f"### `{cls.__name__}`\n\n{heading}\n\n" + "\n".join(rows) + "\n")
    return "\n".join(parts)


def type_in_words(annotation: str) -> str:
    """``tuple[Operand, ...]`` as "tuple of `Operand`"; a function as what it is given and what it gives."""
    return _words(ast.parse(annotation, mode="eval").body)


def _words(node: ast.expr) -> str:
    if isinstance(node, ast.BinOp):
        return f"{_words(node.left)}, or `None`"
    if isinstance(node, ast.Subscript):
        inside = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        match ast.unparse(node.value), inside:
            case "Callable", [ast.List(elts=given), gives]:
                return f"function of {', '.join(map(_words, given))}; gives {_words(gives)}"
            case "tuple", [of, ast.Constant(value=value)] if value is ...:
                return f"tuple of {_words(of)}"
            case "tuple", several:
                return f"tuple: {', '.join(map(_words, several))}"
            case _, [key, value]:
                return f"dictionary of {_words(key)} to {_words(value)}"
    name = ast.unparse(node)
    return _PLAIN.get(name, f"`{name}`")


def default_of(field: Field[Any]) -> str:
    """What stands where the field is left out; of a function, what it gives."""
    default = field.default_factory() if field.default_factory is not MISSING else field.default
    if default is MISSING:
        return "none: give it"
    if isinstance(default, Path):
        return f"`{default.relative_to(KERNELS.parent)}`"
    if callable(default):
        return f"gives `{default(*[{}] * len(inspect.signature(default).parameters))!r}`"
    return f"`{default!r}`"


def renewed(text: str) -> str:
    """The chapter with its last section, from ``HEADING`` on, as it is generated."""
    before, heading, rest = text.partition(HEADING)
    introduction = rest.partition("### ")[0]
    return f"{before}{heading}{introduction}{tables()}"


if __name__ == "__main__":
    DOC.write_text(renewed(DOC.read_text(encoding="utf-8")), encoding="utf-8")
