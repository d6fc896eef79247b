"""Does the site work in Firefox and in WebKit, from a server and from files? What Chromium's tests hold, once over."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browsing import pages_with_figures, served, write_articles
from tests.driven_page import DrivenPage, watch
from tests.other_browsers import ENGINES, BrowserError, NotHere, Session
from tests.sample_site import ARTICLE, PAGES, figures, write_site

WIDE, PHONE = (1280, 900), (375, 700)
STEP = 'return document.querySelector("#fig-rungs [aria-current]").dataset.step'
# Whether a figure's top is in view below the bar, and no longer moves. WebKit scrolls to the step's caption at the end.
TOP_IN_VIEW = """const {top} = document.getElementById(arguments[0]).getBoundingClientRect();
const still = window.stoodAt === top; window.stoodAt = top;
return still && top >= document.querySelector(".bar").getBoundingClientRect().bottom && top <= 144"""
FILL = 'return getComputedStyle(document.querySelector("#fig-rungs .fig-live .point path")).fill'


@pytest.fixture(scope="module", params=sorted(ENGINES))
def session(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    start = ENGINES[request.param](tmp_path_factory.mktemp(request.param))
    try:
        started = start.__enter__()
    except NotHere as error:
        pytest.skip(str(error))
    except BrowserError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"{request.param} does not start here: {error}")
    yield started
    start.__exit__(None, None, None)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return watch(write_site(tmp_path_factory.mktemp("sample") / "dist"))


@pytest.fixture(scope="module")
def articles(tmp_path_factory: pytest.TempPathFactory, whole_cards: Path) -> Path:
    return watch(write_articles(tmp_path_factory.mktemp("articles") / "dist", whole_cards))


@pytest.fixture(scope="module")
def sample_address(sample: Path) -> Iterator[str]:
    with served(sample) as url:
        yield url


@pytest.fixture(scope="module")
def articles_address(articles: Path) -> Iterator[str]:
    with served(articles) as url:
        yield url


def opened(session: Session, base: str) -> Iterator[DrivenPage]:
    """A wide window for one test; afterwards no page of it may have complained, and none may know what was chosen."""
    page = DrivenPage(session, base)
    page.leave()
    page.size(*WIDE)
    yield page
    troubles = page.troubles()
    page.ask("localStorage.clear(); sessionStorage.clear()")
    assert troubles == []


@pytest.fixture
def page(session: Session, sample_address: str) -> Iterator[DrivenPage]:
    yield from opened(session, sample_address)


@pytest.fixture(params=["http", "file"])
def either(request: pytest.FixtureRequest, session: Session, sample: Path, sample_address: str) -> Iterator[DrivenPage]:
    """From a server and from files: for what is fetched, and for what an address says."""
    yield from opened(session, sample_address if request.param == "http" else sample.as_uri() + "/")


@pytest.fixture
def article(session: Session, articles_address: str) -> Iterator[DrivenPage]:
    yield from opened(session, articles_address)


def later(page: DrivenPage) -> None:
    """Wait for the scripts that arrive when a page is idle."""
    page.wait("return Boolean(window.Rungbook?.openSearch)")


def drawn(page: DrivenPage, name: str) -> None:
    page.wait("return document.querySelector(arguments[0])", f"#fig-{name} .fig-stage.is-live .fig-live svg .point")


# ---- figures -----------------------------------------------------------------------------------------------------


def test_every_page_loads_and_its_pictures_stand_there(either: DrivenPage) -> None:
    for path in PAGES:
        either.open(path)
        assert either.ask("return document.title")
    either.open(ARTICLE)
    for name in figures():
        assert either.sees(f"#fig-{name} .fig-stage")
    assert either.sees("#fig-halves .fig-captions > .is-current")


def test_next_steps_and_plotly_draws(either: DrivenPage) -> None:
    either.open(ARTICLE)
    for name, made in figures().items():
        steps = next(iter(made.sequences.values()))
        either.click(f'#fig-{name} [data-do="next"]')
        drawn(either, name)
        assert either.text(f"#fig-{name} .fig-captions > .is-current b").startswith(steps[1].title)
        assert either.sees(f"#fig-{name} .fig-live svg")
    cold = either.ask("return window.Rungbook.colour('cold')")
    either.wait(f"{FILL} === arguments[0]", cold)


def test_keys_step(page: DrivenPage) -> None:
    page.open(ARTICLE)
    page.focus('#fig-rungs [data-do="next"]')
    for key, slug in (("ArrowRight", "two"), ("End", "five"), ("ArrowLeft", "four"), ("Home", "one")):
        page.press(key)
        assert page.ask(STEP) == slug


def test_a_link_to_a_step_is_followed_on_load(either: DrivenPage) -> None:
    either.open(ARTICLE + "#fig-rungs/three")
    assert either.ask(STEP) == "three"
    either.wait(TOP_IN_VIEW, "fig-rungs")
    drawn(either, "rungs")
    either.open(ARTICLE + "#fig-rungs:sass-2")
    either.wait("return document.querySelector('.code-note').textContent.includes('Multiplies and adds.')")


def test_back_and_forward_follow_links_in_prose(page: DrivenPage) -> None:
    page.open(ARTICLE)
    page.click(".step-link")
    assert page.ask(STEP) == "four"
    page.ask("location.hash = '#fig-rungs/two'")
    page.wait(f"{STEP} === 'two'")
    page.back()
    page.wait(f"{STEP} === 'four'")
    page.forward()
    page.wait(f"{STEP} === 'two'")


def test_a_choice_changes_what_is_shown(page: DrivenPage) -> None:
    page.open(ARTICLE)
    page.click('#fig-halves input[value="seven"]')
    page.wait("return location.hash.startsWith('#fig-halves/seven,cold')")
    assert page.ask("return document.querySelector('#fig-halves input[value=warm]').disabled")


def test_a_line_of_code_lights_its_partners_and_is_explained(page: DrivenPage) -> None:
    page.open(ARTICLE + "#fig-rungs/two")
    later(page)
    page.point('[id="fig-rungs:source-1"] code')
    partners = "return [...document.querySelectorAll('.is-partner')].map(line => line.id.split(':')[1])"
    page.wait(f"{partners}.length === 3")
    page.click('[id="fig-rungs:source-1"] code')
    page.wait("return document.querySelector('.code-note').textContent.includes('Adds one product.')")
    assert page.ask(partners) == ["source-1", "sass-1", "sass-2"]
    assert page.sees("#fig-rungs .code-note")
    page.wait("return location.hash === '#fig-rungs:source-1'")


# ---- the page ----------------------------------------------------------------------------------------------------


def test_a_number_and_a_word_say_more(page: DrivenPage) -> None:
    page.open(ARTICLE)
    later(page)
    page.point(".num")
    page.wait(
        "return document.querySelector('.hover-card')?.textContent === 'Recorded: Card A, median of 500 samples.'"
    )
    assert page.sees(".hover-card")
    page.move(5, 500)
    page.wait("return document.querySelector('.hover-card').hidden")
    page.focus(".term")
    page.wait("return document.querySelector('.hover-card').textContent === '32 threads that run together.'")
    page.press("Escape")
    page.wait("return document.querySelector('.hover-card').hidden")


def test_a_number_lights_its_datum(page: DrivenPage) -> None:
    page.open(ARTICLE + "#fig-rungs/five")
    drawn(page, "rungs")
    later(page)
    page.focus(".num")
    page.wait("return document.querySelectorAll('#fig-rungs .is-lit').length === 1")


def test_the_theme_changes_figures_too_and_is_kept(page: DrivenPage) -> None:
    page.open(ARTICLE + "#fig-rungs/two")
    drawn(page, "rungs")
    light, paper = page.ask(FILL), page.ask("return getComputedStyle(document.body).backgroundColor")
    page.click("[data-theme-switch]")
    page.click("[data-theme-switch]")
    assert page.ask("return document.documentElement.dataset.theme") == "dark"
    page.wait(f"{FILL} !== arguments[0]", light)
    assert page.ask("return getComputedStyle(document.body).backgroundColor") != paper
    page.reload()
    assert page.ask("return document.documentElement.dataset.theme") == "dark"


def test_search_opens_by_key_and_finds(either: DrivenPage) -> None:
    either.open(ARTICLE)
    either.press("/")
    either.wait("return document.querySelector('dialog.search')?.open")
    either.press("fastest")
    either.wait("return document.querySelectorAll('.search li').length === 1")
    either.press("Enter")
    either.wait("return location.hash === '#question' && !document.querySelector('dialog.search').open")
    either.click("[data-search-open]")
    either.wait("return document.querySelector('dialog.search').open")
    either.press("Escape")
    either.wait("return !document.querySelector('dialog.search').open")


def test_no_page_scrolls_sideways_on_a_phone(page: DrivenPage) -> None:
    page.size(*PHONE)
    for path in PAGES:
        page.open(path)
        assert page.ask("return document.documentElement.scrollWidth") <= PHONE[0], path


# ---- the articles ------------------------------------------------------------------------------------------------


# Whether a figure's first picture stands there, whether it is drawn when waked, and whether it steps on and to its end.
TO_THE_END = """const [id, done] = arguments; const figure = document.getElementById(id); let tries = 0;
const seen = found => { const {width} = found.getBoundingClientRect();
  return width && getComputedStyle(found).visibility === "visible" };
