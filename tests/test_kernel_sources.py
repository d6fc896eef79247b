"""Do the kernel files keep the conventions, and the form of a lesson: idea, change, expectation, and short steps?"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from schema.conventions import source_faults
from schema.kernel_text import blank_comments
from schema.ladder import KERNELS, Ladder, Rung, Variant, header
from schema.load_ladder import load_ladders
from tests import mini_ladder

TESTS = Path(mini_ladder.__file__).parent.parent
LADDERS = load_ladders()
ALL = [*LADDERS.values(), *load_ladders(TESTS / "mini_ladder").values(), *load_ladders(TESTS / "mini/kernels").values()]
RUNGS = [(ladder, rung) for ladder in LADDERS.values() for rung in ladder.rungs]
VARIANTS = [(ladder, rung, variant) for ladder, rung in RUNGS for variant in rung.variants]
STEPS = [(ladder, *pair) for ladder in LADDERS.values() for pair in zip(ladder.rungs, ladder.rungs[1:], strict=False)]
FILES = sorted(KERNELS.glob("*/*.cu"))
ADDED_LINES = 70  # of a step from rung to rung; 40 is the aim


def name(value: object) -> str:
    return value.slug if isinstance(value, Ladder | Rung | Variant) else str(value)


rungs = pytest.mark.parametrize(("ladder", "rung"), RUNGS, ids=name)


@pytest.mark.parametrize("ladder", ALL, ids=name)
def test_a_ladders_kernels_keep_the_conventions(ladder):
    assert source_faults(ladder) == []


@rungs
def test_a_rungs_launch_is_whole_warps(ladder, rung):
    launch = rung.launch(ladder.problem, ladder.constants(rung))
    assert launch.fault == ""
    assert launch.threads % 32 == 0


@rungs
def test_a_rung_is_checked_at_sizes_other_than_the_recorded_one(ladder, rung):
    constants = ladder.constants(rung)
    assert any(rung.accepts(problem, constants) for problem in ladder.check_problems)


# ---- the style of this house ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_first_line_is_a_title_and_an_idea(path):
    first = path.read_text(encoding="utf-8").splitlines()[0]
    assert re.fullmatch(r"// \S.*[.?]", first)  # a figure shows it as a sentence
    assert all(len(line) <= 140 for line in path.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("ladder", LADDERS.values(), ids=name)
def test_files_are_numbered_in_order(ladder):
    assert [rung.file for rung in ladder.rungs] == [f"{n:02d}_{r.slug}.cu" for n, r in enumerate(ladder.rungs, 1)]


@rungs
def test_a_rung_begins_as_a_lesson(ladder, rung):
    text = ladder.source(rung).split("\n\n")[0].splitlines()
    assert [line.split()[1] for line in text if re.match(r"// \w+   ", line)] == ["Idea", "Change", "Expect"]
    assert all(line == "//" or line.startswith("// ") for line in text)


@rungs
def test_a_rung_stands_alone(ladder, rung):
    for variant in ("", *rung.variant_slugs):
        code = blank_comments(ladder.source(rung, variant))
        assert not re.search(r"\btemplate\b|^\s*#\s*(?:if|ifdef|ifndef|define)\b", code, re.MULTILINE)
        assert set(re.findall(r"#include\s+(\S+)", code)) <= {"<cuda_fp16.h>", "<cuda_bf16.h>"}


def test_steps_from_rung_to_rung_are_short(capsys):
    if shutil.which("git") is None:
        pytest.skip("git measures the steps, and it is not installed")
    added = {}
    for ladder, before, after in STEPS:
        files = [str(ladder.folder / rung.file) for rung in (before, after)]
        command = ["git", "diff", "--no-index", "--numstat", *files]
        said = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
        added[ladder.slug, after.slug] = (int(said[0]), int(said[1]))
    with capsys.disabled():
        print("\nlines added and removed: " + ", ".join(f"{'/'.join(s)} +{p} -{m}" for s, (p, m) in added.items()))
    long = {f"{ladder.slug}/{rung.slug}" for ladder, _, rung in STEPS if added[ladder.slug, rung.slug][0] > ADDED_LINES}
    new = {f"{ladder.slug}/{rung.slug}" for ladder, _, rung in STEPS if rung.new_start}
    assert long <= new


@pytest.mark.parametrize(("ladder", "rung", "variant"), VARIANTS, ids=name)
def test_a_variant_says_whose_it_is_and_what_it_changes(ladder, rung, variant):
    source = ladder.source(rung, variant.slug)
    assert header(source)[0] == f"{header(ladder.source(rung))[0]}, {variant.slug.replace('_', ' ')}"
    assert "\n// Change   " in source.split("\n\n")[0]
