"""Is the output folder a whole site at any time, whoever stops a build, and is nothing else touched or left?"""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from publisher.command import main
from publisher.output import MARKER, left_behind, scratch
from tests.conftest import ROOT
from tests.mini import cards as mini_cards
from tests.mini.copies import MiniSite
from tests.runs import heed_ctrl_c

# A figure that says that it is being drawn, and then never ends.
ENDLESS = """
import os
def draw(evidence, **options):
    open({started!r}, "w").close()
    os.read(os.pipe()[0], 1)
"""


@pytest.fixture
def site(tmp_path: Path) -> MiniSite:
    return MiniSite(tmp_path / "site")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def tree(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


# ---- where a site may be written ---------------------------------------------------------------------------------


@pytest.mark.parametrize("there", [True, False], ids=["there", "not yet there"])
@pytest.mark.parametrize("deep", [False, True], ids=["a link", "a link to a link"])
def test_a_link_stays_a_link_and_its_folder_is_replaced(
    site: MiniSite, tmp_path: Path, there: bool, deep: bool
) -> None:
    real, out = tmp_path / "elsewhere" / "pages", tmp_path / "dist"
    real.parent.mkdir()
    if there:
        assert main([*site.arguments, "--out", str(real)]) == 0
        (real / "left-over.html").write_text("old", encoding="utf-8")
    out.symlink_to(real)
    if deep:
        (tmp_path / "other").symlink_to(out)
    assert main([*site.arguments, "--out", str(tmp_path / "other" if deep else out)]) == 0
    assert out.is_symlink() and out.readlink() == real
    assert (real / "index.html").exists() and not (real / "left-over.html").exists()
    assert names(real.parent) == ["pages"]
    assert names(tmp_path) == ["dist", "elsewhere", *(["other"] if deep else []), "site"]


def test_a_link_that_leads_round_in_a_circle_is_a_sentence(site: MiniSite, tmp_path: Path, capsys) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    assert main([*site.arguments, "--out", str(tmp_path / "a")]) == 2
    assert "--out" in capsys.readouterr().err


@pytest.mark.parametrize(
    "out",
    [
        "content", "content/dist", "content/sums/a/b", "recordings", "recordings/dist", "kernels/dist", "kernels/sums",
        ".", "..", "content/../recordings", "link", "link/dist",
    ],
)  # fmt: skip
def test_no_site_is_written_over_or_into_what_it_is_built_from(site: MiniSite, out: str, capsys) -> None:
    (site.root / "link").symlink_to(site.root / "content")
    for folder in (site.root, site.root / "content", site.root / "recordings"):
        (folder / MARKER).touch()  # not even where a build would take it for its own
    before = tree(site.root)
    assert main([*site.arguments, "--out", str(site.root / out)]) == 2
    said = capsys.readouterr().err
    assert "which a build reads; name another folder with --out" in said
    assert len(said.splitlines()) == 1
    assert tree(site.root) == before


@pytest.mark.parametrize("name", ["publisher", "recorder", "site", "site/stills", "publisher/figures/x"])
def test_no_site_is_written_into_the_program(site: MiniSite, name: str, capsys) -> None:
    assert main([*site.arguments, "--out", str(ROOT / name)]) == 2
    assert "which a build reads" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["file", "file/dist", "link"])
