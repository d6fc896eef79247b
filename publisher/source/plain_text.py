"""What is wrong with a text outside chapters? Titles and glossaries are the same on every card, printed as typed."""

from __future__ import annotations

import re
from collections.abc import Collection
from html import escape

from publisher.faults import Fault, instead
from publisher.source.document import parse_line
from publisher.source.nodes import Anchor, Node, Role
from publisher.source.typed_numbers import IN_TERM, IN_TITLE, check_literals

_ROLE = re.compile(r"\{[a-z-]+\}`")


def check_plain(text: str, file: str, line: int, sizes: bool = False) -> list[Fault]:
    """Faults of a text that is printed as it is typed. ``sizes`` lets it say how many bytes an instruction moves."""
    faults = check_literals(text, file, line, IN_TITLE, sizes)
    if role := _ROLE.search(text):
        faults.append(Fault(file, line, f"{role[0]}…` is no role here: this text is printed as it is typed"))
    return [Fault(file, line, fault.what) for fault in faults]


def term_html(text: str, file: str, line: int, known: Collection[str], faults: list[Fault]) -> str:
    """HTML of a term's text, for the page of the glossary, which has the ids ``known``; faults are appended."""
    html = []
    for piece in parse_line(text, file, line, faults, IN_TERM):
        html.append(piece if isinstance(piece, str) else _on_every_card(piece, known, faults))
    return "".join(html)


def _on_every_card(node: Node, known: Collection[str], faults: list[Fault]) -> str:
    if isinstance(node, Anchor):
        if node.chapter or node.target not in known:
            what = f"the link leads to {node.chapter}#{node.target}, which is no entry of the glossary"
            faults.append(Fault(node.file, node.line, f"{what}; {instead(node.target, known)}", ("glossary", "terms")))
        return f"#{escape(node.target)}"
    if isinstance(node, Role) and node.name == "definition":
        return f'<span class="definition">{escape(node.content)}</span>'
    what = "a term's text is the same on every card, so {definition} is the only role in it"
    faults.append(Fault(node.file, node.line, what))
    return ""
