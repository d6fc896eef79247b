"""Does the figure of counters say what the hardware counted? On fixture cards."""

from __future__ import annotations

from typing import Any

import pytest

from publisher.figures import (
    counters,
)
from publisher.figures.kit.figure import Evidence, Missing
from schema.results import Counters, NotMeasured
from tests.figure_states import captions, state
from tests.figures.evidence import LADDER, changed


def test_bytes_are_set_beside_the_least_bytes(evidence: Evidence) -> None:
    figure = counters.draw(evidence)
    recorded = evidence.card.recordings[LADDER, "counters"].results.rungs["tuned"].cold["dram__bytes_read.sum"]
    data, _ = state(figure, "", "dram")
    assert data[0]["x"][-1] == pytest.approx(recorded / 1e6, abs=1e-3)
    least = evidence.card.recordings[LADDER, "times"].results.least_bytes["fp16"]
    assert data[1]["x"][-1] == pytest.approx(least / 1e6, abs=1e-3)
    assert "All are 1.02 times that" in captions(figure)["dram"].replace("\u00a0", " ")


def test_a_counter_that_no_rung_has_makes_no_step(evidence: Evidence) -> None:
    assert "conflicts" not in captions(counters.draw(evidence))


def test_sectors_count_as_bytes_and_conflicts_add_up(evidence: Evidence) -> None:
    cold: dict[str, Any] = {"lts__t_sectors.sum": 1_000_000, "x_bank_conflicts_ld.sum": 3, "x_bank_conflicts_st.sum": 4}
    figure = counters.draw(changed(evidence, "counters", rungs={"tuned": Counters(cold=cold, stalls={})}))
    assert state(figure, "", "l2")[0][0]["x"] == [32.0]
    assert state(figure, "", "conflicts")[0][0]["x"] == [7]
    assert "stalls" not in captions(figure)


def test_a_stall_that_leads_one_rung_only_has_its_colour_and_bars_are_whole(evidence: Evidence) -> None:
    stalls = {
        "naive": {"lg_throttle": 0.55, "long_scoreboard": 0.4, "selected": 0.05},
        "tuned": {"long_scoreboard": 0.8, "wait": 0.05, "selected": 0.15},
        "split_k": {"long_scoreboard": 0.6, "barrier": 0.35, "selected": 0.05},
    }
    rungs = {slug: Counters(cold={}, stalls=shares) for slug, shares in stalls.items()}
    figure = counters.draw(changed(evidence, "counters", rungs=rungs))
    bars = state(figure, "", "stalls")[0][0]
    whole = [sum(x for x, y in zip(bars["x"], bars["y"], strict=True) if y == row) for row in range(3)]
    assert whole == pytest.approx([100, 100, 100], abs=0.1)
    assert any(path.endswith("naive.stalls.lg_throttle") for path in bars["ids"])
    told = captions(figure)["stalls"]
    assert "Of 3 rungs 2 wait most for data from global memory (`long scoreboard`)" in told
    assert "for a full queue to global memory (`lg throttle`)" in told


def test_a_rung_without_counters_is_named_and_explained(evidence: Evidence) -> None:
    figure = counters.draw(evidence)
    title = evidence.card.recordings[LADDER, "code"].results.rungs["naive"].title
    assert f"Not measured: {title}." in captions(figure)["dram"]
    column = figure.table.columns.index(title)
    assert {row[column] for row in figure.table.rows} == {"not measured: the profiler gave no counters for this kernel"}


def test_no_counter_at_all_is_missing(evidence: Evidence) -> None:
    with pytest.raises(Missing, match="ncu is not installed"):
        counters.draw(changed(evidence, "counters", rungs={"tuned": NotMeasured(not_measured="ncu is not installed")}))
