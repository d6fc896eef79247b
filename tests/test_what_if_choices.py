"""Do the sliders of a what-if turn what was recorded, and nothing else? Tables of blocks in Python and in a page."""

from __future__ import annotations

import itertools
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from publisher.build import Builder, Options
from publisher.figures.kit.figure import Evidence
from publisher.figures.kit.placed import placed_rungs
from publisher.figures.kit.what_if import blocks_at, what_if
from publisher.output import write_files
from schema.recording import dump, load_cards, write_atomically
from schema.results import LaunchChoice, Launches, NotDeclared, NotMeasured
from tests.browsing import Chromium, chromium_browser, figure, open_visits, served
from tests.conftest import ROOT
from tests.figures.evidence import LADDER, changed, whole_evidence

pytest.importorskip("playwright")

from playwright.sync_api import Locator, Page, expect  # noqa: E402

ARTICLE = f"{LADDER}/index.html"
CARD = "nvidia-h200"
TIME = re.compile(r"µs|\bms\b|\bns\b|second|faster|slower", re.IGNORECASE)

browser = pytest.fixture(scope="module")(chromium_browser)


def launches(blocks: list[int], **values: tuple[int, ...]) -> Launches:
    choices = [LaunchChoice(constant=name, title=f"Pick {name}", values=list(some)) for name, some in values.items()]
    return Launches(choices=choices, blocks=" ".join(map(str, blocks)) + "\n")


CUBE = launches(list(range(24)), A=(7, 3), B=(0, 1, 2), C=(5, 6, 8, 9))
# split_k was recorded with SPLIT 8 and 256 blocks; tuned with another SPLIT than one of these.
REFUSED = launches([32, 0, 256], SPLIT=(1, 4, 8))
UNLISTED = launches([33, 640, 2048], SPLIT=(1, 5, 30))
OTHER = launches([1, 2], SPLIT=(4, 8))  # not the blocks that ran


@pytest.fixture(scope="module")
def evidence(whole_cards: Path) -> Evidence:
    return whole_evidence(load_cards(whole_cards), CARD)


def declaring(evidence: Evidence, **rungs: Any) -> Evidence:
    """The evidence where rungs have other launches to choose from."""
    code = evidence.need("code").results.rungs
    other = {slug: code[slug].model_copy(update={"launches": one}) for slug, one in rungs.items()}
    return changed(evidence, "code", rungs={**code, **other})


def settings(evidence: Evidence) -> dict[str, Any]:
    _, placed, _ = placed_rungs(evidence)
    return what_if([(one, one.launches[0]) for one in placed])["driver_data"]["settings"]


# ---- the table ---------------------------------------------------------------------------------------------------


def test_the_last_choice_turns_fastest() -> None:
    combinations = itertools.product(*(choice.values for choice in CUBE.choices))
    assert [blocks_at(CUBE, values) for values in combinations] == list(range(24))


def test_a_rung_starts_at_its_recorded_launch(evidence: Evidence) -> None:
    code = evidence.need("code").results.rungs
    for slug in ("split_k", "tuned"):
        one = settings(evidence)[slug]
        recorded = {choice["name"]: choice["recorded"] for choice in one["choices"]}
        assert recorded == {name: code[slug].code.constants[name] for name in ("TILE_ROWS", "SPLIT")}
        assert blocks_at(code[slug].launches, list(recorded.values())) == one["blocks"]


@pytest.mark.parametrize(
    "declared",
    [NotMeasured(not_measured="none"), OTHER, launches([1, 2], NO_SUCH=(1, 2))],
    ids=["none", "other", "odd"],
)
def test_without_a_table_of_this_launch_only_the_card_can_be_another(declared: Any, evidence: Evidence) -> None:
    one = settings(declaring(evidence, split_k=declared))["split_k"]
    assert one["choices"] == [] and one["table"] == [one["blocks"]]


def test_a_recorded_value_that_cannot_be_chosen_is_kept_for_what_it_is(evidence: Evidence) -> None:
    one = settings(declaring(evidence, tuned=UNLISTED))["tuned"]
    assert one["choices"][0]["recorded"] == 4 and one["choices"][0]["values"] == [1, 5, 30]
    assert one["blocks"] == 512 and one["table"] == [33, 640, 2048]


def test_without_an_occupancy_there_is_nothing_to_ask(evidence: Evidence) -> None:
    rungs = evidence.need("code").results.rungs
    unknown = {"blocks_per_sm": NotMeasured(not_measured="no card")}
    bare = {
        slug: rung.model_copy(update={"code": rung.code.model_copy(update=unknown)}) for slug, rung in rungs.items()
    }
    _, placed, _ = placed_rungs(changed(evidence, "code", rungs=bare))
    assert what_if([(one, one.launches[0]) for one in placed]) == {}


# ---- the same in the browser -------------------------------------------------------------------------------------


