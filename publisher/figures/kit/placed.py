"""What does a placement recording say of one launch? Blocks on SMs, how many ran at once, waves and the tail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from publisher.figures.kit.figure import Evidence
from publisher.figures.kit.measured import reason, value_of
from publisher.figures.kit.style import Rung, fmt_count, lacking, rungs
from schema.recording import Recording
from schema.results import Launches, RungPlacement, Table

MOST_COUNTS = 3  # of blocks an SM that a sentence tells one by one


@dataclass(frozen=True)
class Launch:
    """One recorded launch. Arrays have an entry a block, in the order of blocks; times in µs since the first start."""

    block: np.ndarray
    sm: np.ndarray
    start_us: np.ndarray
    end_us: np.ndarray
    sms: int  # of the card

    @property
    def blocks(self) -> int:
        return int(self.block.size)

    @property
    def duration_us(self) -> float:
        return float(self.end_us.max())

    @cached_property
    def per_sm(self) -> np.ndarray:
        """Blocks that ran on each SM of the card, by the SM's number."""
        return np.bincount(self.sm, minlength=self.sms)

    @property
    def idle_sms(self) -> int:
        return int((self.per_sm == 0).sum())

    @property
    def spread_text(self) -> str:
        """How many SMs had how many blocks, e.g. ``32 of 132 SMs ran 1 block each, and 100 ran none``."""
        counts, sms = np.unique(self.per_sm[self.per_sm > 0], return_counts=True)
        least, most = int(counts[0]), int(counts[-1])
        if len(counts) <= MOST_COUNTS:
            pairs = list(zip(counts.tolist(), sms.tolist(), strict=True))[::-1]
            first = f"{pairs[0][1]} of {self.sms} SMs" if len(pairs) > 1 or self.idle_sms else f"all {self.sms} SMs"
            parts = [f"{first} ran {fmt_count(most, 'block')}{' each' if pairs[0][1] > 1 else ''}"]
            parts += [f"{many} ran {count}" for count, many in pairs[1:]]
        else:
            parts = [f"{self.sms - self.idle_sms} of {self.sms} SMs ran {least} to {fmt_count(most, 'block')}"]
        parts += [f"{self.idle_sms} ran none"] if self.idle_sms else []
        return f"{', '.join(parts[:-1])}, and {parts[-1]}" if len(parts) > 1 else parts[0]

    @cached_property
    def busy_share(self) -> float:
        """Of all SMs' time from the first start to the last end, the part in which an SM had a block; 0 to 1."""
        busy = 0.0
        for sm in np.flatnonzero(self.per_sm):
            here = self.sm == sm
            order = np.argsort(self.start_us[here])
            reached = 0.0
            for start, end in zip(self.start_us[here][order], self.end_us[here][order], strict=True):
                busy += max(0.0, end - max(start, reached))
                reached = max(reached, end)
        return busy / (self.sms * self.duration_us) if self.duration_us else 0.0

    @cached_property
    def running(self) -> tuple[np.ndarray, np.ndarray]:
        """Moments in µs, and how many blocks were running from each on; the first is 0, the last count is 0."""
        moments = np.unique(np.concatenate([[0.0], self.start_us, self.end_us]))
        started = np.searchsorted(np.sort(self.start_us), moments, side="right")
        ended = np.searchsorted(np.sort(self.end_us), moments, side="right")
        return moments, started - ended

    @cached_property
    def _turns(self) -> tuple[np.ndarray, np.ndarray]:
        """Lane and wave of each block. Blocks take, in the order of their starts, the first free lane of their SM."""
        lanes, waves = np.zeros(self.blocks, dtype=int), np.zeros(self.blocks, dtype=int)
        free: dict[int, list[float]] = {}  # of an SM: when each of its lanes is free again
        turn: dict[tuple[int, int], int] = {}
        for i in np.lexsort((self.block, self.start_us)):
            sm = int(self.sm[i])
            ends = free.setdefault(sm, [])
            place = next((n for n, end in enumerate(ends) if end <= self.start_us[i]), len(ends))
            ends[place : place + 1] = [float(self.end_us[i])]
            turn[sm, place] = turn.get((sm, place), 0) + 1
            lanes[i], waves[i] = place, turn[sm, place]
        return lanes, waves

    @property
    def lane(self) -> np.ndarray:
        """Place beside the blocks that run at the same time on the same SM, from 0."""
        return self._turns[0]

    @property
    def wave(self) -> np.ndarray:
        """Wave of each block, from 1: a block of wave 2 took the place of one that had ended."""
        return self._turns[1]

    @property
    def tail_start_us(self) -> float:
        """When the first SM that had work ran out of it for good."""
        last = np.zeros(self.per_sm.size)
        np.maximum.at(last, self.sm, self.end_us)
        return float(last[self.per_sm > 0].min())


@dataclass(frozen=True)
class Placed:
    """A rung with its recorded launches, and the blocks of others where the ladder has choices for it."""

    rung: Rung
    recorded: RungPlacement
    launches: tuple[Launch, ...]
    others: Launches | None


def placed_rungs(evidence: Evidence, wanted: Sequence[str] = ()) -> tuple[Recording, list[Placed], list[str]]:
    """The placement recording, the rungs it has launches of (``wanted``, or all), and sentences on those it has not.

    Raises ``Missing`` when it has none, or when the card's number of SMs is not known.
    """
    recording = evidence.need("placement")
    sms = evidence.card.card.sms
    if not isinstance(sms, int):
        raise lacking(evidence, "placement", "how many SMs the card has is not recorded")
    known = {rung.slug: rung for rung in rungs(evidence)}
    found: list[Placed] = []
    absent: list[str] = []
    for slug in wanted or [slug for slug in known if slug in recording.results.rungs]:
        entry = recording.results.rungs.get(slug)
        placement = value_of(entry)
        if slug in known and placement is not None and placement.launches:
            launches = tuple(_launch(table, sms) for table in placement.launches)
            others = value_of(evidence.need("code").results.rungs[slug].launches)
            found.append(Placed(known[slug], placement, launches, others))
        else:
            absent.append(f"{slug}: {reason(entry)}")
    if not found:
        raise lacking(
            evidence,
            "placement",
            f"no launch was recorded block by block ({'; '.join(absent) or 'no rung'})",
            [entry for slug, entry in recording.results.rungs.items() if not wanted or slug in wanted],
        )
    return recording, found, absent


def _launch(table: Table, sms: int) -> Launch:
    columns = table.arrays
    order = np.argsort(columns["block"], kind="stable")
    first = columns["start_ns"].min()
    sm = columns["sm"][order].astype(int)
    start, end = ((columns[name][order] - first) / 1000 for name in ("start_ns", "end_ns"))
    return Launch(columns["block"][order].astype(int), sm, start, end, max(sms, int(sm.max()) + 1))


def percent(share: float) -> str:
    """``4 %``, whole; number and unit stay on one line."""
    return f"{share * 100:.0f}\u00a0%"


def depth(count: int) -> tuple[str, str]:
    """Fill and text colour of an SM with so many blocks; from 3 on the fill stays, and the number tells."""
    if count == 0:
        return "@surface", "@muted"
    return f"@q{2 * min(count, 3)}", "@paper" if count > 2 else "@ink"
