"""Which CUDA tools are there? Programs, headers and versions, found without fixed paths; importing needs no CUDA."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

WHEELS = {"cuobjdump": "nvidia-cuda-cuobjdump", "nvdisasm": "nvidia-cuda-nvdisasm"}
PIP_TOOLS = "pip install 'nvidia-cuda-cuobjdump' 'nvidia-cuda-nvdisasm'"
PIP_RECORD = "pip install '.[record]'"
RUN_SECONDS = 120


class ToolkitError(Exception):
    """A part of CUDA is missing or cannot do what was asked. The message says which and what to run."""


@dataclass(frozen=True)
class Headers:
    """A folder with ``cuda_fp16.h``, and what kind of place it is."""

    folder: str
    kind: str  # "wheel" or "toolkit"

    @property
    def folders(self) -> tuple[str, ...]:
        """What to give a compiler: the folder, and the one inside it that holds ``cuda/std``, where there is one."""
        library = Path(self.folder) / "cccl"
        return (self.folder, str(library)) if library.is_dir() else (self.folder,)


def need_tools(in_wheel: Callable[[str], str | None] | None = None) -> None:
    """A ToolkitError where the compiler or a program is missing: now, and not after minutes."""
    supported_archs()
    for program in WHEELS:
        find_program(program, in_wheel)


@cache
def find_program(name: str, in_wheel: Callable[[str], str | None] | None = None) -> str:
    """The path of ``cuobjdump`` or ``nvdisasm``: the wheel's, else the one on PATH, else a ToolkitError.

    ``in_wheel`` finds the wheel's; unless given, it is CUDA's own finder.
    """
    found = (in_wheel or _pathfinder_program)(name) or shutil.which(name)
    if not found:
        raise ToolkitError(f"there is no {name}, neither as a wheel nor on PATH; run {PIP_TOOLS}")
    return found


def run_program(name: str, *arguments: str) -> str:
    """The standard output of a tool. A failure is a ToolkitError with the tool's own words."""
    program = find_program(name)
    env = dict(os.environ)
    if name == "cuobjdump":  # it calls nvdisasm by name
        folder = str(Path(find_program("nvdisasm")).parent)
        env["PATH"] = os.pathsep.join([folder, *filter(None, [env.get("PATH")])])
    try:
        done = subprocess.run(
            [program, *arguments],
            capture_output=True,
            text=True,
            check=False,
            errors="replace",
            env=env,
            timeout=RUN_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolkitError(f"{name} could not be run ({type(error).__name__}); run {PIP_TOOLS}") from error
    if done.returncode:
        said = " ".join((done.stderr or done.stdout).split())[:300]
        raise ToolkitError(f"{name} stopped with exit code {done.returncode}: {said or 'it said nothing'}")
    return done.stdout


@cache
def find_headers() -> Headers:
    """Where CUDA's headers are: the nvidia-cuda-runtime wheel, else a toolkit (CUDA_HOME, CUDA_PATH, /usr/local)."""
    return choose_headers(_header_candidates())


def choose_headers(candidates: Iterable[tuple[str, str | None]]) -> Headers:
    """The first (kind, folder) that holds CUDA's headers; a ToolkitError where none does."""
    for kind, folder in candidates:
        if folder and (Path(folder) / "cuda_fp16.h").is_file():
            return Headers(str(folder), kind)
    raise ToolkitError(
        f"CUDA's headers (cuda_fp16.h) are neither in a wheel nor in a toolkit; run {PIP_RECORD}, or set CUDA_HOME"
    )


def nvrtc_version() -> tuple[int, int]:
    """NVRTC's version, e.g. (13, 5); a ToolkitError where NVRTC or its bindings are missing."""
    nvrtc = load_nvrtc()
    result, major, minor = nvrtc.nvrtcVersion()
    if int(result):
        raise ToolkitError(f"NVRTC does not tell its version ({result}); run {PIP_RECORD}")
    return int(major), int(minor)


def supported_archs() -> tuple[str, ...]:
    """The architectures that this NVRTC compiles for, such as "sm_90", in rising order."""
    nvrtc = load_nvrtc()
    result, archs = nvrtc.nvrtcGetSupportedArchs()
    if int(result):
        raise ToolkitError(f"NVRTC does not tell its architectures ({result}); run {PIP_RECORD}")
    return tuple(f"sm_{arch}" for arch in sorted(archs))


def load_core() -> ModuleType:
    """The module ``cuda.core``; a ToolkitError where it is missing."""
    try:
        return importlib.import_module("cuda.core")
    except ImportError as error:
        raise ToolkitError(f"cuda-core is not installed; run {PIP_RECORD}") from error


def load_nvrtc() -> ModuleType:
    """The module ``cuda.bindings.nvrtc`` with its library loaded; a ToolkitError where either is missing."""
    try:
        nvrtc = importlib.import_module("cuda.bindings.nvrtc")
    except ImportError as error:
        raise ToolkitError(f"cuda-python is not installed; run {PIP_RECORD}") from error
    try:
        nvrtc.nvrtcVersion()
    except Exception as error:  # the loader's own exception types differ between versions
        raise ToolkitError(f"NVRTC, CUDA's compiler library, cannot be loaded; run {PIP_RECORD}") from error
    return nvrtc


def versions(tool: Callable[..., str] = run_program) -> dict[str, str]:
    """Versions of the parts a recording depends on, of programs by what ``tool`` prints. No paths, no host names.

    A part that is missing is left out.
    """
    found = {"python": platform.python_version()}
    for part, package in (("cuda_core", "cuda-core"), ("cuda_bindings", "cuda-bindings"), ("numpy", "numpy")):
        try:
            found[part] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    with suppress(ToolkitError):
        found["nvrtc"] = ".".join(map(str, nvrtc_version()))
    for program in WHEELS:
        try:
            release = re.search(r"\bV(\d+(?:\.\d+)+)", tool(program, "--version"))
        except ToolkitError:
            continue
        if release:
            found[program] = release[1]
    with suppress(ToolkitError):
        found["headers"] = _headers_version(find_headers())
    return found


def _headers_version(headers: Headers) -> str:
    """E.g. "13.0 (wheel)", from CUDA_VERSION in cuda_runtime_api.h or cuda.h."""
    for name in ("cuda_runtime_api.h", "cuda.h"):
        path = Path(headers.folder) / name
        if path.is_file():
            number = re.search(r"#define\s+CUDA(?:RT)?_VERSION\s+(\d+)", path.read_text(errors="replace"))
            if number:
                return f"{int(number[1]) // 1000}.{int(number[1]) % 1000 // 10} ({headers.kind})"
    return headers.kind


def _pathfinder_program(name: str) -> str | None:
    try:
        from cuda.pathfinder import find_nvidia_binary_utility
    except ImportError:
        return None
    try:
        return find_nvidia_binary_utility(name)
    except (ValueError, RuntimeError):  # a name that an older pathfinder does not know
        return None


def _header_candidates() -> list[tuple[str, str | None]]:
    found: list[tuple[str, str | None]] = []
    folder = _pathfinder_headers()
    if folder:
        found.append((_kind_of(folder), folder))
    for name in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(name):
            found.append(("toolkit", str(Path(os.environ[name]) / "include")))
    found += [("toolkit", str(path)) for path in sorted(Path("/usr/local").glob("cuda*/include"), reverse=True)]
    return found


def _pathfinder_headers() -> str | None:
    try:
        from cuda.pathfinder import find_nvidia_header_directory
    except ImportError:
        return None
    try:
        return find_nvidia_header_directory("cudart")
    except (ValueError, RuntimeError):
        return None


def _kind_of(folder: str) -> str:
    return "wheel" if {"site-packages", "dist-packages"} & set(Path(folder).parts) else "toolkit"
