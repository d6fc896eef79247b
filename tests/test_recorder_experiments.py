"""Does a run record every experiment, and do the recordings hold what was done? On the fake device's own ladder."""

from __future__ import annotations

import re
import shutil
import socket
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recorder.measure.rotation import COLD_BYTES
from schema.kernel_text import source_hash
from schema.recording import Recording
from schema.results import Failed, NotMeasured
from tests.fake_device import ATTRIBUTES
from tests.fake_programs import cells
from tests.fake_recorder import KERNELS
from tests.runs import CARD, LADDER, Heard, all_recordings, files, parts, record

MACHINE = {"machine/fragment", "machine/peaks"}
OF_LADDER = (
    "code", "times", "conditions", "placement", "probes", "one_change", "shapes", "resolution", "sweep", "counters",
)  # fmt: skip


@pytest.fixture(scope="module")
def heard() -> Heard:
    return Heard()


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory, heard: Heard) -> Path:
    """A folder with a whole recording of the fake card. Read it only."""
    folder = tmp_path_factory.mktemp("recordings")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", "")  # no profiler, whatever this machine has
        outcomes = record(folder, "", report=heard)
    assert {key: (o.state, o.faults, o.flags) for key, o in outcomes.items() if o.state != "recorded" or o.faults} == {}
    return folder


@pytest.fixture(scope="module")
def found(out: Path) -> dict[str, Recording]:
    return all_recordings(out)


def results(found: dict[str, Recording], experiment: str) -> Any:
    return found[f"{LADDER}/{experiment}"].results


def test_every_experiment_is_recorded(found: dict[str, Recording]):
    assert set(found) == MACHINE | {f"{LADDER}/{name}" for name in OF_LADDER}
    assert not any(isinstance(r.results, (Failed, NotMeasured)) for r in found.values())


def test_a_recording_says_what_it_was_made_of(found: dict[str, Recording]):
    header = found[f"{LADDER}/times"].header
    rungs = {path.name: source_hash(path.read_text()) for path in (KERNELS / LADDER).glob("??_*.cu")}
    assert {file: hash_ for file, hash_ in header.sources.items() if file in rungs} == {
        file: hash_ for file, hash_ in rungs.items() if file.count(".") == 1
    }
    assert set(header.sources) - set(rungs) == {"machine/empty.cu", "machine/move.cu", "libraries.py"}
    assert header.declared["problem"] == "points 2048, dimensions 640"
    assert header.declared["rung_direct"] == "grid 16x1x1, block 128x1x1; x fp32, centre fp32, d fp32"
    assert not header.quick
    assert header.card.slug == CARD and header.card.sms == 4 and header.card.driver == "580.10"
    assert header.toolkit["cuda_core"] and header.toolkit["cuobjdump"]


def test_no_recording_tells_where_it_was_made(out: Path):
    text = b"\n".join(files(out).values()).decode()
    for secret in (str(out), str(KERNELS), socket.gethostname(), str(Path.home())):
        assert secret not in text or len(secret) < 4


def test_rungs_are_checked_before_and_after_on_other_inputs_and_at_the_odd_sizes_they_accept(
    found: dict[str, Recording],
):
    whole = [f"2048 x 640, seed {seed}" for seed in (11, 23)]
    last = ["2048 x 640, seed 47"]
    checks = {slug: rung.check for slug, rung in results(found, "times").rungs.items()}
    assert checks["direct"].cases == [*whole, "33 x 70, seed 11", "7 x 3, seed 11", *last]
    assert checks["lanes"].cases == [*whole, "33 x 70, seed 11", *last]
    assert all(0 < check.worst_error < 1 for check in checks.values())


def test_all_samples_are_kept(found: dict[str, Recording]):
    rungs = results(found, "times").rungs
    for rung in rungs.values():
        assert rung.cold.samples.count == rung.warm.samples.count == 500
        assert rung.plain_cold.samples.count == rung.plain_warm.samples.count == 30
        assert rung.cold.samples.median_us > 1.5 * rung.warm.samples.median_us  # the fake device has a cache


