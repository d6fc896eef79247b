"""Are two times compared by their resolution? On times made for the purpose."""

from __future__ import annotations

from typing import Any

import pytest

from publisher.figures import (
    against_the_library,
)
from publisher.figures.kit.figure import Evidence, Missing, SteppedFigure
from schema.results import Failed, NotMeasured
from tests.figure_states import captions, state
from tests.figures.evidence import LADDER, changed, pair, whole_evidence


def _against(evidence: Evidence, ours: float, theirs: float) -> SteppedFigure:
    times = evidence.card.recordings[LADDER, "times"].results
    mine = times.rungs["tuned"].model_copy(update=dict(pair(ours)))
    library = times.references["cublas_fp16"].model_copy(update=dict(pair(theirs)))
    other = {"rungs": {"tuned": mine}, "references": {"cublas_fp16": library}, "twins": {}}
    return against_the_library.draw(changed(evidence, "times", **other))


def test_library_bars_and_table_are_the_recorded_medians(evidence: Evidence) -> None:
    figure = against_the_library.draw(evidence)
    times = evidence.card.recordings[LADDER, "times"].results
    expected = [times.rungs["tuned"].cold, *(reference.cold for reference in times.references.values())]
    medians = [timed.samples.median_us for timed in expected]
    bars = state(figure, "cold", "all")[0][0]
    assert bars["x"] == pytest.approx(medians, abs=1e-4)
    assert bars["ids"] == [f"{LADDER}.{name}.cold" for name in ("tuned", *times.references)]
    assert [row[2] for row in figure.table.rows if row[1] == "cold"] == [f"{median:.3f}" for median in medians]


def test_two_times_closer_than_the_resolution_are_drawn_inside_the_band(evidence: Evidence) -> None:
    figure = _against(evidence, 10.0, 10.005)
    told = captions(figure, "cold")["cublas_fp16"]
    assert "the same as it within the resolution" in told
    assert "inside the band" in told
    data, layout = state(figure, "cold", "cublas_fp16")
    (band,) = layout["shapes"]
    assert band["x0"] < data[2]["x"][1] < band["x1"]


def test_a_tick_of_the_ruler_is_one_step_of_resolution(evidence: Evidence) -> None:
    figure = _against(evidence, 10.0, 10.1)
    data, layout = state(figure, "cold", "cublas_fp16")
    assert data[2]["x"] == pytest.approx([0, 5], abs=0.01)
    assert layout["xaxis"]["minor"]["dtick"] == 1
    told = captions(figure, "cold")["cublas_fp16"].replace("\u00a0", " ")
    assert "1.01 times as fast" in told
    assert "5.0 steps apart" in told


def test_a_slower_kernel_is_called_slower(cards: Any) -> None:
    figure = against_the_library.draw(whole_evidence(cards, "fixture-slow"))
    assert "as slow" in captions(figure, "cold")["cublas_fp16"]


def test_a_rung_that_failed_is_never_the_fastest(cards: Any) -> None:
    evidence = whole_evidence(cards, "fixture-failed")
    rungs = evidence.card.recordings[LADDER, "times"].results.rungs
    failed = {"tuned": Failed(failed="differs"), **{slug: rung for slug, rung in rungs.items() if slug != "tuned"}}
    figure = against_the_library.draw(changed(evidence, "times", rungs=failed))
    assert not any("tuned" in path for path in state(figure, "cold", "all")[0][0]["ids"])


def test_no_library_call_is_missing(evidence: Evidence) -> None:
    with pytest.raises(Missing, match="no library call was timed"):
        against_the_library.draw(
            changed(evidence, "times", references={"cublas_fp16": NotMeasured(not_measured="none")})
        )
