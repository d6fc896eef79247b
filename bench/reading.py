"""How fast does an article open, and how fast does a figure step?  python -m bench.reading

Opens a built page in Chromium through Playwright, plain and on a slow phone's terms, from a local server that sends
gzip as any static host does. Prints medians of a few runs beside what the project set itself. What a page fetches only
when it is idle, and nobody needs for reading, is set apart from the transfer at load: Plotly, the states of the
pictures after the first, and the scripts that can wait. Lighthouse, axe and the Nu checker are tools of their own and
are not run here.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.server import served
from publisher.pictures.chromium import chromium

ROOT = Path(__file__).resolve().parents[1]
VIEWPORT = {"width": 1280, "height": 900}
CPU_SLOWDOWN, LATENCY_MS, MBIT_S = 4, 562, 1.47
SETTLE_MS, SETTLE_SLOW_MS = 3_000, 14_000  # after load, until Plotly's idle fetch is over
WINDOW_MS = 1_500  # a new window of the browser has work of its own, which is not the page's
IN_VIEW_MS, IN_VIEW_SLOW_MS = 1_500, 4_000  # a figure stands in view before its first step is asked for
PACE_MS, PACE_SLOW_MS = 500, 2_000  # between steps, of a reader who looks at what each one shows
STEPS_A_FIGURE = 4  # at either pace
IDLE = ("plotly", "pictures", "later")  # how the names of files begin that are fetched when the page is idle


@dataclass(frozen=True)
class Target:
    """One measure in words, with the most that it may be, plain and slow."""

    key: str
    words: str
    most: float | None = None
    most_slow: float | None = None


TARGETS = (
    Target("transfer", "transfer at load, gzip, idle fetches apart, kB", 90, 90),
    Target("plotly", "idle: Plotly, gzip, kB"),
    Target("pictures", "idle: later states of the pictures, gzip, kB"),
    Target("later", "idle: scripts that can wait, gzip, kB"),
    Target("requests", "requests at load, idle fetches apart"),
    Target("fcp", "first contentful paint, ms", 150, 900),
    Target("lcp", "largest contentful paint, ms", 150, 900),
    Target("cls", "layout shift over load and a full scroll", 0, 0),
    Target("tbt", "total blocking time, ms", 20, 200),
    Target("first_step", "first step of a figure a moment in view, ms", 150, 1000),
    Target("cold_step", "first step by a reader who did nothing before, ms"),
    Target("step_script", "a later step, script, ms", 15),
    Target("step_painted", "a later step, painted, ms", 20),
    Target("hurried_script", "a later step hard on the one before, script, ms"),
    Target("hurried_painted", "a later step hard on the one before, painted, ms"),
)

OBSERVE = """
window.bench = { fcp: 0, lcp: 0, cls: 0, long: [] };
const watch = (type, use) =>
  new PerformanceObserver((list) => list.getEntries().forEach(use)).observe({ type, buffered: true });
