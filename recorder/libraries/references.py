"""What do others take for the same problem? Library calls, checked as the rungs are and timed beside them."""

from __future__ import annotations

from typing import Any

from recorder.libraries.known import library_of
from recorder.measure.lanes import Bench
from recorder.measure.workload import WrongResult
from schema.ladder import LibraryCall, sizes_of
from schema.results import Check


def prepare_reference(bench: Bench, call: LibraryCall, part: str = "") -> dict[str, Any]:
    """Lanes of a library call, named by its slug, and what a recording says of it beside its times.

    Raises LibraryMissing where it cannot be called, and WrongResult where the result of a train is off by more than the
    ladder's tolerance and the rounding of the type it returns; that is asked again after timing.
    """
    library = library_of(call)
    version = library.version()
    work = bench.work(call.dtype, call.returns)
    prepared = library.prepare(bench.session.device, call, work)
    tolerance = work.ladder.tolerance(work.problem) + call.tolerance

    def require_right(condition: str) -> float:
        error = prepared.errors[condition]()
        if not error <= tolerance:
            raise WrongResult(f"{call.title} is off by {error:.3g}, more than {tolerance:.3g}")
        return error

    error = max(require_right(condition) for condition in prepared.errors)
    bench.add_replays(call.slug, prepared.replays, work.rotation, part)
    for condition in prepared.errors:
        bench.lanes[call.slug, condition].right = lambda condition=condition: require_right(condition)
    return {
        "title": call.title,
        "accumulates": "fp32",
        "returns": call.returns,
        "version": version,
        "kernels": [name[:400] for name in prepared.kernels],
        "check": Check(worst_error=error / tolerance, tolerance=1.0, cases=[sizes_of(bench.problem)]),
    }
