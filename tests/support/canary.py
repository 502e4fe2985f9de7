"""A secret that would be seen anywhere, and every form in which it must not be found. Made without the redactor's help."""

from __future__ import annotations

import base64
import html
import json
import urllib.parse

from deskcrew.secrets.binding import Binding, Secret

VALUE = 'c4n@ry/Vögel+"7&<x>'
CANARY = Secret("mail", VALUE, Binding(apps=("canary-*",)))


def forms(value: str = VALUE) -> dict[str, str]:
    """Name of a form -> the text that must not be found."""
    data = value.encode()
    found = {
        "exact": value,
        "json": json.dumps(value)[1:-1],
        "json utf-8": json.dumps(value, ensure_ascii=False)[1:-1],
        "url": urllib.parse.quote(value, safe=""),
        "url with slashes": urllib.parse.quote(value),
        "url lower": urllib.parse.quote(value, safe="").replace("%2F", "%2f").replace("%2B", "%2b"),
        "form": urllib.parse.quote_plus(value),
        "html": html.escape(value),
        "html without quotes": html.escape(value, quote=False),
        "hex": data.hex(),
        "HEX": data.hex().upper(),
        "base64": base64.b64encode(data).decode(),
        "base64 without padding": base64.b64encode(data).decode().rstrip("="),
        "base64 url": base64.urlsafe_b64encode(data).decode(),
        "base64 url without padding": base64.urlsafe_b64encode(data).decode().rstrip("="),
    }
    for shift in range(3):
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            # What of it depends on the value alone.
            inner = encode(b"\0" * shift + data).decode().rstrip("=")[(0, 2, 3)[shift] :]
            found[f"{encode.__name__} at {shift}"] = inner[: len(inner) - bool((shift + len(data)) % 3)]
    return found


def spoken(value: str = VALUE) -> str:
    """A text that says the value in every form, also inside longer encoded texts."""
    lines = [f"{name}: {form}" for name, form in forms(value).items() if " at " not in name]
    for before in ("", "x", "xy", "a longer beginning "):
        longer = f"{before}{value} and more".encode()
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            lines.append(encode(longer).decode())
        lines.append(base64.encodebytes(longer * 3).decode())
    return "\n".join(lines)


def told_in(data: bytes) -> list[str]:
    """Which forms stand in ``data``."""
    plain = data.replace(b"\n", b"")
    return [name for name, form in forms().items() if form.encode() in data or form.encode() in plain]
