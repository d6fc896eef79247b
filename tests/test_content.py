"""Is every mistake of an author found, at once, with file, line, what exists instead and what to do?"""

from __future__ import annotations

import shutil

import pytest

from publisher.source.document import parse_document, slugify
from publisher.source.highlight import highlight
from publisher.source.nodes import Directive, nodes_of
from publisher.source.read import load_content  # noqa: F401 - imported first: a cycle would show here
from publisher.source.snippets import slug_of
from publisher.source.typed_numbers import check_literals
from tests.mini.copies import MiniSite

ONE = "content/sums/01-the-sum.md"
TWO = "content/sums/02-two-rungs.md"
HEAD = "content/sums/article.yaml"


@pytest.fixture
def site(tmp_path):
    return MiniSite(tmp_path)


def test_the_mini_article_has_no_faults(site):
    assert site.faults() == []


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("{value}`sums.wrap.cold`", "sums has no wrap; did you mean warp?"),
        ("{value}`sums.warp.cold|GB/s`", "sums.warp.cold is a time; GB/s would be bytes a second"),
        ("{value}`sums.warp.cold|msec`", "there is no unit msec"),
        ("{value}`sums.warp.cold +`", "is no expression"),
        ("{value}`3`", "names no fact"),
        ("{valeu}`card.sms`", "there is no role {valeu}; did you mean value?"),
        ("{value}``", "{value} has no text in back-ticks"),
        ("{value} `card.sms`", "{value} has no text in back-ticks"),
        ("{ratio}`sums.warp.cold`", "is no ratio"),
        ("{ratio}`sums.flops / sums.warp.cold`", "not a ratio of two values of one kind"),
        ("{compare}`sums.warp.cold`", "a comparison has two values"),
        ("{compare}`sums.warp.cold, 3`", "no recording stands behind"),
        ("{compare}`sums.warp.cold, card.name`", "is a text"),
        ("{term}`rwo`", "has no term rwo; did you mean row?"),
        ("{term}`the rows <rwo>`", "has no term rwo"),
        ("{step}`bandwith/warp`", "has no figure bandwith; did you mean bandwidth?"),
        ("{step}`bandwidth/wrap`", "no card has the step bandwidth/wrap; did you mean warp?"),
        ("{step}`bandwidth`", "names no step"),
        ("{published}`elsewhere.sums.best_us`", "has no elsewhere"),
        ("{published}`somewhere.sums.bets_us`", "did you mean best_us?"),
        ("{published}`somewhere.sums.best_us|GB/s`", "cannot be written as GB/s"),
        ("It takes 5 ms.", "'5 ms' is a number with a unit"),
        ("[there](#a-flor)", "did you mean a-floor?"),
        ("[there](03-missing.md)", "there is no chapter 03-missing.md"),
        ("[there](01-two-rungs.md)", "did you mean 02-two-rungs.md?"),
        ("[there](02-two-rungs.md#a-floor)", "02-two-rungs.md has no place #a-floor"),
        ("[there](#fig-nosuch)", "no place of this article"),
        ("[there](#fig-bandwith)", "did you mean fig-bandwidth?"),
        ("[there](#fig-bandwidth/wrap)", "no card has the step bandwidth/wrap; did you mean warp?"),
        ("[there](#claim-two-rungs-9)", "did you mean claim-two-rungs-"),
        ("[there][ref]\n\n[ref]: #a-flor", "did you mean a-floor?"),
        ("[there]()", "leads nowhere"),
        ("<mailto:me@example.org>", "leads nowhere"),
        ('[there](#a-floor "5 ms")', "'5 ms' is a number with a unit"),
        ("{term}`<row>`", "has no word before it"),
        ("[there](other.html)", "leads nowhere"),
        ("[its {value}`a.b` blocks](#x)", "{value} stands inside a link; end the link before it"),
        ("![a picture](x.png)", "an image cannot be published"),
        ("# Again", "a second # title"),
        (":::{figrue} bandwidth\n:::", "there is no directive {figrue}; did you mean figure?"),
        (":::{figure}\n:::", ":::{figure} needs an argument"),
        (":::{figure} bandwith\n:id: other\n:::", "there is no figure bandwith; did you mean bandwidth?"),
        (":::{figure} bandwidth\n:id: other\n:conditoin: warm\n:::", "did you mean condition?"),
        (":::{figure} bandwidth\n:id: other\ntext\n:::", "has no body"),
        (":::{snippet} sums/plain#comptue\n:::", "has no region comptue; did you mean compute?"),
        (":::{snippet} sums/plian#compute\n:::", "has no plian; did you mean plain?"),
        (":::{snippet} smus/plain#compute\n:::", "there is no ladder smus; did you mean sums?"),
        (":::{snippet} sums/plain\n:::", "names no region"),
        (":::{claim} sums.warp.cold\ntext\n:::", "a claim is true or false"),
        (":::{claim} faster(sums.warp.cold)\ntext\n:::", "faster takes 2 values"),
        (":::{claim} faster(sums.warp.cold, sums.plane.cold)\ntext\n:::", "did you mean plain?"),
        (":::{otherwise}\ntext\n:::", "belongs inside a claim"),
        (":::note\ntext\n:::", "opens no directive"),
        (":::\ntext\n:::", "closes nothing"),
        (":::{note} A title\ntext", "is never closed; end it with a line of :::"),
        ("```\ncode", "is never closed; end it with a line of ```"),
        ("```{note} A title\ntext\n```", "a directive has colons: :::{note}"),
        ("```{figure} bandwidth\n```", "would be printed as code"),
        ("```cuda title=one\nint x;\n```", "only the language can follow"),
        ("    :::{note}\n    text\n    :::", "is indented by four blanks"),
        (":::{note} It takes 5 ms\ntext\n:::", "'5 ms' is a number with a unit"),
        (":::{note} {valeu}`card.sms`\ntext\n:::", "did you mean value?"),
        (":::{note}\n:class: wide\ntext\n:::", "takes no lines such as :class: value"),
        (":::{snippet} sums/plain#compute\n:lines: 1\n:::", "takes no lines such as :lines: value"),
        (":::{not-measured} here\n:::", "takes no argument"),
        (":::{figure} bandwidth\n:id: My figure\n:::", "is no name of a figure"),
        (":::{figure} ../bandwidth\n:::", "is no name of a figure"),
        (":::{figure} bandwidth\n:id: other\n:condition: wram\n:::", "wram names nothing; did you mean warm?"),
        (":::{figure} tiles-blocks-sms\n:rung: plian\n:::", ":rung: plian names nothing; did you mean plain?"),
        (":::{figure} samples\n:names: warp plian\n:::", ":names: plian names nothing; did you mean plain?"),
        (":::{figure} probes\n:published: somewher\n:::", "did you mean somewhere?"),
        ("## The {term}`row`", "{term} stands in a heading"),
        ("The {valeu}`row`\n---", "{valeu} stands in a heading"),
        ("### ![a](b.png)", "an image cannot be published"),
        ("## [there](#a-floor)", "a link stands in a heading"),
        ("## In 5 ms", "'5 ms' is a number with a unit"),
        ("##", "a heading without words"),
        ("> ## Quoted", "a heading stands inside a list or a quotation"),
        ("| 5 ms | b |\n|---|---|\n| c | d |", "'5 ms' is a number with a unit"),
        ("[a]: https://example.org", "no link uses the definition [a]"),
        ("[^1]: A footnote.", "is a footnote"),
        ("> " * 45 + "deep", "nested deeper than 40"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_line(site, text, part):
    line = site.append(ONE, text)
    faults = [fault for fault in site.faults() if part in fault]
    assert faults, site.faults()
    assert faults[0].startswith(f"{ONE}:{line}: "), faults


@pytest.mark.parametrize(
    ("text", "part", "below"),
    [
        ("::::{claim} card.sms > 0\na\n:::{otherwise} b\nc\n:::\n::::", "takes no argument and no options", 2),
        ("::::{claim} card.sms > 0\na\n:::{otherwise}\nb\n:::\n:::{otherwise}\nc\n:::\n::::", "this is its second", 5),
        ("::::{claim} card.sms > 0\na\n:::{otherwise}\n{value}`card.smms`\n:::\n::::", "did you mean sms?", 3),
        ("::::{claim} card.sms < 0\n{term}`rwo`\n:::{otherwise}\nb\n:::\n::::", "did you mean row?", 1),
        (":::{figure} bandwidth\n:id: other\n:id: third\n:::", ":id: stands twice", 2),
        (":::{figure} bandwidth\n:id:\n:::", ":id: has no value", 1),
        (":::{note}\n## Inner\n:::", "a heading stands inside :::{note}", 1),
    ],
)  # fmt: skip
def test_a_mistake_below_the_first_line_is_named_with_its_line(site, text, part, below):
    line = site.append(ONE, text)
    assert any(fault.startswith(f"{ONE}:{line + below}: ") and part in fault for fault in site.faults()), site.faults()


def test_a_bar_that_cuts_a_table_is_found(site):
    line = site.append(ONE, "| a | b |\n|---|---|\n| {value}`sums.warp.cold|ms` | c |")
    faults = site.faults()
    assert all(fault.startswith(f"{ONE}:{line + 2}: ") for fault in faults)
    assert any("{value} has no text in back-ticks right after it" in fault for fault in faults)
    assert any("more cells than its head" in fault for fault in faults)
    site.edit(ONE, "cold|ms", "cold\\|ms")
    assert site.faults() == []
    assert "0.0125\u00a0ms" in site.build().files["sums/index.html"]


def test_one_figure_twice_needs_another_name(site):
    site.append(ONE, ":::{figure} bandwidth\n:::")
    assert any(fault.startswith(f"{TWO}:3: the figure bandwidth stands twice") for fault in site.faults())
    site.edit(ONE, ":::{figure} bandwidth", ":::{figure} bandwidth\n:id: again")
    assert site.faults() == []
    assert 'id="fig-again"' in site.build().files["sums/index.html"]


def test_a_mistake_inside_directives_has_its_own_line(site):
    text = "::::{note} Title\n\nGood.\n\n:::{note} Inner\nBad: {value}`sums.wrap.cold`\n:::\n::::"
    line = site.append(ONE, text)
    assert site.faults()[0].startswith(f"{ONE}:{line + 5}: ")


def test_a_mistake_in_a_long_paragraph_has_its_own_line(site):
    line = site.append(ONE, "One line.\nAnother, of 7 ns.\nA third with {value}`card.smms`.")
    found = site.faults()
    assert any(fault.startswith(f"{ONE}:{line + 1}: '7 ns'") for fault in found)
    assert any(fault.startswith(f"{ONE}:{line + 2}: card.smms") for fault in found)


def test_all_mistakes_come_at_once_in_order(site):
    first = site.append(ONE, "{value}`sums.wrap.cold` and 5 ms.")
    second = site.append(TWO, "{term}`rwo`\n\n:::{figrue} x\n:::")
    site.edit("content/site.yaml", "default_card: mini-alpha", "default_card: mini-alhpa")
    places = [fault.split(": ")[0] for fault in site.faults()]
    assert places == [
        "content/site.yaml:3",
        f"{ONE}:{first}",
        f"{ONE}:{first}",
        f"{TWO}:{second}",
        f"{TWO}:{second + 2}",
    ]


@pytest.mark.parametrize(
    ("file", "old", "new", "place", "part"),
    [
        ("content/site.yaml", "tagline:", "tagilne:", "content/site.yaml:2", "did you mean tagline?"),
        ("content/site.yaml", "title: Mini", "title: [Mini]", "content/site.yaml:1", "title"),
        ("content/site.yaml", "title: Mini", "title: Mini\ntitle: Maxi", "content/site.yaml:2", "twice"),
        ("content/site.yaml", "card: mini-alpha", "card: mini-alhpa", "content/site.yaml:3", "mean mini-alpha?"),
        ("content/sums/article.yaml", "order: 7", "order: seven", "content/sums/article.yaml:3", "order"),
        ("content/sums/article.yaml", "order: 7", "", "content/sums/article.yaml:1", "order: is missing"),
        (HEAD, "subject: sums", "subject: smus", f"{HEAD}:2", "did you mean sums?"),
        (HEAD, "`card.name`", "`card.nmae`", f"{HEAD}:4", "did you mean name?"),
        ("content/terms.yaml", "row:\n  term:", "row:\n  trem:", "content/terms.yaml:2", "did you mean term?"),
        ("content/terms.yaml", "one `sum`", "one {value}`card.sms`", "content/terms.yaml:3", "the only role in it"),
        ("content/terms.yaml", "one `sum`", "one [sum](#smu)", "content/terms.yaml:3", "there are row"),
        ("content/terms.yaml", "one `sum`", "one [sum](01-the-sum.md)", "content/terms.yaml:3", "no entry"),
        ("content/terms.yaml", "text: The", "text: '# The'", "content/terms.yaml:3", "is not valid YAML"),
        ("content/terms.yaml", "text: The numbers that", "text: <br>", "content/terms.yaml:3", "raw HTML"),
        ("content/terms.yaml", "row:\n", "my row:\n", "content/terms.yaml:1", "cannot name an entry"),
        ("content/terms.yaml", "row:\n", "terms:\n", "content/terms.yaml:2", "has a part of that name"),
        ("content/terms.yaml", "term: row", "term: 5 ms", "content/terms.yaml:2", "'5 ms'"),
        ("content/terms.yaml", "row:\n", "a:\n  term: Row\n  text: A.\nrow:\n", "content/terms.yaml:5", "already, a"),
        ("content/glossary.yaml", "SHFL:", "Shfl:", "content/glossary.yaml:1", "cannot name an entry"),
        ("content/glossary.yaml", "class: move", "class: moves", "content/glossary.yaml:3", "class"),
        ("content/glossary.yaml", "Hands a", "In 4 cycles, hands a", "content/glossary.yaml:4", "'4 cycles'"),
        ("content/glossary.yaml", "the lane whose", "2 ms, the lane whose", "content/glossary.yaml:6", "'2 ms'"),
        ("content/site.yaml", "A site of", "1.5x faster, a site of", "content/site.yaml:2", "'1.5x'"),
        ("content/site.yaml", "title: Mini", "title: '{value}`card.sms`'", "content/site.yaml:1", "is no role here"),
        ("content/site.yaml", "title: Mini", 'title: "Mi\\x01ni"', "content/site.yaml:1", "U+0001"),
        ("content/site.yaml", "title: Mini", "title: Mi\x7fni", "content/site.yaml:1", "U+007F"),
        (ONE, "Each ", "Each \x02 ", f"{ONE}:3", "U+0002"),
        (HEAD, "title: Sums", "title: 3 GB/s of sums", f"{HEAD}:1", "'3 GB/s'"),
        (HEAD, "A matrix", "In 3 ms, a matrix", f"{HEAD}:4", "'3 ms'"),
        (HEAD, "A matrix", "A [b](#a-flor) matrix", f"{HEAD}:4", "did you mean a-floor?"),
        (HEAD, "lede: A", "lede: |\n  # Head\n\n  A", f"{HEAD}:4", "is one paragraph"),
        ("content/terms.yaml", "one `sum` is", "3 ms is", "content/terms.yaml:3", "'3 ms'"),
        ("content/glossary.yaml", "class: move", "class: [move]", "content/glossary.yaml:3", "class"),
        ("content/site.yaml", "title: Mini", "title: &a Mini", "content/site.yaml:1", "anchors and aliases"),
        (ONE, "# The sum", "The sum", f"{ONE}:1", "starts with its title"),
    ],
)  # fmt: skip
def test_front_matter_is_strict(site, file, old, new, place, part):
    site.edit(file, old, new)
    assert any(fault.startswith(f"{place}: ") and part in fault for fault in site.faults()), site.faults()


@pytest.mark.parametrize(
    ("file", "content", "part"),
    [
        ("content/sums/three.md", "# Three", "NN-slug.md"),
        ("content/sums/03-three.md", b"# Three\n\xff", "byte 0xff is not UTF-8"),
        ("content/sums/03-three.md", b"# Three\n" + b"x" * 500_000, "at most 400,000"),
        ("content/docs/article.yaml", "title: Docs", "none of assets, claims"),
        ("content/empty/article.yaml", "title: Empty\nsubject: sums\norder: 9\nlede: Nothing.", "holds no chapter"),
    ],
)
def test_files_that_cannot_be_chapters(site, file, content, part):
    site.write(file, content)
    assert any(part in fault for fault in site.faults()), site.faults()


def test_a_site_without_articles_says_so(site):
    shutil.rmtree(site.root / "content/sums")
    assert any("holds no article" in fault for fault in site.faults())


def test_line_ends_and_byte_order_marks_of_other_systems_are_read(site):
    path = site.root / ONE
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert site.faults() == []


@pytest.mark.parametrize(
    "text",
    ["5 ms", "5ms", "1,024 KB", "16 bytes", "16-byte", "3.5 GB/s", "100 %", "100%", "58 times", "1980 MHz", "700 W",
     ".5 µs", "1.5x faster", "1.5×", "1.5 × faster", "20 TFLOPs", "12 MB/sec", "3 min", "3 hours", "2 h",
     "8 GB per second", "5 Gb/s", "40 Gbps", "20 TOPS", "1e3 ms", "2×10^3 ms", "3·10⁻³ s", "2,5 ms", "½ ms", "2½ ms",
     "10-fold", "tenfold", "400 cycles", "300 launches a second", "7 nm", "11 pixels", "3 MB/launch", "5\nms",
     "2–3 ms", "1.5\u202fms", "20 W", "3 J", "16 B", "64 kB", "2 kilobytes", "5 ‰", "1.5x",
     "40 °C", "9.27 µs", "9.27 μs", "312 TFLOP/s", "2 seconds", "40\u00a0ns", "10 to 20 ms", "5 percent"],
)  # fmt: skip
def test_a_literal_with_a_unit_is_found(text):
    assert check_literals(f"It is {text}, they say.", "f", 3)[0].line == 3


@pytest.mark.parametrize(
    "text",
    ["16 × 4096", "8 warps", "FP16", "fp32 values", "4096 rows", "rung 6", "W is 4096 wide", "two times", "16 bits",
     "the 1990s", "8x8 tiles", "16 × N", "16 x K columns", "2 + 3", "4 cells of B in 2", "a 16 by 16 tile",
     "sm_90", "3 of 8", "32 threads", "m16n8k16", "1st", "v2", "chapter 5. When", "K-slice 32 Walks"],
)  # fmt: skip
def test_a_plain_number_is_left_alone(text):
    assert check_literals(f"It is {text}, they say.", "f", 1) == []


@pytest.mark.parametrize(
    "head", ["ms", "time (ms)", "cold, µs", "GB/s", "share, %", "bytes", "rate [TFLOP/s]", "cycles"]
)
@pytest.mark.parametrize("cell", ["12.5", "~5", "1e3", "½", "2–3", "`7`"])
def test_a_number_below_its_unit_is_found(head, cell):
    faults: list = []
    parse_document(f"# T\n\n| rung | {head} |\n|---|---|\n| a | b |\n| b | {cell} |\n", "f", faults)
    assert [fault.line for fault in faults] == [6], faults


@pytest.mark.parametrize(
    "head", ["rows", "B", "W", "times", "rung", "how many times", "min and max", "in GB/s or so, b"]
)
def test_a_number_below_a_word_is_left_alone(head):
    faults: list = []
    parse_document(f"# T\n\n| {head} |\n|---|\n| 12 |\n| {{definition}}`5` |\n", "f", faults)
    assert faults == []


def test_literals_in_code_and_roles_are_not_prose():
    faults: list = []
    parse_document("# T\n\n`5 ms` and {definition}`16 bytes` and\n\n```\n7 ns\n```\n", "f", faults)
    assert faults == []


def test_emphasis_does_not_hide_a_literal():
    faults: list = []
    parse_document("# T\n\nIt takes **5** ms.\nOr `5` ms.\n", "f", faults)
    assert [fault.line for fault in faults] == [3, 4]


def test_html_in_a_chapter_is_text_where_it_is_marked_as_text(site):
    site.append(ONE, "`<script>alert(1)</script>` & \\<b>bold\\</b>")
    html = site.build().files["sums/index.html"]
    assert "<code>&lt;script&gt;alert(1)&lt;/script&gt;</code> &amp; &lt;b&gt;bold" in html


def test_headings_become_sections():
    faults: list = []
    document = parse_document(
        "T\n===\n\n## Same\n\na\n\n### Deep `x`\n\n## Same\n\nb\n\n7. Odd &\n*even*\n---\n\n## 7. `f` & *g*\n",
        "f",
        faults,
        "start",
    )
    assert faults == []
    assert [part.title for part in document.parts] == ["T", "Same", "Same", "7. f & g"]
    assert document.parts[-1].title_html == "7. <code>f</code> &amp; <em>g</em>"
    assert [heading.slug for heading in document.headings] == ["start", "same", "deep-x", "same", "f-g"]
    assert [heading.line for heading in document.headings] == [1, 4, 8, 10, 18]
    assert str(document.parts[1].pieces[2]).startswith('">Deep <code>x</code></h4>')


def test_nested_directives_and_options_are_parsed():
    faults: list = []
    text = (
        ":::::{note} A\n::::{claim} card.sms > 1\nyes {value}`card.sms`\n"
        ":::{otherwise}\nno\n:::\n::::\n:::::\n\n:::{figure} f\n:a-b: c d\n:::"
    )
    document = parse_document(f"# T\n\n{text}\n", "f", faults)
    note, claim, _, figure = nodes_of(document.parts[0].pieces)
    assert isinstance(note, Directive)
    assert isinstance(claim, Directive)
    assert isinstance(figure, Directive)
    assert (claim.argument, claim.line, claim.otherwise) == ("card.sms > 1", 4, ("<p>no</p>\n",))
    assert "no" not in str(claim.body[-1])
    assert figure.options == {"a_b": "c d"}
    assert faults == []


def test_slugs_and_files():
    assert slugify("7. Splitting the sum") == "splitting-the-sum"
    assert slugify("Überall, C++!") == "überall-c"
    assert slugify("概要") == "概要"
    assert slugify("Ελληνικά") == "ελληνικά"
    assert slugify("हिन्दी") == "हिन्दी"
    assert slugify("🚀") == slugify("2026") == "part"
    assert slug_of("06_async_copy.loads_only.cu") == "async_copy.loads_only"
    assert slug_of("notes.txt") == ""


def test_code_is_coloured_line_by_line_and_escaped():
    lines = highlight('#include <a.h>\n/* two\nlines */ int x = 0x1F; // <b>\nf("s & t");')
    assert lines[0] == '<span class="tok-p">#include &lt;a.h&gt;</span>'
    assert lines[1] == '<span class="tok-c">/* two</span>'
    assert lines[2].startswith(
        '<span class="tok-c">lines */</span> <span class="tok-k">int</span> x = <span class="tok-n">0x1F'
    )
    assert lines[2].endswith('<span class="tok-c">// &lt;b&gt;</span>')
    assert lines[3] == 'f(<span class="tok-s">"s &amp; t"</span>);'
