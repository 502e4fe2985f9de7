"""Programs that can be opened: names and commands from .desktop files, and the flags that some need to be seen.

Nothing here runs a program; the commands go to the sandbox (or, on a real desktop, to the session).
"""

from __future__ import annotations

import configparser
import shlex
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from deskcrew.errors import ActionError, UsageError
from deskcrew.facts.meant import did_you_mean
from deskcrew.facts.system_packages import install

FOLDERS = (Path("/usr/local/share/applications"), Path("/usr/share/applications"))
GAMES = "/usr/games"
"""Where games are installed. It is not in the search path of services and of root."""
BROWSERS = frozenset({"chromium", "google-chrome"})
EXTRA_FLAGS = {
    "libreoffice": ("--norestore", "--nologo", "--nofirststartwizard"),
    "soffice": ("--norestore", "--nologo", "--nofirststartwizard"),
    "localc": ("--norestore", "--nologo"),
    "lowriter": ("--norestore", "--nologo"),
    "chromium": ("--force-renderer-accessibility", "--no-first-run", "--disable-gpu", "--password-store=basic"),
    "google-chrome": ("--force-renderer-accessibility", "--no-first-run", "--disable-gpu", "--password-store=basic"),
}
"""Flags without which a program cannot be read, or asks questions when it starts."""
FIELD_CODES = frozenset({"%f", "%F", "%u", "%U"})

_HEAD = 8192
"""The number of bytes at the start that show whether a file is text."""
OWN = frozenset({"x11vnc"})
"""Programs that display the desktop itself; opening them on it is useless."""


class Application(NamedTuple):
    """A program. ``name``: what it is and, in brackets, its own name. ``command`` may contain field codes such as ``%U``."""

    name: str
    command: tuple[str, ...]
    settings: bool = False
    """A page of settings rather than a program: can be opened by its name, but is not offered."""
    edits_text: bool = False
    """A text editor: saving a file that is not text with it damages the file."""

    @property
    def browses(self) -> bool:
        """Whether it is a browser whose pages can be read by script."""
        return Path(self.command[0]).name in BROWSERS

    def with_file(self, file: str | None) -> list[str]:
        """The command with ``file`` (a path) in its place. Raises ActionError if the program opens no files."""
        if file and not FIELD_CODES & {*self.command}:
            raise ActionError(f"{self.name} opens no files.")
        words: list[str] = []
        for word in self.command:
            if word in FIELD_CODES:
                words += [file] if file else []
            elif not word.startswith("%"):
                words.append(word)
        return [words[0], *EXTRA_FLAGS.get(Path(words[0]).name, ()), *words[1:]]


def installed(folders: Iterable[Path] = FOLDERS) -> dict[str, Application]:
    """All graphical programs by name, first folder first."""
    found: dict[str, Application] = {}
    for folder in folders:
        for path in sorted(folder.glob("*.desktop")):
            application = read_desktop_file(path)
            if application is not None:
                found.setdefault(application.name, application)
    return found


def read_desktop_file(path: Path) -> Application | None:
    """The program a .desktop file describes; None if it is hidden, a terminal program, missing or unreadable."""
    parser = configparser.RawConfigParser(strict=False, comment_prefixes=("#",))
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        parser.read_string(path.read_text(encoding="utf-8", errors="replace"))
        entry = parser["Desktop Entry"]
        words = shlex.split(entry.get("Exec", ""))
    except (OSError, configparser.Error, KeyError, ValueError):
        return None
    name = entry.get("Name", "")
    hidden = any(entry.get(key, "false").lower() == "true" for key in ("NoDisplay", "Hidden", "Terminal"))
    if words and Path(words[0]).name in OWN:
        return None
    if hidden or entry.get("Type") != "Application" or not name or not words:
        return None
    if shutil.which(words[0]) is None:
        if (game := shutil.which(words[0], path=GAMES)) is None:
            return None
        words[0] = game
    # People ask for "the text editor", not for the name its authors gave it.
    generic = entry.get("GenericName", "")
    called = name if not generic or generic.lower() in name.lower() else f"{generic} ({name})"
    categories = entry.get("Categories", "").split(";")
    return Application(called, tuple(words), "Settings" in categories, "TextEditor" in categories)


def refuse_damage(application: Application, file: Path) -> None:
    """Raises ActionError if ``file`` is not text and the program is a text editor: saving it there would damage it."""
    if not application.edits_text or not file.is_file():
        return
    with file.open("rb") as opened:
        if b"\0" in opened.read(_HEAD):
            raise ActionError(f"{file.name} is not text, and {application.name} would damage it. read_file reads it.")


def check_there(name: str) -> None:
    """Raises UsageError, with all names, if ``name`` means no installed program."""
    try:
        find(name, installed())
    except ActionError as error:
        raise UsageError(str(error), hint=error.hint) from error


def find(name: str, applications: dict[str, Application]) -> Application:
    """The program meant by ``name``: its name, its command, or the only one whose name contains it.

    Models also write file names, ``mousepad.desktop`` or, for programs they know from elsewhere, ``calc.exe``. Raises
    ActionError, with all names, if none or several fit.
    """
    wanted = name.strip().lower().removesuffix(".desktop").removesuffix(".exe")
    words = wanted.replace("-", " ").split()
    near = [found for found in applications.values() if words and all(word in found.name.lower() for word in words)]
    for found in applications.values():
        if found.name.lower() == wanted:
            return found
    for found in applications.values():
        if Path(found.command[0]).name == wanted and len(found.command) - len(FIELD_CODES & {*found.command}) == 1:
            return found
    if len(near) == 1:
        return near[0]
    meant = did_you_mean(name, applications, most=3, cutoff=0.4)
    known = ", ".join(sorted(applications)) or "none"
    if len(near) > 1:
        raise ActionError(f"{name!r} could be {', '.join(sorted(found.name for found in near))}; use the full name.")
    raise ActionError(
        f"There is no application {name!r}.{meant} Applications here: {known}.",
        hint=f"If it should be there: {install(wanted.split()[0] if words else 'PACKAGE')}",
    )
