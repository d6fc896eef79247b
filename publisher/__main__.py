"""``python -m publisher``: what ``python build.py`` does, from any folder."""

import sys

from publisher.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
