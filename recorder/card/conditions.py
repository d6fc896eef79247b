"""In what state is the card? Clocks, power, temperature and throttle reasons by NVML, sampled under load.

What NVML refuses is not measured: under MIG, WSL and in containers that can be any of them.
"""

from __future__ import annotations

import os
import statistics
import threading
import time
from importlib import import_module
from typing import Any

from schema.recording import Conditions, numbers_block
from schema.results import ConditionsResults, NotMeasured, Table

EVERY_S = 0.25
# Reasons that say nothing is wrong: no load, or an owner's own choice of clocks.
HARMLESS = {"gpu_idle", "applications_clocks_setting", "user_defined_clocks", "sync_boost", "display_clock_setting"}


class Nvml:
    """The NVML handle of one GPU, found by its PCI bus id (NVML counts GPUs in another order than CUDA).

    ``library`` is ``pynvml`` unless given.
    """

    def __init__(self, pci_bus_id: str, library: Any = None) -> None:
        self.why, self.handle = "", None
        self.nvml: Any = library
        try:
            self.nvml = library or import_module("pynvml")
        except ImportError:
            self.why = "nvidia-ml-py is not installed"
            return
        try:
            self.nvml.nvmlInit()
            self.handle = self.nvml.nvmlDeviceGetHandleByPciBusId(pci_bus_id)
        except Exception as error:  # NVMLError, or a library that does not load
            self.why = f"NVML: {error}"[:400]

    def _call(self, name: str, *arguments: Any) -> Any:
        if self.handle is None:
            return NotMeasured(not_measured=self.why)
        try:
            return getattr(self.nvml, name)(*arguments)
        except Exception as error:  # NVMLError, or a function this NVML lacks
            return NotMeasured(not_measured=f"NVML: {error}"[:400])

    def ask(self, name: str, *arguments: Any) -> Any:
        """The answer of an NVML call by its name without ``nvmlDeviceGet``, or ``NotMeasured`` with its refusal."""
        return self._call(f"nvmlDeviceGet{name}", self.handle, *arguments)

    def driver(self) -> Any:
        found = self._call("nvmlSystemGetDriverVersion")
        return found if isinstance(found, NotMeasured) else str(found)

    def sm_clock(self) -> Any:
        return self.ask("ClockInfo", getattr(self.nvml, "NVML_CLOCK_SM", 1))

    def memory_clock(self) -> Any:
        return self.ask("ClockInfo", getattr(self.nvml, "NVML_CLOCK_MEM", 2))

    def power(self) -> Any:
        return scaled(self.ask("PowerUsage"), 1e-3)

    def temperature(self) -> Any:
        return self.ask("Temperature", getattr(self.nvml, "NVML_TEMPERATURE_GPU", 0))

    def throttle_reasons(self) -> Any:
        """The reasons that slow the clocks now; empty when nothing does."""
        mask = refusal = self.ask("CurrentClocksEventReasons")
        if isinstance(refusal, NotMeasured):
            mask = self.ask("CurrentClocksThrottleReasons")  # its name in older libraries
        if isinstance(mask, NotMeasured):
            return refusal
        found = set()
        for prefix in ("nvmlClocksEventReason", "nvmlClocksThrottleReason"):
            for name in dir(self.nvml):
                if name.startswith(prefix) and name not in (f"{prefix}None", f"{prefix}All"):
                    value = getattr(self.nvml, name)
                    if isinstance(value, int) and value and mask & value == value:
                        found.add(_snake(name.removeprefix(prefix)))
        return sorted(found - HARMLESS)

    def other_processes(self) -> Any:
        """Compute processes on the card beside this one, which holds a context on it.

        In a container this process has another number than NVML gives it, and NVML may show none at all.
        """
        running = self.ask("ComputeRunningProcesses")
        if isinstance(running, NotMeasured):
            return running
        if not running:
            return NotMeasured(not_measured="NVML shows no process on the card, not even this one")
        others = sum(process.pid != os.getpid() for process in running)
        return others if others < len(running) else others - 1


def scaled(value: Any, factor: float) -> Any:
    return value if isinstance(value, NotMeasured) else round(value * factor, 3)


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() and i else c.lower() for i, c in enumerate(name))


class Sampler:
    """Samples the card's state in a thread within ``with sampler:``, at once and every ``every_s`` seconds."""

    def __init__(self, nvml: Nvml, every_s: float = EVERY_S) -> None:
        self.nvml, self.every_s = nvml, every_s
        self.read = {
            "sm_clock_MHz": self.nvml.sm_clock,
            "memory_clock_MHz": self.nvml.memory_clock,
            "power_W": self.nvml.power,
            "temperature_C": self.nvml.temperature,
        }
        refused = {name: value for name, ask in self.read.items() if isinstance(value := ask(), NotMeasured)}
        self.refused: dict[str, NotMeasured] = refused
        self.columns = [name for name in self.read if name not in refused]
        self.rows: list[list[float]] = []  # seconds, then the columns
        self.reasons: dict[str, int] = {}
        self.silent: NotMeasured | None = None  # why throttle reasons are not known
        self._start = time.monotonic()

    def __enter__(self) -> Sampler:
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        if self.nvml.handle is not None:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        while True:
            row = [self.read[name]() for name in self.columns]
            if row and not any(isinstance(value, NotMeasured) for value in row):
                self.rows.append([time.monotonic() - self._start, *(float(v) for v in row)])
            reasons = self.nvml.throttle_reasons()
            if isinstance(reasons, NotMeasured):
                self.silent = reasons
            else:
                for reason in reasons:
                    self.reasons[reason] = self.reasons.get(reason, 0) + 1
            if self._stop.wait(self.every_s):
                return

    def conditions(self) -> Conditions:
        """For a header: medians over all samples, and every reason that was seen to slow the clocks."""
        values: dict[str, Any] = {}
        for name in self.read:
            found = [row[1 + self.columns.index(name)] for row in self.rows] if name in self.columns else []
            none = self.refused.get(name, NotMeasured(not_measured="NVML gave no sample"))
            values[name] = _whole(statistics.median(found)) if found else none
        return Conditions(**values, throttle_reasons=sorted(self.reasons), other_processes=self.nvml.other_processes())

    def remarks(self) -> dict[str, str]:
        """What a header's method must say beside: that nobody knows whether the clocks were slowed."""
        why = self.silent or (NotMeasured(not_measured=self.nvml.why) if self.nvml.handle is None else None)
        return {"throttle_reasons": f"not known: {why.not_measured}"[:400]} if why else {}

    def results(self) -> ConditionsResults | NotMeasured:
        """All samples, or why there are none; a column that NVML refuses is left out, but not the clock."""
        if "sm_clock_MHz" in self.refused:
            return self.refused["sm_clock_MHz"]
        if not self.rows:
            return NotMeasured(not_measured="NVML gave no sample")
        names = ["seconds", *self.columns]
        return ConditionsResults(
            samples=Table(
                columns=" ".join(names), rows=numbers_block([v for row in self.rows for v in row], 2, len(names))
            ),
            throttle_reasons=self.reasons,
            other_processes=self.nvml.other_processes(),
        )


def _whole(value: float) -> float | int:
    return int(value) if value == int(value) else round(value, 3)
