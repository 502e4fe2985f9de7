"""Actions from elsewhere: Python files of a project or of the user, modules of installed packages, and MCP servers.

A file or module provides actions in a tuple ``ACTIONS``. The user's own and installed ones are trusted; a file of a project
comes with whatever was unpacked or cloned, so a person must allow it first, and again when it has changed. The same holds
for a server that the project names, whose tools were recorded when it was allowed (``actions/mcp``).
"""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Any, Literal, Self

from pydantic import ValidationError

from deskcrew.actions import builtin
from deskcrew.actions.action import Action
from deskcrew.actions.declared import Declared
from deskcrew.actions.executor import explain
from deskcrew.actions.foreign import Broken, called, guarded, module_of
from deskcrew.actions.mcp import pins, servers
from deskcrew.actions.mcp.calls import calls, changes
from deskcrew.actions.mcp.manifest import ServerManifest
from deskcrew.actions.sandbox import Sandbox
from deskcrew.errors import ConfigError, UsageError
from deskcrew.facts.observation import Frozen
from deskcrew.secrets.vault import Vault
from deskcrew.settings import read_config

GROUP = "deskcrew.actions"
"""The group of entry points that name modules with ``ACTIONS``."""
FOLDER = "actions"
"""The name of the folder with action files, in a project's ``.deskcrew``, in the user's settings and in a journal."""
Origin = Literal["project", "user", "package", "server", "program"]
"""Where actions come from. ``program``: from the program that began the run."""
_MANIFEST = ".mcp"
"""The suffix of a server's manifest in a journal."""
_HINT = "`deskcrew docs add-an-action` has a whole one."


class _Record(Frozen):
    """What a journal stores about a file besides its text."""

    origin: Origin
    file: str
    actions: tuple[Declared, ...]


@dataclass(frozen=True, slots=True)
class ActionSource:
    """A file as it was read, before any of it is executed. ``file``: its name for people and tracebacks; ``module``: the
    module of an installed package, '' for a file; ``problem``: why it could not be read, '' if it could. For a server, the
    text is its manifest, '' if its current entry was never connected; ``server``: what to start, None if not here."""

    name: str
    origin: Origin
    file: str
    text: str
    module: str = ""
    problem: str = ""
    server: servers.Server | None = None

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def trusted(self, allowed: Collection[str]) -> bool:
        """Whether its code may be executed; ``allowed``: digests that a person allowed."""
        return not self.problem and (self.origin not in ("project", "server") or self.digest in allowed)


@dataclass(frozen=True, slots=True)
class ActionFile:
    """A file with its actions; these have no code if the file comes from a journal."""

    source: ActionSource
    actions: tuple[Action, ...]

    @property
    def record(self) -> str:
        """What a journal stores about the file besides its text, as JSON."""
        declared = tuple(Declared.of(action) for action in self.actions)
        return _Record(origin=self.source.origin, file=self.source.file, actions=declared).model_dump_json()

    @property
    def texts(self) -> dict[str, str]:
        """What a journal stores of the file, by name there."""
        name = f"{FOLDER}/{self.source.name}"
        if self.source.origin == "server":
            return {f"{name}{_MANIFEST}": self.source.text}  # which declares them
        return {f"{name}.py": self.source.text, f"{name}.json": self.record}

    @classmethod
    def recorded(cls, name: str, text: str, record: str) -> Self:
        """Restore a file, without code, from a journal. Raises ConfigError if another version recorded it."""
        try:
            kept = _Record.model_validate_json(record)
        except ValidationError as error:
            raise ConfigError(f"The actions of {name} cannot be read: another version of Deskcrew recorded them.") from error
        return cls(ActionSource(name, kept.origin, kept.file, text), tuple(each.action() for each in kept.actions))


def find(project: Path, user: Path) -> tuple[ActionSource, ...]:
    """All available files, none of them executed. ``project`` and ``user``: folders of files; of two with the same name the
    first counts, as with roles. Raises ConfigError for an installed package that cannot be loaded."""
    found: dict[str, ActionSource] = {}
    folders: tuple[tuple[Origin, Path], ...] = (("project", project), ("user", user))
    for origin, folder in folders:
        for path in sorted(folder.glob("*.py")):
            if path.stem not in found:
                found[path.stem] = _found(path, origin)
    for entry in _entries(tuple((place, _changed(place)) for place in sys.path)):
        found.setdefault(entry.name, _installed(entry))
    return tuple(found.values())


@lru_cache(maxsize=1)
def _entries(path: tuple[tuple[str, int], ...]) -> tuple[EntryPoint, ...]:
    """The entry points of installed packages. Reading all packages for them took a quarter of the time of a short run, so
    they are cached while ``path`` (the folders of packages, and when each last changed) stays the same."""
    return tuple(sorted(entry_points(group=GROUP)))


