"""How long does each rung take, cold and warm, beside the library and the floors? The main table of a ladder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from recorder import libraries
from recorder.conditions import Sampler
from recorder.device import ContextLost, DeviceError, OutOfMemory
from recorder.ladder import LibraryCall, Rung
from recorder.launch import Launch
from recorder.results import Check, Failed, NotMeasured, Reference, RungTimes, TimePair, TimesResults
from recorder.session import Session, not_measured, sentence
from recorder.timing import LAUNCHES, SAMPLES, VISIT, WARM_UP_MS, Lane, graph_lane, interleave, plain_lane
from recorder.workload import Workload, fitting_workload

ESTIMATE_S = 200
CHECK_SEEDS = (11, 23, 47)
PLAIN_SAMPLES = 30
CONDITIONS = ("cold", "warm")


class Bench:
    """The workloads and lanes of one run: a workload for each input type and output type, made on first use."""

    def __init__(self, session: Session, samples: int) -> None:
        self.session, self.samples = session, samples
        self.works: dict[tuple[str, str], Workload] = {}
        self.lanes: dict[str, Lane] = {}

    def work(self, dtype: str, returns: str = "fp32") -> Workload:
        if (dtype, returns) not in self.works:
            ladder = self.session.the_ladder
            self.works[dtype, returns] = fitting_workload(
                self.session.device, ladder, ladder.problem, dtype, CHECK_SEEDS[0], LAUNCHES, returns
            )
        return self.works[dtype, returns]

    def add(self, slug: str, enqueue: Callable[[int], None]) -> None:
        """A cold and a warm lane of one thing."""
        for condition in CONDITIONS:
            name = f"{slug} {condition}"
            self.lanes[name] = graph_lane(self.session.device, name, enqueue, condition == "cold")

    def run(self, share: tuple[float, float] = (0.0, 1.0)) -> None:
        def progress(what: str, done: float) -> None:
            self.session.doing(what.rsplit(" ", 1)[0].split("'")[0])
            self.session.progress(what, share[0] + done * (share[1] - share[0]))

        interleave(self.session.device, list(self.lanes.values()), self.samples, VISIT, progress)

    def pair(self, slug: str) -> dict[str, Any]:
        return {condition: self.lanes[f"{slug} {condition}"].timed() for condition in CONDITIONS}


def method(bench: Bench, **more: Any) -> dict[str, Any]:
    """What a reader must know to measure the same."""
    return {
        "clock": "CUDA events around the replay of one graph",
        "launches_per_sample": LAUNCHES,
        "samples": bench.samples,
        "samples_per_visit": VISIT,
        "warm_up_ms": WARM_UP_MS,
        **{f"cold_copies_{dtype}": work.copies for (dtype, _), work in bench.works.items()},
        **{f"cold_bytes_{dtype}": work.copies * work.streamed_bytes for (dtype, _), work in bench.works.items()},
        "inputs": "random, uniform in [-1, 1)",
        **more,
    }


def check_rung(
    session: Session, rung: Rung, work: Workload, enqueue: Callable[[int], None], seeds: tuple[int, ...]
) -> Check:
    """Agreement with float64 on fresh inputs over a poisoned output, at the ladder's size and at odd ones it accepts."""
    ladder = session.the_ladder
    worst, cases = 0.0, []
    for seed in seeds:
        work.renew(seed)
        worst = max(worst, work.error(enqueue, copy=seed % work.copies) / ladder.tolerance(ladder.problem))
        cases.append(f"{_sizes(ladder.problem)}, seed {seed}")
    for problem in ladder.check_problems:
        if rung.accepts(problem, ladder.constants(rung)):
            small = Workload(session.device, ladder, problem, rung.dtype, 1, seeds[0])
            built = session.build(rung, problem)
            error = small.error(small.launcher(built.module, built.launch, built.zero))
            worst = max(worst, error / ladder.tolerance(problem))
            cases.append(f"{_sizes(problem)}, seed {seeds[0]}")
            small.free()
    if not worst <= 1.0:
        raise DeviceError(
            f"{rung.slug} is wrong: its worst error is {worst:.3g} times the tolerance ({ladder.tolerance_reason})"
        )
    return Check(worst_error=worst, tolerance=1.0, cases=cases)


