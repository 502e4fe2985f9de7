"""The risk of one operation: the action's floor, raised by what it is aimed at (DESIGN 5).

What is on the screen can raise a risk, never lower it, so that no page can talk the guard into anything. What cannot be
seen here: what a control does whose name does not say so, in a language that is not in the table, or that has no name; the
default button of a window that is no dialog; a command typed in several pieces.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from deskcrew.actions.action import Action, Risk, Scene
from deskcrew.errors import ActionError
from deskcrew.events import Operation
from deskcrew.guard.commands import Judged, judge_code, judge_command
from deskcrew.guard.words import Words
from deskcrew.observation import Control, Window

Place = Literal["workspace", "virtual", "real", "outside"]
"""Where it lands: in the workspace (files, sandbox), on a desktop, or outside of what was given to the crew."""
Kind = Literal["virtual", "real", "none"]
_PROMPT = re.compile(r"[$#%>❯] ")
_ENTER = {"enter", "return", "kp_enter", "space", "\n"}
_PASTE = ({"ctrl", "v"}, {"ctrl", "shift", "v"}, {"shift", "insert"})
_URL = re.compile(r"\b(?:https?|ftp|wss?|sftp|ssh)://([^\s/:?#]+)", re.IGNORECASE)
_BARE = re.compile(r"^\s*((?:[\w-]+\.)+[a-z]{2,})(?:[/:?#]\S*)?\s*$", re.IGNORECASE)
_PRESSED = {
    "button",
    "link",
    "menu item",
    "menu button",
    "check menu item",
    "radio menu item",
    "toggle button",
    "icon",
    "menu",
}
_PATHS = ("file_path", "source", "destination", "folder", "path", "file")


@dataclass(frozen=True, slots=True)
class Assessment:
    """A risk, where it lands, and why it was raised ('' when it was not).

    ``hosts``: those that it names; ``apart``: what the risk would be if all of them were known.
    """

    risk: Risk
    place: Place
    why: str = ""
    hosts: tuple[str, ...] = ()
    apart: Risk | None = None


def assess(operation: Operation, action: Action, scene: Scene, words: Words, kind: Kind) -> Assessment:
    """The risk of an operation in a scene. ``kind``: of the run's desktop."""
    if action.needs == "desktop":
        return _on_desktop(operation, action, scene, words, kind)
    if action.needs == "sandbox":
        return _in_sandbox(operation, action, scene, words)
    for name in _PATHS:
        path = operation.params.get(name)
        if isinstance(path, str) and path:
            try:
                scene.workspace.resolve(path)
            except ActionError as error:
                return Assessment(action.risk, "outside", str(error))
    return Assessment(action.risk, "workspace")


def _in_sandbox(operation: Operation, action: Action, scene: Scene, words: Words) -> Assessment:
    code, command = operation.params.get("code"), operation.params.get("command")
    judged = Judged(action.risk)
    if isinstance(command, str):
        judged = judged.worse(judge_command(command, words))
    if isinstance(code, str):
        judged = judged.worse(judge_code(code, words))
    if scene.sandbox.unsafe_host:
        return Assessment(judged.risk, "outside" if judged.outside else "real", judged.why)
    if judged.risk == "network" and not scene.sandbox.network:
        # There is nothing to ask about: no program inside reaches anything.
        return Assessment(action.risk, "workspace")
    # Nothing outside can be written to; the attempt fails with "read-only file system".
    why = f"{judged.why}; delete_file does it so that it can be undone" if judged.risk == "destroy" else judged.why
    return Assessment(judged.risk, "workspace", why)


def _on_desktop(operation: Operation, action: Action, scene: Scene, words: Words, kind: Kind) -> Assessment:
    place: Place = "real" if kind == "real" else "virtual"  # with no desktop at all the executor refuses
    judged = Judged(action.risk)
    if action.risk == "read":
        return Assessment(action.risk, place)
    observation = scene.observation
    control = observation.control(operation.control or observation.focus or "")
    window = _window(scene, control)
    text, keys = _typed(operation.params)
    enters = bool(operation.params.get("click_enter")) or bool(_ENTER & set(keys)) or "\n" in text
    judged = judged.worse(_of_control(operation, control, window, words))
    if _is_terminal(control, window, words):
        judged = judged.worse(_in_terminal(text, set(keys), enters, _context(control, observation.clipboard), words))
    elif enters and window is not None and window.dialog:
        # Enter presses a dialog's default button, which could be any of them.
        for other in observation.controls:
            if other.window == window.id and other.role in _PRESSED and (risk := words.of_control(other.name)):
                judged = judged.worse(Judged(risk, f"Enter may press {other.name!r}"))
    if {"delete"} & set(keys) and (control is None or "type" not in control.operations):
        judged = judged.worse(Judged("destroy", "the Delete key outside of a text field"))
    hosts, apart = _hosts(text, control, window, words), judged.risk
    if hosts:
        judged = judged.worse(Judged("network", f"it goes to {', '.join(hosts)}"))
    return Assessment(judged.risk, "outside" if judged.outside else place, judged.why, hosts, apart)


