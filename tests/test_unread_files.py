"""Is a file that nobody reads named, and a subject that nobody has, wherever a person may have put or misspelt it?"""

from __future__ import annotations

from pathlib import Path

import pytest

from publisher.source import unread
from schema.results import Failed, NotMeasured
from tests.conftest import ROOT
from tests.mini import cards as mini_cards
from tests.mini.copies import MiniSite


@pytest.fixture
def site(tmp_path: Path) -> MiniSite:
    return MiniSite(tmp_path)


WRONG = {
    "recordings/times.yaml": unread.RECORDING,
    "recordings/notes.txt": unread.RECORDING,
    "recordings/mini-alpha/notes.md": unread.RECORDING,
    "recordings/mini-alpha/sums/times.YAML": unread.RECORDING,
    "recordings/mini-alpha/sums/times.json": unread.RECORDING,
    "recordings/mini-alpha/sums/times.yaml.bak": unread.RECORDING,
    "recordings/mini-alpha/sums/old/times.txt": unread.RECORDING,
    "recordings/foo/bar": unread.RECORDING,
    "recordings/published/elsewhere.yml": unread.FIGURES_OF_OTHERS,
    "recordings/published/elsewhere.json": unread.FIGURES_OF_OTHERS,
    "recordings/published/more/elsewhere.yaml": unread.FIGURES_OF_OTHERS,
    "content/terms.yml": unread.BESIDE_ARTICLES,
    "content/term.yaml": unread.BESIDE_ARTICLES,
    "content/01-a-chapter.md": unread.BESIDE_ARTICLES,
    "content/picture.png": unread.BESIDE_ARTICLES,
    "content/sums/article.yml": unread.ARTICLE,
    "content/sums/terms.yaml": unread.ARTICLE,
    "content/sums/03-more.txt": unread.ARTICLE,
    "content/sums/03-more.MD": unread.ARTICLE,
    "content/sums/03-more.markdown": unread.ARTICLE,
    "content/sums/more/03-more.md": unread.ARTICLE,
    "content/sums/bandwidth.py": unread.ARTICLE,
    "content/sums/figures/deeper/one.py": unread.ARTICLE,
    "content/sums/figures/two-words.py": unread.FIGURE,
    "content/sums/figures/Upper.py": unread.FIGURE,
    "content/sums/figures/_shared.py": unread.FIGURE,
    "content/sums/figures/notes.md": unread.FIGURE,
    "kernels/01_plain.cu": unread.BESIDE_LADDERS,
    "kernels/notes.txt": unread.BESIDE_LADDERS,
    "kernels/sums/notes.txt": unread.LADDER,
    "kernels/sums/03_more.CU": unread.LADDER,
    "kernels/sums/03_more.cuh": unread.LADDER,
    "kernels/sums/more/03_more.cu": unread.LADDER,
    "kernels/machine/notes.txt": unread.LADDER,
}


@pytest.mark.parametrize("file", WRONG)
@pytest.mark.parametrize("text", ["", "text\n"], ids=["empty", "text"])
def test_a_file_that_nobody_reads_is_named_once(site: MiniSite, file: str, text: str) -> None:
    site.write(file, text)
    assert site.faults() == [f"{file}:1: {WRONG[file]}"]


@pytest.mark.parametrize(
    ("file", "what"),
    [
        ("content/sums/notes.md", "a chapter's file is NN-slug.md"),
        ("content/sums/3_more.md", "a chapter's file is NN-slug.md"),
        ("recordings/mini-alpha/sums/times.yml", "is no place for a recording"),
        ("recordings/mini-alpha/times.yaml", "is no place for a recording"),
        ("recordings/mini-alpha/sums/old/times.yaml", "is no place for a recording"),
        ("recordings/published/Else.yaml", "a file of published figures is named in small letters"),
        ("kernels/sums/03_more.cu", "is no rung of the ladder sums and no variant of one; "),
        ("kernels/sums/01_plain.fast.cu", "did you mean 01_plain.cu?; enter it in kernels/sums/ladder.py"),
    ],
)
def test_a_name_that_is_wrong_where_it_is_read_is_told_once_too(site: MiniSite, file: str, what: str) -> None:
    site.write(file, (site.root / "recordings/published/somewhere.yaml").read_bytes())
    faults = site.faults()
    assert len(faults) == 1 and faults[0].startswith(f"{file}:1: ") and what in faults[0], faults


@pytest.mark.parametrize(
    ("file", "folder", "what"),
    [
        ("content/other/01-first.md", "content/other", "is no article, because it has no article.yaml"),
        ("content/other/articles.yaml", "content/other", "is no article, because it has no article.yaml"),
        ("content/other/figures/one.py", "content/other", "is no article, because it has no article.yaml"),
        ("kernels/other/01_first.cu", "kernels/other", "is no ladder, because it has no ladder.py"),
        ("kernels/other/ladders.py", "kernels/other", "is no ladder, because it has no ladder.py"),
    ],
)
def test_a_folder_that_is_nothing_is_named_once(site: MiniSite, file: str, folder: str, what: str) -> None:
    site.write(file, "text\n")
    site.write(f"{folder}/another.txt", "text\n")
    assert site.faults() == [f"{folder}:1: {what}"]


def test_an_article_without_its_file_is_told_once(site: MiniSite) -> None:
    (site.root / "content/sums/article.yaml").rename(site.root / "content/sums/Article.yaml.txt")
    assert site.faults() == ["content/sums:1: is no article, because it has no article.yaml"]


