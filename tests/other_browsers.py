"""How are Firefox and WebKit started and spoken to? Both obey W3C WebDriver's commands, each over its own wire.

Firefox has WebDriver built in and takes its commands on a socket (Marionette); WebKitGTK brings a small HTTP server. So
neither needs a package of Python or a driver from elsewhere. Both run without a screen, in a folder of their own.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol

PATIENCE = 30  # s for a browser to start

FIREFOX_PREFERENCES = {
    "marionette.port": 0,  # any that is free; written to a file in the profile
    "remote.prefs.recommended": True,  # no updates, no first-run pages
    # Nothing is asked of another host.
    "app.normandy.enabled": False,
    "browser.region.network.url": "",
    "extensions.getAddons.cache.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "nimbus.rollouts.enabled": False,
    "services.settings.server": "data:,#remote-settings-dummy/v1",
    # The window may be as narrow as a phone: with the style below.
    "toolkit.legacyUserProfileCustomizations.stylesheets": True,
    "ui.prefersReducedMotion": 0,
    "layout.css.prefers-color-scheme.content-override": 1,
}
FIREFOX_STYLE = ":root, :root * { min-width: 0 !important }\n"
GTK_STYLE = "* { min-width: 0; margin: 0; border-width: 0; padding: 0; font-size: 1px; }\n"


class NotHere(Exception):
    """This machine has no such browser. The message says what to install."""


class BrowserError(Exception):
    """A command that a browser refused, or a browser that did not start."""


class Session(Protocol):
    """A browser with one window. ``name`` is a command of WebDriver as its specification spells it."""

    def command(self, name: str, **parameters: Any) -> Any: ...


class Marionette:
    """A session with Firefox: messages on one socket, each after its length and a colon."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=90)
        self.answers = self.socket.makefile("rb")
        self.sent = 0
        self._receive()  # what it says of itself
        self.command("NewSession", capabilities={"alwaysMatch": {}})

    def command(self, name: str, **parameters: Any) -> Any:
        self.sent += 1
        message = json.dumps([0, self.sent, f"WebDriver:{name}", parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(message), message))
        _, _, error, value = self._receive()
        if error:
            raise BrowserError(f"{name}: {error['error']}: {error['message']}")
        return value["value"] if isinstance(value, dict) and value.keys() == {"value"} else value

    def _receive(self) -> Any:
        length = b""
        while (byte := self.answers.read(1)) != b":":
            if not byte:
                raise BrowserError("Firefox has closed the connection")
            length += byte
        return json.loads(self.answers.read(int(length)))

    def close(self) -> None:
        self.socket.close()


class OverHttp:
    """A session with a WebDriver server."""

    PATHS = {
        "Navigate": ("POST", "/url"),
        "Back": ("POST", "/back"),
        "Forward": ("POST", "/forward"),
        "Refresh": ("POST", "/refresh"),
        "ExecuteScript": ("POST", "/execute/sync"),
        "ExecuteAsyncScript": ("POST", "/execute/async"),
        "SetWindowRect": ("POST", "/window/rect"),
        "PerformActions": ("POST", "/actions"),
        "TakeScreenshot": ("GET", "/screenshot"),
    }

    def __init__(self, port: int) -> None:
        self.root = f"http://127.0.0.1:{port}/session"
        self.session = ""
        self.session = "/" + self._ask("POST", "", {"capabilities": {"alwaysMatch": {}}})["sessionId"]

    def command(self, name: str, **parameters: Any) -> Any:
        method, path = self.PATHS[name]
        return self._ask(method, path, parameters if method == "POST" else None)

    def _ask(self, method: str, path: str, body: Any) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.root + self.session + path, data, method=method)
        try:
            with urllib.request.urlopen(request, timeout=90) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            told = json.loads(error.read())["value"]
            raise BrowserError(f"{path}: {told['error']}: {told.get('message')}") from None

    def close(self) -> None:
        self._ask("DELETE", "", None)


@contextmanager
def firefox(folder: Path) -> Iterator[Session]:
    """Firefox: the file that ``FIREFOX`` names, else one on the path. ``folder`` is empty and keeps what it writes."""
    program = os.environ.get("FIREFOX") or shutil.which("firefox") or shutil.which("firefox-esr")
    if not program:
        raise NotHere("no Firefox here: install Firefox (Debian: firefox-esr), or name it: FIREFOX=/path/to/firefox")
    (folder / "chrome").mkdir()
    (folder / "chrome" / "userChrome.css").write_text(FIREFOX_STYLE, encoding="utf-8")
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in FIREFOX_PREFERENCES.items()]
    (folder / "user.js").write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [program, "--headless", "--marionette", "--no-remote", "--profile", str(folder), "about:blank"]
    with ExitStack() as stack:
        process = stack.enter_context(_running(command, folder))
        told = folder / "MarionetteActivePort"
        _wait(lambda: told.exists() and told.read_text(), process, "Firefox")
        session = Marionette(int(told.read_text()))
        stack.callback(session.close)
        yield session


@contextmanager
def webkit(folder: Path) -> Iterator[Session]:
    """WebKitGTK on a screen of its own. ``folder`` is empty and keeps what it writes."""
    driver, screen = shutil.which("WebKitWebDriver"), shutil.which("Xvfb")
    if not driver or not screen:
        raise NotHere("no WebKit here: install WebKitGTK's WebDriver and Xvfb (Debian: webkit2gtk-driver, xvfb)")
    settings = folder / ".config" / "gtk-3.0"
    settings.mkdir(parents=True)
    (settings / "gtk.css").write_text(GTK_STYLE, encoding="utf-8")  # its bar of buttons would set the least width
    number = folder / "display"
    with ExitStack() as stack:
        with number.open("w") as file:
            options = ["-displayfd", str(file.fileno()), "-screen", "0", "1600x1200x24", "-nolisten", "tcp"]
            showing = stack.enter_context(_running([screen, *options], folder, pass_fds=(file.fileno(),)))
        _wait(lambda: number.read_text().endswith("\n"), showing, "Xvfb")
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        here = {"DISPLAY": f":{number.read_text().strip()}", "GDK_BACKEND": "x11"}
        process = stack.enter_context(_running([driver, f"--port={port}"], folder, here))
        _wait(lambda: _listens(port), process, "WebKitWebDriver")
        session = OverHttp(port)
        stack.callback(session.close)
        yield session


ENGINES = {"firefox": firefox, "webkit": webkit}


@contextmanager
def _running(
    command: list[str], home: Path, more: dict[str, str] | None = None, pass_fds: tuple[int, ...] = ()
) -> Iterator[subprocess.Popen[bytes]]:
    """A program, ended with all that it started when the block ends."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "WAYLAND_", "DBUS_"))}
    environment = {**kept, "HOME": str(home), **(more or {})}
    with (home / f"{Path(command[0]).name}.log").open("w") as log:
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            pass_fds=pass_fds,
        )  # fmt: skip
    try:
        yield process
    finally:
        for how in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(process.pid, how)
                process.wait(timeout=10)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                continue


def _listens(port: int) -> bool:
    with socket.socket() as trial:
        return trial.connect_ex(("127.0.0.1", port)) == 0


def _wait(ready: Callable[[], object], process: subprocess.Popen[bytes], name: str) -> None:
    """Return as soon as ``ready()`` holds; raise when the program ends or takes too long."""
    end = time.monotonic() + PATIENCE
    while not ready():
        if process.poll() is not None:
            raise BrowserError(f"{name} ended at once, with exit status {process.returncode}")
        if time.monotonic() > end:
            raise BrowserError(f"{name} did not start within {PATIENCE} s")
        time.sleep(0.05)
