"""Can a page show other people's figures, and only with their source?"""

from __future__ import annotations

from pathlib import Path

import pytest

from publisher.source.published import load_published
from schema.recording import RecordingError

COMMITTED = Path(__file__).parent.parent / "recordings" / "published"
GOOD = 'source: {title: A worklog}\ncard: {name: Some card}\nvalues: {kernels: {"6": {cold_us: 47.21, note: text}}}\n'


def published(tmp_path: Path, text: str, name: str = "a_set.yaml"):
    (tmp_path / name).write_text(text, encoding="utf-8")
    return load_published(tmp_path)


def test_every_committed_file_loads_and_every_value_has_a_source() -> None:
    sets = load_published(COMMITTED)
    assert {"rtx_5090_linear", "rtx_5090_decoder_block", "rtx_a6000_sgemm", "colab_sgemm"} <= set(sets)
    for one in sets.values():
        for path in one.paths():
            value = one.get(path)
            assert value.source and value.card and value.key == f"{one.name}.{path}"


def test_a_value_comes_with_its_unit_source_and_card() -> None:
    value = load_published(COMMITTED)["rtx_5090_linear"].get("kernels.6.cold_us")
    assert (value.value, value.unit, value.card) == (47.21, "µs", "NVIDIA GeForce RTX 5090")
    assert "One multiply" in value.source


@pytest.mark.parametrize("path, unit", [("method.samples", ""), ("card.sms", ""), ("kernels.6.change", "")])
def test_plain_numbers_and_texts_have_no_unit(path: str, unit: str) -> None:
    assert load_published(COMMITTED)["rtx_5090_linear"].get(path).unit == unit


@pytest.mark.parametrize(
    "path, says",
    [
        ("kernels.9.cold_us", "kernels has no 9"),
        ("kernels.6.cold_su", "did you mean cold_us?"),
        ("kernels.6", "is a group of values; name one of change, cold_us"),
    ],
)
def test_a_wrong_path_is_answered_with_what_exists(path: str, says: str) -> None:
    one = load_published(COMMITTED)["rtx_5090_linear"]
    with pytest.raises(KeyError, match=says):
        one.get(path)
    assert one.number(path) is None


def test_no_folder_means_no_sets(tmp_path: Path) -> None:
    assert load_published(tmp_path / "absent") == {}


@pytest.mark.parametrize(
    "text, says",
    [
        (GOOD.replace("source: {title: A worklog}\n", ""), "source: is missing; a published figure without a source"),
        (GOOD.replace("title: A worklog", "publisher: x"), "source.title: is missing"),
        (GOOD.replace("title: A worklog", 'title: ""'), ":1: source.title"),
        (GOOD + "extra: 1\n", ":4: extra: is not a key that belongs here"),
        (GOOD.replace("47.21", ".nan"), ":3: values.kernels.6.cold_us: must be a finite number"),
        (GOOD.replace("47.21", "[1, 2]"), "values.kernels.6.cold_us: must be a number or a short text"),
        (GOOD.replace("47.21", "true"), "values.kernels.6.cold_us: must be a number or a short text"),
        (GOOD + "method: {samples: [1]}\n", ":4: method.samples"),
        (GOOD + "source: {title: again}\n", "the key source is there twice"),
        ("- 1\n", "a_set.yaml:1"),
        ("", "is empty"),
    ],
)
def test_a_bad_file_is_refused_with_file_line_and_key(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(RecordingError) as error:
        published(tmp_path, text)
    assert says in str(error.value) and "a_set.yaml:" in str(error.value)


def test_a_file_name_that_no_role_could_cite_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="small letters, digits and underscores"):
        published(tmp_path, GOOD, "A-set.yaml")


def test_all_faults_of_all_files_come_at_once(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text("- 1\n")
    with pytest.raises(RecordingError) as error:
        published(tmp_path, GOOD + "extra: 1\n", "two.yaml")
    assert "one.yaml" in str(error.value) and "two.yaml" in str(error.value)
