"""What did ptxas make of a kernel? Its SASS with source and PTX lines, read from the cubin that is launched.

The SASS is cuobjdump's; nvdisasm adds, for the same instructions, the source line (``-gi``) and the line (``-gp``) of
the PTX that ``-lineinfo`` keeps in the cubin. Where the two tools do not show the same instructions, that is an error.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from recorder.compile import cubin_sections as elf
from recorder.compile.toolkit import run_program
from sass.listing import Instruction, make_instruction, without_padding

_FUNCTION = re.compile(r"^\s*Function : (\S+)\s*$")
_INSTRUCTION = re.compile(r"^\s*/\*([0-9a-f]{4,8})\*/\s+([^;]*?)\s*;")
_REMARK = re.compile(r"\s*\(\*.*?\*\)$")  # nvdisasm alone notes e.g. (*"SpillRefill"*) behind a spill's operands
_TEXT_LABEL = re.compile(r"^\.text\.(\S+):$")
_SECTION = re.compile(r"^\s*\.section\s")
_LABEL = re.compile(r"^[^\s/.][^\s]*:$")  # of a function inside the section, such as a division's slow path
_MARK = re.compile(r'^\s*//## File "([^"]*)", line (\d+)(?: inlined at "([^"]*)", line (\d+))?')
_PTX_NOISE = re.compile(r"^(?://.*|\.loc\b.*|\.file\b.*)?$")


class SassError(Exception):
    """The tools' output does not hold what is needed. The message says what is missing."""


@dataclass(frozen=True)
class Disassembly:
    """A kernel's instructions, the PTX of its body (line 1 is ``ptx_lines[0]``), and the ptxas that made it."""

    instructions: tuple[Instruction, ...]
    ptx_lines: tuple[str, ...]
    ptxas: str


@dataclass(frozen=True)
class _Place:
    text: str
    source_line: int | None
    ptx_line: int | None  # in the cubin's whole PTX


def disassemble(cubin: bytes, entry: str, tool: Callable[..., str] = run_program) -> Disassembly:
    """All of one kernel, by what ``tool`` prints when it is called with a program and its arguments.

    Raises SassError (no such function, no instruction, tools that disagree) or ToolkitError.
    """
    try:
        sections = elf.read_sections(cubin)
    except elf.CubinError as error:
        raise SassError(str(error)) from error
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.cubin"
        path.write_bytes(cubin)
        listing = tool("cuobjdump", "-sass", str(path))
        marked = tool("nvdisasm", "-gi", "-gp", "-c", str(path))
    instructions = parse_cuobjdump(listing, entry)
    places = parse_nvdisasm(marked, entry)
    _compare(instructions, places, entry)
    ptx_lines, number = entry_ptx(elf.read_ptx(sections), entry)
    real = len(without_padding(instructions))  # nvdisasm lets the padding inherit the last instruction's lines
    found = (
        make_instruction(i.offset, i.text, places[i.offset].source_line, number.get(places[i.offset].ptx_line or 0))
        for i in instructions[:real]
    )
    return Disassembly((*found, *instructions[real:]), ptx_lines, elf.read_ptxas(sections))


def parse_cuobjdump(text: str, entry: str) -> tuple[Instruction, ...]:
    """The instructions of function ``entry`` in the output of ``cuobjdump -sass``; a SassError where it has none."""
    functions: list[str] = []
    found: list[Instruction] = []
    for line in text.splitlines():
        heading = _FUNCTION.match(line)
        if heading:
            functions.append(heading[1])
        elif functions and functions[-1] == entry:
            match = _INSTRUCTION.match(line)
            if match:
                found.append(make_instruction(int(match[1], 16), match[2]))
    if not functions:
        raise SassError(f"cuobjdump shows no SASS at all, so not that of {entry!r}; the file may hold PTX only")
    if entry not in functions:
        raise SassError(f"cuobjdump shows no function {entry!r}; it shows {', '.join(functions)}")
    if not found:
        raise SassError(f"cuobjdump names the function {entry!r} and shows no instruction of it")
    if functions.count(entry) > 1:
        raise SassError(f"cuobjdump shows {entry!r} {functions.count(entry)} times; give a file for one architecture")
    return tuple(found)


def parse_nvdisasm(text: str, entry: str) -> dict[int, _Place]:
    """By offset, what ``nvdisasm -gi -gp -c`` says of ``entry``: text, source line and line in the whole PTX.

    Of code inlined from elsewhere the source line is the innermost one that lies in the kernel's own file.
    """
    places: dict[int, _Place] = {}
    frames: list[tuple[str, int]] = []
    ptx_line: int | None = None
    fresh = True
    for line in _section(text, entry):
        mark = _MARK.match(line)
        match = None if mark else _INSTRUCTION.match(line)
        if mark and mark[1] == elf.PTX_SECTION:
            ptx_line = int(mark[2])
        elif mark:
            frames = [] if fresh else frames
            frames.append((mark[1], int(mark[2])))
            if mark[3]:
                frames.append((mark[3], int(mark[4])))
            fresh = False
        elif match:
            text = _REMARK.sub("", " ".join(match[2].split()))
            places[int(match[1], 16)] = _Place(text, _own_line(frames), ptx_line)
            fresh = True
        elif _LABEL.match(line):
            frames, ptx_line = [], None
    return places


def entry_ptx(lines: list[str], entry: str) -> tuple[tuple[str, ...], dict[int, int]]:
    """The PTX of one kernel from the whole, and whole line -> kept line, both 1-based. Comments and blanks go."""
    head = re.compile(rf"\.entry\s+{re.escape(entry)}\b")
    start = next((at for at, line in enumerate(lines) if head.search(line)), None)
    kept: list[str] = []
    number: dict[int, int] = {}
    depth, opened = 0, False
    for at in range(start if start is not None else len(lines), len(lines)):
        clean = " ".join(lines[at].split())
        if not _PTX_NOISE.match(clean):
            kept.append(clean)
            number[at + 1] = len(kept)
        depth += clean.count("{") - clean.count("}")
        opened = opened or "{" in clean
        if opened and depth <= 0:
            break
    return tuple(kept), number


def _section(text: str, entry: str) -> Iterator[str]:
    inside = False
    for line in text.splitlines():
        label = _TEXT_LABEL.match(line)
        if label or _SECTION.match(line):
            inside = label is not None and label[1] == entry
        elif inside:
            yield line


def _own_line(frames: list[tuple[str, int]]) -> int | None:
    """Frames run from the innermost to the outermost; the outermost lies in the kernel, so in its own file."""
    if not frames:
        return None
    own = frames[-1][0]
    return next(line for file, line in frames if file == own) or None


def _compare(instructions: tuple[Instruction, ...], places: dict[int, _Place], entry: str) -> None:
    if [i.offset for i in instructions] != list(places):
        raise SassError(
            f"cuobjdump shows {len(instructions)} instructions of {entry!r} and nvdisasm {len(places)},"
            " not at the same offsets; install the same version of both"
        )
    for instruction in instructions:
        other = make_instruction(instruction.offset, places[instruction.offset].text)
        symbolic = "`" in other.text or "@" in other.operands  # nvdisasm names labels where cuobjdump gives offsets
        same = instruction.text == other.text or (
            symbolic and (instruction.predicate, instruction.opcode) == (other.predicate, other.opcode)
        )
        if not same:
            raise SassError(
                f"at offset {instruction.offset:04x} of {entry!r} cuobjdump shows {instruction.text!r} and nvdisasm"
                f" {other.text!r}; install the same version of both"
            )
