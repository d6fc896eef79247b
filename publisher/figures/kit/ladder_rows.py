"""What does a times recording say of each rung, in words and as a table?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from publisher.figures.kit.figure import DataTable, Evidence
from publisher.figures.kit.measured import CONDITIONS, compare, exact_us, interval_text, twin_of
from publisher.figures.kit.style import Rung, fmt_time, listed, rungs, times
from schema.dtypes import DTYPES
from schema.recording import Recording
from schema.results import Timed

MOVE = "move_"  # floors of this name and the types move the least bytes and do nothing else
EMPTY = "empty"


@dataclass(frozen=True)
class Row:
    """One rung on the axis: its times by condition, or why it has none."""

    rung: Rung
    timed: dict[str, Timed | None]
    whys: dict[str, str]

    @property
    def medians(self) -> list[float]:
        return [t.samples.median_us for t in self.timed.values() if t]


def rows_of(evidence: Evidence, recording: Recording) -> list[Row]:
    """A row for each rung, in the order of the ladder."""
    return [_row(rung, recording) for rung in rungs(evidence)]


def _row(rung: Rung, recording: Recording) -> Row:
    found = {condition: times(recording, rung.slug, condition) for condition in CONDITIONS}
    return Row(rung, {c: t for c, (t, _) in found.items()}, {c: w for c, (_, w) in found.items()})


def times_text(row: Row) -> str:
    """``Shared memory: cold 9.27 µs, warm 8.1 µs``, or why there are no times."""
    parts = [
        f"{condition} {fmt_time(timed.samples.median_us)}" if timed else f"{condition} {row.whys[condition]}"
        for condition, timed in row.timed.items()
    ]
    if not row.medians and len(set(row.whys.values())) == 1:
        return f"{row.rung.title}: {row.whys['cold']}"
    return f"{row.rung.title}: {', '.join(parts)}"


def effect(evidence: Evidence, rows: Sequence[Row], place: int) -> str:
    """The times of a rung, and what they are beside the nearest rung before it that has a cold time."""
    row = rows[place]
    text = times_text(row).removeprefix(f"{row.rung.title}: ")
    text = text[0].upper() + text[1:]
    earlier = next((other for other in reversed(rows[:place]) if other.timed["cold"]), None)
    ours = row.timed["cold"]
    if earlier is None or ours is None:
        return f"{text}."
    word = compare(ours, earlier.timed["cold"], twin_of(evidence, "cold"))  # type: ignore[arg-type]
    return f"{text}. Cold, that is {word.words} as rung {earlier.rung.number}."


def table(evidence: Evidence, recording: Recording, rows: Sequence[Row]) -> DataTable:
    """All rungs, then library calls, then floors."""
    body = [
        (f"{row.rung.number} {row.rung.title}", *_cells(row.timed, row.whys), _beside(evidence, rows, place))
        for place, row in enumerate(rows)
    ]
    results = recording.results
    others = {slug: getattr(ref, "title", slug) for slug, ref in results.references.items()}
    others |= {slug: floor_name(slug) for slug in results.floors}
    for slug, title in others.items():
        found = {condition: times(recording, slug, condition) for condition in CONDITIONS}
        body.append((title, *_cells({c: t for c, (t, _) in found.items()}, {c: w for c, (_, w) in found.items()}), ""))
    return DataTable(
        ("", "cold µs", "95 % interval", "warm µs", "95 % interval", "cold, beside the rung before"),
        tuple(body),
        (1, 2, 3, 4),
        "Medians of all samples, and the interval that holds the true median with 95 % confidence.",
    )


def _cells(timed: dict[str, Timed | None], whys: dict[str, str]) -> list[str]:
    cells: list[str] = []
    for condition in CONDITIONS:
        one = timed[condition]
        cells += [exact_us(one.samples.median_us), interval_text(one)] if one else [whys[condition], ""]
    return cells


def _beside(evidence: Evidence, rows: Sequence[Row], place: int) -> str:
    ours, theirs = rows[place].timed["cold"], rows[place - 1].timed["cold"] if place else None
    return compare(ours, theirs, twin_of(evidence, "cold")).words if ours and theirs else ""


def floor_name(slug: str) -> str:
    """A floor as pages call it: ``the least bytes moved, FP16``."""
    if slug == EMPTY:
        return "an empty launch"
    types = slug.removeprefix(MOVE)
    return f"the least bytes moved, {types.upper() if types in DTYPES else types}" if slug.startswith(MOVE) else slug


def conditions_text(recording: Recording) -> str:
    """What cold and warm mean in this recording: ``Cold, W is not in the L2 cache when a launch begins; …``."""
    operands = [one.title for one in recording.results.operands.values() if one.cold]
    if not operands:
        return "The ladder declares no operand that cold runs find outside the L2 cache."
    names = listed(operands)
    one = len(operands) == 1
    return (
        f"Cold, {names} {'is' if one else 'are'} not in the L2 cache when a launch begins; "
        f"warm, the launch before read the same {names}."
    )
