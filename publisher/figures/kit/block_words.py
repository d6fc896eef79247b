"""What does a block do at each step of its loop, in a sentence? The author's words, or the usual ones of the phase."""

from __future__ import annotations

import math
from collections.abc import Sequence

from publisher.facts.units import grouped
from publisher.figures.kit.block import Block
from publisher.figures.kit.pipeline import ON_ITS_WAY, OWN_SHARE, Event
from publisher.figures.kit.style import fmt_count, listed
from sass import operands as op
from sass.listing import Instruction
from sass.opcodes import family
from schema.dtypes import DTYPES

READS = ("LDS", "LDSM")


def verb(block: Block, event: Event) -> str:
    """A word for the event, below its column."""
    return "barrier" if event.kind == "release" and block.meets(event) else event.kind


def name(block: Block, event: Event) -> str:
    """``Request 0``, ``Barrier after 0``."""
    after = "after " if event.kind == "release" else ""
    return f"{verb(block, event).capitalize()} {after}{event.slice}"


def caption(block: Block, place: int) -> str:
    """The phase in a sentence, what of the machine code does it, and where the picture ends what comes after it."""
    event = block.events[place]
    usual = {
        "request": _request, "load": _load, "wait": _wait, "barrier": _barrier, "multiply": _multiply,
        "release": _release,
    }  # fmt: skip
    said = _sentence(event.phase.words) or usual[event.kind](block, place)
    parts = [said, f"{counted(block, event)}."]
    if place == len(block.events) - 1:
        passes = block.pipeline.passes
        more = f"So it goes on, {passes} passes in all." if passes > event.turn + 1 else "That was the last pass."
        parts += [more, "The order of issue is not time: how long each step takes is not shown here."]
    return " ".join(parts)


def counted(block: Block, event: Event) -> str:
    """How many instructions of which family do the step: ``In SASS: 3 `LDGSTS` and 1 `LDGDEPBAR` ``."""
    counts: dict[str, int] = {}
    for i in block.instructions(event):
        counts[family(i)] = counts.get(family(i), 0) + 1
    several = ", for all slices before the loop" if event.turn < 0 and block.pipeline.ahead > 1 and counts else ""
    return (
        f"In SASS: {listed([f'{n} `{one}`' for one, n in counts.items()]) if counts else 'nothing of its own'}{several}"
    )


def _sentence(text: str) -> str:
    text = text.strip()
    return text if not text or text[-1] in ".!?" else f"{text}."


# ---- places and slices -----------------------------------------------------------------------------------------------


def place_of(block: Block, number: int) -> str:
    """Where a slice lies: ``buffer 1``, or ``registers``."""
    return f"buffer {number % block.pipeline.buffers}" if block.pipeline.buffers else "registers"


def _sized(block: Block, event: Event) -> str:
    """``slice 0``; the first time with what it holds: ``slice 0, 128 × 32 numbers of W and 16 × 32 of X,``."""
    regions = block.pipeline.slice
    if event.slice or not regions:
        return f"slice {event.slice}"
    sizes = [" × ".join(str(stop - first) for first, stop in region.spans) for region in regions]
    told = [
        f"{size or 'all'}{' numbers' if not n and size else ''} of {region.operand}"
        for n, (size, region) in enumerate(zip(sizes, regions, strict=True))
    ]
    nbytes = sum(
        DTYPES[region.dtype].nbytes * math.prod(stop - first for first, stop in region.spans) for region in regions
    )
    return f"slice 0, {listed(told)}, {grouped(nbytes)} bytes in all,"


def _slices(numbers: Sequence[int]) -> str:
    return f"slice{'s' * (len(numbers) > 1)} {listed([str(n) for n in numbers])}"


def _travelling(block: Block, place: int, but: int) -> str:
    """The other slices on their way after an event."""
    found = [n for n, stage in sorted(block.stages[place].items()) if stage == ON_ITS_WAY and n != but]
    return _slices(found) if found else ""


# ---- a sentence a kind -----------------------------------------------------------------------------------------------


def _request(block: Block, place: int) -> str:
    event = block.events[place]
    where = place_of(block, event.slice)
    if event.turn < 0:
        said = f"Before the loop the threads ask for {_sized(block, event)} into {where}, and go on at once."
    else:
        what = _sized(block, event).removesuffix(",")
        said = f"The threads ask for {what}, to be copied into {where}, and go on at once.{_was_freed(block, place)}"
    also = _travelling(block, place, event.slice)
    return f"{said} {also.capitalize()} may still be on {'their' if ' and ' in also else 'its'} way." if also else said


