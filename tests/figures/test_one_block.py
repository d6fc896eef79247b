"""Does the figure of one block follow the code of its loop? On fixture cards."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from publisher.figures import one_block
from publisher.figures.kit.figure import Evidence, Missing, SteppedFigure
from publisher.figures.kit.pipeline import ON_ITS_WAY, OWN_SHARE, THERE, events_of, played
from sass.listing import ListingError
from schema.results import LoopPhase
from schema.rungs import USUAL
from tests.figure_states import captions
from tests.figures.evidence import changed
from tests.figures.sound import assert_sound


def test_one_block_issues_in_the_order_of_the_code(evidence: Evidence) -> None:
    figure = one_block.draw(evidence, rung="async_copy")
    passes = [f"wait_{n} barrier_{n} multiply_{n} done_{n}".split() for n in range(3)]
    wanted = ["request_0", "request_1", *passes[0], "request_2", *passes[1], "request_3", *passes[2]]
    assert [step.slug for step in figure.sequences[""]] == wanted


def test_one_block_lights_the_instructions_that_do_a_step(evidence: Evidence) -> None:
    figure = one_block.draw(evidence, rung="async_copy")
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
    figure = one_block.draw(evidence, rung="async_copy")
    sass = next(listing for listing in figure.listings if listing.slug == "sass")
    carried = {_opcode(line.text) for line in sass.lines if "carried" in line.marks}
    assert "HMMA" in carried
    assert "LDSM" not in carried
    assert all("loop" in line.marks for line in sass.lines)
    assert {_opcode(line.text) for line in sass.lines} == set(figure.topics)


def test_one_block_never_shows_the_groups_that_were_waited_for(evidence: Evidence) -> None:
    steps = {step.slug: step for step in one_block.draw(evidence, rung="async_copy").sequences[""]}
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
    ("rung", "words"),
    [
        ("nothing", "no rung nothing"),
        ("async_copy", "no loop"),
        ("naive", "NVIDIA H200: the ladder declares no loop over slices for naive"),
    ],
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
    figure = one_block.draw(replace(evidence, sources={}), rung="async_copy")
    assert_sound("one_block", figure)
    assert [listing.slug for listing in figure.listings] == ["ptx", "sass"]


def _declared(evidence: Evidence, slug: str, *phases: str | LoopPhase, unit: str = "", **pipeline: Any) -> Evidence:
    """The same card with another loop declared for a rung; a phase by its kind has the usual families."""
    rungs = dict(evidence.need("code").results.rungs)
    made = [phase if isinstance(phase, LoopPhase) else _phase(phase) for phase in phases]
    old = rungs["async_copy"].pipeline
    told = old.model_copy(update={"phases": made or old.phases, **pipeline})
    rungs[slug] = rungs[slug].model_copy(update={"pipeline": told, "unit": unit or rungs[slug].unit})
    return changed(evidence, "code", rungs=rungs)


def _phase(kind: str, *families: str, words: str = "") -> LoopPhase:
    usual = (*USUAL[kind], "HMMA", "FFMA") if kind == "multiply" else USUAL[kind]
    return LoopPhase(kind=kind, families=list(families or usual), words=words)


def _rows(figure: SteppedFigure) -> list[str]:
    """The names of the rows, which stand first among the words."""
    return next(list(trace["text"]) for trace in figure.data if trace.get("mode") == "text")


def _opcodes(figure: SteppedFigure, slug: str) -> list[str]:
    text = {line.key: line.text for listing in figure.listings for line in listing.lines}
    step = next(step for step in figure.sequences[""] if step.slug == slug)
    return [_opcode(text[key]) for key in step.lit if key.startswith("sass")]


def test_one_block_takes_the_first_rung_that_declares_its_loop(evidence: Evidence) -> None:
    figure = one_block.draw(evidence)
    assert evidence.need("code").results.rungs["shared"].title in figure.title


def test_a_synchronous_loop_has_one_buffer_and_nothing_under_way(evidence: Evidence) -> None:
    figure = one_block.draw(evidence, rung="shared")
    assert_sound("one_block", figure)
    assert _rows(figure) == ["Buffer 0", "FP32 units"]
    wanted = [f"{kind}_{n}" for n in range(3) for kind in ("load", "barrier", "multiply", "done")]
    assert [step.slug for step in figure.sequences[""]] == wanted
    assert _opcodes(figure, "load_1") == ["LDG", "STS"]
    assert _opcodes(figure, "multiply_0") == ["LDS", "LDS", "FFMA", "LDS", "FFMA"]
    barrier, done = ({k for k in step.lit if k.startswith("sass")} for step in _named(figure, "barrier_0", "done_0"))
    assert len(barrier) == len(done) == 1 and barrier.isdisjoint(done)
    said = captions(figure)
    assert "on the FP32 units" in said["multiply_0"] and "on its way" not in " ".join(said.values())
    assert "slice 0, 64 × 32 numbers of W and 16 × 32 of X, 10,240 bytes in all, into buffer 0" in said["load_0"]
    states = [row[4] for row in figure.table.rows[:5]]
    landed, there = "own share landed, slice {}", "there, slice 0"
    assert states == [landed.format(0), there, there, "free", landed.format(1)]


def test_a_loop_without_buffers_keeps_its_slices_in_registers(evidence: Evidence) -> None:
    phases = (_phase("load", "LDG"), _phase("multiply", "HMMA"))
    figure = one_block.draw(_declared(evidence, "tensor_core", *phases, buffers=0, ahead=0, passes=2), "tensor_core")
    assert_sound("one_block", figure)
    assert _rows(figure) == ["Registers", "Tensor cores, FP16"]
    assert [step.slug for step in figure.sequences[""]] == ["load_0", "multiply_0", "load_1", "multiply_1"]
    assert [row[4] for row in figure.table.rows] == ["there, slice 0"] * 2 + ["there, slice 1"] * 2
    assert not any(trace.get("marker", {}).get("color") == "@barrier" for trace in figure.data)
    said = captions(figure)
    assert "into registers" in said["load_0"] and "hold of slice 1 in registers" in said["multiply_1"]
    assert "That was the last pass." in said["multiply_1"]


def test_as_many_slices_are_asked_for_before_the_loop_as_the_ladder_says(evidence: Evidence) -> None:
    figure = one_block.draw(_declared(evidence, "async_copy", buffers=4, ahead=3, passes=5), "async_copy")
    assert _rows(figure)[:4] == [f"Buffer {n}" for n in range(4)]
    slugs = [step.slug for step in figure.sequences[""]]
    assert slugs[:4] == ["request_0", "request_1", "request_2", "request_3"]
    assert slugs.index("request_4") == slugs.index("done_0") + 1 and "request_5" not in slugs, "there are five passes"
    assert [row[1] for row in figure.table.rows[:4]] == ["before the loop"] * 3 + ["pass 0"]


def test_a_barrier_of_the_next_pass_frees_what_no_release_frees(evidence: Evidence) -> None:
    sass = evidence.need("code").results.rungs["async_copy"].code.sass
    one_barrier = "".join(line for line in sass.splitlines(True) if "BAR.SYNC" not in line or "L47" in line)
    kinds = ("wait", "barrier", "request", "multiply")
    given = _with_sass(_declared(evidence, "async_copy", *kinds, buffers=2, ahead=1), async_copy=one_barrier)
    figure = one_block.draw(given, "async_copy")
    freed = {row[2] + row[3]: row[4] for row in figure.table.rows}
    assert (freed["multiply0"], freed["barrier1"], freed["request2"]) == (
        "there, slice 0",
        "free",
        "on its way, slice 2",
    )
    assert "Nobody reads slice 0 any more, so buffer 0 may be filled anew" in captions(figure)["barrier_1"]


def test_a_slice_of_which_a_part_is_loaded_is_there_when_both_parts_are(evidence: Evidence) -> None:
    kinds = ("request", "wait", "load", "barrier", "multiply", "release")
    code = _declared(evidence, "async_copy", *kinds).need("code").results
    pipeline = code.rungs["async_copy"].pipeline
    events = events_of(pipeline)
    found = {event.slug: stages.get(0) for event, stages in zip(events, played(pipeline, events), strict=True)}
    own, there = OWN_SHARE, THERE
    assert [found[f"{kind}_0"] for kind in (*kinds[:-1], "done")] == [ON_ITS_WAY, own, own, there, there, None]


def test_the_authors_words_stand_for_the_usual_ones(evidence: Evidence) -> None:
    phases = ("request", _phase("wait", words="Every thread sleeps on it"), "barrier", "multiply", "release")
    said = captions(one_block.draw(_declared(evidence, "async_copy", *phases), "async_copy"))
    assert said["wait_1"] == "Every thread sleeps on it. In SASS: 1 `DEPBAR`."
    assert said["barrier_1"].startswith("All 256 threads meet.")


def test_without_a_declared_unit_its_row_is_arithmetic(evidence: Evidence) -> None:
    rungs = dict(evidence.need("code").results.rungs)
    rungs["shared"] = rungs["shared"].model_copy(update={"unit": ""})
    figure = one_block.draw(changed(evidence, "code", rungs=rungs), "shared")
    assert _rows(figure)[-1] == "Arithmetic" and "and multiply them. In SASS" in captions(figure)["multiply_0"]


@pytest.mark.parametrize(
    ("phases", "pipeline", "words"),
    [
        (
            ("request", "wait", "barrier", "multiply", "release"), {},
            "the loop of shared has no LDGSTS, UBLKCP or UTMALDG, which its phase request is declared to be done with",
        ),
        (("load", "barrier", _phase("multiply", "HMMA", "LDS"), "release"), {"buffers": 1, "ahead": 0}, "has no HMMA,"),
        (
            ("load", "barrier", "multiply", "barrier", "release"), {"buffers": 1, "ahead": 0},
            "has 2 BAR, which its phases barrier, barrier and release are all declared to be done with",
        ),
        (
            ("load", "barrier", "multiply"), {"buffers": 1, "ahead": 0},
            "the declared loop of shared puts slice 1 into buffer 0, where slice 0 still is",
        ),
        (("request", "barrier", "multiply"), {}, "multiplies slice 0 before it is there"),
    ],
)  # fmt: skip
def test_a_declaration_that_the_loop_or_itself_denies_is_said(
    phases: tuple[Any, ...], pipeline: dict[str, Any], words: str, evidence: Evidence
) -> None:
    with pytest.raises(Missing) as missing:
        one_block.draw(_declared(evidence, "shared", *phases, **pipeline), "shared")
    assert words in missing.value.what and missing.value.command == ""


def test_a_pass_may_hold_the_main_loop(evidence: Evidence) -> None:
    """Where the multiplies are a loop inside each pass, the pass is what is drawn and listed."""
    text = evidence.need("code").results.rungs["shared"].code.sass
    lines = text.splitlines()
    first = next(n for n, line in enumerate(lines) if " LDS " in line)
    last = max(n for n, line in enumerate(lines) if " FFMA " in line)
    back = f"L50 P22 @P1 BRA 0x{first * 16:x}"
    body = [line.split(" ", 1)[1] for line in lines]
    body.insert(last + 1, back)
    sass = "".join(f"{n * 16:04x} {line}\n" for n, line in enumerate(body))
    figure = one_block.draw(_with_sass(evidence, shared=sass), "shared")
    assert _opcodes(figure, "load_0") == ["LDG", "STS"] and "FFMA" in _opcodes(figure, "multiply_0")


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
        one_block.draw(changed(evidence, "code", rungs=rungs), rung="async_copy")
