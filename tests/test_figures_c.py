"""Do the figures about times and limits say what was recorded? On fixture cards, and on times made for the purpose."""

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

from publisher.figure import Evidence, Missing, SteppedFigure
from publisher.figures import against_the_library, counters, one_change, probes, roofline, sweep
from publisher.figures._style import TOKENS
from publisher.published import load_published
from recorder.recording import load_cards, numbers_block
from recorder.results import Counters, Failed, NotMeasured, Timed, TimePair
from tests import figure_states
from tests.conftest import ROOT
from tests.figure_states import captions, coloured

LADDER = "linear"
TRACE_TYPES = ("bar", "scatter", "histogram", "box")
MAX_SPEC_BYTES = 120_000
DRAW: dict[str, Callable[..., SteppedFigure]] = {
    "probes": probes.draw,
    "times": against_the_library.draw,
    "sweep": sweep.draw,
    "one_change": one_change.draw,
    "peaks": roofline.draw,
    "counters": counters.draw,
}
FIGURES = list(DRAW.values())
NAMES = [draw.__module__.rsplit(".", 1)[-1] for draw in FIGURES]


@pytest.fixture(scope="module")
def cards(mixed_cards: Path) -> Any:
    return load_cards(mixed_cards)


@pytest.fixture
def evidence(cards: Any) -> Evidence:
    return _evidence(cards, "nvidia-h200")


def _evidence(cards: Any, slug: str) -> Evidence:
    published = load_published(ROOT / "recordings" / "published")
    return Evidence(cards, cards[slug], LADDER, published=published)


def changed(evidence: Evidence, experiment: str, subject: str = LADDER, **results: Any) -> Evidence:
    """The evidence with other results in one recording."""
    recording = evidence.card.recordings[subject, experiment]
    other = replace(recording, results=recording.results.model_copy(update=results))
    card = replace(evidence.card, recordings={**evidence.card.recordings, (subject, experiment): other})
    return replace(evidence, card=card)


def without(evidence: Evidence, experiment: str, subject: str = LADDER) -> Evidence:
    kept = {key: r for key, r in evidence.card.recordings.items() if key != (subject, experiment)}
    return replace(evidence, card=replace(evidence.card, recordings=kept))


def pair(cold_us: float, warm_us: float | None = None) -> TimePair:
    """Times that all but agree: the half widths of two such times add up to a resolution of 0.02 µs."""
    spread = np.tile([-0.01, 0.0, 0.01], 9)  # no whole visits: each sample counts for itself
    timed = [Timed(samples_us=numbers_block(us + spread)) for us in (cold_us, warm_us or cold_us)]
    return TimePair(cold=timed[0], warm=timed[1])


def state(figure: SteppedFigure, key: str, slug: str, narrow: bool = False) -> tuple[list[Any], Any]:
    """The whole spec of a step, with a real colour for each token."""
    data, layout = figure_states.state(figure, key, slug, narrow)
    return coloured(data), coloured(layout)


# ---- what every figure owes the page -----------------------------------------------------------------------------


@pytest.mark.parametrize("draw", FIGURES, ids=NAMES)
def test_every_state_is_valid_plotly_wide_and_narrow(draw: Callable[..., SteppedFigure], evidence: Evidence) -> None:
    figure = draw(evidence)
    for key, steps in figure.sequences.items():
        for step in steps:
            for narrow in (False, True):
                data, layout = state(figure, key, step.slug, narrow)
                go.Figure(data=data, layout=layout)
    assert all(trace["type"] in TRACE_TYPES for trace in figure.data)


@pytest.mark.parametrize("draw", FIGURES, ids=NAMES)
def test_specs_are_small_and_hold_colours_by_name_only(draw: Callable[..., SteppedFigure], evidence: Evidence) -> None:
    figure = draw(evidence)
    steps = [[step.data, step.layout, step.caption] for sequence in figure.sequences.values() for step in sequence]
    spec = json.dumps([figure.data, figure.layout, figure.narrow, steps], allow_nan=False)
    assert len(spec) < MAX_SPEC_BYTES
    assert set(re.findall(r"@([a-z]+\d?)", spec)) <= set(TOKENS)
    assert not re.search(r"#[0-9a-fA-F]{3,8}\b|rgb\(", spec)


