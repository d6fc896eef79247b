"""Do the same words give the same site, whatever line ends, marks and spellings their files have?"""

from __future__ import annotations

import shutil
import subprocess
import xml.dom.minidom
from pathlib import Path

import pytest

from publisher.pages import feeds
from schema.recording import RecordingError, dump, load, load_cards, parse
from schema.strict_yaml import parse_yaml
from tests.mini import cards as mini_cards
from tests.mini.copies import MiniSite

TEXTS = (".md", ".yaml", ".cu", ".py")


def changed(site: MiniSite, change) -> None:
    """Every file of the site that a person or the recorder wrote, rewritten byte by byte."""
    paths = [path for path in site.root.rglob("*") if path.suffix in TEXTS]
    assert {path.suffix for path in paths} == set(TEXTS)
    for path in paths:
        path.write_bytes(change(path.read_bytes()))


@pytest.mark.parametrize(
    "change",
    [
        lambda raw: raw.replace(b"\n", b"\r\n"),
        lambda raw: raw.replace(b"\n", b"\r"),
        lambda raw: b"\xef\xbb\xbf" + raw,
        lambda raw: b"\xef\xbb\xbf" + raw.replace(b"\n", b"\r\n"),
    ],
    ids=["crlf", "cr", "mark", "mark-crlf"],
)
def test_line_ends_and_byte_order_marks_change_no_page(tmp_path: Path, change) -> None:
    plain, other = MiniSite(tmp_path / "plain"), MiniSite(tmp_path / "other")
    changed(other, change)
    assert other.build().files == plain.build().files


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"], ids=["lf", "crlf", "cr"])
@pytest.mark.parametrize(
    "file",
    [
        "content/site.yaml", "content/terms.yaml", "content/sums/article.yaml", "content/sums/01-the-sum.md",
        "kernels/sums/01_plain.cu", "recordings/mini-alpha/sums/times.yaml", "recordings/published/somewhere.yaml",
    ],
)  # fmt: skip
def test_a_byte_that_is_no_text_is_named_with_its_line(tmp_path: Path, file: str, end: bytes) -> None:
    site = MiniSite(tmp_path)
    raw = (site.root / file).read_bytes() + b"# one more\n# caf\xe9\n"
    site.write(file, raw.replace(b"\n", end))
    line = raw[: raw.index(b"\xe9")].count(b"\n") + 1
    assert f"{file}:{line}: byte 0xe9 is not UTF-8; save the file as UTF-8" in site.faults()


def test_a_clone_on_a_system_with_other_line_ends_has_the_same_files(root: Path, tmp_path: Path) -> None:
    if shutil.which("git") is None or not (root / ".git").exists():
        pytest.skip("this is no clone of the repository, or git is not there")
    clone = tmp_path / "clone"
    command = ["git", "-c", "core.autocrlf=true", "-c", "core.eol=crlf", "clone", "--quiet", str(root), str(clone)]
    subprocess.run(command, check=True, capture_output=True)
    listed = subprocess.run(["git", "ls-files", "--eol"], cwd=clone, check=True, capture_output=True, text=True).stdout
    ends = [line.split()[:2] for line in listed.splitlines()]
    assert ["i/lf", "w/lf"] in ends
    assert [pair for pair in ends if pair[0][2:] != pair[1][2:]] == []
    assert b"\r" not in (clone / "publish").read_bytes()


def test_a_feed_holds_nothing_that_xml_cannot(tmp_path: Path) -> None:
    site = MiniSite(tmp_path, {"site_url": "https://example.org"})
    hostile = "".join(map(chr, [*range(0x20), 0x7F, 0x85, 0xFFFE, 0xFFFF, 0xD800, 0x1F600])) + "<&\"'>"
    text = feeds.escape(hostile)
    assert "\x00" not in text
    assert xml.dom.minidom.parseString(f"<a>{text}</a>".encode()).documentElement is not None
    xml.dom.minidom.parseString(str(site.build().files["feed.xml"]).encode())


@pytest.mark.parametrize("character", ["\x00", "\x07", "\x1b", "\x7f", "\n", "\t", "\u202e", "\ufffe", "\u2028"])
def test_a_card_has_no_name_that_does_not_print(tmp_path: Path, character: str) -> None:
    mini_cards.write(tmp_path, mini_cards.ALPHA, "code", mini_cards.code())
    text = (tmp_path / "mini-alpha/sums/code.yaml").read_text(encoding="utf-8")
    shown = f'"A\\u{ord(character):04x}B"'
    with pytest.raises(RecordingError, match=r"bad\.yaml:\d+: card\.name: "):
        parse(text.replace("name: Mini Alpha", f"name: {shown}"), "bad.yaml")


# ---- what YAML would bend ------------------------------------------------------------------------------------------

BENT = [
    "12:30", "12:30:45.5", "yes", "no", "on", "off", "Yes", "NO", "True", "FALSE", "017", "0o17", "0b11", "0x10",
    "1_000", "1_0.5", "2024-01-01", "2024-01-01 10:00:00", "2024-99-99", ".5", "5.", "1e3", "1E-3", "+5", "+1.5", "-0",
    "~", "null", "Null", "=", "<<", "a #b", "Rung #1", ".NaN", "+.inf",
]  # fmt: skip


@pytest.mark.parametrize("word", BENT)
@pytest.mark.parametrize("form", ["a: {}", "a:\n  - {}", "a: {{b: {}}}", "a:\n  b: {}"])
def test_a_word_that_yaml_bends_is_refused_with_its_place(word: str, form: str) -> None:
    text = "x: 1\n" + form.format(word) + "\n"
    if word.endswith(("b", "1")) and "#" in word and "{" in form:
        text = text.replace("}", "\n}")
    with pytest.raises(RecordingError) as caught:
        parse_yaml(text, "some.yaml")
    line = text[: text.index(word)].count("\n") + 1
    assert str(caught.value).startswith(f"some.yaml:{line}: a"), caught.value
    assert "quote" in str(caught.value)


