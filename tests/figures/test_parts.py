"""Does the figure of blocks on SMs say what each block owns, whatever that is? On made declarations of a card."""

from __future__ import annotations

import numpy as np
import pytest

from publisher.figures import tiles_blocks_sms
from publisher.figures.kit.figure import Evidence, Missing, SteppedFigure
from publisher.figures.kit.parts import Parts
from schema.results import Failed, NotMeasured, Owned, RungPlacement, Table, owned_columns
from tests.figure_states import captions, state
from tests.figures.evidence import changed
from tests.figures.sound import assert_sound
from tests.fixture_results import table_rows

Spans = tuple[tuple[int, int], ...]
OUTLINE = 8  # its trace
TILES = [((y * 128, y * 128 + 128), (x * 256, x * 256 + 256)) for y in range(8) for x in range(4)]  # x over columns
FLAT = [((block * 256, block * 256 + 256),) for block in range(32)]


def owned(operand: str, shape: tuple[int, ...], parts: list[Spans], numbers: list[int] | None = None) -> Owned:
    rows = [(n, *sum(spans, ())) for n, spans in zip(numbers or range(len(parts)), parts, strict=True)]
    table = Table(columns=" ".join(owned_columns(len(shape))), rows=table_rows(rows))
    return Owned(operand=operand, shape=list(shape), regions=table)


def owning(evidence: Evidence, owns: Owned | NotMeasured | Failed, rung: str = "async_copy") -> Evidence:
    """The evidence where the blocks of one rung own something else, or nobody knows what."""
    rungs: dict[str, RungPlacement] = evidence.need("placement").results.rungs
    return changed(evidence, "placement", rungs={**rungs, rung: rungs[rung].model_copy(update={"owns": owns})})


def drawn(evidence: Evidence, operand: str, shape: tuple[int, ...], parts: list[Spans]) -> SteppedFigure:
    figure = tiles_blocks_sms.draw(owning(evidence, owned(operand, shape, parts)), rung="async_copy")
    assert_sound("tiles_blocks_sms", figure)
    return figure


def now(figure: SteppedFigure, block: int) -> tuple[float, float, float, float]:
    """The middle, top, width and height of what is lit on the operand."""
    trace = state(figure, "", f"block_{block}")[0][3]
    return trace["x"][0], trace["base"][0], trace["width"], trace["y"][0]


# ---- words ---------------------------------------------------------------------------------------------------------


def test_blocks_that_run_over_columns_own_columns(evidence: Evidence) -> None:
    figure = drawn(evidence, "C", (1024, 1024), TILES)
    said = captions(figure)
    for block, words in {
        0: "rows 0 to 127, columns 0 to 255 of C",
        1: "rows 0 to 127, columns 256 to 511 of C",
        4: "rows 128 to 255, columns 0 to 255 of C",
        31: "rows 896 to 1023, columns 768 to 1023 of C",
    }.items():
        assert said[f"block_{block}"].startswith(f"It owns {words}. ")
        assert figure.data[0]["hovertext"][block] == f"Block {block} owns {words}"
        assert figure.table.rows[block][1] == words
    assert figure.alt.startswith("To the left C with the 32\u00a0parts of it")
    assert "W" not in " ".join(said.values())


def test_a_dimension_that_is_whole_goes_without_saying() -> None:
    first, stop = (
        np.array([[0, 0], [0, 0], [5, 0], [0, 10_000]]),
        np.array([[8, 20_000], [4, 20_000], [6, 20_000], [8, 12_000]]),
    )
    parts = Parts("A", (8, 20_000), first, stop)
    assert [parts.words(block) for block in range(4)] == [
        "all of A", "rows 0 to 3 of A", "row 5 of A", "columns 10,000 to 11,999 of A",
    ]  # fmt: skip


def test_an_operand_of_one_dimension_has_elements(evidence: Evidence) -> None:
    figure = drawn(evidence, "d", (8192,), FLAT)
    assert captions(figure)["block_1"].startswith("It owns elements 256 to 511 of d. ")
    assert max(figure.data[OUTLINE]["x"]) == tiles_blocks_sms.STRIP


def test_the_name_of_an_operand_is_text(evidence: Evidence) -> None:
    figure = drawn(evidence, "<b>C</b>", (8192,), FLAT)
    assert "<b>" not in str(figure.data) and "<b>C</b>" in figure.alt


# ---- the picture ---------------------------------------------------------------------------------------------------


def test_a_part_is_drawn_where_it_lies(evidence: Evidence) -> None:
    figure = drawn(evidence, "C", (1024, 1024), TILES)
    rows = figure.data[OUTLINE]["y"][2] + 0.5
    for block, ((top, bottom), (left, right)) in enumerate(TILES):
        x, y, width, height = now(figure, block)
        assert x == pytest.approx((left + right) / 2 / 1024 * tiles_blocks_sms.LEFT, abs=0.01)
        assert y + 0.5 == pytest.approx(top / 1024 * rows, abs=0.01)
        assert width == pytest.approx((right - left) / 1024 * tiles_blocks_sms.LEFT, abs=0.06)
        assert height == pytest.approx((bottom - top) / 1024 * rows, abs=0.06)