const pictured = () => [...figure.querySelectorAll(".fig-still, .fig-empty, .fig-live svg")].some(seen);
let first = false;
const look = () => {
  if (!figure.querySelector(".is-live .fig-live svg") && tries++ < 600) return requestAnimationFrame(look);
  for (const place of [1, figure.steps.length - 1]) figure.go(place);
  const drawn = [...figure.querySelectorAll(".is-live .fig-live svg")].some(seen);
  const last = figure.at === figure.steps.length - 1 && !figure.querySelector(".fig-trouble");
  done([first && "pictured", drawn && "drawn", last && "stepped"]) };
figure.scrollIntoView({behavior: "instant"}); // what is far away need not be laid out
requestAnimationFrame(() => requestAnimationFrame(() => { first = pictured(); figure.wake(); look() }));"""


def test_every_figure_of_every_article_is_drawn_and_steps(article: DrivenPage, articles: Path) -> None:
    for path in pages_with_figures(articles):
        article.open(path)
        for id in article.ask("return [...document.querySelectorAll('rb-figure')].map(figure => figure.id)"):
            told = article.session.command("ExecuteAsyncScript", script=TO_THE_END, args=[id])
            assert told == ["pictured", "drawn", "stepped"], id


def test_no_article_scrolls_sideways_on_a_phone(article: DrivenPage, articles: Path) -> None:
    article.size(*PHONE)
    for path in pages_with_figures(articles):
        article.open(path)
        assert article.ask("return document.documentElement.scrollWidth") <= PHONE[0], path


# Heights are estimates until a part is laid out: what is above a heading must not push it from its place.
FOLLOW = """const [id, done] = arguments;
[...document.querySelectorAll(".toc a")].find(link => link.hash === `#${id}`).click();
let [last, same, tries] = [null, 0, 0];
const look = () => {
  const [top, end] = [document.getElementById(id).getBoundingClientRect().top, document.documentElement.scrollHeight];
  same = scrollY + end + top === last ? same + 1 : 0; last = scrollY + end + top;
  if (same < 6 && tries++ < 300) return requestAnimationFrame(look);
  const place = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop);
  done(scrollY + innerHeight >= end - 1 ? Math.min(top - place, 0) : top - place) };
