"""How does an author see a chapter while writing it? A preview that rebuilds and reloads what was touched."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from publisher.article.drawing import FIGURES
from publisher.build import ROOT, Builder, Options
from publisher.faults import BuildError
from publisher.output import Scratch, scratch, write_files
from publisher.pages import render as pages
from publisher.pages.assets import SITE
from publisher.pages.site import Built

POLL_SECONDS = 0.08
EVENTS, SCRIPT = "/__events", "/__reload.js"
WATCHED = (".md", ".yaml", ".cu", ".py", ".html", ".css", ".js", ".svg")
_EMPTY = b'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Preview</title></head><body></body></html>'


class PortError(Exception):
    """A port that cannot be listened on. The message says why and what to do."""


@dataclass
class Preview:
    """The state of a preview: a folder of pages, the faults of the last build, and what it changed."""

    builder: Builder
    scratch: Scratch = field(default_factory=scratch)
    version: int = field(default_factory=lambda: int(time.time() * 1000))  # above that of an earlier process
    faults: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    news: threading.Condition = field(default_factory=threading.Condition)
    closed: bool = False
    _written: dict[str, str | bytes] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        return self.scratch.folder

    def rebuild(self) -> str:
        """Build again and tell the open pages; the line to show on the terminal."""
        start = time.perf_counter()
        try:
            built = self.builder.build(self.folder)
            changed, faults = self._write(built), tuple(map(str, built.faults))
        except BuildError as error:
            changed, faults = (), tuple(map(str, error.faults))
        except Exception as error:  # noqa: BLE001 - a preview must outlive whatever is being edited
            changed, faults = (), (f"build.py:1: {type(error).__name__}: {error}",)
        with self.news:
            self.version += 1
            self.changed, self.faults = changed, faults
            self.news.notify_all()
        seconds = time.perf_counter() - start
        told = f"{len(changed)} pages changed in {seconds:.2f} s"
        return "\n".join((told, *faults))

    def _write(self, built: Built) -> tuple[str, ...]:
        """Write what differs from the last time; the pages among it."""
        new = {name: text for name, text in built.files.items() if self._written.get(name) != text}
        write_files(self.folder, new)
        self._written = built.files
        return tuple(sorted(name for name in new if name.endswith(".html")))

    def message(self) -> str:
        return json.dumps({"version": self.version, "changed": self.changed, "faults": self.faults})

    def forget(self, paths: Iterable[Path]) -> bool:
        """Drop what was kept of changed files; True where only a new process can load them."""
        for path in paths:
            if path.suffix == ".py":
                if path.parent == FIGURES or path.parent.name == "figures":
                    self.builder.modules.forget()
                elif path.is_relative_to(ROOT / "publisher") or path.is_relative_to(ROOT / "recorder"):
                    return True
            elif path.is_relative_to(SITE):
                self.builder.forget_pages()
                pages._environment.cache_clear()
        return False

    def close(self) -> None:
        with self.news:
            self.closed = True
            self.news.notify_all()
        self.scratch.close()


class Handler(SimpleHTTPRequestHandler):
    """Static files with the reloading script added to pages, and a stream of what changed."""

    protocol_version = "HTTP/1.1"

    def __init__(self, *args: Any, preview: Preview, **more: Any) -> None:
        self.preview = preview
        super().__init__(*args, directory=str(preview.folder), **more)

    def do_GET(self) -> None:
        path = self.path.partition("?")[0].partition("#")[0]
        if path == EVENTS:
            self._stream()
        elif path == SCRIPT:
            self._send(Path(__file__).with_name("reload.js").read_bytes(), "text/javascript; charset=utf-8")
        elif path.endswith(("/", ".html")):
            self._page(path)
        else:
            super().do_GET()

    def _page(self, path: str) -> None:
        file = Path(self.translate_path(path))
        file = file / "index.html" if file.is_dir() else file
        there = file.is_file()
        version = self.preview.version  # before the file: a build in between then shows as missed
        content = file.read_bytes() if there else _EMPTY
        tag = f'<script defer src="{SCRIPT}?{version}"></script></head>'.encode()
        self._send(content.replace(b"</head>", tag, 1), "text/html; charset=utf-8", 200 if there else 404)

    def _send(self, content: bytes, kind: str, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _stream(self) -> None:
        """Server-sent events: the present state at once, then one message a build."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        seen = -1
        try:
            while not self.preview.closed:
                with self.preview.news:
                    if self.preview.version == seen:
                        self.preview.news.wait(timeout=5)
                    seen_now, message = self.preview.version, self.preview.message()
                self.wfile.write(b": still here\n\n" if seen_now == seen else f"data: {message}\n\n".encode())
                self.wfile.flush()
                seen = seen_now
        except (BrokenPipeError, ConnectionResetError):
            return

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """A line a request would bury the faults."""


def start_server(preview: Preview, port: int) -> ThreadingHTTPServer:
    """Listen on this machine alone. Raises ``PortError`` where the port is taken."""
    try:
        server = ThreadingHTTPServer(("127.0.0.1", port), partial(Handler, preview=preview))
    except OSError as error:
        raise PortError(f"port {port} cannot be used: {error.strerror}; name another with --port") from None
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def serve(options: Options, port: int) -> int:
    """Preview until interrupted. A change of the publisher itself starts it again in a new process."""
    preview = Preview(Builder(replace(options, lenient=True, allow_stale=True)))
    try:
        server = start_server(preview, port)
        print(f"preview at http://localhost:{server.server_port}/ (stop with Ctrl-C)")
        print(preview.rebuild(), flush=True)
        for paths in changes(options.inputs):
            if preview.forget(paths):
                server.server_close()
                preview.close()
                os.execv(sys.executable, [sys.executable, *sys.argv])
            print(preview.rebuild(), flush=True)
    except PortError as error:
        print(error, file=sys.stderr)
        return 2
    finally:
        preview.close()
    return 0


def changes(folders: Iterable[Path], poll_seconds: float = POLL_SECONDS) -> Iterator[set[Path]]:
    """The files that were touched, each time there are some; asks for times of change, which works on every disk."""
    folders = list(folders)
    before = _stamps(folders)
    while True:
        time.sleep(poll_seconds)
        now = _stamps(folders)
        if now != before:
            yield {path for path in before.keys() | now.keys() if before.get(path) != now.get(path)}
            before = now


def _stamps(folders: list[Path]) -> dict[Path, int]:
    found: dict[Path, int] = {}
    pending = [str(folder) for folder in folders]
    while pending:
        try:
            entries = list(os.scandir(pending.pop()))
        except OSError:
            continue
        for entry in entries:
            if entry.name.startswith((".", "__")) or entry.name == "node_modules":
                continue
            try:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                elif entry.name.endswith(WATCHED):
                    found[Path(entry.path)] = entry.stat().st_mtime_ns
            except OSError:
                continue  # gone since it was listed: an editor's own temporary file
    return found
