"""Is every mistake of an author found, at once, with file, line, what exists instead and what to do?"""

from __future__ import annotations

import pytest

from publisher.content_reader import load_content  # noqa: F401 - imported first: a cycle would show here
from publisher.highlight import highlight
from publisher.markdown import parse_document, slugify
from publisher.nodes import Directive, nodes_of
from publisher.prose import check_literals
from publisher.snippets import slug_of
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
        ("[there](03-missing.md)", "leads to #missing"),
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
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_line(site, text, part):
    line = site.append(ONE, text)
    faults = [fault for fault in site.faults() if part in fault]
    assert faults, site.faults()
    assert faults[0].startswith(f"{ONE}:{line}: "), faults


def test_a_bar_that_cuts_a_table_is_found(site):
    line = site.append(ONE, "| a | b |\n|---|---|\n| {value}`sums.warp.cold|ms` | c |")
    (fault,) = site.faults()
    assert fault.startswith(f"{ONE}:{line + 2}: {{value}} has no text in back-ticks right after it")
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
        ("content/terms.yaml", "one `sum`", "one {value}`card.sms`", "content/terms.yaml:1", "no roles"),
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
    (site.root / "content/sums/article.yaml").unlink()
    assert any("holds no article" in fault for fault in site.faults())


def test_line_ends_and_byte_order_marks_of_other_systems_are_read(site):
    path = site.root / ONE
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert site.faults() == []


@pytest.mark.parametrize(
    "text",
    ["5 ms", "5ms", "1,024 KB", "16 bytes", "16-byte", "3.5 GB/s", "100 %", "100%", "58 times", "1980 MHz", "700 W",
     "40 °C", "9.27 µs", "9.27 μs", "312 TFLOP/s", "2 seconds", "40\u00a0ns", "10 to 20 ms", "5 percent"],
)  # fmt: skip
def test_a_literal_with_a_unit_is_found(text):
    assert check_literals(f"It is {text}, they say.", "f", 3)[0].line == 3


@pytest.mark.parametrize(
    "text",
    ["16 × 4096", "8 warps", "FP16", "fp32 values", "4096 rows", "rung 6", "W is 4096 wide", "two times", "16 bits",
     "sm_90", "3 of 8", "32 threads", "m16n8k16", "1st", "v2", "chapter 5. When", "K-slice 32 Walks"],
)  # fmt: skip
def test_a_plain_number_is_left_alone(text):
    assert check_literals(f"It is {text}, they say.", "f", 1) == []


def test_literals_in_code_and_roles_are_not_prose():
    faults: list = []
    parse_document("# T\n\n`5 ms` and {definition}`16 bytes` and\n\n```\n7 ns\n```\n", "f", faults)
    assert faults == []


def test_emphasis_does_not_hide_a_literal():
    faults: list = []
    parse_document("# T\n\nIt takes **5** ms.\n", "f", faults)
    assert [fault.line for fault in faults] == [3]


def test_html_in_a_chapter_is_text(site):
    site.append(ONE, "<script>alert(1)</script> & <b>bold</b>")
    html = site.build().files["sums/index.html"]
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &lt;b&gt;bold" in html


def test_headings_become_sections_with_unique_ids():
    faults: list = []
    document = parse_document(
        "# T\n\n## Same\n\na\n\n### Deep\n\n## Same\n\nb\n\n## 7. Odd & *even*\n", "f", faults, "start"
    )
    assert [part.id for part in document.parts] == ["start", "same", "start-same", "odd-even"]
    assert [part.title for part in document.parts] == ["T", "Same", "Same", "7. Odd & even"]
    assert "<h4>Deep</h4>" in str(document.parts[1].pieces[0])


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
    assert slugify("Überall, C++!") == "uberall-c"
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