def test_libraries_and_floors_stand_beside_the_rungs(found: dict[str, Recording]):
    times = results(found, "times")
    assert times.references["pretend"].version == "Pretend 1.0"
    assert times.references["pretend"].kernels == ["pretend_kernel"]
    assert times.references["absent"].not_measured == "No module named 'a_library_that_is_not_there'"
    assert set(times.floors) == {"empty", "move_fp16", "move_fp32"}
    assert set(times.twins) == {"lanes", "pretend"}


def test_the_method_says_how_cold_was_made_cold(found: dict[str, Recording]):
    method = found[f"{LADDER}/times"].header.method
    assert method["cold_copies_fp32"] == 50 and method["launches_per_sample"] == 100
    assert "random walk" in str(method["tolerance"])


def is_cold(path: str, part: Any) -> bool:
    cold = path.endswith("cold") or (isinstance(part, dict) and part.get("condition") == "cold")
    return cold and isinstance(part, dict) and part.keys() != {"not_measured"}


def test_every_recording_of_a_cold_time_says_what_made_it_cold(found: dict[str, Recording]):
    cold = {
        key.partition("/")[2]: entry.header.method
        for key, entry in found.items()
        if any(is_cold(path, part) for path, part in parts(entry.results.model_dump()))
    }
    assert set(cold) == {"times", "placement", "probes", "one_change", "sweep", "shapes"}
    shapes = cold.pop("shapes")
    for method in cold.values():
        copies, nbytes = method["cold_copies_fp16"], method["cold_bytes_fp16"]
        assert (copies, nbytes) == (100, 100 * 2048 * 640 * 2) and int(str(nbytes)) >= COLD_BYTES
    assert shapes["cold_copies_fp16"] == "512 x 640: 391; 4096 x 640: 50"
    assert shapes["cold_bytes_fp32"] == "512 x 640: 256901120; 4096 x 640: 262144000"
    assert shapes["launches_per_sample_fp16"] == "512 x 640: 391"


def test_the_roofs_say_how_much_was_streamed(found: dict[str, Recording]):
    method = found["machine/peaks"].header.method
    assert method["copied_bytes"] == method["read_bytes"] == (1 << 30) // 4  # of the fake card's memory
    assert method["l2_reread_bytes"] == ATTRIBUTES["L2_CACHE_SIZE"] // 4


def test_the_counters_say_who_emptied_the_caches(found: dict[str, Recording]):
    assert found[f"{LADDER}/counters"].header.method["cache"] == "flushed by the profiler"


def test_shapes_are_those_of_the_ladder_in_its_order(found: dict[str, Recording]):
    shapes = results(found, "shapes").shapes
    assert [(s.entry, s.problem["points"]) for s in shapes] == [
        (entry, points) for points in (512, 4096) for entry in ("lanes", "pretend")
    ]


def test_conditions_are_those_under_load(found: dict[str, Recording]):
    state: Any = found[f"{LADDER}/times"].header.conditions
    assert (state.sm_clock_MHz, state.power_W, state.throttle_reasons) == (1900, 123.456, [])
    samples = results(found, "conditions").samples.arrays
    assert set(samples) == {"seconds", "sm_clock_MHz", "memory_clock_MHz", "power_W", "temperature_C"}
    assert found[f"{LADDER}/code"].header.conditions == NotMeasured(not_measured="nothing was timed")


def test_the_code_is_that_of_every_rung_and_variant(found: dict[str, Recording]):
    code = results(found, "code")
    assert list(code.rungs) == ["direct", "lanes"]
    assert list(code.variants) == ["lanes.loads_only", "lanes.math_only", "lanes.placement"]
    lanes = code.rungs["lanes"]
    assert lanes.title == "Lanes" and lanes.idea.startswith("the 32 threads")
    assert lanes.code.grid == [512, 1, 2] and lanes.code.constants == {"THREADS": 128, "SPLIT": 2}
    assert "FFMA" in lanes.code.sass and lanes.code.zero_output and lanes.code.blocks_per_sm == 12


