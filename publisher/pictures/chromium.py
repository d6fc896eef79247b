"""Where is a Chromium? For stills and for tests; a build needs none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**launch_options())
        try:
            yield browser
        finally:
            browser.close()


def launch_options(fonts: Path | None = None) -> dict[str, Any]:
    """How Playwright launches one: the file that ``CHROMIUM`` names, else one on the path, else Playwright's own.

    ``fonts`` is a fontconfig file that says which fonts it sees, otherwise those of the machine.
    """
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    inside_root = hasattr(os, "geteuid") and os.geteuid() == 0
    options: dict[str, Any] = {"executable_path": path, "args": ["--no-sandbox"] if inside_root else []}
    if fonts:
        options["env"] = {**os.environ, "FONTCONFIG_FILE": str(fonts)}
    return options
