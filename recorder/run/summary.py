"""What did a run find? The table of rungs: cold, warm, against the rung before and against the library."""

from __future__ import annotations

from schema.recording import Recording
from schema.results import Failed, NotMeasured, Timed

HEAD = ("", "cold µs", "warm µs", "before / this", "this / library")


def summary(times: Recording) -> list[tuple[str, ...]]:
    """Rows of (name, cold, warm, to the one before, to the library), the head first; times in microseconds.

    Only the head and the reason where the experiment failed whole.
    """
    results = times.results
    if isinstance(results, (Failed, NotMeasured)):
        return [HEAD, _without("times", results)]
    library = next((r for r in results.references.values() if not isinstance(r, (Failed, NotMeasured))), None)
    rows: list[tuple[str, ...]] = [HEAD]
    before: float | None = None
    for slug, rung in results.rungs.items():
        if isinstance(rung, (Failed, NotMeasured)):
            rows.append(_without(slug, rung))
            continue
        cold, warm = _median(rung.cold), _median(rung.warm)
        against = _median(library.cold) if library else None
        rows.append((slug, _us(cold), _us(warm), _ratio(before, cold), _ratio(cold, against)))
        before = cold
    for slug, reference in results.references.items():
        if isinstance(reference, (Failed, NotMeasured)):
            rows.append(_without(slug, reference))
        else:
            rows.append((slug, _us(_median(reference.cold)), _us(_median(reference.warm)), "", ""))
    for slug, floor in results.floors.items():
        rows.append((slug, _us(_median(floor.cold)), _us(_median(floor.warm)), "", ""))
    return rows


def _without(name: str, fault: Failed | NotMeasured) -> tuple[str, ...]:
    state, why = ("failed", fault.failed) if isinstance(fault, Failed) else ("not measured", fault.not_measured)
    return name, state, why, "", ""


def _median(value: object) -> float | None:
    return value.samples.median_us if isinstance(value, Timed) else None


def _us(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _ratio(a: float | None, b: float | None) -> str:
    return "" if a is None or b is None else f"{a / b:.2f}"
