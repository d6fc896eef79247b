"""Which types may an operand have? Their names, how numpy holds them, and how far rounding to one is off."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np


class DtypeMissing(Exception):
    """A type that numpy alone does not know; the message says what to install."""


@dataclass(frozen=True)
class Dtype:
    """``roundoff`` is the largest relative error of rounding to nearest; 0 where sums are held in it or it is exact."""

    name: str
    nbytes: int
    held_in: str  # numpy's name, or that of ml_dtypes
    roundoff: float = 0.0
    integer: bool = False


DTYPES = {
    dtype.name: dtype
    for dtype in (
        Dtype("fp64", 8, "float64"),
        Dtype("fp32", 4, "float32"),
        Dtype("tf32", 4, "float32", 2.0**-11),  # 32 bits in memory, of which a multiply reads 19
        Dtype("fp16", 2, "float16", 2.0**-11),
        Dtype("bf16", 2, "bfloat16", 2.0**-8),
        Dtype("fp8_e4m3", 1, "float8_e4m3fn", 2.0**-4),
        Dtype("fp8_e5m2", 1, "float8_e5m2", 2.0**-3),
        Dtype("int32", 4, "int32", integer=True),
        Dtype("int8", 1, "int8", integer=True),
    )
}
_OF_TF32 = np.uint32(0xFFFF_E000)  # sign, exponent and ten bits of a float32


def numpy_dtype(name: str) -> np.dtype[Any]:
    """How numpy holds values of a type; DtypeMissing where a package is needed that is not installed."""
    held_in = DTYPES[name].held_in
    if hasattr(np, held_in):
        return np.dtype(held_in)
    try:
        ml_dtypes = import_module("ml_dtypes")
    except ImportError:
        raise DtypeMissing(f"{name} needs the package ml_dtypes: pip install ml_dtypes") from None
    return np.dtype(getattr(ml_dtypes, held_in))


def rounded(values: np.ndarray, name: str) -> np.ndarray:
    """The values in a type; a tf32 stays a float32 whose low bits are zero, as a multiply sees it."""
    made = values.astype(numpy_dtype(name))
    if name == "tf32":
        bits = made.view(np.uint32)
        made = ((bits + np.uint32(0x0FFF) + ((bits >> np.uint32(13)) & np.uint32(1))) & _OF_TF32).view(np.float32)
    return made


def random_values(rng: np.random.Generator, shape: tuple[int, ...], name: str) -> np.ndarray:
    """Uniform in [-1, 1), rounded to the type; of integers all from -8 to 7, so that sums stay exact."""
    if DTYPES[name].integer:
        return rng.integers(-8, 8, shape).astype(numpy_dtype(name))
    return rounded(rng.random(shape, dtype=np.float32) * 2 - 1, name)


def exact(values: np.ndarray) -> np.ndarray:
    """The values as float64, which holds every value of every type here."""
    return values.astype(np.float64)
