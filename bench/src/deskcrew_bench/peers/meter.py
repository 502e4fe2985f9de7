"""What stands between a peer and its model: every reply passes, and what the model's server says it cost is counted."""

from __future__ import annotations

import contextlib
import http.client
import http.server
import json
import select
import threading
from dataclasses import dataclass, field
from http import HTTPStatus
from urllib.parse import urlsplit

from pydantic import BaseModel, ValidationError

from deskcrew_bench.loopback import Loopback

_PATH = "/v1"
_LARGEST = 32 << 20


class _Details(BaseModel):
    cached_tokens: int | None = None


class _Usage(BaseModel):
    prompt_tokens: int
    completion_tokens: int = 0
    prompt_tokens_details: _Details | None = None


class _Reply(BaseModel):
    """Of a server's reply the part that says what it cost."""

    usage: _Usage


@dataclass
class Count:
    """What replies cost. ``inputs``: prompt tokens of each; ``refused``: what the server said to requests that it did not
    answer; ``untold``: replies that came without their cost. A request that nobody waited for is in none of it."""

    inputs: list[int] = field(default_factory=list[int])
    output: int = 0
    cached: int = 0
    refused: list[str] = field(default_factory=list[str])
    untold: int = 0

    @property
    def calls(self) -> int:
        return len(self.inputs) + self.untold

    def told(self, tokens: int) -> int | None:
        """A number of ``tokens``; None where some replies came without their cost."""
        return None if self.untold else tokens

    def heard(self, status: int, content: bytes) -> None:
        """Count a reply."""
        if status != HTTPStatus.OK:
            self.refused.append(content.decode(errors="replace")[:500])
            return
        try:
            usage = _Reply.model_validate_json(content).usage
        except ValidationError:
            self.untold += 1
            return
        self.inputs.append(usage.prompt_tokens)
        self.output += usage.completion_tokens
        self.cached += (usage.prompt_tokens_details.cached_tokens or 0) if usage.prompt_tokens_details else 0


class Meter(Loopback):
    """An OpenAI-compatible address on loopback that passes everything on to ``base_url``. Use it as a context manager.

    Replies in a stream are refused: they need not say what they cost. Who hangs up ends the model's work as well.
    """

    def __init__(self, base_url: str, key: str) -> None:
        """``base_url``: that of the server, with what it has before ``/chat/completions``; ``key``: may be empty."""
        self._upstream = urlsplit(base_url)
        self._key = key
        self.count = Count()
        self.lock = threading.Lock()
        super().__init__(self._handler())

    @property
    def address(self) -> str:
        """What a peer takes for the server's base URL."""
        return f"http://{self.host}{_PATH}"

    def connect(self) -> http.client.HTTPConnection:
        """A connection to the server."""
        kind = http.client.HTTPSConnection if self._upstream.scheme == "https" else http.client.HTTPConnection
        return kind(self._upstream.netloc)

    def target(self, path: str) -> str:
        """The server's path for one of ours."""
        return self._upstream.path.rstrip("/") + path.removeprefix(_PATH)

    def headers(self) -> dict[str, str]:
        """Of a request to the server."""
        key = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        return {"Content-Type": "application/json", **key}

    def _handler(self) -> type[http.server.BaseHTTPRequestHandler]:
        meter = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._pass_on(b"")

            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(min(length, _LARGEST))
                if json.loads(body or b"{}").get("stream"):
                    self._answer(400, b'{"error": {"message": "Replies are not given as a stream here."}}')
                else:
                    self._pass_on(body)

            def _pass_on(self, body: bytes) -> None:
                upstream = meter.connect()
                try:
                    upstream.request(self.command, meter.target(self.path), body or None, meter.headers())
                    if self.connection in select.select([self.connection, upstream.sock], [], [])[0]:
                        self.close_connection = True  # nobody waits for it any more
                        return
                    answer = upstream.getresponse()
                    status, content = answer.status, answer.read()
                except (OSError, http.client.HTTPException) as error:
                    status, content = 502, json.dumps({"error": {"message": f"The model's server: {error}"}}).encode()
                finally:
                    upstream.close()
                if self.command == "POST":
                    with meter.lock:
                        meter.count.heard(status, content)
                self._answer(status, content)

            def _answer(self, status: int, content: bytes) -> None:
                with contextlib.suppress(ConnectionError):  # whoever asked may have been ended just now
                    self.send_response(status)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(content)))
                    self.end_headers()
                    self.wfile.write(content)

            def log_message(self, format: str, *args: object) -> None:
                """Nothing is printed."""

        return Handler
