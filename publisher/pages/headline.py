"""What is a ladder's result on a card, in one line? The fastest rung cold, the library beside it, all rungs small."""

from __future__ import annotations

from publisher.facts.units import TIME, formatted
from publisher.facts.values import CODE, TIMES, largest_twin_difference
from publisher.pages.render import CardLink, CardSummary
from publisher.pages.sparkline import Rung
from schema.recording import CardRecordings
from schema.results import Timed
from schema.statistics import resolution_us


def headline(recordings: CardRecordings, subject: str, library: str | None, link: CardLink) -> CardSummary:
    """A summary for the index; texts are None where this card has no such time."""
    times, code = recordings.get(subject, TIMES), recordings.get(subject, CODE)
    if times is None:
        return CardSummary(link, "", None, None, None)
    titles = {slug: rung.title for slug, rung in code.results.rungs.items()} if code else {}
    rungs = tuple(
        Rung(slug, titles.get(slug, slug), _us(entry, "cold"), _us(entry, "warm"))
        for slug, entry in times.results.rungs.items()
    )
    timed = [rung for rung in rungs if rung.cold_us]
    best = min(timed, key=lambda rung: rung.cold_us or 0.0) if timed else None
    reference = library or next((slug for slug, entry in times.results.references.items() if _us(entry, "cold")), None)
    entry = times.results.references.get(reference) if reference else None
    resolution = 0.0
    if best:
        samples = times.results.rungs[best.slug].cold.samples
        resolution = resolution_us(samples, samples, largest_twin_difference(times, "cold"))
    library_us = _us(entry, "cold") if entry else None
    return CardSummary(
        card=link,
        best=best.name if best else "",
        best_cold=formatted(best.cold_us, TIME) if best and best.cold_us else None,
        library=getattr(entry, "title", None),
        library_cold=formatted(library_us, TIME) if library_us else None,
        rungs=rungs,
        resolution_us=resolution,
    )


def _us(entry: object, condition: str) -> float | None:
    timed = getattr(entry, condition, None)
    return timed.samples.median_us if isinstance(timed, Timed) else None