requestAnimationFrame(look);"""


@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_a_link_in_the_contents_leads_to_its_heading(
    article: DrivenPage, articles: Path, size: tuple[int, int]
) -> None:
    article.size(*size)
    for path in pages_with_figures(articles):
        article.open(path)
        links = article.ask("return [...document.querySelectorAll('.toc a')].map(link => link.hash.slice(1))")
        # From the end to the start, then onwards: over parts that were seen, and over others that were not.
        for id in [*reversed(links[1::8]), *links[::8]]:
            off = article.session.command("ExecuteAsyncScript", script=FOLLOW, args=[id])
            assert abs(off) <= 8, f"{path}#{id} is {off} px from its place"


@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_a_link_to_a_figure_shows_its_top(article: DrivenPage, articles: Path, size: tuple[int, int]) -> None:
    article.size(*size)
    for path in pages_with_figures(articles):
        article.open(path)
        steps = article.ask(
            "return [...document.querySelectorAll('rb-figure')].map(figure => [figure.id, figure.steps.at(-1).slug])"
        )
        for id, slug in steps[-1:] if size == PHONE else steps[3::7]:
            article.open(f"{path}#{id}/{slug}")
            article.wait(TOP_IN_VIEW, id)
            assert article.ask("return document.getElementById(arguments[0]).step.slug", id) == slug


def test_a_slider_asks_what_if(article: DrivenPage, articles: Path) -> None:
    path = next(
        path for path in pages_with_figures(articles) if 'data-driver="what-if"' in (articles / path).read_text()
    )
    article.open(path)
    panel = '.fig-panel[data-driver="what-if"]'
    article.wait("return document.querySelector(arguments[0])", f"{panel} summary")
    article.click(f"{panel} summary")
    article.wait("return document.querySelector(arguments[0])", f"{panel} input[type=range]")
    told, value = article.text(f"{panel} .what-if-said"), article.text(f"{panel} output")
    article.focus(f"{panel} input[type=range]")
    article.press("ArrowLeft")
    assert article.text(f"{panel} output") != value
    assert article.text(f"{panel} .what-if-said") != told
    article.wait("return location.hash.includes('?')")
