"""Does a message name only what exists: pages of the documentation, files, and commands that can be run?"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from publisher.command import parser as publishing
from recorder.__main__ import parser as recording
from tests.conftest import ROOT

FOLDERS = ("publisher", "recorder", "bench", "tests/mini")
GAP = "GAP"  # stands where a message puts a value
PAGE = re.compile(r"docs/[\w./-]*\w\.md")
FOLDER = "content|docs|recorder|publisher|site|tests|kernels|recordings"
FILE = re.compile(rf"(?<![\w./<-])(?:{FOLDER})/[a-z_./-]*\w\.(?:md|yaml|py|cu|js|css)\b")
COMMAND = re.compile(
    r"(python -m [a-z][\w.]*\w|(?:python|bash) [a-z][\w./]*\.py|bash (?:publish|tests/run))((?: [^\s`;:…()]+)*)"
)
PARSERS = {"python -m recorder": recording, "python build.py": publishing}


def texts() -> Iterator[tuple[str, str]]:
    """Every text in the source and where it stands; what is put in at run time is a gap."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
            parts_of_others = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
            for node in nodes:
                where = f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}"
                if isinstance(node, ast.JoinedStr):
                    parts = [str(p.value) if isinstance(p, ast.Constant) else GAP for p in node.values]
                    yield where, "".join(parts)
                elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts_of_others:
                    yield where, node.value
    for path in sorted((ROOT / "site" / "templates").glob("*.html")):
        yield str(path.relative_to(ROOT)), re.sub(r"{{.*?}}", GAP, path.read_text(encoding="utf-8"))
    for path in (*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"):
        yield path.name, path.read_text(encoding="utf-8")


TEXTS = list(texts())


def test_every_page_of_the_documentation_that_is_named_is_there() -> None:
    named = [(where, name) for where, text in TEXTS for name in PAGE.findall(text)]
    assert len(named) > 5
    assert [(where, name) for where, name in named if not (ROOT / name).exists()] == []


def test_every_file_that_is_named_is_there() -> None:
    named = [(where, name) for where, text in TEXTS for name in FILE.findall(text) if GAP not in name]
    assert len(named) > 20
    assert [(where, name) for where, name in named if not (ROOT / name).exists()] == []


def test_every_command_that_is_named_can_be_run() -> None:
    commands = {(where, *found) for where, text in TEXTS for found in COMMAND.findall(text)}
    assert len(commands) > 20
    assert [(where, why) for where, program, rest in sorted(commands) if (why := _wrong(program, rest))] == []


def _wrong(program: str, rest: str) -> str:
    """What is wrong with a command: no such program, or an option that it does not take. Words may follow it."""
    if program in PARSERS:
        takes = {name: action.nargs != 0 for action in PARSERS[program]()._actions for name in action.option_strings}
        words = rest.split()
        while words and (name := words.pop(0).rstrip(".,")).startswith("-"):
            if name not in takes:
                return f"{program} {name}"
            if takes[name] and not words:
                return f"{program} {name} without a value"
            words = words[takes[name] :]
        return ""
    kind, _, name = program.removeprefix("python ").rpartition(" ")
    return "" if (find_spec(name) if kind == "-m" else (ROOT / name).exists()) else program


@pytest.mark.parametrize("command", ["python -m recorder --no-such x", "python nowhere.py", "python build.py --sevre"])
def test_a_command_that_cannot_be_run_is_found(command: str) -> None:
    found = COMMAND.findall(f"run: {command}; it is good")
    assert [program + rest for program, rest in found] == [command]
    assert _wrong(*found[0])
