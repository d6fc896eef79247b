"""Does a reader get what the pages promise? In Chromium: steps, links, keys, touch, themes, paper, phones."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

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
from tests.sample_site import ARTICLE, PAGES, figures, write_site

pytest.importorskip("playwright")

from playwright.sync_api import Page, expect  # noqa: E402

browser = pytest.fixture(scope="module")(chromium_browser)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_site(tmp_path_factory.mktemp("site") / "dist")


@pytest.fixture(scope="module")
def address(site: Path):
    with served(site) as url:
        yield url


@pytest.fixture
def visit(browser: Chromium, address: str):
    """Open a page; afterwards it must have said no error and asked no other host."""
    with open_visits(browser, address, ARTICLE) as visits:
        yield visits.open


# ---- stepping ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", figures())
def test_steps_to_the_end_and_back(visit: Callable[..., Page], name: str) -> None:
    shown = figure(visit(), name)
    steps = [step.slug for step in next(iter(figures()[name].sequences.values()))]
    for slug in steps[1:]:
        press(shown, "next")
        assert step_of(shown) == slug
    expect(shown.locator('[data-do="next"]')).to_be_disabled()
    for slug in reversed(steps[:-1]):
        press(shown, "back")
        assert step_of(shown) == slug
    expect(shown.locator('[data-do="back"]')).to_be_disabled()
    press(shown, "last")
    assert step_of(shown) == steps[-1]
    press(shown, "first")
    drawn(shown)


def test_each_step_is_whole_over_the_base(visit: Callable[..., Page]) -> None:
    page = visit()
    shown = figure(page, "rungs")
    press(shown, "last")
    drawn(shown)
    press(shown, "first")
    until(page, "document.querySelector('#fig-rungs .fig-live').layout.title.text === 'one'")
    heights = page.evaluate("document.querySelector('#fig-rungs .fig-live').data[0].y")
    assert heights == [500, None, None, None, None]
    base = page.evaluate("document.querySelector('#fig-rungs').spec.data[0]")
    assert "y" not in base and base["marker"] == {"color": "@cold"}


def test_keys_step_when_a_figure_has_the_focus(visit: Callable[..., Page]) -> None:
    page = visit()
    shown = figure(page, "rungs")
    shown.locator(".fig-plot").focus()
    for key, slug in (
        ("ArrowRight", "two"),
        ("End", "five"),
        ("ArrowRight", "five"),
        ("ArrowLeft", "four"),
        ("Home", "one"),
    ):
        page.keyboard.press(key)
        assert step_of(shown) == slug


def test_focus_stays_in_the_player_at_either_end(visit: Callable[..., Page]) -> None:
    page = visit()
    shown = figure(page, "rungs")
    shown.locator('[data-do="last"]').focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.dataset.do") == "play"
    page.keyboard.press("ArrowLeft")
    assert step_of(shown) == "four"


def test_play_goes_on_and_pause_stops(visit: Callable[..., Page]) -> None:
    page = visit()
    shown = figure(page, "cells")
    for name in ("2×", "4×", "½×", "1×", "2×"):
        press(shown, "speed")
        expect(shown.get_by_role("button", name=f"Speed: {name}")).to_have_text(name)
    press(shown, "play")
    expect(shown.locator('[data-do="play"]')).to_have_attribute("aria-label", "Pause")
    expect(shown.locator(".fig-captions > li:visible")).to_have_text("Moment 1. 1 rows at work.")
    press(shown, "play")
    expect(shown.locator('[data-do="play"]')).to_have_attribute("aria-label", "Play")


def test_a_swipe_steps_and_a_scroll_does_not(visit: Callable[..., Page]) -> None:
    page = visit(has_touch=True, viewport={"width": 375, "height": 700})
    shown = figure(page, "rungs")
    swipe = """([along, across]) => { const stage = document.querySelector("#fig-rungs .fig-stage");
      const at = (x, y) => new Touch({identifier: 1, target: stage, clientX: x, clientY: y});
      const fire = (type, touch, on) => stage.dispatchEvent(new TouchEvent(type, {bubbles: true, cancelable: true,
        touches: on ? [touch] : [], changedTouches: [touch]}));
      return [fire("touchstart", at(200, 200), true), fire("touchend", at(200 + along, 200 + across), false)] }"""
    assert page.evaluate(swipe, [-90, 10]) == [True, True]
    assert step_of(shown) == "two"
    page.evaluate(swipe, [-60, 200])
    assert step_of(shown) == "two"
    page.evaluate(swipe, [90, 0])
    assert step_of(shown) == "one"
    assert page.evaluate("getComputedStyle(document.querySelector('.fig-stage')).touchAction") == "pan-y pinch-zoom"


def test_a_step_is_announced(visit: Callable[..., Page]) -> None:
    shown = figure(visit(), "rungs")
    press(shown, "next")
    expect(shown.locator(".fig-voice")).to_have_text(
        "Two. Rung two takes 230.0 µs, which is written here at some length so that captions differ."
    )
    expect(shown.locator(".fig-voice")).to_have_attribute("aria-live", "polite")


# ---- choices -----------------------------------------------------------------------------------------------------


def test_a_choice_keeps_the_step_and_offers_only_what_was_measured(visit: Callable[..., Page]) -> None:
    page = visit()
    shown = figure(page, "halves")
    press(shown, "next")
    shown.get_by_label("Seven").check()
    assert step_of(shown) == "loads"
    expect(page).to_have_url(re.compile(r"#fig-halves/seven,cold/loads$"))
    expect(shown.get_by_label("warm")).to_be_disabled()
    expect(shown.locator(".fig-dots li")).to_have_count(2)
    shown.get_by_label("Six").check()
    expect(shown.get_by_label("warm")).to_be_enabled()


# ---- links -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hash", "name", "step"),
    [
        ("#fig-rungs/three", "rungs", "three"),
        ("#fig-halves/six,warm/math", "halves", "math"),
        ("#fig-cells/moment-7", "cells", "moment-7"),
    ],
)
def test_a_link_to_a_step_is_followed_on_load(visit: Callable[..., Page], hash: str, name: str, step: str) -> None:
    page = visit(ARTICLE + hash)
    assert step_of(figure(page, name)) == step
    expect(figure(page, name).locator(".fig-stage")).to_be_in_viewport()
    drawn(figure(page, name))


def test_back_and_forward_follow_links_in_prose(visit: Callable[..., Page]) -> None:
    page = visit()
    shown = figure(page, "rungs")
    page.locator(".step-link").first.click()
    assert step_of(shown) == "four"
    expect(page).to_have_url(re.compile(r"#fig-rungs/four$"))
    page.evaluate("location.hash = '#fig-rungs/two'")
    expect(shown.locator("[aria-current]")).to_have_text("Two")
    page.go_back()
    expect(shown.locator("[aria-current]")).to_have_text("Four")
    page.go_forward()
    expect(shown.locator("[aria-current]")).to_have_text("Two")


def test_an_unknown_step_changes_nothing(visit: Callable[..., Page]) -> None:
    page = visit(ARTICLE + "#fig-rungs/nowhere")
    assert step_of(figure(page, "rungs")) == "one"


def test_the_other_card_opens_at_the_same_step(visit: Callable[..., Page]) -> None:
    page = visit()
    press(figure(page, "rungs"), "next")
    page.get_by_role("link", name="Card B").click()
    page.wait_for_url("**/card-b.html#fig-rungs/two")
    assert step_of(figure(page, "rungs")) == "two"


# ---- prose and data ----------------------------------------------------------------------------------------------


def test_a_number_says_where_it_comes_from_and_lights_its_datum(visit: Callable[..., Page]) -> None:
    page = visit(ARTICLE + "#fig-rungs/five")
    drawn(figure(page, "rungs"))
    page.locator(".num").first.focus()
    expect(page.get_by_role("tooltip")).to_have_text("Recorded: Card A, median of 500 samples.")
    expect(page.locator("#fig-rungs .is-lit")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator(".hover-card")).to_be_hidden()
    expect(page.locator("#fig-rungs .is-lit")).to_have_count(0)


def test_a_word_says_what_it_means(visit: Callable[..., Page]) -> None:
    page = visit()
    page.locator(".term").first.hover()
    expect(page.get_by_role("tooltip")).to_have_text("32 threads that run together.")
    page.mouse.move(5, 5)
    expect(page.locator(".hover-card")).to_be_hidden()


def test_a_datum_lights_the_numbers_in_prose(visit: Callable[..., Page]) -> None:
    page = visit(ARTICLE + "#fig-rungs/five")
    drawn(figure(page, "rungs"))
    bar = page.locator("#fig-rungs .point").nth(4).bounding_box()
    assert bar is not None
    page.mouse.move(bar["x"] + bar["width"] / 2, bar["y"] + bar["height"] / 2)
    page.mouse.move(bar["x"] + bar["width"] / 2, bar["y"] + bar["height"] / 2 + 1)
    expect(page.locator(".num.is-lit").first).to_be_attached()


def test_lines_of_code_light_their_partners_by_key(visit: Callable[..., Page]) -> None:
    page = visit()
    shown = figure(page, "rungs")
    press(shown, "next")
    expect(shown.locator(".listing")).to_have_count(2)
    expect(shown.locator(".is-step")).to_have_count(1)
    lines = shown.get_by_role("listbox", name="rung.cu")
    shown.locator('[data-do="play"]').focus()
    lines.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp"):
        page.keyboard.press(key)
    assert [(line.get_attribute("id") or "").split(":")[1] for line in shown.locator(".is-partner").all()] == [
        "source-1",
        "sass-1",
        "sass-2",
    ]
    page.keyboard.press("Enter")
    expect(shown.locator(".code-note")).to_contain_text("Adds one product.")
    assert step_of(shown) == "two"
    expect(page).to_have_url(re.compile(r"#fig-rungs:source-1$"))


def test_a_link_to_an_instruction_opens_it(visit: Callable[..., Page]) -> None:
    page = visit(ARTICLE + "#fig-rungs:sass-2")
    expect(figure(page, "rungs").locator(".code-note")).to_contain_text("Multiplies and adds.")
    expect(page.locator('[id="fig-rungs:sass-2"]')).to_be_in_viewport()


# ---- taking it home ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("format", "begins"),
    [
        ("csv", 'part,value\r\n"full, with a comma",1\r\n"with ""quotes""",2'),
        ("json", '{\n  "title": "Halves"'),
        ("svg", "<svg"),
        ("png", "\x89PNG"),
    ],
)
def test_downloads(visit: Callable[..., Page], tmp_path: Path, format: str, begins: str) -> None:
    page = visit(accept_downloads=True)
    with page.expect_download() as waiting:
        figure(page, "halves").locator(f'[data-get="{format}"]').click()
    assert waiting.value.suggested_filename == f"halves-full.{format}"
    waiting.value.save_as(tmp_path / "file")
    assert (tmp_path / "file").read_bytes().startswith(begins.encode("latin-1"))


