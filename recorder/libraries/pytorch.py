"""How does PyTorch work on the recorder's memory and stream? Its tensors are views, and its calls write into one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any

from recorder.measure.workload import Enqueue, LibraryMissing, Workload

TYPES = {  # our type -> (that of the array interface, PyTorch's own); the interface has no 8- or 16-bit brain floats
    "fp64": ("<f8", ""), "fp32": ("<f4", ""), "tf32": ("<f4", ""), "fp16": ("<f2", ""), "bf16": ("<i2", "bfloat16"),
    "fp8_e4m3": ("|i1", "float8_e4m3fn"), "fp8_e5m2": ("|i1", "float8_e5m2"), "int32": ("<i4", ""), "int8": ("|i1", ""),
}  # fmt: skip


class _View:
    """Device memory as the array interface describes it."""

    def __init__(self, address: int, shape: tuple[int, ...], typestr: str) -> None:
        self.__cuda_array_interface__ = {
            "data": (address, False), "shape": shape, "typestr": typestr, "version": 3, "strides": None, "stream": None,
        }  # fmt: skip


def load_ahead() -> None:
    """Import PyTorch in a thread, for it takes seconds; whether it is there is asked again where it is used."""

    def load() -> None:
        with suppress(Exception):
            import_module("torch")

    threading.Thread(target=load, daemon=True).start()


def bindings() -> Any:
    """The module ``torch``; LibraryMissing where it is not there or sees no GPU."""
    try:
        torch: Any = import_module("torch")
    except ImportError:
        raise LibraryMissing("PyTorch is not installed") from None
    if not torch.cuda.is_available():
        raise LibraryMissing("this PyTorch sees no GPU")
    return torch


def version() -> str:
    return f"PyTorch {bindings().__version__}"


def tensor(work: Workload, name: str, copy: int) -> Any:
    """An operand as a tensor that shares its memory."""
    torch = bindings()
    typestr, own = TYPES[work.types[name]]
    made = torch.as_tensor(
        _View(work.address(name, copy), work.shape(name), typestr), device=f"cuda:{work.device.index}"
    )
    return made.view(getattr(torch, own)) if own else made


def enqueue_on_stream(work: Workload, call: Callable[[dict[str, Any]], None]) -> Enqueue:
    """``enqueue(copy)`` of ``call(tensors)``, which writes into those that the ladder writes; without gradients."""
    torch = bindings()
    stream = torch.cuda.ExternalStream(work.device.stream_handle, device=f"cuda:{work.device.index}")
    names = [operand.name for operand in work.ladder.operands]
    copies = [{name: tensor(work, name, copy) for name in names} for copy in range(work.rotation.copies)]

    def enqueue(copy: int) -> None:
        with torch.cuda.stream(stream), torch.no_grad():
            call(copies[copy % len(copies)])

    return enqueue
