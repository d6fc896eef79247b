"""An NVML without a driver: it stands in for the module ``pynvml``.

``FAKE_NVML`` in the environment says how it answers: ``works``, ``refuses`` (everything, as under some hypervisors),
``no_power``, ``throttled``, ``busy`` (somebody else computes on the card), ``blind`` (it shows no process, not even
this one), ``container`` (this process has another number there).
"""

from __future__ import annotations

import os
from dataclasses import dataclass

NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_TEMPERATURE_GPU = 1, 2, 0
nvmlClocksEventReasonNone, nvmlClocksEventReasonAll = 0, 511
nvmlClocksEventReasonGpuIdle = 1
nvmlClocksEventReasonUserDefinedClocks = nvmlClocksEventReasonApplicationsClocksSetting = 2
nvmlClocksEventReasonSwPowerCap = 4
nvmlClocksEventReasonHwThermalSlowdown = 64


class NVMLError(Exception):
    """As NVML's own."""


@dataclass
class Process:
    pid: int


def _mood() -> str:
    return os.environ.get("FAKE_NVML", "works")


def _answer(value: object, refusing: tuple[str, ...] = ()) -> object:
    if _mood() in ("refuses", *refusing):
        raise NVMLError("Not Supported")
    return value


def nvmlInit() -> None: ...


def nvmlDeviceGetHandleByPciBusId(bus: str) -> str:
    return bus


def nvmlSystemGetDriverVersion() -> object:
    return _answer("580.10")


def nvmlDeviceGetMaxClockInfo(handle: str, kind: int) -> object:
    return _answer(2000 if kind == NVML_CLOCK_SM else 3000)


def nvmlDeviceGetClockInfo(handle: str, kind: int) -> object:
    return _answer(1900 if kind == NVML_CLOCK_SM else 3000)


def nvmlDeviceGetPowerManagementLimit(handle: str) -> object:
    return _answer(300_000)


def nvmlDeviceGetPowerUsage(handle: str) -> object:
    return _answer(123_456, refusing=("no_power",))


def nvmlDeviceGetTemperature(handle: str, sensor: int) -> object:
    return _answer(55)


def nvmlDeviceGetCurrentClocksEventReasons(handle: str) -> object:
    throttled = nvmlClocksEventReasonSwPowerCap | nvmlClocksEventReasonUserDefinedClocks
    return _answer(throttled if _mood() == "throttled" else nvmlClocksEventReasonGpuIdle)


def nvmlDeviceGetComputeRunningProcesses(handle: str) -> object:
    own = [] if _mood() == "blind" else [Process(os.getpid() + (_mood() == "container"))]
    return _answer(own + [Process(1)] * (_mood() == "busy"))
