"""What do all tests share? Folders of fixture cards, and the rule that tests on a card run only when asked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import fixture_cards

ROOT = Path(__file__).resolve().parent.parent
LONG = ("browser", "what_if", "test_kernels", "chapter_is_shown")  # in the names of files that take longest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--gpu", action="store_true", help="run tests/gpu as well: it needs a card and a driver")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "fonts: its outcome may depend on a page's fonts; run with two sets of them")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whole files go to the processes in turn: those that take long go first, so that none comes last alone."""
    items.sort(key=lambda item: not any(name in item.path.name for name in LONG))  # stable: else by name


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    on_a_card = collection_path == ROOT / "tests" / "gpu"
    return True if on_a_card and not config.getoption("--gpu") else None


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture(scope="session")
def whole_cards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ``recordings`` folder with one card that has every experiment. Read it only."""
    folder = tmp_path_factory.mktemp("whole") / "recordings"
    fixture_cards.whole_card(folder)
    return folder


@pytest.fixture(scope="session")
def articles_site(tmp_path_factory: pytest.TempPathFactory, whole_cards: Path) -> Path:
    """The repository's own site, built. Read it only."""
    from tests.browsing import write_articles  # a machine with a card need not have what publishing needs

    return write_articles(tmp_path_factory.mktemp("articles") / "dist", whole_cards)


@pytest.fixture(scope="session")
def articles_address(articles_site: Path) -> Iterator[str]:
    """Where a local server has it."""
    from tests.browsing import served

    with served(articles_site) as url:
        yield url


@pytest.fixture(scope="session")
def mixed_cards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ``recordings`` folder with five cards: whole, slower, half, with a failed rung, compiled only. Read it only."""
    folder = tmp_path_factory.mktemp("mixed") / "recordings"
    fixture_cards.whole_card(folder)
    fixture_cards.slower_card(folder)
    fixture_cards.half_card(folder)
    fixture_cards.failed_rung_card(folder)
    fixture_cards.compile_only_card(folder)
    return folder
