"""What are the card's roofs? Copy, read, L2, shared memory, FP32 multiply-adds and MMA, measured by small kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from recorder.cublas import Cublas, cublas_square
from recorder.launch import Launch
from recorder.results import PeaksResults
from recorder.session import Session
from recorder.timing import graph_lane, warm_up

ESTIMATE_S, QUICK_S = 7, 7
BIG_BYTES = 2 << 30
THREADS = 512
SAMPLES = 30
L2_ROUNDS = 100


def run(session: Session) -> dict[str, tuple[Any, dict[str, Any]]]:
    """The ``peaks`` experiment of the machine: medians of single launches that take a millisecond or so."""
    peaks: dict[str, Any] = {}
    parts: dict[str, Callable[[Session], float]] = {
        "copy_GBps": _copy,
        "read_GBps": _read,
        "l2_read_GBps": _l2_read,
        "smem_GBps": lambda s: _rate(s, "peak_smem", 1000, 16 * 16) / 1e9,
        "fp32_tflops": lambda s: _rate(s, "peak_fma", 1000, 8 * 16 * 2) / 1e12,
        "hmma_fp16_tflops": lambda s: _rate(s, "peak_hmma", 500, 8 * 8 * 16 * 8 * 16 * 2 / 32) / 1e12,
        "library_fp16_tflops": _library,
    }
    for i, (name, part) in enumerate(parts.items()):
        session.progress(name, i / len(parts))
        peaks[name] = session.attempt(name, lambda p=part: round(p(session), 3))
        session.device.free_all()
    return {"peaks": (PeaksResults(**peaks), {"samples": SAMPLES, "statistic": "median", "streamed_bytes": BIG_BYTES})}


def _median_s(session: Session, enqueue: Callable[[int], None], launches: int = 1) -> float:
    lane = graph_lane(session.device, "peak", "peak", enqueue, launches=launches)
    with session.under_load():
        warm_up(session.device, [lane])
        return float(np.median(session.device.time(lane.replay, SAMPLES))) / 1e6 / launches


def _size(session: Session) -> int:
    free, _ = session.device.memory_bytes()
    return int(min(BIG_BYTES, free // 4) // 4096 * 4096)


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


def _copy(session: Session) -> float:
    """GB/s of a copy in device memory, bytes read plus bytes written."""
    size = _size(session)
    source, target = _random(session, size), session.device.alloc(size)
    kernel = session.machine_kernel("copy.cu", "copy")
    return _best(session, kernel, [np.uint64(source), np.uint64(target), np.uint64(size // 16)], 2 * size)


def _read(session: Session) -> float:
    """GB/s of a plain read of device memory."""
    size = _size(session)
    arguments = [np.uint64(_random(session, size)), np.uint64(session.device.alloc(16)), np.uint64(size // 16)]
    return _best(session, session.machine_kernel("read.cu", "read"), arguments, size)


def _l2_read(session: Session) -> float:
    """GB/s of rereading a quarter of the L2 within one launch."""
    size = session.device.attribute("L2_CACHE_SIZE") // 4 // 4096 * 4096
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
    Cublas().version()
    enqueue, flops = cublas_square(session.device, 8192)
    enqueue(0)
    return flops / _median_s(session, enqueue) / 1e12