@pytest.mark.parametrize("draw", FIGURES, ids=NAMES)
def test_steps_choices_listings_and_table_fit_together(draw: Callable[..., SteppedFigure], evidence: Evidence) -> None:
    figure = draw(evidence)
    keys = [""]
    for choice in figure.choices:
        keys = [f"{key},{slug}".strip(",") for key in keys for slug, _ in choice.options]
    assert list(figure.sequences) == keys
    for sequence in figure.sequences.values():
        assert len({step.slug for step in sequence}) == len(sequence)
        assert all(re.fullmatch(r"[a-z][a-z0-9_]*", step.slug) and step.title and step.caption for step in sequence)
        assert {slug for step in sequence for slug in step.show} <= {listing.slug for listing in figure.listings}
    lines = [line.key for listing in figure.listings for line in listing.lines]
    assert len(set(lines)) == len(lines)
    assert figure.table.rows
    assert all(len(row) == len(figure.table.columns) for row in figure.table.rows)
    assert figure.rerecord.startswith("python -m recorder --gpu 0 --only ")
    assert all(one.kind in ("recorded", "derived") for one in figure.provenance)


@pytest.mark.parametrize("draw", FIGURES, ids=NAMES)
def test_points_have_unique_ids_of_this_ladder(draw: Callable[..., SteppedFigure], evidence: Evidence) -> None:
    figure = draw(evidence)
    for key, steps in figure.sequences.items():
        for step in steps:
            for trace in state(figure, key, step.slug)[0]:
                ids = trace.get("ids", [])
                assert len(set(ids)) == len(ids)
                assert all(path.split(".")[0] in (LADDER, "machine") for path in ids)


@pytest.mark.parametrize("draw", FIGURES, ids=NAMES)
def test_the_first_state_is_the_base_itself(draw: Callable[..., SteppedFigure], evidence: Evidence) -> None:
    figure = draw(evidence)
    key, steps = next(iter(figure.sequences.items()))
    assert state(figure, key, steps[0].slug)[0] == coloured(list(figure.data))


@pytest.mark.parametrize("draw", FIGURES, ids=NAMES)
def test_every_committed_recording_draws(draw: Callable[..., SteppedFigure]) -> None:
    cards = load_cards(ROOT / "recordings")
    for slug, card in cards.items():
        try:
            figure = draw(_evidence(cards, slug))
        except Missing as missing:
            assert card.card.name in missing.what
            continue
        assert all(step.caption.endswith(".") for steps in figure.sequences.values() for step in steps)


@pytest.mark.parametrize("card", ["fixture-slow", "fixture-failed"])
@pytest.mark.parametrize("draw", FIGURES, ids=NAMES)
def test_other_cards_draw_too(draw: Callable[..., SteppedFigure], card: str, cards: Any) -> None:
    assert draw(_evidence(cards, card)).table.rows


@pytest.mark.parametrize(("experiment", "draw"), DRAW.items(), ids=NAMES)
def test_a_card_without_the_experiment_says_what_is_missing(
    experiment: str, draw: Callable[..., SteppedFigure], evidence: Evidence
) -> None:
    subject = "machine" if experiment == "peaks" else LADDER
    with pytest.raises(Missing) as missing:
        draw(without(evidence, experiment, subject))
    assert "NVIDIA H200" in missing.value.what
    assert f"--only {subject}/{experiment}" in missing.value.command


@pytest.mark.parametrize("draw", FIGURES, ids=NAMES)
def test_markup_in_a_recording_never_reaches_plotly_as_markup(
    draw: Callable[..., SteppedFigure], evidence: Evidence
) -> None:
    code = evidence.card.recordings[LADDER, "code"].results
    hostile = '<a href="https://example.org">x</a>'
    rungs = {slug: rung.model_copy(update={"title": hostile}) for slug, rung in code.rungs.items()}
    figure = draw(changed(evidence, "code", rungs=rungs))
    states = [step.data for sequence in figure.sequences.values() for step in sequence]
    assert "<a href" not in json.dumps([figure.data, figure.layout, states])


# ---- probes ------------------------------------------------------------------------------------------------------


def test_probe_bars_and_table_are_the_recorded_medians(evidence: Evidence) -> None:
    figure = probes.draw(evidence)
    recorded = evidence.card.recordings[LADDER, "probes"].results.rungs["split_k"]
    bars = state(figure, "split_k,cold", "math_only")[0][0]
    medians = [getattr(recorded, part).cold.samples.median_us for part in ("full", "loads_only", "math_only")]
    assert bars["x"] == pytest.approx(medians, abs=1e-4)
    title = evidence.card.recordings[LADDER, "code"].results.rungs["split_k"].title
    cells = [row[3] for row in figure.table.rows if row[0] == title and row[2] == "cold"]
    assert cells == [f"{median:.3f}" for median in medians]


