"""What does a figure look like before any script runs? Its first state as SVG, kept in site/stills by the spec's hash.

``python build.py --stills`` renews them: Chromium draws each figure with the very scripts that a page runs, once for a
wide and once for a narrow page, and ``still_capture.js`` keeps what matters. A build without a browser uses what is
kept.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from publisher.figures.kit.figure import SteppedFigure

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parents[2]
STILLS = ROOT / "site" / "stills"
CAPTURE = Path(__file__).with_name("still_capture.js")
WIDTHS = {"wide": 760, "narrow": 360}  # px; of the plot on a desktop and on a phone
VERSION = 8  # raise when capture changes what it keeps: every still is then stale
TOKENS = ["ink", "muted", "grid", "surface", "paper", "accent", "cold", "warm", "load", "math", "store", "barrier"]
TOKENS += [f"s{place}" for place in range(1, 9)] + [f"q{place}" for place in range(9)]


@dataclass(frozen=True)
class Still:
    """Two SVG texts, for a wide and for a narrow page. Ids in them begin with ``{{id}}``, made unique by the page."""

    wide: str
    narrow: str


def still_key(figure: SteppedFigure) -> str:
    """A hash of all that the first state is drawn from."""
    step = next(iter(figure.sequences.values()))[0]
    parts: dict[str, Any] = {
        "version": VERSION,
        "widths": WIDTHS,
        "step": {"data": step.data, "traces": step.traces, "layout": step.layout},
        **{
            name: getattr(figure, name)
            for name in ("data", "layout", "narrow", "height", "narrow_height", "driver", "driver_data")
        },
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def find_still(figure: SteppedFigure, folder: Path = STILLS) -> Still | None:
    """The still kept for this figure's first state, or None: then the page reserves the place and says so."""
    paths = _paths(still_key(figure), folder)
    if not all(path.exists() for path in paths.values()):
        return None
    return Still(**{size: path.read_text(encoding="utf-8").strip() for size, path in paths.items()})


def renew_stills(figures: Iterable[SteppedFigure], folder: Path = STILLS) -> list[str]:
    """Draw what is missing and drop what no figure uses; the names of the files written.

    Needs Playwright and a Chromium; ``CHROMIUM`` may name its file. Raises ValueError for a colour that is no token.
    """
    wanted = {still_key(figure): figure for figure in figures}
    folder.mkdir(parents=True, exist_ok=True)
    keep = {path.name for key in wanted for path in _paths(key, folder).values()}
    for path in folder.glob("*.svg"):
        if path.name not in keep:
            path.unlink()
    missing = {key: figure for key, figure in wanted.items() if find_still(figure, folder) is None}
    if not missing:
        return []
    return sorted(_draw_all(missing, folder))


def _paths(key: str, folder: Path) -> dict[str, Path]:
    return {size: folder / f"{key}.{size}.svg" for size in WIDTHS}


def _draw_all(figures: dict[str, SteppedFigure], folder: Path) -> list[str]:
    from publisher.pages.assets import find_bundle
    from publisher.pictures.chromium import chromium

    written = []
    with chromium() as browser:
        for size, width in WIDTHS.items():
            page = still_page(browser, width, find_bundle())
            for key, figure in figures.items():
                path = _paths(key, folder)[size]
                path.write_text(draw_still(page, figure) + "\n", encoding="utf-8")
                written.append(path.name)
            page.close()
    return written


def still_page(browser: Browser, width: int, bundle: Path) -> Page:
    """A page with the site's scripts and styles, where every token has a colour that stands for it alone.

    ``width`` is the plot's, px; ``bundle`` is Plotly's file.
    """
    from publisher.pages.assets import later_scripts, page_scripts

    page = browser.new_page(viewport={"width": width + 40, "height": 900}, reduced_motion="reduce")
    colours = "".join(f"--fig-{token}:rgb(201,7,{place});" for place, token in enumerate(TOKENS))
    css = "".join((ROOT / "site" / "styles" / name).read_text(encoding="utf-8") for name in ("base.css", "figure.css"))
    css += f':root{{{colours}--fig-sans:Arial,"Liberation Sans",sans-serif}}'
    css += f".fig-plot{{width:{width}px;max-width:none;margin:0}}"
    page.set_content(f"<!doctype html><html lang=en><title>still</title><style>{css}</style><main></main>")
    for script in [*page_scripts(), *later_scripts(), bundle]:
        page.add_script_tag(path=script)
    page.evaluate("Rungbook.plotly = async () => Plotly")
    return page


def draw_still(page: Page, figure: SteppedFigure) -> str:
    """One still: the figure drawn as a page draws it, its colours named again. Raises ValueError."""
    from publisher.pages.render import render_figure

    html = render_figure("still", _first_only(figure), None)
    page.evaluate("html => { document.querySelector('main').innerHTML = html }", html)
    page.evaluate("document.querySelector('rb-figure').redraw()")
    trouble = page.query_selector(".fig-trouble")
    if trouble:
        raise ValueError(f"the figure “{figure.title}” cannot be drawn: {trouble.inner_text()}")
    capture = CAPTURE.read_text(encoding="utf-8").strip().rstrip(";")
    kept = page.evaluate(f"(tokens) => ({capture})(document.querySelector('rb-figure'), tokens)", TOKENS)
    if kept["stray"]:
        raise ValueError(
            f"the figure “{figure.title}” has colours that are no token: {', '.join(kept['stray'])}; use @ink, @s1, …"
        )
    return re.sub(r"\s+(?=<)", " ", kept["svg"])


def _first_only(figure: SteppedFigure) -> SteppedFigure:
    key, steps = next(iter(figure.sequences.items()))
    if figure.driver:
        return figure
    return dataclasses.replace(figure, sequences={key: steps[:1]}, listings=(), choices=())
