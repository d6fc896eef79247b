"""What does a profiler or a sanitizer watch? A few launches of one rung and no more, the last of which is checked.

``python -m recorder.measure.counted LADDER RUNG GPU [size=N …]``, where LADDER is a slug or a folder, for example
``compute-sanitizer --tool racecheck python -m recorder.measure.counted LADDER RUNG 0 n=256`` for a smaller problem.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from recorder.card.device import Device
from recorder.measure.lanes import Bench
from recorder.measure.session import SENTENCES, Session
from schema.ladder import KERNELS
from schema.load_ladder import load_ladder

LAUNCHED = 4
STOPPED = "recorder.measure.counted: "  # how a line begins that says why what was watched is not to be used


def main(ladder_name: str, rung_slug: str, device: Any, sizes: dict[str, int]) -> None:
    """Launch ``rung_slug`` over ``LAUNCHED`` cold copies, at the ladder's sizes or those given.

    Raises WrongResult where that does not compute the answer.
    """
    folder = Path(ladder_name)
    ladder = load_ladder(folder if (folder / "ladder.py").exists() else KERNELS / ladder_name)
    session = Session(device, ladder, quick=False)
    rung, problem = ladder.rung(rung_slug), {**ladder.problem, **sizes}
    work = Bench(session, 0, problem).work(ladder.types(rung))
    enqueue = work.launcher(session.build(rung, problem))

    def launches(first: int) -> None:
        for copy in range(first, first + LAUNCHED):
            enqueue(copy)

    work.require_right(rung_slug, launches)


if __name__ == "__main__":
    pairs = (argument.split("=") for argument in sys.argv[4:])
    try:
        main(sys.argv[1], sys.argv[2], Device(int(sys.argv[3])), {name: int(value) for name, value in pairs})
    except SENTENCES as error:
        sys.exit(f"{STOPPED}{error}")
