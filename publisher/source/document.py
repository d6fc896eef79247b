"""What stands in a chapter's Markdown? HTML that is the same on every card, and between it what a card fills in.

Parsed once; a card fills in what depends on it (see weave.py). What no page could show as it was meant is a fault.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import Any

from markdown_it.token import Token

from publisher.faults import Fault
from publisher.source.inline import check_run
from publisher.source.markup import Renderer, cut, plain_words
from publisher.source.nodes import Directive, Document, Heading, Node, Part, Pieces
from publisher.source.syntax import make_markdown
from publisher.source.typed_numbers import IN_TEXT, IN_TITLE, check_column

MAX_NESTING = 6  # directives
MAX_DEPTH = 40  # lists and quotations; the parser leaves out what is more than twice as deep
_OPTION = re.compile(r"^:([a-z][a-z0-9_-]*):\s*(.*)$")
_DIRECTIVE = re.compile(r"^\{([a-z][a-z-]*)\}\s*(.*)$")
_IN_CODE = re.compile(r":{3,}\{|```|~~~")

_MARKDOWN = make_markdown()
_RENDERER = Renderer()


@dataclass
class _State:
    """What reading one file collects. ``remedy`` is what to do about a number that was typed."""

    file: str
    faults: list[Fault]
    remedy: str = IN_TEXT
    nodes: list[Node] = field(default_factory=list)
    env: dict[str, Any] = field(default_factory=dict)  # of the parser: what links by reference are defined
    used: set[str] = field(default_factory=set)  # and which of them are used
    words: int = 0

    def fault(self, line: int, what: str) -> None:
        self.faults.append(Fault(self.file, line, what))


def parse_document(text: str, file: str, faults: list[Fault], slug: str = "") -> Document:
    """Parse a chapter; faults are appended. ``slug`` is the address of its first part, by default from its title."""
    state = _State(file, faults)
    tokens = _tokens(text, 0, state)
    _check_references(state)
    parts = [
        Part(
            Heading(slugify(plain_words(head)) if place or not slug else slug, file, _line(head)),
            plain_words(head),
            _RENDERER.renderInline(head.children or [], _MARKDOWN.options, state),  # type: ignore[arg-type]
            _pieces(run, state),
            re.sub(r"\s+", " ", " ".join(plain_words(token) for token in run if token.type == "inline")).strip(),
        )
        for place, (head, run) in enumerate(_split(tokens, state))
    ]
    return Document(parts[0].title, parts, state.words)


def parse_line(text: str, file: str, line: int, faults: list[Fault], remedy: str = IN_TEXT) -> Pieces:
    """One paragraph without its <p>, e.g. a lede; ``line`` is where it starts in the file."""
    state = _State(file, faults, remedy)
    tokens = _tokens(text, line - 1, state)
    _check_references(state)
    if [token.type for token in tokens] != ["paragraph_open", "inline", "paragraph_close"]:
        state.fault(line, "is one paragraph: no headings, lists, tables or directives, and no empty line between")
    return _pieces([token for token in tokens if token.type == "inline"], state)


def slugify(text: str) -> str:
    """``7. Splitting the sum`` -> ``splitting-the-sum``: an id that starts with a letter, of any script."""
    plain = unicodedata.normalize("NFKC", text).lower()
    kept = "".join(c if unicodedata.category(c)[0] in "LMN" else "-" for c in plain)
    first = next((i for i, c in enumerate(kept) if c.isalpha()), len(kept))
    return re.sub("-+", "-", kept[first:]).rstrip("-") or "part"


def _line(token: Token) -> int:
    return (token.map or [0])[0] + 1


def _tokens(text: str, offset: int, state: _State, inside: str = "", depth: int = 0) -> list[Token]:
    """Tokens with true line numbers; directives parsed inside, all text checked. ``offset``: lines above the text."""
    tokens = _MARKDOWN.parse(f"{text}\n", state.env)
    for token in tokens:
        if token.map:
            token.map = [token.map[0] + offset, token.map[1] + offset]
    for definition in (*state.env.get("references", {}).values(), *state.env.get("duplicate_refs", [])):
        definition.setdefault("line", definition["map"][0] + offset + 1)
    heading = False
    for i, token in enumerate(tokens):
        if token.type == "inline":
            check_run(token, state, _line(token), IN_TITLE if heading else state.remedy)
            state.words += len(token.meta["shown"].split())
        elif token.type == "colon_fence":
            _directive(token, state, depth)
        elif token.type in ("fence", "code_block"):
            _check_code(token, state)
        elif token.type == "heading_open":
            _heading(token, tokens[i + 1], state, inside)
        elif token.type == "tr_open" and token.meta.get("dropped"):
            state.fault(
                _line(token), "this row of the table has more cells than its head; a bar in a cell is written \\|"
            )
        if token.nesting == 1 and token.level == MAX_DEPTH:
            state.fault(_line(token), f"lists and quotations are nested deeper than {MAX_DEPTH} levels")
        heading = token.type == "heading_open"
        if token.type == "table_open":
            _check_table(tokens[i:], state)
    return tokens


def _heading(token: Token, inline: Token, state: _State, inside: str) -> None:
    """A heading is the same on every card and stands in the contents, so it is plain, and begins at the margin."""
    line = _line(token)
    for child in inline.children or []:
        if child.type == "myst_role":
            what = f"{{{child.meta['name']}}} stands in a heading, which is the same on every card; say it in the text"
            state.fault(line, what)
        elif child.type == "link_open":
            state.fault(line, "a link stands in a heading, which is one itself; link from the text below")
    if not plain_words(inline):
        state.fault(line, "a heading without words; name what stands below it")
    if inside:
        state.fault(line, f"a heading stands inside {inside}; headings stand at the margin, between directives")
    elif token.level:
        state.fault(line, "a heading stands inside a list or a quotation; headings stand at the margin")
    inline.children = [
        child for child in inline.children or [] if child.type not in ("myst_role", "link_open", "link_close")
    ]
    token.meta["node"] = Heading(slugify(plain_words(inline)), state.file, line)


def _check_table(tokens: list[Token], state: _State) -> None:
    """Numbers in a column whose head has their unit; ``tokens`` begin with the table."""
    end = next(i for i, token in enumerate(tokens) if token.type == "table_close")
    cells = [(token.meta["shown"], _line(token)) for token in tokens[:end] if token.type == "inline"]
    columns = sum(token.type == "th_open" for token in tokens[:end])
    for column in range(columns):
        (head, _), *below = cells[column::columns]
        state.faults += check_column(head, below, state.file)


def _check_code(token: Token, state: _State) -> None:
    line, info = _line(token), token.info.strip()
    if token.meta.get("open"):
        state.fault(line, f"{token.markup}{info} is never closed; end it with a line of {token.markup}")
    if info.startswith("{"):
        state.fault(line, f"{token.markup}{info} would be printed as code; a directive has colons: :::{info} … :::")
    elif len(info.split()) > 1:
        what = f"{token.markup}{info}: only the language can follow, {token.markup}{info.split()[0]}; the rest is text"
        state.fault(line, what)
    if token.type == "code_block" and (found := _IN_CODE.match(token.content)):
        what = f"{found[0]} is indented by four blanks, which makes code of it; begin the line further left"
        state.fault(line, what)


def _check_references(state: _State) -> None:
    """What links by reference were defined for nothing, or twice."""
    for label, definition in state.env.get("references", {}).items():
        if label.startswith("^"):
            state.fault(definition["line"], f"[{label}] is a footnote; write a :::{{note}}, which stands in the margin")
        elif label not in state.used:
            state.fault(definition["line"], f"no link uses the definition [{label.lower()}]: so nobody sees it")
    for definition in state.env.get("duplicate_refs", []):
        state.fault(
            definition["line"], f"[{definition['label'].lower()}] is defined a second time; give it another name"
        )


def _directive(token: Token, state: _State, depth: int) -> None:
    line, info = _line(token), token.info.strip()
    head = _DIRECTIVE.match(info)
    if token.meta["open"] and info:
        state.fault(line, f"{token.markup}{info} is never closed; end it with a line of {token.markup}")
    if not head:
        if info:
            what = f"{token.markup}{info} opens no directive; write {token.markup}{{name}} argument"
        else:
            what = f"{token.markup} closes nothing; an outer fence has more colons than those inside it"
        state.fault(line, what)
        return
    if depth >= MAX_NESTING:
        state.fault(line, f"directives are nested deeper than {MAX_NESTING} levels")
        return
    name, argument = head[1], head[2].strip()
    options, text, skipped = _options(token.content, state, line)
    inside = "" if token.meta["open"] else f":::{{{name}}}"
    inner = _tokens(text, line + skipped, state, inside, depth + 1)
    otherwise = _otherwise(inner, state) if name == "claim" else None
    title = _inline(argument, line, state) if name == "note" and argument else ()
    body = _pieces(inner, state)
    token.meta["node"] = Directive(name, argument, options, body, otherwise, state.file, line, title)


def _otherwise(inner: list[Token], state: _State) -> Pieces | None:
    """Take the directive of that name out of a claim's text."""
    found: Pieces | None = None
    for child in inner:
        node = child.meta.get("node") if child.type == "colon_fence" else None
        if node and node.name == "otherwise":
            if found is not None:
                state.fault(node.line, "a claim has one :::{otherwise}; this is its second")
            if node.argument or node.options:
                state.fault(node.line, "an :::{otherwise} takes no argument and no options")
            found = node.body
            del child.meta["node"]
    return found