@pytest.mark.parametrize(
    ("full", "loads", "math", "says"),
    [
        (10.0, 10.0, 4.0, "the same as its loads alone within the resolution"),
        (10.0, 4.0, 10.0, "the same as its math alone within the resolution"),
        (12.0, 10.0, 4.0, "so 2.00 µs of them overlap: 50 % of the shorter half"),
        (14.0, 10.0, 4.0, "within the resolution nothing overlaps"),
        (16.0, 10.0, 4.0, "pays for something that neither half has"),
        (9.0, 10.0, 4.0, "less than its loads alone. So the part that was left runs differently"),
    ],
)
def test_the_last_step_says_in_words_how_the_halves_overlap(
    full: float, loads: float, math: float, says: str, evidence: Evidence
) -> None:
    times = {"full": pair(full), "loads_only": pair(loads), "math_only": pair(math)}
    recorded = evidence.card.recordings[LADDER, "probes"].results.rungs["split_k"].model_copy(update=times)
    exact = without(evidence, "times")  # no A/A difference: the samples' own step decides
    figure = probes.draw(changed(exact, "probes", rungs={"split_k": recorded}))
    assert says in captions(figure, "split_k,cold")["together"].replace("\u00a0", " ").replace("\u202f", " ")


def test_the_compiled_code_proves_what_a_probe_left_out(evidence: Evidence) -> None:
    figure = probes.draw(evidence)
    told = captions(figure, "async_copy,cold")
    assert "2 `LDGSTS` and 4 `HMMA`" in told["full"]
    assert "2 `LDGSTS` and no `HMMA`" in told["loads_only"]
    assert "no `LDGSTS` and 4 `HMMA`" in told["math_only"]
    listings = {listing.slug: [line.text for line in listing.lines] for listing in figure.listings}
    assert "no HMMA" in listings["async_copy_loads_only"]
    assert not any("LDGSTS" in text for text in listings["async_copy_math_only"] if not text.startswith("no "))
    row = next(row for row in figure.table.rows if row[1] == "loads only" and row[2] == "cold")
    assert row[-2:] == ("2", "0")


def test_loads_into_registers_are_counted_and_a_kernel_without_multiplies_keeps_its_loop(evidence: Evidence) -> None:
    code = evidence.card.recordings[LADDER, "code"].results
    sass = {
        "full": ["LDG.E.128 R4, [R2.64]", "LDG.E.128 R8, [R2.64]", "HMMA.16816.F32 R12, R4, R8, R12"],
        "loads_only": ["LDG.E.128 R4, [R2.64]", "LDG.E.128 R8, [R2.64]", "LOP3.LUT R12, R4, R8, R12, 0x96, !PT"],
        "math_only": ["IADD3 R4, R4, 0x1, RZ", "MOV R8, R4", "HMMA.16816.F32 R12, R4, R8, R12"],
    }
    tail = ["@P0 BRA 0x0", "FADD R12, R12, R13", "@P1 BRA 0x40", "EXIT"]  # a loop of sums follows
    listing = {
        part: "".join(f"{16 * n:04x} L- P- {text}\n" for n, text in enumerate([*lines, *tail]))
        for part, lines in sass.items()
    }
    rung = code.rungs["split_k"]
    codes = {part: rung.code.model_copy(update={"sass": text}) for part, text in listing.items()}
    rungs = {**code.rungs, "split_k": rung.model_copy(update={"code": codes["full"]})}
    variants = {**code.variants, **{f"split_k.{part}": codes[part] for part in ("loads_only", "math_only")}}
    figure = probes.draw(changed(evidence, "code", rungs=rungs, variants=variants))
    told = captions(figure, "split_k,cold")
    assert "loop has 2 `LDG` and 1 `HMMA`." in told["full"]
    assert "loop has 2 `LDG` and no `HMMA`." in told["loads_only"]
    assert "no load the kernel takes" in told["math_only"]
    assert "loop has no `LDG` and 1 `HMMA`." in told["math_only"]


def test_a_probe_that_was_not_measured_has_a_step_and_no_sum(evidence: Evidence) -> None:
    told = captions(probes.draw(evidence), "tuned,cold")
    assert "not measured: the tuned rung has no math-only variant" in told["math_only"]
    assert "together" not in told


def test_probes_without_compiled_code_still_draw(evidence: Evidence) -> None:
    figure = probes.draw(without(evidence, "code"))
    assert not figure.listings
    assert "compiled code was not recorded" in captions(figure, "split_k,cold")["full"]


def test_published_probes_are_a_trace_of_their_own_with_their_source(evidence: Evidence) -> None:
    figure = probes.draw(evidence, published="rtx_5090_linear")
    marks = state(figure, "async_copy,cold", "math_only")[0]
    named = [trace for trace in marks if trace.get("name") == "published"]
    assert [trace["x"] for trace in named] == [[47.21, 37.03, 22.55]]
    assert "NVIDIA GeForce RTX 5090" in named[0]["hovertext"][0]
    assert [one.kind for one in figure.provenance] == ["recorded", "derived", "published"]
    with pytest.raises(Missing, match=r"has no rtx_4090; it has .*rtx_5090_linear"):
        probes.draw(evidence, published="rtx_4090")


