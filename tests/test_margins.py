"""Have a figure's margins room for the labels of all its steps? What a browser then draws: test_fonts_browser.py."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from publisher.figures.kit.figure import Step, SteppedFigure
from publisher.figures.kit.margins import KEY_ROW, text_width, with_room
from publisher.figures.kit.style import axis, base_layout, hidden_axis
from publisher.pages.figure_view import breakable
from tests.sample_site import figures

GIVEN = {"l": 8, "r": 12, "t": 12, "b": 8}


def figure(step: dict[str, Any] | None = None, data: dict[str, Any] | None = None, **layout: Any) -> SteppedFigure:
    """Two steps; ``step`` is what the second one changes of the layout."""
    hidden = {"xaxis": hidden_axis(), "yaxis": hidden_axis()}
    return replace(
        figures()["halves"],
        data=(data or {"type": "scatter", "x": [1, 2], "y": [1, 2]},),
        layout=base_layout(**hidden | layout),
        sequences={"": (Step("one", "One", "One."), Step("two", "Two", "Two.", layout=step or {}))},
        choices=(),
    )


def margins(made: SteppedFigure, size: str = "wide") -> dict[str, int]:
    found = with_room(made)
    margin = (found.narrow if size == "narrow" else found.layout)["margin"]
    return {side: margin[side] for side in GIVEN}


def rows(*texts: str) -> dict[str, Any]:
    return {"tickvals": list(range(len(texts))), "ticktext": list(texts)}


def test_what_has_no_labels_keeps_its_margins() -> None:
    assert margins(figure()) == GIVEN
    assert margins(figure(xaxis=axis(showticklabels=False))) == GIVEN
    assert margins(figure(yaxis=axis(automargin=False, **rows("a long name")))) == GIVEN


def test_the_longest_label_of_any_step_has_room_at_every_step() -> None:
    layout = {"range": [0, 1], **rows("a", "b")}
    alone = margins(figure(yaxis=axis(**layout)))
    wide = margins(figure(yaxis=axis(**layout), step={"yaxis": rows("a", "the longest name")}))
    assert wide["l"] - alone["l"] == pytest.approx(text_width("the longest name", 12) - text_width("a", 12), abs=1)


def test_a_margin_that_is_wide_enough_stays() -> None:
    made = figure(yaxis=axis(range=[0, 1], **rows("a", "b")), margin={"l": 90})
    assert margins(made)["l"] == 90


def test_numbers_are_as_long_as_their_last_digit() -> None:
    found = {top: margins(figure(yaxis=axis(range=[0, top], nticks=6)))["l"] for top in (8, 80, 8000, 0.08)}
    assert found[8] < found[80] < found[8000]
    assert found[8] < found[0.08]


def test_a_range_that_plotly_finds_is_that_of_the_data() -> None:
    bars = {"type": "bar", "x": [1, 2], "y": [300, 40], "base": [700, 0]}
    found = margins(figure(yaxis=axis(), data=bars))["l"]
    assert found == margins(figure(yaxis=axis(range=[0, 1000])))["l"]


@pytest.mark.parametrize(("side", "more"), [("l", {}), ("r", {"side": "right"})])
def test_labels_stand_on_their_axis_side(side: str, more: dict[str, Any]) -> None:
    found = margins(figure(yaxis=axis(range=[0, 1], **rows("name", "name"), **more)))
    assert {one for one in "lr" if found[one] > GIVEN[one]} == {side}


def test_a_title_and_turned_labels_add_their_depth() -> None:
    plain = margins(figure(xaxis=axis(range=[0, 1], **rows("name", "name"))))["b"]
    titled = margins(figure(xaxis=axis("what", range=[0, 1], **rows("name", "name"))))["b"]
    turned = margins(figure(xaxis=axis(range=[0, 1], tickangle=-90, **rows("a long name", "name"))))["b"]
    assert titled - plain == pytest.approx(12 * 0.7 + 8, abs=1)
    assert turned - plain == pytest.approx(text_width("a long name", 12) - 12 * 1.2, abs=1)


def test_a_label_at_the_end_of_an_axis_has_room_for_its_half() -> None:
    middle = margins(figure(xaxis=axis(range=[-10, 10], **rows("a very long name"))))
    end = margins(figure(xaxis=axis(range=[-10, 0], **rows("a very long name"))))
    assert middle["r"] == GIVEN["r"]
    assert end["r"] == pytest.approx(text_width("a very long name", 12) / 2 + 8, abs=5)


def test_names_of_a_legend_have_columns_and_rows_of_their_own() -> None:
    key = {"orientation": "h", "y": 1, "yanchor": "bottom", "font": {"size": 12}}
    names = ["first", "second", "third", "the fourth and longest name of all"]
    data = tuple({"type": "scatter", "x": [1], "y": [1], "name": name} for name in names)
    made = replace(figure(showlegend=True, legend=key), data=data)
    assert with_room(made).layout["legend"]["entrywidth"] == pytest.approx(text_width(names[-1], 12), abs=1)
    assert margins(made, "narrow")["t"] - margins(made)["t"] == 2 * KEY_ROW


@pytest.mark.parametrize(
    "more",
    [
        {"title": "a title as text"},
        {"title": None, "tickangle": "auto"},
        {"type": "log"},
        {"type": "log", "tickvals": [0, 10, 1000]},
        {"tickvals": [1, 2, 3], "ticktext": ["one"]},
        {"tickvals": [], "range": [1, 1]},
        {"dtick": 0.5, "nticks": 0},
    ],
)
def test_whatever_plotly_draws_has_margins(more: dict[str, Any]) -> None:
    for y in ([1e6, 1e-3], [0, -5], [None, 7], [float("nan"), float("inf")], [], ["2024-01-01", "2024-01-02"]):
        data = {"type": "scatter", "x": list(range(len(y))), "y": y}
        found = margins(figure(yaxis=axis(**more), data=data))
        assert all(GIVEN[side] <= found[side] < 150 for side in GIVEN), (y, found)


def test_letters_are_measured_as_plotly_reads_them() -> None:
    assert text_width("a<br>bbb", 10) == text_width("bbb", 10)
    assert text_width("<b>name</b>", 10) == pytest.approx(1.2 * text_width("name", 10))
    assert text_width("a &lt; b", 10) == text_width("a < b", 10)


def test_a_long_word_may_break_and_says_the_same() -> None:
    word = "sm__pipe_tensor_cycles_active.avg<b>" + "x" * 40
    found = str(breakable(f"short {word}"))
    assert found.startswith("short sm__<wbr>")
    assert max(map(len, found.replace("&lt;", "<").replace("&gt;", ">").split("<wbr>"))) <= 24
    assert found.replace("<wbr>", "") == f"short {word}".replace("<b>", "&lt;b&gt;")
    assert breakable("a word & no more") == "a word &amp; no more"
