"""A device without a GPU, to drive the recorder's control flow: memory in numpy, kernels in Python, made-up times.

It lives in tests only. A launch costs nothing until somebody looks at what it stored: only the last launches before a
download are computed. What goes wrong is asked for by environment, since the device lives in a worker process:

``FAKE_FAULTS``   FILE:KIND[,FILE:KIND]: launches of kernels whose file has FILE in its name ``fault`` (the context is
                  lost), ``hang`` (whoever waits for it waits for ever), ``die`` (kill -9), ``wrong``, ``tires``
                  (wrong once it was timed), ``crawl`` (a second each), ``raise`` (a bug), ``wait`` (for FAKE_GATE)
``FAKE_ARCH``     its architecture, ``sm_90`` unless given
``FAKE_GATE``     a file; kernels that ``wait`` go on once it is there
``FAKE_LADDERS``  a folder of ladders whose kernels compute what their reference does
``FAKE_MEMORY``   bytes of device memory
``FAKE_NVML``     a mood of ``tests.fake_nvml``, or ``absent``
``FAKE_SLEEP_S``  real seconds that every visit of a lane takes, so that a test has time to interrupt
``FAKE_STARTS``   FILE:N: only the first N devices can be opened, counted in FILE
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from recorder.card.device import ContextLost, DeviceError, Graph, Module, OutOfMemory
from schema.launch import Launch
from tests import fake_nvml
from tests.fake_memory import Buffer, Op
from tests.fake_programs import PROGRAMS, Program, program_of

ATTRIBUTES = {
    "MULTIPROCESSOR_COUNT": 4, "L2_CACHE_SIZE": 1 << 20, "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR": 102400,
    "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN": 101376, "MAX_REGISTERS_PER_MULTIPROCESSOR": 65536,
    "MAX_THREADS_PER_MULTIPROCESSOR": 1536, "MAX_BLOCKS_PER_MULTIPROCESSOR": 16,
}  # fmt: skip
TICK_US = 0.032


@dataclass(frozen=True)
class Loaded:
    entry: str
    name: str
    program: Program | None = None


class FakeDevice:
    """The interface of ``recorder.card.device.Device``."""

    stream_handle = 0
    warm_up_ms = 1

    def __init__(self, index: int) -> None:
        if index != 0:
            raise DeviceError(f"there is no GPU {index}. The GPUs there are: 0: Fake GPU. Choose one with --gpu")
        _count_start()
        self.index, self.name = index, os.environ.get("FAKE_NAME", "Fake GPU")
        self.arch = os.environ.get("FAKE_ARCH", "sm_90")
        self.memory = int(os.environ.get("FAKE_MEMORY", 1 << 30))
        self.sleep_s = float(os.environ.get("FAKE_SLEEP_S", "0"))
        pairs = (fault.partition(":") for fault in os.environ.get("FAKE_FAULTS", "").split(",") if fault)
        self.faults = [(file, kind) for file, _, kind in pairs]
        self.buffers: dict[int, Buffer] = {}
        self.next, self.clock_us, self.last, self.uploads = 4096, 0.0, 0, 0
        self.timing, self.tired, self.hung = False, False, False
        self.gate = Path(os.environ.get("FAKE_GATE", "nowhere"))
        self.captured: Op | None = None
        self.noise = np.random.default_rng(7)
        modules: dict[str, Any] = sys.modules
        modules["pynvml"] = None if os.environ.get("FAKE_NVML") == "absent" else fake_nvml
        modules["nvmath"] = modules["torch"] = None  # none of the real libraries can run here

    # ---- facts and memory -----------------------------------------------------------------------------------------

    def attribute(self, name: str) -> int:
        return ATTRIBUTES[name]

    def memory_bytes(self) -> tuple[int, int]:
        return self.memory - sum(buffer.nbytes for buffer in self.buffers.values()), self.memory

    def pci_bus_id(self) -> str:
        return "0000:00:00.0"

    def alloc(self, nbytes: int) -> int:
        if nbytes > self.memory_bytes()[0]:
            raise OutOfMemory(f"the card has no memory left for {nbytes / 1e6:.0f} MB of device memory")
        address, self.next = self.next, self.next + nbytes + 4096 - nbytes % 4096
        self.buffers[address] = Buffer(nbytes)
        return address

    def free(self, address: int) -> None:
        del self.buffers[address]

    def free_all(self) -> None:
        self.buffers.clear()

    def nbytes(self, address: int) -> int:
        return self.buffers[address].nbytes

    def _at(self, address: int, nbytes: int) -> tuple[Buffer, int]:
        starts = list(self.buffers)
        at = bisect_right(starts, address) - 1
        if at < 0 or address + nbytes > starts[at] + self.buffers[starts[at]].nbytes:
            raise ContextLost("running the kernels failed: illegal address")
        return self.buffers[starts[at]], address - starts[at]

    def view(self, address: int, dtype: Any, shape: tuple[int, ...], write: bool = False) -> np.ndarray:
        nbytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
        buffer, at = self._at(address, nbytes)
        return buffer.bytes(write)[at : at + nbytes].view(dtype).reshape(shape)

    def _settle(self) -> None:
        """Compute all that launches stored, before an input that they read changes."""
        for buffer in self.buffers.values():
            buffer.bytes() if buffer.todo else None

    def upload(self, address: int, array: np.ndarray) -> None:
        self.sync()
        self._settle()
        self.uploads += 1
        raw = np.ascontiguousarray(array).view(np.uint8).ravel()
        buffer, at = self._at(address, raw.size)
        if raw.size == buffer.nbytes:
            buffer.array, buffer.shared = raw.copy(), False
        else:
            buffer.bytes(write=True)[at : at + raw.size] = raw

    def download(self, address: int, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        self.sync()
        return self.view(address, dtype, shape).copy()

    # ---- the stream -----------------------------------------------------------------------------------------------

    def copy(self, target: int, source: int, nbytes: int) -> None:
        """Of whole buffers only; the array is shared until one side is written."""
        (to, _), (of, _) = self._at(target, nbytes), self._at(source, nbytes)
        assert to.nbytes == of.nbytes == nbytes

        def share() -> None:
            to.array, to.shared, of.shared = of.bytes(), True, True

        # Under no address, for a launch that changes what lies there must not replace it.
        self._put(Op(nbytes / 1e6, "", {id(to): to}, set(), [(to, -1, share)]))

    def fill(self, address: int, word: int, words: int) -> None:
        buffer, _ = self._at(address, words * 4)
        assert buffer.nbytes == words * 4

        def store() -> None:
            buffer.array, buffer.shared = np.full(words, word, np.uint32).view(np.uint8), False

        self._put(Op(0.5, "", {id(buffer): buffer}, set(), [(buffer, address, store)]))

    def load(self, cubin: bytes, entry: str, name: str = "") -> Module:
        program = PROGRAMS.get(entry) or program_of(os.environ.get("FAKE_LADDERS", ""), name)
        return Module(Loaded(entry, name, program), 32, 1024, 0)

    def tensor_map(
        self, address: int, dtype: str, shape: tuple[int, ...], box: tuple[int, ...], swizzle: int = 0
    ) -> np.uint64:
        return np.uint64(address)

    def blocks_per_sm(self, module: Module, launch: Launch) -> int:
        return max(1, ATTRIBUTES["MAX_THREADS_PER_MULTIPROCESSOR"] // launch.threads)

    def launch(self, module: Module, launch: Launch, arguments: Sequence[Any]) -> None:
        entry, name = module.handle.entry, module.handle.name
        kind = next((kind for file, kind in self.faults if file in name), "")
        if kind == "raise":
            raise ZeroDivisionError("a bug on the way to the card")
        op = Op(1 + len(name) % 7 + launch.threads / 1024, kind)
        program = module.handle.program or PROGRAMS.get(entry)
        if program:
            first = int(arguments[program.cold])
            op.us *= 1 if first == self.last else 2  # what was just read comes from the cache
            self.last = first
            self._store(op, program, launch, list(arguments))
        self._put(op)

    def _store(self, op: Op, program: Program, launch: Launch, arguments: list[Any]) -> None:
        results, computed = {}, -1
        outputs = [int(arguments[at]) for at in program.outputs if at < len(arguments)]
        adds = launch.grid[2] > 1 and not program.by_reference  # blocks that share an output add to it
        for address in outputs:
            buffer, _ = self._at(address, 1)

            def store(address: int = address) -> None:
                nonlocal computed
                if computed != self.uploads:  # a graph is replayed over other inputs, too
                    results.update(program.compute(self, launch, arguments))
                    computed = self.uploads
                wrong = op.kind == "wrong" or (op.kind == "tires" and self.tired)
                value = results[address] + (1 if wrong else 0)
                place = self.view(address, value.dtype, value.shape, write=True)
                place[...] = place + value if adds and address == outputs[0] else value

            op.stores.append((buffer, address, store))
            if not (adds and address == outputs[0]):
                op.replaced.add(address)

    def _put(self, op: Op) -> None:
        if self.captured is not None:
            self.captured = self.captured.then(op)
            return
        if op.kind == "fault":
            raise ContextLost("running the kernels failed: illegal address")
        if op.kind == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        while op.kind == "wait" and not self.gate.exists():
            time.sleep(0.005)
        if op.kind == "crawl":
            time.sleep(1)
        self.hung |= op.kind == "hang"
        op.apply()
        self.tired |= self.timing and op.kind == "tires"
        self.clock_us += op.us

    def capture(self, enqueue: Callable[[], None], launches: int) -> Graph:
        """A graph as one operation."""
        self.captured, self.last = Op(0.0), 0
        try:
            enqueue()
        finally:
            op, self.captured = self.captured, None
        return Graph(lambda: self._put(op), launches)

    def kernels_of(self, enqueue: Callable[[], None]) -> list[str]:
        return ["pretend_kernel"]

    def time(self, replay: Callable[[], None], repeats: int) -> list[float]:
        time.sleep(self.sleep_s)
        self.timing, found = True, []
        for _ in range(repeats):
            before = self.clock_us
            replay()
            us = (self.clock_us - before) * self.noise.normal(1, 0.002)
            found.append(max(1, round(us / TICK_US)) * TICK_US)
        self.timing = False
        self.sync()
        return found

    def sync(self) -> None:
        if self.hung:
            threading.Event().wait()

    def close(self) -> None: ...


def _count_start() -> None:
    place, _, most = os.environ.get("FAKE_STARTS", "").rpartition(":")
    if place:
        path = Path(place)
        starts = len(path.read_text()) if path.exists() else 0
        path.write_text("x" * (starts + 1))
        if starts >= int(most):
            raise DeviceError("the driver does not answer any more")
