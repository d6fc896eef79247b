"""May a reader ask what if, and guess first? The launch rule on paper, in the browser and beside the recordings."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest

from publisher.build import Builder, Options
from publisher.figures import fill_the_chip, ladder, tiles_blocks_sms
from publisher.figures.kit.figure import Evidence
from publisher.figures.kit.launch_rule import filling, last_wave, lit_sms, slots, tail, waves
from publisher.figures.kit.placed import placed_rungs
from publisher.figures.kit.style import fmt_time
from publisher.figures.kit.what_if import what_if
from publisher.output import write_files
from schema.recording import CardRecordings, load_cards
from tests.browsing import (
    AXE,
    Chromium,
    axe_faults,
    chromium_browser,
    drawn,
    figure,
    open_visits,
    press,
    served,
    shifts,
    step_of,
    until,
    watch_shifts,
)
from tests.conftest import ROOT

pytest.importorskip("playwright")

from playwright.sync_api import Locator, Page, expect  # noqa: E402

LADDER = "linear"
ARTICLE = "linear/index.html"
NAMES = ("fill-the-chip", "tiles-blocks-sms", "ladder")
DRIVERS = ("what-if", "ladder")
GRID = list(itertools.product((1, 2, 31, 132, 256, 793, 4097), (1, 108, 132, 170), (1, 2, 6)))  # blocks, SMs, an SM
OVERLAID = "figure => figure.plot.live.data.flatMap(trace => trace.text ?? []).filter(text => text === 'your guess')"
ROWS = """figure => [...new Set(figure.plot.live.data.flatMap(trace => trace.ids?.length ? trace.y : []))]
  .filter(Number.isInteger)"""  # of the rungs that have a point

browser = pytest.fixture(scope="module")(chromium_browser)


def has_placements(card: CardRecordings) -> bool:
    return card.get(LADDER, "placement") is not None and card.get(LADDER, "times") is not None


@pytest.fixture(scope="module")
def recordings(whole_cards: Path) -> Path:
    """Those of the repository; the fixture's where no card here has placements."""
    here = ROOT / "recordings"
    return here if any(map(has_placements, load_cards(here).values())) else whole_cards


@pytest.fixture(scope="module")
def evidence(recordings: Path) -> Evidence:
    cards = load_cards(recordings)
    return Evidence(cards, next(filter(has_placements, cards.values())), LADDER)


# ---- the formulas ------------------------------------------------------------------------------------------------


def test_blocks_that_find_no_place_wait_for_the_next_wave() -> None:
    assert slots(132, 6) == 792
    assert [waves(count, 792) for count in (1, 792, 793, 1584, 1585)] == [1, 1, 2, 2, 3]
    assert [last_wave(count, 792) for count in (1, 792, 793, 1584, 1585)] == [1, 792, 1, 792, 1]


def test_blocks_go_to_sms_that_have_none_first() -> None:
    assert [lit_sms(count, 132) for count in (1, 132, 256)] == [1, 132, 132]


def test_the_tail_is_the_share_of_idle_sms_in_the_last_wave() -> None:
    assert tail(256, 132, 6) == 0
    assert tail(32, 132, 6) == pytest.approx(100 / 132)
    assert tail(793, 132, 6) == pytest.approx(131 / 132)


def test_every_block_runs_once_and_the_last_wave_has_one() -> None:
    for blocks, sms, per in GRID:
        found = filling(blocks, sms, per)
        assert (found.waves - 1) * sms * per + found.last == found.blocks == blocks
        assert 1 <= found.last <= sms * per
        assert 0 <= found.idle < sms
        assert found.tail == pytest.approx(found.idle / sms)


