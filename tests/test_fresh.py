"""Is a recording out of date when what it launched or what was declared of it has changed, and only then?

Recorder and publisher ask one function, so both are asked here: the one what it would record again, the other what it
would refuse to publish.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from publisher.facts.stale import stale_recordings
from recorder.experiments import Job
from recorder.run.folder import state_of
from schema.experiments import ALL, by_name, declared_by
from schema.fresh import now
from schema.load_ladder import load_ladder
from schema.recording import CardRecordings, dump, load_card, write_atomically
from schema.results import Failed
from tests.fake_recorder import KERNELS
from tests.fixture_cards import WHOLE, header

SUBJECT = "distance"
CARD = WHOLE.model_copy(update={"slug": "card"})
EVERY = frozenset(declared_by(load_ladder(KERNELS / SUBJECT)))
OF_RUNGS = frozenset({"code", "times", "conditions", "counters"})  # what launches every rung
Edit = Callable[[str], str]


def put(old: str, new: str) -> Edit:
    def edit(text: str) -> str:
        assert text.count(old) == 1, old
        return text.replace(old, new)

    return edit


CHANGES: dict[str, tuple[str, Edit, frozenset[str], str]] = {
    # what is changed: file, edit, the experiments that are out of date then, what is said of one
    "a size of the problem": (
        "ladder.py", put('problem={"points": 2048,', 'problem={"points": 1024,'), EVERY,
        "the declared problem was points 2048, dimensions 640 and is points 1024, dimensions 640",
    ),
    "the tolerance": (
        "ladder.py", put("8 * EPS32 * p", "9 * EPS32 * p"), EVERY - {"code", "counters"}, "the declared tolerance was",
    ),
    "a sweep's axes": (
        "ladder.py", put('{"THREADS": (64, 256), "SPLIT": (1, 4)}', '{"THREADS": (64, 256), "SPLIT": (1, 2)}'),
        frozenset({"sweep"}), "the declared axes was THREADS 64 256; SPLIT 1 4 and is THREADS 64 256; SPLIT 1 2",
    ),
    "the shapes": (
        "ladder.py", put('{"points": 512, "dimensions": 640}', '{"points": 256, "dimensions": 640}'),
        frozenset({"shapes"}), "the declared shapes was 512 x 640; 4096 x 640 and is 256 x 640; 4096 x 640",
    ),
    "a comparison": (
        "ladder.py", put('128 threads") for s in (1, 2))', '128 threads") for s in (1, 4))'),
        frozenset({"one_change"}), "the declared comparisons was",
    ),
    "a launch": (
        "ladder.py", put('-(-p["points"] // c["THREADS"])', '1 - -p["points"] // c["THREADS"]'),
        OF_RUNGS, "the declaration of direct was grid 16x1x1, block 128x1x1",
    ),
    "an operand's type": (
        "ladder.py", put('(p["dimensions"],)),', '(p["dimensions"],), dtype="fp32"),'), EVERY,
        "the declared operands was",
    ),
    "a kernel": (
        "01_direct.cu", lambda text: text + "__device__ int more;\n",
        OF_RUNGS, "01_direct.cu has changed",
    ),
    "a variant": (
        "02_lanes.placement.cu", lambda text: text + "__device__ int more;\n",
        frozenset({"code", "placement"}), "02_lanes.placement.cu has changed",
    ),
    "a library's call": (
        "libraries.py", put("Pretend 1.0", "Pretend 2.0"), frozenset({"times", "conditions", "shapes"}),
        "libraries.py has changed",
    ),
    "a comment in a kernel": ("01_direct.cu", lambda text: text + "// more\n", frozenset(), ""),
    "the reason for a tolerance": (
        "ladder.py", put("8 standard deviations of the", "eight standard deviations of the"), frozenset(), "",
    ),
    "a further rung": (
        "ladder.py",
        put("    rungs=(\n", '    rungs=(\n        Rung("third", "01_direct.cu", "fp32", thread_a_point),\n'),
        OF_RUNGS, "the declaration of third is new",
    ),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_out_of_date_is_so_to_the_recorder_and_to_the_publisher(tmp_path: Path, change: str):
    file, edit, expected, said = CHANGES[change]
    kernels = tmp_path / "kernels"
    shutil.copytree(KERNELS, kernels)
    before = load_ladder(kernels / SUBJECT)
    folder = tmp_path / "card"
    for name in EVERY:
        today = now(name, before)
        of = header(CARD, SUBJECT, name, sources=today.sources, declared=today.declared)
        write_atomically(folder / SUBJECT / f"{name}.yaml", dump(of, Failed(failed="it was asleep")))
    path = kernels / SUBJECT / file
    path.write_text(edit(path.read_text(encoding="utf-8")), encoding="utf-8")
    after = load_ladder(kernels / SUBJECT)

    jobs = [Job(SUBJECT, experiment) for experiment in ALL if experiment.name in EVERY]
    to_the_recorder = {
        name for job in jobs if state_of(job, folder, after)[0] == "stale" for name in job.experiment.files
    }
    assert to_the_recorder == expected

    card = CardRecordings("card", folder, load_card(folder).without)
    stale = stale_recordings(card, lambda subject, experiment: now(experiment, after), {SUBJECT: {}})
    assert {one.recording.header.experiment for one in stale} == expected
    assert all(said in one.sentence for one in stale[:1])


def test_every_by_product_is_launched_with_its_experiment():
    ladder = load_ladder(KERNELS / SUBJECT)
    for name in EVERY:
        owner = next(experiment for experiment in ALL if name in experiment.files)
        assert now(name, ladder) == now(by_name(owner.name).name, ladder)
