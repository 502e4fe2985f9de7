"""Files that programs outside every sandbox obey when somebody merely enters, opens or lists a folder. The only list.

``git status`` runs what a repository's settings name, a shell with direnv runs ``.envrc``, an editor what a folder's own
settings say. A run may not make or change any of that. What is obeyed only when somebody builds, installs or starts a
project (Makefile, package.json, conftest.py) is not in the list: such a file is reported like any other that no requirement
mentions.

An honest task may order a git repository. It may be made and changed as long as nothing in it is executed: its settings are
on an allow-list, its hooks are git's own samples, and it keeps no part of itself elsewhere.
"""

from __future__ import annotations

import os
import pwd
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

GIT = ".git"


class Obeyed(NamedTuple):
    """The names that a program obeys. ``by``: the program; ``names``: files or folders that it obeys, in any folder or, in
    :data:`HOME`, below the user's home."""

    by: str
    names: tuple[str, ...]


ANYWHERE = (
    Obeyed("git", (GIT,)),
    Obeyed("Mercurial", (".hg",)),
    Obeyed("Jujutsu", (".jj",)),
    Obeyed("Sapling", (".sl",)),
    Obeyed("Subversion", (".svn",)),
    Obeyed("Deskcrew", (".deskcrew",)),
    Obeyed("direnv", (".envrc",)),
    Obeyed("mise", (".mise", ".mise.toml", "mise.toml", ".mise.local.toml", "mise.local.toml", ".rtx.toml")),
    Obeyed("asdf", (".tool-versions",)),
    Obeyed("RVM", (".rvmrc",)),
    Obeyed("VS Code", (".vscode",)),
    Obeyed("development containers", (".devcontainer", ".devcontainer.json")),
    Obeyed("JetBrains' editors", (".idea",)),
    Obeyed("Zed", (".zed",)),
    Obeyed("Vim", (".exrc", ".vimrc", ".gvimrc", "_exrc", "_vimrc")),
    Obeyed("Neovim", (".nvim.lua", ".nvimrc")),
    Obeyed("Emacs", (".dir-locals.el", ".dir-locals-2.el")),
    Obeyed("gdb", (".gdbinit",)),
    Obeyed("LLDB", (".lldbinit",)),
    Obeyed("coding agents", (".claude", ".cursor", ".codex", ".gemini", ".windsurf", ".kiro", ".mcp.json")),
)
"""Obeyed in any folder."""
HOME = (
    Obeyed("shells", (
        ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv",
        ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", ".config/fish", ".direnvrc",
        ".config/direnv",
    )),
    Obeyed("the session", (
        ".xprofile", ".xinitrc", ".xsession", ".xsessionrc", ".pam_environment", ".config/autostart", ".config/systemd",
        ".config/environment.d", ".local/share/applications", ".local/share/dbus-1", ".local/share/systemd",
    )),
    Obeyed("whatever is started by name", (".local/bin", "bin", ".cargo/bin", ".local/lib")),
    Obeyed("git", (".gitconfig", ".config/git")),
    Obeyed("ssh", (".ssh",)),
    Obeyed("GnuPG", (".gnupg",)),
    Obeyed("Mercurial", (".hgrc", ".config/hg")),
    Obeyed("Vim", (".vim",)),
    Obeyed("Neovim", (".config/nvim",)),
    Obeyed("Emacs", (".emacs", ".emacs.d", ".config/emacs")),
    Obeyed("terminals", (".tmux.conf", ".config/tmux", ".screenrc", ".inputrc")),
    Obeyed("package managers", (".npmrc", ".config/pip", ".cargo/config.toml", ".condarc", ".config/mise")),
    Obeyed("Deskcrew", (".config/deskcrew", ".local/share/deskcrew")),
)  # fmt: skip
"""Obeyed in the user's home only, which matters where a workspace is or contains it."""

