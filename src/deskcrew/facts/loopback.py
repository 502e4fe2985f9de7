"""What is on this machine, by its address."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit


def is_loopback(host: str) -> bool:
    """Whether a host's name or address means this machine itself; False for other names."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def on_this_machine(address: str) -> bool:
    """Whether a URL is one of this machine's own."""
    return is_loopback(urlsplit(address).hostname or "")