def _changed(place: str) -> int:
    """When a package was last installed into a folder or removed from it, in nanoseconds; 0 if it cannot be read."""
    try:
        return Path(place).stat().st_mtime_ns
    except OSError:
        return 0


def find_servers(project: Path, settings: Path) -> tuple[ActionSource, ...]:
    """The MCP servers that the ``.mcp.json`` in the folder ``project`` names, none of them started. ``settings``: the
    settings folder. If the file cannot be read, a single source with the problem."""
    try:
        return tuple(server_source(each, pins.pinned(settings, each)) for each in servers.find(project))
    except ConfigError as error:
        return (ActionSource("mcp", "server", str(project / servers.FILE), "", problem=str(error)),)


def server_source(server: servers.Server, text: str) -> ActionSource:
    """The source of a server, with its manifest as text."""
    return ActionSource(server.name, "server", server.file, text, server=server)


def _found(path: Path, origin: Origin) -> ActionSource:
    try:
        return read(path, origin)
    except ConfigError as error:  # the others can still be listed
        return ActionSource(path.stem, origin, str(path), "", problem=str(error))


def read(path: Path, origin: Origin) -> ActionSource:
    """Read one file as a source. Raises ConfigError if it cannot be read."""
    return ActionSource(path.stem, origin, str(path), read_config(path))


def load(sources: Iterable[ActionSource], allowed: Collection[str]) -> tuple[ActionFile, ...]:
    """Load the actions of these sources. Raises ConfigError for a file that cannot be read or that nobody has allowed,
    before any is executed, and for a file that does not work, naming file and line."""
    sources = tuple(sources)
    for source in sources:
        if source.problem:
            raise ConfigError(source.problem, hint="Fix the file, or move it out of the folder.")
        if not source.trusted(allowed):
            raise ConfigError(
                f"{source.file} adds actions, and nobody has allowed it yet: it is code that would run with your rights.",
                hint=f"Read it; then: deskcrew actions allow {source.file}",
            )
    return distinct(ActionFile(source, tuple(_actions(source))) for source in sources)


def distinct(files: Iterable[ActionFile]) -> tuple[ActionFile, ...]:
    """These files. Raises ConfigError if two actions have the same name."""
    files, owners = tuple(files), dict.fromkeys(builtin(), "a built-in one")
    for file in files:
        for action in file.actions:
            if action.name in owners:
                told = f"there is an action {action.name!r} already: {owners[action.name]}"
                raise _wrong(file.source, told, _quoted(action))
            owners[action.name] = f"one of {file.source.file}"
    return files


def of_program(given: Iterable[Action | Callable[..., object]]) -> tuple[ActionFile, ...]:
    """Files for actions, or functions as in :meth:`Action.of`, that a program passes to a run. Their text is the source of
    these functions. Raises ConfigError if one cannot be an action."""
    files: list[ActionFile] = []
    for each in given:
        action = each if isinstance(each, Action) else Action.of(each)
        file, text = "your program", action.summary
        with suppress(OSError, TypeError):  # it was typed, and stands in no file
            file, text = inspect.getsourcefile(inspect.unwrap(action.run)) or file, inspect.getsource(action.run)
        source = ActionSource(f"program-{action.name}", "program", file, text)
        files.append(ActionFile(source, (_checked(action, source),)))
    return tuple(files)


def changed_servers(files: Iterable[ActionFile], sandbox: Sandbox, vault: Vault) -> list[str]:
    """Warnings for a person, before a run begins, about servers that do not work or have changed since they were allowed.
    All are started at the same time to find out. Blocking."""

    def looked_at(file: ActionFile) -> str:
        server = file.source.server
        return changes(ServerManifest.read(file.source.text, file.source.file), server, sandbox, vault) if server else ""

    with ThreadPoolExecutor() as looking:
        return [told for told in looking.map(looked_at, files) if told]


def by_name(files: Iterable[ActionFile]) -> dict[str, Action]:
    """The actions of these files by name."""
    return {action.name: action for file in files for action in file.actions}


def recorded(names: Iterable[PurePosixPath], text_of: Callable[[PurePosixPath], str]) -> tuple[ActionFile, ...]:
    """The files that a run began with. ``names``: the names of all files in its journal; ``text_of``: reads one."""
    files: list[ActionFile] = []
    for name in names:
        if name.parent.name == FOLDER and name.suffix == ".py":
            files.append(ActionFile.recorded(name.stem, text_of(name), text_of(name.with_suffix(".json"))))
        elif name.parent.name == FOLDER and name.suffix == _MANIFEST:
            source = ActionSource(name.stem, "server", f"{servers.FILE}/{name.stem}", text_of(name))
            files.append(ActionFile(source, _tools(source)))
    return tuple(files)