def _sizes(problem: Any) -> str:
    return " x ".join(str(v) for v in problem.values())


def run(session: Session) -> dict[str, tuple[Any, dict[str, Any]]]:
    """The ``times`` and ``conditions`` experiments of the session's ladder."""
    ladder, device = session.the_ladder, session.device
    bench = Bench(session, session.samples(SAMPLES))
    enqueues: dict[str, Callable[[int], None]] = {}
    checks: dict[str, Any] = {}
    faults: dict[str, Failed | NotMeasured] = {}

    def prepare_rung(rung: Rung) -> Check:
        work = bench.work(rung.dtype)
        built = session.build(rung, ladder.problem)
        enqueue = work.launcher(built.module, built.launch, built.zero)
        check = check_rung(session, rung, work, enqueue, CHECK_SEEDS[:2])
        bench.add(rung.slug, enqueue)
        enqueues[rung.slug] = enqueue
        return check

    for i, rung in enumerate(ladder.rungs):
        session.progress(f"{rung.slug}: check", 0.02 * i / len(ladder.rungs))
        try:
            outcome = session.attempt(rung.slug, lambda r=rung: prepare_rung(r))
        except OutOfMemory as error:
            outcome = not_measured(sentence(error))
        (checks if isinstance(outcome, Check) else faults)[rung.slug] = outcome

    references = prepare_references(session, bench, faults)
    floors = prepare_floors(session, bench, sorted({r.dtype for r in ladder.rungs if r.slug in checks}))
    twins = [slug for slug in (list(checks)[-1:] + [s for s in references if f"{s} cold" in bench.lanes][:1]) if slug]
    for slug in twins:
        for condition in CONDITIONS:
            first = bench.lanes[f"{slug} {condition}"]
            bench.lanes[f"{slug}' {condition}"] = Lane(f"{slug}' {condition}", first.replay, first.launches)

    with Sampler(device) as sampler:
        bench.run((0.03, 0.95))

    plain: dict[str, dict[str, Any]] = {}
    for slug in checks:
        session.progress(f"{slug}: plain launches", 0.95)
        session.doing(slug)
        lanes = {c: plain_lane(f"{slug} {c}", enqueues[slug], c == "cold") for c in CONDITIONS}
        interleave(device, list(lanes.values()), session.samples(PLAIN_SAMPLES), VISIT)
        plain[slug] = {c: lane.timed() for c, lane in lanes.items()}

    rungs: dict[str, Any] = {}
    for rung in ladder.rungs:
        if rung.slug in faults:
            rungs[rung.slug] = faults[rung.slug]
            continue
        session.progress(f"{rung.slug}: check again", 0.98)
        after = session.attempt(
            rung.slug, lambda r=rung: check_rung(session, r, bench.work(r.dtype), enqueues[r.slug], CHECK_SEEDS[2:])
        )
        if isinstance(after, Failed):
            rungs[rung.slug] = Failed(failed=f"after timing: {after.failed}"[:400])
            continue
        before = checks[rung.slug]
        check = Check(
            worst_error=max(before.worst_error, after.worst_error), tolerance=1.0, cases=before.cases + after.cases
        )
        p = plain[rung.slug]
        rungs[rung.slug] = RungTimes(**bench.pair(rung.slug), check=check, plain_cold=p["cold"], plain_warm=p["warm"])

    results = TimesResults(
        problem=ladder.problem,
        flops=ladder.flops(ladder.problem),
        least_bytes={d: ladder.least_bytes(ladder.problem, d) for d in dict.fromkeys(r.dtype for r in ladder.rungs)},
        rungs=rungs,
        references={
            call.slug: faults[call.slug] if call.slug in faults
            else Reference(**bench.pair(call.slug), **references[call.slug])
            for call in ladder.references
        },
        floors={slug: TimePair(**bench.pair(slug)) for slug in floors},
        twins={slug: TimePair(**bench.pair(f"{slug}'")) for slug in twins},
    )  # fmt: skip
    how = method(bench, tolerance=ladder.tolerance_reason)
    return {
        "times": (results, how),
        "conditions": (sampler.results(), {"every_seconds": sampler.every_s, "during": "times"}),
    }


