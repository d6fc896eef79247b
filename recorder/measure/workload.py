"""What does a kernel work on? One problem on the card: its inputs, enough copies to be cold, and its output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from recorder.card.device import Module
from recorder.measure.answers import Answer
from recorder.measure.rotation import Rotation, rotate
from schema.ladder import DTYPES, Ladder, Problem
from schema.launch import Launch

POISON = 0x7FFF_7FFF  # a NaN as fp32 and as two fp16: a cell that was not written shows
Enqueue = Callable[[int], None]  # put the work on copy number n of the streamed operand on the device's stream


class LibraryMissing(Exception):
    """A library that cannot be called here; the message says why."""


class WrongResult(Exception):
    """Something does not compute what it should; it has no time."""


class Operands:
    """The inputs on the card: the streamed one as often as the rotation says, all others once."""

    def __init__(self, device: Any, ladder: Ladder, problem: Problem, answer: Answer, rotation: Rotation) -> None:
        self.device, self.ladder, self.problem, self.rotation = device, ladder, problem, rotation
        self.addresses: dict[str, list[int]] = {}
        try:
            for name, array in answer.inputs.items():
                copies = rotation.copies if name == ladder.streamed.name else 1
                places = self.addresses[name] = []
                for _ in range(copies):
                    places.append(device.alloc(array.nbytes))
        except BaseException:
            self.free()
            raise
        self.renew(answer)

    def renew(self, answer: Answer) -> None:
        """Other inputs in the same buffers; a graph captured over them stays valid."""
        self.answer = answer
        for name, array in answer.inputs.items():
            first, *others = self.addresses[name]
            self.device.upload(first, array)
            for other in others:
                self.device.copy(other, first, array.nbytes)
        self.device.sync()

    @property
    def streamed(self) -> list[int]:
        """Addresses of the copies."""
        return self.addresses[self.ladder.streamed.name]

    @property
    def streamed_bytes(self) -> int:
        """Bytes of one copy."""
        return self.answer.inputs[self.ladder.streamed.name].nbytes

    def address(self, name: str, copy: int) -> int:
        places = self.addresses[name]
        return places[copy % len(places)]

    def free(self) -> None:
        for address in (a for places in self.addresses.values() for a in places):
            self.device.free(address)
        self.addresses = {}


class Workload:
    """Operands, which workloads may share, and an output of a type of its own."""

    def __init__(self, operands: Operands, returns: str = "fp32") -> None:
        self.operands, self.returns = operands, returns
        self.device, self.ladder, self.problem = operands.device, operands.ladder, operands.problem
        self.output_shape = self.ladder.output_shape(self.problem)
        self.output_dtype = DTYPES[returns]
        self.output_words = -(-int(np.prod(self.output_shape)) * self.output_dtype.itemsize // 4)
        self.output = self.device.alloc(self.output_words * 4)

    @property
    def rotation(self) -> Rotation:
        return self.operands.rotation

    @property
    def answer(self) -> Answer:
        return self.operands.answer

    def arguments(self, copy: int, extra: Sequence[Any] = ()) -> list[Any]:
        """Inputs, output, sizes, then ``extra``: as numpy scalars, in the order that the kernels take them."""
        pointers = [self.operands.address(i.name, copy) for i in self.ladder.inputs] + [self.output]
        sizes = [np.int32(self.problem[name]) for name in self.ladder.sizes]
        return [*(np.uint64(p) for p in pointers), *sizes, *extra]

    def launcher(self, module: Module, launch: Launch, zero: bool, extra: Sequence[Any] = ()) -> Enqueue:
        """``enqueue(copy)``: the zeroing of the output where the kernel needs it, and the launch."""
        arguments = [self.arguments(copy, extra) for copy in range(self.rotation.copies)]

        def enqueue(copy: int) -> None:
            if zero:
                self.device.fill(self.output, 0, self.output_words)
            self.device.launch(module, launch, arguments[copy % len(arguments)])

        return enqueue

    def error(self, enqueue: Enqueue, copy: int = 0) -> float:
        """The worst error of one launch over a poisoned output, relative to the ladder's scale; a NaN is infinite."""
        self.device.fill(self.output, POISON, self.output_words)
        enqueue(copy)
        return self.error_of(self.device.download(self.output, self.output_shape, self.output_dtype))

    def error_of(self, got: np.ndarray) -> float:
        """The worst error of this result, relative to the ladder's scale; a NaN is infinite."""
        error = np.abs(got.astype(np.float64) - self.answer.expected) / self.answer.scale
        return float("inf") if np.isnan(error).any() else float(error.max())

    def require_right(self, name: str, enqueue: Enqueue, copy: int = 0) -> float:
        """The worst error of one launch in units of the ladder's tolerance; WrongResult where it is more than one."""
        error = self.error(enqueue, copy) / self.ladder.tolerance(self.problem)
        if not error <= 1.0:
            raise WrongResult(
                f"{name} is wrong: its worst error is {error:.3g} times the tolerance ({self.ladder.tolerance_reason})"
            )
        return error

    def free(self) -> None:
        """Give back the output and the operands."""
        self.device.free(self.output)
        self.operands.free()


def fitting_operands(device: Any, ladder: Ladder, problem: Problem, dtype: str, answer: Answer) -> Operands:
    """Operands with as many copies as a cold run needs; one, and the reason, where the card has no room for them."""
    nbytes = int(np.prod(ladder.streamed.shape(problem))) * DTYPES[dtype].itemsize
    free, _ = device.memory_bytes()
    rotation = rotate(ladder.streamed.name, nbytes, device.attribute("L2_CACHE_SIZE"), free)
    return Operands(device, ladder, problem, answer, rotation)
