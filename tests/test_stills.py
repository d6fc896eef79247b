"""Is the first picture of every figure kept, and is it what Plotly draws, with either of its bundles?"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from publisher.build import Builder, Options
from publisher.figures.kit.figure import SteppedFigure
from publisher.pages.assets import SMALL_BUNDLES, TRACE_TYPES, bundle_traces, find_bundle
from publisher.pictures import stills
from publisher.pictures.share import find_share, renew_shares, share_of
from publisher.pictures.stills import draw_still, find_still, still_key, still_page
from tests.browsing import Chromium, chromium_browser
from tests.sample_site import figures

pytest.importorskip("playwright")


ROOT = stills.ROOT
browser = pytest.fixture(scope="module")(chromium_browser)


def test_every_figure_of_the_site_has_its_still_and_no_still_is_left_over(tmp_path: Path) -> None:
    built = Builder(Options(allow_stale=True)).build(tmp_path)
    shown = [drawn.figure for page in built.woven for drawn in page.figures.values()]
    wanted = {still_key(figure): figure.title for figure in shown if isinstance(figure, SteppedFigure)}
    kept = {path.name.split(".")[0] for path in stills.STILLS.glob("*.svg")}
    missing = [title for key, title in wanted.items() if key not in kept]
    assert missing == [], "draw them: python build.py --stills"
    assert kept - set(wanted) == set(), "drop them: python build.py --stills"


def test_every_article_has_its_picture_to_share_and_none_is_left_over(tmp_path: Path) -> None:
    built = Builder(Options(allow_stale=True)).build(tmp_path)
    kept = {path.name for path in stills.STILLS.glob("share.*.png")}
    assert kept == {share.name for share in built.shares}, "renew them: python build.py --stills"


def test_a_picture_to_share_is_drawn_kept_and_dropped(tmp_path: Path) -> None:
    share = share_of("Sums", "on a card", [None, figures()["rungs"]])
    assert share is not None
    assert share_of("Sums", "on a card", [None]) is None
    assert find_share(share, tmp_path) is None
    (tmp_path / "share.0000000000000000.png").write_bytes(b"old")
    assert renew_shares([share], tmp_path) == [share.name]
    picture = find_share(share, tmp_path)
    assert picture is not None and picture.startswith(b"\x89PNG")
    assert [int.from_bytes(picture[at : at + 4], "big") for at in (16, 20)] == [1200, 630]
    assert renew_shares([share], tmp_path) == []
    assert [path.name for path in tmp_path.iterdir()] == [share.name]
    assert share_of("Other sums", "on a card", [figures()["rungs"]]) != share


@pytest.mark.parametrize("name", figures())
def test_a_still_is_small_and_has_the_pages_colours(browser: Chromium, name: str) -> None:
    page = still_page(browser.fresh, 360, find_bundle())
    svg = draw_still(page, figures()[name])
    page.close()
    assert len(svg) < 15_000
    assert "var(--fig-" in svg
    assert not re.search(r"#[0-9a-f]{6}|rgba?\(", svg)
    assert set(re.findall(r'id="([^"]*)"', svg)) == set(re.findall(r"url\(#([^)]*)\)", svg))
    assert all(found.startswith("{{id}}") for found in re.findall(r'id="([^"]*)"', svg))


@pytest.fixture(scope="module")
def drawn_by_the_package(browser: Chromium) -> dict[str, str]:
    return _drawn(browser, find_bundle(()))


@pytest.mark.parametrize("small", SMALL_BUNDLES, ids=lambda path: path.name)
def test_a_small_bundle_draws_the_same(browser: Chromium, drawn_by_the_package: dict[str, str], small: Path) -> None:
    if not small.exists():
        pytest.skip(f"{small.name} is not there; run: npm ci --ignore-scripts && npm run bundle")
    assert bundle_traces(small).issuperset(TRACE_TYPES)
    assert _drawn(browser, small) == drawn_by_the_package


def test_the_pinned_packages_are_of_the_version_that_the_plotly_package_has() -> None:
    with find_bundle(()).open(encoding="utf-8") as file:
        version = re.search(r"plotly\.js v([\d.]+)", file.read(500))
    wanted = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["devDependencies"]
    pinned = {name: wanted[name] for name in wanted if name.startswith("plotly.js")}
    assert version is not None
    assert set(pinned.values()) == {version[1]}


def test_a_bundle_that_lacks_a_type_of_trace_is_passed_over(tmp_path: Path) -> None:
    poor, rich = tmp_path / "poor.js", tmp_path / "rich.js"
    poor.write_text('moduleType:"trace",name:"scatter"', encoding="utf-8")
    rich.write_text("".join(f'moduleType:"trace",name:"{kind}",' for kind in TRACE_TYPES), encoding="utf-8")
    assert find_bundle((tmp_path / "none.js", poor, rich)) == rich
    assert find_bundle(()) not in (poor, rich)
    assert bundle_traces(find_bundle(())).issuperset(TRACE_TYPES)


def _drawn(browser: Chromium, bundle: Path) -> dict[str, str]:
    page = still_page(browser.fresh, 760, bundle)
    drawn = {name: draw_still(page, figure) for name, figure in figures().items()}
    page.close()
    return drawn


def test_stills_are_found_kept_and_dropped(tmp_path: Path) -> None:
    figure = figures()["rungs"]
    assert find_still(figure, tmp_path) is None
    for size in ("wide", "narrow"):
        (tmp_path / f"{still_key(figure)}.{size}.svg").write_text(f"<svg>{size}</svg>\n", encoding="utf-8")
        (tmp_path / f"0000000000000000.{size}.svg").write_text("<svg/>\n", encoding="utf-8")
    found = find_still(figure, tmp_path)
    assert found is not None
    assert (found.wide, found.narrow) == ("<svg>wide</svg>", "<svg>narrow</svg>")
    assert stills.renew_stills([figure], tmp_path) == []
    assert [path.name.split(".")[0] for path in sorted(tmp_path.iterdir())] == [still_key(figure)] * 2
