"""What does a page say only when asked? The notes of its numbers, which come with its pictures' later states.

Where a number comes from, and how it was taken, is read by scripts alone; it would be a twentieth of a page at load.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from html import unescape

from publisher.pages.assets import hashed_name

_NOTE = re.compile(r' data-kind="([^"]*)" data-keys="([^"]*)" data-note="([^"]*)"')


@dataclass
class Asides:
    """Notes of one page, each once; a number in the page has the place of its own: ``data-aside="3"``."""

    places: dict[tuple[str, ...], int] = field(default_factory=dict)

    def taken_from(self, html: str) -> str:
        """The HTML with the notes of its numbers replaced by their places."""

        def place(found: re.Match[str]) -> str:
            note = tuple(unescape(part) for part in found.groups())
            return f' data-aside="{self.places.setdefault(note, len(self.places))}"'

        return _NOTE.sub(place, html)

    def added_to(self, script: tuple[str, str]) -> tuple[str, str]:
        """File name and text of the pictures' script, with the notes: ``[kind, keys, note]`` each."""
        if not self.places:
            return script
        notes = json.dumps(list(self.places), ensure_ascii=False, separators=(",", ":"))
        text = f"{script[1]}window.Rungbook.asides = {notes};\n"
        return hashed_name("pictures.js", text.encode()), text
