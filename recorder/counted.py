"""What does a profiler or a sanitizer watch? A few launches of one rung and no more.

``python -m recorder.counted LADDER RUNG GPU [size=N …]``, e.g. ``compute-sanitizer --tool racecheck python -m
recorder.counted LADDER RUNG 0 out_features=256`` for a smaller problem.
"""

from __future__ import annotations

import sys

from recorder.device import Device
from recorder.ladder import KERNELS, load_ladder
from recorder.session import Session
from recorder.timing import LAUNCHES
from recorder.workload import fitting_workload

LAUNCHED = 4


def main(slug: str, rung_slug: str, gpu: int, sizes: dict[str, int]) -> None:
    """Launch ``rung_slug`` over ``LAUNCHED`` cold copies, at the ladder's sizes or those given."""
    ladder = load_ladder(KERNELS / slug)
    device = Device(gpu)
    session = Session(device, ladder, quick=False)
    rung = ladder.rung(rung_slug)
    problem = {**ladder.problem, **sizes}
    work = fitting_workload(device, ladder, problem, rung.dtype, 11, LAUNCHES)
    built = session.build(rung, problem)
    enqueue = work.launcher(built.module, built.launch, built.zero)
    for copy in range(LAUNCHED):
        enqueue(copy)
    device.sync()


if __name__ == "__main__":
    pairs = (argument.split("=") for argument in sys.argv[4:])
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), {name: int(value) for name, value in pairs})
