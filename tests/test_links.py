"""Has every page each id once, and does every link lead somewhere, or else to a fault with its line?"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

import pytest

from publisher.pages.links import link_faults
from publisher.source.places import OWN_IDS, OWN_STARTS, is_own
from tests.conftest import ROOT
from tests.mini.copies import MiniSite
from tests.sample_site import write_site

ONE, TWO = "content/sums/01-the-sum.md", "content/sums/02-two-rungs.md"
HEAD, TERMS = "content/sums/article.yaml", "content/terms.yaml"
PAGE = "sums/mini-alpha/index.html"


@pytest.fixture
def site(tmp_path: Path) -> MiniSite:
    return MiniSite(tmp_path)


def ids(html: str | bytes) -> list[str]:
    return re.findall(r'\sid="([^"]+)"', str(html))


def contents(html: str | bytes) -> list[str]:
    """What the table of contents leads to."""
    toc = re.search(r'<nav class="toc".*?</nav>', str(html), re.DOTALL)
    assert toc
    return re.findall(r'href="#([^"]+)"', toc[0])


def href(html: str | bytes, text: str) -> str:
    """Where the link with this text leads."""
    found = re.search(rf'<a[^>]* href="([^"]*)"[^>]*>{re.escape(text)}</a>', str(html))
    assert found, text
    return unquote(found[1])


# ---- ids -----------------------------------------------------------------------------------------------------------


def test_every_page_of_every_site_has_each_id_once(articles_site: Path, tmp_path: Path) -> None:
    mini = MiniSite(tmp_path / "mini").build().files
    texts = {name: str(text) for name, text in mini.items() if name.endswith(".html")}
    for folder in (articles_site, write_site(tmp_path / "sample")):
        texts |= {str(path): path.read_text(encoding="utf-8") for path in folder.rglob("*.html")}
    assert len(texts) > 10
    for name, text in texts.items():
        assert [id for id, count in Counter(ids(text)).items() if count > 1] == [], name


def test_a_heading_of_two_chapters_has_its_chapters_slug_in_front(site: MiniSite) -> None:
    for file in (ONE, TWO):
        site.append(file, "## Setup\n\nText.\n\n### Deep\n\nText.\n\n[up](#setup)")
    site.append(ONE, "## Setup\n\nAgain.")
    site.edit(ONE, "[up](#setup)", "[up](#deep)")
    html = site.build().files[PAGE]
    headings = ["the-sum-setup", "the-sum-deep", "the-sum-setup-2", "two-rungs-setup", "two-rungs-deep"]
    assert [id for id in ids(html) if "setup" in id or "deep" in id] == headings
    assert [id for id in contents(html) if "setup" in id] == [headings[0], headings[2], headings[3]]
    found = re.findall(r'<a href="#([^"]+)">up</a>', str(html))
    assert found == ["the-sum-deep", "two-rungs-setup"]  # a link means its own chapter's


def test_a_link_to_one_of_several_says_which(site: MiniSite) -> None:
    for file in (ONE, TWO):
        site.append(file, "## Setup")
    line = site.append("content/sums/01-the-sum.md", "## Setup\n\nSee [there](#setup).") + 2
    site.edit(HEAD, "A matrix", "A [matrix](#setup)")
    several = "#the-sum-setup, #the-sum-setup-2"
    of_lede, of_chapter = site.faults()[::-1]
    assert of_chapter.startswith(f"{ONE}:{line}: ")
    assert of_chapter.endswith(f"of which there are several; name one: {several}")
    assert of_lede.startswith(f"{HEAD}:4: ")
    assert of_lede.endswith(f"{several}, #two-rungs-setup")
    site.edit(ONE, "[there](#setup)", "[there](#the-sum-setup-2) or [here](02-two-rungs.md#setup)")
    site.edit(HEAD, "(#setup)", "(02-two-rungs.md#setup)")
    files = site.build().files
    assert href(files[PAGE], "there") == "#the-sum-setup-2"
    assert href(files[PAGE], "here") == "#two-rungs-setup"
    assert href(files["index.html"], "matrix") == "sums/index.html#two-rungs-setup"


@pytest.mark.parametrize(
    ("heading", "id"),
    [
        ("## Main", "the-sum-main"),
        ("## Figures", "the-sum-figures"),
        ("## Fig bandwidth", "the-sum-fig-bandwidth"),
        ("## Claim two rungs 1", "the-sum-claim-two-rungs-1"),
        ("## Two rungs", "the-sum-two-rungs"),  # a chapter has it
        ("## Über alles", "über-alles"),
        ("## 概要", "概要"),
        ("## Ελληνικά", "ελληνικά"),
        ("## 🚀", "part"),
        ("## 2026", "part"),
        ("Below\n-----", "below"),
        ("## `a.b` and *c*", "a-b-and-c"),
    ],
)
def test_a_heading_has_an_id_that_nothing_else_has(site: MiniSite, heading: str, id: str) -> None:
    site.append(ONE, f"{heading}\n\n[to it](#{id})")
    html = site.build().files[PAGE]
    assert id in contents(html)
    assert ids(html).count(id) == 1
    assert href(html, "to it") == f"#{id}"


def test_a_chapter_named_as_a_part_of_the_page_is_still_found(site: MiniSite) -> None:
    site.write("content/sums/03-figures.md", "# Figures of mine\n\nText. [Back](01-the-sum.md)\n")
    site.append(ONE, "See [them](03-figures.md).")
    html = site.build().files[PAGE]
    assert ids(html).count("chapter-figures") == 1
    assert href(html, "them") == "#chapter-figures"
    assert href(html, "Back") == "#the-sum"


def test_two_chapters_cannot_have_one_address(site: MiniSite) -> None:
    site.write("content/sums/03-the-sum.md", "# Another\n")
    assert any(
        fault == f"content/sums/03-the-sum.md:1: has the address #the-sum, as {ONE} has; rename one of the two files"
        for fault in site.faults()
    )


def test_the_ids_that_pages_have_of_themselves_are_known() -> None:
    """Those of templates and scripts: a heading must not get one."""
    for path in (*(ROOT / "site/templates").glob("*.html"), *(ROOT / "site/scripts").rglob("*.js")):
        text = path.read_text(encoding="utf-8")
        for id in re.findall(r'\bid="([^"{]+)["{]|\.id = "([^"]+)"', text):
            assert is_own("".join(id)), path
    kinds = re.findall(r'\("(\w+)", "\w+"\)', (ROOT / "site/templates/glossary.html").read_text(encoding="utf-8"))
    assert {f"{kind}s" for kind in kinds} <= set(OWN_IDS)
    assert "fig-" in OWN_STARTS


def test_an_id_that_stands_twice_is_a_fault_of_the_chapter_that_made_it(site: MiniSite) -> None:
    line = site.append(ONE, ":::{figure} bandwidth\n:id: bandwidth-title\n:::")
    assert any(
        fault.startswith(f"{ONE}:{line}: the id fig-bandwidth-title stands twice in the page sums/")
        for fault in site.faults()
    )


# ---- links ---------------------------------------------------------------------------------------------------------


def test_links_of_sentences_that_moved_lead_back_to_their_article(site: MiniSite) -> None:
    site.edit(HEAD, "A matrix", "A [matrix](#a-floor) of {step}`bandwidth/warp|the warp`")
    site.edit(
        TWO,
        "The warp is ",
        "The [warp](#fig-bandwidth/warp), [floor](01-the-sum.md#a-floor), {step}`bandwidth/plain` is ",
    )
    files = site.build().files
    assert href(files[PAGE], "matrix") == "#a-floor"
    assert href(files["index.html"], "matrix") == "sums/index.html#a-floor"
    assert href(files["index.html"], "the warp") == "sums/index.html#fig-bandwidth/warp"
    claims = files["claims/index.html"]
    assert href(claims, "warp") == f"../{PAGE}#fig-bandwidth/warp"
    assert href(claims, "floor") == f"../{PAGE}#a-floor"
    assert href(claims, "Plain rung") == f"../{PAGE}#fig-bandwidth/plain"


def test_a_link_to_a_step_that_this_card_lacks_leads_to_the_figure(site: MiniSite) -> None:
    site.append(ONE, "See [the step](#fig-bandwidth/warp) and [the claim](#claim-two-rungs-1).")
    (site.root / "recordings/mini-beta/sums/times.yaml").unlink()
    from tests.mini import cards

    cards.write(site.root / "recordings", cards.BETA, "code", cards.code())
    files = site.build().files
    assert href(files[PAGE], "the step") == "#fig-bandwidth/warp"
    assert href(files["sums/mini-beta/index.html"], "the step") == "#fig-bandwidth"
    assert href(files["sums/mini-beta/index.html"], "the claim") == "#claim-two-rungs-1"


def test_a_claim_has_one_address_on_all_cards(site: MiniSite) -> None:
    """Though a claim inside another's text stands on some cards only, and cannot be linked to."""
    inner = ":::{claim} card.sms > 0\nMany.\n:::\n"
    site.edit(TWO, "The warp gains nothing", f"{inner}\nThe warp gains nothing")
    site.edit(TWO, ":::{otherwise}", "::::{otherwise}")
    site.edit(TWO, ":::\n::::\n", "::::\n:::::\n")
    site.edit(TWO, "::::{claim} faster", ":::::{claim} faster")
    files = site.build().files
    own = {card: [id for id in ids(files[f"sums/{card}/index.html"]) if id.startswith("claim-")] for card in
           ("mini-alpha", "mini-beta")}  # fmt: skip
    assert own == {
        "mini-alpha": ["claim-two-rungs-1", "claim-two-rungs-3"],
        "mini-beta": ["claim-two-rungs-1", "claim-two-rungs-2", "claim-two-rungs-3"],
    }
    line = site.append(ONE, "[It](#claim-two-rungs-2)")
    assert site.faults()[0].startswith(f"{ONE}:{line}: the link leads to #claim-two-rungs-2, which is no place")


