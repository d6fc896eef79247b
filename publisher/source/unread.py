"""Which files does nobody read? Each is named, with what it is not and where such a file lies.

A file in the wrong place, or with another ending, would be left out of every page without a word. Files whose name or
content is wrong where they are read are not told here, but by whoever reads them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from publisher.faults import Fault, instead
from schema.kernel_text import SourceError
from schema.ladder import LadderError
from schema.load_ladder import load_ladder
from schema.recording import KEPT_ASIDE, MACHINE

PUBLISHED = "published"
PICTURES = "images"  # of the documentation, for those who read it where the sources are
CONTENT = ("site.yaml", "terms.yaml", "glossary.yaml")
_ANYWHERE = re.compile(r"README(\..*)?|LICENSE(\..*)?|\..*|__init__\.py|__pycache__", re.IGNORECASE)
_FIGURE = re.compile(r"[a-z][a-z0-9_]*\.py")

RECORDING = "is no recording, which is <card>/<subject>/<experiment>.yaml in the folder of recordings"
FIGURES_OF_OTHERS = f"is no file of published figures, which is {PUBLISHED}/<name>.yaml in the folder of recordings"
ARTICLE = "is no part of an article, which is article.yaml, chapters NN-slug.md, and figures/<name>.py"
FIGURE = "is no figure of an article: its file is <name>.py, the name in small letters, digits and _"
BESIDE_ARTICLES = f"is nothing that is read here, which is {', '.join(CONTENT)} and a folder for each article"
LADDER = "is no part of a ladder, which is ladder.py and .cu files"
BESIDE_LADDERS = "is nothing that is read here, which is a folder for each ladder"
Shown = Callable[[Path], str]


def unread_files(recordings: Path, content: Path, docs: Path | None, kernels: Path, shown: Shown) -> Iterator[Fault]:
    """A fault for each file below these folders that no build and no recorder reads; ``shown`` names it."""
    for path, what in _recordings(recordings):
        yield Fault(shown(path), 1, what)
    for path, what in _content(content):
        yield Fault(shown(path), 1, what)
    for path, what in _article(docs) if docs and docs.is_dir() else ():
        if path.parent.name != PICTURES:
            yield Fault(shown(path), 1, what)
    yield from _kernels(kernels, shown)


def passed_over(path: Path) -> bool:
    """Whether a file or folder is there for people or programs, and is none of what is read by its name."""
    return _ANYWHERE.fullmatch(path.name) is not None


def _files(folder: Path) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Every file below a folder that somebody may have meant to be read, and the parts of its path from there."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.is_file() and not any(passed_over(Path(part)) for part in parts):
            yield path, parts


def folders_in(folder: Path) -> list[Path]:
    """The folders in it that hold any such file: an empty one is what a version control system left behind."""
    inside = [path for path in folder.iterdir() if path.is_dir()] if folder.is_dir() else []
    return sorted(path for path in inside if not passed_over(path) and any(_files(path)))


def _recordings(folder: Path) -> Iterator[tuple[Path, str]]:
    for path, parts in _files(folder):
        if parts[0] == PUBLISHED:
            if len(parts) != 2 or path.suffix != ".yaml":
                yield path, FIGURES_OF_OTHERS
        elif len(parts) > 1 and path.suffix in (".yaml", ".yml"):
            continue  # read with its card, or told there
        elif not KEPT_ASIDE.fullmatch(path.name):
            yield path, RECORDING


def _content(folder: Path) -> Iterator[tuple[Path, str]]:
    for path, parts in _files(folder):
        if len(parts) == 1 and path.name not in CONTENT:
            yield path, BESIDE_ARTICLES
    for article in folders_in(folder):
        if (article / "article.yaml").exists():
            yield from _article(article)
        else:
            yield article, "is no article, because it has no article.yaml"


def _article(folder: Path) -> Iterator[tuple[Path, str]]:
    for path, parts in _files(folder):
        if len(parts) == 2 and parts[0] == "figures":
            if not _FIGURE.fullmatch(path.name):
                yield path, FIGURE
        elif len(parts) != 1 or (path.name != "article.yaml" and path.suffix != ".md"):
            yield path, ARTICLE


def _kernels(folder: Path, shown: Shown) -> Iterator[Fault]:
    for path, parts in _files(folder):
        if len(parts) == 1:
            yield Fault(shown(path), 1, BESIDE_LADDERS)
    for ladder in folders_in(folder):
        if ladder.name == MACHINE:
            known = None
        elif not (ladder / "ladder.py").exists():
            yield Fault(shown(ladder), 1, "is no ladder, because it has no ladder.py")
            continue
        else:
            try:
                known = load_ladder(ladder).files
            except (LadderError, SourceError) as error:
                yield _ladder_fault(str(error), ladder, shown)
                continue
        for path, parts in _files(ladder):
            if len(parts) != 1 or path.suffix not in (".cu", ".py"):
                yield Fault(shown(path), 1, LADDER)
            elif path.suffix == ".cu" and known is not None and path.name not in known:
                what = f"is no rung of the ladder {ladder.name} and no variant of one; {instead(path.name, known)}"
                yield Fault(shown(path), 1, f"{what}; enter it in {shown(ladder / 'ladder.py')}")


def _ladder_fault(said: str, ladder: Path, shown: Shown) -> Fault:
    """The fault of a ladder.py, or of a kernel beside it, whose file and line the message names if it can."""
    found = re.match(r"\S+/(\S+\.(?:py|cu)):(\d+): (.*)", said, re.DOTALL)
    if not found:
        return Fault(shown(ladder / "ladder.py"), 1, said)
    return Fault(shown(ladder / found[1]), int(found[2]), found[3])
