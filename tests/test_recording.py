"""Does a recording come back as it was written, and does a bad one end in a sentence with file, line and key?"""

from __future__ import annotations

import itertools
import json
import os
import re
import stat
import time
from pathlib import Path

import pytest

from sass.listing import ListingError, check_sass, parse_sass
from schema import recording as rec
from schema import strict_yaml
from schema.recording import RecordingError, dump, load, load_card, load_cards, numbers_block, parse, write_atomically
from schema.results import EXPERIMENTS, Failed, NotMeasured, PeaksResults, Timed
from tests.fixture_cards import WHOLE, header, whole_card
from tests.fixture_results import Lab

PEAKS = PeaksResults(
    copy_GBps=4120.5, read_GBps=4650, l2_read_GBps=Failed(failed="no"), smem_GBps=1.0, fp32_tflops=1.0,
    hmma_fp16_tflops=1.0, hmma_bf16_tflops=1.0,
    library_fp16_tflops=NotMeasured(not_measured="PyTorch is not installed"),
)  # fmt: skip
GOOD = dump(header(WHOLE, "machine", "peaks"), PEAKS)
WHERE = re.compile(r"^bad\.yaml:\d+: \S", re.M)


def fault(text: str) -> str:
    """The error of ``text``; every line of it must name the file and a line."""
    with pytest.raises(RecordingError) as caught:
        parse(text, "bad.yaml")
    for line in str(caught.value).splitlines():
        assert WHERE.match(line), line
    return str(caught.value)


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


def swapped(old: str, new: str) -> str:
    """The good recording with one place changed, which must be there exactly once."""
    assert GOOD.count(old) == 1, old
    return GOOD.replace(old, new)


# ---- what is good ------------------------------------------------------------------------------------------------


def test_every_experiment_comes_back_equal(tmp_path: Path) -> None:
    home = whole_card(tmp_path)
    lab = Lab(seed=1)
    card = load_card(home)
    assert len(card.recordings) == len(EXPERIMENTS)
    for experiment in EXPERIMENTS:
        recording = card.get("linear", experiment) or card.get("machine", experiment)
        assert recording and recording.results.model_dump() == getattr(lab, experiment)().model_dump(), experiment
        assert recording.path and recording.path.read_text(encoding="utf-8") == dump(
            recording.header, recording.results
        )


def test_text_that_yaml_would_bend_comes_back_as_text() -> None:
    bent = [
        "13.10", "1e3", "yes", "null", "~", "12:30:45", "2026-01-01", "0x10", "1_000", "", " x ", "- a", "a: b", "#no",
        "=", "<<",
    ]  # fmt: skip
    made = header(WHOLE, "machine", "peaks", toolkit={text: text for text in bent})
    assert parse(dump(made, PEAKS), "good.yaml").header.toolkit == {text: text for text in bent}


@pytest.mark.parametrize(
    "text", ["a\nb\n", "a\nb", " a\nb\n", "\n\na\n\n", "a \n b\t\n", "tab\there\nx", "\u00b5s \u2014\n\u00e9", "a\n\n"]
)
def test_blocks_of_text_come_back(text: str) -> None:
    made = header(WHOLE, "machine", "peaks", toolkit={"t": text})
    assert parse(dump(made, PEAKS), "good.yaml").header.toolkit["t"] == text


def test_a_dump_is_the_same_every_time() -> None:
    assert dump(header(WHOLE, "machine", "peaks"), PEAKS) == GOOD
    assert GOOD.endswith("\n")
    assert GOOD.isascii()


def test_the_three_states_stay_apart() -> None:
    results = parse(GOOD, "good.yaml").results
    assert results.copy_GBps == 4120.5
    assert results.read_GBps == 4650
    assert results.l2_read_GBps == Failed(failed="no")
    assert results.library_fp16_tflops == NotMeasured(not_measured="PyTorch is not installed")


def test_a_recording_knows_its_lines() -> None:
    recording = parse(GOOD, "good.yaml")
    assert recording.lines[("results", "smem_GBps")] == line_of(GOOD, "smem_GBps")


