"""Matches one pattern of a policy against one value, and says how specific the match is.

Nothing here can hang: names are matched by shell patterns, paths folder by folder, and a regular expression search times
out. A search that timed out has no result, and the caller errs on the side of caution.
"""

from __future__ import annotations

import fnmatch
import functools
import posixpath
import unicodedata
from collections.abc import Iterable
from glob import has_magic
from typing import Any

import regex

Closeness = tuple[int, int]
"""How closely a pattern describes what it matches: 1 if it is the very name, else 0; then its literal characters."""
EXACT: Closeness = (1, 0)
LOOSE: Closeness = (0, 0)
MAX_TEXT = 100_000
"""Maximum length of a text to search with a regular expression, in characters; the result for a longer text is unknown."""
PATIENCE = 0.2
"""Seconds that the search of one line may take."""
OUTSIDE = "outside"
"""A path pattern for everything outside the workspace."""


def name_fits(pattern: str, name: str) -> Closeness | None:
    """How closely a shell pattern matches a name, ignoring case. None: it does not match."""
    wanted, there = plain(pattern), plain(name)
    if wanted == there:
        return (1, len(wanted))
    if has_magic(wanted) and fnmatch.fnmatchcase(there, wanted):
        return (0, spelled(wanted))
    return None


def host_fits(pattern: str, host: str) -> Closeness | None:
    """How closely a shell pattern matches a host: ``*.example.org`` is every host below it, but not example.org itself."""
    return name_fits(normal_host(pattern), host)


def path_fits(pattern: str, path: str, *, whole: bool = False) -> Closeness | None:
    """How closely a pattern as in .gitignore matches a path: a matching folder includes its contents, and a pattern without
    a slash matches at any depth. None: it does not match. ``path``: in the form of :func:`normal_path`. ``~`` in a pattern
    is any user's home. ``whole``: the operation affects all that is in the path, so a pattern for part of it matches."""
    if pattern == OUTSIDE:
        return LOOSE if is_outside(path) else None
    trimmed = pattern.removeprefix("./").rstrip("/")
    trimmed = trimmed.removesuffix("/**") or "/"
    close = (1 if trimmed == path else 0, spelled(trimmed))
    there = _segments(path)
    for each in _homes(trimmed):
        wanted = _segments(each)
        if "/" not in each:
            wanted = ("**", *wanted)
        if any(_match(wanted, there[:end]) for end in range(len(there), -1, -1)):
            return close
        if whole and _reaches(wanted, there):
            return close
    return None


def normal_path(path: str, roots: Iterable[str] = ()) -> str:
    """A path as rules see it: relative if it is in the workspace, else with ``/``, ``~`` or ``..`` in front. ``roots``:
    absolute paths of the workspace."""
    text = path.strip().replace("\0", "")
    for home in ("${HOME}", "$HOME"):
        if text == home or text.startswith(home + "/"):
            text = "~" + text[len(home) :]
    if text.startswith("//"):
        text = "/" + text.lstrip("/")
    text = posixpath.normpath(text) if text else "."
    for root in roots:
        if text == root:
            return "."
        if text.startswith(root + "/"):
            return text[len(root) + 1 :]
    return text


def is_outside(path: str) -> bool:
    """Whether a normal path lies outside the workspace."""
    return path.startswith(("/", "~")) or path == ".." or path.startswith("../")


def normal_host(host: str) -> str:
    """A host as rules see it: lower case, plain dots, no dot at the end."""
    text = unicodedata.normalize("NFKC", host).replace("\u3002", ".").casefold()
    return text.rstrip(".")


def plain(name: str) -> str:
    """A name in the form that is compared: lower case, single spaces, no dots at the end, as menu entries have them."""
    text = unicodedata.normalize("NFKC", name).casefold()
    return " ".join(text.split()).rstrip(".…") or " ".join(text.split())


def spelled(pattern: str) -> int:
    """How many characters of a pattern are not wildcards."""
    return sum(character not in "*?[]" for character in pattern)


@functools.lru_cache(maxsize=512)
def compiled(pattern: str) -> Any:
    """A compiled regular expression. Raises ValueError with what is wrong with it. Case matters unless it says ``(?i)``."""
    try:
        return regex.compile(pattern)
    except regex.error as error:
        raise ValueError(str(error)) from error


@functools.lru_cache(maxsize=4096)
def found(pattern: str, text: str) -> bool | None:
    """Whether a regular expression is found in a text. None: the search timed out, or the text is too long."""
    if len(text) > MAX_TEXT:
        return None
    try:
        return compiled(pattern).search(text, timeout=PATIENCE) is not None
    except TimeoutError:
        return None


def _segments(path: str) -> tuple[str, ...]:
    parts = tuple(part for part in path.split("/") if part not in ("", "."))
    return ("/", *parts) if path.startswith("/") else parts


def _homes(pattern: str) -> tuple[str, ...]:
    if pattern == "~" or pattern.startswith("~/"):
        return pattern, "/root" + pattern[1:], "/home/*" + pattern[1:], "~*" + pattern[1:]
    return (pattern,)


def _match(wanted: tuple[str, ...], there: tuple[str, ...]) -> bool:
    """Whether a pattern matches folder by folder; ``**`` is any number of folders. Takes polynomial time."""
    reached: set[int] = {0}
    for part in wanted:
        if part == "**":
            reached = set(range(min(reached, default=len(there) + 1), len(there) + 1))
            continue
        reached = {at + 1 for at in reached if at < len(there) and fnmatch.fnmatchcase(there[at], part)}
    return len(there) in reached


def _reaches(wanted: tuple[str, ...], there: tuple[str, ...]) -> bool:
    """Whether something below ``there`` could match. False if the pattern matches at any depth: that is every folder."""
    return wanted[:1] != ("**",) and len(there) < len(wanted) and _match(wanted[: len(there)], there)