def test_placement_keeps_consecutive_launches_from_the_middle_of_a_train(found: dict[str, Recording]):
    placement = results(found, "placement")
    assert placement.timer_step_ns == 32
    launches = placement.rungs["lanes"].launches
    assert len(launches) == 3
    for launch in launches:
        table = launch.arrays
        assert list(table["block"]) == list(range(1024)) and set(table["sm"]) == {0, 1, 2, 3}
        assert table["start_ns"].min() == 0 and (table["end_ns"] - table["start_ns"] == 320).all()


def test_the_launches_of_a_placed_train_are_as_many_as_the_copies(found: dict[str, Recording]):
    method = found[f"{LADDER}/placement"].header.method
    assert method["launches_in_train_fp16"] == method["cold_copies_fp16"] == 100
    assert method["kept"] == "3 launches in a row from the middle of a train"


def test_the_one_hot_probe_finds_the_map_that_the_device_has(found: dict[str, Recording]):
    shape = found["machine/fragment"].results.shapes["m16n8k16"]
    for operand, registers in ((shape.a, 4), (shape.b, 2)):
        table = {name: column.astype(int) for name, column in operand.cells.arrays.items()}
        expected = cells(registers, "a" if registers == 4 else "b")[table["lane"], table["register"], table["half"]]
        assert len(table["lane"]) == 64 * registers
        assert np.array_equal(expected, np.stack([table["row"], table["column"]], axis=1))
    assert shape.sass.startswith("HMMA.16816")


def test_the_sweep_has_every_setting_and_says_why_one_is_not_legal(found: dict[str, Recording]):
    sweep = results(found, "sweep")
    by = {tuple(s.constants.values()): s for s in sweep.settings}
    assert set(by) == {(64, 1), (64, 4), (256, 1), (256, 4)}
    assert "not split four ways" in by[256, 4].times.not_measured
    assert by[64, 4].blocks == 4 * 1024 and by[64, 4].threads == 64
    assert by[64, 1].times.cold.samples.count == 200


def test_comparisons_probes_and_resolution_hold_their_entries(found: dict[str, Recording]):
    assert list(results(found, "one_change").comparisons["split_alone"]) == ["split_1", "split_2"]
    probe = results(found, "probes").rungs["lanes"]
    assert {probe.full.cold.samples.count, probe.math_only.warm.samples.count} == {200}
    resolution = results(found, "resolution")
    assert set(resolution.launches["empty"]) == {"graph_train", "plain_train", "graph_single", "plain_single"}
    assert len(resolution.twins["lanes"]) == 5
    assert resolution.event_step_us == pytest.approx(0.032)


def test_counters_are_not_measured_without_a_profiler(found: dict[str, Recording]):
    assert "ncu is not on the PATH" in results(found, "counters").rungs["direct"].not_measured


def test_peaks_are_rates_or_say_why_not(found: dict[str, Recording]):
    peaks = found["machine/peaks"].results
    assert peaks.read_GBps > 0 and peaks.hmma_fp16_tflops > 0
    assert "nvmath-python" in peaks.library_fp16_tflops.not_measured


def test_progress_never_goes_back_and_every_job_begins_once(heard: Heard, found: dict[str, Recording]):
    assert len(heard.begun) == len(set(heard.begun)) == len(heard.ended) == 11
    for shares in heard.shares.values():
        assert all(0 <= share <= 1 for share in shares) and shares == sorted(shares)


def test_a_second_run_skips_everything_and_changes_nothing(out: Path):
    before = files(out)
    assert {o.state for o in record(out, "").values()} == {"skipped"}
    assert files(out) == before


def test_what_was_recorded_by_hand_elsewhere_is_read_by_the_same_rules(out: Path, tmp_path: Path):
    """A card's folder can be copied: nothing in it depends on its place."""
    shutil.copytree(out / CARD, tmp_path / CARD)
    assert all(re.fullmatch(r"[a-z_]+/[a-z_]+", key) for key in all_recordings(tmp_path))
