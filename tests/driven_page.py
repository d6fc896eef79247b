"""What does a reader do on a page in Firefox or WebKit? Points, clicks, types and looks, through WebDriver."""

from __future__ import annotations

import base64
import re
import time
from pathlib import Path
from typing import Any

from tests.other_browsers import Session

KEYS = {"ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015"} | {
    "Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "End": "\ue010", "Home": "\ue011",
}  # fmt: skip

# The middle of an element's first box, in the window, once it has stopped moving; null where something covers it.
MIDDLE = """const [selector, done] = arguments; const found = document.querySelector(selector);
if (!found) return done(null);
const box = () => found.getClientRects()[0] ?? found.getBoundingClientRect();
const inside = ({top, bottom}) => top >= 64 && bottom <= innerHeight - 8;
if (!inside(box())) found.scrollIntoView({block: "center", behavior: "instant"});
let [last, same, tries] = [null, 0, 0];
const look = () => { const now = box(); const at = `${now.left} ${now.top} ${now.width} ${scrollY}`;
  same = at === last ? same + 1 : 0; last = at;
  if (same < 3 && tries++ < 120) return requestAnimationFrame(look);
  const [x, y] = [Math.floor(now.left + now.width / 2), Math.floor(now.top + now.height / 2)];
  const top = document.elementFromPoint(x, y);
  done(now.width && top && (found.contains(top) || top.contains(found)) ? [x, y] : null) };
look();"""

# Added to a copy of the site before all other scripts: every complaint of a page is kept, also of pages left since.
WATCH = """(() => { let kept = []; try { kept = JSON.parse(sessionStorage.troubles ?? "[]") } catch {}
window.troubles = kept;
let leaving = false; addEventListener("beforeunload", () => { leaving = true }); // what was on its way is given up then
const add = text => { if (text) kept.push(text); try { sessionStorage.troubles = JSON.stringify(kept) } catch {} };
addEventListener("error", event => add(event.message ? `${event.message} (${event.filename}:${event.lineno})`
  : leaving ? "" : `not loaded: ${event.target.src ?? event.target.href}`), true);
addEventListener("unhandledrejection", event => add(`rejected: ${event.reason}`));
document.addEventListener("securitypolicyviolation",
  event => add(`policy: ${event.violatedDirective} ${event.blockedURI}`));
for (const kind of ["error", "warn"]) { const say = console[kind];
  console[kind] = (...words) => { add(`console.${kind}: ${words.join(" ")}`); say.apply(console, words) } }
})();
"""


def watch(site: Path) -> Path:
    """Have every page of a site keep what goes wrong on it, in ``window.troubles``; returns ``site``."""
    (site / "watch.js").write_text(WATCH, encoding="utf-8")
    for path in site.rglob("*.html"):
        root = "/".join([".."] * (len(path.relative_to(site).parts) - 1)) or "."
        script = f'<script src="{root}/watch.js"></script>\n<title>'
        text, count = re.subn("<title>", script, path.read_text(encoding="utf-8"), count=1)
        assert count == 1, f"{path} has no title"
        path.write_text(text, encoding="utf-8")
    return site


class DrivenPage:
    """One window of a browser; ``base`` is the address of a watched site."""

    def __init__(self, session: Session, base: str = "") -> None:
        self.session, self.base = session, base

    def open(self, path: str) -> None:
        """Load anew, even where only the part after # differs."""
        self.leave()
        self.session.command("Navigate", url=self.base + path)

    def leave(self) -> None:
        """Show nothing: a window is resized at once then."""
        self.session.command("Navigate", url="about:blank")

    def size(self, width: int, height: int) -> None:
        """Of the page in CSS pixels, without the browser's own bars."""
        self.session.command("SetWindowRect", width=width, height=height)
        bars = height - self.ask("return innerHeight")
        if bars:
            self.session.command("SetWindowRect", width=width, height=height + bars)
        self.wait(f"return innerWidth === {width}")

    def ask(self, script: str, *arguments: Any) -> Any:
        return self.session.command("ExecuteScript", script=script, args=list(arguments))

    def wait(self, script: str, *arguments: Any, seconds: float = 20) -> Any:
        """What the script returns as soon as that is true of anything."""
        end = time.monotonic() + seconds
        while not (found := self.ask(script, *arguments)):
            assert time.monotonic() < end, f"not within {seconds} s: {script} {arguments}"
            time.sleep(0.03)
        return found

    def text(self, selector: str) -> str:
        return self.ask("return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def sees(self, selector: str) -> bool:
        """Whether an element that the selector finds is laid out and drawn."""
        return self.ask(
            """return [...document.querySelectorAll(arguments[0])].some(found => {
            const {width, height} = found.getBoundingClientRect();
            return width > 0 && height > 0 && getComputedStyle(found).visibility === "visible" })""",
            selector,
        )

    def point(self, selector: str, *, click: bool = False) -> None:
        """Move the mouse onto an element that nothing covers, scrolling there when it is out of sight."""
        at = self.session.command("ExecuteAsyncScript", script=MIDDLE, args=[selector])
        assert at, f"{selector} is not there, or something covers it"
        self.move(*at, click=click)

    def move(self, x: int, y: int, *, click: bool = False) -> None:
        steps: list[dict[str, Any]] = [{"type": "pointerMove", "x": x, "y": y, "duration": 0, "origin": "viewport"}]
        if click:
            steps += [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": steps}
        self.session.command("PerformActions", actions=[mouse])

    def click(self, selector: str) -> None:
        self.point(selector, click=True)

    def press(self, *keys: str) -> None:
        """Keys by their names, or any text."""
        values = [value for key in keys for value in ([KEYS[key]] if key in KEYS else key)]
        steps = [{"type": kind, "value": value} for value in values for kind in ("keyDown", "keyUp")]
        self.session.command("PerformActions", actions=[{"type": "key", "id": "keys", "actions": steps}])

    def focus(self, selector: str) -> None:
        self.ask("document.querySelector(arguments[0]).focus()", selector)

    def back(self) -> None:
        self.session.command("Back")

    def forward(self) -> None:
        self.session.command("Forward")

    def reload(self) -> None:
        self.session.command("Refresh")

    def shoot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.session.command("TakeScreenshot", full=False)))

    def troubles(self) -> list[str]:
        return self.ask("return window.troubles ?? ['this page is not watched']")