def _load(block: Block, place: int) -> str:
    event = block.events[place]
    start = "Before the loop the threads load" if event.turn < 0 else "The threads load"
    said = f"{start} {_sized(block, event)} into {place_of(block, event.slice)}.{_was_freed(block, place)}"
    if block.stages[place][event.slice] == OWN_SHARE:
        return f"{said} None goes on before its own share is there; of the other threads' shares it knows nothing yet."
    if block.stages[place][event.slice] == ON_ITS_WAY:
        return f"{said} What else was asked for may still be on its way."
    return f"{said} No thread uses what it loads before it is there."


def _was_freed(block: Block, place: int) -> str:
    """That the buffer may be overwritten, and by what."""
    event, buffers = block.events[place], block.pipeline.buffers
    if not buffers or event.slice < buffers:
        return ""
    kinds = [phase.kind for phase in block.pipeline.phases]
    freed = next((one for one in block.events if one.kind == ("release" if "release" in kinds else "barrier")), None)
    return " That buffer is free" + (": the barrier before saw to it." if freed and block.meets(freed) else ".")


def _wait(block: Block, place: int) -> str:
    event = block.events[place]
    own = block.stages[place].get(event.slice) == OWN_SHARE
    whose = f"its own share of slice {event.slice} has landed" if own else f"slice {event.slice} has landed"
    rest = " Of the other threads' shares it knows nothing yet." if own else ""
    groups = next((i for i in block.instructions(event) if family(i) == "DEPBAR"), None)
    if groups is None:
        return f"Each thread waits until {whose}.{rest}"
    left = op.number(op.split(groups.operands)[-1])
    until = (
        f"at most {fmt_count(left, 'group')} of its copies {'is' if left == 1 else 'are'} under way"
        if left
        else "none of its copies is under way"
    )
    return f"Each thread waits until {until}: {whose}.{rest}"


def _barrier(block: Block, place: int) -> str:
    event = block.events[place]
    before, after = block.stages[place - 1] if place else {}, block.stages[place]
    said = f"{_who(block, event)} meet."
    if before.get(event.slice) == OWN_SHARE:
        how = "waited for" if any(one.kind == "wait" for one in block.events) else "put in"
        said += (
            f" Each has {how} its own share, so past this point all of slice {event.slice} is in "
            f"{place_of(block, event.slice)} and may be read."
        )
    gone = [number for number in sorted(before) if number not in after]
    if gone:
        said += f" Nobody reads {_slices(gone)} any more, so {place_of(block, gone[0])} may be filled anew."
    return said


def _who(block: Block, event: Event) -> str:
    """Who meets: a ``BAR`` that names a number of threads is not for all."""
    bars: list[Instruction] = [i for i in block.instructions(event) if family(i) == "BAR"]
    all_meet = bars and all(len(op.split(i.operands)) < 2 for i in bars)
    return f"All {block.threads} threads" if all_meet else "Threads"


def _multiply(block: Block, place: int) -> str:
    event, where = block.events[place], place_of(block, block.events[place].slice)
    head, _, type_ = (block.unit.title if block.unit else "").partition(", ")
    on = f" on the {head}{f', in {type_}' if type_ else ''}" if head else ""
    if any(family(i) in READS for i in block.instructions(event)):
        said = f"The warps read their cells of slice {event.slice} from {where} into registers and multiply them{on}."
    elif block.pipeline.buffers:
        said = f"The warps multiply their cells of slice {event.slice} straight from {where}{on}."
    else:
        said = f"The warps multiply what they hold of slice {event.slice} in registers{on and ','}{on}."
    also = _travelling(block, place, event.slice)
    return f"{said} {also.capitalize()} may travel meanwhile." if also else said


def _release(block: Block, place: int) -> str:
    event = block.events[place]
    where = place_of(block, event.slice)
    if not block.meets(event):
        return (
            f"{where.capitalize()} is given free: nobody reads slice {event.slice} any more, so it may be filled anew."
        )
    again = " again" if any(one.kind == "barrier" for one in block.events) else ""
    return f"The threads meet{again}. Nobody reads {where} any more, so it may be filled anew."
