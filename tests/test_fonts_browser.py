"""Does a figure stand still whatever fonts a reader has? In all steps and back, by link, and over its first picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.browsing import Chromium, browser_with_fonts, drawn, open_visits, pages_with_figures

pytest.importorskip("playwright")

from playwright.sync_api import Locator, Page  # noqa: E402

WIDEST = "serif"
WIDE = 1280
PHONE = 413  # px of a page whose plots are 360 px wide, as in the first pictures for narrow pages
CASES = ((WIDEST, WIDE), ("dejavu", WIDE), (WIDEST, PHONE), ("liberation", PHONE))  # each width with two sets

# Where the plots and shapes of a figure are, and on which sides Plotly took room beyond the margins.
LOOK = """async figure => {
  const { plot } = figure;
  while (plot.drawing) await plot.drawing;
  const places = [...plot.live.querySelectorAll(".main-svg")].flatMap(svg => {
    const { left, top } = svg.getBoundingClientRect();
    return [...svg.querySelectorAll(".cartesianlayer path, .cartesianlayer rect, .shapelayer path, .legend path")]
      .map(part => part.getBoundingClientRect()).filter(({ width, height }) => width + height)
      .map(box => [box.left - left, box.top - top, box.width, box.height].map(Math.round).join(" ")) });
  const { _size: size, margin } = plot.live._fullLayout;
  const more = ["l", "r", "t", "b"].filter(side => size[side] > margin[side] + 0.01);
  return { step: `${figure.key}/${figure.step.slug}`, places: places.join(), more } }"""
# Every step of every sequence, or only its ends and its middle, and back from the last by way of the middle.
WALK = f"""async (figure, all) => {{
  const look = {LOOK};
  await figure.wake();
  const found = [];
  for (const [key, steps] of figure.sequences) {{
    const seen = [];
    const at = async place => {{ await figure.goTo(steps[place].slug, key); return look(figure) }};
    const [middle, last] = [Math.floor(steps.length / 2), steps.length - 1];
    for (const place of steps.keys()) if (all || [0, middle, last].includes(place)) seen.push(await at(place));
    found.push({{ seen, back: last ? [await at(middle), await at(0)] : [] }});
  }}
  return found }}"""

# How far the words of the first picture stand from the same words as drawn, px, by the middle of each.
APART = """figure => {
  const words = root => { const found = new Map();
    for (const text of root.querySelectorAll("text")) {
      const box = text.getBoundingClientRect(); const word = text.textContent.trim();
      const middle = [box.left + box.width / 2, box.top + box.height / 2];
      if (word && box.width) found.set(word, found.has(word) ? null : middle) }
    return found };
  const still = [...figure.querySelectorAll(".fig-still")].find(one => getComputedStyle(one).display !== "none");
  const [before, after] = [words(still), words(figure.querySelector(".fig-live"))];
  return [...before].filter(([word, at]) => at && after.get(word)).map(([word, [x, y]]) =>
    [word, Math.max(Math.abs(x - after.get(word)[0]), Math.abs(y - after.get(word)[1]))]) }"""


@pytest.fixture(scope="module", params=CASES, ids=lambda case: "-".join(map(str, case)))
def case(request: pytest.FixtureRequest) -> tuple[str, int]:
    """A set of fonts and a width."""
    return request.param


@pytest.fixture(scope="module")
def fonts(case: tuple[str, int]) -> str:
    return case[0]


@pytest.fixture(scope="module")
def width(case: tuple[str, int]) -> int:
    return case[1]


@pytest.fixture(scope="module")
def browser(fonts: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    yield from browser_with_fonts(fonts, tmp_path_factory)


@pytest.fixture(scope="module")
def article(articles_site: Path) -> str:
    """The page with the most figures."""
    pages = pages_with_figures(articles_site)
    return max(pages, key=lambda path: (articles_site / path).read_text(encoding="utf-8").count("<rb-figure"))


@pytest.fixture
def visit(browser: Chromium, articles_address: str, article: str):
    with open_visits(browser, articles_address, article) as visits:
        yield visits.open


@pytest.fixture(scope="module")
def walked() -> dict[tuple[int, str, str], str]:
    """By width, figure and step: where all stood with the fonts before."""
    return {}


def at(page: Page) -> list[Locator]:
    page.evaluate("Rungbook.later()")
    return page.locator("rb-figure").all()


def test_no_step_moves_a_plot(
    visit: Callable[..., Page], fonts: str, walked: dict[tuple[int, str, str], str], width: int
) -> None:
    for shown in at(visit(viewport={"width": width, "height": 900})):
        name = shown.get_attribute("id") or ""
        for sequence in shown.evaluate(WALK, (fonts, width) == (WIDEST, WIDE)):
            assert [one["step"] for one in sequence["seen"] if one["more"]] == [], f"{name}: labels lack room"
            assert shown.locator(".fig-trouble").count() == 0, name
            for again in sequence["back"]:
                assert again in sequence["seen"], f"{name}: another picture on the way back, {again['step']}"
            for one in sequence["seen"]:
                before = walked.setdefault((width, name, one["step"]), one["places"])
                assert one["places"] == before, f"{name}, {one['step']}: it stands elsewhere in other fonts"


def test_a_first_picture_is_where_plotly_draws(visit: Callable[..., Page], width: int) -> None:
    compared = 0
    for shown in at(visit(viewport={"width": width, "height": 900})):
        shown.scroll_into_view_if_needed()
        if not shown.locator(".fig-still").count():
            continue
        shown.evaluate("figure => figure.wake()")
        drawn(shown)
        apart = shown.evaluate(APART)
        assert [one for one in apart if one[1] > 4] == [], shown.get_attribute("id")
        compared += len(apart)
    assert compared > 50