def test_links_by_reference_are_links_inside_directives_too(site: MiniSite) -> None:
    site.append(ONE, ":::{note}\nSee [the floor][f].\n:::\n\n[f]: #a-floor")
    assert href(site.build().files[PAGE], "the floor") == "#a-floor"
    line = site.append(ONE, "[f]: #the-sum")
    assert f"{ONE}:{line}: [f] is defined a second time; give it another name" in site.faults()


def test_terms_link_to_each_other(site: MiniSite) -> None:
    site.edit(TERMS, "one `sum`", "one [sum](#sum), of {definition}`4 bytes`")
    site.append(TERMS, "sum:\n  term: sum\n  text: All of a [row](#row), see [SHFL](#op-shfl).")
    html = str(site.build().files["glossary/index.html"])
    assert 'The numbers that one <a href="#sum">sum</a>, of <span class="definition">4 bytes</span> is' in html
    assert 'All of a <a href="#row">row</a>, see <a href="#op-shfl">SHFL</a>.' in html


def test_every_dead_link_of_written_pages_is_found() -> None:
    files = {
        "index.html": '<a href="a/index.html#there">a</a><a href="#here">b</a><script src="assets/x.js"></script>',
        "a/index.html": '<h2 id="there">x</h2>\n<a href="../gone.html">c</a><a href="../index.html">d</a>'
        '<a href="https://example.org/#x">e</a><p id="two"><p id="two"><a href="#there?q=1">f</a>',
    }
    found = [(fault.file, fault.line, fault.what.split(";")[0]) for fault in link_faults(files, ["assets/x.js"], [])]
    assert found == [
        ("index.html", 1, "the page index.html links to #here, which is no place there"),
        ("a/index.html", 2, "the page a/index.html links to ../gone.html, which is no file of the site"),
        ("a/index.html", 2, "the id two stands twice in the page a/index.html"),
    ]
    assert len(link_faults(files, [], [])) == 4


def test_search_leads_to_places_that_are_there(site: MiniSite) -> None:
    site.append(ONE, "## Main\n\nThe {term}`row` takes {value}`sums.plain.cold`.")
    folder = site.root / "staging"
    files = site.build().files
    rows = (next((folder / "assets").glob("search-index.*.js"))).read_text(encoding="utf-8")
    assert '["Main","section","sums/index.html#the-sum-main","The row takes …."]' in rows
    for file, fragment in re.findall(r'"([\w/]+\.html)#([^"]+)"', rows):
        assert fragment in ids(files[file]), (file, fragment)
