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


def cublas_call(device: Any, call: LibraryCall, work: Workload) -> Callable[[int], None]:
    """``enqueue(copy)`` of Y = X W^T by cublasGemmEx with FP32 accumulation, on the device's stream.

    cuBLAS counts in columns: the row-major Y (batch x out) is its column-major Y^T (out x batch), so
    Y^T = W X^T with W transposed in its eyes.
    """
    from nvmath.bindings import cublas

    (batch, inner), (out, _) = (work.inputs[i.name].shape for i in work.ladder.inputs)
    handle = cublas.create()
    cublas.set_stream(handle, device.stream_handle)
    workspace = device.alloc(WORKSPACE_BYTES)
    cublas.set_workspace(handle, workspace, WORKSPACE_BYTES)
    one, zero = np.array([1.0], np.float32), np.array([0.0], np.float32)
    kinds = {"fp16": 2, "fp32": 0}  # CUDA_R_16F, CUDA_R_32F
    compute_32f, default_algorithm, transposed, plain = 68, -1, 1, 0
    first, second = (i.name for i in work.ladder.inputs)

    def enqueue(copy: int) -> None:
        cublas.gemm_ex(
            handle, transposed, plain, out, batch, inner, one.ctypes.data,
            work.address(second, copy), kinds[call.dtype], inner,
            work.address(first, copy), kinds[call.dtype], inner,
            zero.ctypes.data, work.output, kinds[call.returns], out, compute_32f, default_algorithm,
        )  # fmt: skip

    return enqueue


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