FINE = [
    "README.md", "LICENSE", ".gitignore", ".DS_Store", "__pycache__/x.pyc", "sums/README.md", "sums/.draft.md",
    "sums/.hidden/x.txt", "sums/__pycache__/x.pyc", "machine/README.md", "published/README.md",
    "sums/figures/README.md", ".draft.yaml", "sums/.draft.yaml", "sums/.draft.cu", "published/.draft.yaml",
    ".hidden/article.yaml", ".hidden/ladder.py", "mini-alpha/sums/.draft.yaml",
    "sums/figures/__pycache__/bandwidth.cpython-311.pyc",
]  # fmt: skip


@pytest.mark.parametrize("folder", ["content", "kernels", "recordings"])
def test_what_is_there_for_people_and_programs_is_fine(site: MiniSite, folder: str) -> None:
    for name in FINE:
        if folder == "recordings" or not name.startswith(("machine", "published", "mini-alpha")):
            site.write(f"{folder}/{name}", b"\xff")
    (site.root / folder / "empty").mkdir()
    (site.root / folder / "as-good-as-empty/__pycache__").mkdir(parents=True)
    assert site.faults() == []


def test_what_the_recorder_kept_aside_is_fine(site: MiniSite) -> None:
    for name in ("times.yaml.old", "times.yaml.old1", ".times.yaml.abcdef"):
        site.write(f"recordings/mini-alpha/sums/{name}", "a: [")
    assert site.faults() == []


def test_the_repository_has_nothing_that_nobody_reads() -> None:
    folders = [ROOT / name for name in ("recordings", "content", "docs", "kernels")]
    assert list(unread.unread_files(*folders, shown=str)) == []


def test_a_file_of_the_documentation_that_nobody_reads_is_named(tmp_path: Path) -> None:
    for name in ("docs/article.yaml", "docs/01-a.md", "docs/images/a.png", "docs/notes.txt", "docs/more/02-b.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    nothing = tmp_path / "nothing"
    found = list(unread.unread_files(nothing, nothing, tmp_path / "docs", nothing, lambda path: path.name))
    assert [(fault.file, fault.what) for fault in found] == [("02-b.md", unread.ARTICLE), ("notes.txt", unread.ARTICLE)]


@pytest.mark.parametrize(
    ("old", "new", "line", "what"),
    [
        ("LADDER = Ladder(", "LADDER = Leddar(", 0, "NameError"),
        ("LADDER = Ladder(", "LADER = Ladder(", 1, "declares no LADDER"),
        ("EPS32 = 2.0**-24", "EPS32 = 2.0**", 0, "SyntaxError"),
    ],
)
def test_a_ladder_that_cannot_be_loaded_is_told_with_its_line(
    site: MiniSite, old: str, new: str, line: int, what: str
) -> None:
    site.edit("kernels/sums/ladder.py", old, new)
    text = (site.root / "kernels/sums/ladder.py").read_text(encoding="utf-8")
    expected = line or text[: text.index(new)].count("\n") + 1
    (fault,) = site.faults()
    assert fault.startswith(f"kernels/sums/ladder.py:{expected}: ") and what in fault


# ---- what has no ladder, and what has no result ------------------------------------------------------------------


def test_an_article_of_no_ladder_is_said_to_be_that(site: MiniSite) -> None:
    site.edit("content/sums/article.yaml", "subject: sums", "subject: smus")
    assert site.faults() == ["content/sums/article.yaml:2: subject: no ladder is called smus; did you mean sums?"]


@pytest.mark.parametrize("allow_stale", [False, True])
def test_a_recording_of_no_ladder_is_said_to_be_that(site: MiniSite, allow_stale: bool) -> None:
    site.more["allow_stale"] = allow_stale
    folder = site.root / "recordings/mini-alpha/sums"
    (folder.parent / "smus").mkdir()
    for name in ("times", "code"):
        text = (folder / f"{name}.yaml").read_text(encoding="utf-8").replace("subject: sums", "subject: smus")
        site.write(f"recordings/mini-alpha/smus/{name}.yaml", text)
    assert site.faults() == ["recordings/mini-alpha/smus:1: no ladder is called smus; did you mean sums?"]


def test_a_ladder_that_nobody_recorded_is_said_to_be_that(site: MiniSite) -> None:
    for path in (ROOT / "tests/mini/kernels/sums").glob("*.*"):
        text = path.read_text(encoding="utf-8").replace('slug="sums"', 'slug="more"')
        site.write(f"kernels/more/{path.name}", text)
    site.edit("content/sums/article.yaml", "subject: sums", "subject: more")
    faults = [fault for fault in site.faults() if "subject" in fault]
    command = "python -m recorder --gpu 0 --only more"
    what = f"subject: no card has a recording of more; record it: {command}"
    assert faults == [f"content/sums/article.yaml:2: {what}"]


@pytest.mark.parametrize(
    ("why", "said"),
    [
        (Failed(failed="the driver went away"), "failed: the driver went away"),
        (NotMeasured(not_measured="there was no room"), "was not measured: there was no room"),
    ],
)
def test_a_card_without_any_result_is_not_quietly_absent(site: MiniSite, why: Failed | NotMeasured, said: str) -> None:
    card = mini_cards.ALPHA.model_copy(update={"slug": "mini-gamma"})
    for experiment in ("times", "code"):
        mini_cards.write(site.root / "recordings", card, experiment, why)
    assert site.faults() == [
        f"recordings/mini-gamma:1: nothing was recorded on this card: sums/code {said}, and 1 more; "
        "record it again, or remove the folder"
    ]
