"""Which files does a page load? Copies styles and scripts under names that hold their content's hash.

The style sheets become one text that each page carries itself: a separate file would cost the first paint a round trip.
The scripts that stepping needs are joined into one file; those that nobody needs before the page is idle into another,
with the styles of what they make.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from publisher.pages.render import SearchEntry

ROOT = Path(__file__).parents[2]
SITE = ROOT / "site"
SCRIPTS = SITE / "scripts"
NODE = ROOT / "node_modules"
SMALL_BUNDLES = (  # the best first: what `npm run bundle` makes of site/plotly.js, and what `npm ci` alone brings
    NODE / ".rungbook" / "plotly.js",
    NODE / "plotly.js-cartesian-dist-min" / "plotly-cartesian.min.js",
)
STYLES = ("tokens.css", "base.css", "layout.css", "prose.css", "figure.css", "code.css", "print.css")
LATER_STYLES = ("parts.css", "what-if.css")
TRACE_TYPES = ("bar", "scatter", "histogram", "box")  # what figures may use, and every bundle that is shipped can draw
# Used by others while they load; the order of the rest does not matter.
FIRST = ("core.js", "links.js", "figure-state.js")


@dataclass(frozen=True)
class Assets:
    """File names relative to the output's root, and the texts of style sheets: of every page, and of some."""

    css: str
    pages_css: str  # of the pages that are no article; before ``css``, which has the rules for paper
    noscript_css: str
    theme: str  # runs as soon as it arrives, so that a saved theme is there at the first paint
    scripts: tuple[str, ...]  # deferred, in this order
    later: str
    plotly: str
    search: str

    @property
    def files(self) -> tuple[str, ...]:
        """The paths of all files, from the output's root."""
        return (self.theme, *self.scripts, self.later, self.plotly, self.search)


def find_bundle(small: Sequence[Path] = SMALL_BUNDLES) -> Path:
    """The smallest bundle that npm made or installed, otherwise the plotly package's own file."""
    for bundle in small:
        # One that was made from other parts would leave a figure empty, or draw it as a scatter, without a word.
        if bundle.exists() and bundle_traces(bundle).issuperset(TRACE_TYPES):
            return bundle
    found = importlib.util.find_spec("plotly")
    if found is None or found.origin is None:
        raise ModuleNotFoundError("the plotly package is not installed; run: pip install -e .")
    return Path(found.origin).parent / "package_data" / "plotly.min.js"


def bundle_traces(bundle: Path) -> frozenset[str]:
    """The types of trace that a minified Plotly file can draw, as it registers them itself."""
    return frozenset(re.findall(r'moduleType:"trace",name:"(\w+)"', bundle.read_text(encoding="utf-8")))


def copy_assets(dist: Path, bundle: Path | None = None, search: Iterable[SearchEntry] = ()) -> Assets:
    """Write ``dist/assets/*`` and say what pages refer to. ``bundle`` is Plotly's file, otherwise ``find_bundle()``."""
    folder = dist / "assets"
    folder.mkdir(parents=True, exist_ok=True)
    return Assets(
        css=_styles(STYLES),
        pages_css=_style("pages.css"),
        noscript_css=_style("noscript.css"),
        theme=_write(folder, "theme.js", _joined([SCRIPTS / "theme.js"])),
        scripts=(_write(folder, "site.js", _joined(page_scripts())),),
        later=_write(folder, "later.js", _later_style() + _joined(later_scripts())),
        plotly=_write(folder, "plotly.js", (bundle or find_bundle()).read_bytes()),
        search=_write(folder, "search-index.js", _search_index(search).encode()),
    )


def page_scripts() -> list[Path]:
    """The scripts that a page defers, in the order in which they run."""
    return sorted((path for path in SCRIPTS.glob("*.js") if path.name != "theme.js"), key=_turn)


def later_scripts() -> list[Path]:
    """The scripts that a page fetches when it is idle; they run after the page's."""
    return sorted((SCRIPTS / "later").glob("*.js"), key=_turn)


def _later_style() -> bytes:
    """Styles in the file of the scripts whose work they dress: they are there when it is."""
    return f"window.Rungbook.style({json.dumps(_styles(LATER_STYLES))});\n".encode()


def _turn(script: Path) -> tuple[int, str]:
    return (FIRST.index(script.name) if script.name in FIRST else len(FIRST), script.name)


def _joined(scripts: Iterable[Path]) -> bytes:
    """One text without lines of comment and indentation. No script here has a text that spans lines."""
    lines = (line.strip() for path in scripts for line in path.read_text(encoding="utf-8").splitlines())
    return "".join(f"{line}\n" for line in lines if line and not line.startswith("//")).encode()


def _write(folder: Path, name: str, content: bytes) -> str:
    hashed = hashed_name(name, content)
    (folder / hashed).write_bytes(content)
    return f"{folder.name}/{hashed}"


def hashed_name(name: str, content: bytes) -> str:
    """``name`` with the content's hash before its suffix."""
    stem, suffix = name.rsplit(".", 1)
    return f"{stem}.{hashlib.sha256(content).hexdigest()[:10]}.{suffix}"


def _styles(names: Iterable[str]) -> str:
    return "".join(_style(name) for name in names)


def _style(name: str) -> str:
    """A style sheet without comments and needless spaces. No string here has ``/*`` or a mark and a space."""
    css = (SITE / "styles" / name).read_text(encoding="utf-8")
    while "/*" in css:
        start = css.index("/*")
        css = css[:start] + css[css.index("*/", start) + 2 :]
    css = "".join(f"{line.strip()}\n" for line in css.splitlines() if line.strip())
    return re.sub(r"(?<=[:;{},])[ \n]+| +(?=\{)|;(?=\s*\})", "", css)


def _search_index(entries: Iterable[SearchEntry]) -> str:
    rows = [[entry.title, entry.kind, entry.url, entry.text] for entry in entries]
    return f"window.Rungbook.searchIndex = {json.dumps(rows, ensure_ascii=False, separators=(',', ':'))};\n"
