"""A secret: a public name, a value that nobody may see, and the destinations that the value is bound to."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from deskcrew.errors import UsageError
from deskcrew.facts.loopback import is_loopback
from deskcrew.facts.texts import is_name

SHORTEST = 4
"""The minimum length of a value. A shorter value would be found, and replaced, everywhere."""
LONGEST = 4096
NAME = r"[A-Za-z][A-Za-z0-9_.-]{0,63}"
_HOST_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")


@dataclass(frozen=True, slots=True)
class Binding:
    """Where a secret may be used. ``apps``: patterns (``*`` and ``?``) for a window's application, as observations name it;
    ``hosts``: host names, ``*.example.org`` for all subdomains."""

    apps: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()

    def admits_app(self, app: str) -> bool:
        """Whether the secret may be typed into a window of ``app``, ignoring case; always False if the app is unknown."""
        return bool(app) and any(fnmatch.fnmatchcase(app.casefold(), pattern.casefold()) for pattern in self.apps)

    def admits_program(self, path: str, app: str) -> bool:
        """Whether the program behind a window that calls itself ``app`` may have the secret. ``path``: the path of its file
        or script, of which a part must match the binding or begin with a word of ``app``."""
        spelt = "".join(sign if sign.isascii() and sign.isalnum() else " " for sign in app.casefold())
        words = {app.casefold(), *(word for word in spelt.split() if len(word) > 3)} - _COMMON
        parts = [part.casefold() for part in path.split("/")[1:]]
        named = any(fnmatch.fnmatchcase(part, pattern.casefold()) for part in parts for pattern in self.apps)
        return self.admits_app(app) and (named or any(part.startswith(word) for part in parts for word in words if word))

    def admits_origin(self, origin: str) -> bool:
        """Whether the secret may be typed into a page of this origin: of a host in the binding, and encrypted or local."""
        found = urlsplit(origin)
        host = found.hostname or ""
        local = is_loopback(host)
        if found.scheme != "https" and not (found.scheme == "http" and local):
            return False
        port = found.port or (443 if found.scheme == "https" else 80)
        return any(_host_fits(pattern, host, port, found.scheme) for pattern in self.hosts)

    def __str__(self) -> str:
        return ", ".join([*(f"app {app}" for app in self.apps), *(f"host {host}" for host in self.hosts)])


_COMMON = frozenset({"python", "python3", "local", "share", "games", "libexec", "gnome", "application", "editor"})
"""Words in application names that also occur in the paths of other programs."""


def _is_host(text: str) -> bool:
    """Whether a text is a host name, optionally with a port, or a pattern for a host's subdomains."""
    name, colon, port = text.removeprefix("*.").partition(":")
    numbered = not colon or (port.isascii() and port.isdecimal())
    return numbered and all(label and _HOST_SIGNS.issuperset(label) for label in name.split("."))


def _host_fits(pattern: str, host: str, port: int, scheme: str) -> bool:
    name, _, wanted = pattern.partition(":")
    if port != (int(wanted) if wanted else 443 if scheme == "https" else 80):
        return False
    return host.endswith(name[1:]) if name.startswith("*.") else host == name


@dataclass(frozen=True, slots=True)
class Secret:
    """One secret. Its ``repr`` does not show the value."""

    name: str
    value: str = field(repr=False)
    binding: Binding

    @property
    def placeholder(self) -> str:
        """The placeholder that stands for the value in everything that can be read."""
        return f"{{{{secret:{self.name}}}}}"


def checked(name: str, value: str, apps: tuple[str, ...], hosts: tuple[str, ...]) -> Secret:
    """A secret from these values. Raises UsageError, which never contains the value, if one of them is invalid."""
    check_name(name)
    if len(value) < SHORTEST:
        raise UsageError(f"The value is too short: it needs {SHORTEST} characters to be distinguished from other text.")
    if len(value) > LONGEST:
        raise UsageError(f"The value is too long: at most {LONGEST} characters.")
    if not value.isprintable():
        raise UsageError("The value has line breaks or other control characters, which would act as keys when typed.")
    if not value.strip():
        raise UsageError("The value is nothing but spaces.")
    if not apps and not hosts:
        raise UsageError(
            "A secret must be bound to what may receive it.",
            hint=f"For example: deskcrew secret set {name} --app thunderbird",
        )
    for app in apps:
        if not app.strip(" *?"):
            raise UsageError(f"--app {app!r} would give the secret to every window.", hint="Name an application.")
    hosts = tuple(host.casefold() for host in hosts)
    for host in hosts:
        if not _is_host(host):
            raise UsageError(f"--host {host!r} is not the name of a host.", hint="For example: --host mail.example.org")
    return Secret(name, value, Binding(apps, hosts))


def check_name(name: str) -> None:
    """Raise UsageError if a secret's name is invalid."""
    if not is_name(name) or not name[0].isalpha():
        raise UsageError(
            f"{name!r} cannot be the name of a secret.", hint="A letter, then letters, digits, '.', '_' or '-': at most 64."
        )
