"""What does a block issue, and what lies where after each thing? A declared loop over slices, played pass by pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from publisher.figures.kit.style import listed
from sass.listing import Instruction, is_dummy
from sass.opcodes import family
from schema.results import LoopPhase, LoopPipeline

PASSES = 3  # that are played
ON_ITS_WAY, OWN_SHARE, THERE = "on its way", "own share landed", "there"  # of a slice; without one its place is free
SLUGS = {"release": "done"}  # of steps, where it is not the kind itself: links to them are older than the declarations
MEETINGS = ("wait", "barrier", "release")  # of these one instruction does one, so those of a kind can be counted off
HELPERS = ("LDGDEPBAR", "LDS", "LDSM")  # instructions that only go with those that do a phase


class Unfit(Exception):
    """A pipeline that does not play, or not in this loop: what is so, to stand behind a name, without a dot."""


@dataclass(frozen=True)
class Event:
    """One thing that the block issues: a phase by its place in the pass, for a slice, in a pass of the loop."""

    phase: LoopPhase
    place: int
    slug: str
    slice: int
    turn: int  # -1: before the loop

    @property
    def kind(self) -> str:
        return self.phase.kind


Stages = dict[int, str]  # slice -> how far it has come, of those that have a place


def events_of(pipeline: LoopPipeline) -> list[Event]:
    """What brings slices before the loop, then the phases of the first passes."""
    kinds = [phase.kind for phase in pipeline.phases]
    early = _brings(kinds)
    events = [
        _event(pipeline, place, number, -1)
        for number in range(min(pipeline.ahead, pipeline.passes))
        for place, kind in enumerate(kinds)
        if kind == early
    ]
    for turn in range(min(PASSES, pipeline.passes)):
        for place, kind in enumerate(kinds):
            number = turn + (pipeline.ahead if kind == early else 0)
            if number < pipeline.passes:
                events.append(_event(pipeline, place, number, turn))
    return events


def _brings(kinds: Sequence[str]) -> str:
    """The kind that runs ahead of the passes."""
    return "request" if "request" in kinds else "load"


def _event(pipeline: LoopPipeline, place: int, number: int, turn: int) -> Event:
    phase = pipeline.phases[place]
    same = sum(before.kind == phase.kind for before in pipeline.phases[:place])
    slug = f"{SLUGS.get(phase.kind, phase.kind)}_{number}" + (f"_{same + 1}" if same else "")
    return Event(phase, place, slug, number, turn)


def played(pipeline: LoopPipeline, events: Sequence[Event]) -> list[Stages]:
    """The slices that have a place after each event, and how far they have come. Unfit: one is used before it is there,
    or put where another still is.
    """
    kinds = [phase.kind for phase in pipeline.phases]
    landing = "wait" if "wait" in kinds else _brings(kinds)
    shared = "barrier" in kinds[kinds.index(landing) :] if landing in kinds else False
    landed = OWN_SHARE if shared else THERE
    now: Stages = {}
    used: set[int] = set()
    found = []
    for event in events:
        number, kind = event.slice, event.kind
        if used and not {"release", "barrier"} & set(kinds):  # who multiplied a slice alone is done with it
            now = {slice_: stage for slice_, stage in now.items() if slice_ not in used}
        if kind in ("request", "load"):
            _check_place(pipeline, now, number)
            begun = now.get(number, ON_ITS_WAY) if kind == "load" else ON_ITS_WAY  # part of it was asked for before
            now = now | {number: begun if "request" in kinds else landed}
        elif kind == "wait" and now.get(number) == ON_ITS_WAY:
            now = now | {number: landed}
        elif kind == "barrier":
            now = {slice_: THERE if stage == OWN_SHARE else stage for slice_, stage in now.items()}
            if "release" not in kinds:
                now = {slice_: stage for slice_, stage in now.items() if slice_ not in used}
        elif kind == "multiply":
            if now.get(number) != THERE:
                raise Unfit(f"multiplies slice {number} before it is there")
            used.add(number)
        elif kind == "release":
            now = {slice_: stage for slice_, stage in now.items() if slice_ != number}
        found.append(now)
    return found


def _check_place(pipeline: LoopPipeline, now: Stages, number: int) -> None:
    buffers = pipeline.buffers
    there = [other for other in now if buffers and other != number and other % buffers == number % buffers]
    if there:
        raise Unfit(f"puts slice {number} into buffer {number % buffers}, where slice {there[0]} still is")


# ---- what does each phase in the machine code ------------------------------------------------------------------------


def instructions_of(phases: Sequence[LoopPhase], loop: Sequence[Instruction]) -> list[list[Instruction]]:
    """The instructions of each phase, dummies left out. Unfit: it has none, or it cannot be told whose they are."""
    real = [i for i in loop if not is_dummy(i)]
    owners: dict[str, list[int]] = {}
    for place, phase in enumerate(phases):
        for name in phase.families:
            owners.setdefault(name, []).append(place)
    found: list[list[Instruction]] = [[] for _ in phases]
    for i in real:
        if len(mine := owners.get(family(i), [])) == 1:
            found[mine[0]].append(i)
    for name, places in owners.items():
        theirs = [i for i in real if family(i) == name]
        if len(places) > 1 and theirs:
            after = next((max(i.offset for i in found[p]) for p in reversed(range(places[0])) if found[p]), -1)
            for place, part in zip(places, _counted_off(name, [phases[p] for p in places], theirs, after), strict=True):
                found[place] += part
    for phase, mine in zip(phases, found, strict=True):
        needed = [name for name in phase.families if name not in HELPERS] or phase.families
        if not any(family(i) in needed for i in mine):
            raise Unfit(f"has no {_either(needed)}, which its phase {phase.kind} is declared to be done with")
    return [sorted(mine, key=lambda i: i.offset) for mine in found]


def _counted_off(
    name: str, phases: Sequence[LoopPhase], theirs: Sequence[Instruction], after: int
) -> list[list[Instruction]]:
    """Instructions that several phases are done with, by their order, the first behind ``after``: a loop may begin
    anywhere in its pass.
    """
    count = len(phases)
    if len(theirs) % count or any(phase.kind not in MEETINGS for phase in phases):
        kinds = listed([phase.kind for phase in phases])
        raise Unfit(f"has {len(theirs)} {name}, which its phases {kinds} are all declared to be done with")
    ordered = [i for i in theirs if i.offset > after] + [i for i in theirs if i.offset <= after]
    return [list(ordered[place::count]) for place in range(count)]


def _either(names: Sequence[str]) -> str:
    return " or ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