def test_numbers_are_kept_short() -> None:
    assert numbers_block([0.71034, 12.0, 0.1 + 0.2, 650.00032], per_line=2) == "0.71034 12\n0.3 650.00032\n"
    assert list(Timed(samples_us="0.71034 12\n0.3 650.00032\n").samples.us) == [0.71034, 12.0, 0.3, 650.00032]


# ---- what is not YAML, or not all of it is wanted ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", 1, "empty"),
        ("\n\n# only a comment\n", 1, "empty"),
        ("---\n", 1, "empty"),
        ("hello\n", 1, "hello"),
        ("- a\n- b\n", 1, "a list"),
        ("42", 1, "42"),
        ("a: 1\n---\nb: 2\n", 2, "second document"),
        ("a: 1\n...\n---\nb: 2\n", 3, "second document"),
        ("a: &x 1\n", 1, "anchors"),
        ("a: 1\nb: *x\n", 2, "anchors"),
        ("a: &x [1]\nb: *x\n", 1, "anchors"),
        ("a: 1\nb: !!python/object/apply:os.system ['true']\n", 2, "tag"),
        ("a: !!binary aGk=\n", 1, "tag"),
        ("a: !mine 1\n", 1, "tag"),
        ("a: !!str 1\n", 1, "tag"),
        ("%TAG ! tag:x,2000:\n---\na: !b 1\n", 3, "tag"),
        ("a: 1\n\tb: 2\n", 2, "tab"),
        ("a: [1, 2\nb: 3\n", 2, "not valid YAML"),
        ("a: 'open\n", 2, "not valid YAML"),
        ("a: 1\na: 2\n", 2, "a is there twice"),
        ("x:\n  a: 1\n  b: 2\n  a: 3\n", 4, "x.a is there twice"),
        ("1: 2\n", 1, "plain string"),
        ("true: 2\n", 1, "plain string"),
        ("? [a]\n: 2\n", 1, "plain string"),
        ("? {a: 1}\n: 2\n", 1, "plain string"),
        ("<<: {a: 1}\n", 1, "plain string"),
        ("a: 2026-01-01\n", 1, "2026-01-01"),
        ("a: 2026-99-99\n", 1, "2026-99-99"),
        ("a: 2026-01-01T99:99:99Z\n", 1, "2026-01-01T99:99:99Z"),
        ("schema: 1\na: " + "9" * 5000 + "\n", 2, "number"),
        ("a: \x00\n", 1, "valid YAML"),
        ("a: \x07\n", 1, "valid YAML"),
        ("a: \ud800\n", 1, "valid YAML"),
        ('a: "\\ud800"\n', 1, "valid YAML"),
        ("a: 'x\ufffe'\n", 1, "valid YAML"),
    ],
)
def test_bad_yaml(text: str, line: int, says: str) -> None:
    message = fault(text)
    assert message.startswith(f"bad.yaml:{line}: "), message
    assert says in message


def test_billion_laughs_stop_at_the_first_anchor() -> None:
    names = "abcdefghi"
    lines = ["a: &a [lol, lol]"] + [f"{n}: &{n} [*{m}, *{m}, *{m}]" for m, n in itertools.pairwise(names)]
    assert fault("\n".join(lines)).startswith("bad.yaml:1: anchors")


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "{a: " * 100_000, "- " * 50_000 + "x", "? " * 50_000, "[" * 17 + "]" * 17]
)
def test_deep_nesting_is_refused_early(text: str) -> None:
    start = time.perf_counter()
    assert "nest" in fault(text)
    assert time.perf_counter() - start < 2


def test_depth_is_said_with_its_line() -> None:
    text = "".join("  " * depth + "a:\n" for depth in range(40))
    assert fault(text).startswith("bad.yaml:17: is nested deeper than 16 levels")


def test_too_many_values_are_refused() -> None:
    assert "has more than" in fault("a: [" + "1," * (strict_yaml.MAX_NODES + 5) + "]\n")


def test_too_long_a_text_is_refused() -> None:
    assert "at most" in fault("a: " + "x" * rec.MAX_BYTES)


