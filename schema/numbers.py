"""Which numbers can be a measurement? Each unit has a range, so that nothing that reads a recording meets a 1e308.

A range is wide: outside it lies no measurement of a GPU, only a slip. Inside, sums, products and ratios stay finite.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated

import numpy as np
from pydantic import AfterValidator, Field

from schema.texts import BlockError

LARGEST_WHOLE = 2**53  # beyond it a float skips whole numbers
LEAST = 1e-30  # what lies nearer to zero, other than zero, was not measured
MAX_BLOCK_CHARS = 2_000_000
_CHARACTERS = b"0123456789.eE+- \n"

# By the unit that a key ends in; "" for a plain number, such as a ratio or a counter.
RANGES: dict[str, tuple[float, float]] = {
    "us": (1e-6, 1e12),
    "ns": (1e-3, 1e15),
    "ms": (1e-9, 1e9),
    "seconds": (0.0, 1e9),
    "bytes": (0, LARGEST_WHOLE),
    "GB": (0, 1e9),
    "MB": (0, 1e12),
    "GBps": (1e-6, 1e9),
    "tflops": (1e-9, 1e9),
    "gflops": (1e-6, 1e12),
    "MHz": (0.0, 1e6),
    "W": (0.0, 1e6),
    "C": (-273.15, 1e4),
    "": (-1e18, 1e18),
}


def out_of_range(value: float | int, unit: str = "") -> str:
    """Why a number cannot be a measurement in this unit, one of ``RANGES``; empty where it can."""
    low, high = RANGES[unit]
    if isinstance(value, float) and not math.isfinite(value):
        return "must be a finite number"
    if not low <= value <= high:
        return f"must lie between {low:.6g} and {high:.6g}{f' ({unit})' if unit else ''}"
    if value == 0 and math.copysign(1, value) < 0:
        return "must not be minus zero; write 0"
    return f"must be 0, or at least {LEAST:g} from it" if 0 < abs(value) < LEAST else ""


def _in(unit: str) -> AfterValidator:
    def check(value: float | int) -> float | int:
        if why := out_of_range(value, unit):
            raise ValueError(why)
        return value

    return AfterValidator(check)


Plain = Annotated[float | int, _in("")]
Seconds = Annotated[float | int, _in("seconds")]
Microseconds = Annotated[float | int, _in("us")]
Nanoseconds = Annotated[float | int, _in("ns")]
GBps = Annotated[float | int, _in("GBps")]
Tflops = Annotated[float | int, _in("tflops")]
MHz = Annotated[float | int, _in("MHz")]
Watts = Annotated[float | int, _in("W")]
Celsius = Annotated[float | int, _in("C")]
Count = Annotated[int, Field(ge=0, le=LARGEST_WHOLE)]
Size = Annotated[int, Field(ge=1, le=LARGEST_WHOLE)]
Whole = Annotated[int, Field(ge=-LARGEST_WHOLE, le=LARGEST_WHOLE)]


# ---- blocks of numbers -------------------------------------------------------------------------------------------


def _floats(text: str) -> np.ndarray:
    if not text.isascii() or text.encode().translate(None, _CHARACTERS):  # float also takes 1_000, nan, inf
        raise ValueError("has other characters than those of plain decimal numbers")
    return np.array(text.split(), dtype=np.float64)


def _numbers(text: str) -> str:
    found = np.abs(_floats(text))
    if found.size and not np.isfinite(found).all():
        raise ValueError("has a number that is not finite")
    if found.size and (found.max() > RANGES[""][1] or ((found > 0) & (found < LEAST)).any()):
        raise ValueError(f"has a number that is not 0 and not between {LEAST:g} and {RANGES[''][1]:g} in size")
    return text


def _times(text: str) -> str:
    found = _floats(text)
    low, high = RANGES["us"]
    if not found.size or not (low <= found.min() and found.max() <= high):
        raise ValueError(f"must be at least one time, each between {low:g} and {high:g} µs")
    return text


def _by_line(check: Callable[[str], str]) -> AfterValidator:
    """Check a whole block at once; only of one that is wrong look for the line."""

    def checked(text: str) -> str:
        try:
            return check(text)
        except ValueError:
            for number, line in enumerate(text.splitlines(), start=1):
                try:
                    check(line or "1")
                except ValueError as error:
                    raise BlockError(f"line {number} {error}", number) from None
            raise

    return AfterValidator(checked)


# Numbers separated by white space; times are the samples of one time, in the order they were taken.
Numbers = Annotated[str, Field(max_length=MAX_BLOCK_CHARS), _by_line(_numbers)]
Times = Annotated[str, Field(max_length=MAX_BLOCK_CHARS), _by_line(_times)]
