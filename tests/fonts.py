"""Which fonts does a Chromium of the tests see? One of three sets, never those that a machine happens to have.

``RUNGBOOK_FONTS=liberation bash tests/run …`` picks another set than DejaVu's for all tests in Chromium.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SETS = {  # files of the set, and the package that has them
    "dejavu": ("DejaVu*.ttf", "fonts-dejavu-core"),  # wide letters, none like Arial's
    "liberation": ("Liberation*.ttf", "fonts-liberation"),  # Arial's widths
    "serif": ("DejaVuSerif.ttf", "fonts-dejavu-core"),  # one font, and none without serifs
}
FOLDERS = (
    Path("/usr/share/fonts"),
    Path("/usr/local/share/fonts"),
    Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "fonts",
)
CONFIGURATION = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<dir>{folder}</dir><cachedir>{folder}/cache</cachedir>
<include ignore_missing="yes">/etc/fonts/conf.d</include></fontconfig>
"""


def font_set(name: str, folder: Path) -> Path:
    """A fontconfig file in ``folder``, an empty one, that shows the fonts of one set.

    Where they are missing the test is skipped, and fails on a build server.
    """
    pattern, package = SETS[name]
    found = {path.name: path for one in FOLDERS for path in one.rglob(pattern)}
    if not found:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"the fonts {pattern} are not here; install {package}")
    for file, path in found.items():
        (folder / file).symlink_to(path)
    made = folder / "fonts.conf"
    made.write_text(CONFIGURATION.format(folder=folder), encoding="utf-8")
    return made


def chosen_set() -> str:
    """The set that the environment picks; DejaVu's by default."""
    name = os.environ.get("RUNGBOOK_FONTS", "dejavu")
    assert name in SETS, f"RUNGBOOK_FONTS={name}: there are {', '.join(SETS)}"
    return name