watch("paint", (e) => { if (e.name === "first-contentful-paint") bench.fcp = e.startTime; });
watch("largest-contentful-paint", (e) => { bench.lcp = e.startTime; });
watch("layout-shift", (e) => { if (!e.hadRecentInput) bench.cls += e.value; });
watch("longtask", (e) => bench.long.push([e.startTime, e.duration]));
"""

SCROLL = """
async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight / 2) {
    scrollTo(0, y);
    await frame();
    await frame();
  }
  scrollTo(0, 0);
  await frame();
}
"""

# A click on Next until the drawing has settled (script) and until the frame that shows it was made (painted).
STEP = """
async (figure) => {
  const painted = () => new Promise((done) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = done;
    channel.port2.postMessage(0);
  }));
  const start = performance.now();
  figure.querySelector('[data-do="next"]').click();
  await (figure.plot?.drawing ?? figure.wake());
  const script = performance.now();
  await painted();
  return [script - start, performance.now() - start];
}
"""


@dataclass
class Reading:
    """Medians by key of ``TARGETS``, and the worst of those of which there were several."""

    medians: dict[str, float] = field(default_factory=dict)
    worst: dict[str, float] = field(default_factory=dict)


def main(arguments: Sequence[str] | None = None) -> int:
    asked = _parser().parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="rungbook-bench-") as folder:
        dist = asked.dist or _build(Path(folder) / "out", asked.recordings)
        page = asked.page or _some_article(dist)
        if page is None:
            print(f"{dist} holds no page with a figure; build the site, or name a page with --page.", file=sys.stderr)
            return 2
        with served(dist) as address, chromium() as browser:
            url = f"{address}/{page}"
            print(f"{page} in Chromium {browser.version}, medians of {asked.runs}")
            plain = _read(browser, url, asked.runs, slow=False)
            slow = _read(browser, url, asked.runs, slow=True)
    print("\n".join(table(plain, slow)))
    return 0


def _parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m bench.reading", description="Time the reading of an article.")
    made.add_argument("--dist", type=Path, metavar="DIR", help="a built site (otherwise one is built and thrown away)")
    made.add_argument("--recordings", type=Path, default=ROOT / "recordings", metavar="DIR", help="to build from")
    made.add_argument("--page", metavar="PATH", help="below the site's root (the page with the most figures)")
    made.add_argument("--runs", type=int, default=3, metavar="N", help="of each kind (%(default)s)")
    return made


def _build(out: Path, recordings: Path) -> Path:
    command = [
        sys.executable,
        "build.py",
        "--allow-stale",
        "--recordings",
        str(recordings.resolve()),
        "--out",
        str(out),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"build.py failed:\n{done.stdout}{done.stderr}")
    return out


def _some_article(dist: Path) -> str | None:
    figures = {path: path.read_text(encoding="utf-8").count("<rb-figure") for path in sorted(dist.rglob("*.html"))}
    best = max(figures, key=lambda path: figures[path], default=None)
    return str(best.relative_to(dist).as_posix()) if best and figures[best] else None


# ---- the browser -----------------------------------------------------------------------------------------------------


def _read(browser: Any, url: str, runs: int, slow: bool) -> Reading:
    """Several visits, each by a browser that has nothing in its cache."""
    visits = [_visit(browser, url, slow) for _ in range(runs)]
    reading = Reading()
    for target in TARGETS:
        values = [value for visit in visits for value in visit.get(target.key, [])]
        if values:
            reading.medians[target.key] = statistics.median(values)
            reading.worst[target.key] = max(values)
    return reading


def _visit(browser: Any, url: str, slow: bool) -> dict[str, list[float]]:
    """One reader who looks around and steps, then another who steps without having done anything before."""
    context, page, devtools = _open(browser, slow)
    sizes = _watch_network(devtools)
    page.add_init_script(OBSERVE)
    _go(page, url, slow)
    seen = page.evaluate("bench")
    blocking = sum(max(0.0, length - 50) for start, length in seen["long"] if start + length > seen["fcp"])
    found = {"fcp": [seen["fcp"]], "lcp": [seen["lcp"]], "tbt": [blocking]}
    kinds = {url: url.rsplit("/", 1)[-1].split(".")[0] for url in sizes}
    for kind in IDLE:
        found[kind] = [sum(size for url, size in sizes.items() if kinds[url] == kind) / 1e3]
    at_load = [size for url, size in sizes.items() if kinds[url] not in IDLE]
    found["transfer"] = [sum(at_load) / 1e3]
    found["requests"] = [float(len(at_load))]
    page.evaluate(SCROLL)
    found["cls"] = [page.evaluate("bench.cls")]
    found |= _steps(page, slow)
    context.close()
    context, page, _ = _open(browser, slow)
    _go(page, url, slow)
    found["cold_step"] = [page.evaluate(STEP, page.query_selector("rb-figure"))[1]]
    context.close()
    return found


def _open(browser: Any, slow: bool) -> tuple[Any, Any, Any]:
    """A context with an empty cache, its page, and its line to the developer tools; on a slow phone's terms or not."""
    context = browser.new_context(viewport=VIEWPORT)
    page = context.new_page()
    page.wait_for_timeout(WINDOW_MS)
    devtools = context.new_cdp_session(page)
    devtools.send("Network.enable")
    if slow:
        devtools.send("Emulation.setCPUThrottlingRate", {"rate": CPU_SLOWDOWN})
        rate = MBIT_S * 1e6 / 8
        line = {"offline": False, "latency": LATENCY_MS, "downloadThroughput": rate, "uploadThroughput": rate}
        devtools.send("Network.emulateNetworkConditions", line)
    return context, page, devtools