_SECTIONS: Mapping[str, frozenset[str]] = {
    "core": frozenset((
        "repositoryformatversion", "filemode", "bare", "logallrefupdates", "ignorecase", "precomposeunicode", "symlinks",
        "autocrlf", "eol", "safecrlf", "quotepath",
    )),
    "user": frozenset(("name", "email")),
    "author": frozenset(("name", "email")),
    "committer": frozenset(("name", "email")),
    "init": frozenset(("defaultbranch",)),
    "extensions": frozenset(("objectformat",)),
    "commit": frozenset(("verbose",)),
    "pull": frozenset(("rebase", "ff")),
    "push": frozenset(("default", "autosetupremote")),
    "merge": frozenset(("ff", "conflictstyle")),
    "branch": frozenset(("remote", "merge", "rebase", "description")),
    "remote": frozenset(("url", "fetch")),
    "color": frozenset(("ui",)),
}  # fmt: skip
"""Settings of a repository that execute nothing and lead nowhere else, by section."""
_STATE = frozenset((
    "HEAD", "ORIG_HEAD", "FETCH_HEAD", "MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE", "CHERRY_PICK_HEAD",
    "REVERT_HEAD", "SQUASH_MSG", "COMMIT_EDITMSG", "TAG_EDITMSG", "description", "index", "packed-refs", "shallow",
    "gc.log", "gc.pid", "objects", "refs", "logs", "info", "branches",
))  # fmt: skip
"""Names in a ``.git`` folder that hold its state."""
CONFIG, HOOKS = "config", "hooks"
ELSEWHERE = ("commondir", "gitdir", "config.worktree")
"""Names in a repository that send git to settings elsewhere."""
_LAYOUT = frozenset(("HEAD", "objects", "refs", CONFIG, HOOKS, *ELSEWHERE))
"""Names that make a folder a repository, whatever it is called, or that git obeys in it then."""
LOCK = ".lock"
LONGEST = 1 << 16
"""The maximum size of a repository's settings, in bytes."""
WORDS = "{path}: {by} would obey it outside of the sandbox, so no run may make or change it{more}"


class Sides(NamedTuple):
    """A folder before and after somebody's changes: the status of a path (None: nothing is there), and the beginning of a
    file (None: it is not a file)."""

    before: Callable[[str], os.stat_result | None]
    after: Callable[[str], os.stat_result | None]
    read_before: Callable[[str], bytes | None]
    read_after: Callable[[str], bytes | None]


class Offence(NamedTuple):
    """Something that was made or changed and would be obeyed. ``why``: for a person and a model."""

    path: str
    why: str


class Fence:
    """Finds what is obeyed among paths of one workspace."""

    def __init__(self, root: Path) -> None:
        self._home = _home_below(root)

    def obeyed_by(self, path: str) -> str:
        """The program that obeys a path relative to the workspace, by its name alone; '' for none."""
        parts = [part.casefold() for part in path.split("/") if part not in ("", ".")]
        for entry in ANYWHERE:
            if any(part in entry.names for part in parts):
                return entry.by
        if self._home is None or parts[: len(self._home)] != [part.casefold() for part in self._home]:
            return ""
        below = "/".join(parts[len(self._home) :])
        for entry in HOME:
            if any(below == name.casefold() or below.startswith(f"{name.casefold()}/") for name in entry.names):
                return entry.by
        return ""

    def offences(self, changed: Iterable[str], sides: Sides) -> Iterator[Offence]:
        """The paths that were made or changed and would be obeyed. Lazy: one is enough to refuse all."""
        for path in changed:
            parts = path.split("/")
            inside = next((number for number, part in enumerate(parts) if part.casefold() == GIT), None)
            if inside is not None:
                if why := _in_git(path, "/".join(parts[: inside + 1]), parts[inside + 1 :], sides):
                    yield Offence(path, WORDS.format(path=path, by="git", more=f" ({why})"))
            elif by := self.obeyed_by(path):
                status = sides.after(path)
                if status is None or not stat.S_ISDIR(status.st_mode):
                    yield Offence(path, WORDS.format(path=path, by=by, more=""))
            else:
                yield from _in_bare(parts, sides)

    def refused(self, path: str, there: Callable[[str], bool]) -> str:
        """Why a file operation may not write at a path, '' if it may. ``there``: whether something is at a path. Git
        itself may make a repository; nobody else needs to write into one."""
        if by := self.obeyed_by(path):
            return WORDS.format(path=path, by=by, more="")
        parts = path.split("/")
        for number, part in enumerate(parts):
            folder = "".join(f"{each}/" for each in parts[:number])
            if part in _LAYOUT and _is_repository(lambda name, at=folder, new=part: name == new or there(f"{at}{name}")):
                return WORDS.format(path=path, by="git", more=f" ({folder or 'the workspace'} would be a repository)")
        return ""


