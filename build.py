"""Publish: recordings and chapters in, a static site out.  python build.py --help"""

from __future__ import annotations

import sys


def run() -> int:
    """The exit status: that of the command, or 130 where somebody interrupted it."""
    try:
        from publisher.command import main  # here, because loading it takes long enough to be interrupted

        return main(sys.argv[1:])
    except KeyboardInterrupt:
        print("build.py: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(run())
