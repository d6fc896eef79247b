"""What do the hardware counters say of each rung? Bytes, hits, pipes, conflicts and stalls, read by ncu."""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
from typing import Any

from recorder.card.device import DeviceError
from recorder.measure.counted import LAUNCHED, STOPPED
from recorder.measure.session import Session, not_measured
from schema.results import Counters, CountersResults

ESTIMATE_S, QUICK_S = 30, 30
TIMEOUT_S = 60.0
METRICS = (
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "lts__t_bytes.sum",
    "lts__t_sector_hit_rate.pct",
    "l1tex__t_sector_hit_rate.pct",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    "sm__inst_executed_pipe_tensor.sum",
    "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "gpu__time_duration.sum",
)
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
REASONS = (
    "barrier", "branch_resolving", "dispatch_stall", "drain", "lg_throttle", "long_scoreboard", "math_pipe_throttle",
    "membar", "mio_throttle", "no_instruction", "not_selected", "selected", "short_scoreboard", "sleeping", "wait",
)  # fmt: skip
BYTES = {"byte": 1, "kbyte": 1e3, "mbyte": 1e6, "gbyte": 1e9}
SECONDS = {"ns": 1, "nsecond": 1, "us": 1e3, "usecond": 1e3, "ms": 1e6, "msecond": 1e6}


def run(session: Session) -> dict[str, tuple[Any, dict[str, Any]]]:
    """The ``counters`` experiment; where there is no ncu, or it may not read, every rung says so."""
    ladder = session.the_ladder
    tool = shutil.which("ncu")
    rungs: dict[str, Any] = {}
    for i, rung in enumerate(ladder.rungs):
        session.progress(rung.slug, i / len(ladder.rungs))
        if tool is None:
            rungs[rung.slug] = not_measured("ncu is not on the PATH; install Nsight Compute and record again")
        else:
            rungs[rung.slug] = session.attempt(rung.slug, lambda r=rung, t=tool: _count(session, t, r.slug))
    name = "none" if tool is None else "ncu " + _version(tool)
    return {
        "counters": (
            CountersResults(tool=name, rungs=rungs),
            {"cache": "flushed by the profiler", "launches_before": LAUNCHED - 1, "clocks": "free"},
        )
    }


def _version(tool: str) -> str:
    text = subprocess.run([tool, "--version"], capture_output=True, text=True, timeout=30).stdout
    return next((line.split("Version")[1].strip() for line in text.splitlines() if "Version" in line), "")[:100]


def _count(session: Session, tool: str, slug: str, timeout_s: float = TIMEOUT_S) -> Counters:
    ladder, gpu = session.the_ladder, session.device.index
    metrics = ",".join([*METRICS, *(STALL.format(reason) for reason in REASONS)])
    command = [
        tool, "--csv", "--clock-control", "none", "--kernel-name", ladder.entry,
        "--launch-skip", str(LAUNCHED - 1), "--launch-count", "1", "--metrics", metrics,
        sys.executable, "-m", "recorder.measure.counted", str(ladder.folder), slug, str(gpu),
    ]  # fmt: skip
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s)
    except subprocess.TimeoutExpired:
        raise DeviceError(f"ncu did not finish {slug} within {timeout_s:g} s") from None
    stopped = next((line for line in done.stderr.splitlines() if line.startswith(STOPPED)), "")
    if stopped:
        raise DeviceError(stopped.removeprefix(STOPPED))
    values = read_csv(done.stdout)
    if not values:
        said = [line for line in (done.stdout + done.stderr).splitlines() if "ERR" in line or "rror" in line]
        raise DeviceError(f"ncu read nothing of {slug}: {said[0] if said else 'it printed no metrics'}")
    stalls = {reason: values[STALL.format(reason)] for reason in REASONS if STALL.format(reason) in values}
    total = sum(stalls.values()) or 1.0
    cold: dict[str, Any] = {
        name: values[name] if name in values else not_measured("this profiler or card has no such counter")
        for name in METRICS
    }
    return Counters(cold=cold, stalls={reason: round(value / total, 5) for reason, value in stalls.items()})


def read_csv(text: str) -> dict[str, float]:
    """Metric -> value out of ncu's CSV: bytes in bytes, durations in nanoseconds, the rest as printed."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    found: dict[str, float] = {}
    for row in csv.DictReader(lines):
        name, unit, value = row.get("Metric Name"), row.get("Metric Unit") or "", row.get("Metric Value") or ""
        try:
            number = float(value.replace(",", ""))
        except ValueError:
            continue
        scale = BYTES.get(unit.lower(), SECONDS.get(unit.lower(), 1))
        if name:
            found[name] = number * scale
    return found
