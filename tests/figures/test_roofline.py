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


def test_what_a_point_lacks_reaches_the_lowest_of_its_roofs_above_it(evidence: Evidence) -> None:
    figure = roofline.draw(evidence)
    gap, marks = state(figure, "cold", "tuned")[0][:2]
    peaks = evidence.card.recordings["machine", "peaks"].results
    allowed = [gigabytes * marks["x"][-1] / 1e3 for gigabytes in (peaks.read_GBps, peaks.l2_read_GBps)]
    allowed.append(peaks.hmma_fp16_tflops)
    assert gap["y"] == pytest.approx([marks["y"][-1], min(a for a in allowed if a > marks["y"][-1])], rel=1e-3)


def test_a_point_is_held_against_the_lower_of_its_roofs(evidence: Evidence) -> None:
    """The fourth rung calculates on the FP32 units: at its intensity memory allows more than they do."""
    times, peaks = evidence.need("times").results, evidence.need("peaks", "machine").results
    intensity = times.flops / times.least_bytes["fp16"]
    assert peaks.fp32_tflops < peaks.read_GBps * intensity / 1e3
    us = times.flops / (0.92 * peaks.fp32_tflops) / 1e6
    fast = times.rungs["fp16"].model_copy(update=dict(pair(us)))
    figure = roofline.draw(changed(evidence, "times", rungs={**times.rungs, "fp16": fast}))
    said = captions(figure, "cold")
    assert "92.0\u202f% of the measured rate of FP32 FMA" in said["fp16"] and "device memory allows" in said["fp16"]
    assert "% of what device memory allows" in said["tuned"] and "the rate of tensor cores is" in said["tuned"]
    gap = state(figure, "cold", "fp16")[0][0]
    assert gap["y"][1] == pytest.approx(peaks.fp32_tflops)
    row = next(row for row in figure.table.rows if row[:2] == (_title(evidence, "fp16"), "cold"))
    assert row[5:7] == ("FP32 FMA", "92.0")


def _title(evidence: Evidence, slug: str) -> str:
    return evidence.need("code").results.rungs[slug].title


def _with(evidence: Evidence, slug: str, **values: str) -> Evidence:
    """The evidence with something else declared of a rung."""
    rungs = dict(evidence.need("code").results.rungs)
    rungs[slug] = rungs[slug].model_copy(update=values)
    return changed(evidence, "code", rungs=rungs)


@pytest.mark.parametrize(
    ("unit", "says"),
    [
        ("", "The ladder does not declare on which unit it calculates, so only device memory is a roof"),
        ("fp64", "The rate of its FP64 units was not measured, so only device memory is a roof"),
        ("tensor_bf16", "The rate of its tensor cores, BF16 was not measured: no room, so only device memory"),
    ],
)
def test_a_unit_without_a_rate_is_said(unit: str, says: str, evidence: Evidence) -> None:
    given = changed(evidence, "peaks", "machine", hmma_bf16_tflops=NotMeasured(not_measured="no room"))
    figure = roofline.draw(_with(given, "tuned", unit=unit))
    assert says in captions(figure, "cold")["tuned"]
    row = next(row for row in figure.table.rows if row[:2] == (_title(evidence, "tuned"), "cold"))
    assert row[5] == "device memory" and row[7]


def test_the_rate_of_a_unit_that_a_rung_declares_is_a_roof(evidence: Evidence) -> None:
    figure = roofline.draw(_with(evidence, "tuned", unit="tensor_bf16"))
    assert _roofs(figure)[-1] == "tensor cores" and len(_roofs(figure)) == 5
    assert "the rate of tensor cores, BF16 is 640" in captions(figure, "cold")["tuned"]


def test_a_rung_without_least_bytes_is_in_the_table_with_its_reason(evidence: Evidence) -> None:
    figure = roofline.draw(_with(evidence, "tuned", types="fp16_w_int8"))
    rows = [row for row in figure.table.rows if row[0] == _title(evidence, "tuned")]
    assert [row[2] for row in rows] == ["", ""]
    assert all(row[7] == "no least bytes were recorded for fp16_w_int8" and row[3] for row in rows)
    assert "tuned" not in captions(figure, "cold")


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