# ---- files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "line", "says"),
    [
        (b"a: 1\nb: caf\xe9\n", 2, "0xe9 is not UTF-8"),
        (b"a: 1\r\n\r\nb: caf\xe9\r\n", 3, "0xe9 is not UTF-8"),
        (b"a: 1\rb: 2\rc: caf\xe9\r", 3, "0xe9 is not UTF-8"),
        (b"\xef\xbb\xbfa: 1\r\nb: 2\rc: caf\xe9\n", 3, "0xe9 is not UTF-8"),
        (GOOD.encode("utf-16"), 1, "is not UTF-8"),
        (b"a: 1\n\x80\n", 2, "0x80 is not UTF-8"),
        (b"", 1, "empty"),
        (b"\x00" * 100, 1, "valid YAML"),
        (bytes(range(256)), 1, ""),
    ],
)
def test_bad_bytes(tmp_path: Path, raw: bytes, line: int, says: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_bytes(raw)
    with pytest.raises(RecordingError) as caught:
        load(path, tmp_path)
    assert re.match(rf"bad\.yaml:{line}: ", str(caught.value)) or not says, caught.value
    assert says in str(caught.value)


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    with path.open("wb") as file:
        file.truncate(100_000_000)  # sparse
    start = time.perf_counter()
    with pytest.raises(RecordingError, match=r"bad\.yaml:1: the file has 100,000,000 bytes"):
        load(path, tmp_path)
    assert time.perf_counter() - start < 0.5


def test_what_is_no_readable_file(tmp_path: Path) -> None:
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "loop.yaml").symlink_to(tmp_path / "loop.yaml")
    for name in ("absent.yaml", "folder.yaml", "loop.yaml"):
        with pytest.raises(RecordingError, match=rf"{name}:1: "):
            load(tmp_path / name, tmp_path)


def test_a_pipe_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    with pytest.raises(RecordingError, match=r"pipe\.yaml:1: "):
        load(tmp_path / "pipe.yaml", tmp_path)


