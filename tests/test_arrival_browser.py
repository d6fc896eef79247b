"""Does a page end with what its address names in view, also on a slow machine, and is an odd address harmless?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browsing import STAND_STILL, Chromium, chromium_browser, open_visits, pages_once, pages_with_figures

pytest.importorskip("playwright")

from playwright.sync_api import Page  # noqa: E402

SLOWDOWN, LATENCY_MS = 4, 300
ODD = ("#%", "#%E0%A4%A", "#fig-ladder/%", '#"', "#fig-<script>", "#fig-ladder:%", "#?", "#//")

browser = pytest.fixture(scope="module")(chromium_browser)

# What stands above the goal grows a little after each of the first scrolls, and the browser does not make up for it.
LATE_ABOVE = """(() => {
  let times = 0;
  addEventListener("scroll", () => {
    if (times++ > 3) return;
    document.documentElement.style.overflowAnchor = "none";
    let frames = 0;
    const grow = () => {
      if (++frames < 6) return requestAnimationFrame(grow);
      const block = document.createElement("div");
      block.style.height = "1500px";
      document.querySelector("main").prepend(block) };
    grow() }) })()"""

# By kind, an address late in the article and the element that must be in view.
LATE = """async () => {
  const last = all => [...all].at(-1);
  const figure = last(document.querySelectorAll("rb-figure"));
  const boxes = [...document.querySelectorAll("rb-listings")];
  for (const box of boxes) await box.prepare();
  const line = last(last(boxes).querySelectorAll(".listing:not(.is-off) .code-lines > li")).id;
  const part = last(document.querySelectorAll(".toc ol ol a")).hash.slice(1);
  const step = last(figure.steps).slug;
  return { step: [`#${figure.id}/${step}`, `#${figure.id} .fig-title`], line: [`#${line}`, `[id="${line}"]`],
    section: [`#${part}`, `[id="${part}"]`] } }"""


@pytest.fixture(scope="module")
def article(articles_site: Path) -> str:
    """The page with the most figures."""
    pages = pages_with_figures(articles_site)
    return max(pages, key=lambda path: (articles_site / path).read_text(encoding="utf-8").count("<rb-figure"))


@pytest.fixture
def visit(browser: Chromium, articles_address: str, article: str):
    with open_visits(browser, articles_address, article) as visits:
        yield visits.open


def slow(page: Page) -> Page:
    """The same page on a slow machine, far from the server."""
    page.set_default_timeout(150_000)
    devtools = page.context.new_cdp_session(page)
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
    devtools.send("Network.enable")
    devtools.send("Network.setCacheDisabled", {"cacheDisabled": True})
    line = {"offline": False, "latency": LATENCY_MS, "downloadThroughput": -1, "uploadThroughput": -1}
    devtools.send("Network.emulateNetworkConditions", line)
    return page


def in_view(page: Page, selector: str) -> bool:
    """Whether an element is where the window is, once all scripts are here and it stands still."""
    page.wait_for_load_state()
    page.evaluate("Rungbook.later()")
    found = page.locator(selector)
    found.evaluate("part => part.closest('rb-figure')?.ready()")
    top = found.evaluate(STAND_STILL)
    return top >= 0 and found.evaluate("part => part.getBoundingClientRect().bottom <= innerHeight")


@pytest.fixture(scope="module")
def late(browser: Chromium, articles_address: str, article: str) -> dict[str, tuple[str, str]]:
    page = browser.fresh.new_page()
    page.goto(articles_address + article)
    page.evaluate("Rungbook.later()")
    found = page.evaluate(LATE)
    page.close()
    return found


@pytest.mark.parametrize("kind", ["step", "line", "section"])
def test_a_slow_machine_arrives_too(
    visit: Callable[..., Page], article: str, late: dict[str, tuple[str, str]], kind: str
) -> None:
    link, selector = late[kind]
    page = slow(visit("claims/index.html"))
    page.goto(page.url.replace("claims/index.html", article) + link)
    assert in_view(page, selector), link


@pytest.mark.fonts
@pytest.mark.parametrize("kind", ["step", "line", "section"])
def test_what_comes_late_above_a_goal_leaves_it_in_view(
    visit: Callable[..., Page], article: str, late: dict[str, tuple[str, str]], kind: str
) -> None:
    link, selector = late[kind]
    page = visit("claims/index.html")
    page.add_init_script(LATE_ABOVE)
    page.goto(page.url.replace("claims/index.html", article) + link)
    assert in_view(page, selector), link
    assert page.evaluate("scrollY") > 3000


def test_a_word_of_the_glossary_is_in_view(visit: Callable[..., Page]) -> None:
    name = visit("glossary/index.html").locator("dt[id]").last.get_attribute("id")
    page = slow(visit("claims/index.html"))
    page.goto(page.url.replace("claims/index.html", f"glossary/index.html#{name}"))
    assert in_view(page, f'[id="{name}"]')


@pytest.mark.fonts
def test_what_search_finds_is_in_view(visit: Callable[..., Page], late: dict[str, tuple[str, str]]) -> None:
    link, selector = late["section"]
    page = visit()
    title = page.locator(selector).evaluate("head => head.firstChild.textContent")
    page.keyboard.press("/")
    page.get_by_role("dialog").wait_for()
    page.keyboard.insert_text(title)
    page.locator(f'.search a[href$="{link}"]').first.click()
    page.wait_for_url(f"**{link}")
    assert in_view(page, selector)


def test_a_reader_who_moves_stays_where_they_are(
    visit: Callable[..., Page], article: str, late: dict[str, tuple[str, str]]
) -> None:
    link, selector = late["line"]
    page = slow(visit("claims/index.html"))
    page.goto(page.url.replace("claims/index.html", article) + link, wait_until="domcontentloaded")
    page.mouse.wheel(0, 300)
    assert not in_view(page, selector)


def test_an_odd_address_names_nothing(visit: Callable[..., Page], articles_site: Path) -> None:
    for path in pages_once(articles_site):
        page = visit(path + ODD[0])
        for odd in ODD[1:]:
            page.evaluate("Rungbook.later()")
            page.evaluate("odd => { location.hash = odd }", odd)
        page.reload()
        page.evaluate("Rungbook.later()")
        assert page.evaluate("scrollY") == 0
