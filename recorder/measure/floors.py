"""What can no kernel be faster than? An empty launch, and for all types one that moves the least bytes and no more.

Neither has a result that could be checked: the one writes nothing, the other what nobody looks at.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from recorder.card.device import ByValue
from recorder.measure.lanes import Bench
from recorder.measure.session import NotHere, Session
from recorder.measure.timing import graph_lane
from recorder.measure.workload import Workload
from schema.ladder import Types
from schema.launch import Launch
from schema.results import TimePair, pair_of

ONE_WARP = Launch((1, 1, 1), (32, 1, 1))
MOVE_THREADS = 512
MOVE_LAUNCHES = 20  # of a train that tries a grid
READS, WRITES, MOST_SEGMENTS = 1, 2, 16  # as move.cu has them


class Floors:
    """The lanes ``empty`` and ``move_<types>`` on a bench."""

    def __init__(self, session: Session, bench: Bench) -> None:
        self.session, self.bench = session, bench
        self.names: list[str] = []

    def prepare(self, types: dict[str, Types]) -> None:
        """``types``: by the label that the floor is named after."""
        self.bench.prepare("empty", self._empty)
        for label, one in types.items():
            self.bench.prepare(f"move_{label}", lambda n=f"move_{label}", t=one: self._move(n, t))
        self.names = ["empty", *(f"move_{label}" for label in types)]

    def _empty(self) -> None:
        device, kernel = self.session.device, self.session.machine_kernel("empty.cu", "empty")
        self.bench.add("empty", lambda copy: device.launch(kernel, ONE_WARP, []))

    def _move(self, name: str, types: Types) -> None:
        device, work = self.session.device, self.bench.work(types)
        kernel, out = self.session.machine_kernel("move.cu", "move"), device.alloc(16)
        arguments = [[_segments(work, copy), np.uint64(out)] for copy in range(work.rotation.copies)]
        launch = self._best_grid(kernel, arguments[0])
        self.bench.add(
            name, lambda copy: device.launch(kernel, launch, arguments[copy % len(arguments)]), work.rotation
        )

    def _best_grid(self, kernel: Any, arguments: list[Any]) -> Launch:
        """The grid that moves fastest, warm: a floor has to be the lowest one found, so a few grids are tried."""
        device = self.session.device
        sms = device.attribute("MULTIPROCESSOR_COUNT")
        found = []
        for blocks in sorted({sms, 2 * sms, 3 * sms, 4 * sms, 8 * sms, 256, 512, 1024, 2048}):
            launch = Launch((blocks, 1, 1), (MOVE_THREADS, 1, 1))
            lane = graph_lane(
                device, "move", "move", lambda copy, g=launch: device.launch(kernel, g, arguments), False, MOVE_LAUNCHES
            )
            device.time(lane.replay, 2)
            found.append((float(np.median(device.time(lane.replay, 10))), blocks))
        return Launch((min(found)[1], 1, 1), (MOVE_THREADS, 1, 1))

    def results(self) -> dict[str, TimePair]:
        """The pairs of times by name; both sides say why where there are none."""
        return {name: pair_of(self.bench.times(name)) for name in self.names}


def _segments(work: Workload, copy: int) -> ByValue:
    """The struct of move.cu for this copy: of each operand address, bytes, and whether it is read, written or both.

    The largest comes first, which was the fastest order tried. NotHere where there are more operands than it holds.
    """
    operands = sorted(work.ladder.operands, key=lambda o: work.nbytes(o.name), reverse=True)
    if len(operands) > MOST_SEGMENTS:
        raise NotHere(f"a floor of at most {MOST_SEGMENTS} operands; this ladder has {len(operands)}")
    found = np.zeros(1 + 3 * MOST_SEGMENTS, np.uint64)
    found[0] = len(operands)
    for place, o in enumerate(operands):
        use = READS * o.is_read + WRITES * o.is_written
        found[1 + 3 * place : 4 + 3 * place] = work.address(o.name, copy), work.nbytes(o.name), use
    return ByValue(found)
