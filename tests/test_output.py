"""Is a site replaced whole or not at all, where links lead, where a build is interrupted, and after one was killed?"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from publisher.command import main
from publisher.output import MARKER, OutputError, check_out, fresh_folder
from tests.conftest import ROOT
from tests.mini.copies import MiniSite
from tests.runs import wait_for

WAITS = """from pathlib import Path
import time
def draw(evidence, **options):
    Path(__file__).with_suffix(".begun").touch()
    time.sleep(600)
"""


@pytest.fixture
def site(tmp_path: Path) -> MiniSite:
    return MiniSite(tmp_path / "site")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# ---- links -----------------------------------------------------------------------------------------------------------


def test_a_link_is_followed_and_stays_a_link(site: MiniSite, tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    link = tmp_path / "dist"
    link.symlink_to(tmp_path / "disk" / "www")  # leads to nothing yet
    for _ in range(2):
        assert main([*site.arguments, "--out", str(link)]) == 0
        assert link.is_symlink()
        assert (tmp_path / "disk" / "www" / "index.html").exists()
    assert names(tmp_path) == ["disk", "dist", "site"]
    assert names(tmp_path / "disk") == ["www"]


def test_a_link_to_itself_and_one_to_a_file_are_sentences(
    site: MiniSite, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "round").symlink_to("round")
    (tmp_path / "thesis.tex").write_text("years of work")
    (tmp_path / "paper").symlink_to("thesis.tex")
    for name, words in (("round", "cannot be used"), ("paper", "is a file")):
        assert main([*site.arguments, "--out", str(tmp_path / name)]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert words in line and name in line
    assert (tmp_path / "thesis.tex").read_text() == "years of work"


# ---- what is read ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["content", "content/sums", "recordings/new", "kernels", "."])
def test_a_build_never_writes_over_what_it_reads(name: str, site: MiniSite, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(site.root.rglob("*"))
    out = site.root / name
    (site.root / MARKER).touch()  # so that nothing but the place itself speaks against it
    assert main([*site.arguments, "--out", str(out)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert str(out) in line and "which the build reads; name another with --out" in line
    (site.root / MARKER).unlink()
    assert sorted(site.root.rglob("*")) == before


# ---- ends before their time ------------------------------------------------------------------------------------------


def killed(out: Path, kind: str = "") -> Path:
    """What a build whose process is gone left beside ``out``."""
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    folder = out.with_name(f".{out.name}.{done.pid}.abc{kind}")
    folder.mkdir()
    (folder / MARKER).touch()
    (folder / "index.html").write_text(kind or "half")
    return folder


def test_what_a_killed_build_left_goes_with_the_next(tmp_path: Path) -> None:
    out = tmp_path / "dist"
    killed(out)
    killed(out, ".old")
    mine = out.with_name(f".dist.{os.getpid()}.abc")  # of a build that goes on
    mine.mkdir()
    (mine / MARKER).touch()
    with fresh_folder(out) as folder:
        (folder / "index.html").write_text("new")
    assert names(tmp_path) == [mine.name, "dist"]
    assert (out / "index.html").read_text() == "new"


def test_a_site_that_was_put_aside_comes_back_when_the_next_build_has_faults(tmp_path: Path) -> None:
    out = tmp_path / "dist"
    killed(out, ".old")
    with pytest.raises(OutputError, match="no space"), fresh_folder(out):
        raise OSError(28, "no space")
    assert names(tmp_path) == ["dist"]
    assert (out / "index.html").read_text() == ".old"


def test_a_folder_of_somebody_else_is_left_whatever_its_name(tmp_path: Path) -> None:
    out = tmp_path / "dist"
    other = killed(out)
    (other / MARKER).unlink()
    with fresh_folder(out):
        pass
    assert other.exists()


@pytest.mark.parametrize("option", ["", "--check", "--stills"])
def test_an_interruption_is_one_line_and_leaves_the_old_site(option: str, site: MiniSite, tmp_path: Path) -> None:
    out = tmp_path / "dist"
    assert main([*site.arguments, "--out", str(out)]) == 0
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*")}
    site.write("content/sums/figures/bandwidth.py", WAITS)
    building = begun(site, "--out", str(out), *filter(None, [option]))
    wait_for((site.root / "content/sums/figures/bandwidth.begun").exists)
    said, told = interrupted(building)
    assert building.returncode == 130
    assert (said, told.strip()) == ("", "interrupted; no site was left half written")
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*")} == before
    assert names(tmp_path) == ["dist", "site"]


def test_an_interrupted_preview_is_no_error(site: MiniSite) -> None:
    serving = begun(site, "--serve", "--port", "0")
    assert serving.stdout is not None
    while "pages" not in serving.stdout.readline():
        assert serving.poll() is None
    said, told = interrupted(serving)
    assert (serving.returncode, said.strip(), told) == (0, "", "")


def test_a_reader_of_the_output_that_goes_ends_it_quietly(site: MiniSite) -> None:
    listing = begun(site, "--diff", str(site.root / "recordings"))
    assert listing.stdout is not None
    listing.stdout.close()
    assert listing.stderr is not None
    assert listing.stderr.read() == ""
    assert listing.wait() in (0, 1)


def begun(site: MiniSite, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-u", "build.py", *site.arguments, *arguments]
    return subprocess.Popen(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def interrupted(process: subprocess.Popen[str]) -> tuple[str, str]:
    process.send_signal(signal.SIGINT)
    return process.communicate(timeout=120)


def test_a_folder_is_known_by_where_it_really_is(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert check_out(tmp_path / "link") == tmp_path / "real"