# ---- against the library -----------------------------------------------------------------------------------------


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
    figure = against_the_library.draw(_evidence(cards, "fixture-slow"))
    assert "as slow" in captions(figure, "cold")["cublas_fp16"]


def test_a_rung_that_failed_is_never_the_fastest(cards: Any) -> None:
    evidence = _evidence(cards, "fixture-failed")
    rungs = evidence.card.recordings[LADDER, "times"].results.rungs
    failed = {"tuned": Failed(failed="differs"), **{slug: rung for slug, rung in rungs.items() if slug != "tuned"}}
    figure = against_the_library.draw(changed(evidence, "times", rungs=failed))
    assert not any("tuned" in path for path in state(figure, "cold", "all")[0][0]["ids"])


def test_no_library_call_is_missing(evidence: Evidence) -> None:
    with pytest.raises(Missing, match="no library call was timed"):
        against_the_library.draw(
            changed(evidence, "times", references={"cublas_fp16": NotMeasured(not_measured="none")})
        )


# ---- sweep -------------------------------------------------------------------------------------------------------


def test_the_outlined_cell_is_the_fastest_setting(evidence: Evidence) -> None:
    figure = sweep.draw(evidence)
    results = evidence.card.recordings[LADDER, "sweep"].results
    timed = [s for s in results.settings if isinstance(s.times, TimePair)]
    for place, condition in ((1, "cold"), (4, "warm")):
        best = min(timed, key=lambda s: getattr(s.times, condition).samples.median_us)
        outline = state(figure, "best", condition)[0][place]
        row = results.axes["TILE_ROWS"].index(best.constants["TILE_ROWS"])
        column = results.axes["SPLIT"].index(best.constants["SPLIT"])
        assert (outline["x"], outline["base"]) == ([column], [row - 0.5])
        assert (
            f"split {best.constants['SPLIT']}, k slice {best.constants['K_SLICE']}"
            in captions(figure, "best")[condition]
        )


def test_every_setting_stands_in_the_table_with_its_medians_or_the_reason(evidence: Evidence) -> None:
    table = sweep.draw(evidence).table
    settings = evidence.card.recordings[LADDER, "sweep"].results.settings
    assert len(table.rows) == len(settings)
    for row, setting in zip(table.rows, settings, strict=True):
        if isinstance(setting.times, TimePair):
            medians = [getattr(setting.times, condition).samples.median_us for condition in ("cold", "warm")]
            assert row[7:9] == tuple(f"{median:.3f}" for median in medians)
        else:
            assert row[7:9] == ("", "")
            assert row[9].startswith(("failed: ", "not measured: "))


def test_an_illegal_setting_is_an_empty_cell_with_its_reason(evidence: Evidence) -> None:
    cold = state(sweep.draw(evidence), "128", "cold")[0][0]
    assert cold["text"][-1] == "–"
    assert "shared memory" in cold["hovertext"][-1]


def test_the_sweep_says_which_condition_chose_the_ladders_constants(evidence: Evidence) -> None:
    fixture = captions(sweep.draw(evidence), "best")["ladder"]
    assert "cold and warm times agree" in fixture
    results = evidence.card.recordings[LADDER, "sweep"].results
    settings = list(results.settings)
    own = evidence.card.recordings[LADDER, "code"].results.rungs["tuned"].code.constants
    place = next(i for i, s in enumerate(settings) if all(own[name] == value for name, value in s.constants.items()))
    settings[place] = settings[place].model_copy(update={"times": pair(1.0, 100.0)})
    told = captions(sweep.draw(changed(evidence, "sweep", settings=settings)), "best")["ladder"]
    assert "what the cold times choose" in told
    assert "Warm it is not the fastest setting" in told


def test_a_sweep_of_two_axes_has_no_choice(evidence: Evidence) -> None:
    results = evidence.card.recordings[LADDER, "sweep"].results
    flat = [s.model_copy(update={"constants": {k: v for k, v in s.constants.items() if k != "K_SLICE"}})
            for s in results.settings if s.constants["K_SLICE"] == 64]  # fmt: skip
    axes = {name: values for name, values in results.axes.items() if name != "K_SLICE"}
    figure = sweep.draw(changed(evidence, "sweep", axes=axes, settings=flat))
    assert not figure.choices
    assert list(figure.sequences) == [""]


# ---- one change --------------------------------------------------------------------------------------------------


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


# ---- roofline ----------------------------------------------------------------------------------------------------


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
    figure = roofline.draw(_evidence(cards, "fixture-failed"))
    assert "failed: " in captions(figure, "cold")["split_k"]
    assert not any("split_k" in path for path in state(figure, "cold", "tuned")[0][1]["ids"])


# ---- counters ----------------------------------------------------------------------------------------------------


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
