"""How does a kernel's text become a cubin? Through NVRTC, without a driver, a GPU or a toolkit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from recorder.compile import toolkit
from recorder.compile.toolkit import ToolkitError
from schema.kernel_text import rewrite_constants

STANDARD = "c++17"
SUFFIXES = ("a", "f")  # code for one architecture alone, and for its family
_ARCH = re.compile(rf"(sm_\d{{2,3}})([{''.join(SUFFIXES)}]?)")
_ERROR = re.compile(
    r"^(?P<file>[^\s(][^(\n]*)\((?P<line>\d+)\): (?:catastrophic )?error[^:\n]*: (?P<what>.*)$", re.MULTILINE
)


class CompileError(Exception):
    """A source that does not compile. The message begins ``file:line: what``; ``log`` is all that NVRTC said."""

    def __init__(self, message: str, log: str) -> None:
        super().__init__(message)
        self.log = log


@dataclass(frozen=True)
class Compiled:
    """A cubin for one architecture, NVRTC's log (its warnings), and the options, naming no folder of this machine."""

    cubin: bytes
    log: str
    options: tuple[str, ...]


def compile_cubin(source: str, name: str, arch: str, constants: dict[str, int] | None = None) -> Compiled:
    """Compile the text of one ``.cu`` file to a cubin that carries its source lines and its PTX.

    ``name`` is the file's name inside the repository; ``arch`` is such as "sm_90" or "sm_90a"; ``constants`` first
    replace literals of the constants region. Raises ToolkitError (no NVRTC, no headers, an arch that this NVRTC does
    not know), SourceError (no such constant) or CompileError. Folders of the repository are no include folders: a
    kernel file stands alone.
    """
    check_arch(arch)
    headers = toolkit.find_headers()
    text = rewrite_constants(source, constants, name) if constants else source
    core = toolkit.load_core()
    options = core.ProgramOptions(
        name=name,
        arch=arch,
        std=STANDARD,
        lineinfo=True,
        include_path=list(headers.folders),
        no_source_include=True,
    )
    log = _Log()
    try:
        program = core.Program(text, "c++", options)
        try:
            cubin = bytes(program.compile("cubin", logs=log).code)
        finally:
            program.close()
    except Exception as error:
        if not _is_refusal(error):
            raise
        raise _refused(str(error).replace(headers.folder, "<headers>"), name, arch) from error
    shown = (f"-arch={arch}", f"-std={STANDARD}", "-lineinfo", f"headers: {headers.kind}")
    return Compiled(cubin, log.text.replace(headers.folder, "<headers>").strip("\0\n "), shown)


def check_arch(arch: str) -> None:
    """A ToolkitError that lists the known architectures, unless this NVRTC compiles for ``arch``."""
    known = toolkit.supported_archs()
    match = _ARCH.fullmatch(arch)
    if match is not None and match[1] in known and (not match[2] or _compiles_for(arch)):
        return
    listed = ", ".join(known)
    if match is not None and match[2]:
        suffixed = (base + suffix for base in known for suffix in SUFFIXES)
        listed += f", and with a suffix {', '.join(filter(_compiles_for, suffixed)) or 'none'}"
    version = ".".join(map(str, toolkit.nvrtc_version()))
    raise ToolkitError(
        f"NVRTC {version} does not know the architecture {arch!r}; it knows {listed}."
        " For a newer GPU run pip install --upgrade 'nvidia-cuda-nvrtc';"
        f" for one that is older than {known[0]} no NVRTC is left that works with this recorder"
    )


@cache
def _compiles_for(arch: str) -> bool:
    """Does NVRTC compile for it? It tells the architectures without their suffixes, so one with a suffix is tried."""
    core = toolkit.load_core()
    program = core.Program("", "c++", core.ProgramOptions(arch=arch))
    try:
        program.compile("cubin")
    except Exception as error:
        if not _is_refusal(error):
            raise
        return False
    finally:
        program.close()
    return True


def _is_refusal(error: Exception) -> bool:
    return type(error).__name__ == "NVRTCError"  # cuda-core does not export the type


class _Log:
    """Where cuda-core writes what NVRTC says."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> None:
        self.text += text


def _refused(said: str, name: str, arch: str) -> Exception:
    said = said.replace("\0", "").strip()
    _, _, log = said.partition("compilation log:")
    log = log.strip() or said
    if "INVALID_OPTION" in said or log.startswith("Command-line error"):
        return ToolkitError(f"NVRTC refuses its options for {arch!r}: {' '.join(log.split())}")
    first = _ERROR.search(log)
    if first:
        return CompileError(f"{first['file']}:{first['line']}: {first['what']}", log)
    worst = next((line for line in log.splitlines() if "error" in line.lower()), log.splitlines()[0])
    return CompileError(f"{name}: it does not compile for {arch}: {worst.strip()}", log)
