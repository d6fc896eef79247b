"""What holds for every figure there is? Sound on every card, says what is missing, shows recorded strings as text."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel

from publisher import figures
from publisher.figures.kit.figure import Evidence, Missing, SteppedFigure
from schema.recording import CardRecordings, Recording, load_cards
from schema.results import NotMeasured
from tests.conftest import ROOT
from tests.figure_states import state
from tests.figures.evidence import LADDER, whole_evidence, without
from tests.figures.sound import assert_sound

NAMES = sorted(module.name for module in pkgutil.iter_modules(figures.__path__) if not module.ispkg)
MARKUP = '<a href="https://example.org">x</a><i>y</i><img src=x>'  # figures use b, br and span themselves
FREE = {  # fields that hold whatever a recording's author wrote, and maps whose keys are such words
    "accumulates", "failed", "idea", "instruction", "kernels", "name", "not_measured", "operand", "ptxas", "returns",
    "throttle_reasons", "title", "tool", "version", "what",
}  # fmt: skip
KEYED = {"axes", "constants", "stalls", "throttle_reasons"}
LEAST_PX = 11
LIVES_FROM = {
    "against_the_library": ("times",),
    "architectures": ("code",),
    "counters": ("counters",),
    "fill_the_chip": ("placement", "code"),
    "fragment": ("machine/fragment",),
    "ladder": ("times", "code"),
    "one_block": ("code",),
    "one_change": ("one_change",),
    "placement": ("placement", "code"),
    "probes": ("probes",),
    "roofline": ("machine/peaks",),
    "samples": ("times", "code"),
    "shapes": ("shapes", "code"),
    "sweep": ("sweep",),
    "tiles_blocks_sms": ("placement", "code"),
}


def _draw(name: str, evidence: Evidence, **options: str) -> SteppedFigure:
    return importlib.import_module(f"publisher.figures.{name}").draw(evidence, **options)


def _states(figure: SteppedFigure) -> Iterator[tuple[list[Any], Any]]:
    for key, steps in figure.sequences.items():
        for step in steps:
            yield state(figure, key, step.slug)
            yield state(figure, key, step.slug, narrow=True)


# ---- every card ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("slug", ["nvidia-h200", "fixture-slow", "fixture-half", "fixture-failed"])
@pytest.mark.parametrize("name", NAMES)
def test_a_figure_is_sound_on_every_card_that_recorded_it(
    name: str, slug: str, cards: dict[str, CardRecordings]
) -> None:
    try:
        figure = _draw(name, whole_evidence(cards, slug))
    except Missing as missing:
        assert slug == "fixture-half", "this card recorded all of it"
        assert cards[slug].card.name in missing.what
    else:
        assert_sound(name, figure)
        assert figure.provenance[0].kind in ("recorded", "derived")


@pytest.mark.parametrize("name", NAMES)
def test_every_committed_recording_draws(name: str, committed: dict[str, CardRecordings]) -> None:
    for slug, card in committed.items():
        try:
            assert_sound(name, _draw(name, whole_evidence(committed, slug)))
        except Missing as missing:
            assert card.compile_only
            assert card.card.name in missing.what


@pytest.fixture(scope="module")
def committed() -> dict[str, CardRecordings]:
    return load_cards(ROOT / "recordings")


@pytest.mark.parametrize(
    "name", ["probes", "against_the_library", "sweep", "one_change", "roofline", "counters"]
)  # the others add what they draw step by step
def test_the_first_state_is_the_base_itself(name: str, evidence: Evidence) -> None:
    figure = _draw(name, evidence)
    key, steps = next(iter(figure.sequences.items()))
    assert state(figure, key, steps[0].slug)[0] == list(figure.data)


@pytest.mark.parametrize("name", NAMES)
def test_points_are_facts_of_the_ladder_or_the_machine(name: str, evidence: Evidence) -> None:
    for data, _ in _states(_draw(name, evidence)):
        paths = {path for trace in data for path in trace.get("ids", ()) if path}
        assert {path.split(".")[0] for path in paths} <= {LADDER, "machine", "card"}


@pytest.mark.parametrize(("name", "experiment"), [(name, one) for name, ones in LIVES_FROM.items() for one in ones])
def test_what_was_not_recorded_is_named_with_the_command_that_records_it(
    name: str, experiment: str, evidence: Evidence
) -> None:
    subject, _, what = experiment.rpartition("/")
    with pytest.raises(Missing) as missing:
        _draw(name, without(evidence, what, subject=subject or LADDER))
    assert "NVIDIA H200" in missing.value.what
    assert missing.value.command == f"python -m recorder --gpu 0 --only {subject or LADDER}/{what}"


def test_every_figure_says_what_it_lives_from() -> None:
    assert set(LIVES_FROM) == set(NAMES)


# ---- recorded strings ----------------------------------------------------------------------------------------------


def _marked(value: Any, field: str = "") -> Any:
    """The same part of a recording with markup in every string that is free."""
    if isinstance(value, BaseModel):
        return value.model_copy(update={name: _marked(getattr(value, name), name) for name in type(value).model_fields})
    if isinstance(value, dict):
        inner = field if field in FREE else ""
        return {f"{k}{MARKUP}" if field in KEYED else k: _marked(v, inner) for k, v in value.items()}
    if isinstance(value, list):
        return [_marked(item, field) for item in value]
    return f"{value} {MARKUP}" if isinstance(value, str) and field in FREE else value


def _hostile(card: CardRecordings) -> CardRecordings:
    changed: dict[tuple[str, str], Recording] = {}
    for key, recording in card.recordings.items():
        results = _marked(recording.results)
        if key[1] == "probes":  # a probe that has no time says why
            why = NotMeasured(not_measured=MARKUP)
            rungs = {slug: probe.model_copy(update={"math_only": why}) for slug, probe in results.rungs.items()}
            results = results.model_copy(update={"rungs": rungs})
        changed[key] = replace(recording, header=_marked(recording.header), results=results)
    return replace(card, recordings=changed)


def _texts(value: Any, key: str = "") -> Iterator[str]:
    """All strings of a spec that Plotly may write: ids are none of them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _texts(item, name) if name != "ids" else ()
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(item, key)


