"""What does ``python -m recorder`` say to a person? Tables, sentences for what is wrong, a status; no traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from recorder import __main__ as command_module
from recorder.card.device import ContextLost, Device, DeviceError, OutOfMemory, _check, core_error, list_devices
from recorder.compile.toolkit import need_tools
from schema.recording import load
from tests.fake_recorder import DEVICE, KERNELS, main
from tests.runs import CARD, LONG_S, ROOT, command

ONE = "distance/resolution"


def called(*arguments: str | Path, **options: Any) -> int:
    """The command in this process; its worker is another one all the same."""
    return main([str(word) for word in arguments], **{"device_factory": DEVICE, "kernels": KERNELS, **options})


# ---- a run -------------------------------------------------------------------------------------------------------


def test_a_run_ends_with_its_tables_and_0(tmp_path: Path):
    done = command("--out", tmp_path, "--quick", "--only", f"distance/times,{ONE}")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("[1/2] distance/times: about 28 s, ") and lines[0].endswith(" left in all")
    assert any(line.split()[:3] == ["distance/times", "recorded", lines[1].split()[2]] for line in lines)
    table = {line.split()[0]: line.split()[1:] for line in lines if line.startswith("  ")}
    assert len(table["direct"]) == 3 and len(table["lanes"]) == 4  # cold, warm, before / this, this / library
    assert float(table["lanes"][2]) == pytest.approx(float(table["direct"][0]) / float(table["lanes"][0]), abs=0.01)
    assert float(table["lanes"][3]) == pytest.approx(float(table["lanes"][0]) / float(table["pretend"][0]), abs=0.01)
    assert lines[-1] == f"The recordings are in {tmp_path / CARD}. Publish them with: python build.py"


def test_a_failed_part_is_said_and_the_status_is_1_again_when_it_is_skipped(tmp_path: Path):
    fault = {"FAKE_FAULTS": "02_lanes.cu:wrong", "FAKE_NVML": "throttled"}
    first = command("--out", tmp_path, "--quick", "--only", ONE, **fault)
    second = command("--out", tmp_path, "--quick", "--only", ONE)
    for done in (first, second):
        assert done.returncode == 1
        assert "failed: distance/resolution: launches.lanes.graph_train: lanes is wrong" in done.stderr
        assert "flagged: distance/resolution: the clocks were slowed: sw_power_cap" in done.stderr


def test_a_second_recording_says_what_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    called("--out", tmp_path, "--quick", "--only", ONE)
    assert "Against what was recorded before" not in capsys.readouterr().out
    called("--out", tmp_path, "--quick", "--only", ONE, "--force")
    said = capsys.readouterr().out
    assert "Against what was recorded before:" in said and f"  {CARD}: " in said


def test_what_hinders_the_comparison_costs_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    called("--out", tmp_path, "--quick", "--only", ONE)
    (tmp_path / CARD / "distance" / "probes.yaml").write_text("schema: 7\nand: more\n")
    assert called("--out", tmp_path, "--quick", "--only", ONE, "--force") == 0
    said = capsys.readouterr().out
    assert "What changed cannot be said: " in said and "schema is a whole number (7)" in said
    assert said.count("The build says more: python build.py") == 1


def test_output_that_nobody_reads_ends_the_run_quietly(tmp_path: Path):
    line = f"{sys.executable} -m tests.fake_recorder --quick --only {ONE} --out {tmp_path} | true"
    done = subprocess.run(["bash", "-c", line], cwd=ROOT, capture_output=True, text=True, timeout=LONG_S)
    assert "Traceback" not in done.stderr


def test_a_terminal_without_the_letters_gets_question_marks(tmp_path: Path):
    done = command("--out", tmp_path, "--quick", "--only", "distance/times", PYTHONIOENCODING="ascii")
    assert done.returncode == 0 and "cold ?s" in done.stdout


# ---- what there is -----------------------------------------------------------------------------------------------


def test_list_says_what_there_is_and_what_is_recorded(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert called("--list", "--out", tmp_path / "nothing") == 0
    empty = capsys.readouterr().out
    for key in ("distance/code", "distance/times", "machine/fragment", "machine/peaks", "distance/sweep"):
        assert key in empty
    assert "counters" not in empty and "All of it takes about" in empty and "GPUs: " in empty
    called("--out", tmp_path, "--quick", "--only", ONE)
    capsys.readouterr()
    called("--out", tmp_path, "--list")
    rows = {line.split()[0]: line.split() for line in capsys.readouterr().out.splitlines() if "/" in line}
    assert "quick" in rows[ONE] and "missing" in rows["distance/times"]


def test_only_takes_subjects_experiments_by_products_and_commas():
    everything = command_module.jobs(command_module.load_ladders(KERNELS))

    def keys(*only: str) -> list[str]:
        return [job.key for job in command_module.choose(everything, list(only))]

    assert keys("distance/conditions") == ["distance/times"]
    assert keys("machine") == ["machine/fragment", "machine/peaks"]
    assert keys("peaks", "code") == ["distance/code", "machine/peaks"]  # in the order they run
    assert keys() == [job.key for job in everything]


def test_help_names_no_device_but_a_gpu(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as caught:
        called("--help")
    said = capsys.readouterr().out.lower()
    assert caught.value.code == 0 and "--gpu" in said and "--arch" in said and "fake" not in said


# ---- calls that are wrong ----------------------------------------------------------------------------------------


def refused(capsys: pytest.CaptureFixture[str], *arguments: str | Path, **options: Any) -> str:
    assert called(*arguments, **options) == 2
    said = capsys.readouterr()
    assert said.err.startswith("recorder: ") and said.err.count("\n") == 1
    return said.err


def test_an_experiment_that_does_not_exist(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    said = refused(capsys, "--only", "distance/tines", "--out", tmp_path)
    assert "nothing called 'distance/tines' to record. There is: distance/code, distance/times" in said


def test_a_gpu_that_does_not_exist(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    said = refused(capsys, "--gpu", "7", "--out", tmp_path)
    assert "there is no GPU 7. The GPUs there are: 0: Fake GPU. Choose one with --gpu" in said
    assert not any(tmp_path.iterdir())


def test_an_arch_and_a_gpu_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert "leave out --gpu" in refused(capsys, "--arch", "sm_80", "--gpu", "0", "--out", tmp_path)
    assert "code alone" in refused(capsys, "--arch", "sm_80", "--only", "distance/times", "--out", tmp_path)


def test_a_machine_without_cuobjdump(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PATH", str(tmp_path))
    without_wheels = partial(need_tools, lambda name: None)
    for arguments in (("--only", ONE), ("--arch", "sm_80")):
        said = refused(capsys, *arguments, "--out", tmp_path / "out", need=without_wheels)
        assert "there is no cuobjdump" in said and "pip install 'nvidia-cuda-cuobjdump'" in said
    assert not (tmp_path / "out").exists()


def test_a_machine_without_cuda_python(tmp_path: Path):
    (tmp_path / "cuda.py").write_text("")  # hides the real packages
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-m", "recorder", "--gpu", "0", "--out", tmp_path / "out"], cwd=tmp_path, text=True,
        env=os.environ | {"PYTHONPATH": path}, capture_output=True, timeout=LONG_S,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "recorder: cuda-python is not installed; run pip install '.[record]'\n"


def test_a_machine_without_a_driver(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    try:
        list_devices()
        pytest.skip("this machine has a driver")
    except DeviceError:
        said = refused(capsys, "--out", tmp_path, device_factory=command_module.DEVICE)
    assert "no NVIDIA driver was found" in said and "--arch" in said


# ---- the driver, as far as it can be imitated --------------------------------------------------------------------


class Status(int):
    """A driver's result code with a name."""

    def __new__(cls, number: int, name: str) -> Status:
        made = super().__new__(cls, number)
        made.name = name  # type: ignore[attr-defined]
        return made


