"""What do others take for the same problem? Library calls, checked as the rungs are and timed beside them."""

from __future__ import annotations

from typing import Any

from recorder.bench import Bench
from recorder.ladder import LibraryCall
from recorder.libraries import library_of
from recorder.results import Check
from recorder.session import WrongResult


def prepare_reference(bench: Bench, call: LibraryCall, part: str = "") -> dict[str, Any]:
    """Lanes of a library call, named by its slug, and what a recording says of it beside its times.

    Raises LibraryMissing where it cannot be called, and WrongResult where its result is off by more than the ladder's
    tolerance and the rounding of the type it returns.
    """
    library = library_of(call)
    version = library.version()
    work = bench.work(call.dtype, call.returns)
    prepared = library.prepare(bench.session.device, call, work)
    tolerance = work.ladder.tolerance(work.problem) + call.tolerance
    if not prepared.error <= tolerance:
        raise WrongResult(f"{call.title} is off by {prepared.error:.3g}, more than {tolerance:.3g}")
    bench.add_replays(call.slug, prepared.replays, work.rotation, part)
    sizes = " x ".join(str(size) for size in bench.problem.values())
    return {
        "title": call.title,
        "accumulates": "fp32",
        "returns": call.returns,
        "version": version,
        "kernels": [name[:400] for name in prepared.kernels],
        "check": Check(worst_error=prepared.error / tolerance, tolerance=1.0, cases=[sizes]),
    }
