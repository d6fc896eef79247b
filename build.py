"""Publish: recordings and chapters in, a static site out.  python build.py --help"""

from __future__ import annotations

import sys

from publisher.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
