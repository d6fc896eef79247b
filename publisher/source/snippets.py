"""Which lines of a kernel does a chapter quote? A named region of the file itself: a chapter never holds a copy."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape

from publisher.faults import instead
from publisher.source.highlight import highlight
from schema.kernel_text import SourceError, read_regions

_FILE = re.compile(r"^(?:\d+_)?([a-z0-9_]+(?:\.[a-z0-9_]+)?)\.cu$")


class SnippetError(Exception):
    """A quotation of something that is not there. The message says what exists instead."""

    needs = ("kernels",)


def slug_of(file: str) -> str:
    """``06_async_copy.loads_only.cu`` -> ``async_copy.loads_only``."""
    found = _FILE.match(file)
    return found[1] if found else ""


def snippet(argument: str, kernels: Mapping[str, Mapping[str, str]]) -> str:
    """HTML of ``ladder/rung#region``. ``kernels`` is ladder -> file name -> text."""
    name, _, region_name = argument.partition("#")
    ladder, _, rung = name.partition("/")
    if not rung or not region_name:
        raise SnippetError(f"{argument or 'an empty snippet'} names no region; write ladder/rung#region")
    if ladder not in kernels:
        raise SnippetError(f"{argument}: there is no ladder {ladder}; {instead(ladder, kernels)}")
    files = {slug_of(file): file for file in kernels[ladder] if slug_of(file)}
    if rung not in files:
        raise SnippetError(f"{argument}: kernels/{ladder} has no {rung}; {instead(rung, files)}")
    file = files[rung]
    try:
        regions = read_regions(kernels[ladder][file])
    except SourceError as error:
        raise SnippetError(f"{argument}: kernels/{ladder}/{file} cannot be read: {error}") from None
    if region_name not in regions:
        where = f"kernels/{ladder}/{file}"
        raise SnippetError(f"{argument}: {where} has no region {region_name}; {instead(region_name, regions)}")
    region = regions[region_name]
    return _html(f"kernels/{ladder}/{file}", region.text, region.first_line)


def _html(file: str, code: str, first_line: int) -> str:
    lines = highlight(_dedent(code))
    width = len(str(first_line + len(lines) - 1))
    rows = "\n".join(f'<span class="ln">{first_line + i:>{width}}</span> {line}' for i, line in enumerate(lines))
    last = first_line + len(lines) - 1
    where = f"line {first_line}" if last == first_line else f"lines {first_line} to {last}"
    label = escape(f"{file}, {where}")
    return (
        f'<figure class="snippet"><pre tabindex="0" role="region" aria-label="{label}"><code>{rows}</code></pre>'
        f"<figcaption><code>{escape(file)}</code>, {where}</figcaption></figure>\n"
    )


def _dedent(code: str) -> str:
    """Without the indentation that all lines share."""
    lines = code.split("\n")
    shared = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[shared:] for line in lines)
