"""Do the figures of blocks on SMs show where and when each block ran? On fixture cards and made launches."""

from __future__ import annotations

import numpy as np
import pytest

from publisher.figures import (
    fill_the_chip,
    placement,
    tiles_blocks_sms,
)
from publisher.figures.kit.figure import Evidence, Missing
from publisher.figures.kit.placed import Launch, placed_rungs
from publisher.figures.kit.style import fmt_count, fmt_time, sm_grid
from schema.results import Table
from tests.figure_states import captions, state
from tests.figures.evidence import changed


def launch(rows: list[tuple[int, int, float, float]], sms: int = 4) -> Launch:
    block, sm, start, end = (np.array(column) for column in zip(*rows, strict=True))
    return Launch(block, sm, start.astype(float), end.astype(float), sms)


def test_waves_lanes_tail_and_blocks_at_work() -> None:
    made = launch([(0, 0, 0, 4), (1, 1, 0, 3), (2, 0, 1, 5), (3, 1, 3, 9), (4, 0, 4, 6)])
    assert made.wave.tolist() == [1, 1, 1, 2, 2], "blocks that run side by side on an SM are of one wave"
    assert made.lane.tolist() == [0, 0, 1, 0, 0]
    assert made.tail_start_us == 6
    assert made.duration_us == 9
    assert made.per_sm.tolist() == [3, 2, 0, 0]
    assert made.spread_text == "1 of 4 SMs ran 3\u00a0blocks, 1 ran 2, and 2 ran none"
    assert made.busy_share == pytest.approx((6 + 9) / (4 * 9))
    moments, running = made.running
    assert dict(zip(moments.tolist(), running.tolist(), strict=True)) == {0: 2, 1: 3, 3: 3, 4: 3, 5: 2, 6: 1, 9: 0}


def test_tiles_place_every_block_on_its_recorded_sm(evidence: Evidence) -> None:
    figure = tiles_blocks_sms.draw(evidence)
    table = evidence.need("placement").results.rungs["async_copy"].launches[0].arrays
    steps = figure.sequences[""]
    assert len(steps) == table["block"].size + 1
    for block, sm in zip(table["block"].astype(int), table["sm"].astype(int), strict=True):
        assert f"it ran on SM {sm} " in steps[block].caption
        rows = f"rows {block * 128} to {block * 128 + 127}"
        assert rows in steps[block].caption.replace(",", "")
        now = state(figure, "", steps[block].slug)[0][5]
        assert now["text"] == [str(block)]
    assert [row[2] for row in figure.table.rows] == [str(int(sm)) for sm in table["sm"]]


def test_many_blocks_are_placed_in_groups(evidence: Evidence) -> None:
    figure = tiles_blocks_sms.draw(evidence, rung="tuned", launch="2")
    assert len(figure.sequences[""]) == tiles_blocks_sms.GROUPS + 1
    counts = state(figure, "", "all")[0][4]["text"]
    assert sum(map(int, counts)) == 512


@pytest.mark.parametrize("options", [{"launch": "9"}, {"launch": "first"}, {"rung": "naive"}, {"rung": "nothing"}])
def test_tiles_of_a_launch_that_was_not_recorded_are_missing(options: dict[str, str], evidence: Evidence) -> None:
    with pytest.raises(Missing):
        tiles_blocks_sms.draw(evidence, **options)


