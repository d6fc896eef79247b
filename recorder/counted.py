"""What does a profiler or a sanitizer watch? A few launches of one rung and no more.

``python -m recorder.counted LADDER RUNG GPU [size=N …]``, where LADDER is a slug or a folder, e.g. ``compute-sanitizer
--tool racecheck python -m recorder.counted LADDER RUNG 0 out_features=256`` for a smaller problem.
"""

from __future__ import annotations

import sys
from pathlib import Path

from recorder.bench import Bench
from recorder.device import Device
from recorder.ladder import KERNELS, load_ladder
from recorder.session import Session

LAUNCHED = 4


def main(ladder_name: str, rung_slug: str, gpu: int, sizes: dict[str, int]) -> None:
    """Launch ``rung_slug`` over ``LAUNCHED`` cold copies, at the ladder's sizes or those given."""
    folder = Path(ladder_name)
    ladder = load_ladder(folder if (folder / "ladder.py").exists() else KERNELS / ladder_name)
    session = Session(Device(gpu), ladder, quick=False)
    rung, problem = ladder.rung(rung_slug), {**ladder.problem, **sizes}
    work, built = Bench(session, 0, problem).work(rung.dtype), session.build(rung, problem)
    enqueue = work.launcher(built.module, built.launch, built.zero)
    for copy in range(LAUNCHED):
        enqueue(copy)
    session.device.sync()


if __name__ == "__main__":
    pairs = (argument.split("=") for argument in sys.argv[4:])
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), {name: int(value) for name, value in pairs})
