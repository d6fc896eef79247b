"""In what state is the card? Clocks, power, temperature and throttle reasons by NVML; what it refuses is not measured."""

from __future__ import annotations

import threading
import time
from typing import Any

from recorder.recording import Conditions, numbers_block
from recorder.results import ConditionsResults, NotMeasured, Table

EVERY_S = 0.25
COLUMNS = ("seconds", "sm_clock_MHz", "memory_clock_MHz", "power_W", "temperature_C")
# Reasons that say nothing is wrong: no load, or an owner's own choice of clocks.
HARMLESS = {"gpu_idle", "applications_clocks_setting", "sync_boost", "display_clock_setting"}


class Nvml:
    """The NVML handle of one GPU, found by its PCI bus id (NVML counts GPUs in another order than CUDA)."""

    def __init__(self, pci_bus_id: str) -> None:
        self.why, self.handle, self.nvml = "", None, None
        try:
            import pynvml
        except ImportError:
            self.why = "nvidia-ml-py is not installed"
            return
        self.nvml = pynvml
        try:
            pynvml.nvmlInit()
            self.handle = pynvml.nvmlDeviceGetHandleByPciBusId(pci_bus_id)
        except pynvml.NVMLError as error:
            self.why = f"NVML: {error}"

    def ask(self, name: str, *arguments: Any) -> Any:
        """The answer of an NVML call by its name without ``nvmlDeviceGet``, or ``NotMeasured`` with its refusal."""
        if self.handle is None:
            return NotMeasured(not_measured=self.why)
        try:
            return getattr(self.nvml, f"nvmlDeviceGet{name}")(self.handle, *arguments)
        except Exception as error:  # NVMLError, or a function this NVML lacks
            return NotMeasured(not_measured=f"NVML: {error}"[:400])

    def sm_clock(self) -> Any:
        return self.ask("ClockInfo", getattr(self.nvml, "NVML_CLOCK_SM", 1))

    def memory_clock(self) -> Any:
        return self.ask("ClockInfo", getattr(self.nvml, "NVML_CLOCK_MEM", 2))

    def power(self) -> Any:
        return scaled(self.ask("PowerUsage"), 1e-3)

    def temperature(self) -> Any:
        return self.ask("Temperature", getattr(self.nvml, "NVML_TEMPERATURE_GPU", 0))

    def throttle_reasons(self) -> list[str]:
        """The reasons that slow the clocks now; empty when nothing does, or when NVML does not say."""
        mask = self.ask("CurrentClocksEventReasons")
        if isinstance(mask, NotMeasured):
            mask = self.ask("CurrentClocksThrottleReasons")
        if isinstance(mask, NotMeasured):
            return []
        found = []
        for prefix in ("nvmlClocksEventReason", "nvmlClocksThrottleReason"):
            for name in dir(self.nvml):
                if name.startswith(prefix) and name not in (f"{prefix}None", f"{prefix}All", f"{prefix}sSupported"):
                    value = getattr(self.nvml, name)
                    if isinstance(value, int) and value and mask & value == value:
                        found.append(_snake(name.removeprefix(prefix)))
        return sorted(set(found) - HARMLESS)

    def other_processes(self) -> Any:
        """Compute processes on the card that are not this one."""
        import os

        running = self.ask("ComputeRunningProcesses")
        return running if isinstance(running, NotMeasured) else sum(p.pid != os.getpid() for p in running)

    def conditions(self) -> Conditions:
        return Conditions(
            sm_clock_MHz=self.sm_clock(),
            memory_clock_MHz=self.memory_clock(),
            power_W=self.power(),
            temperature_C=self.temperature(),
            throttle_reasons=self.throttle_reasons(),
            other_processes=self.other_processes(),
        )


def scaled(value: Any, factor: float) -> Any:
    return value if isinstance(value, NotMeasured) else value * factor


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() and i else c.lower() for i, c in enumerate(name))


class Sampler:
    """Samples the card's state in the background while something runs: ``with Sampler(device) as s: …; s.results()``."""

    every_s = EVERY_S

    def __init__(self, device: Any) -> None:
        self.nvml = Nvml(device.pci_bus_id())
        self.rows: list[list[float]] = []
        self.reasons: dict[str, int] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Sampler:
        self._start = time.monotonic()
        if self.nvml.handle is not None:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._stop.is_set():
            row = [self.nvml.sm_clock(), self.nvml.memory_clock(), self.nvml.power(), self.nvml.temperature()]
            if not any(isinstance(value, NotMeasured) for value in row):
                self.rows.append([time.monotonic() - self._start, *(float(v) for v in row)])
            for reason in self.nvml.throttle_reasons():
                self.reasons[reason] = self.reasons.get(reason, 0) + 1
            self._stop.wait(EVERY_S)

    def results(self) -> ConditionsResults | NotMeasured:
        """All samples, or why there are none."""
        if not self.rows:
            return NotMeasured(not_measured=self.nvml.why or "NVML refused to be read")
        others = self.nvml.other_processes()
        return ConditionsResults(
            samples=Table(
                columns=" ".join(COLUMNS), rows=numbers_block([v for row in self.rows for v in row], 2, len(COLUMNS))
            ),
            throttle_reasons=self.reasons,
            other_processes=0 if isinstance(others, NotMeasured) else others,
        )
