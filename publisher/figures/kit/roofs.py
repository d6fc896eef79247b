"""Which limits of the card were measured? Roofs of a roofline: bandwidths that slope, rates that are flat, in words."""

from __future__ import annotations

from dataclasses import dataclass

from publisher.facts.units import significant
from publisher.figures.kit.measured import value_of
from publisher.figures.kit.style import listed
from schema.recording import Recording

BANDWIDTHS = (
    ("read_GBps", "device memory", "a plain read of device memory", "@s3"),
    ("l2_read_GBps", "L2", "a read that stays in L2", "@s4"),
)
RATES = (
    ("fp32_tflops", "FP32 FMA", "FP32 multiply-adds", "@s5"),
    ("hmma_fp16_tflops", "tensor cores", "FP16 tensor-core multiplies", "@s8"),
)
MORE_RATES = (("hmma_bf16_tflops", "tensor cores, BF16", "BF16 tensor-core multiplies", "@s6"),)  # where a rung has it


@dataclass(frozen=True)
class Roof:
    """A measured limit: a bandwidth (``slope``, GB/s) or a rate (``flat``, TFLOP/s)."""

    key: str
    name: str
    what: str
    color: str
    value: float

    def at(self, intensity: float) -> float:
        """What it allows at this intensity, TFLOP/s."""
        return self.value * intensity / 1e3 if self.key.endswith("_GBps") else self.value

    @property
    def text(self) -> str:
        return f"{self.name}, {significant(self.value)}\u00a0{'GB/s' if self.key.endswith('_GBps') else 'TFLOP/s'}"


def read_roofs(peaks: Recording, keys: tuple[tuple[str, str, str, str], ...]) -> list[Roof]:
    found = [(key, name, what, color, value_of(getattr(peaks.results, key))) for key, name, what, color in keys]
    return [Roof(key, name, what, color, value) for key, name, what, color, value in found if value]


def roofs_caption(slopes: list[Roof], flats: list[Roof], peaks: Recording) -> str:
    lowest, highest = slopes[0], flats[-1]
    ridge = highest.value / lowest.value * 1e3
    return (
        f"Each line is a rate that this card reached: {listed([roof.what for roof in slopes])} slope with the "
        f"intensity, {listed([roof.what for roof in flats])} are flat. The roof of {lowest.name} meets that of "
        f"{highest.name} at {significant(ridge)} FLOP a byte.{_held_down(peaks)}"
    )


REASONS = {  # as NVML names them
    "sw_power_cap": "its power limit",
    "hw_power_brake_slowdown": "its power brake",
    "sw_thermal_slowdown": "its temperature",
    "hw_thermal_slowdown": "its temperature",
}


def _held_down(peaks: Recording) -> str:
    """A throttled run is kept, and said to be one."""
    conditions = value_of(peaks.header.conditions)
    if conditions is None or not conditions.throttle_reasons:
        return ""
    clock = value_of(conditions.sm_clock_MHz)
    at = f" at {significant(clock, 4)}\u00a0MHz" if clock else ""
    reasons = listed([REASONS.get(name, f"`{name}`") for name in conditions.throttle_reasons])
    return f" At the end of these runs the SM clock was held down{at} by {reasons}."
