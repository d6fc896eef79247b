"""``python -m recorder``: re-record everything on a card, resume, or compile without one."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from recorder.card.device import DeviceError, list_devices
from recorder.compile.toolkit import ToolkitError, need_tools
from recorder.experiments import Job, jobs
from recorder.run.changes import changes
from recorder.run.compile_only import record_archs
from recorder.run.folder import RunError, state_of
from recorder.run.order import Report, RunStopped, run
from recorder.run.outcome import Outcome
from recorder.run.summary import summary
from recorder.run.terminal import BarReport, LineReport, print_table
from recorder.run.timeleft import words
from schema.conventions import source_faults
from schema.experiments import CODE, COUNTERS
from schema.kernel_text import SourceError
from schema.ladder import KERNELS, Ladder, LadderError
from schema.load_ladder import load_ladders
from schema.recording import Card, RecordingError, load

OUT = Path("recordings")
DEVICE = "recorder.card.device:Device"
PEOPLE = (RunError, DeviceError, ToolkitError, LadderError, SourceError)  # their messages are sentences for a person


class UsageError(Exception):
    """The call asks for something that does not exist, or that is not as it has to be."""


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(
        prog="python -m recorder",
        description="Run every kernel on a card and write what it said to recordings/<card>/. A second run resumes.",
        epilog="Exit status: 0 all is recorded; 1 something failed, and is recorded as failed; 2 the call, or a "
        "kernel's text, is wrong.",
    )
    p.add_argument("--gpu", type=int, metavar="N", help="the GPU to record, counted as CUDA does (default 0)")
    p.add_argument("--arch", action="append", default=[], metavar="sm_NN", help="compile only, for this arch; no GPU")
    p.add_argument("--only", action="append", default=[], metavar="SUBJECT/EXPERIMENT", help="these alone, by commas")
    p.add_argument("--list", action="store_true", help="say what there is to record and what is recorded, and stop")
    p.add_argument("--force", action="store_true", help="record again what is recorded already")
    p.add_argument("--quick", action="store_true", help="a tenth of the samples; marked quick in the data and on pages")
    p.add_argument("--with-counters", action="store_true", help="read hardware counters too (needs ncu)")
    p.add_argument("--out", type=Path, default=OUT, metavar="DIR", help="where recordings lie (default recordings)")
    return p


def main(
    arguments: list[str] | None = None,
    device_factory: str = DEVICE,
    kernels: Path = KERNELS,
    need: Callable[[], None] = need_tools,
) -> int:
    """0: all is recorded. 1: something failed, and is recorded as failed. 2: the call, or a kernel's text, is wrong.
    130: interrupted.

    ``need`` raises ToolkitError where a tool is missing.
    """
    options = parser().parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # a terminal that lacks µ is no reason to stop
    try:
        ladders = load_ladders(kernels)
        only = [name for words_ in options.only for name in words_.split(",") if name]
        counters = options.with_counters or any(COUNTERS in name for name in only)
        chosen = choose(jobs(ladders, counters), only)
        if options.list:
            return list_jobs(chosen, ladders, options)
        chosen = code_jobs(chosen, options) if options.arch else chosen
        if faults := kernel_faults(chosen, ladders):
            raise UsageError("\nrecorder: ".join(faults))
        need()
        if options.arch:
            return record_archs(options.arch, chosen, ladders, options.out, options.force, print)
        return record(chosen, ladders, options, device_factory, kernels)
    except (*PEOPLE, UsageError) as error:
        print(f"recorder: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nrecorder: interrupted; what is recorded is kept. Run the same command to go on.", file=sys.stderr)
        return 130
    except BrokenPipeError:  # whoever read the output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def choose(everything: list[Job], only: list[str]) -> list[Job]:
    """The jobs that ``--only`` names: ``subject/experiment``, a subject, or an experiment."""
    if not only:
        return everything
    for name in only:
        if not any(name in job.names for job in everything):
            there = ", ".join(job.key for job in everything)
            raise UsageError(f"there is nothing called {name!r} to record. There is: {there}")
    return [job for job in everything if set(only) & set(job.names)]


def kernel_faults(chosen: list[Job], ladders: dict[str, Ladder]) -> list[str]:
    """What is wrong in the kernels' text of the ladders that are asked for."""
    subjects = dict.fromkeys(job.subject for job in chosen)
    return [fault for subject in subjects if subject in ladders for fault in source_faults(ladders[subject])]


