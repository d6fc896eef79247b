"""What do generated tests share? One copy of the mini site a file, and how many examples are tried.

The same examples every time, so that a run says the same on any machine. Before a release, or after a change of what is
read, look further:  HYPOTHESIS_PROFILE=search python -m pytest tests/generated
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.generated.held import Site

CALM = {"deadline": None, "database": None, "suppress_health_check": list(HealthCheck), "print_blob": False}
settings.register_profile("same", derandomize=True, **CALM)
settings.register_profile("search", max_examples=5000, **CALM)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    made = Site(tmp_path_factory.mktemp("generated"))
    yield made
    made.restore()
