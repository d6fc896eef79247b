"""Which units may a number on a page have, and how is it written? Three significant digits, at the edge only.

A dimension is the tuple of exponents of (time, bytes, operations, power, temperature); values are held in µs, bytes,
operations, W and °C.
"""

from __future__ import annotations

import math

Dimension = tuple[int, int, int, int, int]

PLAIN: Dimension = (0, 0, 0, 0, 0)
TIME: Dimension = (1, 0, 0, 0, 0)
DATA: Dimension = (0, 1, 0, 0, 0)
WORK: Dimension = (0, 0, 1, 0, 0)
POWER: Dimension = (0, 0, 0, 1, 0)
TEMPERATURE: Dimension = (0, 0, 0, 0, 1)
BANDWIDTH: Dimension = (-1, 1, 0, 0, 0)
RATE: Dimension = (-1, 0, 1, 0, 0)
INTENSITY: Dimension = (0, -1, 1, 0, 0)
FREQUENCY: Dimension = (-1, 0, 0, 0, 0)
ENERGY: Dimension = (1, 0, 0, 1, 0)

# As an author writes it: how many of the held unit it is, and its dimension.
UNITS: dict[str, tuple[float, Dimension]] = {
    "ns": (1e-3, TIME),
    "µs": (1.0, TIME),
    "us": (1.0, TIME),
    "ms": (1e3, TIME),
    "s": (1e6, TIME),
    "bytes": (1.0, DATA),
    "KB": (1e3, DATA),
    "MB": (1e6, DATA),
    "GB": (1e9, DATA),
    "TB": (1e12, DATA),
    "KiB": (2.0**10, DATA),
    "MiB": (2.0**20, DATA),
    "GiB": (2.0**30, DATA),
    "MB/s": (1.0, BANDWIDTH),
    "GB/s": (1e3, BANDWIDTH),
    "TB/s": (1e6, BANDWIDTH),
    "FLOP": (1.0, WORK),
    "GFLOP": (1e9, WORK),
    "TFLOP": (1e12, WORK),
    "GFLOP/s": (1e3, RATE),
    "TFLOP/s": (1e6, RATE),
    "FLOP/byte": (1.0, INTENSITY),
    "kHz": (1e-3, FREQUENCY),
    "MHz": (1.0, FREQUENCY),
    "GHz": (1e3, FREQUENCY),
    "W": (1.0, POWER),
    "µJ": (1.0, ENERGY),
    "mJ": (1e3, ENERGY),
    "J": (1e6, ENERGY),
    "°C": (1.0, TEMPERATURE),
    "%": (0.01, PLAIN),
    "times": (1.0, PLAIN),
}

# The unit that the ending of a recording's key declares.
SUFFIXES: dict[str, str] = {
    "us": "µs",
    "ns": "ns",
    "ms": "ms",
    "seconds": "s",
    "bytes": "bytes",
    "GBps": "GB/s",
    "tflops": "TFLOP/s",
    "gflops": "GFLOP/s",
    "MHz": "MHz",
    "W": "W",
    "C": "°C",
}


def unit_of_key(key: str) -> str:
    """``read_GBps`` -> ``GB/s``; empty for a plain number."""
    ending = key.rsplit("_", 1)[-1]
    return SUFFIXES.get(ending, "") if ending != key or key in ("bytes", "seconds") else ""


def name_of(dimension: Dimension) -> str:
    """A dimension in words, for errors."""
    return _WORDS.get(dimension, "a mixture of units")


_WORDS: dict[Dimension, str] = {
    PLAIN: "a plain number",
    TIME: "a time",
    DATA: "a number of bytes",
    WORK: "a number of operations",
    BANDWIDTH: "bytes a second",
    RATE: "operations a second",
    INTENSITY: "operations a byte",
    FREQUENCY: "a clock rate",
    POWER: "a power",
    ENERGY: "an energy",
    TEMPERATURE: "a temperature",
}


def natural_unit(value: float, dimension: Dimension) -> str:
    """The unit that a reader expects when the author names none."""
    size = abs(value)
    if dimension == TIME:
        return "ns" if 0 < size < 0.1 else "µs" if size < 1e3 else "ms" if size < 1e6 else "s"
    if dimension == RATE:
        return "TFLOP/s" if size >= 1e6 else "GFLOP/s"
    if dimension == ENERGY:
        return "µJ" if size < 1e3 else "mJ" if size < 1e6 else "J"
    plain = {DATA: "bytes", BANDWIDTH: "GB/s", FREQUENCY: "MHz", POWER: "W", TEMPERATURE: "°C"}
    return plain.get(dimension, "")


def significant(value: float, digits: int = 3) -> str:
    """``9.273`` -> ``9.27``, ``748.2`` -> ``748``, ``46540`` -> ``46,500``; trailing zeros stay, they were measured."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else str(value)
    places = digits - 1 - math.floor(math.log10(abs(value)))
    rounded = round(value, places)
    if rounded and math.floor(math.log10(abs(rounded))) > math.floor(math.log10(abs(value))):
        places -= 1  # 9.996 became 10.00
    return grouped(rounded, max(places, 0))


def grouped(value: float, places: int = 0) -> str:
    """Thousands are set apart from five digits on: ``4096``, ``33,554``."""
    text = f"{value:.{places}f}"
    if not text.strip("-0."):  # no minus before what is shown as zero
        return text.lstrip("-")
    return f"{value:,.{places}f}" if len(text.split(".")[0].lstrip("-")) >= 5 else text


def formatted(value: float | int | str, dimension: Dimension, unit: str = "") -> str:
    """A number with its unit as prose shows it. Whole counts stay exact; all else has three significant digits."""
    if isinstance(value, str):
        return value
    chosen = unit or natural_unit(value, dimension)
    if not chosen:
        return grouped(value) if isinstance(value, int) or _whole(value) else significant(value)
    factor = UNITS[chosen][0]
    shown = value / factor
    exact = factor == 1.0 and dimension != TIME and (isinstance(value, int) or _whole(value))
    text = grouped(shown) if exact else significant(shown)
    chosen = "µs" if chosen == "us" else "byte" if chosen == "bytes" and shown == 1 else chosen
    return f"{text}{chr(0x202F) if chosen == '%' else chr(0xA0)}{chosen}"


def _whole(value: float) -> bool:
    return abs(value) < 1e15 and value == int(value)
