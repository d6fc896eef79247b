"""What was recorded of one block of a rung? Its declared loop over slices, and the code that does each phase."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from publisher.figures.kit.figure import Evidence
from publisher.figures.kit.linked import Linked, linked
from publisher.figures.kit.pipeline import Event, Stages, Unfit, events_of, instructions_of, played
from publisher.figures.kit.style import lacking, no_rung, reason, value_of
from sass.control_flow import Loop
from sass.listing import Instruction, is_dummy, loop_instructions, loops, main_loop, parse_sass
from sass.opcodes import family
from schema.results import Code, LoopPipeline, RungCode
from schema.units import UNITS, Unit


@dataclass(frozen=True)
class Block:
    """``found``: the loop's instructions of each phase, by the phase's place. ``stages``: after each event."""

    title: str
    code: Code
    pipeline: LoopPipeline
    unit: Unit | None
    linked: Linked
    events: Sequence[Event]
    stages: Sequence[Stages]
    found: Sequence[Sequence[Instruction]]

    @property
    def threads(self) -> int:
        x, y, z = (*self.code.block, 1, 1)[:3]
        return x * y * z

    def instructions(self, event: Event) -> Sequence[Instruction]:
        """What a step is made of; before the loop, that of all slices that are asked for there."""
        if event.turn >= 0:
            return self.found[event.place]
        return [i for i in self.linked.before if family(i) in event.phase.families and not is_dummy(i)]

    def meets(self, event: Event) -> bool:
        """Do the block's threads meet at it?"""
        return event.kind == "barrier" or any(family(i) == "BAR" for i in self.found[event.place])


def read_block(evidence: Evidence, rung: str) -> Block:
    """A rung by its slug; ``""`` is the first that declares its loop. ``Missing``, where it cannot be drawn."""
    found = evidence.need("code").results.rungs
    rung = rung or next((slug for slug, one in found.items() if value_of(one.pipeline)), next(iter(found), ""))
    if rung not in found:
        raise no_rung(evidence, rung, list(found))
    of: RungCode = found[rung]
    code, pipeline = value_of(of.code), value_of(of.pipeline)
    if code is None:
        raise lacking(evidence, "code", f"there is no code of {rung}, {reason(of.code)}", of.code)
    if pipeline is None:
        raise lacking(evidence, "code", reason(of.pipeline), of.pipeline)
    loop = _loop(code, pipeline)
    sides = linked(code, evidence.sources, evidence.glossary, evidence.card.card.arch, loop)
    if sides is None:
        raise lacking(evidence, "code", f"the SASS of {rung} has no loop")
    events = events_of(pipeline)
    try:
        stages = played(pipeline, events)
    except Unfit as unfit:
        raise lacking(evidence, "code", f"the declared loop of {rung} {unfit}") from None
    try:
        instructions = instructions_of(pipeline.phases, sides.loop)
    except Unfit as unfit:
        raise lacking(evidence, "code", f"the loop of {rung} {unfit}") from None
    return Block(of.title, code, pipeline, UNITS.get(of.unit), sides, events, stages, instructions)


def _loop(code: Code, pipeline: LoopPipeline) -> Loop | None:
    """The main loop, or else the smallest that has every phase: the main one may lie inside a pass."""
    found = parse_sass(code.sass)
    main = main_loop(found)
    ordered = sorted(loops(found), key=lambda one: len(one.offsets))
    for loop in [main, *ordered] if main else ordered:
        try:
            instructions_of(pipeline.phases, loop_instructions(found, loop))
        except Unfit:
            continue
        return loop
    return main
