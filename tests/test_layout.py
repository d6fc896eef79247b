"""Do the parts keep apart? Who may import CUDA, who may name a ladder, and whether what is imported is declared."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = {  # a folder, and the folders whose code it may use; besides itself
    "sass": (),
    "schema": ("sass",),
    "kernels": ("schema", "recorder"),  # the recorder in libraries.py alone, which only it runs
    "recorder": ("schema", "sass"),
    "publisher": ("schema", "sass"),
}
RECORDER = ("card", "compile", "measure", "libraries", "experiments", "run")  # each may use those before it
MODULES = sorted(path for part in ROOMS for path in (ROOT / part).rglob("*.py"))
DISTRIBUTIONS = {  # by the name that is imported, where it differs from the package's
    "cuda": "cuda-core",
    "markdown_it": "markdown-it-py",
    "markupsafe": "jinja2",
    "mdit_py_plugins": "mdit-py-plugins",
    "nvmath": "nvmath-python",
    "pynvml": "nvidia-ml-py",
    "yaml": "pyyaml",
}
# Not declared: PyTorch is only compared with, when it happens to be there.
OPTIONAL = {"torch"}


def imports(path: Path) -> set[str]:
    """The top-level names that a file imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
    return found


def imported_modules(path: Path) -> set[str]:
    """The modules of ours that a file imports, anywhere in it, with their dots; a name in a module counts as one."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in found if name.split(".")[0] in ROOMS}


def declared(*extras: str) -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *(item for extra in extras for item in project["optional-dependencies"][extra])]
    return {re.split(r"[\[<>=!~; ]", item)[0] for item in wanted}


def test_publishing_imports_nothing_of_the_record_extra() -> None:
    """Everything right of the YAML, figures included, loads where neither CUDA nor a browser's driver is installed."""
    program = (
        "import importlib, pkgutil, sys, publisher\n"
        "for module in pkgutil.walk_packages(publisher.__path__, 'publisher.'):\n"
        "    if not module.name.endswith('__main__'):\n"
        "        importlib.import_module(module.name)\n"
        "loaded = {name.split('.')[0] for name in sys.modules}\n"
        "print(sorted(loaded & {'cuda', 'nvmath', 'pynvml', 'torch', 'rich', 'playwright', 'pytest'}))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("room", ROOMS)
def test_no_room_uses_one_above_or_beside_it(room: str) -> None:
    """What both sides know lies at the ground; the recorder and the publisher meet in recordings alone."""
    for path in (path for path in MODULES if path.is_relative_to(ROOT / room)):
        for name in imported_modules(path):
            used = name.split(".")[0]
            assert used == room or used in ROOMS[room], f"{path.relative_to(ROOT)} uses {name}"
            assert room != "kernels" or used != "recorder" or path.name == "libraries.py", f"{path} uses {name}"


@pytest.mark.parametrize("room", RECORDER)
def test_no_part_of_the_recorder_uses_a_later_one(room: str) -> None:
    later = RECORDER[RECORDER.index(room) + 1 :]
    for path in (ROOT / "recorder" / room).rglob("*.py"):
        for name in imported_modules(path):
            _, _, part = name.partition("recorder.")
            assert part.split(".")[0] not in later, f"{path.relative_to(ROOT)} uses {name}"


def test_every_part_of_the_recorder_has_its_place() -> None:
    found = {path.name for path in (ROOT / "recorder").iterdir() if (path / "__init__.py").exists()}
    assert found == set(RECORDER)
    assert {path.name for path in (ROOT / "recorder").glob("*.py")} == {"__init__.py", "__main__.py"}


def test_the_format_imports_no_cuda() -> None:
    program = "import sys, schema.recording; print([m for m in sys.modules if m.split('.')[0] == 'cuda'])"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_one_module_touches_the_card() -> None:
    """``toolkit`` asks the same packages where the tools lie, which needs no driver."""
    with_cuda = {path.relative_to(ROOT).as_posix() for path in MODULES if "cuda" in imports(path)}
    assert with_cuda <= {"recorder/card/device.py", "recorder/compile/toolkit.py"}


@pytest.mark.parametrize("part", ["schema", "sass", "recorder", "publisher", "site"])
def test_no_part_but_kernels_and_content_names_a_ladder(part: str) -> None:
    slugs = [path.parent.name for path in ROOT.glob("kernels/*/ladder.py")]
    assert slugs
    # Other meanings of a word that is also a ladder: a kind of axis or scale, a gradient, a function of PyTorch.
    other = re.compile(
        r'type: str = "linear"|"type": "linear"|linear scale|linear-gradient|functional\.linear|linear\('
    )
    named = []
    for path in sorted((ROOT / part).rglob("*")):
        if path.suffix in (".py", ".html", ".css", ".js", ".txt", ".xml"):
            text = other.sub("", path.read_text(encoding="utf-8"))
            for number, line in enumerate(text.splitlines(), 1):
                if any(re.search(rf"(?<![\w-]){slug}(?![\w-])", line) for slug in slugs):
                    named.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]}")
    assert named == []


def test_every_folder_of_python_is_a_package() -> None:
    """Otherwise an installed package of the same name would hide it."""
    folders = {path.parent for path in [*MODULES, *(ROOT / "tests").glob("*.py")]}
    assert [folder for folder in sorted(folders) if not (folder / "__init__.py").exists()] == []


@pytest.mark.parametrize(
    ("part", "extras"),
    [
        ("schema", ()),
        ("sass", ()),
        ("publisher", ("test",)),
        ("recorder", ("compile", "record")),
        ("kernels", ()),
    ],
)
def test_what_is_imported_is_declared(part: str, extras: tuple[str, ...]) -> None:
    own = set(ROOMS) | set(sys.stdlib_module_names) | OPTIONAL
    known = declared(*extras)
    missing = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in MODULES
        if path.is_relative_to(ROOT / part)
        for name in imports(path) - own
        if DISTRIBUTIONS.get(name, name) not in known
    }
    assert missing == set()


def test_nothing_names_where_packages_come_from() -> None:
    """Every machine has its own mirror: it is the business of its pip and npm settings."""
    for name in (
        "pyproject.toml",
        "package.json",
        "package-lock.json",
        ".npmrc",
        "environment.sh",
        "publish",
        "tests/run",
    ):
        text = (ROOT / name).read_text(encoding="utf-8")
        text = re.sub(r'"url": "[^"]*"', "", text)  # where a package's authors take donations
        assert not re.search(
            r"https?://|index-url|\bregistry=|\bresolved\b", text.replace("omit-lockfile-registry-resolved", "")
        ), name
