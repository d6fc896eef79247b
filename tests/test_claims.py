"""Does a claim decide what a page says on each card, and does a re-recording say which ones flipped?"""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from publisher.facts.claims import evaluate
from publisher.facts.diff import flipped_claims, moved_times, report
from publisher.facts.values import Facts
from schema.recording import load_card, load_cards
from schema.results import NotMeasured
from tests.mini import cards as mini_cards
from tests.mini.copies import MiniSite

TWO = "content/sums/02-two-rungs.md"
FASTER = "faster(sums.warp.cold, sums.plain.cold)"


@pytest.fixture
def site(tmp_path):
    return MiniSite(tmp_path)


def page(site: MiniSite, card: str) -> str:
    return str(site.build().files[f"sums/{card}/index.html"])


def test_each_card_shows_the_text_that_is_true_there(site):
    assert "The warp is " in page(site, "mini-alpha")
    assert "The warp gains nothing" not in page(site, "mini-alpha")
    assert "The warp gains nothing" in page(site, "mini-beta")
    assert "1.52 times as slow" in page(site, "mini-beta")


def test_a_claim_without_otherwise_that_fails_stops_the_build(site):
    site.edit(
        TWO,
        ":::{otherwise}\nThe warp gains nothing: {value}`sums.warp.cold` is "
        "{compare}`sums.warp.cold, sums.plain.cold`.\n:::\n",
        "",
    )
    (fault,) = site.faults()
    assert fault.startswith(f"{TWO}:10: the claim {FASTER} does not hold on Mini <b>Beta</b> & Sons: ")
    assert re.search(
        r"sums\.warp\.cold is 60\.99\d\sµs, sums\.plain\.cold is 40\.00\d\sµs; resolution 0\.0\d+\sµs", fault
    )
    assert ":::{otherwise}" in fault


def test_a_claim_about_what_was_not_measured_says_so_and_breaks_nothing(site):
    html = page(site, "mini-beta")
    assert 'class="claim is-missing"' in html
    assert "Warm is faster" not in html
    assert "Warm is no faster" not in html
    assert "python -m recorder --gpu 0 --only sums/times" in html


def test_every_claim_is_listed_for_every_card(site):
    built = site.build()
    rows = json.loads(built.files["claims/claims.json"])
    assert [(row["file"], row["line"], row["expression"]) for row in rows][0] == (TWO, 10, FASTER)
    assert [[row["cards"][card]["holds"] for card in ("mini-alpha", "mini-beta")] for row in rows] == [
        [True, False],
        [True, None],
    ]
    html = str(built.files["claims/index.html"])
    for text in ("does not hold", "not recorded", FASTER, "Mini &lt;b&gt;Beta&lt;/b&gt; &amp; Sons", f"{TWO}:10"):
        assert text in html
    anchors = re.findall(r'href="\.\./(sums/[^"#]+)#(claim-[^"]+)"', html)
    assert len(anchors) == 4
    for file, anchor in anchors:
        assert f'id="{anchor}"' in built.files[file]


def test_details_show_two_close_times_apart(site):
    facts = Facts(load_cards(site.root / "recordings")["mini-alpha"])
    detail = evaluate("same(sums.warp.cold, sums.warp.cold + 0 * sums.warp.cold)", facts).detail
    assert re.fullmatch(r"sums\.warp\.cold is 12\.49\d\sµs, .* is 12\.49\d\sµs; resolution 0\.0\d+\sµs", detail)


def rerecorded(site: MiniSite, warp_us: float, seed: int = 3):
    """The alpha card before, and after a second recording with another time of the warp."""
    old = load_card(site.root / "recordings" / "mini-alpha")
    times = mini_cards.times(seed, {"plain": (40.0, 31.0), "warp": (warp_us, 8.0)})
    mini_cards.write(site.root / "new", mini_cards.ALPHA, "times", times)
    mini_cards.write(site.root / "new", mini_cards.ALPHA, "code", mini_cards.code())
    return old, load_card(site.root / "new" / "mini-alpha")


def test_a_time_within_the_resolution_has_not_moved(site):
    old, new = rerecorded(site, 12.5, seed=1)
    assert moved_times(old, new) == []


def test_a_time_beyond_the_resolution_has_moved(site):
    moved = moved_times(*rerecorded(site, 14.0))
    assert [item.key for item in moved if item.key.startswith("sums.warp")] == ["sums.warp.cold"]
    warp = next(item for item in moved if item.key == "sums.warp.cold")
    assert warp.old_us == pytest.approx(12.5, rel=0.01)
    assert warp.new_us == pytest.approx(14.0, rel=0.01)
    assert warp.old_us is not None
    assert warp.new_us is not None
    assert abs(warp.new_us - warp.old_us) > warp.resolution_us > 0
    assert re.fullmatch(r"sums\.warp\.cold: 12\.\d+ -> 1[34]\.\d+ µs \(\+1\d\.\d %, \d+\.\d resolutions\)", str(warp))


def test_a_time_that_went_is_said(site):
    old, new = rerecorded(site, 12.5)
    times = new.recordings["sums", "times"]
    gone = times.results.rungs["warp"].model_copy(update={"warm": NotMeasured(not_measured="no")})
    results = times.results.model_copy(update={"rungs": times.results.rungs | {"warp": gone}})
    new.recordings[("sums", "times")] = replace(times, results=results)
    assert "sums.warp.warm: 8.00\u00a0µs -> no time" in [str(item) for item in moved_times(old, new)]


def test_flipped_claims_are_named(site):
    old, new = rerecorded(site, 41.0)
    assert [(f.claim, f.before, f.after) for f in flipped_claims([FASTER, "card.sms > 3", FASTER], old, new)] == [
        (FASTER, True, False)
    ]
    lines = report([FASTER], {"mini-alpha": old}, {"mini-alpha": new, "other": new})
    assert lines[0].startswith("mini-alpha: ")
    assert lines[0].endswith("1 claims flipped")
    assert any(line.strip().startswith(f"{FASTER}: holds -> does not hold (sums.warp.cold is ") for line in lines)
    assert lines[-1] == "other: only in the new recordings"


def test_a_claim_that_lost_its_recording_has_flipped(site):
    old, new = rerecorded(site, 12.5)
    del new.recordings[("sums", "times")]
    (flipped,) = flipped_claims([FASTER], old, new)
    assert (flipped.before, flipped.after) == (True, None)
    assert "has no recording of sums/times" in flipped.detail
