"""What is a figure given in these tests? A fixture card with all that a page has, and the same card changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from publisher.figures.kit.figure import Evidence
from publisher.source.published import load_published
from schema.recording import CardRecordings, numbers_block
from schema.results import Timed, TimePair
from schema.strict_yaml import parse_yaml
from tests.conftest import ROOT

LADDER = "linear"


@cache
def _around() -> tuple[Any, Any, Any]:
    """Sources, glossary and published figures of the repository."""
    sources = {path.name: path.read_text() for path in sorted((ROOT / "kernels" / LADDER).glob("*.cu"))}
    glossary, _ = parse_yaml((ROOT / "content" / "glossary.yaml").read_text(), "content/glossary.yaml")
    return sources, glossary, load_published(ROOT / "recordings" / "published")


def whole_evidence(cards: Mapping[str, CardRecordings], slug: str) -> Evidence:
    """All that a page of this card has."""
    sources, glossary, published = _around()
    return Evidence(dict(cards), cards[slug], LADDER, sources, glossary, published=published)


def without(evidence: Evidence, *experiments: str, subject: str = LADDER) -> Evidence:
    """The same card, had it never recorded these."""
    gone = {(subject, experiment) for experiment in experiments}
    kept = {key: recording for key, recording in evidence.card.recordings.items() if key not in gone}
    return replace(evidence, card=replace(evidence.card, recordings=kept))


def changed(evidence: Evidence, experiment: str, subject: str = LADDER, **results: Any) -> Evidence:
    """The evidence with other results in one recording."""
    recording = evidence.card.recordings[subject, experiment]
    return _put(evidence, replace(recording, results=recording.results.model_copy(update=results)))


def with_method(evidence: Evidence, **method: Any) -> Evidence:
    """The times were taken so."""
    recording = evidence.card.recordings[LADDER, "times"]
    return _put(evidence, replace(recording, header=recording.header.model_copy(update={"method": method})))


def _put(evidence: Evidence, recording: Any) -> Evidence:
    key = (recording.header.subject, recording.header.experiment)
    return replace(evidence, card=replace(evidence.card, recordings={**evidence.card.recordings, key: recording}))


def pair(cold_us: float, warm_us: float | None = None) -> TimePair:
    """Times that all but agree: the half widths of two such times add up to a resolution of 0.02 µs."""
    spread = np.tile([-0.01, 0.0, 0.01], 9)  # no whole visits: each sample counts for itself
    timed = [Timed(samples_us=numbers_block(us + spread)) for us in (cold_us, warm_us or cold_us)]
    return TimePair(cold=timed[0], warm=timed[1])
