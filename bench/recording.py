"""How long did recording take, and how large is it?  python -m bench.recording

A recording keeps the seconds its experiment took, so this needs no card; on a card, record first:
``python -m recorder --gpu 0 --force``.
"""

from __future__ import annotations

import time
from pathlib import Path

from recorder.run.terminal import print_table
from schema.recording import CardRecordings, load_card

RECORDINGS = Path(__file__).parents[1] / "recordings"
LADDER = ("code", "times", "placement", "fragment")  # what a ladder's first article needs
LADDER_S, LAB_S, QUICK_S = 240.0, 720.0, 90.0
LAB_MB, LOAD_S = 6.0, 0.5


def rows_of(card: CardRecordings, load_s: float) -> list[tuple[str, str, str]]:
    """(what, measured, at most) of one card."""
    headers = [
        recording.header for recording in card.recordings.values() if recording.header.experiment != "conditions"
    ]
    ladder_s = sum(h.seconds for h in headers if h.experiment in LADDER)
    lab_s = sum(h.seconds for h in headers if h.experiment != "counters")
    megabytes = sum(path.stat().st_size for path in card.folder.glob("*/*.yaml")) / 1e6
    quick = any(h.quick for h in headers)
    return [
        ("ladder recorded, s", f"{ladder_s:.0f}", f"{LADDER_S:.0f}"),
        ("whole lab recorded, s", f"{lab_s:.0f}" + (" (quick)" if quick else ""), f"{QUICK_S if quick else LAB_S:.0f}"),
        ("YAML, MB", f"{megabytes:.2f}", f"{LAB_MB:.0f}"),
        ("loaded, s", f"{load_s:.2f}", f"{LOAD_S:.1f}"),
    ]


def main() -> None:
    """Print a table for every card that has a GPU behind it."""
    for folder in sorted(p for p in RECORDINGS.iterdir() if p.is_dir() and p.name != "published"):
        started = time.perf_counter()
        card = load_card(folder)
        load_s = time.perf_counter() - started
        if card.recordings and not card.compile_only:
            print(f"\n{card.card.name}, {max(r.date for r in card.recordings.values())}")
            print_table([("", "measured", "at most"), *rows_of(card, load_s)])


if __name__ == "__main__":
    main()
