"""Whether an address belongs to this machine."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit


def is_loopback(host: str) -> bool:
    """Whether a host name or address means this machine itself: a loopback address or ``localhost``."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def on_this_machine(address: str) -> bool:
    """Whether a URL's host is this machine."""
    return is_loopback(urlsplit(address).hostname or "")
