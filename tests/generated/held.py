"""What must hold of a build, whatever it was given? Pages or faults with file and line; no traceback, no half a site.

``Site.publish`` runs the whole command in this process, so anything that it raises fails the test that called it.
"""

from __future__ import annotations

import io
import re
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path

from publisher.command import main
from tests.mini.copies import MiniSite

FAULT = re.compile(r"^(.+?):(\d+): (.{8,})$", re.DOTALL)
LAST = re.compile(r"^\d+ faults?; nothing was written\.$")


@dataclass(frozen=True)
class Published:
    """What a build gave: its pages below ``out``, or the lines of its faults."""

    out: Path
    faults: tuple[str, ...]

    @cached_property
    def shown(self) -> str:
        """What readers can see, on all pages: texts, and attributes that are told or followed."""
        reader = _Shown()
        for path in sorted(self.out.rglob("*.html")):
            reader.feed(path.read_text(encoding="utf-8"))
            reader.parts.append("\n")
        return "".join(reader.parts)

    def page(self, name: str) -> str:
        reader = _Shown()
        reader.feed((self.out / name).read_text(encoding="utf-8"))
        return "".join(reader.parts)


class _Shown(HTMLParser):
    """Texts of a page in order, and the attributes that a reader meets."""

    MET = ("href", "title", "alt", "aria-label", "content", "class", "data-note")
    UNSEEN = ("script", "style")

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.unseen = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.unseen = tag in self.UNSEEN
        self.parts += [f" {value} " for name, value in attrs if name in self.MET and value]

    def handle_endtag(self, tag: str) -> None:
        self.unseen = False

    def handle_data(self, data: str) -> None:
        if not self.unseen:
            self.parts.append(data)


class Site:
    """The mini site in a folder of its own. What a test changed is put back before the next one."""

    def __init__(self, folder: Path) -> None:
        self.mini = MiniSite(folder / "site")
        self.out = folder / "dist"
        self.original = {path: path.read_bytes() for path in self.mini.root.rglob("*") if path.is_file()}
        assert self.publish().faults == ()
        self.published = self._files()

    def text(self, file: str) -> str:
        return self.original[self.mini.root / file].decode()

    def restore(self) -> None:
        for path in [path for path in self.mini.root.rglob("*") if path.is_file()]:
            if path not in self.original:
                path.unlink()
        for path, raw in self.original.items():
            if path.read_bytes() != raw:
                path.write_bytes(raw)

    def publish(self, *more: str) -> Published:
        """Run the command. A fault names a file that is there and a line that it has, and leaves the old site alone."""
        before = self._files()
        said, told = io.StringIO(), io.StringIO()
        with redirect_stdout(said), redirect_stderr(told):
            code = main([*self.mini.arguments, "--out", str(self.out), *more])
        assert code in (0, 1), f"exit {code}: {told.getvalue()}"
        assert sorted(path.name for path in self.out.parent.iterdir()) == ["dist", "site"], "something stray is left"
        if code == 0:
            assert not told.getvalue()
            return Published(self.out, ())
        lines = told.getvalue().rstrip("\n").split("\n")
        assert LAST.match(lines[-1]), lines
        assert len(lines) > 1, lines
        assert self._files() == before, "a build with faults changed the site"
        for line in lines[:-1]:
            self._names_a_place(line)
        return Published(self.out, tuple(lines[:-1]))

    def _names_a_place(self, line: str) -> None:
        found = FAULT.match(line)
        assert found, f"no fault with file and line: {line!r}"
        path = Path(found[1])
        path = path if path.is_absolute() else self.mini.root / path
        assert path.exists(), f"names a file that is not there: {line!r}"
        if path.is_file():
            raw = path.read_bytes().replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            assert 1 <= int(found[2]) <= raw.count(b"\n") + 1, f"names a line that is not there: {line!r}"

    def _files(self) -> dict[str, tuple[int, int]]:
        found = ((path, path.stat()) for path in self.out.rglob("*") if path.is_file())
        return {str(path): (stat.st_size, stat.st_mtime_ns) for path, stat in found}
