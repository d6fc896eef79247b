"""Does the list of what was not measured name each gap so that a reader can do something about it?"""

from __future__ import annotations

from pathlib import Path

from publisher.facts.gaps import gaps_of
from schema.recording import load_cards


def test_an_experiment_that_was_not_run_says_how_to_run_it(mixed_cards: Path) -> None:
    gaps = {gap.what: gap for gap in gaps_of(load_cards(mixed_cards)["fixture-half"], "linear")}
    assert gaps["linear/probes"].command == "python -m recorder --gpu 0 --only linear/probes"
    assert "not run" in gaps["linear/probes"].why


def test_a_setting_that_cannot_run_is_named_by_its_constants_and_asks_for_nothing(whole_cards: Path) -> None:
    card = load_cards(whole_cards)["nvidia-h200"]
    gaps = [gap for gap in gaps_of(card, "linear") if gap.what.startswith(("linear/sweep:", "linear/shapes:"))]
    assert any("tile rows " in gap.what for gap in gaps) and any("tuned, batch 64" in gap.what for gap in gaps)
    assert all(".times" not in gap.what and bool(gap.command) == gap.why.startswith("failed") for gap in gaps)


def test_a_rung_that_failed_can_be_recorded_again(mixed_cards: Path) -> None:
    gaps = gaps_of(load_cards(mixed_cards)["fixture-failed"], "linear")
    failed = [gap for gap in gaps if gap.why.startswith("failed: ")]
    assert failed and all(gap.command for gap in failed)
