"""Is anything lost when a run ends early, or begins where another has been? One experiment, and never half a file."""

from __future__ import annotations

import ctypes
import os
import random
import resource
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from recorder.run.folder import RunError, locked
from schema.recording import load_card
from tests.fake_recorder import KERNELS
from tests.runs import (
    CARD,
    LIGHT,
    LONG_S,
    ROOT,
    Heard,
    alive,
    all_recordings,
    begun,
    children,
    command,
    files,
    record,
    recording,
    wait_for,
    words,
)

PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1  # of <linux/prctl.h> and <linux/capability.h>
SLOW = {"FAKE_SLEEP_S": "0.004"}  # a second or so for the light jobs
KEYS = LIGHT.split(",")
ONE = "distance/resolution"


@pytest.fixture(scope="module")
def light(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The light jobs recorded in full. Read it only."""
    out = tmp_path_factory.mktemp("light")
    record(out)
    return out


@pytest.fixture
def out(light: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    shutil.copytree(light, tmp_path / "out")
    return tmp_path / "out"


def path(out: Path, key: str = ONE) -> Path:
    return out / CARD / f"{key}.yaml"


def whole(out: Path) -> set[str]:
    """The recordings that are there; each must be readable, and no part of another may lie beside them."""
    if not (out / CARD).exists():
        return set()
    found = {"/".join(key) for key in load_card(out / CARD).recordings}
    assert {p.name for p in (out / CARD).rglob("*.yaml")} == {f"{key.partition('/')[2]}.yaml" for key in found}
    return found


# ---- killed ------------------------------------------------------------------------------------------------------


def test_kill_9_at_any_moment_loses_one_experiment_at_most(tmp_path: Path):
    """Killed at random moments, again and again, until a run comes to its end."""
    moments = random.Random(20261130)
    recorded: set[str] = set()
    for _ in range(4):
        run = begun("--out", tmp_path, "--only", LIGHT, **SLOW)
        wait_for(lambda run=run: bool(children(run.pid)))
        time.sleep(moments.uniform(0.3, 2.2))
        workers = children(run.pid)
        run.kill()
        said, _ = run.communicate()
        now = whole(tmp_path)
        assert recorded <= now
        told = said.count("recorded in")  # a file is written just before its line is told
        assert told <= len(now - recorded) <= told + 1
        recorded = now
        wait_for(lambda workers=workers: not any(alive(pid) for pid in workers))  # no orphan keeps the GPU
    done = command("--out", tmp_path, "--only", LIGHT)
    assert (done.returncode, done.stderr) == (0, "")
    assert whole(tmp_path) == set(KEYS)
    assert {p.suffix for p in (tmp_path / CARD).rglob("*") if p.is_file()} == {".yaml"}  # leftovers were cleared


def test_a_worker_that_is_killed_at_any_moment_costs_a_part(tmp_path: Path):
    moments = random.Random(7)
    run = begun("--out", tmp_path, "--only", LIGHT, "--quick", FAKE_SLEEP_S="0.02")
    killed = 0
    assert run.stdout is not None and run.stdout.readline().startswith("[1/3]")  # the first worker is up
    for _ in range(3):
        wait_for(lambda: bool(children(run.pid)) or run.poll() is not None)
        time.sleep(moments.uniform(0.2, 1.2))
        for pid in children(run.pid):
            os.kill(pid, signal.SIGKILL)
            killed += 1
    said, complained = run.communicate(timeout=LONG_S)
    assert killed
    assert run.returncode == 1 and "Traceback" not in said + complained
    assert "SIGKILL" in said + complained
    found = all_recordings(tmp_path)
    assert set(found) == set(KEYS)
    assert command("--out", tmp_path, "--only", LIGHT, "--quick", "--force").returncode == 0
    assert whole(tmp_path) == set(KEYS)


def test_an_interruption_ends_in_a_sentence_and_the_next_run_goes_on(tmp_path: Path):
    run = begun("--out", tmp_path, "--only", LIGHT, FAKE_FAULTS="empty.cu:wait")  # the last job comes to no end
    wait_for(path(tmp_path, KEYS[1]).exists)
    workers = children(run.pid)
    os.killpg(run.pid, signal.SIGINT)  # as a terminal does: to all processes of the command
    said, complained = run.communicate(timeout=LONG_S)
    assert run.returncode == 130
    assert complained.strip() == "recorder: interrupted; what is recorded is kept. Run the same command to go on."
    assert "Traceback" not in said
    wait_for(lambda: not any(alive(pid) for pid in workers))
    before = files(tmp_path)
    assert whole(tmp_path) == set(KEYS[:2])
    done = command("--out", tmp_path, "--only", LIGHT)
    assert done.returncode == 0 and all(f"{key}: recorded before" in done.stdout for key in KEYS[:2])
    assert before.items() <= files(tmp_path).items() and whole(tmp_path) == set(KEYS)


# ---- again -------------------------------------------------------------------------------------------------------


def test_a_second_run_does_only_what_is_missing(out: Path):
    path(out).unlink()
    states = {key: outcome.state for key, outcome in record(out).items()}
    assert states == {key: "recorded" if key == ONE else "skipped" for key in KEYS}


def test_force_records_again(out: Path):
    before = files(out)
    assert record(out, ONE, force=True)[ONE].state == "recorded"
    after = files(out)
    assert {name for name in before if before[name] != after[name]} == {f"{CARD}/{ONE}.yaml"}


def test_a_quick_run_is_marked_and_gives_way_to_a_full_one(tmp_path: Path):
    record(tmp_path, ONE, quick=True)
    assert recording(tmp_path, ONE).header.quick
    assert recording(tmp_path, ONE).results.launches["empty"]["graph_train"].samples.count == 20
    assert record(tmp_path, ONE, quick=True)[ONE].state == "skipped"
    assert record(tmp_path, ONE)[ONE].state == "recorded"
    assert not recording(tmp_path, ONE).header.quick
    assert record(tmp_path, ONE, quick=True)[ONE].state == "skipped"  # a quick run leaves a full recording alone
    assert not recording(tmp_path, ONE).header.quick


def test_a_kernel_that_changed_is_recorded_again_and_a_comment_changes_nothing(out: Path, tmp_path: Path):
    kernels = tmp_path / "kernels"
    shutil.copytree(KERNELS, kernels)
    source = kernels / "distance" / "02_lanes.cu"
    source.write_text(source.read_text() + "// One more remark.\n")
    assert {o.state for o in record(out, kernels=kernels).values()} == {"skipped"}
    source.write_text(source.read_text().replace("constexpr int THREADS = 128;", "constexpr int THREADS = 64;"))
    assert {o.state for o in record(out, ONE, kernels=kernels).values()} == {"recorded"}
    assert recording(out, ONE).header.sources != recording(out, KEYS[0]).header.sources


def test_a_kernel_that_changes_while_it_is_recorded_is_not_recorded_as_either(tmp_path: Path):
    kernels = tmp_path / "kernels"
    shutil.copytree(KERNELS, kernels)

    class Editor(Heard):
        def progress(self, job: object, what: str, share: float) -> None:
            source = kernels / "distance" / "02_lanes.cu"  # the last rung, which this experiment launches
            source.write_text(source.read_text() + "__device__ int more;\n")

    outcome = record(tmp_path, ONE, kernels=kernels, report=Editor())[ONE]
    assert outcome.faults == ["the kernels of distance were changed while they were recorded; record again"]


def test_a_failed_experiment_is_tried_again(out: Path):
    text = path(out).read_text()
    path(out).write_text(text[: text.index("results:")] + "results:\n  failed: the card was asleep\n")
    assert record(out, ONE)[ONE].state == "recorded"


def test_a_missing_by_product_makes_its_experiment_missing(tmp_path: Path):
    times = "distance/times"
    record(tmp_path, times, quick=True)
    path(tmp_path, "distance/conditions").unlink()
    assert record(tmp_path, times, quick=True)[times].state == "recorded"
    assert path(tmp_path, "distance/conditions").exists()


# ---- beside others -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("change", ["schema", "half", "binary"])
def test_a_file_that_cannot_be_read_is_kept_beside_the_new_one(out: Path, change: str):
    raw = path(out).read_bytes()
    foreign = {
        "schema": raw.replace(b"schema: 2", b"schema: 7", 1), "half": raw[: len(raw) // 2], "binary": b"\xff\x00" * 9,
    }[change]  # fmt: skip
    path(out).write_bytes(foreign)
    heard = Heard()
    assert record(out, ONE, report=heard)[ONE].state == "recorded"
    assert path(out).with_name("resolution.yaml.old").read_bytes() == foreign
    assert "It is kept as resolution.yaml.old" in heard.said[0]
    assert whole(out) == set(KEYS)
    if change == "schema":
        assert "schema is a whole number (7); this version reads schema 2" in heard.said[0]


def test_two_runs_at_once_on_one_folder(tmp_path: Path):
    out, gate = tmp_path / "out", tmp_path / "gate"
    first = begun("--out", out, "--only", ONE, "--quick", FAKE_FAULTS="empty.cu:wait", FAKE_GATE=str(gate))
    assert first.stdout is not None and first.stdout.readline().startswith("[1/1]")  # it holds the folder
    second = command("--out", out, "--only", ONE)
    assert second.returncode == 2
    assert second.stderr == (
        f"recorder: {out / CARD}: another run is writing here; wait for it, or choose another folder with --out\n"
    )
    gate.touch()
    first.communicate(timeout=LONG_S)
    assert first.returncode == 0
    assert whole(out) == {ONE} and not (out / CARD / ".lock").exists()


def test_a_lock_outlives_no_run(tmp_path: Path):
    (tmp_path / ".lock").touch()  # left by a run that was killed
    with locked(tmp_path):
        with pytest.raises(RunError, match="another run is writing here"), locked(tmp_path):
            pass
        assert (tmp_path / ".lock").exists()
    with locked(tmp_path):
        pass


def test_a_folder_that_cannot_be_made(tmp_path: Path):
    (tmp_path / "file").touch()
    done = command("--out", tmp_path / "file" / "below", "--only", ONE)
    assert done.returncode == 2
    assert "cannot be written: Not a directory. Choose another folder with --out" in done.stderr


def without_override() -> None:
    """Makes root an owner like any other, who cannot write where the folder's mode forbids it."""
    ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE)