def _inline(text: str, line: int, state: _State) -> Pieces:
    """A line of text by itself, such as a title."""
    tokens = _MARKDOWN.parseInline(text, state.env)
    for token in tokens:
        check_run(token, state, line)
    return _pieces(tokens, state)


def _options(text: str, state: _State, line: int) -> tuple[dict[str, str], str, int]:
    """The ``:key: value`` lines that a body starts with, the rest, and how many lines were taken."""
    lines = text.split("\n")
    options: dict[str, str] = {}
    taken = 0
    while taken < len(lines) and (option := _OPTION.match(lines[taken].strip())):
        taken += 1
        if option[1].replace("-", "_") in options:
            state.fault(line + taken, f":{option[1]}: stands twice")
        if not option[2].strip():
            state.fault(line + taken, f":{option[1]}: has no value")
        options[option[1].replace("-", "_")] = option[2].strip()
    return options, "\n".join(lines[taken:]), taken


def _split(tokens: list[Token], state: _State) -> list[tuple[Token, list[Token]]]:
    """Runs of tokens, each with the heading of the second level above it; the first has the title's."""
    untitled = Token("inline", "", 0, children=[], map=[0, 1])
    if not tokens or tokens[0].type != "heading_open" or tokens[0].tag != "h1":
        state.fault(1, "a chapter starts with its title in the first line: # Title")
    runs: list[tuple[Token, list[Token]]] = [(untitled, [])]
    skip = 0
    for i, token in enumerate(tokens):
        if skip:
            skip -= 1
        elif token.type == "heading_open" and token.level == 0 and token.tag in ("h1", "h2"):
            skip = 2
            if token.tag == "h1" and i:
                state.fault(_line(token), "a second # title; a chapter has one, its sections start with ##")
            if i:
                runs.append((tokens[i + 1], []))
            else:
                runs[0] = (tokens[1], [])
        else:
            runs[-1][1].append(token)
    return runs


def _pieces(tokens: list[Token], state: _State) -> Pieces:
    """Render a run and cut it at its marks. A paragraph that holds nothing is dropped."""
    return cut(_RENDERER.render(tokens, _MARKDOWN.options, state), state)  # type: ignore[arg-type]  # env is handed through
