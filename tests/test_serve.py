"""Does a preview show what was touched, say what is wrong until it is mended, and leave alone what did not change?"""

from __future__ import annotations

import http.client
import json
import threading
import time
from pathlib import Path

import pytest

from publisher import serve as serving
from publisher.build import Builder
from publisher.pictures.chromium import chromium
from publisher.serve import Preview, changes, start_server
from tests.mini.copies import MiniSite

ONE = "content/sums/01-the-sum.md"


@pytest.fixture
def site(tmp_path):
    return MiniSite(tmp_path, {"lenient": True, "allow_stale": True})


@pytest.fixture
def preview(site):
    made = Preview(Builder(site.options))
    made.rebuild()
    yield made
    made.close()


@pytest.fixture
def port(preview):
    server = start_server(preview, 0)
    yield server.server_port
    server.shutdown()
    server.server_close()


def get(port: int, path: str) -> tuple[int, str, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", path)
    answer = connection.getresponse()
    return answer.status, answer.getheader("Content-Type", ""), answer.read().decode(errors="replace")


class Events:
    """The stream that an open page listens to."""

    def __init__(self, port: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        self.connection.request("GET", serving.EVENTS)
        self.answer = self.connection.getresponse()

    def next(self) -> dict:
        until = time.monotonic() + 10
        while time.monotonic() < until:
            line = self.answer.readline().decode()
            if line.startswith("data: "):
                return json.loads(line[6:])
        raise AssertionError("no event within 10 s")


def test_a_touched_chapter_changes_its_pages_alone(site, preview):
    site.append(ONE, "A new paragraph.")
    said = preview.rebuild()
    assert preview.changed == ("sums/index.html", "sums/mini-alpha/index.html", "sums/mini-beta/index.html")
    assert said.startswith("3 pages changed in ")
    assert "A new paragraph." in (preview.folder / "sums/index.html").read_text(encoding="utf-8")


def test_nothing_is_written_or_drawn_again_where_nothing_changed(site, preview, monkeypatch):
    drawn = dict(preview.builder.modules.drawn)
    before = {p: p.stat().st_mtime_ns for p in preview.folder.rglob("*") if p.is_file()}
    chapters = {place: kept.section for place, kept in preview.builder.chapters.items()}
    preview.rebuild()
    assert preview.changed == ()
    assert {p: p.stat().st_mtime_ns for p in preview.folder.rglob("*") if p.is_file()} == before
    assert all(preview.builder.modules.drawn[key] is drawn[key] for key in drawn)
    assert all(preview.builder.chapters[place].section is section for place, section in chapters.items())


def test_only_the_touched_chapter_is_woven_again(site, preview):
    kept = {place: chapter.section for place, chapter in preview.builder.chapters.items()}
    site.append(ONE, "A new paragraph.")
    preview.rebuild()
    again = {place for place, chapter in preview.builder.chapters.items() if chapter.section is not kept[place]}
    assert again == {("sums", "mini-alpha", "the-sum"), ("sums", "mini-beta", "the-sum")}


def test_a_kept_chapter_follows_its_recordings(site, preview):
    site.edit("recordings/mini-beta/sums/times.yaml", "rows: 4096", "rows: 8192")
    preview.rebuild()
    assert "8192" in (preview.folder / "sums/mini-beta/index.html").read_text(encoding="utf-8")
    assert "8192" not in (preview.folder / "sums/mini-alpha/index.html").read_text(encoding="utf-8")


def test_a_kept_chapter_follows_terms_and_kernels(site, preview):
    site.edit("content/terms.yaml", "one `sum` is made of", "one sum needs")
    site.edit("kernels/sums/01_plain.cu", "float sum = 0.0f;", "float total = 0.0f;")
    preview.rebuild()
    text = (preview.folder / "sums/index.html").read_text(encoding="utf-8")
    assert "one sum needs" in (preview.folder / "glossary/index.html").read_text(encoding="utf-8")
    assert "total" in text


def test_faults_come_and_go(site, preview):
    line = site.append(ONE, "{value}`sums.wrap.cold` takes 5 ms.")
    said = preview.rebuild()
    assert [fault.split(": ")[0] for fault in preview.faults] == [f"{ONE}:{line}"] * 2
    assert preview.faults[0] in said
    assert "takes 5 ms" in (preview.folder / "sums/index.html").read_text(encoding="utf-8")  # shown all the same
    preview.rebuild()
    assert len(preview.faults) == 2  # a chapter that is not parsed again keeps its faults
    site.edit(ONE, "{value}`sums.wrap.cold` takes 5 ms.", "Mended.")
    preview.rebuild()
    assert preview.faults == ()


def test_a_preview_outlives_a_site_that_cannot_be_read(site, preview):
    before = (preview.folder / "index.html").read_bytes()
    site.edit("content/site.yaml", "title: Mini", "title: [")
    preview.rebuild()
    assert preview.faults
    assert preview.faults[0].startswith("content/site.yaml:")
    assert (preview.folder / "index.html").read_bytes() == before
    site.edit("content/site.yaml", "title: [", "title: Maxi")
    preview.rebuild()
    assert preview.faults == ()
    assert "Maxi" in (preview.folder / "index.html").read_text(encoding="utf-8")


def test_a_changed_figure_module_is_loaded_again(site, preview):
    path = site.root / "content/sums/figures/bandwidth.py"
    site.edit("content/sums/figures/bandwidth.py", "How fast each rung reads", "How quickly each rung reads")
    assert preview.forget({path}) is False
    preview.rebuild()
    assert "How quickly each rung reads" in (preview.folder / "sums/index.html").read_text(encoding="utf-8")


def test_a_changed_template_renders_everything_again(preview):
    sections = {place: kept.section for place, kept in preview.builder.chapters.items()}
    assert preview.forget({serving.SITE / "templates" / "figure.html"}) is False
    assert preview.builder.assets is None
    preview.rebuild()
    assert all(preview.builder.chapters[place].section is not section for place, section in sections.items())
    assert preview.changed == ()  # the template is what it was


def test_the_publisher_itself_needs_a_new_process(preview):
    assert preview.forget({Path(serving.__file__)}) is True


def test_pages_are_served_with_the_reloading_script(preview, port):
    status, kind, html = get(port, "/sums/")
    assert (status, kind) == (200, "text/html; charset=utf-8")
    assert f'<script defer src="{serving.SCRIPT}?{preview.version}"></script></head>' in html
    assert "EventSource" in get(port, f"{serving.SCRIPT}?1")[2]
    assert serving.SCRIPT not in (preview.folder / "sums/index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "path", ["/nowhere/", "/nowhere.html", "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd"]
)
def test_what_is_not_there_is_404(port, path):
    assert get(port, path)[0] == 404


def test_an_open_page_hears_of_builds_and_faults(site, preview, port):
    events = Events(port)
    now = events.next()
    assert (now["version"], now["faults"]) == (preview.version, [])
    site.append(ONE, "It takes 5 ms.")
    threading.Thread(target=preview.rebuild).start()
    news = events.next()
    assert news["version"] == now["version"] + 1
    assert "sums/index.html" in news["changed"]
    assert "'5 ms'" in news["faults"][0]


def test_a_later_preview_has_a_higher_version(site, preview):
    time.sleep(0.002)
    other = Preview(Builder(site.options))
    assert other.version > preview.version
    other.close()


def test_changes_are_seen(site):
    seen = changes([site.root / "content"], poll_seconds=0.01)
    found: list[set[Path]] = []
    thread = threading.Thread(target=lambda: found.append(next(seen)), daemon=True)
    thread.start()
    time.sleep(0.1)
    (site.root / "content/.hidden.md").write_text("no", encoding="utf-8")
    (site.root / "content/picture.png").write_text("no", encoding="utf-8")
    time.sleep(0.05)
    assert thread.is_alive()
    site.append(ONE, "Touched.")
    thread.join(timeout=5)
    assert found == [{site.root / ONE}]


@pytest.fixture
def page():
    playwright = pytest.importorskip("playwright.sync_api")
    try:
        with chromium() as browser:
            yield browser.new_page()
    except playwright.Error as error:
        pytest.skip(f"no Chromium here: {error.message.splitlines()[0]}")


def test_an_open_page_takes_over_what_changed(site, preview, port, page):
    """In a browser: the touched section is replaced in place, faults show and go, a changed frame is loaded anew."""
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: message.type == "error" and errors.append(message.text))
    page.goto(f"http://127.0.0.1:{port}/sums/")
    page.locator("h1", has_text="Sums of rows").wait_for()
    page.wait_for_timeout(300)
    page.evaluate("document.body.dataset.loaded = 'once'")

    line = site.append(ONE, "A paragraph of 5 ms.")
    preview.rebuild()
    page.get_by_text("A paragraph of 5 ms.", exact=True).wait_for()
    page.locator("#build-faults", has_text=f"{ONE}:{line}: '5 ms'").wait_for()
    assert page.evaluate("document.body.dataset.loaded") == "once"

    site.edit(ONE, "A paragraph of 5 ms.", "Mended.")
    preview.rebuild()
    page.get_by_text("Mended.", exact=True).wait_for()
    page.locator("#build-faults").wait_for(state="detached")
    assert page.evaluate("document.body.dataset.loaded") == "once"

    site.edit(ONE, "## A floor", "## A ceiling")
    preview.rebuild()
    page.locator(".toc", has_text="A ceiling").wait_for(state="attached")
    assert errors == []


def test_a_taken_port_is_a_sentence(site, port, capsys):
    assert serving.serve(site.options, port) == 2
    assert f"port {port} cannot be used" in capsys.readouterr().err
