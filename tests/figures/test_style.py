"""Do figures share sizes, words and layouts that are right?"""

from __future__ import annotations

import pytest

from publisher.figures.kit.style import axis, base_layout, cells, fmt_count, fmt_time, listed, sm_grid


@pytest.mark.parametrize("count", [1, 2, 7, 40, 46, 58, 72, 84, 108, 128, 132, 142, 148, 170, 188])
def test_sm_grid_has_a_place_for_each_and_fits_a_phone(count: int) -> None:
    columns, rows, spots = sm_grid(count)
    assert len(set(spots)) == count
    assert all(0 <= x < columns and 0 <= y < rows for x, y in spots)
    assert columns <= rows, "higher than wide"
    assert columns * rows - count < columns


def test_sm_grid_of_a_hopper_is_11_by_12() -> None:
    assert sm_grid(132)[:2] == (11, 12)
    with pytest.raises(ValueError, match="at least one SM"):
        sm_grid(0)


def test_words_for_times_counts_and_lists() -> None:
    assert fmt_time(9.2734) == "9.27\u00a0µs"
    assert fmt_time(1234.5) == "1.23\u00a0ms"
    assert fmt_count(1, "block") == "1\u00a0block"
    assert fmt_count(256, "block") == "256\u00a0blocks"
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"


def test_layout_is_merged_at_every_depth_and_cells_are_bars() -> None:
    layout = base_layout(margin={"l": 40}, xaxis=axis("µs", "log", range=[0, 1]))
    assert layout["margin"]["l"] == 40
    assert layout["margin"]["r"] == base_layout()["margin"]["r"]
    assert layout["xaxis"]["type"] == "log"
    trace = cells([1], [2], "@q3", 0.5, 1.0)
    assert (trace["type"], trace["base"], trace["y"], trace["width"]) == ("bar", [1.5], [1.0], 0.5)
