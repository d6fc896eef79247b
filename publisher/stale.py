"""Which recordings say something about kernels that have changed since? Comments apart: the hash blanks them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath

from recorder.recording import CardRecordings, Recording
from recorder.source import source_hash

hash_of = lru_cache(maxsize=1024)(source_hash)


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
        changed = tuple(sorted(file for file, recorded in sources if not _same(file, recorded, files)))
        if changed:
            found.append(Stale(recording, changed))
    return sorted(found, key=lambda stale: stale.recording.key)


def _same(file: str, recorded: str, files: Mapping[str, str]) -> bool:
    text = files.get(PurePosixPath(file).name)
    return text is not None and hash_of(text) == recorded
