"""Does a figure that cannot be drawn give a command only where running it can help?"""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import Any

import pytest

from publisher.facts.commands import absences, declared, repeat
from publisher.figures.kit.figure import Evidence, Missing
from publisher.pages.render import render_figure
from schema.recording import CardRecordings
from schema.results import Failed, Model, NotMeasured, SweepResults
from tests.conftest import ROOT
from tests.figures.evidence import LADDER, changed, whole_evidence, without
from tests.figures.test_every_figure import LIVES_FROM

FAILED, ABSENT = Failed(failed="it stopped"), NotMeasured(not_measured="the card cannot")
SOURCES = [(name, one) for name, ones in LIVES_FROM.items() for one in ones]
# What each figure is drawn from: where every value of it is absent, the figure is too.
PARTS = {
    "against_the_library": ("times", "references"),
    "counters": ("counters", "rungs"),
    "fill_the_chip": ("placement", "rungs"),
    "fragment": ("machine/fragment", "shapes"),
    "ladder": ("times", "rungs"),
    "one_block": ("code", "rungs"),
    "one_change": ("one_change", "comparisons"),
    "placement": ("placement", "rungs"),
    "probes": ("probes", "rungs"),
    "roofline": ("machine/peaks", ""),
    "shapes": ("shapes", "shapes"),
    "sweep": ("sweep", "settings"),
    "tiles_blocks_sms": ("placement", "rungs"),
}
UNFIT = [
    ("one_block", {"rung": "naive"}, "the ladder declares no loop over slices for naive"),
    ("one_block", {"rung": "nothing"}, "has no rung nothing"),
    ("architectures", {"rungs": "nothing"}, "has no rung nothing"),
    ("fragment", {"shape": "m8n8k4"}, "m8n8k4 is not one of"),
    ("fill_the_chip", {"launch": "99"}, "no launch 99"),
    ("tiles_blocks_sms", {"launch": "99"}, "no launch 99"),
    ("tiles_blocks_sms", {"rung": "naive"}, "no launch was recorded"),
    ("placement", {"rungs": "naive"}, "no launch was recorded"),
    ("probes", {"published": "nosuch"}, "has no nosuch"),
]


def _missing(name: str, evidence: Evidence, **options: str) -> Missing:
    with pytest.raises(Missing) as caught:
        importlib.import_module(f"publisher.figures.{name}").draw(evidence, **options)
    html = render_figure(name, caught.value, None, inline=False)
    assert ("To record it" in html) == ("Not recorded on this card" in html) == bool(caught.value.command)
    assert caught.value.what.split(":")[0] in html
    return caught.value


def _split(experiment: str) -> tuple[str, str]:
    subject, _, name = experiment.rpartition("/")
    return subject or LADDER, name


def _all(value: Any, why: Model) -> Any:
    """The same part of a recording with ``why`` wherever a value may be absent."""
    if isinstance(value, (Failed, NotMeasured)):
        return why
    if isinstance(value, Model):
        fields = type(value).model_fields
        if "samples_us" in fields or "cells" in fields or "condition" in fields or "a" in fields or "sass" in fields:
            return why
        if "stalls" in fields:
            return why
        return value.model_copy(update={name: _all(getattr(value, name), why) for name in fields})
    if isinstance(value, dict):
        return {name: _all(inner, why) for name, inner in value.items()}
    return [_all(inner, why) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize(("name", "options", "words"), UNFIT)
def test_what_is_recorded_and_does_not_fit_asks_for_no_recording(
    name: str, options: dict[str, str], words: str, evidence: Evidence
) -> None:
    missing = _missing(name, evidence, **options)
    assert words in missing.what and missing.command == ""


@pytest.mark.parametrize(("why", "helps"), [(FAILED, True), (ABSENT, False)])
@pytest.mark.parametrize("name", PARTS)
def test_only_what_failed_is_worth_another_run(name: str, why: Model, helps: bool, evidence: Evidence) -> None:
    subject, experiment = _split(PARTS[name][0])
    part = PARTS[name][1]
    results = evidence.need(experiment, subject).results
    new = {part: _all(getattr(results, part), why)} if part else dict.fromkeys(type(results).model_fields, why)
    missing = _missing(name, changed(evidence, experiment, subject, **new))
    assert missing.command == (f"python -m recorder --gpu 0 --only {subject}/{experiment}" if helps else "")


@pytest.mark.parametrize(("why", "helps"), [(FAILED, True), (ABSENT, False)])
@pytest.mark.parametrize(("name", "experiment"), SOURCES)
def test_an_experiment_that_gave_nothing_says_why(
    name: str, experiment: str, why: Model, helps: bool, evidence: Evidence
) -> None:
    subject, what = _split(experiment)
    old = evidence.need(what, subject)
    bare = without(evidence, what, subject=subject)
    card = replace(bare.card, without={(subject, what): replace(old, results=why)})
    missing = _missing(name, replace(bare, card=card))
    assert next(iter(dict(why).values())) in missing.what and bool(missing.command) == helps


@pytest.mark.parametrize(("name", "experiment"), [one for one in SOURCES if "/" not in one[1]])
def test_what_a_ladder_does_not_declare_is_not_asked_for(name: str, experiment: str, evidence: Evidence) -> None:
    bare = without(evidence, experiment)
    missing = _missing(name, replace(bare, declared=frozenset()))
    assert "declares nothing for it" in missing.what and missing.command == ""
    assert _missing(name, replace(bare, declared=frozenset([experiment]))).command.endswith(f"{LADDER}/{experiment}")


@pytest.mark.parametrize("name", LIVES_FROM)
def test_an_architecture_that_was_only_compiled_for_asks_for_no_card(
    name: str, cards: dict[str, CardRecordings]
) -> None:
    slug = next(slug for slug, card in cards.items() if card.compile_only)
    whole = whole_evidence(cards, slug)
    if LIVES_FROM[name] not in (("code",),):
        assert _missing(name, whole).command == ""
    arch = whole.card.card.arch
    assert repeat(whole.card, LADDER, "code", FAILED) == f"python -m recorder --arch {arch} --only {LADDER}/code"


def test_a_rung_that_is_younger_than_the_recording_is_recorded_by_a_command(evidence: Evidence) -> None:
    rungs = {slug: rung for slug, rung in evidence.need("code").results.rungs.items() if slug != "async_copy"}
    missing = _missing("one_block", changed(evidence, "code", rungs=rungs), rung="async_copy")
    assert "was recorded before it had async_copy" in missing.what and missing.command.endswith(f"{LADDER}/code")


def test_a_ladder_declares_what_it_has_something_for() -> None:
    assert {"times", "conditions", "sweep", "probes"} <= (declared(ROOT / "kernels" / LADDER) or set())
    sums = declared(ROOT / "tests" / "mini" / "kernels" / "sums")
    assert sums is None or "sweep" not in sums
    assert declared(ROOT / "kernels" / "machine") is None


def test_every_absence_is_found_with_its_path() -> None:
    settings = [{"constants": {}, "blocks": 1, "threads": 1, "smem_bytes": 0, "registers": 1, "times": dict(FAILED)}]
    found = SweepResults.model_validate({"rung": "tuned", "axes": {}, "settings": settings})
    assert list(absences(found)) == [("settings.0.times", FAILED)]