def test_a_folder_that_is_not_writable_is_refused_before_anything_is_measured(tmp_path: Path):
    (tmp_path / CARD / "distance").mkdir(parents=True)
    (tmp_path / CARD / "distance").chmod(0o500)
    done = subprocess.run(
        words("--out", tmp_path, "--only", ONE), cwd=ROOT, capture_output=True, text=True, timeout=LONG_S,
        preexec_fn=without_override,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == (
        f"recorder: {tmp_path / CARD}: cannot be written: Permission denied. Choose another folder with --out\n"
    )


# ---- a disk that is full -----------------------------------------------------------------------------------------


def assert_stopped_whole(out: Path, done: subprocess.CompletedProcess[str], why: str) -> None:
    assert done.returncode == 1, done.stderr
    assert f"cannot be written: {why}. What was recorded before is kept. Run the same" in done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert whole(out) == {"distance/probes", "distance/one_change"}
    assert {p.suffix for p in out.rglob("*") if p.is_file()} == {".yaml"}


def test_a_file_that_may_not_grow(tmp_path: Path):
    done = subprocess.run(
        words("--out", tmp_path, "--only", LIGHT), cwd=ROOT, capture_output=True, text=True, timeout=LONG_S,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)),
    )  # fmt: skip
    assert_stopped_whole(tmp_path, done, "File too large")


def test_a_disk_that_is_full(tmp_path: Path):
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=36k", "tmpfs", tmp_path], capture_output=True).returncode:
        pytest.skip("a small disk can be mounted by root alone")
    try:
        done = command("--out", tmp_path, "--only", LIGHT)
        assert_stopped_whole(tmp_path, done, "No space left on device")
    finally:
        subprocess.run(["umount", tmp_path], check=True)
