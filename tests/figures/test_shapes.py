"""Does the figure of sizes set a rung beside the library at each? On fixture cards."""

from __future__ import annotations

import pytest

from publisher.figures import (
    shapes,
)
from publisher.figures.kit.figure import Evidence, Missing
from schema.results import NotMeasured
from tests.figure_states import captions, state
from tests.figures.evidence import changed


def test_shapes_sets_the_rung_beside_the_library(evidence: Evidence) -> None:
    figure, recorded = shapes.draw(evidence), evidence.need("shapes").results.shapes
    assert list(captions(figure, "cold")) == ["by_batch", "by_size"]
    data, layout = state(figure, "warm", "by_batch")
    assert layout["xaxis"]["ticktext"] == ["1", "2", "4", "8", "16", "32", "64"]
    tuned, library = data[:2]
    ratio = next(trace for trace in data if trace.get("yaxis") == "y2")
    for place, name in enumerate(tuned["ids"]):
        number = int(name.split(".")[3])
        assert recorded[number].entry == "tuned"
        value = recorded[number].times
        assert tuned["y"][place] == (None if isinstance(value, NotMeasured) else round(value.warm.samples.median_us, 4))
    for a, b, told in zip(library["y"], tuned["y"], ratio["y"], strict=True):
        assert told == (round(a / b, 4) if a and b else None)
    assert "No time for rung 8 at 32 and 64: not measured: " in captions(figure, "warm")["by_batch"]


def test_shapes_without_a_rung_is_missing(evidence: Evidence) -> None:
    only = [shape for shape in evidence.need("shapes").results.shapes if shape.entry != "tuned"]
    with pytest.raises(Missing):
        shapes.draw(changed(evidence, "shapes", shapes=only))
