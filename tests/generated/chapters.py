"""Which chapters may an author write? Strategies for Markdown with words planted wherever a word can stand.

A word such as ``xqbcd`` is in no page by chance. A reader must find every one, in the order of the source but for
those in ``aside``, and every run of code in ``exact`` to the letter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import strategies as st

LETTERS = "bcdfghjklmnpqrstvwz"


@dataclass
class Text:
    """A chapter under way: hands out words and remembers them."""

    draw: Callable[[st.SearchStrategy], object]
    source: str = ""
    words: list[str] = field(default_factory=list)
    aside: set[str] = field(default_factory=set)  # words in attributes
    exact: list[str] = field(default_factory=list)

    def word(self) -> str:
        number, made = len(self.words), ""
        for _ in range(3):
            number, digit = divmod(number, len(LETTERS))
            made = LETTERS[digit] + made
        self.words.append(f"xq{made}")
        return self.words[-1]

    def word_aside(self) -> str:
        word = self.word()
        self.aside.add(word)
        return word

    def in_order(self) -> list[str]:
        """The words that stand in texts, as the source has them."""
        return sorted(set(self.words) - self.aside, key=self.source.index)

    def one(self, options: dict[str, Callable[[], str]] | list[str]) -> str:
        name = str(self.draw(st.sampled_from(sorted(options))))
        return options[name]() if isinstance(options, dict) else name

    def some(self, make: Callable[[], str], least: int = 1, most: int = 4) -> list[str]:
        return [make() for _ in range(int(str(self.draw(st.integers(least, most)))))]

    def chance(self) -> bool:
        return bool(self.draw(st.booleans()))

    # ---- in a line -----------------------------------------------------------------------------------------------

    def inline(self, depth: int = 0) -> str:
        kinds: dict[str, Callable[[], str]] = {
            "plain": lambda: " ".join(self.some(self.word)),
            "marks": lambda: f"{self.word()}{self.one(MARKS)}{self.word()}",
            "odd": lambda: f"{self.one(ODD)} {self.word()}",
            "code": self.code,
            "role": self.role,
        }
        if depth < 2:
            kinds |= {
                "strong": lambda: f"**{self.inline(depth + 1)}**",
                "emphasis": lambda: f"*{self.inline(depth + 1)}*",
                "struck": lambda: f"~~{self.inline(depth + 1)}~~",
                "link": lambda: self.link(depth + 1),
            }
        return self.one(kinds)

    def line(self) -> str:
        return self.one([" ", "  ", "\n", "  \n", "\\\n"]).join(self.some(self.inline, 1, 3))

    def code(self) -> str:
        inside = (
            f"{self.one(['', 'x < ', '&amp; ', '*', '::: '])}{self.word()}{self.one(['', ' y', '>', ' [^1]', '$$'])}"
        )
        self.exact.append(inside)
        return f"`{inside}`"

    def link(self, depth: int) -> str:
        goal = self.one(["#a-floor", "01-the-sum.md", "https://example.org/a?b=1&c=2", "#fig-bandwidth", "#nowhere"])
        title = f' "{self.word_aside()}"' if self.chance() else ""
        return f"[{self.inline(depth)}]({goal}{title})"

    def role(self) -> str:
        return self.one({
            "term": lambda: f"{{term}}`{self.word()} <row>`",
            "step": lambda: f"{{step}}`bandwidth/warp|{self.word()}`",
            "definition": lambda: f"{{definition}}`{self.word()}`",
            "value": lambda: "{value}`sums.warp.cold`",
            "unknown": lambda: f"{{valeu}}`{self.word()}`",
            "no text": lambda: f"{{value}} {self.word()}",
        })  # fmt: skip

    # ---- blocks --------------------------------------------------------------------------------------------------

    def block(self, depth: int = 0) -> str:
        kinds: dict[str, Callable[[], str]] = {
            "paragraph": self.line,
            "heading": lambda: f"{'#' * int(self.one(['2', '3', '4']))} {self.inline()}",
            "setext": lambda: f"{self.inline()}\n{self.one(['---', '-----'])}",
            "fence": self.fence,
            "indented": lambda: "\n".join(f"    {line}" for line in self.some(self.word)),
            "table": self.table,
            "rule": lambda: self.one(["---", "***", "___"]),
            "dialect": self.dialect,
            "directive": lambda: self.directive(depth),
        }
        if depth < 2:
            kinds |= {
                "list": lambda: self.listed(depth),
                "quote": lambda: _prefixed("> ", self.block(depth + 1)),
            }
        return self.one(kinds)

    def listed(self, depth: int) -> str:
        bullet = self.one(["- ", "* ", "1. ", "7) "])
        gap = "\n" if self.chance() else "\n\n"
        return gap.join(_prefixed(" " * len(bullet), self.block(depth + 1), bullet) for _ in range(2))

    def fence(self) -> str:
        marks = self.one(["```", "~~~", "````"])
        info = self.one({"none": str, "language": lambda: "cuda", "more": lambda: f"cuda {self.word_aside()}"})
        body = f"{self.word()} {self.one(['', '<b>', '{value}`x`', ':::', '// */'])}".strip()
        self.exact.append(body)
        return f"{marks}{info}\n{body}\n{self.one(['', *[marks] * 9])}"

    def table(self) -> str:
        width = 2
        rows = [[self.word() for _ in range(width)]]
        rows += [[self.word() for _ in range(width + int(self.one(["0", "0", "1"])))] for _ in range(2)]
        lines = [f"| {' | '.join(row)} |" for row in rows]
        return "\n".join([lines[0], "|---|---|", *lines[1:]])

    def directive(self, depth: int) -> str:
        fence = ":" * (6 - depth)
        name, argument = self.one({
            "note": lambda: f"{{note}} {self.word()}",
            "claim": lambda: "{claim} sums.warp.cold < 100 * sums.plain.cold",
            "wrong": lambda: f"{{{self.word()}}} ",
            "unnamed": lambda: f" {self.word()}",
        }).split(" ", 1)  # fmt: skip
        body = self.block(depth + 1) if depth < 2 else self.line()
        return f"{fence}{name} {argument}\n{body}{self.one(['', *[chr(10) + fence] * 9])}"

    def dialect(self) -> str:
        return self.one({
            "html": lambda: f"<div class={self.word_aside()}>{self.word()}</div>",
            "comment": lambda: f"<!-- {self.word()} -->",
            "footnote": lambda: f"{self.word()}[^1]\n\n[^1]: {self.word()}",
            "definition": lambda: f"[{self.word_aside()}]: https://example.org/{self.word_aside()}",
            "attributes": lambda: f"{self.word()} {{#{self.word_aside()}}}",
            "admonition": lambda: f"> [!NOTE]\n> {self.word()}",
            "fenced directive": lambda: f"```{{note}} {self.word()}\n{self.word()}\n```",
            "task": lambda: f"- [ ] {self.word()}",
            "math": lambda: f"$${self.word()}$$",
            "wiki": lambda: f"[[{self.word()}]]",
            "front matter": lambda: f"---\ntitle: {self.word()}\n---",
        })  # fmt: skip


MARKS = ["-", "_", "'", '"', "&", " & ", " < ", " > ", "/", "*", "`", "|", "\\", ": ", "^", "~", "$", "%", "@", "!"]
ODD = ["&copy;", "&#65;", "é", "漢字", "\u200f", "\u00ad", "{", "}", "[", "](", "<", "~~", "**", "``", ":::", "#", "\t"]


def _prefixed(prefix: str, text: str, first: str | None = None) -> str:
    lines = text.split("\n")
    return "\n".join([f"{first or prefix}{lines[0]}", *(f"{prefix}{line}" for line in lines[1:])])


@st.composite
def chapters(draw: Callable[[st.SearchStrategy], object]) -> Text:
    """A chapter with a title of its own."""
    text = Text(draw)
    blocks = [f"# {text.word()}", *(text.block() for _ in range(int(str(draw(st.integers(1, 4))))))]
    text.source = "\n\n".join(blocks) + "\n"
    return text
