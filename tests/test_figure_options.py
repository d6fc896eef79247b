"""Does every option of every figure say what it may name, and is a name that no card has a fault?"""

from __future__ import annotations

import inspect
from dataclasses import replace
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from publisher.article.drawing import FIGURES, FigureError, Figures
from publisher.figures.kit.figure import Evidence, Missing
from publisher.figures.kit.options import Names
from schema.recording import load_cards
from tests.conftest import ROOT


def modules() -> list[str]:
    return [path.stem.replace("_", "-") for path in sorted(FIGURES.glob("[a-z]*.py"))]


def options(name: str) -> dict[str, Any]:
    draw = Figures()._find(name, FIGURES)
    hints = get_type_hints(draw, include_extras=True)
    return {option: hints[option] for option in list(inspect.signature(draw).parameters)[1:]}


OPTIONS = [(name, option) for name in modules() for option in options(name)]


@pytest.fixture(scope="module")
def evidence(mixed_cards: Path) -> Evidence:
    """The half recorded card, beside whole ones."""
    cards = load_cards(mixed_cards)
    sources = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "kernels/linear").glob("*.cu")}
    return Evidence(cards, cards["fixture-half"], "linear", sources, {}, {"a_set": object()})


@pytest.mark.parametrize(("name", "option"), OPTIONS)
def test_a_value_that_no_card_knows_is_refused(evidence: Evidence, name: str, option: str) -> None:
    names = [extra for extra in options(name)[option].__metadata__ if isinstance(extra, Names)]
    assert names, f"{name}: {option} does not say what it may name; see publisher/figures/kit/options.py"
    known = list(names[0].known(evidence))
    assert known
    with pytest.raises(FigureError, match=f":{option}: nosuch names nothing; there are "):
        Figures().draw(name, {option: "nosuch"}, evidence, FIGURES)
    with pytest.raises(FigureError, match=f"did you mean {known[0]}"):
        Figures().draw(name, {option: f"{known[0]}x"}, evidence, FIGURES)


def test_a_value_that_only_this_card_lacks_is_a_gap(evidence: Evidence) -> None:
    axis = next(iter(options("sweep")["down"].__metadata__[0].known(evidence)))
    assert isinstance(Figures().draw("sweep", {"down": axis}, evidence, FIGURES), Missing)


def test_where_no_card_has_names_none_is_refused(evidence: Evidence) -> None:
    nothing = replace(evidence, cards={})
    assert isinstance(Figures().draw("fragment", {"shape": "nosuch"}, nothing, FIGURES), Missing)


def test_a_default_that_names_nothing_here_has_to_be_given(evidence: Evidence, tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(
        "from publisher.figures.kit.options import RungName\n\n\n"
        "def draw(evidence, rung: RungName = 'async_copy'):\n    raise AssertionError(rung)\n"
    )
    other = replace(evidence, sources={"01_plain.cu": ""})
    with pytest.raises(FigureError, match="it needs the option :rung: value; there are plain"):
        Figures().draw("one", {}, other, tmp_path)


@pytest.mark.parametrize("value", ["cold", "wram"])
def test_an_option_may_be_one_of_a_few_words(evidence: Evidence, tmp_path: Path, value: str) -> None:
    (tmp_path / "few.py").write_text(
        "from typing import Literal\nfrom publisher.figures.kit.figure import Missing\n\n\n"
        "def draw(evidence, condition: Literal['cold', 'warm'] = 'cold'):\n    raise Missing(condition, 'x')\n"
    )
    if value == "cold":
        assert isinstance(Figures().draw("few", {"condition": value}, evidence, tmp_path), Missing)
    else:
        with pytest.raises(FigureError, match="did you mean warm?"):
            Figures().draw("few", {"condition": value}, evidence, tmp_path)
