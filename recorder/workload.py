"""What does a kernel work on? One problem on the card: its inputs, enough copies to be cold, its output, its answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from recorder.device import Module, OutOfMemory
from recorder.ladder import DTYPES, Ladder, Problem
from recorder.launch import Launch

POISON = 0x7FFF_7FFF  # a NaN as fp32 and as two fp16: a cell that was not written shows
COLD_BYTES = 256_000_000
COLD_L2_MULTIPLE = 4


def cold_copies(streamed_bytes: int, l2_bytes: int, launches: int) -> int:
    """Copies of the streamed operand so that none is in L2 when its turn comes again.

    They add up to at least four times the L2 and to 256 MB, and their number divides the launches of a train, so
    that the rotation goes on evenly from one replay to the next.
    """
    least = max(-(-COLD_L2_MULTIPLE * l2_bytes // streamed_bytes), -(-COLD_BYTES // streamed_bytes), 1)
    return next((n for n in range(least, launches + 1) if launches % n == 0), launches)


@dataclass
class Workload:
    """``inputs`` as the host sees them; ``copies`` addresses of the streamed one; all others once."""

    device: Any
    ladder: Ladder
    problem: Problem
    dtype: str
    copies: int
    seed: int
    returns: str = "fp32"

    def __post_init__(self) -> None:
        self.output_shape = self.ladder.output_shape(self.problem)
        self.output_dtype = DTYPES[self.returns]
        self.output_words = -(-int(np.prod(self.output_shape)) * self.output_dtype.itemsize // 4)
        self.output = self.device.alloc(self.output_words * 4)
        self.addresses: dict[str, int] = {}
        self.streamed: list[int] = []
        self.inputs = self.ladder.make_inputs(self.problem, self.dtype, self.seed)
        for name, array in self.inputs.items():
            if name == self.ladder.streamed.name:
                self.streamed = [self.device.alloc(array.nbytes) for _ in range(self.copies)]
            else:
                self.addresses[name] = self.device.alloc(array.nbytes)
        self._upload()

    def _upload(self) -> None:
        for name, array in self.inputs.items():
            if name == self.ladder.streamed.name:
                self.device.upload(self.streamed[0], array)
                for copy in self.streamed[1:]:
                    self.device.copy(copy, self.streamed[0], array.nbytes)
                self.device.sync()
            else:
                self.device.upload(self.addresses[name], array)

    def renew(self, seed: int) -> None:
        """Fresh random inputs in the same buffers; a graph captured over them stays valid."""
        self.seed = seed
        self.inputs = self.ladder.make_inputs(self.problem, self.dtype, seed)
        self.__dict__.pop("expected", None)
        self.__dict__.pop("scale", None)
        self._upload()

    @property
    def streamed_bytes(self) -> int:
        return self.inputs[self.ladder.streamed.name].nbytes

    @cached_property
    def expected(self) -> np.ndarray:
        """The float64 reference."""
        return self.ladder.reference(self.inputs)

    @cached_property
    def scale(self) -> np.ndarray:
        return self.ladder.scale(self.inputs)

    def address(self, name: str, copy: int) -> int:
        return self.streamed[copy % self.copies] if name == self.ladder.streamed.name else self.addresses[name]

    def arguments(self, copy: int, extra: Sequence[Any] = ()) -> list[Any]:
        """Inputs, output, sizes, then ``extra``: as numpy scalars, in the order that the kernels take them."""
        pointers = [self.address(i.name, copy) for i in self.ladder.inputs] + [self.output]
        sizes = [np.int32(self.problem[name]) for name in self.ladder.sizes]
        return [*(np.uint64(p) for p in pointers), *sizes, *extra]

    def launcher(self, module: Module, launch: Launch, zero: bool, extra: Sequence[Any] = ()) -> Callable[[int], None]:
        """``enqueue(copy)``: the zeroing of the output where the kernel needs it, and the launch."""
        arguments = [self.arguments(copy, extra) for copy in range(self.copies)]

        def enqueue(copy: int) -> None:
            if zero:
                self.device.fill(self.output, 0, self.output_words)
            self.device.launch(module, launch, arguments[copy % self.copies])

        return enqueue

    def error(self, enqueue: Callable[[int], None], copy: int = 0) -> float:
        """The worst error of one launch over a poisoned output, relative to the ladder's scale; NaN cells are infinite."""
        self.device.fill(self.output, POISON, self.output_words)
        enqueue(copy)
        got = self.device.download(self.output, self.output_shape, self.output_dtype).astype(np.float64)
        error = np.abs(got - self.expected) / np.maximum(self.scale, np.finfo(np.float64).tiny)
        return float("inf") if np.isnan(error).any() else float(error.max())

    def free(self) -> None:
        for address in (self.output, *self.addresses.values(), *self.streamed):
            self.device.free(address)


def fitting_workload(
    device: Any, ladder: Ladder, problem: Problem, dtype: str, seed: int, launches: int, returns: str = "fp32"
) -> Workload:
    """A workload that is cold; ``OutOfMemory`` says what was missing when the card cannot hold enough copies."""
    shape = ladder.streamed.shape(problem)
    streamed_bytes = int(np.prod(shape)) * DTYPES[dtype].itemsize
    copies = cold_copies(streamed_bytes, device.attribute("L2_CACHE_SIZE"), launches)
    free, _ = device.memory_bytes()
    if copies * streamed_bytes > 0.9 * free:
        raise OutOfMemory(
            f"a cold run needs {copies} copies of {ladder.streamed.name}, {copies * streamed_bytes / 1e6:.0f} MB; "
            f"the card has {free / 1e6:.0f} MB free"
        )
    return Workload(device, ladder, problem, dtype, copies, seed, returns)
