"""Does every figure of every article step, fit and read well in a browser? The repository's own site, built once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.browsing import (
    AXE,
    Chromium,
    axe_faults,
    chromium_browser,
    drawn,
    open_visits,
    pages_once,
    pages_with_figures,
    shifts,
    watch_shifts,
)

pytest.importorskip("playwright")

from playwright.sync_api import Page  # noqa: E402

browser = pytest.fixture(scope="module")(chromium_browser)
TWICE = """() => { const ids = [...document.querySelectorAll("[id]")].map(found => found.id);
  return ids.filter((id, place) => ids.indexOf(id) !== place) }"""


@pytest.fixture(scope="module")
def articles(articles_site: Path) -> list[str]:
    return pages_with_figures(articles_site)


@pytest.fixture
def visit(browser: Chromium, articles_address: str):
    with open_visits(browser, articles_address, "") as visits:
        yield visits.open


def test_every_figure_steps_to_its_end_and_back(visit: Callable[..., Page], articles: list[str]) -> None:
    """In its first sequence and its last; test_fonts_browser.py walks through all, and looks where everything is."""
    for path in articles:
        page = visit(path)
        for shown in page.locator("rb-figure").all():
            keys = shown.evaluate("figure => [...figure.sequences.keys()]")
            for key in dict.fromkeys((keys[0], keys[-1])):
                count = shown.evaluate("(figure, key) => figure.sequences.get(key).length", key)
                first = shown.evaluate("(figure, key) => figure.sequences.get(key)[0].slug", key)
                shown.evaluate("(figure, [slug, key]) => figure.goTo(slug, key)", [first, key])
                for place in [*range(1, count), *range(count - 2, 0, -3), 0]:
                    shown.evaluate("(figure, place) => figure.go(place)", place)
                assert shown.evaluate("figure => figure.at") == 0
            drawn(shown)
            assert shown.locator(".fig-trouble").count() == 0


def test_every_step_says_something_of_its_own(visit: Callable[..., Page], articles: list[str]) -> None:
    for path in articles:
        told = visit(path).evaluate(
            """() => [...document.querySelectorAll("rb-figure")].flatMap(figure => [...figure.sequences].flatMap(
                 ([key, steps]) => steps.map(step => [figure.id, key, step.row.textContent])))"""
        )
        assert len({tuple(row) for row in told}) == len(told)


@pytest.mark.fonts
@pytest.mark.parametrize("width", [320, 375, 1024, 1440])
def test_no_article_scrolls_sideways(visit: Callable[..., Page], articles: list[str], width: int) -> None:
    for path in articles:
        page = visit(path, viewport={"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_no_id_stands_twice(visit: Callable[..., Page], articles: list[str]) -> None:
    for path in articles:
        assert visit(path).evaluate(TWICE) == []


@pytest.mark.fonts
def test_a_full_scroll_moves_nothing(visit: Callable[..., Page], articles: list[str]) -> None:
    page = visit(articles[0])
    watch_shifts(page)
    page.evaluate(
        """async () => { const frame = () => new Promise(requestAnimationFrame);
        for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight / 2) {
          scrollTo({top: y, behavior: "instant"}); await frame(); await frame() } }"""
    )
    assert shifts(page) == []


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed; run: npm install")
@pytest.mark.parametrize(("scheme", "rules"), [("light", ()), ("dark", ["color-contrast"])])
def test_axe_finds_nothing(visit: Callable[..., Page], articles_site: Path, scheme: str, rules: Sequence[str]) -> None:
    for path in pages_once(articles_site):
        page = visit(path, color_scheme=scheme)
        assert axe_faults(page, rules=rules) == [], path