@pytest.mark.parametrize("wrong", [(0, 132, 6), (8, 0, 6), (8, 132, 0)])
def test_less_than_one_is_no_launch(wrong: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        filling(*wrong)


# ---- beside the recordings ---------------------------------------------------------------------------------------


def test_the_rule_gives_the_recorded_lit_sms(evidence: Evidence) -> None:
    _, placed, _ = placed_rungs(evidence)
    shown = [(one, launch) for one in placed for launch in one.launches[:1]]
    data = what_if(shown)["driver_data"]
    assert data["settings"]
    for one, launch in shown:
        setting = data["settings"][one.rung.slug]
        assert setting["blocks"] == launch.blocks
        assert filling(launch.blocks, launch.sms, setting["per"]).lit == int((launch.per_sm > 0).sum())


def test_what_the_figures_carry_for_it_is_little(evidence: Evidence) -> None:
    for draw, driver in ((fill_the_chip.draw, "what-if"), (tiles_blocks_sms.draw, "what-if"), (ladder.draw, "ladder")):
        made = draw(evidence)
        assert made.driver == driver
        assert len(str(made.driver_data)) < 2_000


def test_settings_are_known_by_the_steps_slugs(evidence: Evidence) -> None:
    made = fill_the_chip.draw(evidence)
    assert set(made.driver_data["settings"]) <= {step.slug for step in made.sequences[""]}


# ---- the same in the browser -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bare(browser: Chromium):
    """A page with the two drivers and nothing else."""
    page = browser.fresh.new_page()
    page.set_content("<!doctype html><title>drivers</title>")
    page.evaluate("window.Rungbook = { drivers: {} }")
    for name in DRIVERS:
        page.add_script_tag(path=ROOT / "site" / "scripts" / "later" / f"{name}.js")
    yield page
    page.close()


def test_the_driver_computes_what_python_computes(bare: Page) -> None:
    script = """grid => grid.map(([blocks, sms, per]) => Rungbook.drivers["what-if"].rule({ blocks, sms, per }))"""
    assert bare.evaluate(script, GRID) == [asdict(filling(*one)) for one in GRID]


@pytest.mark.parametrize(
    ("guess", "us", "said"),
    [
        (20, 10, "The guess is 2 times as long as the recording."),
        (70, 221.04, "The recording is 3.16 times as long as the guess."),
        (221, 221.04, "That is it."),
    ],
)
def test_a_guess_is_compared_in_words(bare: Page, guess: float, us: float, said: str) -> None:
    compare = "([guess, us, told]) => Rungbook.drivers.ladder.verdict(guess, us, told)"
    told = bare.evaluate(compare, [guess, us, fmt_time(us)])
    assert told == f"You guessed {guess}\u00a0µs; recorded: {fmt_time(us)}. {said}"


def test_the_distance_of_guesses_has_no_side(bare: Page) -> None:
    assert bare.evaluate("Rungbook.drivers.ladder.distance([[20, 10], [5, 10]])") == pytest.approx(2)


def test_hidden_rows_leave_no_trace(bare: Page) -> None:
    trace = {"x": [5, 9, None, 7, 8, None], "y": [1, 1, None, 2, 2, None], "name": "span"}
    dots = {"x": [5, 7], "y": [1, 2], "ids": ["one", "two"], "marker": {"opacity": [1, 0.5]}}
    cut = "([trace, hidden]) => Rungbook.drivers.ladder.without(trace, new Set(hidden))"
    assert bare.evaluate(cut, [trace, [2]]) == {"x": [5, 9, None], "y": [1, 1, None], "name": "span"}
    assert bare.evaluate(cut, [dots, [1]]) == {"x": [7], "y": [2], "ids": ["two"], "marker": {"opacity": [0.5]}}


# ---- the page ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def address(recordings: Path, tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("what-if") / "dist"
    folder.mkdir()
    write_files(folder, Builder(Options(recordings=recordings, allow_stale=True)).build(folder).files)
    with served(folder) as url:
        yield url


@pytest.fixture
def visit(browser: Chromium, address: str):
    with open_visits(browser, address, ARTICLE) as visits:
        yield visits.open


def opened(shown: Locator) -> Locator:
    """The what-if of a figure, open and ready."""
    shown.locator(".what-if > summary").click()
    expect(shown.locator(".what-if table")).to_be_visible()
    return shown.locator(".what-if")


def column(panel: Locator, place: int) -> list[str]:
    return panel.locator(f"tbody td:nth-child({place})").all_inner_texts()


def test_a_what_if_is_closed_until_asked_and_says_what_it_is(visit: Callable[..., Page]) -> None:
    for name in NAMES[:2]:
        shown = figure(visit(), name)
        expect(shown.locator(".what-if")).not_to_have_attribute("open", "")
        expect(opened(shown)).to_contain_text("computed from the launch rule, not recorded. It predicts no time.")


def test_a_what_if_says_what_it_lacks(browser: Chromium, address: str) -> None:
    """Its data come with the pictures; where they do not come, the figure says so, and nothing is left unsaid."""
    page = browser.fresh.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.route("**/pictures*.js", lambda route: route.abort())
    page.goto(address + ARTICLE)
    for name, summary in ((NAMES[0], ".what-if > summary"), (NAMES[2], ".fig-panel > button")):
        figure(page, name).locator(summary).click()
        expect(figure(page, name).locator(".fig-trouble")).to_contain_text("could not be loaded")
    page.close()
    assert faults == []


def test_sliders_move_by_key_and_all_follows(visit: Callable[..., Page]) -> None:
    page = visit()
    shown = figure(page, "fill-the-chip")
    panel = opened(shown)
    before = shown.locator(".fig-captions").inner_text()
    assert column(panel, 2) == column(panel, 3)
    sms = panel.get_by_label("SMs of the card")
    sms.focus()
    page.keyboard.press("Home")
    expect(panel.locator(".what-if-row output").last).to_have_text("1")
    recorded = shown.evaluate("figure => Object.values(figure.spec.driverData.settings)[0]")
    expect(sms).to_have_attribute("aria-valuetext", f"1; recorded {recorded['sms']}")
    assert column(panel, 3)[:3] == [f"{recorded['blocks']}", "1", f"{waves(recorded['blocks'], recorded['per'])}"]
    expect(panel.locator(".what-if-sms i:visible")).to_have_count(1)
    assert shown.locator(".fig-captions").inner_text() == before
    assert shown.evaluate("figure => figure.driven()") is None
    panel.get_by_role("button", name="Back to the recorded launch").click()
    assert column(panel, 2) == column(panel, 3)
    assert page.evaluate("document.activeElement.type") == "range"


def test_what_was_recorded_follows_the_step(visit: Callable[..., Page]) -> None:
    shown = figure(visit(), "fill-the-chip")
    panel = opened(shown)
    settings = shown.evaluate("figure => figure.spec.driverData.settings")
    for slug, one in settings.items():
        shown.locator(f'[data-step="{slug}"]').click()
        expect(panel.get_by_role("columnheader", name=one["name"])).to_be_visible()
        assert column(panel, 2)[:2] == [f"{one['blocks']:,}", f"{one['lit']:,}"]


def test_a_link_holds_the_what_if(visit: Callable[..., Page]) -> None:
    page = visit()
    shown = figure(page, "fill-the-chip")
    panel = opened(shown)
    panel.get_by_label("SMs of the card").press("End")
    expect(page).to_have_url(re.compile("sms=192$"))
    address = page.url
    constants = shown.evaluate(
        "figure => figure.spec.driverData.settings[figure.step.slug].choices.map(one => one.name)"
    )
    assert re.findall(r"[?&]([\w-]+)=", address) == [*constants, "card-sms"]
    told = column(panel, 3)
    page = visit(ARTICLE + address[address.index("#") :])
    shown = figure(page, "fill-the-chip")
    panel = shown.locator(".what-if")
    expect(panel.locator("table")).to_be_visible()
    assert column(panel, 3) == told
    panel.locator("summary").click()
    expect(panel).not_to_have_attribute("open", "")
    expect(page).not_to_have_url(re.compile(r"\?"))


def test_a_link_to_an_impossible_launch_changes_nothing(visit: Callable[..., Page]) -> None:
    first, *others = ("TILE_ROWS=7&SPLIT=0&card-sms=9000", "card-sms=", "TILE_ROWS=<b>", "x=1")
    page = visit(f"{ARTICLE}#fig-fill-the-chip/split_k?{first}")
    shown = figure(page, "fill-the-chip")
    drawn(shown)
    for query in others:
        assert step_of(shown) == "split_k"
        expect(shown.locator(".what-if")).not_to_have_attribute("open", "")
        shown.evaluate("figure => figure.go(0)")
        page.evaluate("query => { location.hash = `#fig-fill-the-chip/split_k?${query}` }", query)
        until(page, "document.querySelector('#fig-fill-the-chip').step.slug === 'split_k'")
    expect(shown.locator(".what-if")).not_to_have_attribute("open", "")


# ---- guesses -----------------------------------------------------------------------------------------------------


def begun(shown: Locator) -> Locator:
    shown.get_by_role("button", name="Guess first").click()
    panel = shown.get_by_role("group", name="Your guesses")
    expect(panel).to_be_visible()
    drawn(shown)
    return panel


def test_a_guess_stands_beside_the_recording_once_revealed(visit: Callable[..., Page]) -> None:
    page = visit()
    shown = figure(page, "ladder")
    told = shown.locator(".fig-text").all_text_contents()
    panel = begun(shown)
    caption = shown.locator(".fig-captions > .is-current")
    expect(caption).to_contain_text("hidden until you reveal")
    expect(caption).not_to_contain_text("µs")
    expect(shown.locator(".fig-voice")).not_to_contain_text("µs")
    expect(shown.locator(".fig-stage")).not_to_have_attribute("aria-label", re.compile("µs"))
    assert shown.evaluate(ROWS) == [1]
    panel.get_by_label("Your guess in microseconds").fill("70")
    until(page, f"({OVERLAID})(document.querySelector('#fig-ladder')).length === 1")
    assert shown.evaluate(ROWS) == [1]
    panel.get_by_role("button", name="Reveal").press("Enter")
    expect(panel.locator(".guess-said")).to_contain_text("You guessed 70\u00a0µs; recorded:")
    expect(panel.locator(".guess-said")).to_contain_text("times as long as")
    until(page, f"({ROWS})(document.querySelector('#fig-ladder')).join() === '1,2'")
    assert shown.locator(".fig-text").all_text_contents()[:2] == told[:2]
    panel.get_by_role("button", name="Next rung").press("Enter")
    expect(panel.get_by_label("Your guess, cold")).to_be_focused()
    expect(shown.locator(".fig-captions > .is-current")).to_contain_text("hidden until you reveal")


def test_the_slider_guesses_by_key_on_a_log_scale(visit: Callable[..., Page]) -> None:
    page = visit()
    panel = begun(figure(page, "ladder"))
    slider = panel.get_by_label("Your guess, cold")
    expect(slider).to_be_focused()
    expect(slider).to_have_attribute("aria-valuetext", "no guess yet")
    value = panel.get_by_label("Your guess in microseconds")
    found = []
    for _ in range(3):
        page.keyboard.press("ArrowRight")
        found.append(float(value.input_value()))
    assert found[1] / found[0] == pytest.approx(found[2] / found[1], rel=0.01)
    assert found == sorted(set(found))
    assert step_of(figure(page, "ladder")) != "naive"


def test_a_click_in_the_picture_guesses(visit: Callable[..., Page]) -> None:
    page = visit()
    shown = figure(page, "ladder")
    panel = begun(shown)
    place = shown.evaluate(
        """figure => { const axis = figure.plot.live._fullLayout.xaxis;
        const { left, top } = figure.plot.live.getBoundingClientRect();
        return [left + axis._offset + axis.d2p(100), top + 200] }"""
    )
    page.mouse.click(*place)
    assert float(panel.get_by_label("Your guess in microseconds").input_value()) == pytest.approx(100, rel=0.02)


def test_guessing_can_be_left_at_any_time(visit: Callable[..., Page]) -> None:
    page = visit()
    shown = figure(page, "ladder")
    told = shown.locator(".fig-text").all_text_contents()
    panel = begun(shown)
    press(shown, "last")
    expect(panel.get_by_role("button", name="Reveal all")).to_be_visible()
    assert shown.evaluate(ROWS) == [1]
    panel.get_by_role("button", name="Stop guessing").click()
    expect(shown.get_by_role("button", name="Guess first")).to_be_focused()
    assert shown.locator(".fig-text").all_text_contents() == told
    until(page, f"({ROWS})(document.querySelector('#fig-ladder')).length > 2")
    assert page.evaluate("[localStorage.length, sessionStorage.length]") == [0, 0]


def test_a_whole_round_ends_in_a_sum(visit: Callable[..., Page]) -> None:
    shown = figure(visit(), "ladder")
    panel = begun(shown)
    panel.get_by_label("Your guess in microseconds").fill("70")
    press(shown, "last")
    panel.get_by_role("button", name="Reveal all").click()
    expect(panel.locator(".guess-said")).to_contain_text("1 guessed.")
    panel.get_by_role("button", name="Done").click()
    expect(shown.get_by_role("button", name="Guess first")).to_be_visible()


# ---- what every page owes ----------------------------------------------------------------------------------------


@pytest.mark.fonts
@pytest.mark.parametrize("width", [320, 375, 1280])
def test_nothing_moves_when_panels_arrive(visit: Callable[..., Page], width: int) -> None:
    page = visit(viewport={"width": width, "height": 900})
    watch_shifts(page)
    page.evaluate(
        """async names => { const frame = () => new Promise(requestAnimationFrame);
        for (const name of names) { const figure = document.querySelector(`#fig-${name}`);
          figure.scrollIntoView({behavior: "instant"}); await figure.ready(); await frame(); await frame() } }""",
        NAMES,
    )
    assert shifts(page) == []
    for name in NAMES:
        assert figure(page, name).locator(".fig-panel").evaluate("panel => panel.offsetHeight") == 32


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed; run: npm install")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_nothing_is_too_wide(visit: Callable[..., Page], scheme: str) -> None:
    page = visit(color_scheme=scheme, viewport={"width": 320, "height": 800})
    panel = begun(figure(page, "ladder"))
    panel.get_by_label("Your guess in microseconds").fill("70")
    panel.get_by_role("button", name="Reveal").click()
    for name in NAMES[:2]:
        opened(figure(page, name)).get_by_label("SMs of the card").press("PageUp")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert (
        axe_faults(page, ", ".join(f"#fig-{name}" for name in NAMES), () if scheme == "light" else ["color-contrast"])
        == []
    )


def test_without_scripts_there_is_no_panel(browser: Chromium, address: str) -> None:
    context = browser.fresh.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address + ARTICLE)
    for name in NAMES:
        expect(figure(page, name).locator(".fig-panel")).to_be_hidden()
    context.close()
