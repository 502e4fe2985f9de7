"""Who sends a request: the person who opened a link or, behind a reverse proxy that signs people in, the person it names.

The name is believed only from the proxy's own address and with the server's token; a request without a name is refused.
What belongs to whom follows from the name alone (``Settings.of``, ``context.py``).
"""

from __future__ import annotations

from collections.abc import Collection
from ipaddress import IPv6Address, ip_address, ip_network
from typing import ClassVar, Protocol

from starlette.requests import HTTPConnection

from deskcrew.errors import UsageError
from deskcrew.settings import WebSettings, is_person
from deskcrew.ways_in.web.access import Access

PERSON = "deskcrew.person"
"""The key in a request's scope for who sends it: a name, '' for the user of this machine."""
TOKEN = "x-deskcrew-token"
"""The header in which the proxy sends the server's token."""


class Unknown(UsageError):
    """The sender of a request may not use this server."""


class Who(Protocol):
    """Finds out who sends a request. ``entries``: the paths for signing in, which everybody may open."""

    entries: ClassVar[Collection[str]]

    def of(self, connection: HTTPConnection) -> str:
        """The person who sends a request, '' for the user of this machine. Raises Unknown if it is nobody who may use this
        server."""
        ...


class Opener:
    """The user of this machine, in a browser that signed in by link or token. ``cookie``: the session cookie's name."""

    entries: ClassVar[Collection[str]] = ("/enter",)

    def __init__(self, access: Access, cookie: str) -> None:
        self._access, self._cookie = access, cookie

    def of(self, connection: HTTPConnection) -> str:
        if self._access.knows(connection.cookies.get(self._cookie, "")):
            return ""
        hint = "Open the link that deskcrew serve printed. It works once; Enter in its terminal prints a new one."
        raise Unknown("This page is locked.", hint=hint)


class NamedPerson:
    """The person whom the reverse proxy names. ``access``: has the token that the proxy must send."""

    entries: ClassVar[Collection[str]] = ()

    def __init__(self, settings: WebSettings, access: Access) -> None:
        self._header, self._access = settings.identity_header, access
        self._proxies = [ip_network(each) for each in settings.trusted_proxies]

    def of(self, connection: HTTPConnection) -> str:
        names, tokens = (connection.headers.getlist(header) for header in (self._header, TOKEN))
        if not self._is_proxy(connection) or len(tokens) != 1 or not self._access.is_token(tokens[0]):
            hint = "Open the address of the proxy that signs people in."
            raise Unknown("This did not come from the proxy.", hint=hint)
        name = _text(names[0]) if len(names) == 1 else ""
        if not is_person(name):
            raise Unknown("The proxy does not say who you are.", hint=f"It has to send one name in {self._header}.")
        return name

    def _is_proxy(self, connection: HTTPConnection) -> bool:
        """Whether the other end of the connection is a trusted proxy; headers that claim so do not count."""
        if connection.client is None:
            return False
        try:
            address = ip_address(connection.client.host)
        except ValueError:
            return False
        if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
            address = address.ipv4_mapped
        return any(address in proxy for proxy in self._proxies)


def _text(header: str) -> str:
    """A header's text decoded as UTF-8, since the server reads it as Latin-1; '' if it is not valid."""
    try:
        return header.encode("latin-1").decode().strip(" \t")
    except UnicodeDecodeError:
        return ""