def code_jobs(chosen: list[Job], options: argparse.Namespace) -> list[Job]:
    """The jobs that need no card."""
    found = [job for job in chosen if job.experiment.name == CODE]
    if options.gpu is not None or not found:
        raise UsageError(
            "--arch compiles without a GPU, so it records code alone; leave out --gpu and other experiments"
        )
    return found


def list_jobs(chosen: list[Job], ladders: dict[str, Ladder], options: argparse.Namespace) -> int:
    out = options.out
    folders = sorted(p for p in out.glob("*") if p.is_dir() and p.name != "published") if out.exists() else []
    print("Experiments, in the order they run:\n")
    rows = [("experiment", "about", *(f.name for f in folders))]
    for job in chosen:
        states = []
        for folder in folders:
            state, recording = state_of(job, folder, ladders.get(job.subject))
            states.append(f"{state} {recording.date}" if recording else state)
        rows.append((job.key, words(job.estimate_s(options.quick)), *states))
    print_table(rows)
    whole = sum(job.estimate_s(options.quick) for job in chosen)
    print(f"\nAll of it takes about {words(whole)} on a large card.")
    try:
        names = list_devices()
        print("GPUs: " + (", ".join(f"{i}: {n}" for i, n in enumerate(names)) or "none"))
    except DeviceError as error:
        print(f"GPUs: {error}")
    return 0


def record(
    chosen: list[Job], ladders: dict[str, Ladder], options: argparse.Namespace, device_factory: str, kernels: Path
) -> int:
    """Record on a card, and print what came of it."""
    report: Report = (BarReport if sys.stdout.isatty() else LineReport)(chosen, options.quick)
    started = time.monotonic()
    before = {path: path.read_bytes() for path in options.out.glob("*/*/*.yaml")} if options.out.exists() else {}
    stopped = ""
    try:
        card, outcomes = run(
            chosen, ladders, options.out, options.gpu or 0, force=options.force, quick=options.quick, report=report,
            device_factory=device_factory, kernels=kernels,
        )  # fmt: skip
    except RunStopped as error:
        card, outcomes, stopped = error.card, error.outcomes, str(error)
    print(f"\n{card.name}: {words(time.monotonic() - started)}")
    print_outcomes(card, outcomes, options.out)
    for line in changes(before, options.out, card.slug):
        print(line)
    if stopped:
        print(f"recorder: {stopped}. Run the same command to go on.", file=sys.stderr)
        return 1
    print(f"\nThe recordings are in {options.out / card.slug}. Publish them with: python build.py")
    return 1 if any(outcome.faults for outcome in outcomes) else 0


def print_outcomes(card: Card, outcomes: list[Outcome], out: Path) -> None:
    """A line a job, the table of each ladder, and what failed or must be warned of."""
    for outcome in outcomes:
        seconds = "" if outcome.state == "skipped" else f"{outcome.seconds:7.1f} s"
        print(f"  {outcome.job.key:24s} {outcome.state:9s} {seconds}".rstrip())
    for subject in dict.fromkeys(outcome.job.subject for outcome in outcomes):
        path = out / card.slug / subject / "times.yaml"
        try:
            times = load(path) if path.exists() else None
        except RecordingError:
            continue
        if times:
            print(f"\n{subject}")
            print_table(summary(times))
    for outcome in outcomes:
        for flag in outcome.flags:
            print(f"flagged: {outcome.job.key}: {flag}", file=sys.stderr)
        for fault in outcome.faults:
            print(f"failed: {outcome.job.key}: {fault}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
