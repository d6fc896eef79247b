"""What are the card's roofs? Copy, read, L2, shared memory, FP32 multiply-adds and MMA, measured by small kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from recorder.card.device import OutOfMemory
from recorder.libraries.cublas import cublas_square, version
from recorder.measure.rotation import COLD_L2_MULTIPLE
from recorder.measure.session import Session
from recorder.measure.timing import graph_lane, warm_up
from recorder.measure.workload import WrongResult
from schema.launch import Launch
from schema.results import PeaksResults

ESTIMATE_S, QUICK_S = 7, 7
BIG_BYTES = 2 << 30
THREADS = 512
SAMPLES = 30
L2_ROUNDS = 100
CHECKED_BYTES = 1 << 28  # of a copy, at a time
LIBRARY_TOLERANCE = 2.0**-8  # of a sum of 8192 products: the rounding of FP16, and of the sum in FP32


def run(session: Session) -> dict[str, tuple[Any, dict[str, Any]]]:
    """The ``peaks`` experiment of the machine: medians of single launches that take a millisecond or so.

    The copy and the library's product are checked after timing. The other kernels have no result that could be checked:
    they keep what they computed to themselves, but for a sum that never comes out.
    """
    peaks: dict[str, Any] = {}
    method: dict[str, Any] = {"samples": SAMPLES, "statistic": "median"}
    parts: dict[str, Callable[[], float]] = {
        "copy_GBps": lambda: _copy(session, method),
        "read_GBps": lambda: _read(session, method),
        "l2_read_GBps": lambda: _l2_read(session, method),
        "smem_GBps": lambda: _rate(session, "peak_smem", 1000, 16 * 16) / 1e9,
        "fp32_tflops": lambda: _rate(session, "peak_fma", 1000, 8 * 16 * 2) / 1e12,
        "hmma_fp16_tflops": lambda: _rate(session, "peak_hmma", 500, 8 * 8 * 16 * 8 * 16 * 2 / 32) / 1e12,
        "hmma_bf16_tflops": lambda: _rate(session, "peak_hmma_bf16", 500, 8 * 8 * 16 * 8 * 16 * 2 / 32) / 1e12,
        "library_fp16_tflops": lambda: _library(session),
    }
    for i, (name, part) in enumerate(parts.items()):
        session.progress(name, i / len(parts))
        peaks[name] = session.attempt(name, lambda p=part: round(p(), 3))
        session.device.free_all()
    return {"peaks": (PeaksResults(**peaks), method)}


def _median_s(session: Session, enqueue: Callable[[int], None], launches: int = 1) -> float:
    lane = graph_lane(session.device, "peak", "peak", enqueue, launches=launches)
    with session.under_load():
        warm_up(session.device, [lane])
        return float(np.median(session.device.time(lane.replay, SAMPLES))) / 1e6 / launches


def _size(session: Session) -> int:
    """Bytes of an operand that the caches cannot hold; OutOfMemory where the card has no room for one."""
    free, _ = session.device.memory_bytes()
    size, least = min(BIG_BYTES, free // 4) // 4096 * 4096, COLD_L2_MULTIPLE * session.device.attribute("L2_CACHE_SIZE")
    if size < least:
        raise OutOfMemory(
            f"an operand that the caches do not hold needs {least / 1e6:.0f} MB; the card has room for {size / 1e6:.0f}"
        )
    return size


def _random(session: Session, size: int) -> int:
    """Address of ``size`` bytes of random data."""
    data = session.device.alloc(size)
    words = np.random.default_rng(1).integers(0, 2**32, min(size, 1 << 26) // 4, dtype=np.uint32)
    for at in range(0, size, words.nbytes):
        session.device.upload(data + at, words[: (size - at) // 4])
    return data


def _best(session: Session, kernel: Any, arguments: list[Any], moved: float) -> float:
    """GB/s of the fastest of a few grids, when one launch moves ``moved`` bytes."""
    device = session.device
    sms = device.attribute("MULTIPROCESSOR_COUNT")
    found = []
    for blocks in (2 * sms, 4 * sms, 16 * sms):
        launch = Launch((blocks, 1, 1), (THREADS, 1, 1))
        found.append(_median_s(session, lambda _, g=launch: device.launch(kernel, g, arguments)))
    return moved / min(found) / 1e9


def _copy(session: Session, method: dict[str, Any]) -> float:
    """GB/s of a copy in device memory, bytes read plus bytes written."""
    device, size = session.device, _size(session)
    method["copied_bytes"] = size
    source, target = _random(session, size), device.alloc(size)
    kernel = session.machine_kernel("copy.cu", "copy")
    arguments = [np.uint64(source), np.uint64(target), np.uint64(size // 16)]
    found = _best(session, kernel, arguments, 2 * size)
    device.fill(target, 0, size // 4)
    device.launch(kernel, Launch((4 * device.attribute("MULTIPROCESSOR_COUNT"), 1, 1), (THREADS, 1, 1)), arguments)
    for at in range(0, size, CHECKED_BYTES):
        part = (min(CHECKED_BYTES, size - at) // 4,)
        if not np.array_equal(*(device.download(place + at, part, np.uint32) for place in (source, target))):
            raise WrongResult(f"after timing: the copy is wrong within {CHECKED_BYTES:,} bytes from byte {at:,} on")
    return found


def _read(session: Session, method: dict[str, Any]) -> float:
    """GB/s of a plain read of device memory."""
    size = _size(session)
    method["read_bytes"] = size
    arguments = [np.uint64(_random(session, size)), np.uint64(session.device.alloc(16)), np.uint64(size // 16)]
    return _best(session, session.machine_kernel("read.cu", "read"), arguments, size)


def _l2_read(session: Session, method: dict[str, Any]) -> float:
    """GB/s of rereading a quarter of the L2 within one launch."""
    size = session.device.attribute("L2_CACHE_SIZE") // 4 // 4096 * 4096
    method["l2_reread_bytes"] = size
    data, out = _random(session, size), session.device.alloc(16)
    arguments = [np.uint64(data), np.uint64(out), np.uint64(size // 16), np.int32(L2_ROUNDS)]
    return _best(session, session.machine_kernel("peak_l2.cu", "peak_l2"), arguments, L2_ROUNDS * size)


def _rate(session: Session, name: str, rounds: int, per_thread_round: float) -> float:
    """Operations (or bytes) a second of a kernel whose threads do ``per_thread_round`` of them a round."""
    device = session.device
    kernel, out = session.machine_kernel(f"{name}.cu", name), device.alloc(16)
    launch = Launch((device.attribute("MULTIPROCESSOR_COUNT") * 4, 1, 1), (THREADS, 1, 1))
    arguments = [np.uint64(out), np.int32(rounds)]
    seconds = _median_s(session, lambda _: device.launch(kernel, launch, arguments))
    return launch.blocks * launch.threads * rounds * per_thread_round / seconds


def _library(session: Session) -> float:
    """TFLOP/s of a square FP16 product of side 8192 by cuBLAS, on random data."""
    version()
    enqueue, flops, error = cublas_square(session.device, 8192)
    enqueue(0)
    found = flops / _median_s(session, enqueue) / 1e12
    if not (worst := error()) <= LIBRARY_TOLERANCE:
        raise WrongResult(f"after timing: the library's product is off by {worst:.3g}, more than {LIBRARY_TOLERANCE:g}")
    return found