def _of_control(operation: Operation, control: Control | None, window: Window | None, words: Words) -> Judged:
    judged = Judged("read")
    if control is not None:
        if control.role == "password field" and operation.function != "scroll":
            judged = Judged("credential", f"{control.name!r} is a password field")
        # A focused button is pressed by keys; what is typed into a field named "Send to" sends nothing.
        if control.role in _PRESSED and (risk := words.of_control(control.name)):
            judged = judged.worse(Judged(risk, f"{control.role} {control.name!r}"))
        if operation.function == "click_input" and control.role in _PRESSED and not control.name.strip():
            judged = judged.worse(Judged("unknown", f"a {control.role} without a name"))
    for name in _strings(operation.params.get("path")) + _strings(operation.params.get("option")):
        if risk := words.of_control(name):
            judged = judged.worse(Judged(risk, f"{name!r}"))
    return judged


def _context(control: Control | None, clipboard: str | None) -> tuple[str, str | None]:
    """What stands on a terminal's last line after the prompt, and what pasting would add to it."""
    lines = (control.value or "").rstrip().splitlines() if control is not None and control.role == "terminal" else []
    return (_PROMPT.split(lines[-1], maxsplit=1)[-1] if lines else ""), clipboard


def _in_terminal(text: str, keys: set[str], enters: bool, context: tuple[str, str | None], words: Words) -> Judged:
    line, clipboard = context
    judged = judge_command(text, words) if text.strip() else Judged("write")
    if keys in _PASTE:
        pasted = judge_command(clipboard, words) if clipboard else Judged("unknown", "what is pasted is not known")
        judged = judged.worse(pasted)
    if enters:
        # What stands on the line may have been typed in pieces, each of them harmless.
        judged = judged.worse(judge_command(line + text, words))
        if not text.strip() and not line.strip():
            judged = judged.worse(Judged("unknown", "Enter in a terminal runs what stands there"))
    return judged


def _is_terminal(control: Control | None, window: Window | None, words: Words) -> bool:
    if control is not None and control.role == "terminal":
        return True
    if window is None:
        return False
    if any(word in window.app.casefold() for word in words.windows.terminals):
        return True
    return re.search(r"\b(terminal|xterm|konsole|powershell)\b", window.title.casefold()) is not None


def _window(scene: Scene, control: Control | None) -> Window | None:
    if control is not None:
        return next((window for window in scene.observation.windows if window.id == control.window), None)
    return scene.observation.active_window


def _hosts(text: str, control: Control | None, window: Window | None, words: Words) -> tuple[str, ...]:
    """Hosts in what is typed: every URL, and a bare host name in an address field."""
    hosts = [host.casefold().rpartition("@")[2] for host in _URL.findall(text)]
    in_browser = window is not None and any(word in window.app.casefold() for word in words.windows.browsers)
    named = control is not None and any(word in control.name.casefold() for word in words.windows.address_fields)
    if (in_browser or named) and (bare := _BARE.match(text)):
        hosts.append(bare.group(1).casefold())
    return tuple(dict.fromkeys(hosts))


def _typed(params: dict[str, Any]) -> tuple[str, tuple[str, ...]]:
    """The text and the keys of an operation: ``keys`` is text in keyboard_input and a list in hotkey."""
    keys, text = params.get("keys"), params.get("text")
    typed = [word for word in (keys, text) if isinstance(word, str)]
    pressed = (
        tuple(part.casefold() for key in _strings(keys) for part in key.split("+")) if not isinstance(keys, str) else ()
    )
    return " ".join(typed), pressed


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list | tuple) else []  # pyright: ignore[reportUnknownVariableType]
