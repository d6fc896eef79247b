"""Which dumps do the parser's tests read? Those that this script writes with the installed compiler and tools.

Run ``python -m tests.data.sass.renew`` in the repository's root. Files are named by architecture and by ptxas.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from recorder.compile.cubin_sections import read_ptxas, read_sections
from recorder.compile.nvrtc import compile_cubin
from recorder.compile.toolkit import run_program

HERE = Path(__file__).parent
ARCHS = ("sm_80", "sm_86", "sm_90", "sm_100", "sm_120")


def main() -> None:
    source = (HERE / "tile.cu").read_text(encoding="utf-8")
    for arch in ARCHS:
        cubin = compile_cubin(source, "kernels/example/tile.cu", arch).cubin
        release = read_ptxas(read_sections(cubin)).split()[1].replace(".", "_")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "tile.cubin"
            path.write_bytes(cubin)
            sass = run_program("cuobjdump", "-sass", str(path))
            marked = run_program("nvdisasm", "-gi", "-gp", "-c", str(path))
        marked = re.sub(r'File "[^"]*/kernels/', 'File "/folder/of/the/repository/kernels/', marked)
        for tool, text in (("cuobjdump", sass), ("nvdisasm", marked)):
            kept = "\n".join(line.rstrip() for line in text.splitlines()) + "\n"
            (HERE / f"{arch}.ptxas_{release}.{tool}.txt").write_text(kept, encoding="utf-8")


if __name__ == "__main__":
    main()
