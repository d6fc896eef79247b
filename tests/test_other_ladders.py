"""Do ladders that are nothing like ours come through: recorded on the fake device, published, and true on the page?

A product of matrices with scalars and a grid of two dimensions, a softmax in place, and sums of bfloat16 numbers by a
cluster and through a tensor map: see ``tests/ladders``.
"""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from publisher.article.drawing import FIGURES
from publisher.build import Builder, Options
from publisher.facts.gaps import gaps_of
from recorder.experiments import jobs
from recorder.run.order import run
from schema.experiments import declared_by
from schema.load_ladder import load_ladders
from schema.recording import CardRecordings, load_card
from schema.results import NotDeclared, NotMeasured
from tests.fake_recorder import DEVICE

LADDERS = Path(__file__).parent / "ladders"
CARD = "fake-gpu"
NAMES = sorted(path.stem.replace("_", "-") for path in FIGURES.glob("*.py") if path.stem != "__init__")
SLUGS = ("sgemm", "softmax", "row_sums")


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recordings")
    ladders = load_ladders(LADDERS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAKE_LADDERS", str(LADDERS))
        _, outcomes = run(jobs(ladders), ladders, folder, 0, quick=True, kernels=LADDERS, device_factory=DEVICE)
    ours = [o for o in outcomes if o.job.subject in ladders]
    assert {o.job.key: o.faults for o in ours if o.faults} == {}
    assert {o.state for o in ours} == {"recorded"}
    return folder


@pytest.fixture(scope="module")
def card(recordings: Path) -> CardRecordings:
    return load_card(recordings / CARD)


@pytest.fixture(scope="module")
def pages(recordings: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The page of each ladder, with every figure there is, by its slug."""
    content = tmp_path_factory.mktemp("site") / "content"
    for order, slug in enumerate(SLUGS, start=1):
        folder = content / slug
        folder.mkdir(parents=True)
        text = f"title: {slug}\nsubject: {slug}\norder: {order}\nlede: Kernels of somebody else.\n"
        (folder / "article.yaml").write_text(text)
        figures = "".join(f"## The figure {name}\n\n:::{{figure}} {name}\n:::\n\n" for name in NAMES)
        (folder / "01-all.md").write_text(f"# All\n\n{VALUES[slug]}\n\n{figures}")
    text = f"title: Others\ntagline: Kernels of other people\ndefault_card: {CARD}\n"
    (content / "site.yaml").write_text(text)
    options = Options(recordings=recordings, content=content, kernels=LADDERS, root=content.parent)
    files = Builder(options).build(tmp_path_factory.mktemp("dist")).files
    return {slug: str(files[f"{slug}/index.html"]) for slug in SLUGS}


VALUES = {
    "sgemm": "M is {value}`sgemm.problem.M`; {value}`sgemm.shapes.shared.M_128.N_128.K_128.cold`; "
    "{value}`sgemm.shared.const.TILE` and {value}`sgemm.least_bytes.fp32`.",
    "softmax": "It moves {value}`softmax.least_bytes.fp32` in {value}`softmax.warp.cold`.",
    "row_sums": "{value}`row_sums.cluster.cold`, {value}`row_sums.floors.move_bf16_y_bf16.cold`.",
}


def plain(markup: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", markup)).split())


def figure_of(page: str, name: str) -> str:
    return page.split(f'id="fig-{name}"', 1)[1].split("</figure>", 1)[0]


def test_scalars_are_passed_and_an_output_that_is_read_is_put_back(card: CardRecordings) -> None:
    """The fake device computes alpha A B + beta C of what lies there: a second launch without C put back is wrong."""
    times = card.recordings["sgemm", "times"].results
    assert times.operands["c"].role == "inout" and times.operands["a"].cold and times.operands["b"].cold
    assert times.rungs["naive"].check.worst_error < 1
    m, n, k = times.problem["M"], times.problem["N"], times.problem["K"]
    assert times.least_bytes == {"fp32": 4 * (m * k + k * n + 2 * m * n)}


def test_what_is_cold_is_all_that_is_declared_cold(card: CardRecordings) -> None:
    method = card.recordings["sgemm", "times"].header.method
    problem = card.recordings["sgemm", "times"].results.problem
    assert method["cold_bytes_fp32"] == method["cold_copies_fp32"] * 4 * problem["K"] * (problem["M"] + problem["N"])


def test_a_type_that_numpy_has_not_is_measured_and_checked(card: CardRecordings) -> None:
    times = card.recordings["row_sums", "times"].results
    assert set(times.least_bytes) == {"bf16", "bf16_y_bf16"}
    assert all(times.rungs[slug].check.worst_error <= 1 for slug in ("warp", "cluster", "boxes"))
    code = card.recordings["row_sums", "code"].results.rungs["cluster"].code
    assert code.cluster == [2, 1, 1] and code.programmatic


def test_what_a_rung_needs_is_said_where_the_card_has_it_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_LADDERS", str(LADDERS))
    monkeypatch.setenv("FAKE_ARCH", "sm_80")
    ladders = {"row_sums": load_ladders(LADDERS)["row_sums"]}
    only = [job for job in jobs(ladders) if job.key in ("row_sums/times", "row_sums/code")]
    run(only, ladders, tmp_path, 0, quick=True, kernels=LADDERS, device_factory=DEVICE)
    found = load_card(tmp_path / CARD).recordings
    for slug in ("cluster", "boxes"):
        assert found["row_sums", "times"].results.rungs[slug] == NotMeasured(not_measured="needs sm_90")
        assert found["row_sums", "code"].results.rungs[slug].code == NotMeasured(not_measured="needs sm_90")
    assert found["row_sums", "times"].results.rungs["warp"].cold.samples.count


def test_shared_memory_that_a_block_of_the_card_has_not_is_said(card: CardRecordings) -> None:
    """The boxes take 98,432 bytes and the fake card gives 101,376; one box more would be too much."""
    launch = card.recordings["row_sums", "code"].results.rungs["boxes"].code
    assert launch.dynamic_smem_bytes == 3 * 64 * 256 * 2 + 128


@pytest.mark.parametrize("slug", SLUGS)
@pytest.mark.parametrize("name", NAMES)
def test_every_figure_is_drawn_or_says_why_not(pages: dict[str, str], slug: str, name: str) -> None:
    text = plain(figure_of(pages[slug], name))
    assert text
    for foreign in ("async_copy", "TILE_ROWS", "in_features", "weights", "rows of W", "such as batch"):
        assert foreign not in text


def test_a_block_owns_what_the_ladder_says(pages: dict[str, str]) -> None:
    text = plain(figure_of(pages["softmax"], "tiles-blocks-sms"))
    assert "0 rows 0 to 3 of x" in text and "511 rows 2044 to 2047 of x" in text


def test_what_is_not_declared_is_absent_and_no_gap(card: CardRecordings, pages: dict[str, str]) -> None:
    code = card.recordings["sgemm", "code"].results.rungs
    assert code["naive"].pipeline == NotDeclared(not_declared="the ladder declares no loop over slices for naive")
    assert "the ladder declares no loop over slices for" in plain(figure_of(pages["sgemm"], "one-block"))
    gaps = [gap.what for gap in gaps_of(card, "sgemm", declared_by(load_ladders(LADDERS)["sgemm"]))]
    assert [gap for gap in gaps if gap.startswith("sgemm/")] == ["sgemm/counters"]


def test_a_launch_of_other_constants_is_counted_by_the_ladder(card: CardRecordings) -> None:
    launches = card.recordings["sgemm", "code"].results.rungs["shared"].launches
    assert launches.choices[0].title == "Rows and columns of C a block"
    assert launches.counts == [32 * 48, 16 * 24, 8 * 12]
