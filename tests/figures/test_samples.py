"""Does the figure of samples draw every one of them? On fixture cards."""

from __future__ import annotations

import re

import numpy as np
import pytest

from publisher.figures import (
    samples,
)
from publisher.figures.kit.figure import Evidence, SteppedFigure
from schema.results import Timed
from tests.figure_states import captions, state
from tests.figures.evidence import LADDER, changed, with_method, without

EVERY = " ".join(["naive", "shared", "registers", "fp16", "tensor_core", "async_copy", "split_k", "tuned"])


def times_drawn(figure: SteppedFigure, key: str, step_us: float) -> np.ndarray:
    """The samples that the first step of a sequence draws, µs: its axis is in quanta, its labels in ns."""
    data, layout = state(figure, key, figure.sequences[key][0].slug)
    (shown,) = [trace for trace in data if trace.get("visible")]
    zero, quantum = re.search(r"([\d.]+)\u00a0µs %{y:\+d} x ([\d.]+)\u00a0ns", shown["hovertemplate"]).groups()  # type: ignore[union-attr]
    return float(zero) + np.array(shown["y"]) * float(quantum) / 1000


def test_samples_draws_all_of_them_and_their_median(evidence: Evidence) -> None:
    figure, results = samples.draw(evidence, names=EVERY), evidence.need("times").results
    assert len(figure.sequences) == 2 * len(results.rungs)
    for key, steps in figure.sequences.items():
        rung, condition = key.split(",")
        recorded = getattr(results.rungs[rung], condition).samples
        data, layout = state(figure, key, steps[0].slug)
        assert times_drawn(figure, key, recorded.step_us) == pytest.approx(recorded.us, abs=1e-4)
        assert sum(data[samples.BARS]["x"]) == recorded.count
        median = data[samples.MEDIAN]
        assert median["ids"][1] == f"{LADDER}.{rung}.{condition}"
        zero = layout["yaxis"]["tickvals"][layout["yaxis"]["ticktext"].index("0")]
        assert median["y"][1] == zero, "the label 0 is at the median"
        assert f"The median is {recorded.median_us:.3f} µs" in steps[0].caption
    medians = [float(row[2]) for row in figure.table.rows if row[2]]
    every = [*results.rungs.values(), *results.references.values()]
    wanted = [getattr(t, c).samples.median_us for t in every for c in ("cold", "warm")]
    assert medians == pytest.approx(wanted, abs=0.0006)


def test_samples_on_ticks_are_drawn_exactly(evidence: Evidence) -> None:
    tick = 0.032 / 100
    us = np.array([39_000, 39_001, 39_003, 39_003, 39_010] * 100) * tick
    text = " ".join(f"{value:.5f}" for value in us)
    timed = evidence.need("times").results.rungs["tuned"]
    one = timed.model_copy(update={"cold": Timed(samples_us=text)})
    resolution = changed(evidence, "resolution", event_step_us=0.032)
    of_100 = with_method(changed(resolution, "times", rungs={"tuned": one}), launches_per_sample=100)
    figure = samples.draw(of_100, names="tuned")
    assert times_drawn(figure, "tuned,cold", tick) == pytest.approx(us, abs=1e-9)
    said = captions(figure, "tuned,cold")["steps"]
    assert "steps of 0.320\u00a0ns: the event clock moves in steps of 32.0\u00a0ns" in said
    counts = state(figure, "tuned,cold", "steps")[0][samples.BARS]
    assert dict(zip(counts["y"], counts["x"], strict=True)) == {-3: 100, -2: 100, 0: 200, 7: 100}


def test_samples_by_default_are_of_the_last_rung_and_a_library_call(evidence: Evidence) -> None:
    figure = samples.draw(evidence)
    slugs = [slug for slug, _ in figure.choices[0].options]
    assert slugs[0] == "tuned"
    assert len(slugs) > 1
    assert set(slugs[1:]) <= set(evidence.need("times").results.references)


def test_samples_beside_those_of_a_second_run(evidence: Evidence) -> None:
    figure, times = samples.draw(evidence), evidence.need("times").results
    again = times.twins["tuned"].cold.samples
    data, _ = state(figure, "tuned,cold", "twice")
    assert data[samples.TWIN_MEDIAN]["ids"][1] == f"{LADDER}.twins.tuned.cold"
    assert 0.95 * again.count < sum(data[samples.TWIN]["x"]) <= again.count
    assert f"{again.median_us:.3f} µs" in captions(figure, "tuned,cold")["twice"]


def test_samples_have_the_clock_only_when_it_was_recorded(evidence: Evidence) -> None:
    with_clock, alone = samples.draw(evidence), samples.draw(without(evidence, "conditions", "resolution"))
    assert "SM clock" in captions(with_clock, "tuned,cold")["drift"]
    assert "xaxis3" in with_clock.layout
    assert "SM clock" not in captions(alone, "tuned,cold")["drift"]
    assert "xaxis3" not in alone.layout


def test_samples_of_a_failed_rung_say_why(failed: Evidence) -> None:
    figure = samples.draw(failed, names="split_k tuned")
    assert list(captions(figure, "split_k,cold")) == ["distribution"]
    assert "failed: " in captions(figure, "split_k,cold")["distribution"]
