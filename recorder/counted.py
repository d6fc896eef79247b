"""What does the profiler watch? ``python -m recorder.counted LADDER RUNG``: a few cold launches of one rung, no more."""

from __future__ import annotations

import sys

from recorder.device import Device
from recorder.ladder import KERNELS, load_ladder
from recorder.session import Session
from recorder.timing import LAUNCHES
from recorder.workload import fitting_workload

LAUNCHED = 4


def main(slug: str, rung_slug: str, gpu: int) -> None:
    ladder = load_ladder(KERNELS / slug)
    device = Device(gpu)
    session = Session(device, ladder, quick=False)
    rung = ladder.rung(rung_slug)
    work = fitting_workload(device, ladder, ladder.problem, rung.dtype, 11, LAUNCHES)
    built = session.build(rung, ladder.problem)
    enqueue = work.launcher(built.module, built.launch, built.zero)
    for copy in range(LAUNCHED):
        enqueue(copy)
    device.sync()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