@pytest.mark.parametrize("end", ["\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_a_byte_order_mark_are_no_part_of_what_was_recorded(tmp_path: Path, end: str, mark: str) -> None:
    path = tmp_path / "good.yaml"
    path.write_bytes((mark + GOOD.replace("\n", end)).encode())
    found, plain = load(path), parse(GOOD, "good.yaml")
    assert (found.header, found.results, found.lines) == (plain.header, plain.results, plain.lines)


# ---- the schema ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "key", "says"),
    [
        ("seconds: 21.5", "seconds: 21.5\nextra: 1", "extra", "is not a key that belongs here"),
        ("seconds: 21.5", "seconds: twenty", "seconds", "the text 'twenty'"),
        ("seconds: 21.5", "seconds: .nan", "seconds", "finite"),
        ("seconds: 21.5", "seconds: .inf", "seconds", "finite"),
        ("seconds: 21.5", "seconds: true", "seconds", "true or false"),
        ("seconds: 21.5", "seconds:", "seconds", "is empty"),
        ("quick: false", "quick: 'no'", "quick", "the text 'no'"),
        ("quick: false", "quick: 0", "quick", "a whole number (0)"),
        ("quick: false\n", "", "quick", "is missing"),
        ("schema: 2", "schema: 3", "schema", "this version reads schema 2"),
        ("schema: 2", "schema: '1'", "schema", "'1'"),
        ("schema: 2\n", "", "schema", "schema is empty"),
        ("schema: 2", "schema: true", "schema", "True"),
        ("schema: 2", "schema: 1.0", "schema", "1.0"),
        ("experiment: peaks", "experiment: peeks", "experiment", "known experiments are code, times"),
        ("experiment: peaks", "experiment: [peaks]", "experiment", "known experiments are"),
        ("experiment: peaks", "experiment: times", "results", "is missing"),
        ("subject: machine", "subject: ../machine", "subject", "pattern"),
        ("subject: machine", 'subject: "machine\\n"', "subject", "pattern"),
        ("2026-01-02T03:04:05Z", "yesterday", "recorded", "pattern"),
        ("recorded: '2026-01-02T03:04:05Z'", "recorded: 2026-01-02T03:04:05Z", "recorded", "quote it"),
        ("2026-01-02T03:04:05Z", "2026-13-45T99:04:05Z", "recorded", "date"),
        ("slug: nvidia-h200", "slug: ../../etc", "card.slug", "pattern"),
        ("slug: nvidia-h200", "slug: a/b", "card.slug", "pattern"),
        ("slug: nvidia-h200", "slug: ..", "card.slug", "pattern"),
        ("slug: nvidia-h200", "slug: A", "card.slug", "pattern"),
        ("slug: nvidia-h200", 'slug: "a\\n"', "card.slug", "pattern"),
        ("slug: nvidia-h200", "slug: " + "a" * 65, "card.slug", "pattern"),
        ("arch: sm_90a", "arch: sm_90a</script>", "card.arch", "pattern"),
        ("sms: 132", "sms: 132.0", "card.sms", "integer"),
        ("sms: 132", "sms: '132'", "card.sms", "integer"),
        ("sms: 132", "sms: true", "card.sms", "true or false"),
        ("sms: 132", "sms: .inf", "card.sms", "integer"),
        ("sms: 132", "sms: [132]", "card.sms", "a list"),
        ("sms: 132", "sms: {failed: 3}", "card.sms.failed", "string"),
        ("sms: 132", "sms: {failed: a, also: b}", "card.sms", "a map"),
        ("sms: 132", "sms: {maybe: a}", "card.sms", "a map"),
        ("sms: 132", "sms: {not_measured: [x]}", "card.sms.not_measured", "a list"),
        ("name: NVIDIA H200", "name: " + "x" * 401, "card.name", "400"),
        ("  nvrtc: '13.10'", "  nvrtc: 13.10", "toolkit.nvrtc", "this is a number (13.10); quote it"),
        ("  launches: 100", "  launches: [100]", "method.launches", ""),
        ("  launches: 100", "  launches: .nan", "method.launches", "finite"),
        ("  launches: 100", "  Launches: 100", "method.Launches", "pattern"),
        ("smem_GBps: 1.0", "smem_GBps: .nan", "results.smem_GBps", "finite"),
        ("smem_GBps: 1.0", "smem_GBps: -.inf", "results.smem_GBps", "finite"),
        ("smem_GBps: 1.0", "smem_GBps: fast", "results.smem_GBps", "the text 'fast'"),
        ("smem_GBps: 1.0", "smem_GB: 1.0", "results.smem_GB", "belongs"),
        ("smem_GBps: 1.0\n", "\n", "results.smem_GBps", "is missing"),
    ],
)  # fmt: skip
def test_each_fault_names_its_key_and_line(old: str, new: str, key: str, says: str) -> None:
    text = swapped(old, new)
    lines = [line for line in fault(text).splitlines() if key in line and says in line]
    assert lines, fault(text)
    if new.strip() and "Launches" not in new:
        expected = line_of(text, new.split("\n")[-1].strip().split(" ")[0] if "extra" in new else new)
        if key != "results":
            assert lines[0].startswith(f"bad.yaml:{expected}: "), (lines, expected)


def test_results_that_are_missing_or_no_map() -> None:
    head = GOOD[: GOOD.index("results:")]
    for tail in ("", "results:\n", "results: 3\n", "results: [1]\n", "results: text\n"):
        message = fault(head + tail)
        assert "results" in message or "is missing" in message


def test_all_faults_come_at_once() -> None:
    text = GOOD
    for good, bad in (("seconds: 21.5", "seconds: x"), ("sms: 132", "sms: y"), ("smem_GBps: 1.0", "smem_GBps: z")):
        text = text.replace(good, bad)
    assert len(fault(text).splitlines()) == 3


@pytest.mark.parametrize(
    "block", ["1 2 nan", "inf", "1 two 3", "0x10", "1_000", "1e999", "-5", "", "  ", "1,2", "1;2", "٣", "1 2 \u0663"]
)
def test_samples_must_be_plain_finite_times(block: str) -> None:
    made = dump(header(WHOLE, "linear", "times"), Lab(seed=1, samples=5).times())
    first = re.search(r"samples_us: \|\n( +)[^\n]*\n", made)
    assert first
    text = made.replace(first.group(0), f"samples_us: {block!r}\n", 1)
    assert "results.rungs.naive.cold.samples_us" in fault(text)


@pytest.mark.parametrize(
    ("columns", "rows"),
    [("a b", "1 2 3"), ("", "1"), ("", ""), ("a a", "1 2"), ("a b", "1 x"), ("a", "nan"), ("a b", "1 1e999")],
)
def test_tables_must_be_whole(columns: str, rows: str) -> None:
    made = dump(header(WHOLE, "linear", "conditions"), Lab(seed=1).conditions())
    head = made[: made.rindex("  samples:")]
    tail = f"  samples: {{columns: '{columns}', rows: '{rows}'}}\n  throttle_reasons: {{}}\n  other_processes: 0\n"
    assert "results.samples" in fault(head + tail)


HOSTILE = [
    "<script>alert(1)</script>", "{{ 7 * 7 }}", "{% raw %}", "](javascript:alert(1))", "\u202egnp.exe", "`rm -rf`",
    "a\\nb", "'\"<>&", "\x1b[31m", "../../x", "%s %n {0}", "\u0000",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_only_ever_text(text: str) -> None:
    """It comes back unchanged or is refused: escaping is the page's work, and never a surprise on the way there."""
    try:
        made = dump(header(WHOLE.model_copy(update={"name": text}), "machine", "peaks"), PEAKS)
    except Exception as error:  # the writer may refuse, too
        assert isinstance(error, (RecordingError, ValueError)), error
        return
    try:
        assert parse(made, "bad.yaml").card.name == text
    except RecordingError as error:
        assert all(WHERE.match(line) for line in str(error).splitlines())


@pytest.mark.parametrize("key", ["<b>", "a b", "..", "a.b", "", "\x1b[31m", "x" * 500, "A" * 5])
def test_hostile_keys_are_refused_in_one_line(key: str) -> None:
    text = swapped("  launches: 100", f"  {json.dumps(key)}: 100")
    message = fault(text)
    assert "method" in message
    assert "\x1b" not in message
    assert max(map(len, message.splitlines())) < 400


# ---- folders ---------------------------------------------------------------------------------------------------------


def put(root: Path, where: str, text: str = GOOD) -> Path:
    path = root / where
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "where",
    ["other-card/machine/peaks.yaml", "nvidia-h200/linear/peaks.yaml", "nvidia-h200/machine/fragment.yaml"],
)
def test_a_recording_lies_where_it_says(tmp_path: Path, where: str) -> None:
    put(tmp_path, where)
    with pytest.raises(RecordingError, match=rf"{where}:1: says it is nvidia-h200/machine/peaks, which is not where"):
        load_cards(tmp_path, tmp_path)


def test_faults_of_all_files_of_all_cards_come_at_once(tmp_path: Path) -> None:
    put(tmp_path, "a/machine/peaks.yaml", "a: [")
    put(tmp_path, "b/machine/peaks.yaml", "schema: 9")
    put(tmp_path, "nvidia-h200/machine/peaks.yaml")
    with pytest.raises(RecordingError) as caught:
        load_cards(tmp_path, tmp_path)
    files = [line.split(":")[0] for line in str(caught.value).splitlines()]
    assert files == ["a/machine/peaks.yaml", "b/machine/peaks.yaml"]


def test_published_figures_are_no_card(tmp_path: Path) -> None:
    put(tmp_path, "published/machine/peaks.yaml", "not: a recording")
    put(tmp_path, "nvidia-h200/machine/peaks.yaml")
    (tmp_path / "empty").mkdir()
    (tmp_path / "README.md").write_text("text")
    cards = load_cards(tmp_path)
    assert list(cards) == ["nvidia-h200"]
    assert not cards["nvidia-h200"].compile_only


def test_cards_are_told_apart_by_what_they_have(mixed_cards: Path) -> None:
    cards = load_cards(mixed_cards)
    assert sorted(cards) == ["fixture-failed", "fixture-half", "fixture-slow", "nvidia-h200", "sm_120"]
    assert [slug for slug, card in cards.items() if card.compile_only] == ["sm_120"]
    half = cards["fixture-half"]
    assert half.get("linear", "sweep") is None
    assert half.without[("linear", "sweep")].results == Failed(failed="ran past its time limit of 120 s")
    assert isinstance(half.without[("linear", "counters")].results, NotMeasured)
    times = cards["fixture-failed"].get("linear", "times")
    assert times
    assert isinstance(times.results.rungs["split_k"], Failed)


@pytest.mark.parametrize("why", ["{failed: 3}", "{failed: a, not_measured: b}", "{not_measured: [a]}", "{because: a}"])
def test_a_whole_experiment_says_why_in_one_sentence(why: str) -> None:
    assert "results" in fault(GOOD[: GOOD.index("results:")] + f"results: {why}\n")


# ---- writing ---------------------------------------------------------------------------------------------------------


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "peaks.yaml"
    write_atomically(path, "old\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "new\n" * 100_000 + "\ud800")  # half of a pair: no file can hold it
    assert path.read_text() == "old\n"
    assert [p.name for p in path.parent.iterdir()] == ["peaks.yaml"]


def test_whole_numbers_keep_their_zeros_and_fractions_lose_theirs():
    assert numbers_block([10, 0, 1200], decimals=0) == "10 0 1200\n"
    assert numbers_block([10, 0.5, 12.25], decimals=3) == "10 0.5 12.25\n"


# ---- blocks of text whose form figures read ------------------------------------------------------------------------

CODE = dump(header(WHOLE, "linear", "code"), Lab(seed=1).code())


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("hello", "is not 'OFFSET Lsource Pptx TEXT'"),
        ("- - EXIT", "is not 'OFFSET Lsource Pptx TEXT'"),
        ("0010 L- P- this is no machine code", "is no SASS instruction"),
        ("0010 L- P- @X0 EXIT", "is no SASS instruction"),
        ("0000 L- P- EXIT", "does not come after"),
        ("10000 L- P- EXIT", "offset 0020 does not come after"),
    ],
)
@pytest.mark.parametrize("place", ["rungs", "variants"])
def test_a_line_that_is_no_instruction_is_named_by_its_own_line(place: str, wrong: str, words: str) -> None:
    lines = CODE.split("\n")
    start = next(n for n, line in enumerate(lines) if line == f"  {place}:")
    at = next(n for n in range(start, len(lines)) if lines[n].strip().startswith("0010 L"))
    lines[at] = f"{lines[at][: -len(lines[at].lstrip())]}{wrong}"
    at += words.startswith("offset")
    said = fault("\n".join(lines))
    assert said.startswith(f"bad.yaml:{at + 1}: results.{place}."), said
    assert ".sass: line " in said and words in said and "\n" not in said


@pytest.mark.parametrize("text", ["0000 L1 P- EXIT\n", "fff0 L- P- NOP\n10000 L- P- @!UPT BRA 0x10000\n", "\n", ""])
def test_a_listing_is_checked_as_it_is_parsed(text: str) -> None:
    assert check_sass(text) == text
    parse_sass(text)


@pytest.mark.parametrize(
    "text", ["ffff L- P- NOP\n10000 L- P- NOP\n1001 L- P- NOP\n", "0000 L- P- NOP\n0000 L- P- NOP\n"]
)
def test_what_the_check_lets_pass_is_what_the_parser_reads(text: str) -> None:
    for read in (check_sass, parse_sass):
        with pytest.raises(ListingError):
            read(text)


@pytest.mark.parametrize("word", ["1.2.3", "nan", "-4", "1_0"])
def test_a_number_that_is_none_is_named_by_its_own_line(word: str) -> None:
    text = dump(header(WHOLE, "linear", "times"), Lab(seed=1).times())
    lines = text.split("\n")
    at = next(n for n, line in enumerate(lines) if line.strip() == "samples_us: |") + 2
    lines[at] += f" {word}"
    assert fault("\n".join(lines)).startswith(f"bad.yaml:{at + 1}: results.rungs.")
