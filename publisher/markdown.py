"""What stands in a chapter's Markdown? HTML that is the same on every card, and between it the roles and directives.

Parsed once; a card fills in what depends on it (see weave.py). Raw HTML in Markdown is shown as text, never passed on.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.myst_role import myst_role_plugin

from publisher.faults import Fault
from publisher.nodes import Anchor, Directive, Document, Node, Part, Pieces, Role
from publisher.prose import check_literals

MAX_NESTING = 6
_UNREAD_ROLE = re.compile(r"\{([a-z][a-z-]+)\}\s*(?:`|(?<=\s)\ufffc)")
_MARK = "\x00"  # Markdown-it replaces it in texts, so it can only come from here
_OPTION = re.compile(r"^:([a-z][a-z0-9_-]*):\s*(.*)$")
_CHAPTER_LINK = re.compile(r"^(?:\d+-)?([a-z0-9-]+)\.md(#[\w-]+)?$")


@dataclass
class _State:
    file: str
    faults: list[Fault]
    nodes: list[Node] = field(default_factory=list)
    anchors: list[Anchor] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    words: int = 0


def parse_document(text: str, file: str, faults: list[Fault], prefix: str = "", literals: bool = True) -> Document:
    """Parse a chapter; faults are appended. ``prefix`` is the id of its first part, and heads ids that would clash."""
    state = _State(file, faults)
    tokens = _tokens(text, 0, state, literals)
    title, rest = _title(tokens, file, faults)
    parts: list[Part] = []
    first = prefix or slugify(title)
    for heading, run in _split(rest):
        name = _plain(heading) if heading else title
        line = heading.map[0] + 1 if heading and heading.map else 1
        made = slugify(name) if heading else first
        while made in state.ids:
            made = f"{first}-{made}" if not made.startswith(f"{first}-") else f"{made}-2"
        state.ids.append(made)
        parts.append(Part(made, name, _pieces(run, state), line, _text(run)))
    return Document(title, parts, state.words, state.anchors, state.ids)


def parse_fragment(text: str, file: str, line: int, faults: list[Fault]) -> Pieces:
    """Markdown without headings, e.g. a lede; ``line`` is where it starts in the file."""
    state = _State(file, faults)
    return _pieces(_tokens(text, line - 1, state, True), state)


def parse_inline(text: str, file: str, line: int, faults: list[Fault]) -> Pieces:
    """As ``parse_fragment`` for one paragraph, without its <p>."""
    pieces = parse_fragment(text, file, line, faults)
    if pieces and isinstance(pieces[0], str) and isinstance(pieces[-1], str):
        first, last = pieces[0].removeprefix("<p>"), pieces[-1].removesuffix("</p>\n")
        if len(pieces) == 1:
            return (first.removesuffix("</p>\n"),)
        return (first, *pieces[1:-1], last)
    return pieces


def slugify(text: str) -> str:
    """``7. Splitting the sum`` -> ``splitting-the-sum``: an id that starts with a letter."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-").lstrip("0123456789-") or "part"


def _markdown() -> MarkdownIt:
    made = MarkdownIt("js-default", {"html": False, "linkify": False, "typographer": False})
    return made.use(myst_role_plugin).use(colon_fence_plugin)


