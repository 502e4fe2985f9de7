"""Finds what a text refers to: hosts, paths, and the single commands of a command line.

It finds too much rather than too little: a word that is not a path matches no rule for paths, but a missed path evades one.
"""

from __future__ import annotations

import ast
import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from deskcrew.actions import shell
from deskcrew.actions.shell import Command
from deskcrew.guard.commands import programs, shell_texts
from deskcrew.guard.facets import PathFacet, TextFacet
from deskcrew.guard.patterns import MAX_TEXT, normal_host, normal_path
from deskcrew.guard.words import Words

_URL = re.compile(r"\b(?:https?|ftp|wss?|sftp|ssh)://([^\s/?#\\]+)", re.IGNORECASE)
_ON_HOSTS = frozenset({"http", "https", "ftp", "ws", "wss"})
_OF_CODE = frozenset({"javascript", "data", "vbscript"})
_SKIPPED = str.maketrans({"\t": None, "\r": None, "\n": None, "\\": "/"})
"""What browsers remove from an address, and what they replace."""
_CLOSING = "\"'<>(),;`"
_FIRST_IS_HOST = frozenset(
    {"ssh", "sftp", "ftp", "telnet", "nc", "ncat", "netcat", "ping", "dig", "host", "nslookup", "mosh"}
)
_WITH_ALL_IN_IT = frozenset({"rm", "mv", "cp", "rsync", "tar", "zip", "shred", "scp"})
_MAX_PATH = 4096


@dataclass(frozen=True, slots=True)
class Trace:
    """What was found in a command or a piece of code."""

    texts: tuple[TextFacet, ...] = ()
    paths: tuple[PathFacet, ...] = ()
    hosts: tuple[str, ...] = ()
    shell: bool = False
    """Whether the code starts a shell command."""

    def __add__(self, other: Trace) -> Trace:
        return Trace(
            tuple(dict.fromkeys(self.texts + other.texts)),
            tuple(dict.fromkeys(self.paths + other.paths)),
            tuple(dict.fromkeys(self.hosts + other.hosts)),
            self.shell or other.shell,
        )


def hosts_in(text: str, *, address: bool = False) -> tuple[str, ...]:
    """The hosts of all URLs in a text; with ``address``, also the host of an address without a scheme."""
    hosts = [_host(found) for found in _URL.findall(text)]
    if address:
        scheme, rest = _opened(text)
        opened = _host(rest.lstrip("/").partition("/")[0])
        whole = text.strip().translate(_SKIPPED)
        bare = _host(whole.partition("/")[0])
        hosts.append(opened if scheme in _ON_HOSTS else bare if not any(map(str.isspace, whole)) and _is_host(bare) else "")
    return tuple(dict.fromkeys(normal_host(host) for host in hosts if host))


def _host(authority: str) -> str:
    """The host in an address's authority, without user and port."""
    for mark in "?#":
        authority = authority.partition(mark)[0]
    host = authority.rpartition("@")[2]
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    for mark in (":", *_CLOSING):
        host = host.partition(mark)[0]
    return host


def _is_host(name: str) -> bool:
    """Whether an address bar takes a word for a host: a name whose last label is letters, this machine, or an IP address."""
    labels = name.removesuffix(".").split(".")
    spelt = all(label.replace("-", "a").replace("_", "a").isalnum() for label in labels)
    last = labels[-1].casefold()
    if spelt and len(labels) > 1 and ((len(last) > 1 and last.isalpha()) or last.startswith("xn--")):
        return True
    try:
        return name.casefold() == "localhost" or bool(ipaddress.ip_address(name.strip("[]")))
    except ValueError:
        return False


def _opened(text: str) -> tuple[str, str]:
    """The scheme of an address as browsers read it, and the text after it; '' if it has no scheme."""
    scheme, colon, rest = text.strip().translate(_SKIPPED).partition(":")
    if scheme.casefold() == "view-source":
        scheme, colon, rest = rest.partition(":")
    return (scheme.casefold(), rest) if colon else ("", scheme)


def code_address(text: str) -> str:
    """The scheme of an address that browsers run as code, such as ``javascript``; '' for any other address."""
    scheme = _opened(text)[0]
    return scheme if scheme in _OF_CODE else ""