def _in_git(path: str, top: str, inner: list[str], sides: Sides) -> str:
    """Why a path in a ``.git`` folder is not allowed; '' if it is."""
    status = sides.after(path)
    if status is not None and stat.S_ISLNK(status.st_mode):
        return "a link"
    if not inner:
        return "" if status is not None and stat.S_ISDIR(status.st_mode) else "not a folder"
    name = inner[0].removesuffix(LOCK)
    if inner[0] == HOOKS:
        return _hook(inner[1:])
    if name == CONFIG and len(inner) == 1:
        return _settings(path, sides)
    return "" if name in _STATE else f"{inner[0]} is not a part of a plain repository"


def _in_bare(parts: list[str], sides: Sides) -> Iterator[Offence]:
    """What would be obeyed in a folder whose contents make it a repository, whatever its name."""
    for number, part in enumerate(parts):
        if part not in _LAYOUT:
            continue
        prefix = "".join(f"{each}/" for each in parts[:number])
        if not _is_repository(lambda name, at=prefix: sides.after(f"{at}{name}") is not None):
            continue
        was = _is_repository(lambda name, at=prefix: sides.before(f"{at}{name}") is not None)
        for name in (CONFIG, HOOKS, *ELSEWHERE):
            path = f"{prefix}{name}"
            status = sides.after(path)
            if status is None:
                continue
            if name == CONFIG:
                why = _settings(path, sides, known=was)
            elif name == HOOKS:
                old = sides.before(path) is not None and not was
                inner = parts[number + 1 :] if part == HOOKS else []
                why = "hooks" if old or not stat.S_ISDIR(status.st_mode) else _hook(inner)
            else:
                why = "" if was and sides.before(path) is not None else "it leads elsewhere"
            if why:
                path = "/".join(parts) if name == HOOKS == part else path
                yield Offence(path, WORDS.format(path=path, by="git", more=f" ({why})"))


def _is_repository(there: Callable[[str], bool]) -> bool:
    return there("HEAD") and (there("commondir") or (there("objects") and there("refs")))


def _hook(inner: list[str]) -> str:
    return "" if not inner or (len(inner) == 1 and inner[0].endswith(".sample")) else "a hook"


def _settings(path: str, sides: Sides, *, known: bool = True) -> str:
    """The first setting of a repository that is not on the allow-list, or why they cannot be read; '' if all are allowed.
    ``known``: settings from before were obeyed before, and may stay."""
    status = sides.after(path)
    if status is None or not stat.S_ISREG(status.st_mode):
        return "its settings are not a file"
    data = sides.read_after(path)
    now = _pairs(data) if data is not None else None
    if now is None:
        return "its settings are in an unusual form"
    before = (_pairs(sides.read_before(path) or b"") if known else None) or frozenset()
    return next((f"{key} = {value[:60]}" for key, value in sorted(now - before) if not _harmless(key, value)), "")


def _harmless(key: str, value: str) -> bool:
    section, name = key.partition(".")[0], key.rpartition(".")[2]
    plain = not ("::" in value or value.startswith("-")) if name == "url" else True
    return plain and name in _SECTIONS.get(section, ())


def _pairs(data: bytes) -> frozenset[tuple[str, str]] | None:
    """The settings in a file, as ``section.sub.name`` and value; None for a form that git itself does not write. Stricter
    than git, so that nothing can mean one thing here and another there."""
    if len(data) >= LONGEST:
        return None
    found: set[tuple[str, str]] = set()
    section = ""
    for line in data.decode("utf-8", "replace").replace("\t", " ").split("\n"):
        line = line.strip(" ")
        if "\\" in line or not line.isprintable():
            return None
        if line.startswith("[") and line.endswith("]"):
            name, _, sub = line[1:-1].partition(" ")
            if not name.isalnum() or (sub and (len(sub) < 2 or sub[0] + sub[-1] != '""' or '"' in sub[1:-1] or "]" in sub)):
                return None
            section = f"{name.lower()}.{sub[1:-1]}." if sub else f"{name.lower()}."
        elif line and line[0] not in "#;":
            name, sign, value = line.partition("=")
            name = name.strip(" ").lower()
            if not section or not name.replace("-", "").isalnum() or not name.isascii() or '"' in value:
                return None
            found.add((f"{section}{name}", value.strip(" ") if sign else "true"))
    return frozenset(found)


def _home_below(root: Path) -> list[str] | None:
    """The user's home as parts of a path below ``root``; None if it is elsewhere."""
    try:
        home = Path(pwd.getpwuid(os.getuid()).pw_dir).resolve()
        return list(home.relative_to(root.resolve()).parts)
    except (KeyError, ValueError, OSError):
        return None
