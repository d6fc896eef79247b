"""How are library calls made on the recorder's own stream? cuBLAS by nvmath-python's bindings, and PyTorch."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

import numpy as np

from recorder.device import OutOfMemory
from recorder.ladder import LibraryCall
from recorder.timing import train
from recorder.workload import Enqueue, Workload

WORKSPACE_BYTES = 32 * 1024 * 1024  # what cuBLAS recommends for Hopper; given, so that capturing allocates nothing
KINDS = {"fp16": 2, "fp32": 0}  # CUDA_R_16F, CUDA_R_32F
COMPUTE_32F, DEFAULT_ALGORITHM, TRANSPOSED, PLAIN = 68, -1, 1, 0


class LibraryMissing(Exception):
    """The library cannot be called here; the message says why."""


@dataclass(frozen=True)
class Prepared:
    """A library call, made once: its worst error, its kernels' names, and replays of its trains by condition."""

    error: float
    kernels: list[str]
    replays: dict[str, Callable[[], None]]


class Library(Protocol):
    """Something that solves the same problem; both raise LibraryMissing where it cannot be called."""

    def version(self) -> str: ...

    def prepare(self, device: Any, call: LibraryCall, work: Workload) -> Prepared: ...


class Cublas:
    """cublasGemmEx on the device's stream."""

    def version(self) -> str:
        cublas = bindings()
        handle = cublas.create()
        number = int(cublas.get_version(handle))
        cublas.destroy(handle)
        return f"cuBLAS {number // 10000}.{number // 100 % 100}.{number % 100}"

    def prepare(self, device: Any, call: LibraryCall, work: Workload) -> Prepared:
        return prepared(device, work, cublas_call(device, call, work))


class TorchLinear:
    """``torch.nn.functional.linear`` in PyTorch's own CUDA graph, on the device's stream."""

    def version(self) -> str:
        return f"PyTorch {_torch().__version__}"

    def prepare(self, device: Any, call: LibraryCall, work: Workload) -> Prepared:
        torch, error, replays = _torch(), 0.0, {}
        try:
            kernels = torch_kernels(device, work)
            for condition in conditions_of(work):
                replays[condition], result = torch_linear_train(device, work, condition == "cold")
                error = max(error, work.error_of(result))
        except torch.cuda.OutOfMemoryError:
            raise OutOfMemory("the card has no memory left for PyTorch's own copies of the inputs") from None
        return Prepared(error, kernels, replays)


LIBRARIES: dict[str, Library] = {"cublas": Cublas(), "torch_linear": TorchLinear()}


def library_of(call: LibraryCall) -> Library:
    if call.library not in LIBRARIES:
        raise LibraryMissing(f"the recorder knows no library {call.library!r}; it knows {', '.join(LIBRARIES)}")
    return LIBRARIES[call.library]


def conditions_of(work: Workload) -> tuple[str, ...]:
    """The conditions that this workload can be timed under."""
    return ("warm",) if work.rotation.not_cold else ("cold", "warm")


def prepared(device: Any, work: Workload, enqueue: Enqueue) -> Prepared:
    """What ``prepare`` gives of a library that puts its kernels on the device's stream."""
    enqueue(0)  # a library loads its kernels at the first call
    device.sync()
    error = max(work.error(enqueue, copy) for copy in range(min(2, work.rotation.copies)))
    launches = work.rotation.launches
    replays = {
        condition: device.capture(train(enqueue, condition == "cold", launches), launches).replay
        for condition in conditions_of(work)
    }
    return Prepared(error, device.kernels_of(lambda: enqueue(0)), replays)


def load_ahead(calls: Iterable[LibraryCall]) -> None:
    """Import PyTorch, which takes seconds, in a thread; cuBLAS before it, so that PyTorch brings no other one."""
    wanted = {call.library for call in calls}
    if "cublas" in wanted:
        try:
            LIBRARIES["cublas"].version()
        except Exception:  # it is asked again where the answer is recorded
            return
    if "torch_linear" in wanted:
        threading.Thread(target=_try_torch, daemon=True).start()


