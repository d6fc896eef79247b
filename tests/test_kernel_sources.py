"""Do the kernel files keep the form of a lesson: header, regions, short steps, variants that change what they say?"""

from __future__ import annotations

import difflib
import re
import shutil
import subprocess

import pytest

from schema.kernel_text import blank_comments, read_constants, read_regions
from schema.ladder import KERNELS, Ladder, Rung, header, load_ladders

LADDERS = load_ladders()
RUNGS = [(ladder, rung) for ladder in LADDERS.values() for rung in ladder.rungs]
VARIANTS = [(ladder, rung, variant) for ladder, rung in RUNGS for variant in rung.variants]
STEPS = [(ladder, *pair) for ladder in LADDERS.values() for pair in zip(ladder.rungs, ladder.rungs[1:], strict=False)]
FILES = sorted(KERNELS.glob("*/*.cu"))

REGIONS = {"constants", "index", "load", "compute", "loop", "store"}
MAY_CHANGE = {  # variant: the regions in which it may differ from its rung
    "loads_only": {"compute", "loop"},
    "math_only": {"load", "loop"},
    "placement": set(),
    "no_prefetch": {"loop"},
    "register_prefetch": {"load", "loop"},
}
MAY_ADD = {"placement": {"stamp_start", "stamp_end"}}
ADDED_LINES = 70  # of a step from rung to rung; 40 is the aim
NEW_START = {"tuned"}  # a rung that begins anew may have a longer step


def name(value: object) -> str:
    return value.slug if isinstance(value, Ladder | Rung) else str(value)


rungs = pytest.mark.parametrize(("ladder", "rung"), RUNGS, ids=name)
variants = pytest.mark.parametrize(("ladder", "rung", "variant"), VARIANTS, ids=name)


def code_outside_regions(source: str) -> list[str]:
    """The lines of code in no region, without comments and blank lines."""
    inside = {n for r in read_regions(source).values() for n in range(r.first_line, r.last_line + 1)}
    lines = enumerate(blank_comments(source).splitlines(), start=1)
    return [line.rstrip() for n, line in lines if n not in inside and line.strip()]