def with_code(
    files: Sequence[ActionFile],
    there: Iterable[ActionSource],
    allowed: Collection[str],
    own: Sequence[ActionFile] = (),
) -> tuple[ActionFile, ...]:
    """Recorded files with the code of their recorded text, if a person allowed that text, or it exists as trusted.
    ``there``: the files found now; ``own``: those of the program that begins the run. Raises UsageError without such
    code."""
    handed = {file.source.digest: file for file in own}
    trusted = {source.digest: source for source in there if source.trusted(allowed)}
    made: list[ActionFile] = []
    for file in files:
        digest = file.source.digest
        if digest in handed:
            made.append(handed[digest])
            continue
        source = trusted.get(digest) or (
            file.source if digest in allowed and file.source.origin not in ("package", "server", "program") else None
        )
        if source is None:
            raise UsageError(
                f"The run began with the actions of {file.source.file}, which have changed, are gone, or are not allowed.",
                hint=f"Restore them as they were, and allow them: {_allowing(file.source)}. Or start the task again.",
            )
        made.append(ActionFile(file.source, tuple(_actions(source))))
    return tuple(made)


def _allowing(source: ActionSource) -> str:
    if source.origin == "program":
        return "only the program that began it has them"
    return f"deskcrew actions {f'connect {source.name}' if source.origin == 'server' else 'allow FILE'}"


def _tools(source: ActionSource) -> tuple[Action, ...]:
    """The tools of a server. Raises ConfigError if its manifest cannot be read."""
    manifest = ServerManifest.read(source.text, source.file)
    return manifest.actions(calls(manifest, source.server))


def _actions(source: ActionSource) -> Iterable[Action]:
    """Execute one file and return its actions. Raises ConfigError if it does not work."""
    if source.origin == "server":
        yield from _tools(source)
        return
    try:
        load = partial(import_module, source.module) if source.module else None
        module = called(load, source.file) if load else module_of(source.text, source.file, source.digest)
    except Broken as broken:
        where = f"{source.file}, line {broken.line}" if broken.line else source.file
        raise ConfigError(f"{where}: it cannot be loaded: {str(broken).removesuffix('.')}.", hint=_HINT) from broken
    actions: Any = getattr(module, "ACTIONS", None)
    if not isinstance(actions, tuple) or not all(isinstance(each, Action) for each in actions) or not actions:  # pyright: ignore[reportUnknownVariableType]
        raise _wrong(source, "it has no tuple ACTIONS with actions", "ACTIONS")
    for action in actions:  # pyright: ignore[reportUnknownVariableType]
        yield _checked(action, source)  # pyright: ignore[reportUnknownArgumentType]


def _checked(action: Action, source: ActionSource) -> Action:
    try:
        return guarded(action, source.file)
    except ValidationError as error:
        raise _wrong(source, f"the action {action.name!r}: {explain(error)}", _quoted(action)) from error
    except ValueError as error:
        place = f"class {getattr(action.params, '__name__', '')}"
        raise _wrong(source, f"the action {action.name!r}, {error}", place) from error


def _quoted(action: Action) -> str:
    return repr(str(action.name))


def _wrong(source: ActionSource, what: str, place: str) -> ConfigError:
    """The error about a source. ``place``: a text in the line with the mistake, in single quotation marks."""
    if source.origin == "program":
        return ConfigError(f"{source.file}: {what}.", hint=_HINT)
    lines = enumerate(source.text.splitlines(), 1)
    line = next((number for number, line in lines if place in line.replace('"', "'")), 1)
    return ConfigError(f"{source.file}, line {line}: {what}.", hint=_HINT)


def _installed(entry: EntryPoint) -> ActionSource:
    """The source of an installed package's module. Raises ConfigError if it cannot be loaded."""
    whose = entry.dist.name if entry.dist else entry.module
    try:
        spec = called(lambda: find_spec(entry.module), entry.module)
    except Broken as broken:
        raise ConfigError(
            f"The actions of {whose} cannot be loaded: {broken}.", hint=f"Update or remove {whose}."
        ) from broken
    path = Path(spec.origin) if spec is not None and spec.origin else None
    if path is None or path.suffix != ".py":
        raise ConfigError(f"The actions of {whose} have no source: {entry.module}.", hint=f"Update or remove {whose}.")
    found = read(path, "package")
    return ActionSource(entry.name, "package", found.file, found.text, entry.module)
