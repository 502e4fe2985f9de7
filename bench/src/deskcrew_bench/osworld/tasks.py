"""The tasks of a clone of OSWorld or WindowsAgentArena, and what they need that cannot be had without their machine."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from deskcrew.engine.request import Opened
from deskcrew.errors import UsageError
from deskcrew.facts.observation import Frozen
from deskcrew_bench.osworld.machine import HOME, WINDOWS, local

CLONE = "Name a clone of https://github.com/xlang-ai/OSWorld, the folder that holds evaluation_examples/ and desktop_env/."
EXAMPLES = (
    "evaluation_examples/examples",
    "evaluation_examples/examples_windows",
    "src/win-arena-container/client/evaluation_examples_windows/examples",
)
"""Where tasks are in a clone: OSWorld's, its own for Windows, WindowsAgentArena's."""
PLACES = (
    "Your files are those of the home folder, /home/user: /home/user/NAME is NAME here, and the Desktop is the folder "
    "Desktop. Only what is saved in files there counts."
)
"""What is seen on OSWorld's own machine."""
WEB, ACCOUNT, SYSTEM = "the network", "an account of a service", "their machine's own system"
BROWSER, VS_CODE = "Google Chrome, its profile or its debugging port", "Visual Studio Code, which Debian does not have"
GESTURES, WINDOWS_ITSELF = "keys that its makers press in windows", "Windows"
PROGRAMS = {
    "gimp": "gimp",
    "vlc": "vlc",
    "thunderbird": "thunderbird",
    "libreoffice_impress": "libreoffice-impress",
    "libreoffice_calc": "libreoffice-calc",
    "libreoffice_writer": "libreoffice-writer",
}
"""The Debian packages of the applications that tasks name."""
_NAMES = {
    "libreoffice_impress": "LibreOffice Impress",
    "libreoffice_calc": "LibreOffice Calc",
    "libreoffice_writer": "LibreOffice Writer",
    "gimp": "GNU Image Manipulation Program",
    "vlc": "VLC media player",
    "thunderbird": "Thunderbird",
}
_ALIASES = {"calc": "libreoffice_calc", "writer": "libreoffice_writer", "impress": "libreoffice_impress"}
_KEPT = {"libreoffice": ".config/libreoffice", "gimp": ".config/GIMP", "vlc": ".config/vlc", "thunderbird": ".thunderbird"}
"""Where applications keep what evaluators look at, by the beginning of their names."""
_OPENERS = {
    ".xlsx": "libreoffice_calc",
    ".xls": "libreoffice_calc",
    ".ods": "libreoffice_calc",
    ".csv": "libreoffice_calc",
    ".docx": "libreoffice_writer",
    ".odt": "libreoffice_writer",
    ".pptx": "libreoffice_impress",
}
_BEGUN = {"download", "execute", "command", "sleep", "launch", "open", "activate_window", "close_window"}
_GETTERS = {
    *("vm_file", "cloud_file", "cache_file", "rule", "rule_relativeTime", "vm_command_line", "vm_command_error"),
    *("content_from_vm_file", "list_directory", "audio_in_slide", "background_image_in_slide"),
    *("gimp_config_file", "vlc_config", "time_diff_range"),
}
"""What can be got from files and commands."""
_ONLINE = {"pdf_from_url", "info_from_website", "gotoRecreationPage_and_get_html_content"}
_SYSTEM = (
    *("apt ", "apt-get", "pip install", "gsettings", "timedatectl", "pactl", "/usr/share/", "update-desktop-database"),
    *("spotify", "useradd", "su -", "systemctl", "snap ", "docker", "xsel", "wmctrl", "ps aux", "/tmp/", ".bash_history"),
)
"""What commands and paths say that ask more of the machine than its home folder."""
_CENTRE = ("{SCREEN_WIDTH_HALF}, {SCREEN_HEIGHT_HALF}", "960, 540")
_MATTERS = re.compile(r"write\(|doubleClick|shift|'right'|click\(\d")
"""Keys and clicks that a result or a beginning depends on. Others give a window the keyboard, show another part of it, open
a terminal, close a program, or save, which a run is told to do itself."""


