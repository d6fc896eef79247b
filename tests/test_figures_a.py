"""Do the figures about the ladder, placement, samples and sizes say what was recorded? On fixture cards."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from publisher.draw import check
from publisher.figure import Evidence, Missing, SteppedFigure
from publisher.figures import fill_the_chip, ladder, placement, samples, shapes, tiles_blocks_sms
from publisher.figures._excerpt import GAP, LINES
from publisher.figures._placed import Launch, placed_rungs
from publisher.figures._style import TOKENS, axis, base_layout, cells, fmt_count, fmt_time, listed, sm_grid
from recorder.listing import is_dummy, parse_sass
from recorder.recording import load_cards, parse_yaml
from recorder.results import NotMeasured, Table, Timed
from tests.conftest import ROOT
from tests.figure_states import captions, coloured, state

LADDER = "linear"
TRACE_TYPES = ("bar", "scatter", "histogram", "box")
MAX_SPEC_BYTES = 120_000
DRAW: dict[str, tuple[Callable[..., SteppedFigure], str]] = {
    "ladder": (ladder.draw, "times"),
    "tiles_blocks_sms": (tiles_blocks_sms.draw, "placement"),
    "fill_the_chip": (fill_the_chip.draw, "placement"),
    "placement": (placement.draw, "placement"),
    "samples": (samples.draw, "times"),
    "shapes": (shapes.draw, "shapes"),
}
EACH = pytest.mark.parametrize("name", DRAW)


@pytest.fixture(scope="module")
def cards(mixed_cards: Path) -> Any:
    return load_cards(mixed_cards)


@pytest.fixture(scope="module")
def glossary() -> Any:
    return parse_yaml((ROOT / "content" / "glossary.yaml").read_text(), "content/glossary.yaml")[0]


@pytest.fixture
def evidence(cards: Any, glossary: Any) -> Evidence:
    return Evidence(cards, cards["nvidia-h200"], LADDER, {}, glossary)


@pytest.fixture
def failed(cards: Any, glossary: Any) -> Evidence:
    return Evidence(cards, cards["fixture-failed"], LADDER, {}, glossary)


def without(evidence: Evidence, *experiments: str) -> Evidence:
    kept = {key: r for key, r in evidence.card.recordings.items() if key[1] not in experiments}
    return replace(evidence, card=replace(evidence.card, recordings=kept))


def changed(evidence: Evidence, experiment: str, **results: Any) -> Evidence:
    recording = evidence.card.recordings[LADDER, experiment]
    other = replace(recording, results=recording.results.model_copy(update=results))
    card = replace(evidence.card, recordings={**evidence.card.recordings, (LADDER, experiment): other})
    return replace(evidence, card=card)


def with_method(evidence: Evidence, **method: Any) -> Evidence:
    """The times were taken so."""
    recording = evidence.card.recordings[LADDER, "times"]
    other = replace(recording, header=recording.header.model_copy(update={"method": method}))
    card = replace(evidence.card, recordings={**evidence.card.recordings, (LADDER, "times"): other})
    return replace(evidence, card=card)


# ---- what every figure owes the page -------------------------------------------------------------------------------


@EACH
def test_every_state_is_valid_plotly(name: str, evidence: Evidence) -> None:
    figure = DRAW[name][0](evidence)
    check(name, figure)
    for key, steps in figure.sequences.items():
        for place, step in enumerate(steps):
            data, layout = coloured(state(figure, key, step.slug, narrow=place % 2 == 1))
            shown = [trace for trace in data if trace.get("visible") is not False]
            drawn = go.Figure(data=shown, layout=layout)
            assert {trace["type"] for trace in drawn.to_dict()["data"]} <= set(TRACE_TYPES)
    go.Figure(data=coloured(figure.data), layout=coloured(figure.layout))


@EACH
def test_specs_are_small_and_hold_colours_by_name_only(name: str, evidence: Evidence) -> None:
    figure = DRAW[name][0](evidence)
    steps = [[step.data, step.layout] for sequence in figure.sequences.values() for step in sequence]
    spec = json.dumps([figure.data, figure.layout, figure.narrow, steps], allow_nan=False, separators=(",", ":"))
    assert len(spec) < MAX_SPEC_BYTES
    assert set(re.findall(r"@([a-z]+\d?)", spec)) <= set(TOKENS)
    assert not re.search(r"#[0-9a-fA-F]{3,8}\b|rgb\(", spec)


@EACH
def test_slugs_ids_and_words_are_well_formed(name: str, evidence: Evidence) -> None:
    figure = DRAW[name][0](evidence)
    for key, steps in figure.sequences.items():
        assert len({step.slug for step in steps}) == len(steps)
        for step in steps:
            assert re.fullmatch(r"[a-z0-9_]+", step.slug)
            assert step.title
            assert step.caption.endswith(".")
            assert "nan" not in step.caption
            for trace in state(figure, key, step.slug)[0]:
                ids = [one for one in trace.get("ids", ()) if one]
                assert len(ids) == len(set(ids)), "Plotly draws only one point an id"
                assert len(trace.get("ids", ())) in (0, len(trace.get("x", trace.get("y"))))
    keys = [line.key for listing in figure.listings for line in listing.lines]
    assert len(keys) == len(set(keys))
    assert {key for steps in figure.sequences.values() for step in steps for key in step.lit} <= set(keys)
    assert {slug for steps in figure.sequences.values() for step in steps for slug in step.show} <= {
        listing.slug for listing in figure.listings
    }
    assert figure.alt
    assert figure.table.rows
    assert all(len(row) == len(figure.table.columns) for row in figure.table.rows)
    assert figure.provenance[0].kind == "recorded"
    assert figure.rerecord == f"python -m recorder --gpu 0 --only {LADDER}/{DRAW[name][1]}"


@EACH
def test_an_experiment_that_was_not_recorded_is_missing(name: str, evidence: Evidence) -> None:
    draw, experiment = DRAW[name]
    for absent in (experiment, "code"):
        with pytest.raises(Missing) as caught:
            draw(without(evidence, absent))
        assert caught.value.command == f"python -m recorder --gpu 0 --only {LADDER}/{absent}"


@EACH
def test_a_failed_rung_is_said_and_breaks_nothing(name: str, failed: Evidence) -> None:
    figure = DRAW[name][0](failed)
    check(name, figure)
    for steps in figure.sequences.values():
        assert steps


@EACH
def test_the_other_cards_are_drawn(name: str, cards: Any, glossary: Any) -> None:
    for slug in ("fixture-slow", "fixture-half"):
        card = cards[slug]
        if card.get(LADDER, DRAW[name][1]):
            check(name, DRAW[name][0](Evidence(cards, card, LADDER, {}, glossary)))


# ---- ladder --------------------------------------------------------------------------------------------------------


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
        *(f"a plain read, {slug.removeprefix('read_').upper()}" for slug in results.floors if slug != "empty"),
    ]


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


# ---- placement -----------------------------------------------------------------------------------------------------


def launch(rows: list[tuple[int, int, float, float]], sms: int = 4) -> Launch:
    block, sm, start, end = (np.array(column) for column in zip(*rows, strict=True))
    return Launch(block, sm, start.astype(float), end.astype(float), sms)


def test_waves_lanes_tail_and_blocks_at_work() -> None:
    made = launch([(0, 0, 0, 4), (1, 1, 0, 3), (2, 0, 1, 5), (3, 1, 3, 9), (4, 0, 4, 6)])
    assert made.wave.tolist() == [1, 1, 1, 2, 2], "blocks that run side by side on an SM are of one wave"
    assert made.lane.tolist() == [0, 0, 1, 0, 0]
    assert made.tail_start_us == 6
    assert made.duration_us == 9
    assert made.per_sm.tolist() == [3, 2, 0, 0]
    assert made.spread_text == "1 of 4 SMs ran 3\u00a0blocks, 1 ran 2, and 2 ran none"
    assert made.busy_share == pytest.approx((6 + 9) / (4 * 9))
    moments, running = made.running
    assert dict(zip(moments.tolist(), running.tolist(), strict=True)) == {0: 2, 1: 3, 3: 3, 4: 3, 5: 2, 6: 1, 9: 0}


def test_tiles_place_every_block_on_its_recorded_sm(evidence: Evidence) -> None:
    figure = tiles_blocks_sms.draw(evidence)
    table = evidence.need("placement").results.rungs["async_copy"].launches[0].arrays
    steps = figure.sequences[""]
    assert len(steps) == table["block"].size + 1
    for block, sm in zip(table["block"].astype(int), table["sm"].astype(int), strict=True):
        assert f"it ran on SM {sm} " in steps[block].caption
        rows = f"rows {block * 128} to {block * 128 + 127}"
        assert rows in steps[block].caption.replace(",", "")
        now = state(figure, "", steps[block].slug)[0][5]
        assert now["text"] == [str(block)]
    assert [row[2] for row in figure.table.rows] == [str(int(sm)) for sm in table["sm"]]


def test_many_blocks_are_placed_in_groups(evidence: Evidence) -> None:
    figure = tiles_blocks_sms.draw(evidence, rung="tuned", launch="2")
    assert len(figure.sequences[""]) == tiles_blocks_sms.GROUPS + 1
    counts = state(figure, "", "all")[0][4]["text"]
    assert sum(map(int, counts)) == 512


@pytest.mark.parametrize("options", [{"launch": "9"}, {"launch": "first"}, {"rung": "naive"}, {"rung": "nothing"}])
def test_tiles_of_a_launch_that_was_not_recorded_are_missing(options: dict[str, str], evidence: Evidence) -> None:
    with pytest.raises(Missing):
        tiles_blocks_sms.draw(evidence, **options)


@pytest.mark.parametrize("number", ["1", "2", "3"])
def test_fill_the_chip_counts_blocks_as_recorded(number: str, evidence: Evidence) -> None:
    figure = fill_the_chip.draw(evidence, launch=number)
    for slug, placed in evidence.need("placement").results.rungs.items():
        table = placed.launches[int(number) - 1].arrays
        counts = np.bincount(table["sm"].astype(int), minlength=132)
        data = state(figure, "", slug)[0]
        texts = data[fill_the_chip.COUNTS]
        told = dict(zip(zip(texts["x"], texts["y"], strict=True), texts["text"], strict=True))
        assert [int(told.get(spot, 0)) for spot in sm_grid(132)[2]] == counts.tolist()
        places = [
            (x, round(base + fill_the_chip.SIDE / 2)) for x, base in zip(*map(data[1].get, ("x", "base")), strict=True)
        ]
        spots = sm_grid(132)[2]
        assert sorted(places) == sorted(spots[sm] for sm in np.flatnonzero(counts))
        assert captions(figure)[slug].startswith(fmt_count(table["block"].size, "block"))
        title = evidence.need("code").results.rungs[slug].title
        assert sum(int(row[2]) for row in figure.table.rows if row[0].endswith(f" {title}")) == 132
    times = evidence.need("times").results.rungs["split_k"]
    assert f"cold {fmt_time(times.cold.samples.median_us)}" in captions(figure)["split_k"]


def test_fill_the_chip_has_one_axis_of_time_and_the_rungs_before(evidence: Evidence) -> None:
    figure = fill_the_chip.draw(evidence)
    first, *_, last = figure.sequences[""]
    assert not state(figure, "", first.slug)[0][fill_the_chip.PAST]["x"]
    past = state(figure, "", last.slug)[0][fill_the_chip.PAST]["x"]
    assert past.count(None) == len(figure.sequences[""]) - 1
    assert all("xaxis2" not in step.layout for step in figure.sequences[""])


def test_fill_the_chip_takes_rungs_and_says_which_are_absent(evidence: Evidence) -> None:
    figure = fill_the_chip.draw(evidence, rungs="tuned, naive")
    assert list(captions(figure)) == ["tuned"]
    assert "naive: not recorded" in figure.table.caption


@pytest.mark.parametrize("launch", ["0", "9", "first"])
def test_fill_the_chip_of_a_launch_that_was_not_recorded_is_missing(launch: str, evidence: Evidence) -> None:
    with pytest.raises(Missing):
        fill_the_chip.draw(evidence, launch=launch)


def test_placement_draws_each_block_once(evidence: Evidence) -> None:
    figure = placement.draw(evidence)
    _, placed, _ = placed_rungs(evidence)
    for one in placed:
        for number, recorded in enumerate(one.launches[: placement.MOST_LAUNCHES], start=1):
            data, _ = state(figure, f"{one.rung.slug},{number}", "tail")
            bars = [trace for trace in data if trace["type"] == "bar" and trace["visible"]]
            blocks = [block for trace in bars for block in trace["customdata"]]
            assert sorted(blocks) == list(range(recorded.blocks))
            ends = [b + x for trace in bars for b, x in zip(trace["base"], trace["x"], strict=True)]
            assert max(ends) == pytest.approx(recorded.duration_us, abs=0.002)


def test_placement_steps_through_the_waves(evidence: Evidence) -> None:
    figure = placement.draw(evidence)
    assert list(captions(figure, "split_k,1")) == ["wave_1", "tail", "ends"]
    assert "none waits for another" in captions(figure, "split_k,1")["wave_1"]
    assert "% of the launch" in captions(figure, "split_k,1")["tail"]


def test_placement_of_more_blocks_than_fit_has_several_waves(evidence: Evidence) -> None:
    rungs = evidence.need("placement").results.rungs
    rows = [f"{block} {block % 132} {block // 132 * 100} {block // 132 * 100 + 100}" for block in range(300)]
    table = Table(columns="block sm start_ns end_ns", rows="\n".join(rows))
    one = rungs["split_k"].model_copy(update={"launches": [table]})
    figure = placement.draw(changed(evidence, "placement", rungs={"split_k": one}), rungs="split_k")
    said = captions(figure, "split_k")
    assert list(said)[:4] == ["wave_1", "wave_2", "wave_3", "tail"]
    assert "36\u00a0blocks" in said["wave_3"]


# ---- samples -------------------------------------------------------------------------------------------------------


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


# ---- shapes --------------------------------------------------------------------------------------------------------


def test_shapes_sets_the_rung_beside_the_library(evidence: Evidence) -> None:
    figure, recorded = shapes.draw(evidence), evidence.need("shapes").results.shapes
    assert list(captions(figure, "cold")) == ["by_batch", "by_size"]
    data, layout = state(figure, "warm", "by_batch")
    assert layout["xaxis"]["ticktext"] == ["1", "2", "4", "8", "16", "32", "64"]
    tuned, library = data[:2]
    ratio = next(trace for trace in data if trace.get("yaxis") == "y2")
    for place, name in enumerate(tuned["ids"]):
        number = int(name.split(".")[3])
        assert recorded[number].entry == "tuned"
        value = recorded[number].times
        assert tuned["y"][place] == (None if isinstance(value, NotMeasured) else round(value.warm.samples.median_us, 4))
    for a, b, told in zip(library["y"], tuned["y"], ratio["y"], strict=True):
        assert told == (round(a / b, 4) if a and b else None)
    assert "No time for rung 8 at 32 and 64: not measured: " in captions(figure, "warm")["by_batch"]


def test_shapes_without_a_rung_is_missing(evidence: Evidence) -> None:
    only = [shape for shape in evidence.need("shapes").results.shapes if shape.entry != "tuned"]
    with pytest.raises(Missing):
        shapes.draw(changed(evidence, "shapes", shapes=only))


# ---- what they share -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, 7, 40, 46, 58, 72, 84, 108, 128, 132, 142, 148, 170, 188])
def test_sm_grid_has_a_place_for_each_and_fits_a_phone(count: int) -> None:
    columns, rows, spots = sm_grid(count)
    assert len(set(spots)) == count
    assert all(0 <= x < columns and 0 <= y < rows for x, y in spots)
    assert columns <= rows, "higher than wide"
    assert columns * rows - count < columns


def test_sm_grid_of_a_hopper_is_11_by_12() -> None:
    assert sm_grid(132)[:2] == (11, 12)
    with pytest.raises(ValueError, match="at least one SM"):
        sm_grid(0)


def test_words_for_times_counts_and_lists() -> None:
    assert fmt_time(9.2734) == "9.27\u00a0µs"
    assert fmt_time(1234.5) == "1.23\u00a0ms"
    assert fmt_count(1, "block") == "1\u00a0block"
    assert fmt_count(256, "block") == "256\u00a0blocks"
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"


def test_layout_is_merged_at_every_depth_and_cells_are_bars() -> None:
    layout = base_layout(margin={"l": 40}, xaxis=axis("µs", "log", range=[0, 1]))
    assert layout["margin"]["l"] == 40
    assert layout["margin"]["r"] == base_layout()["margin"]["r"]
    assert layout["xaxis"]["type"] == "log"
    trace = cells([1], [2], "@q3", 0.5, 1.0)
    assert (trace["type"], trace["base"], trace["y"], trace["width"]) == ("bar", [1.5], [1.0], 0.5)