def parameters(source: str, entry: str) -> list[str]:
    """The names of the kernel's parameters, in order."""
    found = re.search(rf"\b{entry}\(([^)]*)\)\s*\{{", blank_comments(source))
    assert found, f"no kernel {entry}"
    return [part.split()[-1].lstrip("*") for part in found[1].split(",")]


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_first_line_is_a_title_and_an_idea(path):
    first = path.read_text(encoding="utf-8").splitlines()[0]
    assert re.fullmatch(r"// \S.*[.?]", first)  # a figure shows it as a sentence
    assert all(len(line) <= 140 for line in path.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("ladder", LADDERS.values(), ids=name)
def test_every_file_is_declared_and_stands_in_order(ladder):
    declared = [ladder.file(rung, variant) for rung in ladder.rungs for variant in ("", *rung.variants)]
    assert sorted(declared) == sorted(path.name for path in ladder.folder.glob("*.cu"))
    assert [rung.file for rung in ladder.rungs] == [f"{n:02d}_{r.slug}.cu" for n, r in enumerate(ladder.rungs, 1)]


@rungs
def test_a_rung_begins_as_a_lesson(ladder, rung):
    source = ladder.source(rung)
    title, idea = header(source)
    assert title
    assert idea.endswith(".")
    text = source.split("\n\n")[0].splitlines()
    assert [line.split()[1] for line in text if re.match(r"// \w+   ", line)] == ["Idea", "Change", "Expect"]
    assert all(line == "//" or line.startswith("// ") for line in text)


@rungs
def test_a_rung_is_marked_in_regions(ladder, rung):
    regions = read_regions(ladder.source(rung), rung.file)
    assert set(regions) <= REGIONS
    assert {"constants", "index", "compute", "store"} <= set(regions)
    if "__shared__" in ladder.source(rung):
        assert "load" in regions


@rungs
def test_a_rung_stands_alone(ladder, rung):
    for variant in ("", *rung.variants):
        code = blank_comments(ladder.source(rung, variant))
        assert not re.search(r"\btemplate\b|^\s*#\s*(?:if|ifdef|ifndef|define)\b", code, re.MULTILINE)
        assert set(re.findall(r"#include\s+(\S+)", code)) <= {"<cuda_fp16.h>", "<cuda_bf16.h>"}


@rungs
def test_the_entry_takes_inputs_output_and_sizes(ladder, rung):
    for variant in ("", *rung.variants):
        names = parameters(ladder.source(rung, variant), ladder.entry)
        operands = len(ladder.inputs)
        assert names[:operands] == [i.name for i in ladder.inputs]
        assert names[operands + 1 : operands + 1 + len(ladder.sizes)] == list(ladder.sizes)
        assert len(names) == operands + 1 + len(ladder.sizes) + (variant == "placement")


@rungs
def test_every_constant_is_a_literal_of_type_int(ladder, rung):
    for variant in ("", *rung.variants):
        source = ladder.source(rung, variant)
        region = read_regions(source)["constants"].text
        lines = [line for line in blank_comments(region).splitlines() if line.strip()]
        assert len(read_constants(source)) == len(lines) > 0, lines


@rungs
def test_the_launch_covers_the_output(ladder, rung):
    constants = ladder.constants(rung)
    problem = ladder.problem
    launch = rung.launch(problem, constants)
    assert rung.accepts(problem, constants)
    assert launch.block == (constants["THREADS"], 1, 1)
    assert launch.threads <= 1024
    assert launch.threads % 32 == 0
    rows, columns = ladder.output_shape(problem)
    if "TILE_ROWS" in constants:  # tiles of columns of the output in x, of rows in y, ranges in z
        assert launch.grid[0] * constants["TILE_ROWS"] == columns
        assert launch.grid[1] * constants["BATCH"] >= rows > (launch.grid[1] - 1) * constants["BATCH"]
    else:
        assert launch.blocks * launch.threads >= rows * columns > (launch.blocks - 1) * launch.threads


def test_threads_are_what_the_comments_say():
    """Rung by rung of the first ladder: the arithmetic that stands behind ``// one thread a cell`` and its like."""
    ladder = LADDERS["linear"]
    c = {rung.slug: ladder.constants(rung) for rung in ladder.rungs}
    assert c["shared"]["THREADS"] == c["shared"]["TILE_ROWS"] * c["shared"]["BATCH"]
    for slug in ("registers", "fp16"):
        one = c[slug]
        assert one["THREADS"] * one["ROWS"] * one["COLS"] == one["TILE_ROWS"] * one["BATCH"]
    for slug in ("tensor_core", "async_copy", "split_k"):
        assert c[slug]["THREADS"] == c[slug]["TILE_ROWS"] // c[slug]["WARP_ROWS"] * 32
    assert c["tuned"]["THREADS"] == c["tuned"]["SPLIT"] * 32
    launch = ladder.rung("split_k").launch(ladder.problem, c["split_k"])
    assert launch.grid[2] == c["split_k"]["SPLIT"]


@rungs
def test_a_rung_is_checked_at_sizes_other_than_the_recorded_one(ladder, rung):
    constants = ladder.constants(rung)
    assert any(rung.accepts(problem, constants) for problem in ladder.check_problems)


def test_steps_from_rung_to_rung_are_short(capsys):
    if shutil.which("git") is None:
        pytest.skip("git measures the steps, and it is not installed")
    added = {}
    for ladder, before, after in STEPS:
        files = [str(ladder.folder / rung.file) for rung in (before, after)]
        command = ["git", "diff", "--no-index", "--numstat", *files]
        said = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
        added[f"{ladder.slug}/{after.slug}"] = (int(said[0]), int(said[1]))
    with capsys.disabled():
        print("\nlines added and removed: " + ", ".join(f"{s} +{p} -{m}" for s, (p, m) in added.items()))
    long = {step: plus for step, (plus, _) in added.items() if plus > ADDED_LINES}
    assert {step.split("/")[1] for step in long} <= NEW_START, long


@variants
def test_a_variant_says_whose_it_is_and_what_it_changes(ladder, rung, variant):
    source = ladder.source(rung, variant)
    assert header(source)[0] == f"{header(ladder.source(rung))[0]}, {variant.replace('_', ' ')}"
    assert "\n// Change   " in source.split("\n\n")[0]


@variants
def test_a_variant_changes_only_the_regions_it_means_to(ladder, rung, variant):
    assert variant in MAY_CHANGE, f"say in MAY_CHANGE which regions {variant} may change"
    of_rung, of_variant = (read_regions(ladder.source(rung, v)) for v in ("", variant))
    assert set(of_variant) - set(of_rung) == MAY_ADD.get(variant, set())
    assert set(of_rung) <= set(of_variant)
    changed = {region for region in of_rung if of_rung[region].text != of_variant[region].text}
    assert changed <= MAY_CHANGE[variant]
    assert changed or variant in MAY_ADD


@variants
def test_a_variant_adds_no_code_outside_its_regions(ladder, rung, variant):
    """A helper that it no longer calls may go; only placement adds one, and one parameter."""
    of_rung, of_variant = (code_outside_regions(ladder.source(rung, v)) for v in ("", variant))
    diff = list(difflib.ndiff(of_rung, of_variant))
    added = [line[2:].strip() for line in diff if line.startswith("+ ")]
    removed = [line[2:].strip() for line in diff if line.startswith("- ")]
    if variant != "placement":
        assert added == []
        return
    assert removed == ["int batch, int out_features, int in_features)"]
    assert [line for line in added if "stamps" in line or "now()" in line or "globaltimer" in line] != []
    assert len(added) <= 8
