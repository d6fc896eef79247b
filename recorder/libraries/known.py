"""Which libraries can be called? By the names that ladders use."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from importlib import import_module

from recorder.libraries.call import Library
from recorder.libraries.cublas import Cublas
from recorder.libraries.pytorch import TorchLinear
from recorder.measure.workload import LibraryMissing
from schema.ladder import LibraryCall

LIBRARIES: dict[str, Library] = {"cublas": Cublas(), "torch_linear": TorchLinear()}


def library_of(call: LibraryCall) -> Library:
    if call.library not in LIBRARIES:
        raise LibraryMissing(f"the recorder knows no library {call.library!r}; it knows {', '.join(LIBRARIES)}")
    return LIBRARIES[call.library]


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
