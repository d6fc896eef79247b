"""What may an option of a figure name? A rung, a size, an axis, a set: what some card has, or a kernel's file."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from publisher.faults import instead
from publisher.figures.kit.figure import Evidence
from publisher.source.snippets import slug_of
from schema.recording import MACHINE

TIMES, PLACEMENT = "times", "placement"


@dataclass(frozen=True)
class Names:
    """What an option names, asked of all cards: a name that no card has is a mistake, one that this card lacks is not.

    ``known`` gives the names; where there are none, nothing is known and nothing is refused. ``many`` takes several
    names, between blanks or commas.
    """

    known: Callable[[Evidence], Iterable[str]]
    many: bool = False


def _results(evidence: Evidence, experiment: str, subject: str = "") -> Iterator[Any]:
    for card in evidence.cards.values():
        recording = card.get(subject or evidence.subject, experiment)
        if recording is not None:
            yield recording.results


def _rungs(evidence: Evidence) -> list[str]:
    return [slug for file in sorted(evidence.sources) if (slug := slug_of(file)) and "." not in slug]


def _timed(evidence: Evidence) -> list[str]:
    return [*_rungs(evidence), *(slug for found in _results(evidence, TIMES) for slug in found.references)]


def _launches(evidence: Evidence) -> list[str]:
    tables = [getattr(rung, "launches", ()) for found in _results(evidence, PLACEMENT) for rung in found.rungs.values()]
    return [str(number + 1) for number in range(max(map(len, tables), default=0))]


RungName = Annotated[str, Names(_rungs)]
RungNames = Annotated[str, Names(_rungs, many=True)]
TimedNames = Annotated[str, Names(_timed, many=True)]  # rungs and library calls
LaunchNumber = Annotated[str, Names(_launches)]  # from 1
SizeName = Annotated[str, Names(lambda e: [name for found in _results(e, TIMES) for name in found.problem])]
AxisName = Annotated[str, Names(lambda e: [name for found in _results(e, "sweep") for name in found.axes])]
ShapeName = Annotated[str, Names(lambda e: [n for found in _results(e, "fragment", MACHINE) for n in found.shapes])]
PublishedName = Annotated[str, Names(lambda e: e.published)]


def wrong_value(draw: Callable[..., object], options: dict[str, str], evidence: Evidence) -> str:
    """What is wrong with the values of a figure's options, those of the author and those by default; "" if nothing is.

    The annotations of ``draw`` say what each may be: a ``Literal``, or a text with ``Names``; any text without.
    """
    hints = get_type_hints(draw, include_extras=True)
    for option, parameter in list(inspect.signature(draw).parameters.items())[1:]:
        value = options.get(option, parameter.default)
        if not isinstance(value, str) or not value:
            continue
        names, known = _allowed(hints.get(option), evidence)
        words = value.replace(",", " ").split() if names and names.many else [value]
        for word in words:
            if known and word not in known:
                if option in options:
                    return f":{option}: {word} names nothing; {instead(word, known)}"
                return f"it needs the option :{option}: value; {instead('', known)}"
    return ""


def _allowed(hint: Any, evidence: Evidence) -> tuple[Names | None, list[str]]:
    if get_origin(hint) is Literal:
        return None, [str(value) for value in get_args(hint)]
    names = next((extra for extra in getattr(hint, "__metadata__", ()) if isinstance(extra, Names)), None)
    return names, list(names.known(evidence)) if names else []
