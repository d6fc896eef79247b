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
from publisher.pictures.chromium import launch_options
from tests.fonts import chosen_set, font_set

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Locator, Page, Playwright

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

        def end_headers(self) -> None:  # the names of scripts hold their content's hash; those of pages do not
            self.send_header("Cache-Control", "max-age=3600" if self.path.endswith(".js") else "no-cache")
            super().end_headers()

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder.parent)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/{folder.name}/"
    finally:
        server.shutdown()


class Chromium:
    """A headless Chromium with one profile, in which pages find what was fetched and compiled before.

    That makes opening a page several times as fast. What needs a context of its own gets it in a second process.
    """

    def __init__(self, playwright: Playwright, options: dict[str, Any], profile: Path) -> None:
        # Source positions are asked for at every load that a driver watches: finding them late costs a second parse.
        options["args"] = [*options["args"], "--js-flags=--no-enable-lazy-source-positions"]
        self.playwright, self.options = playwright, options
        self.context = playwright.chromium.launch_persistent_context(profile, viewport=None, **options)
        self._fresh: Browser | None = None

    @property
    def fresh(self) -> Browser:
        """A browser that knows nothing."""
        self._fresh = self._fresh or self.playwright.chromium.launch(**self.options)
        return self._fresh

    def page(self, viewport: Any = None, color_scheme: Any = "light") -> Page:
        """A page in the profile."""
        page = self.context.new_page()
        page.set_viewport_size(viewport or {"width": 1280, "height": 900})
        page.emulate_media(color_scheme=color_scheme)
        return page

    def close(self) -> None:
        self.context.close()
        if self._fresh:
            self._fresh.close()


def chromium_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    """The body of a fixture; skips where there is no Chromium."""
    yield from browser_with_fonts(chosen_set(), tmp_path_factory)


def browser_with_fonts(name: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    """The same with the fonts of one set. Every file of tests that one process runs has the same profile."""
    playwright = pytest.importorskip("playwright.sync_api")
    playwright.expect.set_options(timeout=PATIENCE_MS)
    options = launch_options(font_set(name, tmp_path_factory.mktemp("fonts")))
    with playwright.sync_playwright() as started:
        try:
            browser = Chromium(started, options, tmp_path_factory.getbasetemp() / f"profile-{name}")
        except playwright.Error as error:
            pytest.skip(f"no Chromium here: {error.message.splitlines()[0]}")
        yield browser
        browser.close()


class Visits:
    """Pages of one test. What they complain of, and every address outside the site that they ask for, is collected."""

    def __init__(self, browser: Chromium, address: str, path: str) -> None:
        self.browser, self.address, self.path = browser, address, path
        self.pages: list[Page] = []
        self.contexts: list[BrowserContext] = []
        self.troubles: list[str] = []

    def open(self, path: str | None = None, base: str | None = None, **options: Any) -> Page:
        """A page of the site; with options other than size and colours, in a context of its own."""
        base = base or self.address
        if options.keys() <= {"viewport", "color_scheme"}:
            page = self.browser.page(**options)
            self.pages.append(page)
        else:
            self.contexts.append(self.browser.fresh.new_context(**options))
            page = self.contexts[-1].new_page()
        page.on("console", lambda said: self.troubles.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        inside = (base, "data:", "blob:")
        page.on("request", lambda asked: self.troubles.append(asked.url) if not asked.url.startswith(inside) else None)
        page.goto(base + (self.path if path is None else path))
        return page

    def close(self) -> None:
        """Close all, and leave nothing of what a site was told to keep."""
        for context in self.contexts:
            context.close()
        if self.pages:
            devtools = self.pages[-1].context.new_cdp_session(self.pages[-1])
            origin = "/".join(self.address.split("/")[:3])
            devtools.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "local_storage"})
        for page in self.pages:
            page.close()


@contextmanager
def open_visits(browser: Chromium, address: str, path: str) -> Iterator[Visits]:
    visits = Visits(browser, address, path)
    yield visits
    visits.close()
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
    """What axe finds in parts of a page, every fold open, by all its rules or by some."""
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    page.evaluate(AXE.read_text(encoding="utf-8"))  # the page's policy lets no script in, but a driver is none
    return page.evaluate(
        """async ([within, rules]) => {
          const found = await axe.run(within, { resultTypes: ["violations"], ...(rules.length && { runOnly: rules }) });
          return found.violations.map(fault => [fault.id, fault.nodes.map(node => node.html)]) }""",
        [within, list(rules)],
    )
