"""What does a link to an article show where it is shared? Its first figure's last step, as a PNG kept in site/stills.

Few places that show a link draw an SVG. ``python build.py --stills`` makes these pictures beside the stills, by the
hash of all that they show; a build uses what is kept, and only where the site's address is known.
"""

from __future__ import annotations

import dataclasses
import hashlib
import html
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from publisher.figures.kit.figure import Step, SteppedFigure
from publisher.pictures import stills

if TYPE_CHECKING:
    from playwright.sync_api import Page

VERSION = 1  # raise when a picture is laid out anew: those kept are then stale
WIDTH, HEIGHT, SCALE = 800, 420, 1.5  # px of the page, and how many of the picture make one: 1200 by 630
PLOT_HEIGHT = 300
STYLE = """
body { box-sizing: border-box; width: 800px; height: 420px; margin: 0; padding: 22px 30px; overflow: hidden; }
h1 { margin: 0; font: 700 30px/1.2 var(--sans); }
body > p { margin: 2px 0 14px; font: 17px/1.3 var(--sans); color: var(--muted); }
.figure { margin: 0; border: 0; background: none; }
.figure > figure { padding: 0; }
.fig-plot { width: 740px; max-width: none; margin: 0; }
.fig-stage { height: 300px; }
.fig-head, .fig-panel, .fig-player, .fig-captions, .fig-code, .fig-foot { display: none; }
"""


@dataclass(frozen=True)
class Share:
    """What one picture shows: an article on a card, and the figure whose last step stands for it."""

    title: str
    line: str
    figure: SteppedFigure

    @property
    def name(self) -> str:
        """The file's name in site/stills, and in the output."""
        sequences = {
            key: [dataclasses.asdict(step) for step in steps[-1:]] for key, steps in _last(self.figure).items()
        }
        parts = [VERSION, self.title, self.line, self.figure.data, self.figure.layout, sequences]
        return f"share.{hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]}.png"


def share_of(title: str, line: str, figures: Iterable[object]) -> Share | None:
    """The picture of a page with these figures, if it has one that could be drawn."""
    figure = next((figure for figure in figures if isinstance(figure, SteppedFigure)), None)
    return Share(title, line, figure) if figure else None


def find_share(share: Share | None, folder: Path = stills.STILLS) -> bytes | None:
    """The picture kept, or None: then the page names none."""
    path = folder / share.name if share else None
    return path.read_bytes() if path and path.exists() else None


def renew_shares(shares: Iterable[Share], folder: Path = stills.STILLS) -> list[str]:
    """Draw what is missing and drop what no page uses; the names of the files written. Needs a Chromium."""
    wanted = {share.name: share for share in shares}
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("share.*.png"):
        if path.name not in wanted:
            path.unlink()
    missing = {name: share for name, share in wanted.items() if find_share(share, folder) is None}
    if missing:
        _draw_all(missing, folder)
    return sorted(missing)


def _draw_all(shares: dict[str, Share], folder: Path) -> None:
    from publisher.pages.assets import STYLES, find_bundle, later_scripts, page_scripts
    from publisher.pictures.chromium import chromium

    css = "".join((stills.ROOT / "site" / "styles" / name).read_text(encoding="utf-8") for name in STYLES)
    with chromium() as browser:
        page = browser.new_page(
            viewport={"width": WIDTH, "height": HEIGHT},
            device_scale_factor=SCALE,
            reduced_motion="reduce",
            color_scheme="light",
        )
        page.set_content(f"<!doctype html><html lang=en><title>share</title><style>{css}{STYLE}</style><main></main>")
        for script in [*page_scripts(), *later_scripts(), find_bundle()]:
            page.add_script_tag(path=script)
        page.evaluate("Rungbook.plotly = async () => Plotly")
        for name, share in shares.items():
            _draw(page, share, folder / name)


def _draw(page: Page, share: Share, path: Path) -> None:
    from publisher.pages.render import render_figure

    text = f"<h1>{html.escape(share.title)}</h1><p>{html.escape(share.line)}</p>"
    text += render_figure("share", _alone(share.figure), None)
    page.evaluate("html => { document.body.innerHTML = html }", text)
    page.evaluate("document.querySelector('rb-figure').redraw()")
    page.screenshot(path=path)


def _alone(figure: SteppedFigure) -> SteppedFigure:
    return dataclasses.replace(
        figure,
        sequences=_last(figure),
        choices=(),
        listings=(),
        driver="",
        height=PLOT_HEIGHT,
        narrow_height=PLOT_HEIGHT,
    )


def _last(figure: SteppedFigure) -> dict[str, tuple[Step, ...]]:
    return {"": tuple(next(iter(figure.sequences.values())))[-1:]}
