"""Asks a task's own program whether the application is as the task wants it, and prints that: a program of its own.

``python verifier.py PROGRAM ADDRESS``. It is given ``requests``, as far as such programs use it, where that is not
installed.
"""

from __future__ import annotations

import importlib.util
import json
import runpy
import sys
import types
import urllib.error
import urllib.request
from typing import Any

SECONDS = 20.0
"""Seconds that the application has for an answer."""


class Response:
    """What the application answered."""

    def __init__(self, status: int, content: bytes) -> None:
        self.status_code, self.content = status, content

    @property
    def ok(self) -> bool:
        return self.status_code < 400

    @property
    def text(self) -> str:
        return self.content.decode(errors="replace")

    def json(self) -> Any:
        return json.loads(self.content)

    def raise_for_status(self) -> None:
        if not self.ok:
            raise OSError(f"HTTP {self.status_code}")


def get(url: str, **_: object) -> Response:
    """Ask for a page."""
    return _sent(urllib.request.Request(url))


def post(url: str, json: object = None, **_: object) -> Response:
    """Send a page something."""
    return _sent(urllib.request.Request(url, data=_written(json), headers={"Content-Type": "application/json"}))


def _written(value: object) -> bytes:
    return b"" if value is None else json.dumps(value).encode()


def _sent(request: urllib.request.Request) -> Response:
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            return Response(answer.status, answer.read())
    except urllib.error.HTTPError as error:
        return Response(error.code, error.read())


def main() -> None:
    """Print one line: ``[satisfied, what it says]``."""
    program, address = sys.argv[1:3]
    if importlib.util.find_spec("requests") is None:
        stand_in = types.ModuleType("requests")
        stand_in.__dict__.update(get=get, post=post)
        sys.modules["requests"] = stand_in
    satisfied, said = runpy.run_path(program)["verify"](address)
    print(json.dumps([bool(satisfied), str(said)]))


if __name__ == "__main__":
    main()