def prepare_references(session: Session, bench: Bench, faults: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Lanes for the library calls; what cannot be called is ``not_measured`` with its reason."""
    found: dict[str, dict[str, Any]] = {}
    for call in session.the_ladder.references:
        session.progress(f"{call.slug}: prepare", 0.02)
        session.doing(call.slug)
        if call.slug in session.skip:
            faults[call.slug] = Failed(failed=session.skip[call.slug])
            continue
        try:
            found[call.slug] = _prepare_reference(session, bench, call)
        except libraries.LibraryMissing as error:
            faults[call.slug] = not_measured(sentence(error))
        except ContextLost:
            raise
        except Exception as error:  # a library may raise anything of its own
            faults[call.slug] = Failed(failed=sentence(error))
    return found


def _prepare_reference(session: Session, bench: Bench, call: LibraryCall) -> dict[str, Any]:
    device, ladder = session.device, session.the_ladder
    version = libraries.library_version(call.library)
    work = bench.work(call.dtype, call.returns)
    tolerance = ladder.tolerance(ladder.problem) + call.tolerance
    if call.library == "cublas":
        enqueue = libraries.cublas_call(device, call, work)
        enqueue(0)  # cuBLAS loads its kernels at the first call
        device.sync()
        error = max(work.error(enqueue), work.error(enqueue, copy=1))
        kernels = device.kernels_of(lambda: enqueue(0))
        bench.add(call.slug, enqueue)
    else:
        error, kernels = 0.0, libraries.torch_kernels(device, work)
        for condition in CONDITIONS:
            replay, result = libraries.torch_linear_train(device, work, LAUNCHES, condition == "cold")
            error = max(error, float(np.max(np.abs(result.astype(np.float64) - work.expected) / work.scale)))
            bench.lanes[f"{call.slug} {condition}"] = Lane(f"{call.slug} {condition}", replay, LAUNCHES)
    if not error <= tolerance:
        raise RuntimeError(f"{call.title} is off by {error:.3g}, more than {tolerance:.3g}")
    check = Check(worst_error=error / tolerance, tolerance=1.0, cases=[_sizes(ladder.problem)])
    return {
        "title": call.title, "accumulates": "fp32", "returns": call.returns, "version": version,
        "kernels": [k[:400] for k in kernels], "check": check,
    }  # fmt: skip


def prepare_floors(session: Session, bench: Bench, dtypes: list[str]) -> list[str]:
    """An empty launch, and a plain read of the streamed operand for each input type."""
    device = session.device
    session.doing("floors")
    empty = session.machine_kernel("empty.cu", "empty")
    one_warp = Launch((1, 1, 1), (32, 1, 1))
    bench.add("empty", lambda copy: device.launch(empty, one_warp, []))
    read = session.machine_kernel("read.cu", "read")
    out = device.alloc(16)
    floors = ["empty"]
    for dtype in dtypes:
        work = bench.work(dtype)
        launch = best_read(session, read, work, out)
        arguments = [[np.uint64(a), np.uint64(out), np.uint64(work.streamed_bytes // 16)] for a in work.streamed]
        bench.add(f"read_{dtype}", lambda copy, a=arguments, g=launch: device.launch(read, g, a[copy % len(a)]))
        floors.append(f"read_{dtype}")
    return floors


def best_read(session: Session, read: Any, work: Workload, out: int) -> Launch:
    """The grid that reads fastest, warm: a floor has to be the lowest one found, so a few grids are tried."""
    device = session.device
    sms = device.attribute("MULTIPROCESSOR_COUNT")
    found = []
    for blocks in sorted({sms, 2 * sms, 3 * sms, 4 * sms, 8 * sms, 256, 512, 1024, 2048}):
        launch = Launch((blocks, 1, 1), (512, 1, 1))
        arguments = [np.uint64(work.streamed[0]), np.uint64(out), np.uint64(work.streamed_bytes // 16)]
        lane = graph_lane(device, "read", lambda copy, g=launch, a=arguments: device.launch(read, g, a), False, 20)
        device.time(lane.replay, 2)
        found.append((float(np.median(device.time(lane.replay, 10))), blocks))
    return Launch((min(found)[1], 1, 1), (512, 1, 1))
