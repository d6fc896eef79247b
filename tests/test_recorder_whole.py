"""What is said of an experiment that failed as a whole, or was not measured? The reason, wherever it is looked at."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from recorder.__main__ import print_outcomes
from recorder.experiments import Job
from recorder.run.changes import changes
from recorder.run.folder import state_of
from recorder.run.outcome import Outcome, faults_of, flags_of
from recorder.run.summary import HEAD, summary
from schema.experiments import ALL, COUNTERS
from schema.fresh import now
from schema.load_ladder import load_ladder
from schema.recording import MACHINE, dump, load, write_atomically
from schema.results import Failed, NotMeasured
from tests.fake_recorder import DEVICE, KERNELS, main
from tests.fixture_cards import WHOLE, header
from tests.runs import CARD

LADDER = load_ladder(KERNELS / "distance")
CARD_OF = WHOLE.model_copy(update={"slug": CARD, "name": "Fake GPU"})
JOBS = [Job(MACHINE if experiment.of_machine else "distance", experiment) for experiment in ALL]
WHY = "the card was asleep"
KINDS = {"failed": Failed(failed=WHY), "not_measured": NotMeasured(not_measured=WHY)}


def put(out: Path, job: Job, kind: str) -> None:
    """Recordings of a job and its by-products that only say why there are none."""
    for name in job.experiment.files:
        today = now(name, None if job.experiment.of_machine else LADDER)
        of = header(CARD_OF, job.subject, name, sources=today.sources, declared=today.declared)
        write_atomically(out / CARD / job.subject / f"{name}.yaml", dump(of, KINDS[kind]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.experiment.name)
def test_each_experiment_without_results_is_listed_shown_and_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], job: Job, kind: str
):
    put(tmp_path, job, kind)
    own = load(tmp_path / CARD / job.subject / f"{job.experiment.name}.yaml")
    faults, flags = faults_of(own), flags_of(own)
    assert (faults, flags) == ([WHY] if kind == "failed" else [], [])
    if job.subject != MACHINE:
        assert state_of(job, tmp_path / CARD, LADDER)[0] == "failed"
    print_outcomes(CARD_OF, [Outcome(job, "failed", 1.0, faults, flags)], tmp_path)
    said = capsys.readouterr()
    assert job.key in said.out and (WHY in said.err) == (kind == "failed")
    if job.experiment.name == "times":
        assert kind.replace("_", " ") in said.out and WHY in said.out
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.yaml")}
    assert "cannot be said" not in "\n".join(changes(before, tmp_path, CARD))
    assert main(["--list", "--out", str(tmp_path)], DEVICE, KERNELS) == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_summary_of_times_without_results_is_their_reason(tmp_path: Path, kind: str):
    put(tmp_path, next(job for job in JOBS if job.experiment.name == "times"), kind)
    rows = summary(load(tmp_path / CARD / "distance" / "times.yaml"))
    assert rows == [HEAD, ("times", kind.replace("_", " "), WHY, "", "")]


def test_a_run_in_which_all_of_a_ladder_fails_ends_with_the_reasons(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    kernels = tmp_path / "kernels"
    shutil.copytree(KERNELS, kernels)
    ladder = kernels / "distance" / "ladder.py"  # breaks where it works, and not where it is listed
    ladder.write_text(
        "import sys\n" + ladder.read_text().replace("from __future__ import annotations\n", "")
        + "\nif 'pytest' not in sys.modules:\n    raise ValueError('no such card')\n"
    )  # fmt: skip
    line = ladder.read_text().count("\n")
    why = f"kernels/distance/ladder.py:{line}: ValueError: no such card"
    for _ in range(2):  # the second run compares with the first
        arguments = ["--only", "distance", "--quick", "--force", "--out", str(tmp_path / "out")]
        assert main(arguments, DEVICE, kernels) == 1
        said = capsys.readouterr()
        assert "Traceback" not in said.out + said.err
        failed = [line for line in said.err.splitlines() if line.startswith("failed: ")]
        jobs = [job for job in JOBS if job.subject == "distance" and job.experiment.name != COUNTERS]
        assert failed == [f"failed: {job.key}: {why}" for job in jobs] and why in said.out
    assert "Against what was recorded before:" in said.out
