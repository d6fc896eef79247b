"""Does the figure of one block follow the code of its loop? On fixture cards."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from publisher.figures import (
    one_block,
)
from publisher.figures.kit.figure import Evidence, Missing, SteppedFigure
from sass.listing import ListingError
from tests.figures.evidence import changed
from tests.figures.sound import assert_sound


def test_one_block_issues_in_the_order_of_the_code(evidence: Evidence) -> None:
    figure = one_block.draw(evidence)
    passes = [f"wait_{n} barrier_{n} multiply_{n} done_{n}".split() for n in range(3)]
    wanted = ["request_0", "request_1", *passes[0], "request_2", *passes[1], "request_3", *passes[2]]
    assert [step.slug for step in figure.sequences[""]] == wanted


def test_one_block_lights_the_instructions_that_do_a_step(evidence: Evidence) -> None:
    figure = one_block.draw(evidence)
    text = {line.key: line.text for listing in figure.listings for line in listing.lines}
    opcodes = {
        step.slug: {_opcode(text[key]) for key in step.lit if key.startswith("sass")} for step in figure.sequences[""]
    }
    assert opcodes["request_1"] == {"LDGSTS", "LDGDEPBAR"}
    assert opcodes["wait_0"] == {"DEPBAR"}
    assert opcodes["barrier_0"] == opcodes["done_0"] == {"BAR"}
    assert opcodes["multiply_0"] == {"LDSM", "HMMA"}
    assert opcodes["request_0"] == set()  # before the loop
    barrier, done = ({k for k in step.lit if k.startswith("sass")} for step in _named(figure, "barrier_0", "done_0"))
    assert barrier.isdisjoint(done)


def test_one_block_marks_what_the_loop_carries(evidence: Evidence) -> None:
    figure = one_block.draw(evidence)
    sass = next(listing for listing in figure.listings if listing.slug == "sass")
    carried = {_opcode(line.text) for line in sass.lines if "carried" in line.marks}
    assert "HMMA" in carried
    assert "LDSM" not in carried
    assert all("loop" in line.marks for line in sass.lines)
    assert {_opcode(line.text) for line in sass.lines} == set(figure.topics)


def test_one_block_never_shows_the_groups_that_were_waited_for(evidence: Evidence) -> None:
    steps = {step.slug: step for step in one_block.draw(evidence).sequences[""]}
    told = {slug: _queue(step.data[1]) for slug, step in steps.items()}
    assert [told[slug] for slug in ("request_0", "request_1", "wait_0", "done_0", "request_2")] == [
        "0",
        "0 1",
        "1",
        "1",
        "1 2",
    ]


def _queue(cells: dict[str, Any]) -> str:
    """What stands last in the third lane, that of the copies not waited for."""
    lane = 2 * one_block.PITCH
    found = zip(cells["base"], cells["x"], cells["text"], strict=True)
    return max((x, text) for base, x, text in found if base == pytest.approx(lane - 0.45))[1]


@pytest.mark.parametrize(
    ("rung", "words"), [("tensor_core", "has no LDGSTS"), ("nothing", "no rung nothing"), ("async_copy", "no loop")]
)
def test_one_block_says_what_it_lacks(evidence: Evidence, rung: str, words: str) -> None:
    given = _with_sass(evidence, async_copy="0000 L1 P- EXIT\n") if words == "no loop" else evidence
    with pytest.raises(Missing, match=words):
        one_block.draw(given, rung=rung)


def _with_sass(evidence: Evidence, **sass: str) -> Evidence:
    """The same card with other SASS for some rungs."""
    rungs = dict(evidence.need("code").results.rungs)
    for slug, text in sass.items():
        rungs[slug] = rungs[slug].model_copy(update={"code": rungs[slug].code.model_copy(update={"sass": text})})
    return changed(evidence, "code", rungs=rungs)


def test_one_block_lives_without_sources(evidence: Evidence) -> None:
    figure = one_block.draw(replace(evidence, sources={}))
    assert_sound("one_block", figure)
    assert [listing.slug for listing in figure.listings] == ["ptx", "sass"]


def _opcode(text: str) -> str:
    words = text.split()
    return words[1 if words[0].startswith("@") else 0].split(".")[0]


def _named(figure: SteppedFigure, *slugs: str) -> list[Any]:
    return [step for slug in slugs for step in figure.sequences[""] if step.slug == slug]


def test_a_line_that_the_ptx_lacks_is_no_silent_gap(evidence: Evidence) -> None:
    rungs = dict(evidence.need("code").results.rungs)
    code = rungs["async_copy"].code.model_copy(update={"ptx": "ret;\n"})
    rungs["async_copy"] = rungs["async_copy"].model_copy(update={"code": code})
    with pytest.raises(ListingError, match="of the PTX, which has 1"):
        one_block.draw(changed(evidence, "code", rungs=rungs))
