"""How is PyTorch called on the recorder's own stream? In its own CUDA graph, on its own copies of the inputs."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from recorder.card.device import OutOfMemory
from recorder.libraries.call import Prepared
from recorder.measure.workload import LibraryMissing, Workload
from schema.ladder import LibraryCall


class TorchLinear:
    """``torch.nn.functional.linear`` in PyTorch's own CUDA graph, on the device's stream."""

    def version(self) -> str:
        return f"PyTorch {_torch().__version__}"

    def prepare(self, device: Any, call: LibraryCall, work: Workload) -> Prepared:
        torch, replays, errors = _torch(), {}, {}
        try:
            kernels = torch_kernels(device, work)
            for condition in work.rotation.conditions:
                replays[condition], result = torch_linear_train(device, work, condition == "cold")
                errors[condition] = lambda result=result: work.error_of(result())
        except torch.cuda.OutOfMemoryError:
            raise OutOfMemory("the card has no memory left for PyTorch's own copies of the inputs") from None
        return Prepared(kernels, replays, errors)


def _torch() -> Any:
    try:
        torch: Any = import_module("torch")
    except ImportError:
        raise LibraryMissing("PyTorch is not installed") from None
    if not torch.cuda.is_available():
        raise LibraryMissing("this PyTorch sees no GPU")
    return torch


def torch_linear_train(device: Any, work: Workload, cold: bool) -> tuple[Callable[[], None], Callable[[], np.ndarray]]:
    """(replay of a CUDA graph of a train on the device's stream, the result of its last call in one more replay)."""
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

    def result() -> np.ndarray:
        with torch.cuda.stream(stream), torch.no_grad():
            y.fill_(float("nan"))  # a cell that is not written shows
            graph.replay()
        stream.synchronize()
        return y.float().cpu().numpy()

    result()
    replay.keep = (graph, copies, x, y)  # type: ignore[attr-defined]
    return replay, result


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
