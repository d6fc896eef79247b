"""What changed between two recordings of a card? Times that moved beyond resolution, and claims that flipped. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from publisher.facts.claims import evaluate
from publisher.facts.expressions import ExpressionError
from publisher.facts.units import TIME, formatted, significant
from publisher.facts.values import Facts, UnknownFact, canonical, largest_twin_difference
from schema.recording import CardRecordings, Recording
from schema.results import Failed, Model, NotMeasured, Timed
from schema.statistics import resolution_us


@dataclass(frozen=True)
class Moved:
    """A time that differs by more than its resolution, or that came or went. Times in µs, None where there is none."""

    key: str
    old_us: float | None
    new_us: float | None
    resolution_us: float = 0.0

    def __str__(self) -> str:
        if self.old_us is None or self.new_us is None:
            before, after = (formatted(us, TIME) if us is not None else "no time" for us in (self.old_us, self.new_us))
            return f"{self.key}: {before} -> {after}"
        change = (self.new_us / self.old_us - 1) * 100
        beyond = (
            f"{abs(self.new_us - self.old_us) / self.resolution_us:.1f} resolutions" if self.resolution_us else "exact"
        )
        times = f"{significant(self.old_us, 5)} -> {significant(self.new_us, 5)} µs"
        return f"{self.key}: {times} ({change:+.1f} %, {beyond})"


@dataclass(frozen=True)
class Flipped:
    """A claim whose truth changed. ``before`` and ``after`` are None where a recording it needs is missing."""

    claim: str
    before: bool | None
    after: bool | None
    detail: str

    def __str__(self) -> str:
        said = {True: "holds", False: "does not hold", None: "cannot be decided"}
        return f"{self.claim}: {said[self.before]} -> {said[self.after]} ({self.detail})"


def moved_times(old: CardRecordings, new: CardRecordings) -> list[Moved]:
    """Every time of both recordings, compared by the resolution of the two."""
    found = []
    for place in sorted(old.recordings.keys() & new.recordings.keys()):
        before, after = dict(_times(old.recordings[place])), dict(_times(new.recordings[place]))
        for key in sorted(before.keys() | after.keys()):
            a, b = before.get(key), after.get(key)
            if a is None or b is None:
                found.append(Moved(key, a and a.samples.median_us, b and b.samples.median_us))
                continue
            condition = key.rsplit(".", 1)[-1]
            twins = max(largest_twin_difference(card.get(place[0], "times"), condition) for card in (old, new))
            resolution = resolution_us(a.samples, b.samples, twins)
            if abs(a.samples.median_us - b.samples.median_us) > resolution:
                found.append(Moved(key, a.samples.median_us, b.samples.median_us, resolution))
    return found


def flipped_claims(claims: Iterable[str], old: CardRecordings, new: CardRecordings) -> list[Flipped]:
    """The claims that are decided otherwise by the new recordings."""
    before, after = Facts(old), Facts(new)
    found = []
    for claim in dict.fromkeys(claims):
        was, now = _outcome(claim, before), _outcome(claim, after)
        if was[0] != now[0]:
            found.append(Flipped(claim, was[0], now[0], now[1]))
    return found


def report(claims: Iterable[str], old: Mapping[str, CardRecordings], new: Mapping[str, CardRecordings]) -> list[str]:
    """Lines for a terminal, card by card; cards that only one side has are named."""
    claims = list(claims)
    lines = []
    for slug in sorted(old.keys() | new.keys()):
        if slug not in old or slug not in new:
            lines.append(f"{slug}: only in the {'new' if slug in new else 'old'} recordings")
            continue
        moved, flipped = moved_times(old[slug], new[slug]), flipped_claims(claims, old[slug], new[slug])
        moves = f"{len(moved)} of {_count(new[slug])} times moved beyond their resolution"
        lines.append(f"{slug}: {moves}, {len(flipped)} claims flipped")
        lines += [f"  {item}" for item in (*moved, *flipped)]
    return lines


def _outcome(claim: str, facts: Facts) -> tuple[bool | None, str]:
    try:
        outcome = evaluate(claim, facts)
    except (ExpressionError, UnknownFact) as error:
        return None, str(error)
    return outcome.holds, outcome.detail


def _count(card: CardRecordings) -> int:
    return sum(1 for recording in card.recordings.values() for _ in _times(recording))


def _times(recording: Recording) -> Iterator[tuple[str, Timed]]:
    for path, timed in _walk(recording.results, ()):
        yield canonical(recording.header.subject, recording.header.experiment, path), timed


def _walk(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Timed]]:
    if isinstance(value, Timed):
        yield path, value
    elif isinstance(value, (Failed, NotMeasured, str, int, float)):
        return
    elif isinstance(value, Model):
        for name in type(value).model_fields:
            yield from _walk(getattr(value, name), (*path, name))
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _walk(inner, (*path, name))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from _walk(inner, (*path, str(i)))
