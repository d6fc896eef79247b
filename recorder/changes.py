"""What did a re-recording change? Times that moved beyond resolution and claims that flipped, said when a run ends.

The words are the publisher's, which knows claims; it is asked only here, after everything is recorded.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from recorder.recording import RecordingError, load_card


def say_changes(before: dict[Path, bytes], out: Path, slug: str) -> None:
    """Print the differences of ``out/slug`` against the files it had ``before``; silent when they cannot be read."""
    from publisher.standing import standing_claims

    from publisher.diff import report

    with tempfile.TemporaryDirectory() as folder:
        for path, content in before.items():
            if path.parts[-3] == slug:
                target = Path(folder) / slug / path.parts[-2] / path.name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
        try:
            old, new = load_card(Path(folder) / slug), load_card(out / slug)
        except RecordingError:
            return
    print("\nAgainst what was recorded before:")
    for line in report(standing_claims(), {slug: old}, {slug: new}):
        print(f"  {line}")
