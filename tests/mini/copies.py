"""How does a test change a chapter, a recording or a kernel without touching the repository? In a copy of its own."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path

from publisher.build import Builder, Options
from publisher.faults import BuildError
from publisher.pages.site import Built

HERE = Path(__file__).parent


@dataclass
class MiniSite:
    """A copy of the mini article below ``root``, to be edited and built."""

    root: Path
    more: dict[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("content", "kernels", "recordings"):
            shutil.copytree(HERE / name, self.root / name)

    @property
    def options(self) -> Options:
        places = {name: self.root / name for name in ("content", "kernels", "recordings")}
        return Options(**places, root=self.root, **self.more)  # type: ignore[arg-type]

    @property
    def arguments(self) -> list[str]:
        """The same for the command line."""
        return [word for name in ("content", "kernels", "recordings") for word in (f"--{name}", str(self.root / name))]

    def edit(self, file: str, old: str, new: str) -> None:
        """Replace ``old``, which must be there, once."""
        path = self.root / file
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{old!r} is not in {file}"
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def write(self, file: str, text: str | bytes) -> None:
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)

    def append(self, file: str, text: str) -> int:
        """Add a paragraph to a file; the line it stands on."""
        before = (self.root / file).read_text(encoding="utf-8")
        self.write(file, f"{before}\n{text}\n")
        return before.count("\n") + 2

    def build(self) -> Built:
        folder = self.root / "staging"
        folder.mkdir(exist_ok=True)
        return Builder(self.options).build(folder)

    def faults(self) -> list[str]:
        """The faults of a build as text; none where it went well."""
        try:
            self.build()
        except BuildError as error:
            return [str(fault) for fault in error.faults]
        return []
