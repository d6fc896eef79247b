"""What sections does a cubin hold? Just enough ELF to read the PTX and the assembler's note that ptxas leaves there."""

from __future__ import annotations

import re
import struct

PTX_SECTION = ".nv_debug_ptx_txt"
NOTE_SECTION = ".note.nv.tkinfo"
_SECTION = struct.Struct("<IIQQQQIIQQ")  # name, type, flags, address, offset, size, link, info, align, entry size
_NOBITS = 8


class CubinError(Exception):
    """Bytes that are no cubin. The message says what is wrong with them."""


def read_sections(cubin: bytes) -> dict[str, bytes]:
    """The contents of all named sections of a 64-bit ELF file by name."""
    if cubin[:6] != b"\x7fELF\x02\x01":
        raise CubinError("this is no cubin: it does not begin as a 64-bit little-endian ELF file")
    try:
        (table,) = struct.unpack_from("<Q", cubin, 0x28)
        size, count, names_at = struct.unpack_from("<HHH", cubin, 0x3A)
        headers = [_SECTION.unpack_from(cubin, table + at * size) for at in range(count)]
        names = _content(cubin, headers[names_at])
        return {_string(names, header[0]): _content(cubin, header) for header in headers if header[0]}
    except (struct.error, IndexError, ValueError) as error:
        raise CubinError("this cubin is cut off or damaged: its section table cannot be read") from error


def read_ptx(sections: dict[str, bytes]) -> list[str]:
    """The lines of PTX that ``-lineinfo`` keeps, numbered from 1 by the tools; empty where there are none.

    The section holds each line with a zero byte at its end; what was a comment or a debug directive is an empty line.
    """
    text = sections.get(PTX_SECTION, b"").decode("utf-8", "replace")
    return text.removesuffix("\0").split("\0") if text else []


def read_ptxas(sections: dict[str, bytes]) -> str:
    """The assembler that made the cubin and its options, as "ptxas 13.5.37 -lineinfo -arch sm_90"; "" if unknown."""
    words = [part.decode("ascii", "replace") for part in re.findall(rb"[ -~]{4,}", sections.get(NOTE_SECTION, b""))]
    release = next((match[1] for word in words if (match := re.search(r"\bV(\d+(?:\.\d+)+)", word))), "")
    options = next((" ".join(word.split()) for word in words if word.startswith("-")), "")
    return f"ptxas {release} {options}".strip() if release else ""


def _content(cubin: bytes, header: tuple[int, ...]) -> bytes:
    kind, offset, size = header[1], header[4], header[5]
    if kind == _NOBITS:
        return b""
    if offset + size > len(cubin):
        raise ValueError("a section lies outside the file")
    return cubin[offset : offset + size]


def _string(table: bytes, at: int) -> str:
    return table[at : table.index(b"\0", at)].decode("utf-8", "replace")
