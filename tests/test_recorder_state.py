"""Is the card's state told as it is? By NVML, which may refuse, and by counters, which a profiler reads."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from recorder.card.conditions import Nvml, Sampler
from recorder.experiments import counters
from recorder.measure.counted import STOPPED
from recorder.measure.session import Session
from schema.load_ladder import load_ladder
from schema.results import Failed, NotMeasured
from tests import fake_nvml
from tests.fake_recorder import KERNELS
from tests.runs import LONG_S, ROOT, record, recording

# ---- the card's state --------------------------------------------------------------------------------------------


def nvml(monkeypatch: pytest.MonkeyPatch, mood: str) -> Nvml:
    monkeypatch.setenv("FAKE_NVML", mood)
    return Nvml("0000:00:00.0", fake_nvml)


def test_other_processes_are_those_beside_this_one(monkeypatch: pytest.MonkeyPatch):
    assert nvml(monkeypatch, "works").other_processes() == 0
    assert nvml(monkeypatch, "busy").other_processes() == 1
    assert "not even this one" in nvml(monkeypatch, "blind").other_processes().not_measured
    assert nvml(monkeypatch, "container").other_processes() == 0


def test_reasons_that_the_owner_chose_are_no_throttle(monkeypatch: pytest.MonkeyPatch):
    assert nvml(monkeypatch, "throttled").throttle_reasons() == ["sw_power_cap"]
    assert nvml(monkeypatch, "works").throttle_reasons() == []
    assert "Not Supported" in nvml(monkeypatch, "refuses").throttle_reasons().not_measured


def test_a_sampler_without_nvml_says_so(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "pynvml", None)
    sampler = Sampler(Nvml("0"))
    with sampler:
        pass
    none = NotMeasured(not_measured="nvidia-ml-py is not installed")
    assert sampler.results() == none and sampler.conditions().sm_clock_MHz == none
    assert sampler.remarks() == {"throttle_reasons": "not known: nvidia-ml-py is not installed"}


def test_a_sampler_goes_on_where_it_stopped(monkeypatch: pytest.MonkeyPatch):
    sampler = Sampler(nvml(monkeypatch, "throttled"), LONG_S)  # once, as it is entered
    for _ in range(2):
        with sampler:
            pass
    assert len(sampler.rows) == 2 and sampler.reasons == {"sw_power_cap": 2}
    assert sampler.conditions().throttle_reasons == ["sw_power_cap"]


# ---- counters ----------------------------------------------------------------------------------------------------

NCU = """#!/bin/sh
[ "$1" = --version ] && { echo "Version 2026.1 (build 1)"; exit; }
%s
"""
CSV = """echo '==PROF== Connected'
cat <<EOF
"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"
"0","distance","dram__bytes_read.sum","Mbyte","33.5"
"0","distance","gpu__time_duration.sum","us","12.5"
"0","distance","lts__t_sector_hit_rate.pct","%","1,234.5"
"0","distance","smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio","inst","1"
"0","distance","smsp__average_warps_issue_stalled_wait_per_issue_active.ratio","inst","3"
"0","distance","sm__warps_active.avg.pct_of_peak_sustained_active","%","n/a"
EOF"""


def profiler(folder: Path, body: str) -> str:
    path = folder / "ncu"
    path.write_text(NCU % body)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(folder)


def test_counters_are_read_from_the_profiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", profiler(tmp_path, CSV) + ":/usr/bin:/bin")
    assert record(tmp_path / "out", "distance/counters")["distance/counters"].faults == []
    found: Any = recording(tmp_path / "out", "distance/counters").results
    lanes = found.rungs["lanes"]
    assert found.tool == "ncu 2026.1 (build 1)"
    assert lanes.cold["dram__bytes_read.sum"] == 33.5e6 and lanes.cold["gpu__time_duration.sum"] == 12_500
    assert lanes.cold["lts__t_sector_hit_rate.pct"] == 1234.5
    assert isinstance(lanes.cold["sm__warps_active.avg.pct_of_peak_sustained_active"], NotMeasured)
    assert lanes.stalls == {"barrier": 0.25, "wait": 0.75}


def counted(tool: Path | str, timeout_s: float = LONG_S) -> Any:
    session = Session(SimpleNamespace(index=0, sync=lambda: None), load_ladder(KERNELS / "distance"), False)
    return session.attempt("lanes", lambda: counters._count(session, f"{tool}/ncu", "lanes", timeout_s))


def test_a_profiler_that_may_not_read_is_quoted(tmp_path: Path):
    refusal = "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission"
    found = counted(profiler(tmp_path, f"echo '{refusal}'"))
    assert found == Failed(failed=f"ncu read nothing of lanes: {refusal}")


def test_a_profiler_that_hangs_is_left(tmp_path: Path):
    hangs = counted(profiler(tmp_path, f"exec sleep {LONG_S}"), 0.2)
    assert hangs == Failed(failed="ncu did not finish lanes within 0.2 s")


def test_a_rung_that_is_wrong_while_it_is_counted_has_no_counters(tmp_path: Path):
    stops = f"echo '{STOPPED}lanes is wrong: its worst error is 7 times the tolerance (x)' >&2\n{CSV}"
    assert counted(profiler(tmp_path, stops)).failed.startswith("lanes is wrong: its worst error is 7 times")


def test_what_a_profiler_watches_is_checked():
    program = (
        "from tests.fake_device import FakeDevice\nfrom recorder.measure.counted import main\n"
        f"main({str(KERNELS / 'distance')!r}, 'lanes', FakeDevice(0), {{}})"
    )
    for faults, said in (("", ""), ("02_lanes.cu:wrong", "WrongResult: lanes is wrong: its worst error is")):
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=ROOT, env=os.environ | {"FAKE_FAULTS": faults}, text=True,
            capture_output=True, timeout=LONG_S,
        )  # fmt: skip
        assert done.returncode == bool(faults) and said in done.stderr
