"""Does one thing that cannot be read give one message, and not one more for each place that would have used it?"""

from __future__ import annotations

from pathlib import Path

import pytest

from publisher.faults import BuildError
from tests.mini.copies import MiniSite
from tests.test_build import REPOSITORY

INPUTS = {
    "content/site.yaml": "title: [\n",
    "content/terms.yaml": "row: {term: 3}\n",
    "content/glossary.yaml": "SHFL: {}\n",
    "content/sums/article.yaml": "title: no\n",
    "content/sums/01-the-sum.md": "a caf\xe9\n",
    "content/sums/02-two-rungs.md": "a caf\xe9\n",
    "kernels/sums/01_plain.cu": "// caf\xe9\n",
    "kernels/sums/02_warp.cu": "// caf\xe9\n",
    "recordings/mini-alpha/sums/times.yaml": "schema: 1\n",
    "recordings/mini-alpha/sums/code.yaml": "a: [\n",
    "recordings/mini-beta/sums/times.yaml": "schema: 7\n",
    "recordings/published/somewhere.yaml": "source: {title: x}\n",
}


# Another map, no text at all, nothing: an empty chapter or kernel can be read.
BROKEN = [(file, text.encode("latin-1")) for file, text in INPUTS.items()]
BROKEN += [(file, b"\xff\xfe\x00") for file in INPUTS]
BROKEN += [(file, b"") for file in INPUTS if file.endswith(".yaml")]


@pytest.mark.parametrize(("file", "raw"), BROKEN)
@pytest.mark.parametrize("lenient", [False, True], ids=["build", "preview"])
def test_what_follows_from_a_file_that_cannot_be_read_is_not_told(
    tmp_path: Path, file: str, raw: bytes, lenient: bool
) -> None:
    site = MiniSite(tmp_path, {"lenient": lenient})
    site.write(file, raw)
    try:
        faults = site.build().faults
    except BuildError as error:
        faults = error.faults
    assert {fault.file for fault in faults} == {file}, faults


def test_every_file_of_the_mini_site_is_broken_in_turn() -> None:
    kept = [path for path in (REPOSITORY / "tests/mini").rglob("*") if path.suffix in (".yaml", ".md", ".cu")]
    names = {str(path.relative_to(REPOSITORY / "tests/mini")) for path in kept}
    assert names == set(INPUTS)


def test_no_card_that_can_be_read_is_one_fault_a_file(tmp_path: Path) -> None:
    site = MiniSite(tmp_path)
    broken = sorted(name for name in INPUTS if name.startswith("recordings/mini-"))
    for name in broken:
        site.write(name, "a: [\n")
    assert [fault.split(":")[0] for fault in site.faults()] == broken


def test_what_has_nothing_to_do_with_it_is_told_all_the_same(tmp_path: Path) -> None:
    site = MiniSite(tmp_path)
    site.write("content/terms.yaml", "a: [\n")
    line = site.append("content/sums/01-the-sum.md", "{value}`sums.wrap.cold` and {published}`nowhere.a`.")
    faults = [fault for fault in site.faults() if not fault.startswith("content/terms.yaml")]
    assert [fault.partition(": ")[0] for fault in faults] == [f"content/sums/01-the-sum.md:{line}"] * 2


def test_a_true_fault_is_told_once_everything_can_be_read(tmp_path: Path) -> None:
    site = MiniSite(tmp_path)
    site.append("content/sums/01-the-sum.md", "{value}`sums.wrap.cold` {term}`wro` {step}`bandwith/plain`")
    assert len(site.faults()) == 3