def test_the_driver_looks_up_what_python_looks_up(browser: Chromium, evidence: Evidence) -> None:
    page = browser.fresh.new_page()
    page.set_content("<!doctype html><title>driver</title>")
    page.evaluate("window.Rungbook = { drivers: {} }")
    page.add_script_tag(path=ROOT / "site" / "scripts" / "later" / "what-if.js")
    for declared in (CUBE, evidence.need("code").results.rungs["split_k"].launches):
        names = [choice.constant for choice in declared.choices]
        every = list(itertools.product(*(choice.values for choice in declared.choices)))
        setting = {
            "choices": [{"name": choice.constant, "values": choice.values} for choice in declared.choices],
            "table": [int(number) for number in declared.blocks.split()],
        }
        look_up = "([setting, all]) => all.map(one => Rungbook.drivers['what-if'].blocksAt(setting, one))"
        asked = [dict(zip(names, values, strict=True)) for values in every]
        assert page.evaluate(look_up, [setting, asked]) == [blocks_at(declared, values) for values in every]
    page.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory):
    """A site where split_k does not accept some values, tuned was recorded with others, and async_copy has none."""
    folder = tmp_path_factory.mktemp("choices")
    recordings, site = folder / "recordings", folder / "dist"
    shutil.copytree(ROOT / "recordings", recordings)
    none = NotDeclared(not_declared="the ladder declares no other launches of it")
    here = whole_evidence(load_cards(recordings), CARD)
    code = declaring(here, async_copy=none, split_k=REFUSED, tuned=UNLISTED).need("code")
    write_atomically(recordings / CARD / LADDER / "code.yaml", dump(code.header, code.results))
    site.mkdir()
    write_files(site, Builder(Options(recordings=recordings, allow_stale=True)).build(site).files)
    with served(site) as url:
        yield url


@pytest.fixture
def visit(browser: Chromium, address: str):
    with open_visits(browser, address, ARTICLE) as visits:
        yield visits.open


def opened(visit: Callable[..., Page], step: str) -> tuple[Locator, Locator]:
    """The figure at a step, and its what-if, open."""
    shown = figure(visit(), "fill-the-chip")
    shown.locator(f'[data-step="{step}"]').click()
    shown.locator(".what-if > summary").click()
    expect(shown.locator(".what-if table")).to_be_visible()
    return shown, shown.locator(".what-if")


def column(panel: Locator, place: int) -> list[str]:
    return panel.locator(f"tbody td:nth-child({place})").all_inner_texts()


def test_a_rung_without_choices_has_the_slider_of_the_card_alone(visit: Callable[..., Page]) -> None:
    shown, panel = opened(visit, "async_copy")
    expect(panel.get_by_role("slider")).to_have_count(1)
    panel.get_by_label("SMs of the card").press("Home")
    assert column(panel, 3)[:2] == [column(panel, 2)[0], "1"], "the blocks are those that ran"
    shown.locator('[data-step="split_k"]').click()
    expect(panel.get_by_role("slider")).to_have_count(2)
    expect(panel.get_by_label("SMs of the card")).to_have_attribute("aria-valuetext", "1; recorded 132")


def test_values_that_a_rung_does_not_accept_are_said_to_be_so(visit: Callable[..., Page]) -> None:
    shown, panel = opened(visit, "split_k")
    name = shown.evaluate("figure => figure.spec.driverData.settings.split_k.name")
    panel.get_by_label("Pick SPLIT").press("ArrowLeft")
    expect(panel.locator(".what-if-said")).to_have_text(
        f"{name} does not accept these values: there is no such launch."
    )
    assert column(panel, 3) == ["none"] * 5
    expect(panel.locator(".what-if-sms")).to_be_hidden()
    panel.get_by_label("Pick SPLIT").press("ArrowLeft")
    assert column(panel, 3)[0] == "32"
    expect(panel.locator(".what-if-sms")).to_be_visible()
    panel.get_by_role("button", name="Back to the recorded launch").click()
    assert column(panel, 3) == column(panel, 2)


def test_a_recorded_launch_that_cannot_be_chosen_is_shown_as_recorded(visit: Callable[..., Page]) -> None:
    shown, panel = opened(visit, "tuned")
    one = shown.evaluate("figure => figure.spec.driverData.settings.tuned")
    slider, told = panel.get_by_label("Pick SPLIT"), f"5; recorded {one['choices'][0]['recorded']}"
    expect(slider).to_have_attribute("aria-valuetext", told)
    expect(panel).to_contain_text("The recorded launch is none of those to choose from")
    assert [column(panel, place)[0] for place in (2, 3)] == [f"{one['blocks']}", "640"]
    slider.press("End")
    panel.get_by_role("button", name="Back to the start").click()
    expect(slider).to_have_attribute("aria-valuetext", told)


def test_a_what_if_never_states_a_time(visit: Callable[..., Page]) -> None:
    shown, panel = opened(visit, "async_copy")
    for step in ("async_copy", "split_k", "tuned"):
        shown.locator(f'[data-step="{step}"]').click()
        for slider in panel.get_by_role("slider").all():
            for key in ("Home", "End"):
                slider.press(key)
                assert not TIME.search(panel.inner_text())
