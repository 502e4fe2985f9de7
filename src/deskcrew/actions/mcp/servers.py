"""The servers that a project's ``.mcp.json`` names, in the format of other agents. None of them is started here."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from deskcrew.actions.executor import explain
from deskcrew.errors import ActionError, ConfigError
from deskcrew.facts.canonical import canonical
from deskcrew.facts.json_values import JsonObject, is_object, object_in
from deskcrew.facts.texts import is_name
from deskcrew.secrets.binding import NAME, SHORTEST, Binding, Secret
from deskcrew.secrets.vault import Vault
from deskcrew.settings import read_config

FILE = ".mcp.json"
APP = "mcp:"
"""The prefix of the application name to which a secret is bound for a server; the server's name follows."""
HIDDEN = "(not kept)"
"""Replaces the value of a variable or header wherever an entry is shown or stored."""
_REFERENCE = re.compile(rf"\$\{{(?:secret:(?P<secret>{NAME})|(?P<variable>[A-Za-z_]\w*)(?::-(?P<otherwise>[^}}]*))?)\}}")


class _Own(BaseModel):
    """The key ``deskcrew`` of an entry: what the server may see and change besides its own program."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    workspace: bool = False
    """Whether it sees the workspace, read-only, at the path that the crew's programs use."""
    read: tuple[str, ...] = ()
    """Files and folders that it may read, relative to the project."""
    write: tuple[str, ...] = ()
    """Files and folders that it may also write to: its own data."""


class ServerEntry(BaseModel):
    """One entry of the file. Further keys, for other agents, are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    type: Literal["stdio", "http", "streamable-http", "streamableHttp"] | None = None
    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict)
    url: str = ""
    headers: dict[str, str] = Field(default_factory=dict)
    disabled: bool = False
    deskcrew: _Own = _Own()

    def shown(self) -> JsonObject:
        """The entry as a journal may store it: only names and references of variables and headers, and neither arguments nor
        a query, as keys occur there, too."""
        told: JsonObject = self.model_dump(mode="json", exclude_defaults=True, exclude={"args"})
        if self.url:
            told["url"] = self.url.partition("#")[0].partition("?")[0]
        for name in ("env", "headers"):
            if name in told:
                told[name] = {key: _without_values(str(value)) for key, value in object_in(told[name]).items()}
        return told


@dataclass(frozen=True, slots=True)
class Server:
    """A server that a project names. ``project``: the folder of its file. The entry's values are in no ``repr``."""

    name: str
    project: Path
    entry: ServerEntry = field(repr=False)

    @property
    def file(self) -> str:
        """The server's name for people and in lists of what is allowed."""
        return str(self.project / FILE / self.name)

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of the whole server, values included; never to be stored where the values must not be."""
        told = {
            "name": self.name,
            "project": str(self.project),
            "entry": self.entry.model_dump(mode="json", exclude_defaults=True),
        }
        return hashlib.sha256(canonical(told)).hexdigest()

    @property
    def origin(self) -> str:
        """Scheme, host and port of a server reached over HTTP."""
        parts = urlsplit(self.entry.url)
        return f"{parts.scheme}://{parts.netloc}"

    def program(self) -> tuple[list[str], tuple[str, ...]]:
        """The command line, and the paths of this machine that it needs. Raises ActionError if there is none."""
        found = shutil.which(self._placed(self.entry.command))
        if found is None:
            raise ActionError(f"The MCP server {self.name} cannot be started: there is no program {self.entry.command!r}.")
        program = Path(os.path.abspath(found))
        args = [self._placed(word) for word in self.entry.args]
        shown = [program, program.resolve(), *(Path(word) for word in args if os.path.isabs(word))]
        shown += [folder for path in tuple(shown) for folder in _installed_with(path)]
        shown += self._there(self.entry.deskcrew.read)
        there = dict.fromkeys(path for path in shown if path.exists() and _bounded(path))
        # What lies in one of the folders is seen with it; shown once more, a link in there would be in the way.
        within = {path for path in there if any(folder in there for folder in path.parents)}
        return [str(program), *args], tuple(str(path) for path in there if path not in within)

    def written(self) -> tuple[str, ...]:
        """The existing paths that the server may write to."""
        return tuple(str(path) for path in self._there(self.entry.deskcrew.write) if path.exists() and _bounded(path))

    def values(self, given: Mapping[str, str], vault: Vault) -> tuple[dict[str, str], tuple[Secret, ...]]:
        """Variables or headers with their references resolved, and the values of variables, to be redacted.

        Raises ActionError for a secret that is not for this server, and for a variable that is not set.
        """
        hidden: dict[str, Secret] = {}

        def value(match: re.Match[str]) -> str:
            if name := match["secret"]:
                if self.entry.url:
                    return vault.lend(f"{{{{secret:{name}}}}}", self.origin)
                return vault.hand(name, APP + self.name)
            name = match["variable"]
            found = os.environ.get(name) or match["otherwise"]
            if found is None:
                raise ActionError(f"The MCP server {self.name} needs the variable {name}, which is not set here.")
            if len(found) >= SHORTEST and name in os.environ:
                hidden[name] = Secret(name, found, Binding())
            return found

        return {name: _REFERENCE.sub(value, text) for name, text in given.items()}, tuple(hidden.values())

    def _there(self, paths: Iterable[str]) -> list[Path]:
        return [Path(os.path.normpath(self.project / path)) for path in paths]

    def _placed(self, word: str) -> str:
        """A word of the command line; an existing relative path becomes absolute, as the server starts elsewhere."""
        there = Path(os.path.normpath(self.project / word))
        return str(there) if os.sep in word and not os.path.isabs(word) and there.exists() else word


def find(project: Path) -> tuple[Server, ...]:
    """The servers in this folder's file; () if there is no file. Raises ConfigError if it is invalid."""
    path = project / FILE
    if not path.is_file():
        return ()
    try:
        told: object = json.loads(read_config(path))
    except ValueError as error:
        raise ConfigError(f"{path} is not JSON: {error}.") from error
    named = told.get("mcpServers") if is_object(told) else None
    if not is_object(named):
        raise ConfigError(f"{path} has no object 'mcpServers'.")
    servers = (Server(name, project, _entry(path, name, each)) for name, each in sorted(named.items()))
    return tuple(server for server in servers if not server.entry.disabled)


