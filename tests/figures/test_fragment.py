"""Does the figure of a fragment give every thread the cells that it holds? On fixture and committed recordings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from publisher.figures import (
    fragment,
)
from publisher.figures.kit.figure import Evidence, Missing
from schema.recording import load_cards
from tests.browsing import Chromium, chromium_browser
from tests.conftest import ROOT

if TYPE_CHECKING:
    from tests.browsing import Chromium


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


def test_fragment_driver_computes_what_python_computes(evidence: Evidence, browser: Chromium) -> None:
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
    found = _in_browser(browser, script, figure.driver_data | {"slugs": fragment.slugs(grids)})
    assert found == json.loads(json.dumps(wanted))


def test_fragment_of_an_unknown_shape_is_missing(evidence: Evidence) -> None:
    with pytest.raises(Missing, match="m8n8k4"):
        fragment.draw(evidence, shape="m8n8k4")


def _grids(evidence: Evidence) -> fragment.Map:
    return fragment.read_map(evidence.need("fragment", "machine").results.shapes["m16n8k16"], "m16n8k16")


def _in_browser(browser: Chromium, script: str, argument: Any) -> Any:
    page = browser.fresh.new_page()
    page.set_content("<!doctype html><title>driver</title>")
    page.evaluate("window.Rungbook = { drivers: {} }")
    page.add_script_tag(path=str(ROOT / "site" / "scripts" / "later" / "fragment.js"))
    return page.evaluate(script, argument)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    yield from chromium_browser(tmp_path_factory)
