"""What do tests on a card share? The device, which one process opens once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from recorder.card.device import Device


@pytest.fixture(scope="session")
def opened() -> Device:
    return Device(0)


@pytest.fixture
def device(opened: Device) -> Iterator[Device]:
    """The first visible GPU, empty again after each test."""
    yield opened
    opened.free_all()
