"""The page or site on which a task says to send something: what qualifies, and which pages it stands for.

An address stands for its page, a host for all its pages. People name a site by its start page: an address that ends with a
start page stands for everything below its folder on exactly that scheme, host and port. A file stands for the pages that lay
in its folder when the contract was made, so nothing downloaded, unpacked, linked or written later counts.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from urllib.parse import SplitResult, unquote, urlsplit

from deskcrew.environments.workspace import INSIDE
from deskcrew.facts.observation import page_of
from deskcrew.facts.run_settings import RunSettings
from deskcrew.guard.patterns import normal_host

START_PAGES = frozenset({"", "index.html", "index.htm", "index.xhtml", "index.php", "default.html", "default.htm"})
"""File names that servers show for a folder; '' if only the folder is named."""
PAGES = (".html", ".htm", ".xhtml")
MOST = 500
"""Maximum number of pages that a start page in the workspace stands for."""
PORTS = {"http": 80, "https": 443}


def given_with(settings: RunSettings) -> tuple[str, ...]:
    """The pages that the user gave with a task, as written: the first one that the browser opens, and those that programs
    have open. ``settings``: the run's settings in its first event."""
    opened = (app.file for app in settings.opened if app.file.lower().endswith(PAGES))
    given = dict.fromkeys((settings.url.strip(), *opened))
    return tuple(page for page in given if page and _split(page) is not None)


def is_given(where: str, given: Sequence[str]) -> bool:
    """Whether a place is a page that the user gave with the task, or the host of one. The query and fragment of a given
    page are ignored."""
    return any(
        where in (page, page_of(page))
        or (_names_host(where) and same_place(where, page if "://" in page else f"http://{page}"))
        for page in given
    )


def _names_host(where: str) -> bool:
    """Whether a place is only a host, or the host's start page."""
    parts = _split(where)
    if parts is None or parts.scheme not in ("", *PORTS):
        return False
    return parts.path in ("", "/") and not (parts.query or parts.fragment)


def can_be_page(where: str, pages: Sequence[str]) -> bool:
    """Whether there can be a page at a place named in a task; ``pages``: what :func:`pages_at` found there."""
    plain = where.strip()
    if pages:
        return True
    if "://" not in plain and plain.lower().endswith(PAGES):  # it may be made or fetched first
        return not plain.startswith("/") or plain.startswith(f"{INSIDE}/")
    parts = None if any(character.isspace() for character in plain) else _split(plain)
    if parts is None:
        return False
    if parts.scheme == "file":
        return parts.path.startswith(f"{INSIDE}/")
    return parts.scheme in PORTS or _is_host(parts)


def pages_at(where: str, files: Sequence[str], root: str) -> tuple[str, ...]:
    """The pages of the workspace that a task names: a file, and the pages in its folder if it is a start page or a folder;
    empty if no file is named. ``files``: paths of regular files there; ``root``: the workspace's own path."""
    path = where.strip()
    if path.lower().startswith("file://"):
        path = unquote(urlsplit(path).path)
    elif "://" in path:
        return ()
    inside = next((path[len(above) + 1 :] for above in (INSIDE, root.rstrip("/")) if path.startswith(f"{above}/")), None)
    if inside is None and path.startswith("/"):
        return ()
    path = path.removeprefix("./") if inside is None else inside
    folder, slash, name = path.rpartition("/")
    found = [file for file in files if file == path]
    if not found and name and inside is None:
        found = [file for file in files if file.endswith(f"/{path}")]
    if len(found) == 1:
        folder, slash, name = found[0].rpartition("/")
    if name.lower() in START_PAGES and (len(found) == 1 or (not name and path)):
        found += [file for file in files if file.startswith(folder + slash) and file.lower().endswith(PAGES)]
    return tuple(dict.fromkeys(found))[:MOST]


def same_place(where: str, page: str, pages: Sequence[str] = ()) -> bool:
    """Whether a page is the one that the user named. ``page``: its address; ``pages``: files that ``where`` stands for."""
    where, there = where.strip(), urlsplit(page)
    if there.scheme == "file":
        path = unquote(there.path)
        if there.netloc or pages:
            return not there.netloc and path.startswith(f"{INSIDE}/") and path.removeprefix(f"{INSIDE}/") in pages
        if "://" in where:
            return page_of(where) == page_of(page)
        name = where.removeprefix("./").lstrip("/")
        return bool(name) and path.endswith(f"/{name}")
    named = None if pages else _split(where)
    if named is None or there.scheme not in PORTS or not there.hostname:
        return False
    if not (named.scheme == there.scheme or (not named.scheme and _is_host(named))):
        return False
    if normal_host(named.hostname or "") != normal_host(there.hostname) or not _same_port(named, there):
        return False
    return _covers(named, there)


def _split(where: str) -> SplitResult | None:
    """The parts of an address, with or without its scheme; None if it is not an address."""
    try:
        parts = urlsplit(where if "://" in where else f"//{where}")
        port = parts.port
    except ValueError:
        return None
    usable = parts.scheme == "file" or (bool(parts.hostname) and port != 0)
    return parts if usable and "@" not in parts.netloc else None


def _is_host(parts: SplitResult) -> bool:
    """Whether an address without a scheme is a host: a single word could be anything."""
    host = parts.hostname or ""
    if parts.scheme or not host:
        return False
    if "." in host.strip(".") or host == "localhost" or parts.port is not None:
        return True
    try:
        return bool(ipaddress.ip_address(host))
    except ValueError:
        return False


def _same_port(named: SplitResult, there: SplitResult) -> bool:
    """Whether the ports are the same; a missing one is the scheme's default."""
    try:
        return (named.port or PORTS[there.scheme]) == (there.port or PORTS[there.scheme])
    except ValueError:
        return False


def _covers(named: SplitResult, there: SplitResult) -> bool:
    """Whether the named path covers a page on the same host."""
    if not named.scheme and not named.path:
        return True
    if named.path.rstrip("/") == there.path.rstrip("/"):
        return True
    folder, _, name = named.path.rpartition("/")
    if name.lower() not in START_PAGES or named.query or named.fragment:
        return False
    path = unquote(there.path)
    # Servers differ in what they make of these.
    clean = not any(mark in path for mark in ("\\", "%", "\0")) and ".." not in path.split("/")
    return clean and path.startswith(f"{unquote(folder)}/")
