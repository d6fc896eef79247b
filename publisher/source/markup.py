"""What HTML does Markdown become? Headings a level lower, and a mark wherever something depends on the card."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from typing import Any, Protocol

from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from publisher.source.nodes import Node, Pieces, Role

_MARK = "\x00"  # no content holds it: see content_reader.py


class Marks(Protocol):
    """What a rendering collects: the nodes that its marks stand for. ``file`` is where the text is from."""

    file: str
    nodes: list[Node]


class Renderer(RendererHTML):
    """HTML with a mark where a node stands. The nodes are in ``meta["node"]`` of the tokens, but for roles."""

    def myst_role(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        token = tokens[index]
        return _mark(Role(token.meta["name"], token.content.strip(), env.file, token.meta["line"]), env)

    def colon_fence(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        token = tokens[index]
        return _mark(token.meta["node"], env) if "node" in token.meta else ""

    def heading_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        token = tokens[index]
        return f'<h{min(int(token.tag[1]) + 1, 6)} id="{_mark(token.meta["node"], env)}">'

    def heading_close(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return f"</h{min(int(tokens[index].tag[1]) + 1, 6)}>\n"

    def link_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        token = tokens[index]
        node = token.meta.get("node")
        href = _mark(node, env) if node else escapeHtml(str(token.attrGet("href") or ""))
        title = token.attrGet("title")
        return f'<a href="{href}" title="{escapeHtml(str(title))}">' if title else f'<a href="{href}">'

    def table_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        end = next(at for at in range(index, len(tokens)) if tokens[at].type == "thead_close")
        heads = [plain_words(token) for token in tokens[index:end] if token.type == "inline"]
        label = escapeHtml(f"Table: {', '.join(filter(None, heads))}")
        return f'<div class="table-scroll" tabindex="0" role="group" aria-label="{label}"><table>\n'

    def table_close(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return "</table></div>\n"

    def fence(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        # A long line scrolls, by key too.
        return super().fence(tokens, index, options, env).replace("<pre>", '<pre tabindex="0">', 1)

    def code_block(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return super().code_block(tokens, index, options, env).replace("<pre>", '<pre tabindex="0">', 1)


def _mark(node: Node, marks: Marks) -> str:
    marks.nodes.append(node)
    return f"{_MARK}{len(marks.nodes) - 1}{_MARK}"


def cut(html: str, marks: Marks) -> Pieces:
    """The HTML cut at its marks, with the nodes between."""
    parts = html.split(_MARK)
    pieces = tuple(marks.nodes[int(text)] if i % 2 else text for i, text in enumerate(parts))
    return tuple(piece for piece in pieces if piece != "")


def text_of(html: str) -> str:
    """HTML without its tags."""
    return unescape(re.sub(r"<[^>]*>", "", html)).strip()


def plain_words(inline: Token) -> str:
    """A run of text without markup; what a role says, where that is the same on every card, and else an ellipsis."""
    return "".join(_words(child) for child in inline.children or []).strip()


def _words(token: Token) -> str:
    if token.type in ("text", "code_inline"):
        return token.content
    if token.type == "myst_role":
        return role_words(token.meta["name"], token.content.strip())
    return " " if token.type.endswith("break") else ""


def role_words(name: str, content: str) -> str:
    """What a role shows on every card, or an ellipsis."""
    if name == "term":
        return content.partition("<")[0].strip()
    if name == "step":
        return content.partition("|")[2].strip() or "…"
    return content if name == "definition" else "…"
