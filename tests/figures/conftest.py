"""What do the tests of figures share? The fixture cards, read once, and what a page of one of them has."""

from __future__ import annotations

from pathlib import Path

import pytest

from publisher.figures.kit.figure import Evidence
from schema.recording import CardRecordings, load_cards
from tests.figures.evidence import whole_evidence


@pytest.fixture(scope="session")
def cards(mixed_cards: Path) -> dict[str, CardRecordings]:
    return load_cards(mixed_cards)


@pytest.fixture
def evidence(cards: dict[str, CardRecordings]) -> Evidence:
    return whole_evidence(cards, "nvidia-h200")


@pytest.fixture
def failed(cards: dict[str, CardRecordings]) -> Evidence:
    return whole_evidence(cards, "fixture-failed")
