"""What does the recorder make of kernels, ladders and architectures that are not as it needs them? One sentence."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from recorder.compile.nvrtc import check_arch
from recorder.compile.toolkit import ToolkitError
from schema.fresh import launched
from schema.kernel_file import read_source
from schema.kernel_text import SourceError
from schema.load_ladder import load_ladder
from tests.fake_recorder import DEVICE, KERNELS, main

KERNEL, LADDER = "02_lanes.cu", "ladder.py"


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    """A copy of the small ladders, to be spoilt."""
    shutil.copytree(KERNELS, tmp_path / "kernels")
    return tmp_path / "kernels"


def spoil(kernels: Path, file: str, change: Callable[[bytes], bytes]) -> None:
    path = kernels / "distance" / file
    path.write_bytes(change(path.read_bytes()))


def refused(capsys: pytest.CaptureFixture[str], kernels: Path, *arguments: str) -> str:
    """The one sentence that this call ends in; nothing is written."""
    out = kernels.parent / "out"
    assert main([*arguments, "--out", str(out)], DEVICE, kernels) == 2
    said = capsys.readouterr().err
    assert said.startswith("recorder: ") and said.count("\n") == 1
    assert not any(path.is_file() for path in out.rglob("*"))
    return said.removeprefix("recorder: ").strip()


# ---- bytes -------------------------------------------------------------------------------------------------------

CLONES: dict[str, Callable[[bytes], bytes]] = {
    "a byte order mark": lambda raw: b"\xef\xbb\xbf" + raw,
    "line ends of Windows": lambda raw: raw.replace(b"\n", b"\r\n"),
    "line ends of an old Mac": lambda raw: raw.replace(b"\n", b"\r"),
    "all that Windows does": lambda raw: b"\xef\xbb\xbf" + raw.replace(b"\n", b"\r\n"),
}


@pytest.mark.parametrize("clone", CLONES)
def test_how_a_clone_writes_its_files_changes_nothing(kernels: Path, clone: str):
    before = load_ladder(kernels / "distance")
    text, hashes = before.source(before.rungs[1]), launched("code", before)
    for path in [*(kernels / "distance").glob("*.cu"), kernels / "distance" / LADDER]:
        path.write_bytes(CLONES[clone](path.read_bytes()))
    after = load_ladder(kernels / "distance")
    assert launched("code", after) == hashes
    assert after.source(after.rungs[1]) == text


PLACES = {"list": ("--list",), "arch": ("--arch", "sm_90"), "card": ("--only", "distance/resolution")}
BYTES = {
    b"caf\xe9": "byte 0xe9 is not UTF-8; save the file as UTF-8",
    b"\0": "has a zero byte; save the file as plain text",
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("file", [KERNEL, LADDER])
@pytest.mark.parametrize("odd", BYTES)
def test_bytes_that_are_no_text_are_one_sentence_with_their_line(
    kernels: Path, capsys: pytest.CaptureFixture[str], place: str, file: str, odd: bytes
):
    spoil(kernels, file, lambda raw: b"\n\n" + raw.replace(b"\n", b"\r\n") + b"// " + odd + b"\n")
    line = (KERNELS / "distance" / file).read_bytes().count(b"\n") + 3
    (kernels.parent / "out" / "card").mkdir(parents=True)  # a listing looks at the kernels where a card is recorded
    said = refused(capsys, kernels, *PLACES[place])
    assert said == f"kernels/distance/{file}:{line}: {BYTES[odd]}"


def test_a_file_that_is_not_there_is_named_without_its_folder(kernels: Path, capsys: pytest.CaptureFixture[str]):
    (kernels / "distance" / KERNEL).unlink()
    assert refused(capsys, kernels, "--arch", "sm_90") == (
        f"kernels/distance/{KERNEL}:1: cannot be read: No such file or directory"
    )


def test_another_encoding_is_named_by_its_first_byte(tmp_path: Path):
    (tmp_path / "a.cu").write_bytes("int x;\n".encode("utf-16"))
    with pytest.raises(SourceError, match="a.cu:1: byte 0xff is not UTF-8"):
        read_source(tmp_path / "a.cu", "a.cu")


@pytest.mark.parametrize("text, sentence", [
    ("import nothing_of_this_name\n", "1: ModuleNotFoundError: No module named 'nothing_of_this_name'"),
    ("\nLADDER = Ladder(\n", "2: SyntaxError: '(' was never closed"),
    ("def f():\n    return 1 / 0\n\nLADDER = f()\n", "2: ZeroDivisionError: division by zero"),
    ("LADDER = 3\n", "1: declares no LADDER = Ladder(...)"),
])  # fmt: skip
def test_a_ladder_that_does_not_run_is_one_sentence_with_its_line(
    kernels: Path, capsys: pytest.CaptureFixture[str], text: str, sentence: str
):
    spoil(kernels, LADDER, lambda raw: text.encode())
    assert refused(capsys, kernels, "--list").startswith(f"kernels/distance/ladder.py:{sentence}")


# ---- architectures -----------------------------------------------------------------------------------------------

UNKNOWN = ("sm_130", "sm_70", "sm_7", "sm_80a", "sm_90f", "sm_130a", "compute_90", "sm_90 ")


@pytest.mark.parametrize("arch", UNKNOWN)
def test_an_arch_that_nvrtc_does_not_know_is_one_sentence_and_writes_nothing(
    kernels: Path, capsys: pytest.CaptureFixture[str], arch: str
):
    said = refused(capsys, kernels, "--arch", "sm_80", "--arch", arch)
    assert f"does not know the architecture {arch!r}; it knows sm_75, sm_80" in said
    assert "pip install --upgrade 'nvidia-cuda-nvrtc'" in said
    assert ("with a suffix sm_90a" in said) == arch.endswith(("a", "f"))


@pytest.mark.parametrize("arch", ["sm_130", "sm_70"])
def test_a_card_that_nvrtc_does_not_know_is_one_sentence_and_writes_nothing(
    kernels: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arch: str
):
    monkeypatch.setenv("FAKE_ARCH", arch)
    said = refused(capsys, kernels)
    assert f"does not know the architecture {arch!r}; it knows sm_75" in said and "pip install --upgrade" in said


@pytest.mark.parametrize("arch", ["sm_80", "sm_90a", "sm_100a", "sm_100f"])
def test_what_nvrtc_compiles_for_is_known(arch: str):
    check_arch(arch)


def test_an_arch_with_a_line_end_is_not_the_one_without():
    with pytest.raises(ToolkitError):
        check_arch("sm_90\n")
