"""The recorder's command on the fake device and the mini ladder:  python -m tests.fake_recorder [its arguments]"""

from __future__ import annotations

import sys
from pathlib import Path

from recorder.__main__ import main

DEVICE = "tests.fake_device:FakeDevice"
KERNELS = Path(__file__).resolve().parent / "mini_ladder"

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], DEVICE, KERNELS))
