"""How does a static host serve a page? A local server for measurements: gzip, lengths, answers that may be kept."""

from __future__ import annotations

import gzip
import mimetypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The folder under http://127.0.0.1:PORT, gzipped where the browser accepts it, with answers that may be kept."""

    @cache
    def packed(path: Path) -> bytes:
        return gzip.compress(path.read_bytes(), 9, mtime=0)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = (folder / self.path.split("?")[0].lstrip("/")).resolve()
            if not path.is_relative_to(folder.resolve()) or not path.is_file():
                self.send_error(404)
                return
            zipped = "gzip" in self.headers.get("Accept-Encoding", "")
            body = packed(path) if zipped else path.read_bytes()
            self.send_response(200)
            self.send_header("Content-Type", mimetypes.guess_type(path.name)[0] or "application/octet-stream")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "max-age=600")
            if zipped:
                self.send_header("Content-Encoding", "gzip")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
