"""Does every article read as promised? In Chromium: steps drawn ahead, places, keys, zoom, no scripts, the tree."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browsing import (
    STAND_STILL,
    Chromium,
    chromium_browser,
    drawn,
    open_visits,
    pages_with_figures,
    press,
    rest,
)

pytest.importorskip("playwright")

from playwright.sync_api import Locator, Page, expect  # noqa: E402

PLACE = 72  # px; scroll-padding-top of a page
browser = pytest.fixture(scope="module")(chromium_browser)

# The picture as it is seen, and as Plotly draws the same state when asked directly. Ids of clip paths are a drawing's.
SEEN_AND_DRAWN = """async figure => {
  const { plot } = figure;
  const text = () => [...plot.live.querySelectorAll(".main-svg")].map(svg => plain(svg.innerHTML));
  const plain = html => html.replace(/[a-z]+-?[0-9a-f]{6}[a-z-]*/g, "");
  const seen = text();
  const { data, layout } = plot.whole();
  await plot.Plotly.newPlot(plot.live, data, layout, plot.live._context);
  return [seen, text()] }"""


# The picture as it is seen, when all that was asked for is drawn. Attributes come in the order in which they were set.
SEEN = """async ({ plot }) => {
  while (plot.drawing) await plot.drawing;
  const ordered = tag => tag.match(/[a-z-]+="[^"]*"/gi)?.sort().join(" ") ?? tag;
  return [...plot.live.querySelectorAll(".main-svg")].map(svg =>
    svg.innerHTML.replace(/[a-z]+-?[0-9a-f]{6}[a-z-]*/g, "").replace(/<[^>]*>/g, ordered)) }"""


@pytest.fixture(scope="module")
def article(articles_site: Path) -> str:
    """The page with the most figures."""
    pages = pages_with_figures(articles_site)
    return max(pages, key=lambda path: (articles_site / path).read_text(encoding="utf-8").count("<rb-figure"))


@pytest.fixture
def visit(browser: Chromium, articles_address: str, article: str):
    with open_visits(browser, articles_address, article) as visits:
        yield visits.open


def ready(shown: Locator) -> None:
    """The next step is drawn out of sight."""
    shown.evaluate("async figure => { while (!figure.plot.ahead) await new Promise(done => setTimeout(done, 20)) }")


def later(page: Page) -> None:
    """The scripts that a page fetches when it is idle are here."""
    page.locator("rb-listings:defined").first.wait_for(state="attached")


# ---- steps drawn ahead -------------------------------------------------------------------------------------------


@pytest.mark.fonts
def test_a_step_drawn_ahead_is_what_drawing_it_would_show(visit: Callable[..., Page]) -> None:
    page = visit()
    for shown in page.locator("rb-figure").all():
        shown.evaluate("figure => figure.wake()")
        if shown.evaluate("figure => figure.steps.length") < 2:
            continue
        ready(shown)
        before = shown.locator(".fig-live").element_handle()
        press(shown, "next")
        assert before.evaluate("plot => plot.className.includes('fig-spare')"), shown.get_attribute("id")
        seen, direct = shown.evaluate(SEEN_AND_DRAWN)
        assert seen == direct, shown.get_attribute("id")


def test_a_link_to_a_step_shows_what_stepping_there_shows(visit: Callable[..., Page]) -> None:
    page, linked = visit(), visit()
    later(page)
    for shown in page.locator("rb-figure").all()[::2]:
        shown.evaluate("figure => figure.go(figure.steps.length - 1)")
        drawn(shown)
        linked.goto("about:blank")
        linked.goto(page.url.split("#")[0] + shown.evaluate("figure => figure.link"))
        found = linked.locator(f"#{shown.get_attribute('id')}")
        drawn(found)
        assert found.evaluate(SEEN) == shown.evaluate(SEEN), shown.get_attribute("id")


def test_what_was_drawn_ahead_is_not_shown_once_it_is_out_of_date(visit: Callable[..., Page]) -> None:
    page = visit(color_scheme="light")
    shown = page.locator("rb-figure").first
    shown.evaluate("figure => figure.wake()")
    ready(shown)
    page.get_by_role("button", name="Theme").click()  # to light: the same colours
    page.get_by_role("button", name="Theme: Light").click()
    press(shown, "next")
    shown.evaluate("figure => figure.plot.drawing")
    seen, direct = shown.evaluate(SEEN_AND_DRAWN)
    assert seen == direct


def test_going_back_is_drawn_ahead_too(visit: Callable[..., Page]) -> None:
    shown = visit().locator("rb-figure").first
    shown.evaluate("figure => figure.go(3)")
    shown.evaluate("figure => figure.go(2)")
    ready(shown)
    before = shown.locator(".fig-live").element_handle()
    press(shown, "back")
    assert before.evaluate("plot => plot.className.includes('fig-spare')")
    assert shown.evaluate("figure => figure.at") == 1


# ---- before anybody asks -----------------------------------------------------------------------------------------


def test_plotly_waits_for_a_reader(visit: Callable[..., Page]) -> None:
    page = visit()
    rest(page)
    assert page.evaluate("typeof Plotly") == "undefined"
    assert page.locator(".is-live").count() == 0


def test_a_figure_that_stands_in_view_is_drawn(visit: Callable[..., Page]) -> None:
    page = visit()
    later(page)
    shown = page.locator("rb-figure").nth(1)
    shown.locator(".fig-plot").scroll_into_view_if_needed()
    drawn(shown)
    last = page.locator("rb-figure").last
    assert last.locator(".is-live").count() == 0


def test_a_page_is_laid_out_as_it_is_read(visit: Callable[..., Page]) -> None:
    """Nothing in a page may have the browser lay out every chapter at load, as a list to choose from would."""
    page = visit()
    rest(page)
    state = page.locator(".chapter").evaluate_all(
        """all => all.map(one => [one.checkVisibility(), one.firstElementChild.checkVisibility({
          contentVisibilityAuto: true })])"""
    )
    assert all(there for there, _ in state)
    assert state[0][1] and not any(laid_out for _, laid_out in state[3:])
    assert page.locator("rb-figure select").count() == 0


# ---- data by key -------------------------------------------------------------------------------------------------


def test_every_datum_is_reached_by_key(visit: Callable[..., Page]) -> None:
    page = visit()
    later(page)
    reached = 0
    for shown in page.locator("rb-figure").all():
        shown.evaluate("figure => figure.wake()")
        ids = shown.evaluate(
            "figure => figure.plot.live._fullData.flatMap(trace => [...(trace.ids ?? [])]).filter(Boolean)"
        )
        plot = shown.locator(".fig-plot")
        plot.focus()
        page.keyboard.press("ArrowDown")
        voice = shown.locator(".fig-voice")
        if not ids:
            expect(voice).to_contain_text("its table stands below")
            continue
        expect(voice).not_to_be_empty()
        said = voice.text_content()
        page.keyboard.press("ArrowUp")  # the last one
        if len(set(ids)) > 1:
            expect(voice).not_to_have_text(said or "")
        reached += plot.locator(".is-lit").count() > 0
        page.keyboard.press("Escape")
        expect(plot.locator(".is-lit")).to_have_count(0)
    assert reached > 5


def test_a_datum_that_a_key_is_on_lights_its_numbers_and_enter_keeps_it(visit: Callable[..., Page]) -> None:
    page = visit()
    later(page)
    shown = page.locator("rb-figure").first
    shown.evaluate("figure => figure.go(figure.steps.length - 1)")
    shown.locator(".fig-plot").focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".num.is-lit").first).to_be_attached()
    page.keyboard.press("Enter")
    shown.locator('[data-do="play"]').focus()
    expect(page.locator(".num.is-lit").first).to_be_attached()
    expect(shown.locator(".is-lit").first).to_be_attached()
    page.keyboard.press("Escape")
    expect(page.locator(".num.is-lit")).to_have_count(0)


def test_every_number_says_where_it_comes_from(visit: Callable[..., Page]) -> None:
    page = visit()
    later(page)
    numbers = page.locator("main .num")
    assert numbers.count() > 50
    numbers.nth(20).focus()
    expect(page.get_by_role("tooltip")).to_contain_text("Record again")
    assert page.locator("main .num:not([data-note])").count() == 0


def test_a_number_with_the_focus_lights_its_datum(visit: Callable[..., Page]) -> None:
    page = visit()
    later(page)
    shown = page.locator("rb-figure").first
    shown.evaluate("figure => figure.go(figure.steps.length - 1)")
    shown.scroll_into_view_if_needed()
    keys = shown.evaluate("figure => figure.plot.live._fullData.flatMap(trace => [...(trace.ids ?? [])])")
    page.locator(".num[data-keys]").first.wait_for(state="attached")
    for number in page.locator(".num[data-keys]").all():
        if (number.get_attribute("data-keys") or "") in keys:
            number.focus()
            expect(shown.locator(".is-lit").first).to_be_attached()
            return
    raise AssertionError("no number of this page is a datum of its first figure")


# ---- places ------------------------------------------------------------------------------------------------------


@pytest.mark.fonts
@pytest.mark.parametrize("width", [375, 1280])
def test_contents_lead_to_their_headings(visit: Callable[..., Page], width: int) -> None:
    page = visit(viewport={"width": width, "height": 900})
    places = page.evaluate(
        f"""async () => {{ const stands = {STAND_STILL}; const found = [];
        for (const link of [...document.querySelectorAll(".toc a")].filter((_, place) => place % 3 !== 1)) {{
          const head = document.getElementById(link.hash.slice(1));
          scrollTo(0, found.length % 2 ? 0 : document.documentElement.scrollHeight); await stands(head, 4);
          link.click();
          const top = await stands(head, 12);
          const end = scrollY + innerHeight > document.documentElement.scrollHeight - 2;
          if (!end) found.push([link.hash, top]) }}
        return found }}"""
    )
    assert len(places) > 20
    assert [place for place in places if abs(place[1] - PLACE) > 8] == []


@pytest.mark.fonts
@pytest.mark.parametrize(("width", "places"), [(375, (3, -1)), (1280, (9,))])
def test_a_link_to_a_step_leads_to_its_figure(
    visit: Callable[..., Page], article: str, width: int, places: tuple[int, ...]
) -> None:
    plain = visit()
    for place in places:
        link = plain.locator("rb-figure").nth(place).evaluate("figure => `#${figure.id}/${figure.steps[1].slug}`")
        page = visit(article + link, viewport={"width": width, "height": 900})
        shown = page.locator("rb-figure").nth(place)
        drawn(shown)
        top = shown.evaluate(STAND_STILL)
        assert 0 <= top <= PLACE + 8, link


@pytest.mark.fonts
def test_a_link_to_any_line_of_code_opens_it(visit: Callable[..., Page], article: str) -> None:
    page = visit()
    later(page)
    lines = page.evaluate(
        """async () => { const boxes = [...document.querySelectorAll("rb-listings")];
          for (const box of boxes) await box.prepare();
          return boxes.flatMap(box => [...box.querySelectorAll(".code-lines > li")].map(line => line.id)) }"""
    )
    assert all(lines) and len(set(lines)) == len(lines)
    wanted = next(line for line in reversed(lines) if ":sass-" in line)
    page = visit(f"{article}#{wanted}")
    line = page.locator(f'[id="{wanted}"]')
    expect(line).to_have_attribute("aria-selected", "true")
    expect(line).to_be_in_viewport()
    expect(page.locator(".code-note:not([hidden])")).to_have_count(1)


def test_a_listing_scrolls_to_the_lines_that_a_step_lights(visit: Callable[..., Page]) -> None:
    page = visit()
    later(page)
    checked = 0
    for shown in page.locator("rb-figure.has-listings").all():
        for place in range(shown.evaluate("figure => figure.steps.length")):
            shown.evaluate(
                """async (figure, place) => { await figure.go(place);
                  await figure.querySelector("rb-listings").follow();
                  await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))) }""",
                place,
            )
            for first in shown.locator(".listing:not(.is-off) .code-lines").evaluate_all(
                """lists => lists.flatMap(list => { const line = list.querySelector(".is-step"); if (!line) return [];
                  const [inner, outer] = [line.getBoundingClientRect(), list.getBoundingClientRect()];
                  return [inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1] })"""
            ):
                assert first, (shown.get_attribute("id"), place)
                checked += 1
    assert checked > 5


# ---- zoom, and what is wider than the text -----------------------------------------------------------------------


@pytest.mark.fonts
@pytest.mark.parametrize("width", [640, 1280])
def test_letters_twice_as_large_fit(visit: Callable[..., Page], width: int) -> None:
    page = visit(viewport={"width": width, "height": 800})
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for shown in page.locator("rb-figure").all():
        cut = shown.evaluate(
            """figure => { const end = figure.getBoundingClientRect().right + 1;
              return [...figure.querySelectorAll("button, .fig-title, .fig-captions > .is-current")]
                .filter(part => part.getBoundingClientRect().right > end).map(part => part.outerHTML) }"""
        )
        assert cut == [], shown.get_attribute("id")


@pytest.mark.fonts
def test_what_is_wider_than_its_chapter_is_not_cut_off(visit: Callable[..., Page]) -> None:
    page = visit(viewport={"width": 1440, "height": 900})
    wider = 0
    for shown in page.locator("rb-figure, .margin-note").all():
        hit = shown.evaluate(
            """async part => { part.scrollIntoView({ block: "start" });
              await new Promise(requestAnimationFrame);
              await new Promise(requestAnimationFrame);
              const box = part.getBoundingClientRect();
              const chapter = part.closest(".chapter").getBoundingClientRect();
              if (box.right <= chapter.right + 4) return null;
              return part.contains(document.elementFromPoint(box.right - 3, box.top + 30)) }"""
        )
        assert hit is not False, shown.get_attribute("id") or shown.inner_text()
        wider += hit is True
    assert wider > 5


# ---- without scripts, on paper, and as a tree --------------------------------------------------------------------


def test_without_scripts_an_article_has_every_caption_table_and_first_state(
    browser: Chromium, articles_address: str, article: str
) -> None:
    context = browser.fresh.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(articles_address + article)
    for shown in page.locator("rb-figure").all():
        expect(shown.locator(".fig-still:visible, .fig-empty:visible")).to_have_count(1)
        captions = shown.locator(".fig-captions > li")
        assert captions.count() == shown.locator(".fig-captions > li:visible").count() > 0
        shown.locator(".fig-fold > summary").click()
        expect(shown.locator(".fig-fold table")).to_be_visible()
        assert shown.locator("button:visible").count() == shown.locator(".fig-command button:visible").count()
    context.close()


def test_paper_has_every_chapter(visit: Callable[..., Page]) -> None:
    page = visit()
    page.emulate_media(media="print")
    estimated = page.locator(".chapter").evaluate_all(
        "all => all.filter(one => getComputedStyle(one).contentVisibility !== 'visible').length"
    )
    assert estimated == 0
    assert page.locator("rb-figure .fig-captions > li:visible").count() == page.locator(".fig-captions > li").count()


def test_a_figure_reads_as_a_figure(visit: Callable[..., Page]) -> None:
    page = visit()
    for shown in page.locator("rb-figure").all():
        title = shown.locator(".fig-title").text_content() or ""
        tree = shown.get_by_role("figure", name=title).aria_snapshot()
        step = shown.locator(".fig-captions > .is-current b").text_content() or ""
        for part in (
            'img "',
            f'group "Steps: {title}"',
            'button "First step" [disabled]',
            'button "Back" [disabled]',
            'button "Play"',
            'button "Next"',
            'button "Last step"',
            'button "Speed: 1×"',
            step,
            'button "Link to this step"',
        ):
            assert part in tree or part.replace('"', '\\"') in tree, (title, part, tree)
        assert tree.count("listitem") >= shown.evaluate("figure => figure.steps.length")


def test_a_page_has_one_outline(visit: Callable[..., Page]) -> None:
    page = visit()
    levels = page.locator("h1, h2, h3, h4").evaluate_all("all => all.map(head => Number(head.localName[1]))")
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after - before <= 1 for before, after in zip(levels, levels[1:], strict=False))
    for role in ("banner", "main", "contentinfo"):
        expect(page.get_by_role(role)).to_have_count(1)
    expect(page.get_by_role("navigation", name="Contents")).to_have_count(1)