def _go(page: Any, url: str, slow: bool) -> None:
    page.goto(url, wait_until="load")
    page.wait_for_timeout(SETTLE_SLOW_MS if slow else SETTLE_MS)


def _watch_network(devtools: Any) -> dict[str, float]:
    """Bytes on the wire by URL, headers and all, filled as requests end."""
    urls: dict[str, str] = {}
    sizes: dict[str, float] = {}
    devtools.on("Network.requestWillBeSent", lambda e: urls.__setitem__(e["requestId"], e["request"]["url"]))

    def ended(event: dict[str, Any]) -> None:
        request = str(event["requestId"])
        url = urls.get(request, request)
        if not url.startswith(("data:", "blob:")):
            sizes[url] = sizes.get(url, 0.0) + event["encodedDataLength"]

    devtools.on("Network.loadingFinished", ended)
    return sizes


def _steps(page: Any, slow: bool) -> dict[str, list[float]]:
    """The first step of the first figure, then steps through all figures: at a reader's pace, then without a pause."""
    found: dict[str, list[float]] = {"first_step": [], "step_script": [], "step_painted": []}
    found |= {"hurried_script": [], "hurried_painted": []}
    figures = page.query_selector_all("rb-figure")
    for place, figure in enumerate(figures):
        figure.scroll_into_view_if_needed()
        page.wait_for_timeout(IN_VIEW_SLOW_MS if slow else IN_VIEW_MS)
        if place == 0:
            found["first_step"].append(page.evaluate(STEP, figure)[1])
        for pace in ("step", "hurried"):
            for _ in range(STEPS_A_FIGURE):
                if page.evaluate("(figure) => figure.at === figure.steps.length - 1", figure):
                    break
                if pace == "step":
                    page.wait_for_timeout(PACE_SLOW_MS if slow else PACE_MS)
                script, painted = page.evaluate(STEP, figure)
                found[f"{pace}_script"].append(script)
                found[f"{pace}_painted"].append(painted)
        if slow and place == 1:
            break
    return found


# ---- the table -------------------------------------------------------------------------------------------------------


def table(plain: Reading, slow: Reading) -> list[str]:
    """Each measure, plain and slow, beside the most that it may be; the worst where there were many."""
    rows: list[tuple[str, ...]] = [("", "plain", "worst", "at most", "slow", "worst", "at most", "")]
    for target in TARGETS:
        limits = ((plain, target.most), (slow, target.most_slow))
        met = [
            reading.medians[target.key] <= limit + 1e-9
            for reading, limit in limits
            if limit is not None and target.key in reading.medians
        ]
        verdict = "" if not met else "met" if all(met) else "MISSED"
        shown = (cell for reading, limit in limits for cell in _cells(reading, target.key, limit))
        rows.append((target.words, *shown, verdict))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _cells(reading: Reading, key: str, most: float | None) -> tuple[str, str, str]:
    if key not in reading.medians:
        return "-", "-", "-"
    digits = 3 if key == "cls" else 1 if reading.medians[key] < 100 else 0
    shown = (f"{value:.{digits}f}" for value in (reading.medians[key], reading.worst[key]))
    median, worst = shown
    return median, worst, "-" if most is None else f"{most:g}"


if __name__ == "__main__":
    sys.exit(main())
