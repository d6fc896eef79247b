"""``python -m recorder``: re-record everything on a card, resume, or compile without one."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from recorder.compile_only import record_archs
from recorder.device import DeviceError, list_devices
from recorder.experiments import Job, jobs
from recorder.ladder import LadderError, load_ladders
from recorder.recording import RecordingError, load
from recorder.run import Report, RunError, run, state_of
from recorder.show import BarReport, LineReport, print_table
from recorder.summary import summary
from recorder.toolkit import ToolkitError

OUT = Path("recordings")


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(
        prog="python -m recorder",
        description="Run every kernel on a card and write what it said to recordings/<card>/. A second run resumes.",
    )
    p.add_argument("--gpu", type=int, metavar="N", help="the GPU to record, counted as CUDA does (default 0)")
    p.add_argument("--arch", action="append", default=[], metavar="sm_NN", help="compile only, for this arch; no GPU")
    p.add_argument("--only", action="append", default=[], metavar="SUBJECT/EXPERIMENT", help="record these alone")
    p.add_argument("--list", action="store_true", help="say what there is to record and what is recorded, and stop")
    p.add_argument("--force", action="store_true", help="record again what is recorded already")
    p.add_argument("--quick", action="store_true", help="a tenth of the samples; marked quick in the data and on pages")
    p.add_argument("--with-counters", action="store_true", help="read hardware counters too (needs ncu)")
    p.add_argument("--out", type=Path, default=OUT, metavar="DIR", help="where recordings lie (default recordings)")
    return p


def main(arguments: list[str] | None = None) -> int:
    """0: all recorded. 1: something failed, and is recorded as failed. 2: the call was wrong."""
    options = parser().parse_args(arguments)
    try:
        ladders = load_ladders()
        chosen = choose(
            jobs(ladders, options.with_counters or any("counters" in o for o in options.only)), options.only
        )
        if options.list:
            return list_jobs(chosen, ladders, options)
        if options.arch:
            return record_archs(options.arch, ladders, options.out, options.force, print)
        return record(chosen, ladders, options)
    except (RunError, DeviceError, ToolkitError, LadderError, UsageError) as error:
        print(f"recorder: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nrecorder: interrupted; what is recorded is kept. Run the same command to go on.", file=sys.stderr)
        return 130


class UsageError(Exception):
    """The call asks for something that does not exist."""


def choose(everything: list[Job], only: list[str]) -> list[Job]:
    """The jobs that ``--only`` names: ``subject/experiment``, a subject, or an experiment."""
    if not only:
        return everything
    found: list[Job] = []
    for name in only:
        hits = [
            j
            for j in everything
            if name in (j.key, j.subject, j.experiment.name, *(f"{j.subject}/{a}" for a in j.experiment.also))
        ]
        if not hits:
            raise UsageError(
                f"there is nothing called {name!r} to record. There is: {', '.join(j.key for j in everything)}"
            )
        found += [j for j in hits if j not in found]
    return found


def list_jobs(chosen: list[Job], ladders: dict, options: argparse.Namespace) -> int:
    folders = (
        sorted(p for p in options.out.glob("*") if p.is_dir() and p.name != "published") if options.out.exists() else []
    )
    print("Experiments, in the order they run:\n")
    rows = [("experiment", "about", *(f.name for f in folders))]
    for job in chosen:
        states = []
        for folder in folders:
            state, recording = state_of(job, folder, ladders.get(job.subject))
            states.append(f"{state} {recording.date}" if recording else state)
        rows.append((job.key, f"{job.experiment.estimate_s} s", *states))
    print_table(rows)
    print(f"\nAll of it takes about {sum(j.experiment.estimate_s for j in chosen) / 60:.0f} minutes on a large card.")
    try:
        names = list_devices()
        print("GPUs: " + (", ".join(f"{i}: {n}" for i, n in enumerate(names)) or "none"))
    except DeviceError as error:
        print(f"GPUs: {error}")
    return 0


def record(chosen: list[Job], ladders: dict, options: argparse.Namespace) -> int:
    report: Report = BarReport(chosen) if sys.stdout.isatty() else LineReport(chosen)
    started = time.monotonic()
    before = {path: path.read_bytes() for path in options.out.glob("*/*/*.yaml")} if options.out.exists() else {}
    card, outcomes = run(
        chosen, ladders, options.out, options.gpu or 0, force=options.force, quick=options.quick, report=report
    )
    report.say("")
    print(f"{card.name}: {time.monotonic() - started:.0f} s")
    for outcome in outcomes:
        print(f"  {outcome.job.key:24s} {outcome.state:9s} {outcome.seconds:7.1f} s")
    for subject in dict.fromkeys(j.subject for j in chosen):
        path = options.out / card.slug / subject / "times.yaml"
        if path.exists():
            try:
                times = load(path)
            except RecordingError:
                continue
            print(f"\n{subject}")
            print_table(summary(times))
    faults = [(o.job.key, fault) for o in outcomes for fault in o.faults]
    for key, fault in faults:
        print(f"failed: {key}: {fault}", file=sys.stderr)
    _say_changes(before, options.out, card.slug)
    print(f"\nThe recordings are in {options.out / card.slug}. Publish them with: python build.py")
    return 1 if faults else 0


def _say_changes(before: dict[Path, bytes], out: Path, slug: str) -> None:
    """Which numbers moved beyond resolution, and which claims flipped, against what was recorded before."""
    if not any(path.parts[-3] == slug for path in before):
        return
    from recorder.changes import say_changes

    say_changes(before, out, slug)


if __name__ == "__main__":
    sys.exit(main())
