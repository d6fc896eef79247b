"""How do tests read a site? A local server, Chromium, pages that must stay silent, and what a figure shows."""

from __future__ import annotations

import functools
import http.server
import importlib.util
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from publisher.build import Builder, Options
from publisher.output import write_files
from publisher.pictures.chromium import chromium
from tests.fonts import chosen_set, font_set

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Locator, Page

ROOT = Path(__file__).parents[1]
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
if not AXE.exists() and (found := importlib.util.find_spec("axe_playwright_python")) and found.origin:
    AXE = next(Path(found.origin).parent.rglob("axe.min.js"), AXE)
PATIENCE_MS = 60_000  # until what a test waits for is taken to never come: a machine may be busy

# Resolves with the place of an element in the window once it has stood still for a while.
STAND_STILL = """async (found, frames) => {
  let [last, same] = [NaN, 0];
  while (same < (frames ?? 40)) {
    await new Promise(requestAnimationFrame);
    const { top } = found.getBoundingClientRect();
    same = Math.abs(top - last) <= 1 ? same + 1 : 0;
    last = top;
  }
  return last }"""
# Resolves once nothing is left that a page does by itself.
REST = """async () => {
  await Rungbook.later();
  for (let times = 0; times < 3; times++) {
    await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
    await new Promise(done => requestIdleCallback(done));
  } }"""


def write_articles(folder: Path, fixture_cards: Path) -> Path:
    """The repository's own site in ``folder``: of the recordings here, or of the fixture cards where there are none."""
    recordings = ROOT / "recordings"
    any_card = any(path.name != "published" and any(path.rglob("times.yaml")) for path in recordings.iterdir())
    folder.mkdir()
    built = Builder(Options(recordings=recordings if any_card else fixture_cards, allow_stale=True)).build(folder)
    write_files(folder, built.files)
    return folder


def pages_once(site: Path) -> list[str]:
    """Every page but those of an article's own address, where the page of its default card stands once more."""
    pages = [path for path in sorted(site.rglob("index.html")) if path.parent == site or not [*path.parent.glob("*/")]]
    return [path.relative_to(site).as_posix() for path in pages]


def pages_with_figures(site: Path) -> list[str]:
    """Every page that has figures, once: the default card's stands at the article's address too."""
    pages = [path for path in sorted(site.glob("*/*/index.html")) if "<rb-figure" in path.read_text(encoding="utf-8")]
    assert pages
    return [path.relative_to(site).as_posix() for path in pages]


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a local server that has ``folder`` below a sub-path."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None: ...

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder.parent)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/{folder.name}/"
    finally:
        server.shutdown()


def chromium_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """The body of a fixture; skips where there is no Chromium."""
    yield from browser_with_fonts(chosen_set(), tmp_path_factory.mktemp("fonts"))


def browser_with_fonts(name: str, folder: Path) -> Iterator[Browser]:
    """The same with the fonts of one set; ``folder`` is an empty one."""
    playwright = pytest.importorskip("playwright.sync_api")
    playwright.expect.set_options(timeout=PATIENCE_MS)
    found = chromium(font_set(name, folder))
    try:
        browser = found.__enter__()
    except playwright.Error as error:
        pytest.skip(f"no Chromium here: {error.message.splitlines()[0]}")
    yield browser
    found.__exit__(None, None, None)


class Visits:
    """Pages of one test. What they complain of, and every address outside the site that they ask for, is collected."""

    def __init__(self, browser: Browser, address: str, path: str) -> None:
        self.browser, self.address, self.path = browser, address, path
        self.contexts: list[BrowserContext] = []
        self.troubles: list[str] = []

    def open(self, path: str | None = None, base: str | None = None, **options: Any) -> Page:
        base = base or self.address
        options = {"viewport": {"width": 1280, "height": 900}} | options
        context = self.browser.new_context(**options)
        self.contexts.append(context)
        page = context.new_page()
        page.on("console", lambda said: self.troubles.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        inside = (base, "data:", "blob:")
        page.on("request", lambda asked: self.troubles.append(asked.url) if not asked.url.startswith(inside) else None)
        page.goto(base + (self.path if path is None else path))
        return page


@contextmanager
def open_visits(browser: Browser, address: str, path: str) -> Iterator[Visits]:
    visits = Visits(browser, address, path)
    yield visits
    for context in visits.contexts:
        context.close()
    assert visits.troubles == []


def figure(page: Page, name: str) -> Locator:
    return page.locator(f"#fig-{name}")


def press(shown: Locator, action: str) -> None:
    shown.locator(f'[data-do="{action}"]').click()


def step_of(shown: Locator) -> str:
    """The slug of the step whose dot is marked; its caption must be the one that is seen."""
    assert shown.locator(".fig-captions > li:visible").count() == 1
    return shown.locator(".fig-dots [aria-current]").get_attribute("data-step") or ""


def drawn(shown: Locator) -> None:
    shown.locator(".fig-stage.is-live").wait_for(timeout=PATIENCE_MS)


def until(page: Page, condition: str) -> None:
    """Wait until an expression is true. Playwright's own way has the page evaluate text, which its policy refuses."""
    page.evaluate(
        f"""async patience => {{ const met = () => {condition}; const end = performance.now() + patience;
          while (!met()) {{ if (performance.now() > end) throw new Error(`never: ${{met}}`);
            await new Promise(done => setTimeout(done, 20)) }} }}""",
        PATIENCE_MS,
    )


def rest(page: Page) -> None:
    """Wait until nothing is left that a page does by itself."""
    page.evaluate(REST)


def watch_shifts(page: Page) -> None:
    """From now on, and also what was before: what the page moves without being asked."""
    page.evaluate(
        """() => { window.shifts = [];
          const add = entry => { if (!entry.hadRecentInput) window.shifts.push(entry.value) };
          const observer = new PerformanceObserver(list => list.getEntries().forEach(add));
          observer.observe({type: "layout-shift", buffered: true}) }"""
    )


def shifts(page: Page) -> list[float]:
    """What was seen since ``watch_shifts``, once the page rests."""
    rest(page)
    return page.evaluate("window.shifts")


def axe_faults(page: Page, within: str = "html", rules: Sequence[str] = ()) -> list[Any]:
    """What axe finds in parts of a page, every fold open, by all its rules or by some.

    The page's context must bypass its policy, which lets no other script in.
    """
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    page.add_script_tag(path=AXE)
    return page.evaluate(
        """async ([within, rules]) => {
          const found = await axe.run(within, { resultTypes: ["violations"], ...(rules.length && { runOnly: rules }) });
          return found.violations.map(fault => [fault.id, fault.nodes.map(node => node.html)]) }""",
        [within, list(rules)],
    )