class Task(Frozen):
    """One task. ``name``: its identifier; ``kind``: its domain; ``begins`` and ``evaluator``: as their files have them."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    name: str
    kind: str
    instruction: str
    file: Path
    begins: tuple[Mapping[str, Any], ...]
    evaluator: Mapping[str, Any]
    apps: tuple[str, ...]
    web: bool

    @property
    def windows(self) -> bool:
        return self.file.parents[1].as_posix().endswith(EXAMPLES[1:])

    @property
    def infeasible(self) -> bool:
        """Whether nobody can do it, and saying so is right."""
        return self.evaluator["func"] == "infeasible"

    @property
    def asked(self) -> str:
        """The task for a run, whose files are elsewhere."""
        return f"{self.instruction.strip().replace(f'{HOME}/', '')}\n\n{PLACES}"

    @property
    def urls(self) -> tuple[str, ...]:
        """The addresses of what it begins with and of what its result is compared with, in order."""
        steps = [*self.begins, *self.evaluator.get("postconfig", ())]
        found = [file["url"] for step in steps if step["type"] == "download" for file in step["parameters"]["files"]]
        for got in self.gets:
            if got["type"] == "cloud_file":
                found += [got["path"]] if isinstance(got["path"], str) else got["path"]
        return tuple(dict.fromkeys(found))

    @property
    def gets(self) -> list[Mapping[str, Any]]:
        """What its evaluator asks for."""
        return [got for key in ("result", "expected") for got in _listed(self.evaluator.get(key)) if got]

    @property
    def opened(self) -> tuple[Opened, ...]:
        """The programs that are open when it begins, as far as there are such."""
        found: list[Opened] = []
        for step in self.begins:
            given = step["parameters"]
            if step["type"] == "open" and (app := _OPENERS.get(Path(given["path"]).suffix)):
                found.append(Opened(_NAMES[app], _here(given["path"])))
            elif step["type"] == "launch":
                words = [word for word in _words(given["command"]) if "=" not in word or word.startswith("-")]
                file = next((_here(word) for word in words[1:] if word.startswith(HOME)), "")
                if app := next((app for app in _NAMES if _starts(words, app)), ""):
                    found.append(Opened(_NAMES[app], file))
        return tuple(found)

    @property
    def home(self) -> tuple[str, ...]:
        """Folders of programs' home that evaluators look at."""
        return tuple(dict.fromkeys(kept for app in self.apps for name, kept in _KEPT.items() if app.startswith(name)))

    def why_not(self) -> str:
        """What it needs that cannot be had here, '' for nothing. Programs and files are asked about apart."""
        if self.windows:
            return WINDOWS_ITSELF
        if self.infeasible:
            return ""
        steps = [*self.begins, *self.evaluator.get("postconfig", ())]
        kinds, got = {step["type"] for step in steps}, {each["type"] for each in self.gets}
        keyed = [" ".join(_words(step["parameters"].get("command", ""))) for step in steps]
        asked = [*keyed, *(" ".join(_words(each.get("command") or each.get("path", ""))) for each in self.gets)]
        if kinds & {"googledrive", "login"} or "googledrive_file" in got:
            return ACCOUNT
        if self.web or "http" in self.instruction or got & _ONLINE or "chrome_open_tabs" in kinds:
            return WEB
        if {"vs_code", "vscode"} & {*self.apps}:
            return VS_CODE
        if "chrome" in self.apps:
            return BROWSER
        if kinds - _BEGUN or got - _GETTERS or any(word in text for text in (*asked, self.instruction) for word in _SYSTEM):
            return SYSTEM
        return GESTURES if any(map(_gesture, keyed)) else ""

    def packages(self) -> tuple[str, ...]:
        """Debian packages of the programs that it is about."""
        return tuple(sorted({PROGRAMS[app] for app in self.apps if app in PROGRAMS} if not self.infeasible else ()))

    def lacking(self, files: Path | None) -> tuple[str, ...]:
        """The addresses whose files are not there."""
        return tuple(url for url in self.urls if files is None or not local(url, files).is_file())


def _gesture(command: str) -> bool:
    for centre in _CENTRE:
        command = command.replace(centre, "")
    return any(word in command for word in WINDOWS) and bool(_MATTERS.search(command))


def _starts(words: list[str], app: str) -> bool:
    program = Path(words[0]).name if words else ""
    return program == app or (program in ("libreoffice", "soffice") and f"--{app.partition('_')[2]}" in words)


def _here(path: str) -> str:
    return path.removeprefix(f"{HOME}/").removeprefix("~/")


def _words(command: Any) -> list[str]:
    return command.split() if isinstance(command, str) else [str(word) for word in command]


def _listed(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else [value] if value else []


class _Read(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: str
    instruction: str
    config: list[dict[str, Any]] = Field(default_factory=list[dict[str, Any]])
    evaluator: dict[str, Any]
    related_apps: list[str] = Field(default_factory=list[str])
    proxy: bool = False


def tasks_of(clone: Path, only: Collection[str] = (), domain: str = "") -> tuple[Task, ...]:
    """The tasks in a clone, in order, those of a domain, or those that are named. Raises UsageError where there are none."""
    clone = clone.resolve()
    folder = next((clone / name for name in EXAMPLES if (clone / name).is_dir()), clone)
    found = {task.name: task for task in map(_read, sorted(folder.glob("*/*.json")))}
    if not found:
        raise UsageError(f"There are no tasks of OSWorld in {clone}.", hint=CLONE)
    for name in only:
        if name not in found:
            raise UsageError(f"There is no task {name!r} in {folder}.", hint="They are named by their id.")
    domains = sorted({task.kind for task in found.values()})
    if domain and domain not in domains:
        raise UsageError(f"There is no domain {domain!r} in {folder}.", hint=f"There are: {', '.join(domains)}.")
    return tuple(found[name] for name in (only or found) if not domain or found[name].kind == domain)


def _read(path: Path) -> Task:
    try:
        read = _Read.model_validate(json.loads(path.read_bytes()))
    except (ValueError, ValidationError) as error:
        raise UsageError(f"{path} is no task of OSWorld: {error}.") from error
    return Task(
        name=path.stem, kind=path.parent.name, instruction=read.instruction, file=path, begins=tuple(read.config),
        evaluator=read.evaluator, apps=tuple(map(_app, read.related_apps)), web=read.proxy,
    )  # fmt: skip


def _app(name: str) -> str:
    # It is written in several ways.
    plain = name.lower().replace(" ", "_").replace("-", "_")
    return _ALIASES.get(plain, plain)