OK, NO_DEVICE, TOO_OLD = (
    Status(0, "CUDA_SUCCESS"),
    Status(100, "CUDA_ERROR_NO_DEVICE"),
    Status(803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
)


class Driver:
    """Two GPUs, or a driver that does not start."""

    def __init__(self, status: Status = OK) -> None:
        self.status = status

    def cuInit(self, flags: int) -> tuple[Status]:
        return (self.status,)

    def cuDeviceGetCount(self) -> tuple[Status, int]:
        return OK, 2

    def cuDeviceGet(self, index: int) -> tuple[Status, int]:
        return OK, index

    def cuDeviceGetName(self, length: int, handle: int) -> tuple[Status, bytes]:
        return OK, [b"NVIDIA One\0\0", b"NVIDIA Two\0"][handle]


def test_a_gpu_that_is_not_there_is_answered_with_those_that_are():
    for index in (2, -1):
        with pytest.raises(DeviceError) as caught:
            Device(index, Driver())
        assert str(caught.value) == (
            f"there is no GPU {index}. The GPUs there are: 0: NVIDIA One, 1: NVIDIA Two. Choose one with --gpu"
        )


def test_a_driver_without_a_gpu_and_one_that_does_not_start():
    assert list_devices(Driver(NO_DEVICE)) == []
    with pytest.raises(DeviceError, match=r"no usable NVIDIA driver: .* system driver mismatch. Install or update"):
        list_devices(Driver(TOO_OLD))


@pytest.mark.parametrize("name, kind", [
    ("CUDA_ERROR_OUT_OF_MEMORY", OutOfMemory), ("CUDA_ERROR_ILLEGAL_ADDRESS", ContextLost),
    ("CUDA_ERROR_LAUNCH_FAILED", ContextLost), ("CUDA_ERROR_INVALID_VALUE", DeviceError),
])  # fmt: skip
def test_a_driver_error_becomes_a_sentence_of_its_kind(name: str, kind: type[Exception]):
    with pytest.raises(kind) as caught:
        _check((Status(1, name),), "copying on the card")
    assert type(caught.value) is kind and "copying on the card" in str(caught.value)
    assert _check((OK,), "x") is None and _check((OK, 5), "x") == 5 and _check((OK, 5, 6), "x") == (5, 6)


@pytest.mark.parametrize("said, kind, words", [
    ("CUDA_ERROR_INVALID_VALUE: This indicates that one or more …", DeviceError, "launching failed: invalid value"),
    ("CUDA_ERROR_ILLEGAL_ADDRESS: While executing a kernel …", ContextLost, "launching failed: illegal address"),
    ("block must be three numbers", ValueError, "block must be three numbers"),
])  # fmt: skip
def test_what_a_library_hands_on_from_the_driver_is_said_in_our_words(said: str, kind: type[Exception], words: str):
    found = core_error(ValueError(said), "launching")
    assert type(found) is kind and str(found) == words


# ---- compiling alone ---------------------------------------------------------------------------------------------


def test_an_arch_is_recorded_without_a_card(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert called("--arch", "sm_80", "--out", tmp_path) == 0
    assert "sm_80: distance, 2 rungs and 3 variants in " in capsys.readouterr().out
    found: Any = load(tmp_path / "sm_80" / "distance" / "code.yaml")
    assert found.header.card.slug == found.header.card.arch == "sm_80"
    assert "without a card" in found.header.card.sms.not_measured
    assert "without a card" in found.results.rungs["lanes"].code.blocks_per_sm.not_measured
    assert found.results.rungs["lanes"].code.registers > 0
    assert called("--arch", "sm_80", "--out", tmp_path) == 0
    assert "recorded already; --force records it again" in capsys.readouterr().out


def test_a_variant_that_does_not_compile_is_recorded_as_failed(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    folder = tmp_path / "kernels" / "distance"
    folder.mkdir(parents=True)
    for file in (KERNELS / "distance").iterdir():
        if file.is_file():
            (folder / file.name).write_text(file.read_text())
    variant = folder / "02_lanes.math_only.cu"
    variant.write_text(variant.read_text().replace("// region: compute\n", "// region: compute\n    nowhere();\n", 1))
    arguments = ["--arch", "sm_90", "--out", str(tmp_path)]
    assert main(arguments, DEVICE, tmp_path / "kernels") == 1
    said = capsys.readouterr().out
    assert (
        "failed: variants.lanes.math_only: kernels/distance/02_lanes.math_only.cu:" in said
        and 'identifier "nowhere" is undefined' in said
    )
