"""Does a number that nobody can have measured end in a sentence, wherever it stands, and never in a traceback?"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from publisher.build import Builder, Options
from publisher.draw import FIGURES, Figures
from publisher.expressions import ExpressionError
from publisher.faults import BuildError
from publisher.figure import Evidence, Missing
from publisher.quantity import Quantity, QuantityError, add, difference, divide, multiply
from publisher.units import formatted, grouped, natural_unit
from recorder.numbers import RANGES
from recorder.recording import Header, Recording, dump, load_cards, write_atomically
from recorder.results import EXPERIMENTS
from recorder.schema import fit
from recorder.strict_yaml import Lines, parse_yaml
from tests.mini.copies import MiniSite

EXTREMES: dict[str, Any] = {
    "0": 0, "-1": -1, "1e308": 1e308, "-1e308": -1e308, "1e-310": 1e-310, "5e-324": 5e-324, "nan": float("nan"),
    "inf": float("inf"), "-inf": float("-inf"), "-0.0": -0.0, "10**400": 10**400, "2**53": 2**53, "1e18": 1e18,
    "1e-30": 1e-30, "1": 1, "1e-6": 1e-6, "1e6": 1e6, "512": 512,
}  # fmt: skip
NEVER = ("1e308", "-1e308", "1e-310", "5e-324", "nan", "inf", "-inf", "-0.0", "10**400")  # no field takes these
ROWS = (("0", "1", "1e-6"), ("2**53", "1e18", "1e6", "512"), ("-1", "1e-30", "1e-6"))
Path_ = tuple[str | int, ...]


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


def extremes_of(experiment: str, path: Path) -> dict[str, Recording]:
    """The recording with every number at once at the first value of a row that its field takes."""
    good, lines = parse_yaml(path.read_text(encoding="utf-8"), "good.yaml")
    places = numeric(good)
    assert len(places) > 12
    taken: dict[tuple[Path_, int], list[str]] = {}
    for place, column in places:
        before = at(good, place)
        for name, value in EXTREMES.items():
            put(good, place, column, value)
            _, faults = read(experiment, good, lines)
            if not faults:
                assert name not in NEVER or (name == "-0.0" and column >= 0), (place, column, name)
                taken.setdefault((place, column), []).append(name)
            else:
                whole = ".".join(map(str, place))
                named = whole.removesuffix(".rows") if column >= 0 else whole  # a table says which of its columns
                assert len(faults) == 1 and faults[0].split(": ")[1] in (whole, named), faults
            at(good, place[:-1])[place[-1]] = before
    made = {}
    for row in ROWS:
        together = copy.deepcopy(good)
        for (place, column), names in taken.items():
            if first := next((name for name in row if name in names), None):
                put(together, place, column, EXTREMES[first])
        recording, faults = read(experiment, together, lines)
        assert recording is not None, faults
        made[row[0]] = recording
    return made


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_no_extreme_of_any_number_of_any_experiment_breaks_a_figure(experiment: str, whole_cards: Path) -> None:
    """Each is refused with its key where the recording is read, or every figure says it, or says why it cannot."""
    card = next(iter(load_cards(whole_cards).values()))
    subject, _ = place = next(key for key in card.recordings if key[1] == experiment)
    recordings = extremes_of(experiment, card.folder / subject / f"{experiment}.yaml")
    for recording in recordings.values():
        other = replace(card, recordings={**card.recordings, place: recording})
        evidence = Evidence({card.slug: other}, other, "linear")
        for path in sorted(FIGURES.glob("[!_]*.py")):
            with contextlib.suppress(Missing):
                Figures().draw(path.stem.replace("_", "-"), {}, evidence, whole_cards)


@pytest.mark.parametrize("row", ["0", "2**53"])
def test_no_extreme_breaks_a_build(row: str, whole_cards: Path, tmp_path: Path) -> None:
    folder = tmp_path / "recordings"
    for path in whole_cards.glob("*/*/*.yaml"):
        recording = extremes_of(path.stem, path)[row]
        write_atomically(folder / path.relative_to(whole_cards), dump(recording.header, recording.results))
    try:
        faults = Builder(Options(recordings=folder, allow_stale=True, lenient=True)).build(tmp_path / "out").faults
    except BuildError as error:
        faults = error.faults
    assert not [fault for fault in faults if "failed on" in fault.what or fault.file.startswith("recordings")]


@pytest.mark.parametrize("word", ["1.0e+308", "1.0e-310", "5.0e-324", ".nan", ".inf", "-.inf", "1" + "0" * 400])
@pytest.mark.parametrize("key", ["a", *(f"a_{unit}" for unit in RANGES if unit)])
def test_no_published_number_is_out_of_all_range(tmp_path: Path, key: str, word: str) -> None:
    site = MiniSite(tmp_path)
    head = "source: {title: A log}\ncard: {name: A card}\n"
    site.write("recordings/published/a_log.yaml", f"{head}values:\n  some: {{{key}: {word}}}\n")
    assert [f for f in site.faults() if f.startswith(f"recordings/published/a_log.yaml:4: values.some.{key}: must ")]
    site.write("recordings/published/a_log.yaml", f"{head}problem: {{{key}: {word}}}\nvalues: {{b: 1}}\n")
    assert [f for f in site.faults() if f.startswith(f"recordings/published/a_log.yaml:3: problem.{key}: must ")]


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
