"""Does a number that nobody can have measured end in a sentence, wherever it stands, and never in a traceback?"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from publisher.article.drawing import FIGURES, Figures
from publisher.build import Builder, Options
from publisher.facts.expressions import ExpressionError
from publisher.facts.quantity import Quantity, QuantityError, add, difference, divide, multiply
from publisher.facts.units import formatted, grouped, natural_unit
from publisher.faults import BuildError
from publisher.figures.kit.figure import Evidence, Missing
from publisher.source.published import load_published
from schema.fit import fit
from schema.numbers import RANGES
from schema.recording import Header, Recording, RecordingError, dump, load_cards, write_atomically
from schema.results import EXPERIMENTS
from schema.strict_yaml import Lines, parse_yaml
from tests.fixture_cards import WHOLE, write_card
from tests.fixture_results import Lab
from tests.mini.copies import MiniSite

EXTREMES: dict[str, Any] = {
    "0": 0, "-1": -1, "1e308": 1e308, "-1e308": -1e308, "1e-310": 1e-310, "5e-324": 5e-324, "nan": float("nan"),
    "inf": float("inf"), "-inf": float("-inf"), "-0.0": -0.0, "10**400": 10**400, "2**53": 2**53, "1e18": 1e18,
    "1e-30": 1e-30, "1": 1, "1e-6": 1e-6, "1e6": 1e6, "512": 512,
}  # fmt: skip
NEVER = ("1e308", "-1e308", "1e-310", "5e-324", "nan", "inf", "-inf", "-0.0", "10**400")  # no field takes these
ROWS = (("0", "1", "1e-6"), ("2**53", "1e18", "1e6", "512"), ("-1", "1e-30", "1e-6"))
Path_ = tuple[str | int, ...]


@pytest.fixture(scope="module")
def small_cards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A card with every experiment and few samples: what is asked here is asked of each number, not of many."""
    folder = tmp_path_factory.mktemp("small") / "recordings"
    write_card(folder, WHOLE, Lab(seed=1, samples=20))
    return folder