# ---- the page ----------------------------------------------------------------------------------------------------


def test_the_theme_changes_figures_too_and_is_kept(visit: Callable[..., Page]) -> None:
    page = visit(color_scheme="light")
    shown = figure(page, "rungs")
    press(shown, "next")
    drawn(shown)
    colour = "document.querySelector('#fig-rungs .fig-live').data[0].marker.color"
    light = page.evaluate(colour)
    page.get_by_role("button", name="Theme").click()
    page.get_by_role("button", name="Theme: Light").click()
    until(page, f"{colour} !== '{light}'")
    assert step_of(shown) == "two"
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    expect(page.get_by_role("button", name="Theme: Dark")).to_be_visible()


def test_search_opens_by_key_and_finds(visit: Callable[..., Page]) -> None:
    page = visit()
    page.keyboard.press("/")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.type("fastest")
    expect(page.locator(".search li")).to_have_count(1)
    page.keyboard.press("Enter")
    page.wait_for_url("**#question")
    page.keyboard.press("/")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()


@pytest.mark.fonts
@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("width", [320, 375, 640, 1024, 1280])
def test_no_page_scrolls_sideways(visit: Callable[..., Page], path: str, width: int) -> None:
    page = visit(path, viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.fonts
@pytest.mark.parametrize("width", [375, 1280])
def test_nothing_moves_when_scripts_draw(visit: Callable[..., Page], width: int) -> None:
    page = visit(viewport={"width": width, "height": 900})
    watch_shifts(page)
    for name in figures():
        figure(page, name).scroll_into_view_if_needed()
        page.evaluate(f"document.querySelector('#fig-{name}').wake()")
        drawn(figure(page, name))
    assert shifts(page) == []


def test_from_a_file_without_a_server(visit: Callable[..., Page], site: Path) -> None:
    page = visit(base=site.as_uri() + "/")
    shown = figure(page, "rungs")
    press(shown, "next")
    drawn(shown)
    page.keyboard.press("/")
    page.keyboard.type("warp")
    expect(page.locator(".search li")).to_have_count(1)


def test_without_scripts_everything_is_said(browser: Chromium, address: str) -> None:
    context = browser.fresh.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address + ARTICLE)
    for name, made in figures().items():
        captions = figure(page, name).locator(".fig-captions > li")
        assert captions.count() == sum(map(len, made.sequences.values()))
        for caption in captions.all():
            expect(caption).to_be_visible()
        figure(page, name).locator("summary").click()
        expect(figure(page, name).locator("table")).to_be_visible()
        expect(figure(page, name).locator(".fig-player")).to_be_hidden()
    for listing in page.locator(".listing:has(li)").all():
        expect(listing).to_be_visible()
    context.close()


def test_paper_has_captions_and_tables_and_no_controls(visit: Callable[..., Page]) -> None:
    page = visit()
    page.emulate_media(media="print")
    for name in figures():
        for caption in figure(page, name).locator(".fig-captions > li").all():
            expect(caption).to_be_visible()
        expect(figure(page, name).locator(".fig-player")).to_be_hidden()
        assert figure(page, name).locator("table").evaluate("table => table.getBoundingClientRect().height") > 20


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed; run: npm install")
@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize(("scheme", "rules"), [("light", ()), ("dark", ["color-contrast"])])
def test_axe_finds_nothing(visit: Callable[..., Page], path: str, scheme: str, rules: Sequence[str]) -> None:
    assert axe_faults(visit(path, color_scheme=scheme), rules=rules) == []
