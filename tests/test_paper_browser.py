"""Does a page fit on A4? Nothing is cut or shrunk, and no title is the last thing on a sheet."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest

from tests.browsing import Chromium, chromium_browser, open_visits, pages_once, pages_with_figures

pytest.importorskip("playwright")

from playwright.sync_api import Page  # noqa: E402

CONTENT = 672  # px; A4 without its margins: 210 mm less twice 16 mm
TEN_CM = 720 / 2.54  # points
PDFTOTEXT = shutil.which("pdftotext")
WORD = re.compile(r'<word xMin="([\d.]+)" yMin="[\d.]+" xMax="[\d.]+" yMax="([\d.]+)">(.*?)</word>')

pytestmark = pytest.mark.fonts
browser = pytest.fixture(scope="module")(chromium_browser)

WIDER = """() => [...document.querySelectorAll("body *")].filter(part => {
  const { width, right } = part.getBoundingClientRect();
  return width && getComputedStyle(part).visibility === "visible" && right > document.documentElement.clientWidth + 1 })
  .map(part => `${part.localName}.${part.className}: ${part.textContent.slice(0, 60)}`)"""
CUT = """() => [...document.querySelectorAll("main *")].filter(part => part.getClientRects().length
  && !["visible", "clip"].includes(getComputedStyle(part).overflowX) && part.scrollWidth > part.clientWidth + 1
  && !part.matches(".visually-hidden")).map(part => part.outerHTML.slice(0, 120))"""
TITLES = """() => [...document.querySelectorAll("h1, h2, h3, .fig-title, .listing-title")]
  .filter(part => part.getClientRects().length)
  .map(part => [...part.childNodes].filter(one => !one.matches?.(".anchor")).map(one => one.textContent).join(""))"""
RULER = """() => { const ruler = document.createElement("p"); ruler.style.cssText = "position: relative; height: 1em";
  const mark = (left, word) => `<i style="position: absolute; left: ${left}">${word}</i>`;
  ruler.innerHTML = mark("0", "RULERBEGIN") + mark("10cm", "RULEREND");
  document.querySelector("main").prepend(ruler) }"""


@pytest.fixture
def visit(browser: Chromium, articles_address: str):
    with open_visits(browser, articles_address, "") as visits:
        yield visits.open


def sheets(page: Page, file: Path) -> list[list[tuple[float, float, str]]]:
    """The words of each sheet of paper: left and lower edge in points, and text."""
    page.pdf(path=file, prefer_css_page_size=True)
    assert PDFTOTEXT
    text = subprocess.run([PDFTOTEXT, "-bbox", file, "-"], check=True, capture_output=True, text=True).stdout
    found = [WORD.findall(one) for one in text.split("<page ")[1:]]
    return [[(float(x), float(y), unescape(word)) for x, y, word in words] for words in found]


def test_nothing_is_wider_than_the_paper_or_cut(visit: Callable[..., Page], articles_site: Path) -> None:
    for path in pages_once(articles_site):
        page = visit(path, viewport={"width": CONTENT, "height": 900})
        page.emulate_media(media="print")
        assert page.evaluate(WIDER) == [], path
        assert page.evaluate(CUT) == [], path


@pytest.mark.skipif(PDFTOTEXT is None, reason="pdftotext is not here; install poppler-utils")
def test_paper_is_not_shrunk_and_no_title_ends_a_sheet(
    visit: Callable[..., Page], articles_site: Path, tmp_path: Path
) -> None:
    for path in [*pages_with_figures(articles_site), "claims/index.html", "glossary/index.html"]:
        page = visit(path)
        page.evaluate(RULER)
        page.emulate_media(media="print")
        titles = {"".join(title.split()) for title in page.evaluate(TITLES)}
        printed = sheets(page, tmp_path / "page.pdf")
        begin, end = (next(x for x, _, word in printed[0] if word == mark) for mark in ("RULERBEGIN", "RULEREND"))
        assert end - begin == pytest.approx(TEN_CM, abs=1), path
        for number, words in enumerate(printed[:-1], start=1):
            lowest = max(y for _, y, _ in words)
            last = "".join(word for _, y, word in words if y > lowest - 3)
            assert last not in titles, f"{path}, sheet {number}"
