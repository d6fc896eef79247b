"""Does the figure of one change set each entry beside the one before? On fixture cards."""

from __future__ import annotations

import pytest

from publisher.figures import (
    one_change,
)
from publisher.figures.kit.figure import Evidence
from schema.results import Failed
from tests.figure_states import captions, state
from tests.figures.evidence import LADDER, changed


def test_points_of_a_comparison_are_the_recorded_medians_with_their_intervals(evidence: Evidence) -> None:
    figure = one_change.draw(evidence)
    entries = evidence.card.recordings[LADDER, "one_change"].results.comparisons["same_tile"]
    points = state(figure, "same_tile", "split_16")[0][1]
    assert points["x"] == pytest.approx([e.times.cold.samples.median_us for e in entries.values()], abs=1e-4)
    low, high = next(iter(entries.values())).times.cold.samples.interval_us
    assert points["x"][0] - points["error_x"]["arrayminus"][0] == pytest.approx(low, abs=2e-4)
    assert points["x"][0] + points["error_x"]["array"][0] == pytest.approx(high, abs=2e-4)


def test_each_entry_is_set_beside_the_one_before_and_the_first(evidence: Evidence) -> None:
    told = captions(one_change.draw(evidence), "async_copy_apart")
    assert "as “" not in told["tensor_core"]
    assert told["no_prefetch"].count("as “Neither”") == 2
    assert "as “Prefetch alone”" in told["async_copy"]
    assert "as “Neither”" in told["async_copy"]


def test_an_entry_without_a_time_says_why(evidence: Evidence) -> None:
    comparisons = dict(evidence.card.recordings[LADDER, "one_change"].results.comparisons)
    copies = dict(comparisons["async_copy_apart"])
    copies["no_prefetch"] = copies["no_prefetch"].model_copy(update={"times": Failed(failed="illegal address")})
    figure = one_change.draw(changed(evidence, "one_change", comparisons={"async_copy_apart": copies}))
    told = captions(figure, "async_copy_apart")
    assert (
        "Cold it was failed: illegal address" in told["no_prefetch"] or "failed: illegal address" in told["no_prefetch"]
    )
    assert "cp.async alone" not in told["register_prefetch"]
