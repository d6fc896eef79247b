"""What should the mini site say? Its text and data, without the templates. Renew: python -m tests.mini.golden"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from publisher.article.weave import at_root
from publisher.build import Builder, Options
from publisher.figures.kit.figure import SteppedFigure
from publisher.pages.site import Built
from tests.mini.cards import write_cards

HERE = Path(__file__).parent
GOLDEN = HERE / "golden"
RENEW = "python -m tests.mini.golden"
OPTIONS = Options(
    recordings=HERE / "recordings",
    content=HERE / "content",
    kernels=HERE / "kernels",
    root=HERE,
    site_url="https://example.org/mini",
)
_FIGURE = re.compile(r'<rb-figure id="([^"]+)".*?</rb-figure>', re.DOTALL)


def build(change: Callable[[Options], Options] = lambda options: options) -> Built:
    """The mini site, from what lies here."""
    with tempfile.TemporaryDirectory() as folder:
        return Builder(change(OPTIONS)).build(Path(folder))


def golden_files(built: Built) -> dict[str, str]:
    """Golden file name -> text: the sections of each card, its figures, the claims, the feed."""
    files = {}
    for page in built.woven:
        sections = [s for chapter in page.sections for s in (chapter, *chapter.subsections)]
        text = "\n".join(f"<!-- {s.id}: {s.title} -->\n{s.html}" for s in sections)
        without = _FIGURE.sub(r'<rb-figure id="\1"/>', text)
        files[f"{page.card.slug}.html"] = at_root(f"{page.lede}\n{without}", "ROOT")
        figures = {d.name: _figure(d.figure) for d in page.figures.values() if isinstance(d.figure, SteppedFigure)}
        files[f"{page.card.slug}.figures.json"] = (
            json.dumps(figures, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
        )
    claims = json.loads(built.files["claims/claims.json"])
    files["claims.json"] = json.dumps(claims, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    files["feed.xml"] = str(built.files["feed.xml"])
    return files


def _figure(figure: SteppedFigure) -> dict[str, object]:
    steps = {key: [(s.slug, s.title, s.caption, s.data) for s in steps] for key, steps in figure.sequences.items()}
    return {"title": figure.title, "data": figure.data, "steps": steps, "table": figure.table.rows}


def renew() -> list[str]:
    """Write recordings and golden files anew; the names of those that changed."""
    write_cards(HERE / "recordings")
    files = golden_files(build(lambda options: replace(options, allow_stale=False)))
    GOLDEN.mkdir(exist_ok=True)
    changed = [
        name
        for name, text in files.items()
        if not (GOLDEN / name).exists() or (GOLDEN / name).read_text(encoding="utf-8") != text
    ]
    for old in GOLDEN.iterdir():
        if old.name not in files:
            old.unlink()
    for name, text in files.items():
        (GOLDEN / name).write_text(text, encoding="utf-8")
    return changed


if __name__ == "__main__":
    print("\n".join(renew()) or "nothing changed", file=sys.stdout)
