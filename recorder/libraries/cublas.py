"""How is cuBLAS called on the recorder's own stream? By nvmath-python's bindings, with a workspace of its own."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from recorder.measure.workload import POISON, Enqueue, LibraryMissing

WORKSPACE_BYTES = 32 * 1024 * 1024  # what cuBLAS recommends for Hopper; given, so that capturing allocates nothing
KINDS = {"fp32": 0, "fp64": 1, "fp16": 2, "int8": 3, "bf16": 14}  # of cudaDataType_t
PLAIN, TRANSPOSED = 0, 1
COMPUTE_32F, DEFAULT_ALGORITHM = 68, -1


def bindings() -> Any:
    """nvmath-python's module of cuBLAS."""
    try:
        return import_module("nvmath.bindings.cublas")
    except ImportError as error:
        raise LibraryMissing(f"nvmath-python is not installed ({error}); pip install nvmath-python") from None


def version() -> str:
    cublas = bindings()
    created = cublas.create()
    number = int(cublas.get_version(created))
    cublas.destroy(created)
    return f"cuBLAS {number // 10000}.{number // 100 % 100}.{number % 100}"


def handle(device: Any) -> Any:
    """A handle on the device's stream with a workspace of its own, so that a capture allocates nothing."""
    cublas = bindings()
    made = cublas.create()
    cublas.set_stream(made, device.stream_handle)
    cublas.set_workspace(made, device.alloc(WORKSPACE_BYTES), WORKSPACE_BYTES)
    return made


def cublas_square(device: Any, side: int) -> tuple[Enqueue, int, Callable[[], float]]:
    """(enqueue, operations, error) of a square FP16 product with FP32 accumulation on random data.

    ``error`` computes it once more and gives the worst error of some rows, relative to the largest sum among them.
    """
    cublas, made = bindings(), handle(device)
    one, zero = np.array([1.0], np.float32), np.array([0.0], np.float32)
    data = (np.random.default_rng(3).random((side, side), np.float32) * 2 - 1).astype(np.float16)
    a, b, c = (device.alloc(data.nbytes) for _ in range(3))
    device.upload(a, data)
    device.upload(b, data.T.copy())

    def enqueue(copy: int) -> None:
        cublas.gemm_ex(
            made, TRANSPOSED, PLAIN, side, side, side, one.ctypes.data, a, KINDS["fp16"], side,
            b, KINDS["fp16"], side, zero.ctypes.data, c, KINDS["fp16"], side, COMPUTE_32F, DEFAULT_ALGORITHM,
        )  # fmt: skip

    def error() -> float:
        device.fill(c, POISON, data.nbytes // 4)
        enqueue(0)
        some = slice(0, side, side // 8)
        got = device.download(c, data.shape, np.float16)[some].astype(np.float64)
        expected = (data.astype(np.float64) @ data[:, some].astype(np.float64)).T  # cuBLAS counts in columns here too
        worst = float(np.abs(got - expected).max() / np.abs(expected).max())
        return float("inf") if np.isnan(worst) else worst

    return enqueue, 2 * side**3, error
