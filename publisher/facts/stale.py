"""Which recordings say something about kernels or declarations that have changed since? The recorder asks the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath

from publisher.facts.commands import rerecord
from sass.listing import last_source_line
from schema.fresh import Now, changes
from schema.recording import CardRecordings, Recording
from schema.results import Code, CodeResults

last_line = lru_cache(maxsize=1024)(last_source_line)
Today = Callable[[str, str], Now | None]  # subject, experiment -> what it is now; None where that cannot be said


@dataclass(frozen=True)
class Stale:
    """A recording, and what is no longer as it was recorded, in words."""

    recording: Recording
    what: tuple[str, ...]

    @property
    def sentence(self) -> str:
        return f"Since {self.recording.key} was recorded on {self.recording.card.name}: {'; '.join(self.what)}."

    @property
    def command(self) -> str:
        return rerecord(*self.recording.key.split("/"), force=True)


def stale_recordings(card: CardRecordings, today: Today, kernels: Mapping[str, Mapping[str, str]]) -> list[Stale]:
    """Recordings whose kernels or declarations differ from those of today. ``kernels``: ladder -> file -> text."""
    found = []
    for recording in card.recordings.values():
        header = recording.header
        now = today(header.subject, header.experiment)
        what = changes(header, now) if now else []
        changed = {f"{file} has changed" for file in _listed_beyond(recording, kernels.get(header.subject, {}))}
        what += sorted(changed - set(what))
        if what:
            found.append(Stale(recording, tuple(what)))
    return sorted(found, key=lambda stale: stale.recording.key)


def _listed_beyond(recording: Recording, files: Mapping[str, str]) -> Iterator[str]:
    """Files that have become shorter than the lines that a listing names: blank lines and comments have gone."""
    if not isinstance(recording.results, CodeResults):
        return
    for code in (*(rung.code for rung in recording.results.rungs.values()), *recording.results.variants.values()):
        if isinstance(code, Code):
            name = PurePosixPath(code.file).name
            if last_line(code.sass) > len(files.get(name, "").splitlines()):
                yield name
