"""Can every colour of the site be told from what it stands on? Contrast as WCAG 2.2 computes it, light and dark."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

STYLES = Path(__file__).parents[1] / "site" / "styles"
PAIR = re.compile(r"(--[\w-]+|\.tok-\w \{ color):\s*light-dark\((#[0-9a-f]{6}),\s*(#[0-9a-f]{6})\)")
SERIES = [f"--fig-s{place}" for place in range(1, 9)]
KINDS = ["--fig-accent", "--fig-cold", "--fig-warm", "--fig-load", "--fig-math", "--fig-store", "--fig-barrier"]
GROUNDS = ["--paper", "--surface", "--raised"]


def tokens(theme: int) -> dict[str, str]:
    """Every colour that is declared for both themes; 0 is light, 1 dark."""
    found = {}
    for name in ("tokens.css", "code.css", "prose.css"):
        for match in PAIR.finditer((STYLES / name).read_text(encoding="utf-8")):
            found[match[1]] = match[2 + theme]
    return found | {"--fig-paper": found["--raised"]}


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def faint(theme: int, colours: list[str], grounds: list[str], least: float) -> list[str]:
    found = tokens(theme)
    ratios = {(a, b): contrast(found[a], found[b]) for a in colours for b in grounds}
    return [f"{a} on {b}: {ratio:.2f}" for (a, b), ratio in ratios.items() if ratio < least]


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
class TestContrast:
    def test_text_reaches_aaa(self, theme: int) -> None:
        assert faint(theme, ["--ink", "--muted", "--accent", "--good", "--bad"], GROUNDS, 7) == []
        assert faint(theme, ["--fig-ink", "--fig-muted"], ["--fig-paper"], 7) == []
        assert faint(theme, ["--on-accent"], ["--accent"], 7) == []

    def test_text_on_marks_is_legible(self, theme: int) -> None:
        assert faint(theme, ["--ink"], ["--lit", "--accent-soft"], 7) == []
        assert faint(theme, ["--accent"], ["--accent-soft"], 4.5) == []

    def test_code_is_legible(self, theme: int) -> None:
        marks = ["--mark-load", "--mark-math", "--mark-store", "--mark-barrier"]
        assert faint(theme, marks + [f".tok-{kind} {{ color" for kind in "kcnsp"], ["--surface"], 7) == []

    def test_what_carries_data_stands_out(self, theme: int) -> None:
        assert faint(theme, SERIES + KINDS + ["--fig-q6", "--fig-q7", "--fig-q8"], ["--fig-paper"], 3) == []
        assert faint(theme, ["--edge"], GROUNDS, 3) == []

    def test_the_ramp_rises(self, theme: int) -> None:
        found = tokens(theme)
        ramp = [luminance(found[f"--fig-q{place}"]) for place in range(9)]
        assert ramp == sorted(ramp, reverse=theme == 0)
