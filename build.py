"""Publish: recordings and chapters in, a static site out.  python build.py --help"""

from __future__ import annotations

import sys

if __name__ == "__main__":
    try:
        from publisher.command import main

        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:  # while modules load
        print("\ninterrupted; nothing was begun", file=sys.stderr)
        sys.exit(130)
