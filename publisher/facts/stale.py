"""Which recordings say something about kernels that have changed since? Comments apart: the hash blanks them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath

from sass.listing import last_source_line
from schema.kernel_text import source_hash
from schema.recording import CardRecordings, Recording
from schema.results import Code, CodeResults

hash_of = lru_cache(maxsize=1024)(source_hash)
last_line = lru_cache(maxsize=1024)(last_source_line)


@dataclass(frozen=True)
class Stale:
    """A recording, and the kernel files that are not what it recorded."""

    recording: Recording
    files: tuple[str, ...]

    @property
    def sentence(self) -> str:
        listed = ", ".join(self.files)
        plural = "have" if len(self.files) > 1 else "has"
        return f"{listed} {plural} changed since {self.recording.key} was recorded on {self.recording.card.name}."

    @property
    def command(self) -> str:
        return f"python -m recorder --gpu 0 --force --only {self.recording.key}"


def stale_recordings(card: CardRecordings, kernels: Mapping[str, Mapping[str, str]]) -> list[Stale]:
    """Recordings whose kernel sources differ from those on disk, or are gone."""
    found = []
    for recording in card.recordings.values():
        files = kernels.get(recording.header.subject, {})
        sources = recording.header.sources.items()
        changed = {file for file, recorded in sources if not _same(file, recorded, files)}
        changed |= {file for file in _listed_beyond(recording, files) if file in recording.header.sources}
        if changed:
            found.append(Stale(recording, tuple(sorted(changed))))
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


def _same(file: str, recorded: str, files: Mapping[str, str]) -> bool:
    text = files.get(PurePosixPath(file).name)
    return text is not None and hash_of(text) == recorded
