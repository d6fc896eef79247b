"""Is all that an author wrote on the page, or named as a fault with its line? For chapters that Hypothesis makes up."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.generated.chapters import Text, chapters
from tests.generated.held import Site

CHAPTER, PAGE = "content/sums/03-made-up.md", "sums/index.html"
# What Markdown or a chapter gives a meaning to, and letters, so that some of it forms something by chance.
SIGNS = [*"#*_`~[](){}<>!|\\-+=:;.,&$%^@/'\"?1230 \t\n", "é", "漢", "\u0300", "\u200f", "\u2028", "\x0b", "\x00"]
RUNS = ["word", "{value}", "```", ":::", "::::{note}", "<!--", "-->", "](#a-floor)", "https://example.org", "[^1]"]
RUNS += ["\r\n", "&lt;", "\n\n"]


def assert_shown_or_at_fault(site: Site, text: Text) -> None:
    site.mini.write(CHAPTER, text.source)
    got = site.publish()
    if got.faults:
        return
    page = got.page(PAGE)
    missing = [word for word in text.words if word not in page]
    assert not missing, f"{missing} were dropped from:\n{text.source}"
    for code in text.exact:
        assert code in page or code.replace("\n", " ") in page, f"{code!r} is not to the letter in:\n{text.source}"
    chapter = page[page.rindex(f"{text.words[0]}\n") if f"{text.words[0]}\n" in page else 0 :]
    _in_order(text, chapter)


def _in_order(text: Text, page: str) -> None:
    place = 0
    for word in text.in_order()[1:]:
        found = page.find(word, place)
        assert found >= 0, f"{word} does not come in its order from:\n{text.source}"
        place = found


@given(text=chapters())
@settings(max_examples=700)
def test_what_a_chapter_says_is_shown_or_at_fault(site: Site, text: Text) -> None:
    assert_shown_or_at_fault(site, text)


@given(parts=st.lists(st.sampled_from(SIGNS + RUNS), min_size=1, max_size=40))
@settings(max_examples=500)
def test_no_run_of_letters_is_lost_whatever_stands_around_it(site: Site, parts: list[str]) -> None:
    source = "# A title\n\n" + "".join(parts) + "\n"
    site.mini.write(CHAPTER, source)
    got = site.publish()
    if not got.faults:
        wanted = re.sub(r"&\w+;", " ", source).count("word")
        assert got.page(PAGE).count("word") >= wanted, source
