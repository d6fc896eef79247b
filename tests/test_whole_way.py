"""Does a ladder that no code knows go the whole way: recorded on the fake device, built, and stepped in a browser?"""

from __future__ import annotations

from pathlib import Path

import pytest

from publisher.output import write_files
from tests.browsing import Chromium, chromium_browser, drawn, open_visits, served
from tests.mini.copies import MiniSite
from tests.runs import CARD, record

pytest.importorskip("playwright")


browser = pytest.fixture(scope="module")(chromium_browser)


def test_the_mini_article_is_recorded_built_and_stepped(tmp_path: Path, browser: Chromium) -> None:
    site = MiniSite(tmp_path / "mini")
    outcomes = record(site.root / "recordings", "sums/code,sums/times", kernels=site.root / "kernels")
    assert {key: outcome.faults for key, outcome in outcomes.items()} == {"sums/code": [], "sums/times": []}

    built = site.build()
    assert built.cards == (CARD, "mini-alpha", "mini-beta")
    dist = site.root / "staging"
    write_files(dist, built.files)
    with served(dist) as address, open_visits(browser, address, "") as visits:
        page = visits.open(f"sums/{CARD}/index.html")
        figures = page.locator("rb-figure").all()
        assert figures
        for shown in figures:
            count = shown.evaluate("figure => [...figure.sequences.values()][0].length")
            for place in [*range(1, count), *reversed(range(count - 1))]:
                shown.evaluate("(figure, place) => figure.go(place)", place)
            assert shown.evaluate("figure => figure.at") == 0
            drawn(shown)
        assert page.locator("data.num").count() > 0
