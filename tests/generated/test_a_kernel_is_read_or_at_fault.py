"""Does the recorder read any kernel file, or say in a sentence why not? For changes that Hypothesis makes up."""

from __future__ import annotations

import io
import re
import shutil
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recorder.__main__ import main
from tests.fake_recorder import KERNELS
from tests.generated.test_data_is_used_or_at_fault import BYTES

FILES = sorted(str(path.relative_to(KERNELS)) for path in KERNELS.glob("*/*") if path.suffix in (".cu", ".py"))
SENTENCE = re.compile(r"^recorder: \S.{20,}$")


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kernels") / "kernels"
    shutil.copytree(KERNELS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@given(
    file=st.sampled_from(FILES),
    at=st.floats(0, 1, exclude_max=True),
    raw=st.sampled_from(BYTES) | st.binary(min_size=1, max_size=4),
)
@settings(max_examples=200)
def test_the_recorder_lists_what_there_is_or_says_what_is_wrong(
    kernels: Path, file: str, at: float, raw: bytes
) -> None:
    whole = (KERNELS / file).read_bytes()
    place = int(at * len(whole))
    said, told = io.StringIO(), io.StringIO()
    (kernels / file).write_bytes(whole[:place] + raw + whole[place:])
    try:
        with redirect_stdout(said), redirect_stderr(told):
            code = main(["--list", "--out", str(kernels.parent / "recordings")], kernels=kernels)
    finally:
        (kernels / file).write_bytes(whole)
    if code == 0:
        assert "distance/times" in said.getvalue()
    else:
        assert code == 2
        (line,) = told.getvalue().splitlines()
        assert SENTENCE.match(line)
        assert Path(file).name in line or "distance" in line
    assert not (kernels.parent / "recordings").exists()
