"""How is CUDA source coloured? Five kinds of token: keyword, comment, number, preprocessor or PTX, string."""

from __future__ import annotations

import re
from html import escape

_KEYWORDS = (
    r"alignas|asm|auto|bool|break|case|char|class|const|constexpr|continue|default|do|double|else|enum|extern"
    r"|false|float|for|half|half2|if|inline|int|long|namespace|return|short|signed|sizeof|static|static_assert"
    r"|struct|switch|template|true|typedef|typename|uint32_t|uint64_t|int32_t|uint4|float2|float4|unsigned|using"
    r"|void|volatile|while|__device__|__global__|__shared__|__restrict__|__launch_bounds__|__align__"
    r"|__forceinline__|__syncthreads|__half|__half2|threadIdx|blockIdx|blockDim|gridDim"
)
_TOKEN = re.compile(
    r"(?P<c>//[^\n]*|/\*.*?\*/)"
    r'|(?P<s>"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\')'
    r"|(?P<p>^[ \t]*#[^\n]*)"
    r"|(?P<n>\b0[xX][0-9a-fA-F']+[uUlL]*\b|\b\d[\d']*(?:\.\d*)?(?:[eE][-+]?\d+)?[fFuUlL]*\b)"
    rf"|(?P<k>\b(?:{_KEYWORDS})\b)",
    re.MULTILINE | re.DOTALL,
)


def highlight(code: str) -> list[str]:
    """Each line of ``code`` as HTML; spans never cross a line."""
    made: list[str] = []
    at = 0
    for token in _TOKEN.finditer(code):
        made.append(escape(code[at : token.start()], quote=False))
        lines = escape(token[0], quote=False).split("\n")
        made.append("\n".join(f'<span class="tok-{token.lastgroup}">{line}</span>' if line else "" for line in lines))
        at = token.end()
    made.append(escape(code[at:], quote=False))
    return "".join(made).split("\n")