class _Renderer(RendererHTML):
    """HTML with a mark where a role or directive stands, and headings one level lower: the page has the first."""

    def myst_role(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        token = tokens[index]
        return _mark(Role(token.meta["name"], token.content.strip(), env.file, token.meta["line"]), env)

    def colon_fence(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        token = tokens[index]
        return _mark(token.meta["node"], env) if "node" in token.meta else ""

    def table_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        end = next(at for at in range(index, len(tokens)) if tokens[at].type == "thead_close")
        heads = (token.content for token in tokens[index:end] if token.type == "inline" and token.content)
        label = escapeHtml(f"Table: {', '.join(heads)}")
        return f'<div class="table-scroll" tabindex="0" role="group" aria-label="{label}"><table>\n'

    def fence(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        # A long line scrolls, by key too.
        return super().fence(tokens, index, options, env).replace("<pre>", '<pre tabindex="0">', 1)

    def table_close(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return "</table></div>\n"


_MARKDOWN = _markdown()
_RENDERER = _Renderer()


def _mark(node: Node, state: _State) -> str:
    state.nodes.append(node)
    return f"{_MARK}{len(state.nodes) - 1}{_MARK}"


def _tokens(text: str, offset: int, state: _State, literals: bool, depth: int = 0) -> list[Token]:
    """Tokens with true line numbers; directives parsed inside, literals checked. ``offset``: lines above the text."""
    tokens = _MARKDOWN.parse(text)
    for token in tokens:
        if token.map:
            token.map = [token.map[0] + offset, token.map[1] + offset]
        if token.type == "inline":
            _inline(token, state, literals)
        elif token.type == "colon_fence":
            _directive(token, state, literals, depth)
        elif token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 1, 6)}"
    return tokens


def _inline(token: Token, state: _State, literals: bool) -> None:
    line = (token.map or [0])[0] + 1
    shown: list[str] = []
    linked = False
    for child in token.children or []:
        linked = child.type == "link_open" or (linked and child.type != "link_close")
        if child.type == "myst_role":
            child.meta["line"] = line
            if linked and child.meta["name"] != "definition":
                # Both can be reached by key, and HTML allows no such thing inside another.
                what = f"{{{child.meta['name']}}} stands inside a link; end the link before it"
                state.faults.append(Fault(state.file, line, what))
        elif child.type in ("softbreak", "hardbreak"):
            line += 1
        elif child.type == "link_open":
            _link(child, state, line)
        elif child.type == "image":
            state.faults.append(
                Fault(state.file, line, "an image cannot be published; draw it as a figure: :::{figure} name")
            )
        shown.append(_shown(child))
    text = "".join(shown)
    first = (token.map or [0])[0] + 1
    for found in _UNREAD_ROLE.finditer(text):
        what = f"{{{found[1]}}} has no text in back-ticks right after it (in a table, a bar is written \\|)"
        state.faults.append(Fault(state.file, first + text.count("\n", 0, found.start()), what))
    state.words += len(text.split())
    if literals:
        state.faults += check_literals(text, state.file, first)


def _shown(token: Token) -> str:
    """What a reader sees of a part of a line; one odd character for a role or code."""
    if token.type == "text":
        return token.content
    return "\n" if token.type.endswith("break") else _OTHER.get(token.type, "")


_OTHER = {"myst_role": "\ufffc", "code_inline": "\ufffc", "image": "\ufffc"}


def _link(token: Token, state: _State, line: int) -> None:
    href = str(token.attrGet("href") or "")
    chapter = _CHAPTER_LINK.match(href)
    if chapter:
        href = chapter[2] or f"#{chapter[1]}"
        token.attrSet("href", href)
    if href.startswith("#"):
        state.anchors.append(Anchor(href[1:], state.file, line))
    elif not href.startswith(("https://", "http://")):
        what = f"the link {href!r} leads nowhere; link to #a-section, to NN-chapter.md, or to an https address"
        state.faults.append(Fault(state.file, line, what))


def _directive(token: Token, state: _State, literals: bool, depth: int) -> None:
    line = (token.map or [0])[0] + 1
    head = re.match(r"^\{([a-z][a-z-]*)\}\s*(.*)$", token.info.strip())
    if not head:
        what = f"{token.markup}{token.info} opens no directive; write {token.markup}{{name}} argument"
        state.faults.append(Fault(state.file, line, what))
        return
    if depth >= MAX_NESTING:
        state.faults.append(Fault(state.file, line, f"directives are nested deeper than {MAX_NESTING} levels"))
        return
    options, text, skipped = _options(token.content)
    inner = _tokens(text, line + skipped, state, literals, depth + 1)
    otherwise: Pieces | None = None
    if head[1] == "claim":
        for child in inner:
            node = child.meta.get("node") if child.type == "colon_fence" else None
            if node and node.name == "otherwise":
                otherwise = node.body
                del child.meta["node"]
    node = Directive(head[1], head[2].strip(), options, _pieces(inner, state), otherwise, state.file, line)
    token.meta["node"] = node


def _options(text: str) -> tuple[dict[str, str], str, int]:
    """The ``:key: value`` lines that a body starts with, the rest, and how many lines were taken."""
    lines = text.split("\n")
    options: dict[str, str] = {}
    taken = 0
    while taken < len(lines) and (option := _OPTION.match(lines[taken].strip())):
        options[option[1].replace("-", "_")] = option[2].strip()
        taken += 1
    return options, "\n".join(lines[taken:]), taken


def _title(tokens: list[Token], file: str, faults: list[Fault]) -> tuple[str, list[Token]]:
    if len(tokens) >= 3 and tokens[0].type == "heading_open" and tokens[0].markup == "#":
        rest = tokens[3:]
        for token in rest:
            if token.type == "heading_open" and token.markup == "#":
                what = "a second # title; a chapter has one, its sections start with ##"
                faults.append(Fault(file, (token.map or [0])[0] + 1, what))
        return _plain(tokens[1]), rest
    faults.append(Fault(file, 1, "a chapter starts with its title in the first line: # Title"))
    return "Untitled", tokens


def _split(tokens: list[Token]) -> list[tuple[Token | None, list[Token]]]:
    """Runs of tokens, each with the heading of the second level above it (none for the first)."""
    runs: list[tuple[Token | None, list[Token]]] = [(None, [])]
    skip = 0
    for i, token in enumerate(tokens):
        if skip:
            skip -= 1
        elif token.type == "heading_open" and token.markup == "##" and token.level == 0:
            runs.append((tokens[i + 1], []))
            skip = 2
        else:
            runs[-1][1].append(token)
    return runs


def _pieces(tokens: list[Token], state: _State) -> Pieces:
    """Render a run and cut it at its marks. A paragraph that holds nothing is dropped."""
    html = _RENDERER.render(tokens, _MARKDOWN.options, state)  # type: ignore[arg-type]  # env is handed through untouched
    cut = html.split(_MARK)
    pieces = tuple(state.nodes[int(text)] if i % 2 else text for i, text in enumerate(cut))
    return tuple(piece for piece in pieces if piece != "")


def _plain(inline: Token) -> str:
    return "".join(c.content for c in inline.children or [] if c.type in ("text", "code_inline")).strip()


def _text(tokens: list[Token]) -> str:
    """The words of a run without roles, for the search index."""
    words = [_plain_words(token) for token in tokens if token.type == "inline"]
    return re.sub(r"\s+", " ", " ".join(words)).strip()


def _plain_words(inline: Token) -> str:
    kept = (
        c.content if c.type in ("text", "code_inline") else " " for c in inline.children or [] if c.type != "myst_role"
    )
    return "".join(kept)