def test_a_file_is_no_folder(site: MiniSite, tmp_path: Path, name: str, capsys) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    assert main([*site.arguments, "--out", str(tmp_path / name)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"


# ---- whoever stops it --------------------------------------------------------------------------------------------


def endless(site: MiniSite, tmp_path: Path) -> Path:
    """Make the site's figure one that never ends; the file that is there once it has begun."""
    started = tmp_path / "started"
    site.write("content/sums/figures/bandwidth.py", ENDLESS.format(started=str(started)))
    return started


@contextmanager
def running(site: MiniSite, *arguments: str, temporary: Path, **more) -> Iterator[subprocess.Popen[str]]:
    """A real build in a process group of its own, as a terminal has it; killed where a test leaves it running."""
    temporary.mkdir(exist_ok=True)
    environment = os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(temporary), "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "build.py"), *site.arguments, *arguments],
        env=environment, text=True, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=heed_ctrl_c, **more,
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    patience = time.monotonic() + 120  # only so that a test that cannot pass ends
    while not path.exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < patience, f"{path.name} never came"
        time.sleep(0.01)


@pytest.mark.parametrize("option", [[], ["--check"], ["--stills"], ["--serve", "--port", "0"]], ids=" ".join)
def test_ctrl_c_is_one_line_and_leaves_what_was(site: MiniSite, tmp_path: Path, option: list[str]) -> None:
    out, temporary = tmp_path / "dist", tmp_path / "tmp"
    assert main([*site.arguments, "--out", str(out)]) == 0
    before = tree(out)
    started = endless(site, tmp_path)
    with running(site, "--out", str(out), *option, temporary=temporary) as process:
        wait_for(started, process)
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (130, "build.py: interrupted\n")
    assert tree(out) == before
    assert names(temporary) == []
    assert names(tmp_path) == ["dist", "site", "started", "tmp"]


def test_ctrl_c_ends_a_preview_that_waits_for_changes(site: MiniSite, tmp_path: Path) -> None:
    with running(site, "--serve", "--port", "0", temporary=tmp_path / "tmp") as process:
        assert process.stdout is not None
        while "pages changed" not in (line := process.stdout.readline()):
            assert line
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (130, "build.py: interrupted\n")
    assert names(tmp_path / "tmp") == []


def test_ctrl_c_in_a_long_comparison_is_one_line(site: MiniSite, tmp_path: Path) -> None:
    """It is caught while it prints: more than a pipe holds, of which one line is read."""
    old = tmp_path / "old"
    mini_cards.write(old, mini_cards.ALPHA, "times", mini_cards.times(3, {"plain": (4e4, 9.0), "warp": (1.0, 8.0)}))
    claims = [f":::{{claim}} sums.plain.cold < {n} * sums.warp.cold\nYes.\n:::\n" for n in range(500, 900)]
    site.append("content/sums/01-the-sum.md", "\n".join(claims))
    with running(site, "--diff", str(old), temporary=tmp_path / "tmp") as process:
        assert process.stdout is not None
        fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, 4096)
        assert process.stdout.read(1)
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (130, "build.py: interrupted\n")


@pytest.mark.parametrize("option", [[], ["--check"]], ids=["build", "check"])
def test_the_next_build_removes_what_a_killed_one_left(site: MiniSite, tmp_path: Path, option: list[str]) -> None:
    out, temporary = tmp_path / "dist", tmp_path / "tmp"
    good = (site.root / "content/sums/figures/bandwidth.py").read_text(encoding="utf-8")
    started = endless(site, tmp_path)
    with running(site, "--out", str(out), *option, temporary=temporary) as process:
        wait_for(started, process)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=60)
    place = temporary if option else tmp_path
    assert [name for name in names(place) if name.startswith((".dist.", "rungbook-"))]
    site.write("content/sums/figures/bandwidth.py", good)
    with running(site, "--out", str(out), *option, temporary=temporary) as process:
        process.communicate(timeout=60)
    assert process.returncode == 0
    assert names(temporary) == []
    assert names(tmp_path) == [*([] if option else ["dist"]), "site", "started", "tmp"]


def test_a_build_that_goes_on_keeps_its_folder(site: MiniSite, tmp_path: Path) -> None:
    out = tmp_path / "dist"
    started = endless(site, tmp_path)
    other = MiniSite(tmp_path / "other")
    with running(site, "--out", str(out), temporary=tmp_path / "tmp") as process:
        wait_for(started, process)
        begun = [name for name in names(tmp_path) if name.startswith(".dist.")]
        assert len(begun) == 1
        assert main([*other.arguments, "--out", str(out)]) == 0
        assert [name for name in names(tmp_path) if name.startswith(".dist.")] == begun


def test_a_site_that_was_moved_aside_comes_back(site: MiniSite, tmp_path: Path) -> None:
    """A build was killed between moving the old site away and putting the new one in its place."""
    out = tmp_path / "dist"
    assert main([*site.arguments, "--out", str(out)]) == 0
    before = tree(out)
    out.rename(tmp_path / ".dist.abcdefgh.old")
    site.append("content/sums/01-the-sum.md", "5 ms")
    assert main([*site.arguments, "--out", str(out)]) == 1
    assert tree(out) == before
    assert names(tmp_path) == ["dist", "site"]


def test_nobody_elses_folder_is_taken_for_left_behind(tmp_path: Path) -> None:
    (tmp_path / ".dist.mine").mkdir()
    (tmp_path / ".dist.mine" / "thesis.tex").write_text("years of work", encoding="utf-8")
    held = scratch(tmp_path, ".dist.")
    assert left_behind(tmp_path, ".dist.") == []
    held.release()
    assert left_behind(tmp_path, ".dist.") == [held.folder]
    assert left_behind(tmp_path, ".di*t.") == []


def test_a_folder_that_cannot_be_written_is_a_sentence(site: MiniSite, capsys) -> None:
    assert main([*site.arguments, "--out", "/proc/nowhere/dist"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_reader_of_the_output_that_goes_away_ends_it_quietly(site: MiniSite) -> None:
    command = [sys.executable, "-u", "build.py", *site.arguments, "--diff", str(site.root / "recordings")]
    listing = subprocess.Popen(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert listing.stdout is not None and listing.stderr is not None
    listing.stdout.close()
    assert listing.stderr.read() == ""
    assert listing.wait() == 1
