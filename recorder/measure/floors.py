"""What can no kernel be faster than? An empty launch, and a plain read of the streamed operand for each input type.

Neither has a result that could be checked: the one writes nothing, the other only what no operand ever makes it write.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from recorder.measure.lanes import Bench
from recorder.measure.session import Session
from recorder.measure.timing import graph_lane
from recorder.measure.workload import Operands
from schema.launch import Launch
from schema.results import TimePair, pair_of

ONE_WARP = Launch((1, 1, 1), (32, 1, 1))
READ_THREADS = 512
READ_LAUNCHES = 20  # of a train that tries a grid


class Floors:
    """The lanes ``empty`` and ``read_<dtype>`` on a bench."""

    def __init__(self, session: Session, bench: Bench) -> None:
        self.session, self.bench = session, bench
        self.names: list[str] = []

    def prepare(self, dtypes: list[str]) -> None:
        self.bench.prepare("empty", self._empty)
        for dtype in dtypes:
            self.bench.prepare(f"read_{dtype}", lambda d=dtype: self._read(f"read_{d}", d))
        self.names = ["empty", *(f"read_{dtype}" for dtype in dtypes)]

    def _empty(self) -> None:
        device, kernel = self.session.device, self.session.machine_kernel("empty.cu", "empty")
        self.bench.add("empty", lambda copy: device.launch(kernel, ONE_WARP, []))

    def _read(self, name: str, dtype: str) -> None:
        device, operands = self.session.device, self.bench.work(dtype).operands
        kernel, out = self.session.machine_kernel("read.cu", "read"), device.alloc(16)
        arguments = [
            [np.uint64(a), np.uint64(out), np.uint64(operands.streamed_bytes // 16)] for a in operands.streamed
        ]
        launch = self._best_grid(kernel, operands, arguments[0])
        self.bench.add(
            name, lambda copy: device.launch(kernel, launch, arguments[copy % len(arguments)]), operands.rotation
        )

    def _best_grid(self, kernel: Any, operands: Operands, arguments: list[Any]) -> Launch:
        """The grid that reads fastest, warm: a floor has to be the lowest one found, so a few grids are tried."""
        device = self.session.device
        sms = device.attribute("MULTIPROCESSOR_COUNT")
        found = []
        for blocks in sorted({sms, 2 * sms, 3 * sms, 4 * sms, 8 * sms, 256, 512, 1024, 2048}):
            launch = Launch((blocks, 1, 1), (READ_THREADS, 1, 1))
            lane = graph_lane(
                device, "read", "read", lambda copy, g=launch: device.launch(kernel, g, arguments), False, READ_LAUNCHES
            )
            device.time(lane.replay, 2)
            found.append((float(np.median(device.time(lane.replay, 10))), blocks))
        return Launch((min(found)[1], 1, 1), (READ_THREADS, 1, 1))

    def results(self) -> dict[str, TimePair]:
        """The pairs of times by name; both sides say why where there are none."""
        return {name: pair_of(self.bench.times(name)) for name in self.names}