def test_parts_may_leave_room_overlap_and_differ_in_size(evidence: Evidence) -> None:
    parts: list[Spans] = [((0, 1000), (0, 10)), *(((b * 20, b * 20 + 90), (b, b + 31)) for b in range(31))]
    figure = drawn(evidence, "C", (1000, 64), parts[::-1])
    narrow, wide = now(figure, 31), now(figure, 0)
    assert narrow[3] > wide[3] and narrow[2] < wide[2]


def test_blocks_may_share_a_part(evidence: Evidence) -> None:
    figure = drawn(evidence, "C", (64, 64), [((0, 64), (0, 64))] * 32)
    assert "C with the 1\u00a0part of it" in figure.alt
    assert captions(figure)["block_7"].startswith("It owns all of C. ")


def test_parts_are_joined_only_where_their_union_is_a_box() -> None:
    first, stop = np.array([[0, 0], [4, 0], [4, 4], [8, 0]]), np.array([[4, 4], [8, 4], [8, 8], [9, 4]])
    parts = Parts("A", (16, 8), first, stop)
    assert parts.joined([3, 1, 0]) == [(0, 4, 0, 9)]
    assert parts.joined([1, 2, 3]) == [(0, 4, 4, 9), (4, 8, 4, 8)]
    assert parts.joined([1, 2]) == [(0, 8, 4, 8)]
    assert parts.joined([0, 2, 3]) == [(0, 4, 0, 4), (0, 4, 8, 9), (4, 8, 4, 8)]


def test_many_blocks_are_drawn_over_the_parts_that_they_own(evidence: Evidence) -> None:
    tiles: list[Spans] = [((y * 4, y * 4 + 4), (x * 4, x * 4 + 4)) for y in range(16) for x in range(32)]
    figure = tiles_blocks_sms.draw(owning(evidence, owned("C", (64, 128), tiles), "tuned"), rung="tuned")
    assert_sound("tiles_blocks_sms", figure)
    done = state(figure, "", "all")[0][2]
    bottom = figure.data[OUTLINE]["y"][2]
    for step, rows in (("blocks_256", 8), ("all", 16)):
        done = state(figure, "", step)[0][2]
        assert len(done["x"]) == rows, "a row of tiles is one box"
        assert max(done["base"]) + max(done["y"]) == pytest.approx((bottom + 0.5) * rows / 16 - 0.5, abs=0.06)


# ---- neighbours ----------------------------------------------------------------------------------------------------


def test_neighbours_are_blocks_whose_parts_touch(evidence: Evidence) -> None:
    apart: list[Spans] = [((block * 4, block * 4 + 2),) for block in range(32)]
    for parts, size, pairs in (
        (FLAT, 8192, "Of 31\u00a0pairs of blocks"),
        (apart, 128, "No two blocks with neighbouring"),
    ):
        said = captions(drawn(evidence, "d", (size,), parts))["all"]
        assert pairs in said
    column_after_column: list[Spans] = [((y * 8, y * 8 + 8), (x, x + 1)) for x in range(2) for y in range(16)]
    assert "Of 30\u00a0pairs" in captions(drawn(evidence, "C", (128, 2), column_after_column))["all"]


# ---- what is not there ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("owns", "words", "helps"),
    [
        (NotMeasured(not_measured="the ladder does not declare it"), "not measured: the ladder does not", False),
        (Failed(failed="it stopped"), "failed: it stopped", True),
        (owned("T", (8, 4, 4), [((0, 8), (0, 4), (0, 4))] * 32), "3 dimensions; only one or two dimensions", False),
        (owned("C", (64, 64), [((0, 64), (0, 64))] * 31), "not those of the 32 blocks of async_copy", False),
        (owned("C", (64, 64), [((0, 64), (0, 64))] * 32, [*range(31), 40]), "not those of the 32 blocks", False),
    ],
)  # fmt: skip
def test_without_parts_to_draw_there_is_no_picture(
    owns: Owned | NotMeasured | Failed, words: str, helps: bool, evidence: Evidence
) -> None:
    with pytest.raises(Missing) as caught:
        tiles_blocks_sms.draw(owning(evidence, owns))
    assert words in caught.value.what and bool(caught.value.command) == helps


def test_the_first_placed_rung_is_shown_unless_another_is_named(evidence: Evidence) -> None:
    rungs = evidence.need("placement").results.rungs
    later = changed(evidence, "placement", rungs={slug: rungs[slug] for slug in ("tuned", "split_k")})
    titles = {slug: rung.title for slug, rung in evidence.need("code").results.rungs.items()}
    assert tiles_blocks_sms.draw(later).title.endswith(titles["split_k"]), "the first of the ladder"
    assert tiles_blocks_sms.draw(later, rung="tuned").title.endswith(titles["tuned"])
