"""Do kernels compute the right thing on this card? Every rung and whole variant against float64, at odd sizes too."""

from __future__ import annotations

import numpy as np
import pytest

from recorder.card.device import Device
from recorder.experiments import fragment
from recorder.experiments.placement import STAMP_BYTES
from recorder.measure.answers import Answers
from recorder.measure.rotation import Rotation
from recorder.measure.session import Session
from recorder.measure.workload import Operands, Workload
from schema.ladder import Ladder, Rung
from schema.load_ladder import load_ladders
from tests.fake_programs import cells
from tests.fake_recorder import KERNELS as MINI

PARTIAL = {"loads_only", "math_only"}  # these do not compute the answer
SEED = 5
ANSWERS = Answers()
LADDERS = {**load_ladders(), **load_ladders(MINI), **load_ladders(MINI.parent / "ladders")}
KERNELS = [
    pytest.param(ladder, rung, variant, id=f"{slug}-{rung.slug}{variant and '.' + variant}")
    for slug, ladder in LADDERS.items()
    for rung in ladder.rungs
    for variant in ("", *rung.variant_slugs)
    if variant not in PARTIAL
]


def problems(ladder: Ladder) -> list[dict[str, int]]:
    """The odd sizes and the ladder's own."""
    return [*ladder.check_problems, ladder.problem]


@pytest.mark.parametrize("ladder, rung, variant", KERNELS)
def test_a_rung_agrees_with_float64(device: Device, ladder: Ladder, rung: Rung, variant: str):
    session = Session(device, ladder, quick=True)
    checked = 0
    for problem in problems(ladder):
        if not rung.accepts(problem, ladder.constants(rung, variant)):
            continue
        types = ladder.types(rung)
        answer = ANSWERS.get(ladder, problem, types, SEED)
        work = Workload(Operands(device, ladder, types, answer, Rotation(2)), types)
        built = session.build(rung, problem, variant)
        extra = [np.uint64(device.alloc(built.launch.blocks * STAMP_BYTES))] if variant == "placement" else []
        enqueue = work.launcher(built, extra)
        for copy in range(2):
            work.require_right(f"{rung.slug} at {problem}", enqueue, copy)
        checked += 1
        device.free_all()
    assert checked


def test_the_fragment_map_is_that_of_the_ptx_isa(device: Device):
    session = Session(device, None, quick=True)
    shape = fragment.run(session)["fragment"][0].shapes[fragment.SLUG]
    for operand, registers, name in ((shape.a, 4, "a"), (shape.b, 2, "b")):
        table = {key: column.astype(int) for key, column in operand.cells.arrays.items()}
        expected = cells(registers, name)[table["lane"], table["register"], table["half"]]
        assert np.array_equal(expected, np.stack([table["row"], table["column"]], axis=1))
    d = {key: column.astype(int) for key, column in shape.d.cells.arrays.items()}
    assert np.array_equal(d["row"], d["lane"] // 4 + 8 * (d["register"] // 2))
    assert np.array_equal(d["column"], d["lane"] % 4 * 2 + d["register"] % 2)
    assert shape.sass.startswith("HMMA.16816")
