"""Does the roofline place each rung by its operations and least bytes? On fixture cards."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from publisher.figures import (
    roofline,
)
from publisher.figures.kit.figure import Evidence, Missing, SteppedFigure
from schema.results import NotMeasured
from tests.figure_states import captions, state
from tests.figures.evidence import LADDER, changed, pair, whole_evidence


def test_a_point_is_flop_by_time_at_flop_by_least_bytes(evidence: Evidence) -> None:
    figure = roofline.draw(evidence)
    times = evidence.card.recordings[LADDER, "times"].results
    marks = state(figure, "cold", "tuned")[0][1]
    assert marks["x"][-1] == pytest.approx(times.flops / times.least_bytes["fp16"], abs=1e-3)
    speed = times.flops / times.rungs["tuned"].cold.samples.median_us / 1e6
    assert marks["y"][-1] == pytest.approx(speed, abs=1e-3)
    assert marks["ids"][-1] == f"{LADDER}.tuned.cold"
    assert len(marks["x"]) == len(times.rungs)


def test_roofs_come_first_and_alone(evidence: Evidence) -> None:
    figure = roofline.draw(evidence)
    assert figure.sequences["cold"][0].slug == "roofs"
    assert state(figure, "cold", "roofs")[0][1]["x"] == []
    assert _roofs(figure) == ["device memory", "L2", "FP32 FMA", "tensor cores"]


def _roofs(figure: SteppedFigure) -> list[str]:
    return [trace["name"].split(",")[0] for trace in figure.data if "name" in trace]


def test_what_a_point_lacks_reaches_the_lowest_roof_of_memory_above_it(evidence: Evidence) -> None:
    figure = roofline.draw(evidence)
    gap, marks = state(figure, "cold", "tuned")[0][:2]
    peaks = evidence.card.recordings["machine", "peaks"].results
    allowed = [gigabytes * marks["x"][-1] / 1e3 for gigabytes in (peaks.read_GBps, peaks.l2_read_GBps)]
    assert gap["y"] == pytest.approx([marks["y"][-1], min(a for a in allowed if a > marks["y"][-1])], rel=1e-3)


def test_roofs_of_a_throttled_card_say_so(evidence: Evidence) -> None:
    peaks = evidence.card.recordings["machine", "peaks"]
    held = peaks.header.conditions.model_copy(update={"throttle_reasons": ["sw_power_cap"], "sm_clock_MHz": 1425})
    header = peaks.header.model_copy(update={"conditions": held})
    recordings = evidence.card.recordings | {("machine", "peaks"): replace(peaks, header=header)}
    told = captions(roofline.draw(replace(evidence, card=replace(evidence.card, recordings=recordings))), "cold")
    assert "held down at 1425\u00a0MHz by its power limit" in told["roofs"]


@pytest.mark.parametrize(
    ("condition", "says"),
    [("warm", "come from L2, whose own roof it reaches to"), ("cold", "did not come from device memory")],
)
def test_a_point_above_the_roof_of_memory_is_explained(condition: str, says: str, evidence: Evidence) -> None:
    times = evidence.card.recordings[LADDER, "times"].results
    fast = times.rungs["tuned"].model_copy(update=dict(pair(5.0)))
    told = captions(roofline.draw(changed(evidence, "times", rungs={**times.rungs, "tuned": fast})), condition)
    assert "above that roof" in told["tuned"]
    assert says in told["tuned"]
    assert "above that roof" not in told["naive"]


def test_a_roof_that_was_not_measured_is_not_drawn(evidence: Evidence) -> None:
    gone = NotMeasured(not_measured="no room")
    figure = roofline.draw(changed(evidence, "peaks", "machine", l2_read_GBps=gone))
    assert "L2" not in _roofs(figure)
    with pytest.raises(Missing, match="no measured bandwidth"):
        roofline.draw(changed(evidence, "peaks", "machine", l2_read_GBps=gone, read_GBps=gone))


def test_a_rung_that_failed_has_a_step_and_no_point(cards: Any) -> None:
    figure = roofline.draw(whole_evidence(cards, "fixture-failed"))
    assert "failed: " in captions(figure, "cold")["split_k"]
    assert not any("split_k" in path for path in state(figure, "cold", "tuned")[0][1]["ids"])
