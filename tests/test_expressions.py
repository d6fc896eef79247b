"""Does an expression in prose say what the recording says, with its unit and lineage, and can it do nothing else?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from publisher.facts.expressions import ExpressionError, in_words, parse, parse_list, shown
from publisher.facts.quantity import Quantity, difference, divide
from publisher.facts.units import TIME, formatted, significant, unit_of_key
from publisher.facts.values import FactMissing, Facts, UnknownFact, largest_twin_difference
from schema.recording import load_cards
from schema.statistics import Samples
from tests.fixture_cards import whole_card

RECORDINGS = Path(__file__).parent / "mini" / "recordings"
NBSP = "\u00a0"
SQUARE = "out_features_2048.in_features_2048"


@pytest.fixture(scope="module")
def cards():
    return load_cards(RECORDINGS)


@pytest.fixture(scope="module")
def alpha(cards):
    return Facts(cards["mini-alpha"], cards, {"sums": ["plain", "warp"]})


@pytest.fixture(scope="module")
def beta(cards):
    return Facts(cards["mini-beta"], cards, {"sums": ["plain", "warp"]}, {"sums": {"warp": {"WARP", "LATER"}}})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("card.sms", "40"),
        ("card.name", "Mini Alpha"),
        ("card.date", "2026-03-04"),
        ("card.l2_bytes", f"20,000,000{NBSP}bytes"),
        ("card.l2_bytes|MB", f"20.0{NBSP}MB"),
        ("card.sm_clock_max_MHz", f"1500{NBSP}MHz"),
        ("sums.problem.rows", "4096"),
        ("sums.flops", "4,194,304"),
        ("sums.least_bytes.fp32|MiB", f"16.0{NBSP}MiB"),
        ("sums.plain.cold", f"40.0{NBSP}µs"),
        ("sums.plain.cold|ms", f"0.0400{NBSP}ms"),
        ("sums.floors.empty.cold", f"1.25{NBSP}µs"),
        ("sums.warp.const.WARP", "32"),
        ("sums.warp.blocks", "1024"),
        ("sums.warp.registers", "24"),
        ("sums.times.rungs.warp.check.worst_error", "0.250"),
        ("sums.times.warp.check.worst_error", "0.250"),
        ("sums.plain.cold / sums.warp.cold", "3.20"),
        ("sums.least_bytes.fp32 / sums.warp.cold|GB/s", f"1340{NBSP}GB/s"),
        ("sums.flops / sums.warp.cold", f"336{NBSP}GFLOP/s"),
        ("sums.flops / sums.least_bytes.fp32", "0.250"),
        ("sums.problem.rows / sums.problem.columns", "4"),
        ("min(sums.plain.cold, sums.warp.cold)", f"12.5{NBSP}µs"),
        ("max(sums.plain.cold, sums.warp.cold)", f"40.0{NBSP}µs"),
        ("-sums.warp.cold + sums.plain.cold", f"27.5{NBSP}µs"),
        ("2 * sums.warp.cold", f"25.0{NBSP}µs"),
    ],
)
def test_values_come_with_the_unit_a_reader_expects(alpha, text, expected):
    assert shown(parse(text).quantity(alpha)) == expected


@pytest.mark.parametrize(
    ("text", "keys", "kind"),
    [
        ("sums.warp.cold", ("sums.warp.cold",), "recorded"),
        ("sums.times.rungs.warp.cold", ("sums.warp.cold",), "recorded"),
        ("sums.plain.cold / sums.warp.cold", ("sums.plain.cold", "sums.warp.cold"), "derived"),
        ("sums.warp.cold - sums.floors.empty.cold", ("sums.warp.cold", "sums.floors.empty.cold"), "derived"),
        ("min(sums.plain.cold, sums.warp.cold)", ("sums.warp.cold", "sums.plain.cold"), "derived"),
        ("sums.flops", ("sums.flops",), "derived"),
        ("sums.warp.registers", ("sums.warp.registers",), "recorded"),
    ],
)
def test_a_result_keeps_its_lineage_and_kind(alpha, text, keys, kind):
    found = parse(text).quantity(alpha)
    assert (found.keys, found.kind) == (keys, kind)


def test_a_time_carries_how_it_was_measured(alpha):
    found = parse("sums.warp.cold").quantity(alpha)
    assert (found.statistic, found.samples, found.date) == ("median", 60, "2026-03-04")
    assert found.recordings == ("sums/times",)
    assert found.source is not None
    assert found.resolution >= found.source.step_us > 0


def test_the_largest_twin_difference_widens_the_resolution(cards, alpha):
    times = cards["mini-alpha"].recordings["sums", "times"]
    twins = largest_twin_difference(times, "cold")
    assert twins > 0
    assert largest_twin_difference(times, "warm") == 0.0  # its twin was not measured
    found = parse("sums.plain.cold").quantity(alpha)
    assert found.resolution >= twins * found.number


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("faster(sums.warp.cold, sums.plain.cold)", True),
        ("slower(sums.warp.cold, sums.plain.cold)", False),
        ("same(sums.warp.cold, sums.warp.cold)", True),
        ("same(sums.warp.cold, sums.plain.cold)", False),
        ("sums.warp.cold < sums.plain.cold", True),
        ("10 < card.sms <= 40", True),
        ("card.sms == 40 and not card.sms > 40", True),
        ("card.sms != 40 or sums.problem.rows == 4096", True),
        ("card.name == card.name", True),
        ("ratio(sums.plain.cold, sums.warp.cold) > 3", True),
        ("sums.warp.cold + sums.floors.empty.cold < sums.plain.cold", True),
    ],
)
def test_claims_are_true_or_false(alpha, text, expected):
    assert parse(text).truth(alpha) is expected


def timed(*us: float) -> Quantity:
    samples = Samples(np.array(us))
    return Quantity(samples.median_us, TIME, "recorded", ("a",), source=samples, resolution=samples.step_us)


def test_comparisons_know_the_resolution():
    near, far = timed(10.0, 10.1, 10.2), timed(10.1, 10.2, 10.3)
    assert difference(near, far) == 0
    assert in_words(near, far) == "the same within the resolution"
    slow = timed(16.5, 16.6, 16.7)
    assert in_words(near, slow) == "1.64 times as fast"
    assert in_words(slow, near) == "1.64 times as slow"
    assert in_words(timed(10.0, 10.0, 10.0), timed(10.01, 10.01, 10.01)) == "1.001 times as fast"


def test_twins_can_make_two_times_the_same():
    a, b = timed(10.0, 10.0, 10.0), timed(10.5, 10.5, 10.5)
    assert difference(a, b) == -1
    wide = Quantity(b.value, TIME, source=b.source, twin_difference=0.06)
    assert difference(a, wide) == 0


def test_resolution_propagates_through_arithmetic():
    a = Quantity(10.0, TIME, "recorded", ("a",), resolution=0.1)
    b = Quantity(5.0, TIME, "recorded", ("b",), resolution=0.1)
    assert divide(a, b).resolution == pytest.approx(0.1 / 5 + 10 * 0.1 / 25)
    assert difference(divide(a, b), Quantity(2.05)) == 0
    assert difference(divide(a, b), Quantity(2.07)) == -1


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("sums.wrap.cold", "did you mean warp?"),
        ("sums.warp.cool", "did you mean cold?"),
        ("summs.warp.cold", "did you mean sums?"),
        ("card.smms", "did you mean sms?"),
        ("sums.problem.row", "did you mean rows?"),
        ("sums.least_bytes.fp23", "did you mean fp32?"),
        ("sums.warp.const.WRAP", "did you mean WARP?"),
        ("sums.warp", "has no empty field"),
        ("sums", "names no value"),
        ("sums.times", "whole recording"),
        ("sums.times.rungs", "a group of values"),
        ("sums.warp.registers.more", "has no parts"),
    ],
)
def test_a_path_that_names_nothing_says_what_is_there(alpha, text, part):
    with pytest.raises(UnknownFact, match=part.replace("?", r"\?")):
        parse(text).quantity(alpha)


@pytest.mark.parametrize(
    ("text", "what", "command"),
    [
        ("sums.warp.registers", "Mini <b>Beta</b> & Sons has no recording of sums/code", "--only sums/code"),
        ("sums.warp.warm", "was not measured: the weights <did> not stay in L2", ""),
        ("sums.probes.warp.full.cold", "has no recording of sums/probes", "--only sums/probes"),
        ("machine.peaks.read_GBps", "has no recording of machine/peaks", "--only machine/peaks"),
        ("card.power_limit_W", "was not measured: the management library refused", ""),
    ],
)
def test_a_gap_is_no_misspelling(beta, text, what, command):
    with pytest.raises(FactMissing) as caught:
        parse(text).quantity(beta)
    assert what in caught.value.what
    assert caught.value.command == (f"python -m recorder --gpu 0 {command}" if command else "")


def test_what_another_card_has_is_a_gap_here(cards):
    facts = Facts(cards["mini-beta"], cards)
    with pytest.raises(FactMissing):
        facts.get("sums.warp.const.WARP")


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "card.__class__",
        "_secret",
        "sums._private",
        "().__class__",
        "(lambda: 1)()",
        "[x for x in (1, 2)]",
        "{1: 2}",
        "'text'",
        "f'{card}'",
        "9 ** 9 ** 9",
        "1 << 100",
        "1 // 2",
        "card.sms if card.sms else 1",
        "print(1)",
        "card.sms()",
        "min(*[1])",
        "min(a=1)",
        "same(1)",
        "same(1, 2, 3)",
        "min(1)",
        "card['sms']",
        "card[0:1]",
        "(a := 1)",
        "True",
        "1e999",
        "1j",
        "card.sms; 1",
        "",
        "   ",
        "1 +",
        "(" * 500 + ")" * 500,
        "1" + "+1" * 300,
        "-" * 200 + "1",
        "card.sms in (1, 2)",
        "card.sms is card.sms",
        "await card",
        "yield 1",
        "*card",
        "card.sms|lightyears",
        "card.sms|",
    ],
)
def test_the_sandbox_refuses_everything_else(text):
    with pytest.raises(ExpressionError):
        parse(text)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("sums.warp.cold + card.sms", "a time and card.sms is a plain number"),
        ("sums.warp.cold < sums.flops", "cannot be compared"),
        ("ratio(sums.warp.cold, sums.flops)", "no ratio"),
        ("sums.warp.cold|GB/s", "would be bytes a second"),
        ("card.name|ms", "is a text"),
        ("card.name + 1", "is a text"),
        ("card.sms / 0", "cannot be divided by"),
        ("same(1, 2)", "is true or false, not a number"),
        ("card.name < card.name", "no order"),
    ],
)
def test_nonsense_is_said_to_be_nonsense(alpha, text, part):
    with pytest.raises(ExpressionError, match=part):
        parse(text).quantity(alpha)


def test_a_number_is_no_claim(alpha):
    with pytest.raises(ExpressionError, match="true or false"):
        parse("card.sms").truth(alpha)


def test_lists_split_at_commas_outside_calls(alpha):
    first, second = parse_list("min(card.sms, 3), card.sms")
    assert (first.quantity(alpha).value, second.quantity(alpha).value) == (3, 40)


def test_numbers_inside_paths_reach_lists(tmp_path):
    whole_card(tmp_path)
    card = load_cards(tmp_path)["nvidia-h200"]
    with pytest.raises(UnknownFact, match="a listing"):
        Facts(card).get("linear.code.naive.code.sass")
    found = parse("linear.sweep.settings.3.times.cold * 1.5").quantity(Facts(card))
    assert found.value == pytest.approx(
        card.recordings["linear", "sweep"].results.settings[3].times.cold.samples.median_us * 1.5
    )
    assert found.keys == ("linear.sweep.settings.3.times.cold",)


def test_a_shape_is_named_by_its_sizes(tmp_path):
    whole_card(tmp_path)
    card = load_cards(tmp_path)["nvidia-h200"]
    facts = Facts(card)
    entries = card.recordings["linear", "shapes"].results.shapes
    for path, batch, size in (("batch_4", 4, 4096), (SQUARE, 16, 2048)):
        place = next(
            i
            for i, shape in enumerate(entries)
            if shape.entry == "tuned"
            and (shape.problem["batch"], *list(shape.problem.values())[1:]) == (batch, size, size)
        )
        found = facts.get(f"linear.shapes.tuned.{path}.cold")
        assert found.value == entries[place].times.cold.samples.median_us
        assert found.keys == (f"linear.shapes.shapes.{place}.times.cold",)
    with pytest.raises(FactMissing, match=r"has no linear\.shapes\.tuned\.batch_5\.cold"):
        facts.get("linear.shapes.tuned.batch_5.cold")
    with pytest.raises(FactMissing):  # a list may be shorter on this card
        facts.get("linear.shapes.shapes.999.times.cold")
    for path, part in (
        ("tuend.batch_4.cold", "did you mean tuned?"),
        ("tuned.bacth_4.cold", "did you mean batch?"),
        ("tuned.batch_4.cool", "did you mean cold?"),
    ):
        with pytest.raises(UnknownFact, match=part.replace("?", r"\?")):
            facts.get(f"linear.shapes.{path}")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (9.273, "9.27"), (748.2, "748"), (46540.0, "46,500"), (1000.0, "1000"), (9.996, "10.0"), (999.6, "1000"),
        (0.0304, "0.0304"), (0.0, "0"), (-3.14159, "-3.14"), (12.0, "12.0"), (99999.0, "100,000"),
    ],
)  # fmt: skip
def test_three_significant_digits(value, expected):
    assert significant(value) == expected


@pytest.mark.parametrize(
    ("us", "expected"),
    [(0.0305, "30.5 ns"), (0.71, "0.710 µs"), (748.2, "748 µs"), (1234.0, "1.23 ms"), (2.5e6, "2.50 s")],
)
def test_times_choose_their_unit(us, expected):
    assert formatted(us, TIME).replace(NBSP, " ") == expected


def test_endings_of_keys_declare_units():
    found = [
        unit_of_key(k)
        for k in ("read_GBps", "smem_bytes", "time_us", "power_W", "temperature_C", "rows", "us", "SPLIT")
    ]
    assert found == ["GB/s", "bytes", "µs", "W", "°C", "", "", ""]