@pytest.mark.parametrize("number", ["1", "2", "3"])
def test_fill_the_chip_counts_blocks_as_recorded(number: str, evidence: Evidence) -> None:
    figure = fill_the_chip.draw(evidence, launch=number)
    for slug, placed in evidence.need("placement").results.rungs.items():
        table = placed.launches[int(number) - 1].arrays
        counts = np.bincount(table["sm"].astype(int), minlength=132)
        data = state(figure, "", slug)[0]
        texts = data[fill_the_chip.COUNTS]
        told = dict(zip(zip(texts["x"], texts["y"], strict=True), texts["text"], strict=True))
        assert [int(told.get(spot, 0)) for spot in sm_grid(132)[2]] == counts.tolist()
        places = [
            (x, round(base + fill_the_chip.SIDE / 2)) for x, base in zip(*map(data[1].get, ("x", "base")), strict=True)
        ]
        spots = sm_grid(132)[2]
        assert sorted(places) == sorted(spots[sm] for sm in np.flatnonzero(counts))
        assert captions(figure)[slug].startswith(fmt_count(table["block"].size, "block"))
        title = evidence.need("code").results.rungs[slug].title
        assert sum(int(row[2]) for row in figure.table.rows if row[0].endswith(f" {title}")) == 132
    times = evidence.need("times").results.rungs["split_k"]
    assert f"cold {fmt_time(times.cold.samples.median_us)}" in captions(figure)["split_k"]


def test_fill_the_chip_has_one_axis_of_time_and_the_rungs_before(evidence: Evidence) -> None:
    figure = fill_the_chip.draw(evidence)
    first, *_, last = figure.sequences[""]
    assert not state(figure, "", first.slug)[0][fill_the_chip.PAST]["x"]
    past = state(figure, "", last.slug)[0][fill_the_chip.PAST]["x"]
    assert past.count(None) == len(figure.sequences[""]) - 1
    assert all("xaxis2" not in step.layout for step in figure.sequences[""])


def test_fill_the_chip_takes_rungs_and_says_which_are_absent(evidence: Evidence) -> None:
    figure = fill_the_chip.draw(evidence, rungs="tuned, naive")
    assert list(captions(figure)) == ["tuned"]
    assert "naive: not recorded" in figure.table.caption


@pytest.mark.parametrize("launch", ["0", "9", "first"])
def test_fill_the_chip_of_a_launch_that_was_not_recorded_is_missing(launch: str, evidence: Evidence) -> None:
    with pytest.raises(Missing):
        fill_the_chip.draw(evidence, launch=launch)


def test_placement_draws_each_block_once(evidence: Evidence) -> None:
    figure = placement.draw(evidence)
    _, placed, _ = placed_rungs(evidence)
    for one in placed:
        for number, recorded in enumerate(one.launches[: placement.MOST_LAUNCHES], start=1):
            data, _ = state(figure, f"{one.rung.slug},{number}", "tail")
            bars = [trace for trace in data if trace["type"] == "bar" and trace["visible"]]
            blocks = [block for trace in bars for block in trace["customdata"]]
            assert sorted(blocks) == list(range(recorded.blocks))
            ends = [b + x for trace in bars for b, x in zip(trace["base"], trace["x"], strict=True)]
            assert max(ends) == pytest.approx(recorded.duration_us, abs=0.002)


def test_placement_steps_through_the_waves(evidence: Evidence) -> None:
    figure = placement.draw(evidence)
    assert list(captions(figure, "split_k,1")) == ["wave_1", "tail", "ends"]
    assert "none waits for another" in captions(figure, "split_k,1")["wave_1"]
    assert "% of the launch" in captions(figure, "split_k,1")["tail"]


def test_placement_of_more_blocks_than_fit_has_several_waves(evidence: Evidence) -> None:
    rungs = evidence.need("placement").results.rungs
    rows = [f"{block} {block % 132} {block // 132 * 100} {block // 132 * 100 + 100}" for block in range(300)]
    table = Table(columns="block sm start_ns end_ns", rows="\n".join(rows))
    one = rungs["split_k"].model_copy(update={"launches": [table]})
    figure = placement.draw(changed(evidence, "placement", rungs={"split_k": one}), rungs="split_k")
    said = captions(figure, "split_k")
    assert list(said)[:4] == ["wave_1", "wave_2", "wave_3", "tail"]
    assert "36\u00a0blocks" in said["wave_3"]
