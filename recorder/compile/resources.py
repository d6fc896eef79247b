"""What does a kernel need of an SM? Registers, shared and local memory, read from its cubin by cuobjdump; no GPU."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from recorder.compile.cubin_sections import read_sections
from recorder.compile.toolkit import ToolkitError, run_program

_USAGE = re.compile(r"Function\s+(\S+):\s*\n?\s*REG:(\d+)\s+STACK:(\d+)\s+SHARED:(\d+)\s+LOCAL:(\d+)")
RESERVED = (
    ".nv.shared.reserved"  # from sm_90 on a block's shared memory has a part that CUDA keeps; cuobjdump counts it in
)
RESERVED_BYTES = 1024


def read_resources(cubin: bytes, entry: str) -> tuple[int, int, int]:
    """(registers a thread, static shared memory in bytes a block, local memory in bytes a thread) of ``entry``."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.cubin"
        path.write_bytes(cubin)
        text = run_program("cuobjdump", "--dump-resource-usage", str(path))
    for name, registers, stack, shared, local in _USAGE.findall(text):
        if name == entry:
            reserved = any(section.startswith(RESERVED) for section in read_sections(cubin))
            static = max(0, int(shared) - RESERVED_BYTES) if reserved else int(shared)
            return int(registers), static, int(stack) + int(local)
    raise ToolkitError(f"cuobjdump says nothing of the kernel {entry!r}; it printed: {text.strip()[:200] or 'nothing'}")
