"""Is a construct of another dialect a fault that says what to write, and is plain prose left alone?"""

from __future__ import annotations

import pytest

from publisher.source.dialects import DIALECTS, check_dialects
from publisher.source.document import parse_document

# What an author may type -> what it is called in the table.
FOREIGN = {
    "Text <!-- TODO --> text": "an HTML comment",
    "One<br>two": "raw HTML",
    '<div class="x">\n\ntext\n\n</div>': "raw HTML",
    "<details><summary>More</summary>": "raw HTML",
    "vector<float>": "raw HTML",
    "a&foo;b": "an entity",
    "% TODO": "a comment of MyST",
    "a paragraph\n% and its comment": "a comment of MyST",
    "+++": "a block break",
    "(there)=\n## Here": "a target",
    "Said before[^1].": "a footnote",
    "Said [@knuth84]": "a citation",
    "Text {#id}": "an attribute list",
    "[text](#here){.wide}": "an attribute list",
    "[[a page]]": "a wiki link",
    "![[a picture]]": "a wiki link",
    "[text][missing]": "a link whose address",
    "[text](an address with blanks)": "a link that cannot be read",
    "> [!NOTE]\n> text": "a callout",
    '!!! note "Title"\n    text': "an admonition",
    "??? note": "an admonition",
    ".. note::\n\n   text": "a directive of reStructuredText",
    ":::{note}\n\ntext\n\n:::\n\n:::": "closes nothing",
    "- [ ] to do": "a task list",
    "- [x] done": "a task list",
    "Term\n: Definition": "a definition list",
    "*[HTML]: Hyper": "an abbreviation",
    "[TOC]": "a table of contents",
    "##Heading": "a heading without a blank",
    "| a | b |\n|---|\n| c | d |": "a table that cannot be read",
    "| a | b |\n| c | d |": "a row of no table",
    "text\n[a]: https://example.org": "a link's definition inside a paragraph",
    "a ~~ b": "a stroke through nothing",
    "$$\nx = y\n$$": "mathematics",
    "the value $x_1$ is": "mathematics",
    r"\begin{align}": "LaTeX",
    "a ==mark== here": "a highlight",
    "a ++mark++ here": "an insertion",
    "x^2^ is": "a superscript",
    "H~2~O": "a subscript",
    "well :rocket: done": "an emoji",
    ":ref:`there`": "an emoji or a role by colons",
    "{{< shortcode >}}": "a template",
    "{% include x %}": "a template",
    "a **b c": "bold that opens or closes nothing",
    "a ** b ** c": "bold that opens or closes nothing",
    "a `b c": "a back-tick",
    "see https://example.org/x": "an address that is no link",
}
PLAIN = (
    "a < b and b > c",
    "a <https://example.org/x> link",
    "[https://example.org](https://example.org)",
    "AT&T & others, &amp; &nbsp; &lt;b&gt; &#937;",
    "all % of it, a % b",
    "C++ and C++ again, a == b and b == c",
    "it costs $5 and $6",
    "the list [0] and [sic], (a) = b",
    "at 12:30: yes",
    r"\*\*not bold\*\*, \<br\>, \`, \[\[x\]\], \$x\$, \==m==, \{#id}",
    "`<br>` and ``a ` b`` and `**` and `[^1]`",
    "```\n<!-- code -->\n% code\n:::{note}\n:::\n$$ [[x]] {#id}\n```",
    "    <br> indented code",
    "*emphasis*, **bold**, ***both***, ~~gone~~",
    "| a | b |\n|---|:-:|\n| a \\| b | `**` |\n| short |",
    "1. one\n   - two\n     > three\n\n   still one\n2. two",
    "a line  \nwith a hard break\\\nand another",
    "a\n\n***\n\nb\n\n---",
    "x² and Wᵀ, ~5, a^b, 2^10, __syncthreads, *p",
    "Is it? What?! So: yes; +1, -1, |x|.",
)


@pytest.mark.parametrize("text", FOREIGN)
def test_what_another_dialect_would_read_is_a_fault_at_its_line(text: str) -> None:
    faults: list = []
    parse_document(f"# T\n\n{text}\n", "f", faults)
    found = [fault for fault in faults if FOREIGN[text] in fault.what]
    assert found, faults
    assert 3 <= found[0].line <= 3 + text.count("\n")


@pytest.mark.parametrize("text", PLAIN)
def test_prose_and_code_are_left_alone(text: str) -> None:
    faults: list = []
    parse_document(f"# T\n\n{text}\n", "f", faults)
    assert faults == []


def test_every_row_of_the_table_is_found_in_something() -> None:
    said = {fault.what for text in FOREIGN for fault in check_dialects(text, "f", 1)}
    said |= {fault.what for text in (":::", ":::: x", "[ ] to do", "[!NOTE]") for fault in check_dialects(text, "f", 1)}
    assert [dialect.name for dialect in DIALECTS if not any(dialect.name in what for what in said)] == []


def test_each_line_has_its_own_fault() -> None:
    assert [fault.line for fault in check_dialects("a <b>\nc\n[^1]\n", "f", 7)] == [7, 9]
