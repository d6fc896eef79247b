"""Does the figure of the ladder say what was recorded of its rungs? On fixture cards."""

from __future__ import annotations

import re

import pytest

from publisher.figures import (
    ladder,
)
from publisher.figures.kit.excerpt import GAP, LINES
from publisher.figures.kit.figure import Evidence, Missing
from publisher.figures.kit.style import fmt_time
from sass.listing import is_dummy, parse_sass
from schema.results import NotMeasured
from tests.figure_states import captions, state
from tests.figures.evidence import LADDER, changed, pair


def test_ladder_adds_a_rung_a_step_and_then_shows_all(evidence: Evidence) -> None:
    figure = ladder.draw(evidence)
    rungs = list(evidence.need("code").results.rungs)
    assert [step.slug for step in figure.sequences[""]] == [*rungs, "all"]
    for count, rung in enumerate(rungs, start=1):
        cold = state(figure, "", rung)[0][ladder.COLD]
        assert cold["ids"] == [f"{LADDER}.{slug}.cold" for slug in rungs[:count]]


def test_ladder_numbers_are_the_medians(evidence: Evidence) -> None:
    figure, results = ladder.draw(evidence), evidence.need("times").results
    for row, (slug, times) in zip(figure.table.rows, results.rungs.items(), strict=False):
        assert float(row[1]) == pytest.approx(times.cold.samples.median_us, abs=0.0006)
        assert float(row[3]) == pytest.approx(times.warm.samples.median_us, abs=0.0006)
        assert fmt_time(times.cold.samples.median_us) in captions(figure)[slug]
    data = state(figure, "", "all")[0]
    cold, warm = data[ladder.COLD], data[ladder.WARM]
    assert cold["x"] == [round(t.cold.samples.median_us, 4) for t in results.rungs.values()]
    assert warm["x"] == [round(t.warm.samples.median_us, 4) for t in results.rungs.values()]
    names = [row[0] for row in figure.table.rows]
    assert names[len(results.rungs) :] == [
        *(reference.title for reference in results.references.values()),
        "an empty launch",
        "the least bytes moved, FP16",
        "the least bytes moved, FP32",
    ]


def test_ladder_marks_the_floor_of_each_rungs_own_types(evidence: Evidence) -> None:
    code, times = evidence.need("code").results, evidence.need("times").results
    rungs = code.rungs | {"tuned": code.rungs["tuned"].model_copy(update={"types": "fp16_w_int8"})}
    floors = times.floors | {"move_fp16_w_int8": pair(5.0)}
    given = changed(changed(evidence, "code", rungs=rungs), "times", floors=floors)
    figure = ladder.draw(given)
    marks = state(figure, "", "all")[0][ladder.FLOORS]
    assert marks["x"][-1] == pytest.approx(5.0) and marks["ids"][-1] == f"{LADDER}.floors.move_fp16_w_int8.cold"
    assert marks["hovertext"][-1].startswith("the least bytes moved, fp16_w_int8, cold")
    assert marks["x"][0] == pytest.approx(floors["move_fp32"].cold.samples.median_us, abs=1e-3)


def test_ladder_tells_which_operands_are_cold(evidence: Evidence) -> None:
    operands = evidence.need("times").results.operands
    said = captions(ladder.draw(evidence))
    assert all("Cold, W is not in the L2 cache when a launch begins" in said[slug] for slug in ("naive", "all"))
    both = operands | {"x": operands["x"].model_copy(update={"cold": True})}
    assert (
        "Cold, X and W are not in the L2 cache"
        in captions(ladder.draw(changed(evidence, "times", operands=both)))["all"]
    )
    none = operands | {"w": operands["w"].model_copy(update={"cold": False})}
    assert "declares no operand" in captions(ladder.draw(changed(evidence, "times", operands=none)))["all"]


def test_ladder_compares_by_resolution(evidence: Evidence) -> None:
    results = evidence.need("times").results
    twin = results.rungs | {"shared": results.rungs["naive"]}
    said = captions(ladder.draw(changed(evidence, "times", rungs=twin)))["shared"]
    assert "Cold, that is the same within the resolution as rung 1" in said
    assert "times as fast as rung 1" in captions(ladder.draw(evidence))["shared"]


def test_ladder_shows_recorded_lines_and_counts_those_between(evidence: Evidence) -> None:
    figure, code = ladder.draw(evidence), evidence.need("code").results
    for listing in figure.listings:
        sass = code.rungs[listing.slug].code.sass
        recorded = parse_sass(sass)
        assert 0 < len(listing.lines) <= LINES
        before = None
        for line in listing.lines:
            if line.text.startswith(GAP):
                counts = [int(count) for count in re.findall(r"(\d+)[ \u00a0]", line.text)]
                gap = sum(counts)
                continue
            assert f"{line.label} " in sass
            assert line.text in sass
            assert line.note
            place = next(n for n, i in enumerate(recorded) if i.offset == int(line.label, 16))
            between = [] if before is None else recorded[before + 1 : place]
            assert sum(not is_dummy(i) for i in between) == (gap if between else 0)
            before, gap = place, 0


def test_ladder_lights_what_is_new_in_a_rung(evidence: Evidence) -> None:
    figure = ladder.draw(evidence)
    steps = {step.slug: step for step in figure.sequences[""]}
    assert "new `HMMA`" in steps["tensor_core"].caption
    lit = {line.text.split(".")[0] for line in figure.listings[4].lines if line.key in steps["tensor_core"].lit}
    assert "HMMA" in lit
    assert all("loop" in line.marks for line in figure.listings[4].lines if line.text.startswith("HMMA"))
    assert not steps["naive"].lit


def test_ladder_marks_what_the_next_pass_takes_over(evidence: Evidence) -> None:
    marked = {
        listing.slug: [line for line in listing.lines if "carried" in line.marks]
        for listing in ladder.draw(evidence).listings
    }
    assert any(line.text.startswith("HMMA") for line in marked["tensor_core"])
    for line in (line for lines in marked.values() for line in lines):
        assert "loop" in line.marks
        assert "The next pass of the loop takes over `" in line.note


def test_ladder_says_failed_in_caption_picture_and_table(failed: Evidence) -> None:
    figure = ladder.draw(failed)
    why = failed.need("times").results.rungs["split_k"].failed
    assert f"Failed: {why}" in captions(figure)["split_k"]
    assert state(figure, "", "split_k")[0][ladder.FAILED]["text"] == ["failed"]
    row = next(row for row in figure.table.rows if row[0].startswith("7 "))
    assert row[1] == f"failed: {why}"
    assert "rung 6" in captions(figure)["tuned"], "the next rung is compared with the last that has a time"


def test_ladder_without_any_time_is_missing(evidence: Evidence) -> None:
    none = {slug: NotMeasured(not_measured="no device") for slug in evidence.need("times").results.rungs}
    with pytest.raises(Missing):
        ladder.draw(changed(evidence, "times", rungs=none))
