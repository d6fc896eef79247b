"""Does the recorder come to its end on this card, with a ladder that is not the project's own, and through bad luck?"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from recorder.experiments import jobs
from recorder.run.order import run
from recorder.run.outcome import Outcome
from recorder.run.worker import Patience
from schema.load_ladder import load_ladders
from schema.recording import Recording, load_card
from schema.results import NotMeasured
from tests.fake_recorder import KERNELS

DEVICE = "recorder.card.device:Device"
OF_LADDER = {"code", "times", "conditions", "placement", "probes", "one_change", "shapes", "resolution", "sweep"}


def record(
    out: Path, kernels: Path = KERNELS, only: tuple[str, ...] = (), **options: Any
) -> tuple[dict[str, Outcome], dict[tuple[str, str], Recording]]:
    ladders = load_ladders(kernels)
    chosen = [job for job in jobs(ladders) if not only or set(only) & set(job.names)]
    card, outcomes = run(chosen, ladders, out, 0, quick=True, kernels=kernels, device_factory=DEVICE, **options)
    return {o.job.key: o for o in outcomes}, load_card(out / card.slug).recordings


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Recording]:
    outcomes, found = record(tmp_path_factory.mktemp("recordings"))
    assert {key: o.faults for key, o in outcomes.items() if o.faults} == {}
    assert {o.state for o in outcomes.values()} == {"recorded"}
    return found


def test_a_quick_run_records_every_experiment(recorded: dict[tuple[str, str], Recording]):
    subjects = {experiment for subject, experiment in recorded if subject == "distance"}
    assert OF_LADDER - subjects <= {"conditions"}  # a card may refuse to tell its state
    assert {"fragment", "peaks"} == {experiment for subject, experiment in recorded if subject == "machine"}
    assert all(recording.header.quick for recording in recorded.values())


def test_its_times_are_of_this_world(recorded: dict[tuple[str, str], Recording]):
    times = recorded["distance", "times"].results
    floor = times.floors["move_fp16"].cold.samples.median_us
    lanes = times.rungs["lanes"]
    assert 0.5 * floor < lanes.cold.samples.median_us < 10_000
    assert lanes.warm.samples.median_us < 1.1 * lanes.cold.samples.median_us
    assert isinstance(times.references["pretend"], NotMeasured)
    read = recorded["machine", "peaks"].results.read_GBps
    assert 20 < read < 50_000


def test_blocks_ran_on_sms_that_the_card_has(recorded: dict[tuple[str, str], Recording]):
    recording = recorded["distance", "placement"]
    sms = recording.card.sms
    assert isinstance(sms, int)
    for launch in recording.results.rungs["lanes"].launches:
        table = launch.arrays
        assert set(table["sm"]) <= set(range(sms)) and (table["end_ns"] >= table["start_ns"]).all()


FAULTS = {
    "illegal address": "d[1ull << 40] = sum;",
    "the kernel hangs": """{
                unsigned long long now, start;
                asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
                do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)); while (now - start < 40000000000ull);
            }""",  # 40 s, so that it ends even where it cannot be killed
}


@pytest.mark.parametrize("why", FAULTS)
def test_a_rung_that_breaks_its_process_fails_alone(tmp_path: Path, why: str):
    kernels = tmp_path / "kernels"
    shutil.copytree(KERNELS, kernels)
    source = kernels / "distance" / "02_lanes.cu"
    text = source.read_text()
    assert "if (SPLIT == 1) d[point] = sum;" in text
    source.write_text(text.replace("if (SPLIT == 1) d[point] = sum;", f"if (points > 0) {FAULTS[why]}"))
    only = ("distance/times", "machine/fragment")
    outcomes, found = record(tmp_path / "out", kernels, only, patience=Patience(12.0))
    times = found["distance", "times"].results
    assert why in times.rungs["lanes"].failed
    assert times.rungs["direct"].cold.samples.count == 50
    assert outcomes["machine/fragment"].state == "recorded" and not outcomes["machine/fragment"].faults
