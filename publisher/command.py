"""What can be asked of build.py? Its options, and what it says on the terminal. Exit 0, 1 for faults, 2 for usage."""

from __future__ import annotations

import argparse
import os
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from publisher.build import ROOT, Builder, Options
from publisher.facts.diff import report
from publisher.faults import BuildError, Fault, Faults, faults_of
from publisher.figures.kit.figure import SteppedFigure
from publisher.output import OutputError, fresh_folder, scratch, write_files
from publisher.pictures.share import renew_shares
from publisher.pictures.stills import renew_stills
from publisher.serve import serve
from schema.recording import CardRecordings, RecordingError, load_cards


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="build.py", description="Turn recordings and chapters into a static site.")
    made.add_argument("--check", action="store_true", help="do everything but write")
    made.add_argument("--serve", action="store_true", help="preview at http://localhost:PORT/ and rebuild what changes")
    made.add_argument("--port", type=int, default=8000, help="of the preview (%(default)s)")
    made.add_argument(
        "--stills",
        action="store_true",
        help="renew the figures' first pictures in site/stills; needs Playwright and Chromium",
    )
    made.add_argument(
        "--allow-stale", action="store_true", help="publish recordings of kernels that have changed, marked as stale"
    )
    made.add_argument("--recordings", type=Path, default=ROOT / "recordings", metavar="DIR")
    made.add_argument("--content", type=Path, default=ROOT / "content", metavar="DIR")
    made.add_argument("--kernels", type=Path, default=ROOT / "kernels", metavar="DIR")
    made.add_argument("--out", type=Path, default=ROOT / "dist", metavar="DIR", help="(%(default)s)")
    made.add_argument(
        "--site-url", metavar="URL", help="where the site will be served: adds canonical links, feed and sitemap"
    )
    made.add_argument(
        "--diff", type=Path, metavar="OLD", help="say what moved between the recordings in OLD and those here, and stop"
    )
    return made


def main(arguments: list[str]) -> int:
    asked = parser().parse_args(arguments)
    if asked.site_url and not asked.site_url.startswith(("http://", "https://")):
        parser().error(f"--site-url {asked.site_url} is no address; write it with https://")
    docs = ROOT / "docs" if asked.content == ROOT / "content" else None
    options = Options(
        recordings=asked.recordings.resolve(),
        content=asked.content.resolve(),
        kernels=asked.kernels.resolve(),
        docs=docs,
        site_url=asked.site_url,
        allow_stale=asked.allow_stale or asked.serve,
        root=ROOT if asked.content.resolve().is_relative_to(ROOT) else asked.content.resolve().parent,
    )
    try:
        if asked.diff:
            return _diff(Builder(options), asked.diff)
        if asked.serve:
            return serve(options, asked.port)
        builder = Builder(options)
        if asked.stills:
            _renew_stills(builder)
        return _publish(builder, asked.out, asked.check)
    except BuildError as error:
        count = len(error.faults)
        print(*(typed(fault, options.root) for fault in error.faults), sep="\n", file=sys.stderr)
        print(f"{count} {'fault' if count == 1 else 'faults'}; nothing was written.", file=sys.stderr)
        return 1
    except OutputError as error:
        print(error, file=sys.stderr)
        return 2
    except BrokenPipeError:  # whoever read the output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _renew_stills(builder: Builder) -> None:
    """Draw the first pictures of every figure on every card that lacks one, and say which."""
    with closing(scratch()) as made:
        built = builder.build(made.folder)
    drawn = [d.figure for page in built.woven for d in page.figures.values() if isinstance(d.figure, SteppedFigure)]
    renewed = renew_stills(drawn)
    pictures = renew_shares(built.shares)
    print(f"{len(renewed)} stills and {len(pictures)} pictures of articles drawn in site/stills")
    builder.forget_pages()


def typed(fault: Fault, root: Path) -> str:
    """The fault with its file as it can be typed from the working directory."""
    path = root / fault.file
    if not path.exists():
        return str(fault)
    here = Path.cwd()
    return str(replace(fault, file=str(path.relative_to(here) if path.is_relative_to(here) else path)))


def _diff(builder: Builder, old_folder: Path) -> int:
    """Say what moved since the recordings in ``old_folder``."""
    faults = Faults()
    content = builder.read_content(faults)
    old: dict[str, CardRecordings] = {}
    new: dict[str, CardRecordings] = {}
    try:  # a card without results is no fault here: nothing of it has moved
        old, new = (load_cards(folder, builder.options.root) for folder in (old_folder, builder.options.recordings))
    except RecordingError as error:
        faults += faults_of(error)
    if content is None or faults:
        raise BuildError(faults.told())
    claims = [node.argument for article in content.articles for node in article.claims()]
    print(*report(claims, old, new), sep="\n")
    return 0


def _publish(builder: Builder, out: Path, check: bool) -> int:
    start = time.perf_counter()
    if check:
        with closing(scratch()) as made:
            built = builder.build(made.folder)
    else:
        with fresh_folder(out, builder.options.inputs) as folder:
            built = builder.build(folder)
            write_files(folder, built.files)
    seconds = time.perf_counter() - start
    where = "checked, nothing written" if check else f"in {out}"
    print(f"{built.pages} pages, {built.figures} figures, {len(built.cards)} cards {where}: {seconds:.2f} s")
    return 0