@pytest.mark.parametrize("slug", ["nvidia-h200", "fixture-failed"])
@pytest.mark.parametrize("name", NAMES)
def test_markup_in_a_recording_is_text_in_its_figure(name: str, slug: str, cards: dict[str, CardRecordings]) -> None:
    hostile = {one: _hostile(card) for one, card in cards.items()}
    figure = _draw(name, whole_evidence(hostile, slug))
    found = [text for text in _texts([figure.data, *_states(figure)]) if re.search(r"</?(a|i|img)\b", text)]
    assert not found


def test_markup_of_a_published_card_is_text_too(cards: dict[str, CardRecordings]) -> None:
    evidence = whole_evidence(cards, "nvidia-h200")
    name = next(name for name, one in evidence.published.items() if one.number("probes.6.cold.full_us"))
    one = evidence.published[name]
    card = one.data.card.model_copy(update={"name": MARKUP})
    marked = replace(one, data=one.data.model_copy(update={"card": card}))
    figure = _draw("probes", replace(evidence, published={name: marked}), published=name)
    texts = list(_texts([figure.data, *_states(figure)]))
    assert any("&lt;a href" in text for text in texts)
    assert not any("<a href" in text for text in texts)


# ---- texts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_no_point_has_an_empty_text(name: str, cards: dict[str, CardRecordings]) -> None:
    """Plotly takes the element of an empty text away, and writes none there in later steps."""
    figure = _draw(name, whole_evidence(cards, "nvidia-h200"))
    for data, _ in _states(figure):
        for trace in data:
            if "text" in trace.get("mode", "") and not isinstance(trace.get("text", ""), str):
                assert all(trace["text"])
                assert len(trace["text"]) == len(trace["x"])


@pytest.mark.parametrize("name", NAMES)
def test_every_trace_has_points_in_some_step(name: str, cards: dict[str, CardRecordings]) -> None:
    """Plotly looks at every trace at every step, also at those that never hold anything."""
    figure = _draw(name, whole_evidence(cards, "nvidia-h200"))
    seen = {
        place
        for data, _ in _states(figure)
        for place, trace in enumerate(data)
        if trace.get("visible", True) and len(trace.get("x", trace.get("y", ())))
    }
    assert seen == set(range(len(figure.data)))


@pytest.mark.parametrize("name", NAMES)
def test_text_in_a_bar_has_a_colour_of_its_own(name: str, cards: dict[str, CardRecordings]) -> None:
    """Plotly would choose white or a grey by the bar's colour, and that grey is too pale for half of them."""
    figure = _draw(name, whole_evidence(cards, "nvidia-h200"))
    for data, _ in _states(figure):
        for trace in data:
            if trace["type"] == "bar" and any(trace.get("text", ())):
                assert trace["textfont"].get("color")


@pytest.mark.parametrize("name", NAMES)
def test_no_text_is_too_small(name: str, cards: dict[str, CardRecordings]) -> None:
    def sizes(value: Any) -> Iterator[float]:
        if isinstance(value, dict):
            for key, item in value.items():
                if key.endswith("font") and "size" in item:
                    yield item["size"]
                yield from sizes(item)
        elif isinstance(value, (list, tuple)):
            for item in value:
                yield from sizes(item)

    figure = _draw(name, whole_evidence(cards, "nvidia-h200"))
    assert min(size for one in _states(figure) for size in sizes(one)) >= LEAST_PX


@pytest.mark.parametrize("name", NAMES)
def test_a_datum_that_can_be_pointed_at_says_what_it_is(name: str, cards: dict[str, CardRecordings]) -> None:
    for data, _ in _states(_draw(name, whole_evidence(cards, "nvidia-h200"))):
        for trace in data:
            if trace.get("hoverinfo") == "skip" or not trace.get("ids"):
                continue
            said = trace.get("hovertemplate") or trace.get("hovertext") or ""
            there = [None not in point for point in zip(trace["x"], trace["y"], strict=True)]
            assert said and (isinstance(said, str) or len(said) == len(there)), (name, trace["ids"][:2])
            assert isinstance(said, str) or all(text for text, drawn in zip(said, there, strict=True) if drawn)
