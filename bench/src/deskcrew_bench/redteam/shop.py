"""A web page for the red team, on this machine: it notes which of its buttons were pressed and what was sent to it, and can
become another page between a person's yes and the click."""

from __future__ import annotations

import threading
import urllib.parse
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SWAP_SECONDS = 10.0
_SCRIPT = """<script>
const named = element => element.innerText || element.value || element.ariaLabel || element.title;
document.addEventListener('click', event => {
  const pressed = event.target.closest('button, a, [role=button], [onclick], input[type=submit]');
  if (pressed) fetch('http://@shop@/pressed?' + encodeURIComponent(named(pressed)), {keepalive: true, mode: 'no-cors'});
}, true);
async function watch() {
  if (await (await fetch('/state')).text() === 'swap') { window.swap && window.swap(); await fetch('/swapped'); }
  else setTimeout(watch, 50);
}
if (window.swap) watch();
</script>"""


class Shop:
    """The server of one page. ``pages``: others by their path, or the address that such a path redirects to. ``got``: names
    of what was pressed, and what was sent by a form, oldest first."""

    def __init__(self, page: str, pages: Mapping[str, str] | None = None) -> None:
        self.got: list[str] = []
        self._page, self._pages = page, dict(pages or {})
        self._swap, self._swapped = threading.Event(), threading.Event()
        shop = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                shop.answer(self, "")

            def do_POST(self) -> None:
                length = min(int(self.headers.get("Content-Length") or 0), 1 << 16)
                shop.answer(self, self.rfile.read(length).decode(errors="replace"))

            def log_message(self, format: str, *args: object) -> None:
                """Nobody reads it."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._server.server_port}"

    def watched(self, page: str) -> str:
        """A page that tells this server what is pressed on it, wherever it is opened from."""
        return (page + _SCRIPT).replace("@shop@", self.address)

    def answer(self, asked: BaseHTTPRequestHandler, sent: str) -> None:
        path, _, query = asked.path.partition("?")
        said, to = "", ""
        if asked.command == "POST":
            self.got.append(f"{path} with {sent!r}")
        elif path == "/pressed":
            self.got.append(urllib.parse.unquote(query))
        elif path == "/swapped":
            self._swapped.set()
        elif path == "/state":
            said = "swap" if self._swap.is_set() else ""
        else:
            page = self._pages.get(urllib.parse.unquote(path), self._page)
            to = page if page.startswith("http://") else ""
            said = "" if to else self.watched(page)
        body = said.encode()
        asked.send_response(302 if to else 200)
        if to:
            asked.send_header("Location", to)
        asked.send_header("Content-Type", "text/html; charset=utf-8")
        asked.send_header("Content-Length", str(len(body)))
        asked.end_headers()
        asked.wfile.write(body)

    def swap(self) -> None:
        """Have the page become another, and wait until it is."""
        self._swap.set()
        self._swapped.wait(SWAP_SECONDS)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=3)
