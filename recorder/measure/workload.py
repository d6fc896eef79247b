"""What does a kernel work on? One problem on the card: what it reads, enough copies to be cold, and what it writes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from recorder.measure.answers import Answer
from recorder.measure.rotation import Rotation, rotate
from schema.dtypes import numpy_dtype
from schema.ladder import Ladder, Types
from schema.rungs import Rung

POISON = 0x7FFF_7FFF  # a NaN in every floating type: a cell that was not written shows; as integers no likely sum
Enqueue = Callable[[int], None]  # put the work on copy number n of the cold operands on the device's stream


class LibraryMissing(Exception):
    """A library that cannot be called here; the message says why."""


class WrongResult(Exception):
    """Something does not compute what it should; it has no time."""


class Operands:
    """What is read, on the card: the cold operands as often as the rotation says, all others once."""

    def __init__(self, device: Any, ladder: Ladder, types: Types, answer: Answer, rotation: Rotation) -> None:
        self.device, self.ladder, self.types, self.rotation = device, ladder, types, rotation
        self.problem = answer.problem
        self.addresses: dict[str, list[int]] = {}
        try:
            for operand in (o for o in ladder.operands if o.is_read):
                places = self.addresses[operand.name] = []
                for _ in range(rotation.copies if operand.cold else 1):
                    places.append(device.alloc(_whole_words(answer.inputs[operand.name].nbytes)))
        except BaseException:
            self.free()
            raise
        self.renew(answer)

    def renew(self, answer: Answer) -> None:
        """Other inputs in the same buffers; a graph captured over them stays valid."""
        self.answer = answer
        self._fill(self.addresses)
        self.device.sync()

    def restore(self) -> None:
        """The values that kernels have overwritten, as they were."""
        self._fill([o.name for o in self.ladder.operands if o.role == "inout"])

    def _fill(self, names: Any) -> None:
        for name in names:
            array, (first, *others) = self.answer.inputs[name], self.addresses[name]
            self.device.upload(first, array)
            for other in others:
                self.device.copy(other, first, _whole_words(array.nbytes))

    @property
    def cold_bytes(self) -> int:
        """Bytes of one copy of the cold operands."""
        return sum(self.ladder.bytes_of(o.name, self.problem, self.types) for o in self.ladder.cold)

    @property
    def label(self) -> str:
        """The types of what is read, for a key: ``fp16``, or ``fp16_int8`` where they differ."""
        return "_".join(dict.fromkeys(self.types[name] for name in self.addresses))

    def free(self) -> None:
        for address in (a for places in self.addresses.values() for a in places):
            self.device.free(address)
        self.addresses = {}


class Workload:
    """Operands, which workloads may share, and what is only written, in types of its own."""

    def __init__(self, operands: Operands, types: Types) -> None:
        self.operands, self.types = operands, types
        self.device, self.ladder, self.problem = operands.device, operands.ladder, operands.problem
        self.tolerances = self.ladder.tolerances(self.problem, types)
        self.written: dict[str, int] = {}
        for operand in (o for o in self.ladder.operands if o.role == "out"):
            self.written[operand.name] = self.device.alloc(_whole_words(self.nbytes(operand.name)))

    @property
    def rotation(self) -> Rotation:
        return self.operands.rotation

    @property
    def changes_what_it_reads(self) -> bool:
        """Does a second launch give another result than the first?"""
        return any(o.role == "inout" for o in self.ladder.operands)

    def shape(self, name: str) -> tuple[int, ...]:
        """The C order shape of an operand."""
        return self.ladder.operand(name).shape(self.problem)

    def nbytes(self, name: str) -> int:
        return self.ladder.bytes_of(name, self.problem, self.types)

    def address(self, name: str, copy: int) -> int:
        """Where an operand lies on the card, for this copy."""
        if name in self.written:
            return self.written[name]
        places = self.operands.addresses[name]
        return places[copy % len(places)]

    def arguments(self, rung: Rung, constants: dict[str, int], copy: int, extra: Sequence[Any] = ()) -> list[Any]:
        """What the rung takes, in order, then ``extra``: numpy scalars, and tensor maps."""
        scalars = self.ladder.scalar_values(self.problem)
        maps = {one.name: one for one in rung.tensor_maps}
        found: list[Any] = []
        for name in self.ladder.taken(rung):
            if name in maps:
                one = maps[name]
                place = self.address(one.operand, copy), self.types[one.operand], self.shape(one.operand)
                found.append(self.device.tensor_map(*place, one.box(self.problem, constants), one.swizzle))
            elif name in scalars:
                found.append(scalars[name])
            elif name in self.problem:
                found.append(np.int32(self.problem[name]))
            else:
                found.append(np.uint64(self.address(name, copy)))
        return [*found, *extra]

    def launcher(self, built: Any, extra: Sequence[Any] = ()) -> Enqueue:
        """``enqueue(copy)`` of a built kernel: the zeroing of the output where it needs that, and the launch."""
        copies = range(self.rotation.copies)
        arguments = [self.arguments(built.rung, built.constants, copy, extra) for copy in copies]

        def enqueue(copy: int) -> None:
            if built.zero:
                self.fill(0)
            self.device.launch(built.module, built.launch, arguments[copy % len(arguments)])

        return enqueue

    def fill(self, word: int) -> None:
        """Set all that is only written, in 32-bit words, on the stream."""
        for name, address in self.written.items():
            self.device.fill(address, word, _whole_words(self.nbytes(name)) // 4)

    def error(self, enqueue: Enqueue, copy: int = 0) -> float:
        """The worst error of one launch in units of the tolerance; a NaN is infinite.

        What it only writes is poisoned before, and what it changes is as it was.
        """
        self.fill(POISON)
        self.operands.restore()
        enqueue(copy)
        worst = 0.0
        for operand in self.ladder.outputs:
            name, dtype = operand.name, numpy_dtype(self.types[operand.name])
            got = self.device.download(self.address(name, copy), self.shape(name), dtype)
            error = self.operands.answer.error(name, got)
            tolerance = self.tolerances[name]
            worst = max(worst, error / tolerance if tolerance else (float("inf") if error else 0.0))
        return worst

    def require_right(self, name: str, enqueue: Enqueue, copy: int = 0) -> float:
        """The worst error of one launch in units of the tolerance; WrongResult where it is more than one."""
        error = self.error(enqueue, copy)
        if not error <= 1.0:
            raise WrongResult(
                f"{name} is wrong: its worst error is {error:.3g} times the tolerance ({self.ladder.tolerance_reason})"
            )
        return error

    def free(self) -> None:
        """Give back what is written and the operands."""
        for address in self.written.values():
            self.device.free(address)
        self.operands.free()


def fitting_operands(device: Any, ladder: Ladder, types: Types, answer: Answer) -> Operands:
    """Operands with as many copies as a cold run needs; one, and the reason, where there can be no cold run."""
    nbytes = sum(ladder.bytes_of(o.name, answer.problem, types) for o in ladder.cold)
    if not nbytes:
        return Operands(device, ladder, types, answer, Rotation(1, not_cold="the ladder declares no operand as cold"))
    free, _ = device.memory_bytes()
    names = " and ".join(o.shown for o in ladder.cold)
    return Operands(device, ladder, types, answer, rotate(names, nbytes, device.attribute("L2_CACHE_SIZE"), free))


def _whole_words(nbytes: int) -> int:
    return -(-nbytes // 4) * 4
