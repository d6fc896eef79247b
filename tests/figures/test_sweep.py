"""Does the figure of a sweep show every setting, legal or not? On fixture cards."""

from __future__ import annotations

from publisher.figures import (
    sweep,
)
from publisher.figures.kit.figure import Evidence
from schema.results import TimePair
from tests.figure_states import captions, state
from tests.figures.evidence import LADDER, changed, pair


def test_the_outlined_cell_is_the_fastest_setting(evidence: Evidence) -> None:
    figure = sweep.draw(evidence)
    results = evidence.card.recordings[LADDER, "sweep"].results
    timed = [s for s in results.settings if isinstance(s.times, TimePair)]
    for place, condition in ((1, "cold"), (4, "warm")):
        best = min(timed, key=lambda s: getattr(s.times, condition).samples.median_us)
        outline = state(figure, "best", condition)[0][place]
        row = results.axes["TILE_ROWS"].index(best.constants["TILE_ROWS"])
        column = results.axes["SPLIT"].index(best.constants["SPLIT"])
        assert (outline["x"], outline["base"]) == ([column], [row - 0.5])
        assert (
            f"split {best.constants['SPLIT']}, k slice {best.constants['K_SLICE']}"
            in captions(figure, "best")[condition]
        )


def test_every_setting_stands_in_the_table_with_its_medians_or_the_reason(evidence: Evidence) -> None:
    table = sweep.draw(evidence).table
    settings = evidence.card.recordings[LADDER, "sweep"].results.settings
    assert len(table.rows) == len(settings)
    for row, setting in zip(table.rows, settings, strict=True):
        if isinstance(setting.times, TimePair):
            medians = [getattr(setting.times, condition).samples.median_us for condition in ("cold", "warm")]
            assert row[7:9] == tuple(f"{median:.3f}" for median in medians)
        else:
            assert row[7:9] == ("", "")
            assert row[9].startswith(("failed: ", "not measured: "))


def test_an_illegal_setting_is_an_empty_cell_with_its_reason(evidence: Evidence) -> None:
    cold = state(sweep.draw(evidence), "128", "cold")[0][0]
    assert cold["text"][-1] == "–"
    assert "shared memory" in cold["hovertext"][-1]


def test_the_sweep_says_which_condition_chose_the_ladders_constants(evidence: Evidence) -> None:
    fixture = captions(sweep.draw(evidence), "best")["ladder"]
    assert "cold and warm times agree" in fixture
    results = evidence.card.recordings[LADDER, "sweep"].results
    settings = list(results.settings)
    own = evidence.card.recordings[LADDER, "code"].results.rungs["tuned"].code.constants
    place = next(i for i, s in enumerate(settings) if all(own[name] == value for name, value in s.constants.items()))
    settings[place] = settings[place].model_copy(update={"times": pair(1.0, 100.0)})
    told = captions(sweep.draw(changed(evidence, "sweep", settings=settings)), "best")["ladder"]
    assert "what the cold times choose" in told
    assert "Warm it is not the fastest setting" in told


def test_a_sweep_of_two_axes_has_no_choice(evidence: Evidence) -> None:
    results = evidence.card.recordings[LADDER, "sweep"].results
    flat = [s.model_copy(update={"constants": {k: v for k, v in s.constants.items() if k != "K_SLICE"}})
            for s in results.settings if s.constants["K_SLICE"] == 64]  # fmt: skip
    axes = {name: values for name, values in results.axes.items() if name != "K_SLICE"}
    figure = sweep.draw(changed(evidence, "sweep", axes=axes, settings=flat))
    assert not figure.choices
    assert list(figure.sequences) == [""]
