"""What is wrong, where, and what exists instead? The one form that every error of a build takes."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True, order=True)
class Fault:
    """One fault. ``file`` is a path as a person types it from the repository's root; ``line`` counts from 1."""

    file: str
    line: int
    what: str
    needs: tuple[str, ...] = field(default=(), compare=False, repr=False)  # kinds of input that it was judged by

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}"


class Faults(list[Fault]):
    """What is wrong so far. ``unread``: the kinds of input of which something could not be read, such as ``terms``."""

    def __init__(self) -> None:
        super().__init__()
        self.unread: set[str] = set()

    def told(self) -> list[Fault]:
        """Each once, without those that may only follow from what could not be read."""
        return sorted({fault for fault in self if self.unread.isdisjoint(fault.needs)})


class BuildError(Exception):
    """A build that cannot go on. ``faults`` are all of them, in the order of files and lines."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(sorted(set(faults)))
        super().__init__("\n".join(str(fault) for fault in self.faults))


def faults_of(error: Exception) -> list[Fault]:
    """The faults in the message of a ``RecordingError``: ``file:line: what``, one a line."""
    found = []
    for text in str(error).splitlines():
        file, _, rest = text.partition(":")
        line, _, what = rest.partition(": ")
        found.append(Fault(file, int(line), what) if line.isdigit() else Fault(text, 1, "cannot be read"))
    return found


def instead(word: str, known: Iterable[str], limit: int = 12) -> str:
    """``did you mean 'split_k'?``, or the known words when none is near."""
    names = list(dict.fromkeys(known))
    close = difflib.get_close_matches(word, names, n=2, cutoff=0.6)
    if len(close) == 2 and _likeness(word, close[1]) < _likeness(word, close[0]) - 0.05:
        close.pop()
    if close:
        return f"did you mean {' or '.join(close)}?"
    if not names:
        return "there are none"
    shown = ", ".join(names[:limit])
    return f"there are {shown}{' …' if len(names) > limit else ''}"


def _likeness(a: str, b: str) -> float:
    return difflib.SequenceMatcher(None, a, b).ratio()
