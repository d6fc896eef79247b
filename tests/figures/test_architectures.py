"""Does the figure of architectures count every instruction? On fixture cards."""

from __future__ import annotations

import pytest

from publisher.figures import architectures
from publisher.figures.kit.figure import Evidence, Missing
from tests.figures.evidence import without
from tests.figures.sound import assert_sound


def test_architectures_has_a_choice_of_rungs(evidence: Evidence) -> None:
    figure = architectures.draw(evidence, rungs="async_copy,tensor_core")
    assert_sound("architectures", figure)
    assert list(figure.sequences) == ["async_copy", "tensor_core"]


def test_architectures_counts_every_instruction_once(evidence: Evidence) -> None:
    table = architectures.draw(evidence).table
    for row in table.rows:
        assert int(row[3]) == sum(map(int, row[4:]))


def test_architectures_lists_equal_loops_once(evidence: Evidence) -> None:
    figure = architectures.draw(evidence, rungs="async_copy")
    texts = [tuple(line.text for line in listing.lines) for listing in figure.listings]
    assert len(set(texts)) == len(texts)


def test_architectures_without_the_rung_is_missing(evidence: Evidence) -> None:
    with pytest.raises(Missing, match="no rung nothing"):
        architectures.draw(evidence, rungs="nothing")
    with pytest.raises(Missing, match="linear/code"):
        architectures.draw(without(evidence, "code"))
