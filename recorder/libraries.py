"""How are library calls made on the recorder's own stream? cuBLAS by nvmath-python's bindings, and PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from recorder.ladder import LibraryCall
from recorder.workload import Workload

WORKSPACE_BYTES = 32 * 1024 * 1024  # what cuBLAS recommends for Hopper; given, so that capturing allocates nothing


class LibraryMissing(Exception):
    """The library cannot be called here; the message says why."""


def library_version(library: str) -> str:
    if library == "cublas":
        try:
            from nvmath.bindings import cublas
        except ImportError as error:
            raise LibraryMissing(f"nvmath-python is not installed ({error}); pip install nvmath-python") from None
        handle = cublas.create()
        number = int(cublas.get_version(handle))
        cublas.destroy(handle)
        return f"cuBLAS {number // 10000}.{number // 100 % 100}.{number % 100}"
    try:
        import torch
    except ImportError:
        raise LibraryMissing("PyTorch is not installed") from None
    if not torch.cuda.is_available():
        raise LibraryMissing("this PyTorch sees no GPU")
    return f"PyTorch {torch.__version__}"


KINDS = {"fp16": 2, "fp32": 0}  # CUDA_R_16F, CUDA_R_32F
COMPUTE_32F, DEFAULT_ALGORITHM, TRANSPOSED, PLAIN = 68, -1, 1, 0


def _cublas_handle(device: Any) -> Any:
    """A handle on the device's stream with a workspace of its own, so that a capture allocates nothing."""
    from nvmath.bindings import cublas

    handle = cublas.create()
    cublas.set_stream(handle, device.stream_handle)
    cublas.set_workspace(handle, device.alloc(WORKSPACE_BYTES), WORKSPACE_BYTES)
    return handle


def cublas_call(device: Any, call: LibraryCall, work: Workload) -> Callable[[int], None]:
    """``enqueue(copy)`` of Y = X W^T by cublasGemmEx with FP32 accumulation, on the device's stream.

    cuBLAS counts in columns: the row-major Y (batch x out) is its column-major Y^T (out x batch), so
    Y^T = W X^T with W transposed in its eyes.
    """
    from nvmath.bindings import cublas

    (batch, inner), (out, _) = (work.inputs[i.name].shape for i in work.ladder.inputs)
    handle = _cublas_handle(device)
    one, zero = np.array([1.0], np.float32), np.array([0.0], np.float32)
    first, second = (i.name for i in work.ladder.inputs)

    def enqueue(copy: int) -> None:
        cublas.gemm_ex(
            handle, TRANSPOSED, PLAIN, out, batch, inner, one.ctypes.data,
            work.address(second, copy), KINDS[call.dtype], inner,
            work.address(first, copy), KINDS[call.dtype], inner,
            zero.ctypes.data, work.output, KINDS[call.returns], out, COMPUTE_32F, DEFAULT_ALGORITHM,
        )  # fmt: skip

    return enqueue


def cublas_square(device: Any, side: int) -> tuple[Callable[[int], None], int]:
    """(enqueue, operations) of a square FP16 product with FP32 accumulation on random data."""
    from nvmath.bindings import cublas

    handle = _cublas_handle(device)
    one, zero = np.array([1.0], np.float32), np.array([0.0], np.float32)
    data = (np.random.default_rng(3).random((side, side), np.float32) * 2 - 1).astype(np.float16)
    a, b, c = (device.alloc(data.nbytes) for _ in range(3))
    device.upload(a, data)
    device.upload(b, data.T.copy())

    def enqueue(copy: int) -> None:
        cublas.gemm_ex(
            handle, TRANSPOSED, PLAIN, side, side, side, one.ctypes.data, a, KINDS["fp16"], side,
            b, KINDS["fp16"], side, zero.ctypes.data, c, KINDS["fp16"], side, COMPUTE_32F, DEFAULT_ALGORITHM,
        )  # fmt: skip

    return enqueue, 2 * side**3


def torch_linear_train(device: Any, work: Workload, launches: int, cold: bool) -> tuple[Callable[[], None], np.ndarray]:
    """(replay of a CUDA graph of ``launches`` calls on the device's stream, the result of its last call)."""
    import torch

    stream = torch.cuda.ExternalStream(device.stream_handle, device=f"cuda:{device.index}")
    x_name, w_name = (i.name for i in work.ladder.inputs)
    x = torch.from_numpy(work.inputs[x_name]).to(f"cuda:{device.index}")
    w = torch.from_numpy(work.inputs[w_name]).to(f"cuda:{device.index}")
    copies = [w] + [w.clone() for _ in range(work.copies - 1 if cold else 0)]
    torch.cuda.synchronize()
    with torch.cuda.stream(stream), torch.no_grad():
        for _ in range(3):
            y = torch.nn.functional.linear(x, copies[0])
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph), torch.no_grad():
        for i in range(launches):
            y = torch.nn.functional.linear(x, copies[i % len(copies)])

    def replay() -> None:
        with torch.cuda.stream(stream):
            graph.replay()

    replay()
    stream.synchronize()
    replay.keep = (graph, copies, x, y)  # type: ignore[attr-defined]
    return replay, y.float().cpu().numpy()


def torch_kernels(device: Any, work: Workload) -> list[str]:
    """The names of the kernels that one call of ``torch.nn.functional.linear`` launches, by PyTorch's own profiler."""
    import torch

    x_name, w_name = (i.name for i in work.ladder.inputs)
    x, w = (torch.from_numpy(work.inputs[n]).to(f"cuda:{device.index}") for n in (x_name, w_name))
    with torch.no_grad():
        torch.nn.functional.linear(x, w)
        torch.cuda.synchronize()
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
            torch.nn.functional.linear(x, w)
            torch.cuda.synchronize()
    return [e.key for e in profile.key_averages() if e.self_device_time_total > 0]