def _try_torch() -> None:
    try:
        import_module("torch")
    except Exception:
        return


def _torch() -> Any:
    try:
        torch: Any = import_module("torch")
    except ImportError:
        raise LibraryMissing("PyTorch is not installed") from None
    if not torch.cuda.is_available():
        raise LibraryMissing("this PyTorch sees no GPU")
    return torch


def bindings() -> Any:
    """nvmath-python's module of cuBLAS."""
    try:
        return import_module("nvmath.bindings.cublas")
    except ImportError as error:
        raise LibraryMissing(f"nvmath-python is not installed ({error}); pip install nvmath-python") from None


def _cublas_handle(device: Any) -> Any:
    """A handle on the device's stream with a workspace of its own, so that a capture allocates nothing."""
    cublas = bindings()
    handle = cublas.create()
    cublas.set_stream(handle, device.stream_handle)
    cublas.set_workspace(handle, device.alloc(WORKSPACE_BYTES), WORKSPACE_BYTES)
    return handle


def cublas_call(device: Any, call: LibraryCall, work: Workload) -> Enqueue:
    """``enqueue(copy)`` of Y = X W^T by cublasGemmEx with FP32 accumulation, on the device's stream.

    cuBLAS counts in columns: the row-major Y (batch x out) is its column-major Y^T (out x batch), so
    Y^T = W X^T with W transposed in its eyes.
    """
    cublas, operands = bindings(), work.operands
    first, second = (i.name for i in work.ladder.inputs)
    (batch, inner), (out, _) = (work.answer.inputs[name].shape for name in (first, second))
    handle = _cublas_handle(device)
    one, zero = np.array([1.0], np.float32), np.array([0.0], np.float32)

    def enqueue(copy: int) -> None:
        cublas.gemm_ex(
            handle, TRANSPOSED, PLAIN, out, batch, inner, one.ctypes.data,
            operands.address(second, copy), KINDS[call.dtype], inner,
            operands.address(first, copy), KINDS[call.dtype], inner,
            zero.ctypes.data, work.output, KINDS[call.returns], out, COMPUTE_32F, DEFAULT_ALGORITHM,
        )  # fmt: skip

    return enqueue


def cublas_square(device: Any, side: int) -> tuple[Enqueue, int]:
    """(enqueue, operations) of a square FP16 product with FP32 accumulation on random data."""
    cublas, handle = bindings(), _cublas_handle(device)
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


def torch_linear_train(device: Any, work: Workload, cold: bool) -> tuple[Callable[[], None], np.ndarray]:
    """(replay of a CUDA graph of a train on the device's stream, the result of its last call)."""
    torch, rotation = _torch(), work.rotation
    stream = torch.cuda.ExternalStream(device.stream_handle, device=f"cuda:{device.index}")
    x, w = _on_card(torch, device, work)
    copies = [w] + [w.clone() for _ in range(rotation.copies - 1 if cold else 0)]
    torch.cuda.synchronize()
    with torch.cuda.stream(stream), torch.no_grad():
        for _ in range(3):
            y = torch.nn.functional.linear(x, copies[0])
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph), torch.no_grad():
        for i in range(rotation.launches):
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
    torch = _torch()
    x, w = _on_card(torch, device, work)
    with torch.no_grad():
        torch.nn.functional.linear(x, w)
        torch.cuda.synchronize()
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
            torch.nn.functional.linear(x, w)
            torch.cuda.synchronize()
    return [e.key for e in profile.key_averages() if e.self_device_time_total > 0]


def _on_card(torch: Any, device: Any, work: Workload) -> list[Any]:
    """The two operands as PyTorch's own tensors."""
    return [torch.from_numpy(work.answer.inputs[i.name]).to(f"cuda:{device.index}") for i in work.ladder.inputs]
