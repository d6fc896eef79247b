"""Where do the cards of an article stand side by side? On a page with all times, and each figure's numbers by card."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from publisher.figures.kit.figure import DataTable, SteppedFigure
from publisher.pages.compare_figure import compared
from publisher.pages.render import Section, pictures_script, render_figure
from publisher.pictures.stills import find_still

if TYPE_CHECKING:
    from publisher.article.weave import Woven
    from publisher.pages.site import Edition

FOLDER = "compare"
NAME = "cards"
MOST_ROWS = 40  # of one figure on one card: a longer table compares nothing, it only scrolls


def sections(
    edition: Edition, pages: Sequence[Woven]
) -> tuple[tuple[Section, ...], SteppedFigure | None, tuple[str, str]]:
    """The sections of an article's compare page, its figure if there is one, and the figure's script (name, text)."""
    subject = pages[0].article.subject
    figure = compared([edition.cards[page.card.slug] for page in pages], subject)
    drawn = figure if isinstance(figure, SteppedFigure) else None
    still = find_still(drawn, edition.stills) if drawn else None
    made = [Section("times", "Times", render_figure(NAME, figure, still, inline=False))]
    names = dict.fromkeys(name for page in pages for name in page.figures)
    for name in names:
        tables = [
            (page, d.figure) for page in pages if (d := page.figures.get(name)) and isinstance(d.figure, SteppedFigure)
        ]
        if len(tables) > 1 and all(0 < len(figure.table.rows) <= MOST_ROWS for _, figure in tables):
            made.append(Section(f"table-{name}", tables[0][1].title, _side_by_side(name, tables, pages)))
    return tuple(made), drawn, pictures_script({NAME: figure})


def _side_by_side(name: str, tables: list[tuple[Woven, SteppedFigure]], pages: Sequence[Woven]) -> str:
    missing = [page.card.name for page in pages if page not in [shown for shown, _ in tables]]
    html = "".join(_table(name, page, figure) for page, figure in tables)
    without = f"<p>Not recorded on {escape(', '.join(missing))}.</p>" if missing else ""
    return f"{html}{without}\n"


def _table(name: str, page: Woven, figure: SteppedFigure) -> str:
    """One card's numbers, folded, under the card's name and a way to its own figure."""
    table: DataTable = figure.table
    head = "".join(f'<th scope="col"{_numeric(table, i)}>{escape(c)}</th>' for i, c in enumerate(table.columns))
    rows = "".join(
        f"<tr>{''.join(f'<td{_numeric(table, i)}>{escape(cell)}</td>' for i, cell in enumerate(row))}</tr>"
        for row in table.rows
    )
    card, link = escape(page.card.name), f"../{page.card.slug}/index.html#fig-{name}"
    label = escape(f"{figure.title}, {page.card.name}")
    return (
        f'<details><summary>{card}</summary><p><a href="{link}">The figure on {card}</a></p>'
        f'<div class="table-scroll" role="region" aria-label="{label}" tabindex="0"><table><caption>{label}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div></details>"
    )


def _numeric(table: DataTable, column: int) -> str:
    return ' class="is-number"' if column in table.numeric else ""
