"""What did a re-recording change? Times that moved beyond resolution and claims that flipped, said when a run ends.

The words are the publisher's, which knows claims. It is asked by its command, after everything is recorded, and
whatever hinders it costs no more than these words.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def changes(before: dict[Path, bytes], out: Path, slug: str) -> list[str]:
    """Lines about ``out/slug`` against the files that ``out`` had ``before``; none when the card is new."""
    earlier = {path: content for path, content in before.items() if path.parts[-3] == slug}
    if not earlier:
        return []
    with tempfile.TemporaryDirectory() as folder:
        old, new = Path(folder) / "old", Path(folder) / "new"
        for path, content in earlier.items():
            target = old / slug / path.parts[-2] / path.name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        shutil.copytree(out / slug, new / slug)
        asked = [sys.executable, "-m", "publisher", "--diff", str(old), "--recordings", str(new)]
        done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
        if done.returncode == 0:
            return ["Against what was recorded before:", *(f"  {line}" for line in done.stdout.splitlines())]
        # Faults in chapters or in older recordings come first; of a publisher that is not installed, the last line.
        lines = done.stderr.strip().splitlines() or ["it gave no reason"]
        why = (lines[-1] if lines[0].startswith("Traceback") else lines[0]).removeprefix(f"{old}/")
    return [f"What changed cannot be said: {why}. The build says more: python build.py"]