def file_address(text: str) -> str:
    """The path in a ``file:`` address; '' for any other address."""
    scheme, rest = _opened(text)
    return unquote(urlsplit(f"file:{rest}").path or rest) if scheme == "file" else ""


def lines_of(text: str) -> tuple[TextFacet, ...]:
    """A text as facets, one per line. A text too long to be searched stays in one piece."""
    lines = [line.strip() for line in text.splitlines() if line.strip()] if len(text) <= MAX_TEXT else []
    if len(lines) < 2:
        return (TextFacet(text.strip() if len(text) <= MAX_TEXT else text),) if text.strip() else ()
    whole = " ".join(lines)
    return tuple(dict.fromkeys(TextFacet(line, (whole,)) for line in lines))


def command_trace(command: str, words: Words, roots: tuple[str, ...]) -> Trace:
    """What a command line refers to, command by command."""
    if len(command) > MAX_TEXT:
        return Trace(texts=(TextFacet(command),))
    raw = command.strip()
    texts: list[TextFacet] = []
    paths: list[PathFacet] = []
    hosts: list[str] = list(hosts_in(command))
    for each in shell.read(command).commands:
        line = " ".join(each.said)
        # Without the folder in front of the command and words such as sudo and env, so that ^rm fits them all.
        name, *rest = next(reversed(list(programs(each.words, words.commands))), [""])
        bare = [shell.name_of(name), *rest]
        around = tuple(dict.fromkeys((raw, " ".join(raw.split()), " ".join(bare))))
        texts.append(TextFacet(line, tuple(each for each in around if each != line)))
        paths += _paths_of(each, bare[0], roots)
        hosts += _hosts_of(bare, words)
    if not texts and raw:
        texts = [TextFacet(raw)]
    return Trace(tuple(dict.fromkeys(texts)), tuple(dict.fromkeys(paths)), tuple(dict.fromkeys(hosts)))


def _paths_of(command: Command, name: str, roots: tuple[str, ...]) -> list[PathFacet]:
    found = [each.target for each in command.redirections if not each.operator.endswith("&") or each.writes]
    found += [value for each in command.assigned if (value := each.partition("=")[2])]
    for place, word in enumerate(command.words):
        if word.startswith("-") or (place and "=" in word and not word.startswith(("/", "."))):
            word = word.partition("=")[2]  # dd of=/dev/sda
        if place or "/" in word:
            found.append(word)
    whole = name in _WITH_ALL_IN_IT
    return [PathFacet(normal_path(each, roots), whole=whole) for each in found if each and len(each) <= _MAX_PATH]


def _hosts_of(tokens: list[str], words: Words) -> list[str]:
    if not tokens or tokens[0] not in words.commands.network | words.commands.send | {"mosh"}:
        return []
    if tokens[0] == "git" and not words.commands.git_network.intersection(tokens):
        return []
    values = [token for token in tokens[1:] if not token.startswith("-")]
    found: list[str] = []
    for place, value in enumerate(values):
        host, colon, _ = value.partition(":")
        first = place == 0 and tokens[0] in _FIRST_IS_HOST
        if "://" not in value and (first or (colon and "/" not in host and tokens[0] in {"scp", "rsync", "git"})):
            found.append(normal_host(host.rpartition("@")[2]))
        else:
            found += hosts_in(value, address=True)
    return found


def code_trace(code: str, words: Words, roots: tuple[str, ...]) -> Trace:
    """What a piece of Python refers to in its literals, and in the shell commands that it starts."""
    trace = Trace(texts=lines_of(code), hosts=hosts_in(code))
    try:
        tree = ast.parse(code)
        shells = shell_texts(tree, words)
    except (SyntaxError, ValueError):
        return trace
    except (RecursionError, MemoryError):
        return trace + Trace(shell=True)  # nobody can tell that it starts none
    leaves = (leaf.value for leaf in ast.walk(tree) if isinstance(leaf, ast.Constant))
    literals = [leaf for leaf in leaves if isinstance(leaf, str) and leaf.strip() and "\n" not in leaf]
    trace += Trace(paths=tuple(PathFacet(normal_path(each, roots)) for each in literals if len(each) <= _MAX_PATH))
    for command in shells:
        trace += command_trace(command, words, roots) + Trace(shell=True)
    return trace
