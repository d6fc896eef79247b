"""Do the figures about instructions say what was recorded? Fragment, one block, architectures, on fixture cards."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from publisher.figure import Evidence, Missing, SteppedFigure
from publisher.figures import architectures, fragment, one_block
from publisher.figures._style import TOKENS
from recorder.recording import CardRecordings, load_cards, parse_yaml
from tests.conftest import ROOT
from tests.figure_states import coloured

go: Any = pytest.importorskip("plotly.graph_objects")
TRACE_TYPES = ("bar", "scatter", "histogram", "box")
MAX_SPEC_BYTES = 120_000


@pytest.fixture(scope="module")
def evidence(whole_cards: Path) -> Evidence:
    return _evidence(whole_cards, "nvidia-h200")


def _evidence(folder: Path, slug: str) -> Evidence:
    cards = load_cards(folder)
    sources = {path.name: path.read_text() for path in sorted((ROOT / "kernels" / "linear").glob("*.cu"))}
    glossary, _ = parse_yaml((ROOT / "content" / "glossary.yaml").read_text(), "content/glossary.yaml")
    return Evidence(cards, cards[slug], "linear", sources, glossary)


def _without(evidence: Evidence, subject: str, experiment: str) -> Evidence:
    """The same card, had it never recorded this."""
    kept = {key: value for key, value in evidence.card.recordings.items() if key != (subject, experiment)}
    return replace(evidence, card=CardRecordings(evidence.card.slug, evidence.card.folder, kept))


def _changed(evidence: Evidence, **sass: str) -> Evidence:
    """The same card with other SASS for some rungs."""
    recording = evidence.need("code")
    rungs = dict(recording.results.rungs)
    for slug, text in sass.items():
        rungs[slug] = rungs[slug].model_copy(update={"code": rungs[slug].code.model_copy(update={"sass": text})})
    results = recording.results.model_copy(update={"rungs": rungs})
    changed = evidence.card.recordings | {("linear", "code"): replace(recording, results=results)}
    return replace(evidence, card=CardRecordings(evidence.card.slug, evidence.card.folder, changed))


def check(figure: SteppedFigure) -> None:
    """What every figure owes the page: valid Plotly, known colours, unique names, all states reachable, a table."""
    states = [[step.data, step.layout] for steps in figure.sequences.values() for step in steps]
    spec = json.dumps([figure.data, figure.layout, figure.narrow, states, figure.driver_data])
    assert len(spec) < MAX_SPEC_BYTES
    assert not re.search(r"#[0-9a-fA-F]{3,8}\b|rgb\(", spec), "a literal colour"
    assert set(re.findall(r"@([a-z]+\d?)", spec)) <= set(TOKENS)
    for steps in figure.sequences.values():
        assert len({step.slug for step in steps}) == len(steps)
        for step in steps:
            assert re.fullmatch(r"[a-z0-9_]+", step.slug)
            assert step.title
            assert step.caption
            go.Figure(data=list(_whole(figure, step.data, step.traces)), layout=coloured(figure.layout | figure.narrow))
    assert all(trace["type"] in TRACE_TYPES for trace in figure.data)
    for trace in figure.data:
        assert len(set(trace.get("ids", ()))) == len(trace.get("ids", ()))
    keys = [line.key for listing in figure.listings for line in listing.lines]
    assert len(set(keys)) == len(keys)
    links = {link for listing in figure.listings for line in listing.lines for link in line.links}
    lit = {key for steps in figure.sequences.values() for step in steps for key in step.lit}
    assert links | lit <= set(keys)
    shown = {slug for steps in figure.sequences.values() for step in steps for slug in step.show}
    assert shown <= {listing.slug for listing in figure.listings}
    assert figure.table.rows
    assert all(len(row) == len(figure.table.columns) for row in figure.table.rows)
    assert figure.alt
    assert figure.provenance
    assert figure.rerecord.startswith("python -m recorder")


def _whole(figure: SteppedFigure, data: Any, traces: Any) -> Iterator[Any]:
    over = dict(zip(traces or range(len(data)), data, strict=True))
    for place, trace in enumerate(figure.data):
        yield coloured(trace | over.get(place, {}))


@pytest.mark.parametrize("draw", [fragment.draw, one_block.draw, architectures.draw], ids=["fragment", "block", "arch"])
def test_every_committed_recording_draws(draw: Callable[[Evidence], SteppedFigure]) -> None:
    folder = ROOT / "recordings"
    for slug, card in load_cards(folder).items():
        if not card.compile_only:
            check(draw(_evidence(folder, slug)))


# ---- fragment --------------------------------------------------------------------------------------------------------


def test_fragment_is_a_sound_figure(evidence: Evidence) -> None:
    check(fragment.draw(evidence))


def test_fragment_gives_every_thread_its_cells(evidence: Evidence) -> None:
    grids = _grids(evidence)
    for lane in range(32):
        assert [len(grids[name].held(lane)) for name in "abd"] == [8, 4, 4]
    first = fragment.caption(grids, 5, "hold_a", "")
    assert "`a0` A[1][2] and A[1][3]; `a1` A[9][2] and A[9][3]" in first


def test_fragment_fire_meets_every_factor_once(evidence: Evidence) -> None:
    grids = _grids(evidence)
    seen = set()
    for k in range(16):
        meet = fragment.frame(grids, 5, f"fire_k{k}")[2]
        seen |= set(zip(meet["x"], meet["base"], strict=True))
    assert len(seen) == 16 * 4  # two rows of A and two columns of B


@pytest.mark.parametrize("fixture", ["fixture", "recorded"])
def test_fragment_map_is_the_formula_of_the_ptx_isa(fixture: str, evidence: Evidence) -> None:
    if fixture == "recorded":
        cards = load_cards(ROOT / "recordings")
        found = [card.get("machine", "fragment") for card in cards.values()]
        maps = [r.results.shapes["m16n8k16"] for r in found if r]
        if not maps:
            pytest.skip("no card has a fragment recording yet")
    else:
        maps = [evidence.need("fragment", "machine").results.shapes["m16n8k16"]]
    for found_map in maps:
        for name, formula in (("a", _a_cell), ("b", _b_cell), ("d", _d_cell)):
            cells = getattr(found_map, name).cells.arrays
            rows = zip(*(cells[key].astype(int) for key in ("lane", "register", "half", "row", "column")), strict=True)
            told = {(lane, register, half): (row, column) for lane, register, half, row, column in rows}
            assert told == {key: formula(*key) for key in told}
            assert len(told) == {"a": 256, "b": 128, "d": 128}[name]


# PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type", written as it stands there:
# groupID is lane / 4, threadID_in_group is lane % 4.
def _a_cell(lane: int, register: int, half: int) -> tuple[int, int]:
    i = 2 * register + half
    row = lane // 4 if i < 2 or 4 <= i < 6 else lane // 4 + 8
    column = lane % 4 * 2 + (i & 1) + (8 if i >= 4 else 0)
    return row, column


def _b_cell(lane: int, register: int, half: int) -> tuple[int, int]:
    i = 2 * register + half
    return lane % 4 * 2 + (i & 1) + (8 if i >= 2 else 0), lane // 4


def _d_cell(lane: int, i: int, half: int) -> tuple[int, int]:
    return lane // 4 + (8 if i >= 2 else 0), lane % 4 * 2 + (i & 1)


def test_fragment_driver_computes_what_python_computes(evidence: Evidence) -> None:
    figure, grids = fragment.draw(evidence), _grids(evidence)
    verdict = figure.driver_data["verdict"]
    assert verdict == "It equals the PTX ISA's formula in every cell."
    wanted = {
        f"{lane} {slug}": [fragment.caption(grids, lane, slug, verdict), fragment.frame(grids, lane, slug)]
        for lane in range(32)
        for slug in fragment.slugs(grids)
    }
    script = """(data) => {
      const found = {};
      const { caption, frame } = Rungbook.drivers.fragment;
      for (let lane = 0; lane < 32; lane++)
        for (const slug of data.slugs) found[`${lane} ${slug}`] = [caption(data, lane, slug), frame(data, lane, slug)];
      return found;
    }"""
    found = _in_browser(script, figure.driver_data | {"slugs": fragment.slugs(grids)})
    assert found == json.loads(json.dumps(wanted))


def test_fragment_of_an_unknown_shape_is_missing(evidence: Evidence) -> None:
    with pytest.raises(Missing, match="m8n8k4"):
        fragment.draw(evidence, shape="m8n8k4")


def test_fragment_without_its_recording_is_missing(evidence: Evidence) -> None:
    with pytest.raises(Missing, match="machine/fragment") as caught:
        fragment.draw(_without(evidence, "machine", "fragment"))
    assert caught.value.command == "python -m recorder --gpu 0 --only machine/fragment"


def _grids(evidence: Evidence) -> fragment.Map:
    return fragment.read_map(evidence.need("fragment", "machine").results.shapes["m16n8k16"], "m16n8k16")


def _in_browser(script: str, argument: Any) -> Any:
    sync_api = pytest.importorskip("playwright.sync_api")
    path = os.environ.get("RUNGBOOK_CHROMIUM") or "/usr/bin/chromium"
    with sync_api.sync_playwright() as playwright:
        found = path if Path(path).exists() else None
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        page = browser.new_page()
        page.set_content("<!doctype html><title>driver</title>")
        page.evaluate("window.Rungbook = { drivers: {} }")
        page.add_script_tag(path=str(ROOT / "site" / "scripts" / "later" / "fragment.js"))
        try:
            return page.evaluate(script, argument)
        finally:
            browser.close()


# ---- one block -------------------------------------------------------------------------------------------------------


def test_one_block_is_a_sound_figure(evidence: Evidence) -> None:
    check(one_block.draw(evidence))


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
    changed = _changed(evidence, async_copy="0000 L1 P- EXIT\n") if words == "no loop" else evidence
    with pytest.raises(Missing, match=words):
        one_block.draw(changed, rung=rung)


def test_one_block_lives_without_sources(evidence: Evidence) -> None:
    figure = one_block.draw(replace(evidence, sources={}))
    check(figure)
    assert [listing.slug for listing in figure.listings] == ["ptx", "sass"]


def _opcode(text: str) -> str:
    words = text.split()
    return words[1 if words[0].startswith("@") else 0].split(".")[0]


def _named(figure: SteppedFigure, *slugs: str) -> list[Any]:
    return [step for slug in slugs for step in figure.sequences[""] if step.slug == slug]


# ---- architectures ---------------------------------------------------------------------------------------------------


def test_architectures_is_a_sound_figure(mixed_cards: Path) -> None:
    evidence = _evidence(mixed_cards, "nvidia-h200")
    figure = architectures.draw(evidence, rungs="async_copy,tensor_core")
    check(figure)
    assert list(figure.sequences) == ["async_copy", "tensor_core"]


def test_architectures_counts_every_instruction_once(evidence: Evidence) -> None:
    table = architectures.draw(evidence).table
    for row in table.rows:
        assert int(row[3]) == sum(map(int, row[4:]))


def test_architectures_lists_equal_loops_once(mixed_cards: Path) -> None:
    evidence = _evidence(mixed_cards, "nvidia-h200")
    figure = architectures.draw(evidence, rungs="async_copy")
    texts = [tuple(line.text for line in listing.lines) for listing in figure.listings]
    assert len(set(texts)) == len(texts)


def test_architectures_without_the_rung_is_missing(evidence: Evidence) -> None:
    with pytest.raises(Missing, match="no loop of nothing"):
        architectures.draw(evidence, rungs="nothing")
    with pytest.raises(Missing, match="linear/code"):
        architectures.draw(_without(evidence, "linear", "code"))
