"""What does every figure owe the page? Valid states, colours by name, unique names, links that lead, a table."""

from __future__ import annotations

import json
import re
from typing import Any

import plotly.graph_objects as go

from publisher.article.drawing import check
from publisher.figures.kit.figure import SteppedFigure
from publisher.figures.kit.style import TOKENS
from tests.figure_states import coloured, state

TRACE_TYPES = {"bar", "scatter", "histogram", "box"}
MAX_SPEC_BYTES = 120_000


def assert_sound(name: str, figure: SteppedFigure) -> None:
    """All of it; ``name`` is the figure's module."""
    check(name, figure)
    _small_and_without_literal_colours(figure)
    for key, steps in figure.sequences.items():
        assert steps
        assert len({step.slug for step in steps}) == len(steps)
        for step in steps:
            assert re.fullmatch(r"[a-z0-9_]+", step.slug)
            assert step.title
            assert step.caption.endswith(".")
            assert "nan" not in step.caption
            _valid_states(figure, key, step.slug)
    _choices_lead_to_sequences(figure)
    _lines_are_linked(figure)
    assert figure.alt
    assert figure.table.rows
    assert all(len(row) == len(figure.table.columns) for row in figure.table.rows)
    assert figure.provenance
    assert figure.rerecord.startswith("python -m recorder")


def _small_and_without_literal_colours(figure: SteppedFigure) -> None:
    steps = [[step.data, step.layout] for sequence in figure.sequences.values() for step in sequence]
    whole = [figure.data, figure.layout, figure.narrow, steps, figure.driver_data]
    spec = json.dumps(whole, allow_nan=False, separators=(",", ":"))
    assert len(spec) < MAX_SPEC_BYTES
    assert set(re.findall(r"@([a-z]+\d?)", spec)) <= set(TOKENS)
    assert not re.search(r"#[0-9a-fA-F]{3,8}\b|rgb\(", spec), "a literal colour"


def _valid_states(figure: SteppedFigure, key: str, slug: str) -> None:
    for narrow in (False, True):
        data, layout = coloured(state(figure, key, slug, narrow))
        go.Figure(data=data, layout=layout)
    for trace in data:
        assert trace["type"] in TRACE_TYPES
        ids: list[Any] = trace.get("ids", [])
        named = [one for one in ids if one]
        assert len(named) == len(set(named)), "Plotly draws only one point an id"
        assert len(ids) in (0, len(trace.get("x", trace.get("y", ()))))


def _choices_lead_to_sequences(figure: SteppedFigure) -> None:
    keys = [""]
    for choice in figure.choices:
        keys = [f"{key},{slug}".strip(",") for key in keys for slug, _ in choice.options]
    assert set(figure.sequences) <= set(keys)


def _lines_are_linked(figure: SteppedFigure) -> None:
    lines = [line for listing in figure.listings for line in listing.lines]
    keys = {line.key for line in lines}
    steps = [step for sequence in figure.sequences.values() for step in sequence]
    assert len(keys) == len(lines)
    assert {link for line in lines for link in line.links} <= keys
    assert {key for step in steps for key in step.lit} <= keys
    assert {slug for step in steps for slug in step.show} <= {listing.slug for listing in figure.listings}
