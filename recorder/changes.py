"""What did a re-recording change? Times that moved beyond resolution and claims that flipped, said when a run ends.

The words are the publisher's, which knows claims; it is asked only here, after everything is recorded, and whatever
hinders it costs no more than these words.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from recorder.recording import load_card


def changes(before: dict[Path, bytes], out: Path, slug: str) -> list[str]:
    """Lines about ``out/slug`` against the files that ``out`` had ``before``; none when the card is new."""
    earlier = {path: content for path, content in before.items() if path.parts[-3] == slug}
    if not earlier:
        return []
    try:
        return ["Against what was recorded before:", *(f"  {line}" for line in _report(earlier, out, slug))]
    except Exception as error:  # faults in chapters or in older recordings, or a publisher that is not installed
        why = " ".join(str(error).splitlines()[:1]) or type(error).__name__
        return [f"What changed cannot be said: {why}. The build says more: python build.py"]


def _report(earlier: dict[Path, bytes], out: Path, slug: str) -> list[str]:
    from publisher.diff import report
    from publisher.standing import standing_claims

    with tempfile.TemporaryDirectory() as folder:
        old = Path(folder) / slug
        for path, content in earlier.items():
            target = old / path.parts[-2] / path.name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        return report(standing_claims(), {slug: load_card(old)}, {slug: load_card(out / slug)})
