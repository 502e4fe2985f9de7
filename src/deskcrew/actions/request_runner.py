"""Sends one request to a web service from inside the sandbox, whose network access is controlled. None of our modules can be
imported there.

Reads ``{"method", "address", "headers", "body", "seconds", "most"}`` as JSON from standard input, and prints the response:
``{"status", "type", "text", "cut"}``, or ``{"error"}`` if nobody answered. It follows no redirect: the server could forward
to another address what only the first one may know.
"""

from __future__ import annotations

import json
import sys
import urllib.error
import urllib.request
from email.message import Message
from typing import IO


class Stay(urllib.request.HTTPRedirectHandler):
    """An HTTP handler that returns a redirect as the response."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> None:
        return None


def main() -> None:
    asked = json.load(sys.stdin)
    body = asked["body"].encode() if asked["body"] else None
    request = urllib.request.Request(asked["address"], body, asked["headers"], method=asked["method"])
    opener = urllib.request.build_opener(Stay)
    try:
        try:
            answer = opener.open(request, timeout=asked["seconds"])
        except urllib.error.HTTPError as error:
            answer = error  # a status is an answer
        with answer:
            data = answer.read(asked["most"] + 1)
            kind, charset = answer.headers.get_content_type(), answer.headers.get_content_charset() or "utf-8"
            status = answer.status
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        print(json.dumps({"error": str(reason) or type(error).__name__}))
        return
    try:
        text = data[: asked["most"]].decode(charset, "replace")
    except LookupError:
        text = data[: asked["most"]].decode("utf-8", "replace")
    print(json.dumps({"status": status, "type": kind, "text": text, "cut": len(data) > asked["most"]}))


if __name__ == "__main__":
    main()