def _entry(path: Path, name: str, told: object) -> ServerEntry:
    try:
        entry = ServerEntry.model_validate(told)
    except ValidationError as error:
        raise ConfigError(f"{path}, server {name!r}: {explain(error)}.") from error
    problem = ""
    if not is_name(name):
        problem = "its name may contain only letters, digits, '.', '_' and '-'"
    elif bool(entry.command) == bool(entry.url):
        problem = "it has either a command or a url"
    elif entry.url and (urlsplit(entry.url).scheme not in ("http", "https") or urlsplit(entry.url).username is not None):
        problem = "its url must be http or https, without a user name"
    elif any("${" in word for word in (entry.command, *entry.args, entry.url)):
        problem = "${...} belongs in env and headers only: command lines and addresses can be read by others"
    if problem:
        raise ConfigError(f"{path}, server {name!r}: {problem}.")
    return entry


def _without_values(text: str) -> str:
    """A value as it may be stored: unchanged if it is a single reference, but without its default."""
    match = _REFERENCE.fullmatch(text)
    if match is None:
        return HIDDEN
    return f"${{secret:{match['secret']}}}" if match["secret"] else f"${{{match['variable']}}}"


def _installed_with(path: Path) -> Iterable[Path]:
    """The folder beside a program into which its libraries were installed: a Python virtual environment, or npm's
    ``node_modules``, the outermost one if a library has libraries of its own."""
    if (path.parent.parent / "pyvenv.cfg").is_file():
        yield path.parent.parent
    yield from [folder for folder in path.parents if folder.name == "node_modules"][-1:]


def _bounded(path: Path) -> bool:
    """Whether a path may be exposed to a server: neither the whole machine nor the user's whole home."""
    return not any(
        place.is_relative_to(path.resolve()) for place in (Path("/usr"), Path("/etc"), Path("/proc"), Path.home())
    )