def leaves(value: Any, path: Path_ = ()) -> Iterator[tuple[Path_, Any]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from leaves(inner, (*path, i))
    else:
        yield path, value


def numeric(data: dict[str, Any]) -> list[tuple[Path_, int]]:
    """A place for every kind of measured number in a recording: its path, and its column where it stands in a block."""
    found: dict[tuple[Any, ...], tuple[Path_, int]] = {}
    for path, value in leaves(data):
        names = tuple(part for part in path if isinstance(part, str))
        kind = (names[:2], names[-2:])
        if "owns" in names:  # declared, not measured: a region lies within its operand, so none is extreme by itself
            continue
        if path[-1] == "samples_us":
            found.setdefault((kind, 0), (path, 0))
        elif path[-1] == "rows" and isinstance(value, str):
            width = len(at(data, path[:-1])["columns"].split())
            for column in range(width):
                found.setdefault((kind, column), (path, column))
        elif isinstance(value, (int, float)) and not isinstance(value, bool) and path != ("schema",):
            found.setdefault(kind, (path, -1))
    return list(found.values())


def at(data: Any, path: Path_) -> Any:
    for part in path:
        data = data[part]
    return data


def put(data: Any, path: Path_, column: int, value: Any) -> None:
    parent = at(data, path[:-1])
    if column >= 0:
        words = parent[path[-1]].split()
        words[column] = repr(value)
        value = " ".join(words) + "\n"
    parent[path[-1]] = value


def read(experiment: str, data: dict[str, Any], lines: Lines) -> tuple[Recording | None, list[str]]:
    """The recording of plain data, and its faults."""
    faults: list[str] = []
    head = {key: value for key, value in data.items() if key != "results"}
    header = fit(Header, head, (), "bad.yaml", lines, faults)
    results = fit(EXPERIMENTS[experiment], data["results"], ("results",), "bad.yaml", lines, faults)
    return (Recording(header, results) if header and results else None), faults


def taken(experiment: str, good: dict[str, Any], lines: Lines, value: Any) -> Iterator[tuple[Path_, int]]:
    """The places that take a value. Each other one is named by a fault; of a table, its first wrong column is."""
    places = numeric(good)
    single = [place for place in places if place[0][-1] != "rows"]
    for together in (single, *([place] for place in places if place not in single)):
        changed = copy.deepcopy(good)
        for path, column in together:
            put(changed, path, column, value)
        _, faults = read(experiment, changed, lines)
        assert all(fault.startswith("bad.yaml:") for fault in faults)
        refused = {fault.split(": ")[1] for fault in faults}
        names = {".".join(map(str, path)): (path, column) for path, column in together}
        held = {name: set(holders(name)) for name in names}
        assert refused <= set().union(*held.values()), refused
        yield from (place for name, place in names.items() if refused.isdisjoint(held[name]))


def holders(name: str) -> Iterator[str]:
    """A place, and what a fault may call it: a table that it is a row of, and what is made of that table."""
    yield name
    yield name.removesuffix(".rows")
    before, found, _ = name.partition(".launches")
    if found:
        yield before + found


@cache
def extremes_of(experiment: str, path: Path) -> dict[str, Recording]:
    """The recording with every number at once at the first value of a row that its field takes."""
    good, lines = parse_yaml(path.read_text(encoding="utf-8"), "good.yaml")
    assert len(numeric(good)) > 12
    takes = {name: set(taken(experiment, good, lines, value)) for name, value in EXTREMES.items()}
    for name in NEVER:
        assert {path for path, _ in takes[name] if name != "-0.0" or path[-1] != "rows"} == set(), name
    made = {}
    for row in ROWS:
        together = copy.deepcopy(good)
        for place in numeric(good):
            if first := next((name for name in row if place in takes[name]), None):
                put(together, *place, EXTREMES[first])
        recording, faults = read(experiment, together, lines)
        assert recording is not None, faults
        made[row[0]] = recording
    return made


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_no_extreme_of_any_number_of_any_experiment_breaks_a_figure(experiment: str, small_cards: Path) -> None:
    """Each is refused with its key where the recording is read, or every figure says it, or says why it cannot."""
    card = next(iter(load_cards(small_cards).values()))
    subject, _ = place = next(key for key in card.recordings if key[1] == experiment)
    recordings = extremes_of(experiment, card.folder / subject / f"{experiment}.yaml")
    for recording in recordings.values():
        other = replace(card, recordings={**card.recordings, place: recording})
        evidence = Evidence({card.slug: other}, other, "linear")
        for path in sorted(FIGURES.glob("[!_]*.py")):
            with contextlib.suppress(Missing):
                Figures().draw(path.stem.replace("_", "-"), {}, evidence, small_cards)


@pytest.mark.parametrize("row", ["0", "2**53"])
def test_no_extreme_breaks_a_build(row: str, small_cards: Path, tmp_path: Path) -> None:
    folder = tmp_path / "recordings"
    for path in small_cards.glob("*/*/*.yaml"):
        recording = extremes_of(path.stem, path)[row]
        write_atomically(folder / path.relative_to(small_cards), dump(recording.header, recording.results))
    try:
        faults = Builder(Options(recordings=folder, allow_stale=True, lenient=True)).build(tmp_path / "out").faults
    except BuildError as error:
        faults = error.faults
    assert not [fault for fault in faults if "failed on" in fault.what or fault.file.startswith("recordings")]


@pytest.mark.parametrize("word", ["1.0e+308", "1.0e-310", "5.0e-324", ".nan", ".inf", "-.inf", "1" + "0" * 400])
@pytest.mark.parametrize("key", ["a", *(f"a_{unit}" for unit in RANGES if unit)])
def test_no_published_number_is_out_of_all_range(tmp_path: Path, key: str, word: str) -> None:
    head = "source: {title: A log}\ncard: {name: A card}\n"
    path = tmp_path / "published" / "a_log.yaml"
    path.parent.mkdir()
    for body, line, place in (
        (f"values:\n  some: {{{key}: {word}}}\n", 4, f"values.some.{key}"),
        (f"problem: {{{key}: {word}}}\nvalues: {{b: 1}}\n", 3, f"problem.{key}"),
    ):
        path.write_text(head + body, encoding="utf-8")
        with pytest.raises(RecordingError, match=rf"/published/a_log\.yaml:{line}: {place}: must "):
            load_published(path.parent)


@pytest.mark.parametrize("word", ["1,000", "fast", "about 3", "n/a"])
def test_a_key_that_promises_a_unit_has_no_text(tmp_path: Path, word: str) -> None:
    site = MiniSite(tmp_path)
    text = f"source: {{title: A log}}\ncard: {{name: A card}}\nvalues: {{some: {{a_us: '{word}'}}}}\n"
    site.write("recordings/published/a_log.yaml", text)
    assert site.faults() == [
        "recordings/published/a_log.yaml:3: values.some.a_us: must be a number, because its key ends in us; "
        f"this is the text {word!r}"
    ]


NUMBERS = (0, -1, 1e308, 1e-310, 5e-324, float("nan"), float("inf"), -0.0, 10**400, 1e-200, 1e200, 3, 2.5)


@pytest.mark.parametrize("operation", [add, multiply, divide, difference])
def test_arithmetic_gives_a_number_that_can_be_shown_or_a_sentence(operation) -> None:
    for a in NUMBERS:
        for b in NUMBERS:
            try:
                found = operation(Quantity(a, resolution=0.5), Quantity(b, resolution=0.25))
            except QuantityError as error:
                assert str(error)
                continue
            if isinstance(found, Quantity):
                assert formatted(found.number, found.dimension)


@pytest.mark.parametrize("value", [0.0, -0.0, -0.2, 0.2])
def test_what_is_shown_as_zero_has_no_minus(value: float) -> None:
    assert grouped(value) == "0"
    assert not formatted(-0.0, (1, 0, 0, 0, 0)).startswith("-")


def test_long_chains_of_arithmetic_end_in_a_sentence() -> None:
    with pytest.raises((QuantityError, ExpressionError)):
        made = Quantity(1e18)
        for _ in range(30):
            made = multiply(made, Quantity(1e18))
    assert natural_unit(1e100, (1, 0, 0, 0, 0))
