"""Which kernels are compiled already? Each source once for an architecture, side by side where asked ahead."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor

from recorder.compile.nvrtc import Compiled, compile_cubin
from recorder.compile.toolkit import load_core

THREADS = min(8, os.cpu_count() or 1)  # NVRTC compiles side by side without holding Python's lock
Kernel = tuple[str, str, str]  # source, name of the file, architecture


class Cubins:
    """Cubins by source, name and architecture. What one experiment lists is the very cubin that the next one times."""

    def __init__(self, compiler: Callable[[str, str, str], Compiled] = compile_cubin) -> None:
        self._compile = compiler
        self._lock = threading.Lock()
        self._made: dict[Kernel, Future[bytes]] = {}
        self._pool: ThreadPoolExecutor | None = None

    def ahead(self, kernels: Iterable[Kernel]) -> None:
        """Begin to compile in threads; a kernel that does not compile says so when it is got."""
        load_core()  # once, before threads would import it side by side
        self._pool = self._pool or ThreadPoolExecutor(THREADS)
        for kernel in kernels:
            self._pool.submit(self._future, kernel)

    def get(self, source: str, name: str, arch: str) -> bytes:
        """The cubin; raises what the compiler raises."""
        return self._future((source, name, arch)).result()

    def _future(self, kernel: Kernel) -> Future[bytes]:
        """The future of a kernel: whoever asks first compiles, all others wait."""
        with self._lock:
            future, mine = self._made.get(kernel), kernel not in self._made
            future = future or self._made.setdefault(kernel, Future())
        if mine:
            try:
                future.set_result(self._compile(*kernel).cubin)
            except BaseException as error:
                future.set_exception(error)
        return future
