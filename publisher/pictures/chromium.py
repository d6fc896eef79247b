"""Where is a Chromium? For stills and for tests; a build needs none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@contextmanager
def chromium(fonts: Path | None = None) -> Iterator[Browser]:
    """A headless Chromium: the file that ``CHROMIUM`` names, else one on the path, else Playwright's own.

    ``fonts`` is a fontconfig file that says which fonts it sees, otherwise those of the machine.
    """
    from playwright.sync_api import sync_playwright

    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    inside_root = hasattr(os, "geteuid") and os.geteuid() == 0
    arguments = ["--no-sandbox"] if inside_root else []
    seen: dict[str, str | float | bool] | None = {**os.environ, "FONTCONFIG_FILE": str(fonts)} if fonts else None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=arguments, env=seen)
        try:
            yield browser
        finally:
            browser.close()
