"""Which hosts the crew's programs may reach: host patterns with ports, and the addresses that no name may resolve to.

A host is checked by its name before that name is resolved, and by its address afterwards. An address of this machine or of a
private network needs a rule that names the address itself: whoever owns an allowed name can point it anywhere.
"""

from __future__ import annotations

import fnmatch
import ipaddress
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from operator import itemgetter

import psutil

from deskcrew.errors import UsageError
from deskcrew.guard.patterns import LOOSE, host_fits

WEB_PORTS = frozenset({80, 443})
"""The ports of a rule that names no port."""
_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_*-")
_HEX = frozenset("0123456789abcdef")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_HINT = "Write a host as example.org, *.example.org, example.org:8443, 192.0.2.7 or [2001:db8::7]:8080."


@dataclass(frozen=True, slots=True)
class HostRule:
    """One host that may be reached. ``text``: the rule as written; ``host``: a name pattern or an address; ``port`` None:
    web ports."""

    text: str
    host: str
    port: int | None
    address: _Address | None

    @classmethod
    def parse(cls, text: str) -> HostRule:
        """A rule from text: ``example.org``, ``*.example.org`` (everything below it, not itself), either with ``:PORT``; or
        an address, with IPv6 in brackets before a port. Raises UsageError if it is invalid."""
        written = text.strip()
        address = _address(written)
        found = None if address else split_authority(written)
        if found is not None:
            address = _address(found[0])
        host = str(address) if address else _ascii(found[0]) if found else ""
        if not host or (address is None and not (_is_spelt(host) and not _is_number(host))):
            raise UsageError(f"{text!r} is not a host.", hint=_HINT)
        return cls(written, host, found[1] if found else None, address)

    def fits(self, host: str, port: int) -> bool:
        """Whether the rule allows a host, given in the form of :func:`normal`. A wildcard never matches an address."""
        if not (port in WEB_PORTS if self.port is None else port == self.port):
            return False
        address = _address(host)
        if address is not None or self.address is not None:
            return address == self.address
        return fnmatch.fnmatchcase(host, self.host)


class Hosts:
    """The rules of one run. One thread may read them while another adds to them."""

    def __init__(self, hosts: Iterable[str], denied: Iterable[str] = ()) -> None:
        """``denied``: patterns without ports that apply unless a rule matches a host more closely. Raises UsageError if one
        of ``hosts`` is invalid."""
        self._denied = tuple(denied)
        self._rules = tuple(HostRule.parse(host) for host in hosts)
        self._lock = threading.Lock()

    @property
    def rules(self) -> tuple[HostRule, ...]:
        return self._rules

    def allow(self, host: str) -> None:
        """Allow one more host from now on. Raises UsageError if it is invalid."""
        rule = HostRule.parse(host)
        with self._lock:
            self._rules = (*self._rules, rule)

    def rule(self, host: str, port: int) -> HostRule | None:
        """The rule that allows a host; None if none does."""
        fitting = ((host_fits(rule.host, host) or LOOSE, rule) for rule in self._rules if rule.fits(host, port))
        close, rule = max(fitting, key=itemgetter(0), default=(LOOSE, None))
        denied = any((fit := host_fits(pattern, host)) is not None and fit >= close for pattern in self._denied)
        return None if denied else rule

    def why_not(self, address: str, port: int, rule: HostRule) -> str:
        """Why an address may not be connected to, though ``rule`` allows the name that resolved to it; '' if it may."""
        found = ipaddress.ip_address(address.partition("%")[0])
        if self.rule(str(found), port) is not None or (rule.host == "localhost" and found.is_loopback):
            return ""
        kind = inward(found)
        return f"it leads to {found}, {kind}" if kind else ""


def normal(host: str) -> str:
    """A host in the form in which hosts are compared: lower case, no trailing dot, addresses in canonical form without
    brackets. '' for text that cannot be a host, including a number that only some programs read as an address."""
    address = _address(host)
    if address is not None:
        return str(address)
    name = host.casefold().removesuffix(".")
    fits = host.isascii() and _is_spelt(name) and "*" not in name and not _is_number(name)
    # Longer ones no resolver takes, and some raise what nobody expects.
    return name if fits and len(name) <= 253 and max(map(len, name.split("."))) <= 63 else ""


def is_name(host: str) -> bool:
    """Whether a host is a fully qualified name outside this machine and its network."""
    name = normal(host)
    return "." in name and _address(name) is None and not name.endswith((".localhost", ".local", ".internal"))


def split_authority(text: str) -> tuple[str, int | None] | None:
    """Host and port of ``host``, ``host:port`` or ``[address]:port``; None for anything else."""
    bracketed = text.startswith("[")
    end = text.find("]") + 1 if bracketed else len(text.partition(":")[0])
    host, rest, number = text[:end], text[end:], text[end + 1 :]
    if not host or (not bracketed and not frozenset("[]").isdisjoint(host)):
        return None
    if not rest:
        return host, None
    port = int(number) if rest[0] == ":" and number.isascii() and number.isdecimal() and len(number) < 6 else 0
    return (host, port) if 0 < port < 65536 else None


def inward(address: _Address) -> str:
    """What kind of local or private address this is; '' for a public one."""
    for each in _meant(address):
        if each.is_loopback or each.is_unspecified or each in own_addresses():
            return "this machine"
        if each.is_link_local:
            return "a link-local address"
        if each.is_multicast:
            return "a multicast address"
        if not each.is_global or each.is_reserved or (each.version == 6 and each.is_site_local):
            return "a private address"
    return ""


def own_addresses() -> frozenset[_Address]:
    """The current addresses of this machine's interfaces."""
    texts = (entry.address.partition("%")[0] for entries in psutil.net_if_addrs().values() for entry in entries)
    return frozenset(address for text in texts if (address := _address(text)) is not None)


def _meant(address: _Address) -> tuple[_Address, ...]:
    """The addresses that count for an address, including an IPv4 address embedded in it."""
    if isinstance(address, ipaddress.IPv4Address):
        return (address,)
    wrapped = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
    if wrapped is None and address in _NAT64:
        wrapped = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    if wrapped is None:
        return (address,)
    # The first two are only ways to write the one in them; of a tunnel's address both ends count.
    return (wrapped,) if address.ipv4_mapped or address in _NAT64 else (address, wrapped)


def _address(text: str) -> _Address | None:
    try:
        return ipaddress.ip_address(text[1:-1] if text.startswith("[") and text.endswith("]") else text)
    except ValueError:
        return None


def _is_number(name: str) -> bool:
    """Whether some resolvers would read a name as an address: 2130706433, 127.1, 0x7f.1."""
    last = name.rpartition(".")[2]
    return last.isdecimal() or (last.startswith("0x") and _HEX.issuperset(last[2:]))


def _is_spelt(name: str) -> bool:
    """Whether a name consists of the characters of a host, or of a pattern for hosts."""
    return all(label and _SIGNS.issuperset(label) for label in name.split("."))


def _ascii(name: str) -> str:
    """A name as it is sent over the wire; '' if it cannot be encoded."""
    try:
        return (
            name.casefold().removesuffix(".").encode("idna").decode("ascii")
            if not name.isascii()
            else name.lower().removesuffix(".")
        )
    except UnicodeError:
        return ""
