"""What became of a job? Whether it is recorded, which of its parts failed, and what its reader must be warned of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from recorder.experiments import Job
from sass.listing import parse_sass
from schema.ideas import code_faults
from schema.ladder import Ladder
from schema.recording import Conditions, Recording
from schema.results import Code, CodeResults, ConditionsResults


@dataclass
class Outcome:
    """``state`` is ``recorded``, ``failed`` or ``skipped`` (recorded before). ``faults`` are parts that failed."""

    job: Job
    state: str
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)


def faults_of(recording: Recording) -> list[str]:
    """Every ``failed: why`` of a recording, with the path of its key."""
    return list(_failed(recording.results.model_dump(), ""))


def _failed(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        if set(value) == {"failed"}:
            yield f"{path}: {value['failed']}" if path else value["failed"]
            return
        for key, part in value.items():
            yield from _failed(part, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for i, part in enumerate(value):
            yield from _failed(part, f"{path}.{i}")


def flags_of(recording: Recording) -> list[str]:
    """What the card's state says against its times; they are kept, and pages say so."""
    found = []
    for state in (recording.header.conditions, recording.results):
        if not isinstance(state, (Conditions, ConditionsResults)):
            continue
        if state.throttle_reasons:
            found.append(f"the clocks were slowed: {', '.join(state.throttle_reasons)}")
        if isinstance(state.other_processes, int) and state.other_processes:
            found.append(f"{state.other_processes} more processes computed on the card")
    return list(dict.fromkeys(found))


def idea_flags(recording: Recording, ladder: Ladder | None) -> list[str]:
    """Where recorded machine code is not what the ladder declares of it; the code is kept, and pages show it."""
    if ladder is None or not isinstance(recording.results, CodeResults):
        return []
    made = {slug: rung.code for slug, rung in recording.results.rungs.items()} | recording.results.variants
    code = {name: parse_sass(one.sass) for name, one in made.items() if isinstance(one, Code)}
    flags = []
    for rung in ladder.rungs:
        if rung.slug not in code:
            continue
        flags += code_faults(rung, None, code[rung.slug])
        for variant in rung.variants:
            if of_variant := code.get(f"{rung.slug}.{variant.slug}"):
                flags += code_faults(rung, variant, code[rung.slug], of_variant)
    return flags
