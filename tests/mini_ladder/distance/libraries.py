"""A library that calls the first program of the fake device, and one that is not installed."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace

from recorder.card.device import Module
from recorder.libraries.call import Called
from recorder.measure.workload import LibraryMissing, Workload
from schema.launch import Launch


def pretend(work: Workload) -> Called:
    from tests.fake_device import Loaded

    if not hasattr(work.device, "view"):  # as the fake device has it
        raise LibraryMissing("the pretend library runs on the fake device alone")
    rung = work.ladder.rung("direct")
    module, launch = Module(Loaded("distance", "pretend"), 32, 0, 0), Launch((8, 1, 1), (256, 1, 1))
    built = SimpleNamespace(rung=rung, constants={}, module=module, launch=launch, zero=False)
    return Called("Pretend 1.0", work.launcher(built))


def absent(work: Workload) -> Called:
    try:
        import_module("a_library_that_is_not_there")
    except ImportError as error:
        raise LibraryMissing(str(error)) from None
    raise AssertionError
