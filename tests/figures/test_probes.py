"""Does the figure of probes say what was left out, and what the halves took? On fixture cards."""

from __future__ import annotations

import pytest

from publisher.figures import (
    probes,
)
from publisher.figures.kit.figure import Evidence, Missing
from publisher.figures.kit.proof import proofs_of
from tests.figure_states import captions, state
from tests.figures.evidence import LADDER, changed, pair, without


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


@pytest.mark.parametrize(
    ("unit", "says"),
    [("fp32", "1 `FFMA2` and 1 `FFMA`"), ("fp64", "no `DFMA`"), ("", "and 1 `FFMA`")],
)
def test_the_multiplies_that_are_counted_are_those_of_the_declared_unit(
    unit: str, says: str, evidence: Evidence
) -> None:
    rungs = dict(evidence.need("code").results.rungs)
    code = rungs["shared"].code
    sass = code.sass.replace("FFMA R24", "FFMA2 R24", 1)
    rungs["shared"] = rungs["shared"].model_copy(update={"unit": unit, "code": code.model_copy(update={"sass": sass})})
    proof = proofs_of(changed(evidence, "code", rungs=rungs), "shared", ())["full"]
    assert says in proof.words
    assert proof.listing("a", "full").title.startswith("full: 1 LDG, ")