@pytest.mark.parametrize("word", BENT)
def test_the_same_word_in_quotes_is_what_it_looks_like(word: str) -> None:
    assert parse_yaml(f"a: '{word}'\nb: \"{word}\"\nc: |-\n  {word}\n", "some.yaml")[0] == dict.fromkeys("abc", word)


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("13", 13), ("-13", -13), ("0", 0), ("1.5", 1.5), ("-0.25", -0.25), ("1.0e-05", 1e-05), ("1.0e+20", 1e20),
        ("true", True), ("false", False), ("a b", "a b"), ("v13.10", "v13.10"), ("1.2.3", "1.2.3"),
        ("16 x 16", "16 x 16"),
        ("a#b", "a#b"), ("a  # a comment", "a"), ("a\t# a comment", "a"), ("5 # a comment", 5), ("y", "y"),
        ("1,000", "1,000"),
    ],
)  # fmt: skip
def test_a_plain_word_is_read_as_it_looks(word: str, value: object) -> None:
    found = parse_yaml(f"a: {word}\n", "some.yaml")[0]["a"]
    assert found == value
    assert isinstance(found, type(value))


def test_a_number_keeps_the_zeros_that_were_written() -> None:
    found = parse_yaml("a: 13.10\nb: 13.1\n", "some.yaml")[0]
    assert found["a"] == found["b"] == 13.1
    assert [str(found["a"]), f"{found['a']}", str(found["b"])] == ["13.10", "13.10", "13.1"]


@pytest.mark.parametrize("key", ["12:30", "no", "017", "1e3", "2024-01-01", "~", "6", "0o17"])
def test_a_key_that_yaml_bends_is_refused(key: str) -> None:
    with pytest.raises(RecordingError, match=r"some\.yaml:2: a key must be a plain string; quote it"):
        parse_yaml(f"a: 1\n{key}: 2\n", "some.yaml")
    assert parse_yaml(f"'{key}': 2\n", "some.yaml")[0] == {key: 2}


def test_all_bent_words_of_a_file_come_at_once() -> None:
    with pytest.raises(RecordingError) as caught:
        parse_yaml("a: no\nb: {c: 017}\nd: [~]\n", "some.yaml")
    assert [line.split(": ")[:2] for line in str(caught.value).splitlines()] == [
        ["some.yaml:1", "a"], ["some.yaml:2", "b.c"], ["some.yaml:3", "d.0"],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("file", "old", "key"),
    [
        ("content/site.yaml", "title: Mini", "title"),
        ("content/sums/article.yaml", "title: Sums of rows", "title"),
        ("content/terms.yaml", "term: row", "row.term"),
        ("content/glossary.yaml", "name: Shuffle", "SHFL.name"),
        ("recordings/published/somewhere.yaml", "name: Some Card", "card.name"),
        ("recordings/mini-alpha/sums/times.yaml", "driver: 1.2.3", "card.driver"),
    ],
)
@pytest.mark.parametrize("word", ["13", "13.10", "13.5", "true", "12:30", "no", "2024-01-01"])
def test_wherever_a_text_is_wanted_the_fault_says_to_quote_it(
    tmp_path: Path, file: str, old: str, key: str, word: str
) -> None:
    site = MiniSite(tmp_path)
    text = (site.root / file).read_text(encoding="utf-8")
    at = text.index(old)
    end = min(text.find(mark, at) for mark in ("\n", "}", ",") if text.find(mark, at) > 0)
    site.write(file, f"{text[:at]}{old.partition(':')[0]}: {word}{text[end:]}")
    line = text[:at].count("\n") + 1
    faults = [fault for fault in site.faults() if fault.startswith(f"{file}:{line}: {key}: ")]
    assert len(faults) == 1, site.faults()
    assert "quote it" in faults[0]
    assert word in faults[0].replace("True", "true")


def test_the_recorders_own_files_come_back_word_for_word(root: Path) -> None:
    cards = load_cards(root / "recordings")
    recordings = [r for card in cards.values() for r in (*card.recordings.values(), *card.without.values())]
    assert len(recordings) > 10
    for recording in recordings:
        assert recording.path is not None
        assert dump(recording.header, recording.results) == recording.path.read_text(encoding="utf-8"), recording.path


@pytest.mark.parametrize("word", BENT)
def test_what_the_recorder_writes_comes_back_as_it_was(tmp_path: Path, word: str) -> None:
    changes = {"toolkit": {word: word, "nvrtc": word}, "method": {"how": word}}
    mini_cards.write(tmp_path, mini_cards.ALPHA, "code", mini_cards.code(), **changes)
    header = load(tmp_path / "mini-alpha/sums/code.yaml").header
    assert (header.toolkit, header.method) == (changes["toolkit"], changes["method"])


@pytest.mark.parametrize("written", ["13.10", "47.20", "8.0", "96"])
def test_a_published_number_is_printed_as_its_source_printed_it(tmp_path: Path, written: str) -> None:
    site = MiniSite(tmp_path)
    head = "source: {title: A log}\ncard: {name: A card}\n"
    body = f"method: {{toolkit: {written}}}\nvalues: {{a_us: {written}}}\n"
    site.write("recordings/published/a_log.yaml", head + body)
    site.append("content/sums/01-the-sum.md", "{published}`a_log.method.toolkit` {published}`a_log.a_us`")
    page = str(site.build().files["sums/index.html"])
    assert f">{written}<span" in page
    assert f">{written}\u00a0µs<span" in page
