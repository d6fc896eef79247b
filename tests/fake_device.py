"""A device without a GPU, to drive the recorder's control flow: memory in numpy, kernels in Python, made-up times.

It lives in tests only. What a kernel computes is looked up by entry name in ``PROGRAMS``; the time of a launch is
``SPEEDS`` of its file, or the number of its threads. Faults are asked for by environment, since it runs in a worker:
``FAKE_FAULTS`` is ``FILE:KIND``, kinds ``fault`` (context lost), ``hang``, ``die`` (kill -9), ``wrong``.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from recorder.device import ContextLost, DeviceError, Graph, Module, OutOfMemory

ATTRIBUTES = {
    "MULTIPROCESSOR_COUNT": 4, "L2_CACHE_SIZE": 4096, "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR": 102400,
    "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN": 101376, "MAX_REGISTERS_PER_MULTIPROCESSOR": 65536,
    "MAX_THREADS_PER_MULTIPROCESSOR": 1536, "MAX_BLOCKS_PER_MULTIPROCESSOR": 16,
}  # fmt: skip
MEMORY = int(os.environ.get("FAKE_MEMORY", 1 << 34))


@dataclass(frozen=True)
class Loaded:
    entry: str
    name: str


def linear(device: FakeDevice, launch: Any, args: list[Any], kind: str) -> None:
    x, w, y, batch, out, inner = args[:6]
    dtype = np.float16 if device.sizes[int(w)] == 2 * out * inner else np.float32
    a = device.view(int(x), dtype, (batch, inner)).astype(np.float64)
    b = device.view(int(w), dtype, (out, inner)).astype(np.float64)
    device.view(int(y), np.float32, (batch, out))[:] = a @ b.T + (kind == "wrong")
    if len(args) > 6:
        stamps = device.view(int(args[6]), np.uint64, (launch.blocks, 3))
        stamps[:] = [(i % 4, 1000 + 32 * (i // 4), 1032 + 32 * (i // 4)) for i in range(launch.blocks)]


PROGRAMS: dict[str, Callable[..., None]] = {"linear": linear}


class FakeDevice:
    """The interface of ``recorder.device.Device``."""

    def __init__(self, index: int) -> None:
        if index != 0:
            raise DeviceError(f"there is no GPU {index}. The GPUs there are: 0: Fake GPU. Choose one with --gpu")
        self.index, self.name, self.arch = index, os.environ.get("FAKE_NAME", "Fake GPU"), "sm_90"
        self.buffers: dict[int, np.ndarray] = {}
        self.sizes: dict[int, int] = {}
        self.next, self.clock_us, self.capturing = 4096, 0.0, False
        self.queue: list[Callable[[], None]] = []
        self.noise = np.random.default_rng(7)
        file, _, kind = os.environ.get("FAKE_FAULTS", "").partition(":")
        self.fault_file, self.fault_kind = file, kind
        self.slowness = float(os.environ.get("FAKE_SLOWNESS", "1"))

    stream_handle = 0

    def attribute(self, name: str) -> int:
        return ATTRIBUTES[name]

    def memory_bytes(self) -> tuple[int, int]:
        return MEMORY - sum(self.sizes.values()), MEMORY

    def pci_bus_id(self) -> str:
        return "0000:00:00.0"

    def alloc(self, nbytes: int) -> int:
        if nbytes > self.memory_bytes()[0]:
            raise OutOfMemory(f"the card has no memory left for {nbytes / 1e6:.0f} MB of device memory")
        address, self.next = self.next, self.next + nbytes + 4096 - nbytes % 4096
        self.buffers[address], self.sizes[address] = np.zeros(nbytes, np.uint8), nbytes
        return address

    def free(self, address: int) -> None:
        self.buffers.pop(address), self.sizes.pop(address)

    def free_all(self) -> None:
        self.buffers.clear(), self.sizes.clear()

    def bytes_at(self, address: int, nbytes: int) -> np.ndarray:
        for start, buffer in self.buffers.items():
            if start <= address < start + buffer.size:
                assert address + nbytes <= start + buffer.size, "past the end of a buffer"
                return buffer[address - start : address - start + nbytes]
        raise ContextLost(f"running the kernels failed: illegal address {address}")

    def view(self, address: int, dtype: Any, shape: tuple[int, ...]) -> np.ndarray:
        shape = tuple(int(n) for n in shape)
        return self.bytes_at(address, int(np.prod(shape)) * np.dtype(dtype).itemsize).view(dtype).reshape(shape)

    def upload(self, address: int, array: np.ndarray) -> None:
        self.bytes_at(address, array.nbytes)[:] = np.ascontiguousarray(array).view(np.uint8).ravel()

    def download(self, address: int, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        return self.view(address, dtype, shape).copy()

    def _do(self, action: Callable[[], None]) -> None:
        self.queue.append(action) if self.capturing else action()

    def copy(self, target: int, source: int, nbytes: int) -> None:
        self._do(lambda: self.bytes_at(target, nbytes).__setitem__(slice(None), self.bytes_at(source, nbytes)))

    def fill(self, address: int, word: int, words: int) -> None:
        self._do(lambda: self.view(address, np.uint32, (words,)).fill(word))

    def load(self, cubin: bytes, entry: str, name: str = "") -> Module:
        return Module(Loaded(entry, name), 32, 1024, 0)

    def blocks_per_sm(self, module: Module, launch: Any) -> int:
        return max(1, 1536 // launch.threads)

    def launch(self, module: Module, launch: Any, arguments: Any) -> None:
        def action() -> None:
            kind = self.fault_kind if self.fault_file and self.fault_file in module.handle.name else ""
            if kind == "fault":
                raise ContextLost("running the kernels failed: illegal address")
            if kind == "hang":
                time.sleep(3600)
            if kind == "die":
                os.kill(os.getpid(), signal.SIGKILL)
            if not self.timing and module.handle.entry in PROGRAMS:
                PROGRAMS[module.handle.entry](self, launch, list(arguments), kind)
            self.clock_us += self.slowness * (1 + len(module.handle.name) % 7 + launch.threads / 1024)

        self._do(action)

    timing = False

    def capture(self, enqueue: Callable[[], None], launches: int) -> Graph:
        self.capturing, self.queue = True, []
        try:
            enqueue()
        finally:
            self.capturing, queue = False, self.queue
        return Graph(lambda: [action() for action in queue], launches)  # type: ignore[arg-type]

    def time(self, replay: Callable[[], None], repeats: int) -> list[float]:
        self.timing, found = True, []
        for _ in range(repeats):
            before = self.clock_us
            replay()
            found.append(float(np.round((self.clock_us - before) * self.noise.normal(1, 0.002) / 0.032) * 0.032))
        self.timing = False
        return found

    def sync(self) -> None: ...

    def close(self) -> None: ...
