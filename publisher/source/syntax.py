"""How is Markdown read? CommonMark with tables, roles and directives, and notes of what its rules would let pass."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, fence, table
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.myst_role import myst_role_plugin

from publisher.source.dialects import HIDDEN

Rule = Callable[[StateBlock, int, int, bool], bool]
_NUMBER = re.compile(r"[\d.,\s]+")
_ADDRESS = re.compile(r"\b(https?):")
_BARS = re.compile(r"(?<!\\)\|")


def make_markdown() -> MarkdownIt:
    """The parser. Beside CommonMark's, its tokens have these notes in ``meta``:

    ``open`` on a fence that nothing closes; ``dropped`` on a table's row, how many of its cells no column takes;
    ``label`` on a link by reference; ``shown`` and ``bare`` on a run of text, see ``_texts``.
    """
    made = MarkdownIt("js-default", {"html": False, "linkify": False, "typographer": False, "store_labels": True})
    made.use(myst_role_plugin).use(colon_fence_plugin)
    blocks = made.block.ruler
    rules = {rule.name: rule for rule in blocks.__rules__}
    for name, rule in (("fence", _closed(fence)), ("colon_fence", _closed(rules["colon_fence"].fn)), ("table", _whole)):
        blocks.at(name, rule, {"alt": rules[name].alt})
    made.core.ruler.before("text_join", "texts", _texts)
    return made


def _closed(rule: Rule) -> Rule:
    """A fence that knows whether it was closed, or ended with the text around it."""

    def checked(state: StateBlock, first: int, end: int, silent: bool) -> bool:
        if not rule(state, first, end, silent):
            return False
        if not silent:
            token, last = state.tokens[-1], state.line - 1
            closing = _line(state, last).strip()
            closed = last > first and closing.startswith(token.markup) and not closing.strip(token.markup[0])
            token.meta["open"] = not closed
        return True

    return checked


def _whole(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """A table whose rows know how many of their cells are left out."""
    before = len(state.tokens)
    if not table(state, first, end, silent):
        return False
    rows = [token for token in state.tokens[before:] if token.type == "tr_open"]
    columns = sum(token.type == "th_open" for token in state.tokens[before:])
    for row in rows:
        if row.map:
            row.meta["dropped"] = max(0, _cells(_line(state, row.map[0])) - columns)
    return True


def _cells(line: str) -> int:
    cells = _BARS.split(line.strip())
    return len(cells) - (cells[0] == "") - (len(cells) > 1 and cells[-1] == "")


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _texts(state: StateCore) -> None:
    """Two readings of each run of text, while characters after a backslash still stand apart.

    ``shown`` is what a reader sees, numbers in code too. ``bare`` has only what the author wrote as plain text, and
    ``HIDDEN`` for the rest. In both a break of lines is one character.
    """
    for token in state.tokens:
        if token.type == "inline":
            children = token.children or []
            linked = False
            bare: list[str] = []
            for child in children:
                linked = child.type == "link_open" or (linked and child.type != "link_close")
                text = child.content if _is_plain(child) else _break(child) or _hidden(child)
                bare.append(_ADDRESS.sub(rf"\1{HIDDEN}", text) if linked else text)
            token.meta |= {"shown": shown(children), "bare": "".join(bare)}


def _is_plain(token: Token) -> bool:
    """Text as it was typed; so is a backslash before what needs none."""
    return token.type == "text" or (token.type == "text_special" and token.content == token.markup)


def shown(children: Sequence[Token]) -> str:
    """What a reader sees of a run, ``HIDDEN`` for roles and for code that is no number."""
    return "".join(_shown(child) for child in children)


def _shown(token: Token) -> str:
    if token.type in ("text", "text_special"):
        return token.content
    if token.type == "code_inline" and _NUMBER.fullmatch(token.content):
        return token.content
    return _break(token) or _hidden(token)


def _break(token: Token) -> str:
    return "\n" if token.type.endswith("break") else ""


def _hidden(token: Token) -> str:
    return HIDDEN if token.type in ("text_special", "code_inline", "myst_role", "image") else ""
