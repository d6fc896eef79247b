"""Does the one module that touches CUDA do what it says on this card? Memory, graphs, times, errors."""

from __future__ import annotations

import numpy as np
import pytest

from recorder.card.device import Device, DeviceError, OutOfMemory
from recorder.measure.floors import ONE_WARP
from recorder.measure.session import Session
from recorder.measure.timing import graph_lane

MB = 1_000_000


def test_what_goes_up_comes_down(device: Device):
    data = np.arange(1000, dtype=np.float32)
    a, b = device.alloc(data.nbytes), device.alloc(data.nbytes)
    device.upload(a, data)
    device.copy(b, a, data.nbytes)
    device.fill(a, 0x3F80_0000, 500)
    assert np.array_equal(device.download(b, (1000,), np.float32), data)
    assert np.array_equal(device.download(a, (1000,), np.float32), np.where(data < 500, 1.0, data))


def test_all_memory_and_all_graphs_are_given_back(device: Device):
    before, _ = device.memory_bytes()
    for _ in range(3):
        address = device.alloc(1000 * MB)

        def fill(address: int = address) -> None:
            for i in range(1000):
                device.fill(address, i, 250)

        device.capture(fill, 1000).replay()
        assert device.memory_bytes()[0] <= before - 1000 * MB
        device.free_all()
    assert device.memory_bytes()[0] >= before - 100 * MB


def test_a_graph_replays_what_was_captured(device: Device):
    address = device.alloc(4)
    device.fill(address, 1, 1)
    graph = device.capture(lambda: device.fill(address, 7, 1), 1)
    assert device.download(address, (1,), np.uint32)[0] == 1  # capturing runs nothing
    graph.replay()
    assert device.download(address, (1,), np.uint32)[0] == 7


def test_an_empty_launch_takes_a_moment(device: Device):
    kernel = Session(device, None, quick=True).machine_kernel("empty.cu", "empty")
    lane = graph_lane(device, "empty", "empty", lambda copy: device.launch(kernel, ONE_WARP, []))
    device.time(lane.replay, 3)
    times_us = np.array(device.time(lane.replay, 20)) / lane.launches
    assert 0.1 < np.median(times_us) < 20
    assert device.kernels_of(lambda: device.launch(kernel, ONE_WARP, [])) == ["empty"]


def test_more_memory_than_there_is(device: Device):
    _, total = device.memory_bytes()
    with pytest.raises(OutOfMemory, match="no memory left for .* MB of device memory"):
        device.alloc(2 * total)
    assert device.alloc(MB)  # the context is whole


def test_a_gpu_that_is_not_there():
    with pytest.raises(DeviceError, match=r"there is no GPU 99. The GPUs there are: 0: .*Choose one with --gpu"):
        Device(99)
