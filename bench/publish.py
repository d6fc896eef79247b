"""How long does a full build take, and how much memory, with 1, 10 and 50 cards?  python -m bench.publish

Each build is a process of its own on copies of one card under other slugs, in a temporary folder; the repository is
only read. Prints the best of a few runs beside what the project set itself.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGETS = {1: (1.5, 500.0), 10: (6.0, 500.0)}  # cards: seconds, MB at the peak; more cards show how it grows
_SLUG = re.compile(r"^(  slug: ).*$", re.MULTILINE)
_NAME = re.compile(r"^(  name: ).*$", re.MULTILINE)


@dataclass(frozen=True)
class Build:
    cards: int
    seconds: float
    peak_mb: float
    pages: int
    mb_written: float


def main(arguments: Sequence[str] | None = None) -> int:
    asked = _parser().parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="rungbook-bench-") as folder:
        card = asked.card or _some_card(asked.recordings) if not asked.invented else _invented(Path(folder))
        if card is None:
            print(
                f"{asked.recordings} holds no card. Record one, name one with --card, or try --invented.",
                file=sys.stderr,
            )
            return 2
        builds = []
        for count in asked.cards:
            recordings = Path(folder) / f"recordings-{count}"
            copy_cards(card, count, recordings)
            runs = [_build(recordings, Path(folder) / "out", count) for _ in range(asked.runs)]
            builds.append(min(runs, key=lambda build: build.seconds))
            shutil.rmtree(recordings)
        print(f"{card.name}, best of {asked.runs}, {os.cpu_count()} CPUs, Python {sys.version.split()[0]}")
        print("\n".join(table(builds)))
    return 0


def _parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m bench.publish", description="Time full builds of the site.")
    made.add_argument("--cards", type=int, nargs="+", default=[1, 10, 50], metavar="N")
    made.add_argument(
        "--runs", type=int, default=3, metavar="N", help="of each build; the best one counts (%(default)s)"
    )
    made.add_argument("--recordings", type=Path, default=ROOT / "recordings", metavar="DIR")
    made.add_argument("--card", type=Path, metavar="DIR", help="the card's folder to copy (the largest one)")
    made.add_argument("--invented", action="store_true", help="use the tests' invented card instead")
    return made


def _some_card(recordings: Path) -> Path | None:
    """The card with the most bytes: it has the most to draw."""
    folders = [path for path in recordings.iterdir() if path.is_dir() and any(path.glob("*/*.yaml"))]
    return max(folders, key=lambda f: sum(p.stat().st_size for p in f.glob("*/*.yaml")), default=None)


def _invented(folder: Path) -> Path:
    from tests.fixture_cards import whole_card

    return whole_card(folder / "invented")


def copy_cards(card: Path, count: int, recordings: Path) -> None:
    """The card itself and ``count`` - 1 copies under other slugs, beside the published sets."""
    for number in range(count):
        slug = card.name if number == 0 else f"copy-{number:03d}"
        for path in sorted(card.glob("*/*.yaml")):
            text = path.read_text(encoding="utf-8")
            if number:
                text = _SLUG.sub(rf"\g<1>{slug}", text, count=1)
                text = _NAME.sub(rf"\g<1>Copy {number}", text, count=1)
            to = recordings / slug / path.parent.name / path.name
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_text(text, encoding="utf-8")
    published = ROOT / "recordings" / "published"
    if published.is_dir():
        shutil.copytree(published, recordings / "published")


def _build(recordings: Path, out: Path, count: int) -> Build:
    """One build in a process of its own; its peak memory is what the system counted for that process."""
    shutil.rmtree(out, ignore_errors=True)
    command = [sys.executable, "build.py", "--allow-stale", "--recordings", str(recordings), "--out", str(out)]
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"build.py failed with {count} cards:\n{said}")
    peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6  # Linux counts in KiB
    files = [path for path in out.rglob("*") if path.is_file()]
    pages = sum(path.suffix == ".html" for path in files)
    return Build(count, seconds, peak, pages, sum(path.stat().st_size for path in files) / 1e6)


def table(builds: Sequence[Build]) -> list[str]:
    """The builds beside the targets, and what another card costs: the growth that should be linear."""
    rows = [("cards", "pages", "seconds", "at most", "peak MB", "at most", "MB written", "s a further card", "")]
    before: Build | None = None
    for build in builds:
        seconds, peak = TARGETS.get(build.cards, (None, None))
        slope = (build.seconds - before.seconds) / (build.cards - before.cards) if before else None
        limits = ((build.seconds, seconds), (build.peak_mb, peak))
        missed = any(value > limit for value, limit in limits if limit is not None)
        rows.append(
            (
                str(build.cards), str(build.pages), f"{build.seconds:.2f}", f"{seconds:g}" if seconds else "-",
                f"{build.peak_mb:.0f}", f"{peak:g}" if peak else "-", f"{build.mb_written:.1f}",
                f"{slope:.3f}" if slope else "-", "" if seconds is None else "MISSED" if missed else "met",
            )
        )  # fmt: skip
        before = build
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


if __name__ == "__main__":
    sys.exit(main())
