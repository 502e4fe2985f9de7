"""An operation in words, as a person would say what it does. The raw form is ``render.operation``.

Controls are called by their names in the observation that the operation was decided from. Whatever a model, a page or a
program has written goes through ``ways_in/report/text.py``, and a quotation mark in it cannot end the quotation around it.
An operation comes from a journal or a model, so its parameters are only assumed to be JSON.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from pydantic import ValidationError

from deskcrew.errors import JournalError
from deskcrew.facts import events as e
from deskcrew.facts.observation import Control, Observation
from deskcrew.facts.texts import unfenced
from deskcrew.journal.journal import Journal
from deskcrew.secrets.vault import PLACEHOLDER
from deskcrew.ways_in.report.text import clean, counted, one_line

SHORT, LONG, WHOLE = 60, 120, 400
"""Maximum characters of a name; of a text, a command or an address; of all that is said of an operation."""
_KEYS = {"pageup": "Page Up", "pagedown": "Page Down", "printscreen": "Print Screen", "plus": "+", "minus": "-"} | {
    "equal": "=", "comma": ",", "period": ".", "slash": "/", "backslash": "\\", "semicolon": ";", "apostrophe": "'",
    "grave": "`", "bracketleft": "[", "bracketright": "]",
}  # fmt: skip
_FIELD_OPERATIONS = frozenset({"type", "set"})
_SPOTS = {
    "text": "Select {text}",
    "line": "Select the line with {text}",
    "before": "Put the cursor before {text}",
    "after": "Put the cursor after {text}",
}


def in_words(operation: e.Operation, look: Observation | None) -> str:
    """What an operation does, on one line: ``Click "Save" in Save As``.

    ``look``: the last observation before it, None if there was none. An action that is unknown here is described by its
    name and parameters.
    """
    return one_line(WORDS.get(operation.function, _unknown)(_Asked(operation, look)), WHOLE)


def in_full(operation: e.Operation) -> str:
    """Every parameter in full, one per line, with control characters made visible: nothing that is to be done is cut
    off."""
    return "\n".join(f"{clean(name)} = {clean(_as_text(value))}" for name, value in operation.params.items())


@dataclass(frozen=True, slots=True)
class _Asked:
    """An operation and its target."""

    operation: e.Operation
    look: Observation | None

    def raw(self, name: str) -> str:
        return _as_text(self.operation.params.get(name))

    def line(self, name: str, limit: int = LONG) -> str:
        """A parameter on one line."""
        return one_line(self.raw(name), limit)

    def quoted(self, name: str, limit: int = LONG) -> str:
        return _quoted(self.raw(name), limit)

    def flag(self, name: str) -> bool:
        return self.operation.params.get(name) is True

    def items(self, name: str) -> list[str]:
        value = self.operation.params.get(name)
        return (
            [_as_text(item) for item in cast("list[object]", value)] if isinstance(value, list | tuple) else [self.raw(name)]
        )

    def thing(self, label: str | None = None) -> str:
        """Its target, and the window that is in: ``"Save" in Save As``."""
        label = label or self.operation.control
        if not label:
            return ""
        found = self.look.control(label) if self.look is not None else None
        if found is None or self.look is None:
            return one_line(label, SHORT)
        owner = f" ({one_line(found.owner, SHORT)})" if found.owner.strip() else ""
        return _named(found) + owner + _in_window(found, self.look)

    def aimed(self, preposition: str, otherwise: str = "") -> str:
        """`` into Name in Letter``, or ``otherwise`` if it has no target."""
        thing = self.thing()
        return f" {preposition} {thing}" if thing else otherwise


def _named(control: Control) -> str:
    """A field by its name alone, anything else by its name in quotation marks; what has no name, by its role."""
    name = control.name.strip()
    if not name:
        return f"the {one_line(control.role, SHORT) or 'control'} {one_line(control.label, SHORT)}"
    return one_line(name, SHORT) if _FIELD_OPERATIONS & {*control.operations} else _quoted(name, SHORT)


def _in_window(control: Control, look: Observation) -> str:
    window = look.window(control.window)
    title = one_line(window.title, SHORT) if window is not None else ""
    return f" in {title}" if title else ""


def _quoted(text: str, limit: int = LONG) -> str:
    """In quotation marks, on one line; a placeholder of a secret is described as such."""
    secret = PLACEHOLDER.fullmatch(text.strip())
    if secret:
        return f"the secret {secret[1]}"
    return f'"{one_line(text, limit).replace(chr(34), chr(39))}"'


def _as_text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _first_line(text: str) -> str:
    """The first line that says something, and how many follow it."""
    found = [line for line in text.splitlines() if line.strip()]
    if not found:
        return "(nothing)"
    more = f" … and {counted(len(found) - 1, 'more line')}" if len(found) > 1 else ""
    return one_line(found[0], LONG) + more


def _key(name: str) -> str:
    """A key as it is labelled on a keyboard: ``Ctrl``, ``+``. A name may be several keys: ``ctrl+s``."""
    parts = [name] if name in _KEYS or name == "+" else name.split("+")
    return "+".join(_KEYS.get(part.strip().lower()) or one_line(part, 20).capitalize() for part in parts)


def _click(asked: _Asked) -> str:
    return f"{_verb(asked)} {asked.thing() or 'where the mouse is'}"


def _verb(asked: _Asked) -> str:
    verb = {"right": "Right-click", "middle": "Middle-click"}.get(asked.raw("button") or "left", "Click")
    if asked.flag("double"):
        return "Double-click" if verb == "Click" else f"{verb} twice"
    return verb


def _type(asked: _Asked) -> str:
    text, into = asked.raw("keys"), asked.aimed("into")
    enter = " and press Enter" if asked.flag("click_enter") else ""
    if "keys" not in asked.operation.params:
        return f"Type something{into}{enter}"  # it was taken out of the record
    if not text:
        if asked.flag("clear"):
            return f"Empty {asked.thing() or 'the field'}{enter}"
        return f"Press Enter{asked.aimed('in')}" if enter else f"Type nothing{into}"
    if asked.flag("clear"):
        return f"Replace what is in {asked.thing() or 'the field'} with {asked.quoted('keys')}{enter}"
    return f"Type {asked.quoted('keys')}{into}{enter}"


def _select_text(asked: _Asked) -> str:
    pattern = _SPOTS.get(asked.raw("spot") or "text", _SPOTS["text"])
    return pattern.replace("{text}", asked.quoted("text")) + asked.aimed("in")


def _hotkey(asked: _Asked) -> str:
    then = f", then type {asked.quoted('text')}" if asked.raw("text") else ""
    enter = " and press Enter" if asked.flag("click_enter") else ""
    return f"Press {'+'.join(_key(name) for name in asked.items('keys'))}{then}{enter}"


def _scroll(asked: _Asked) -> str:
    return f"Scroll{asked.aimed('in').replace(' in ', ' ', 1)}{_way(asked)}"


def _way(asked: _Asked) -> str:
    notches = asked.operation.params.get("wheel_dist")
    return "" if not isinstance(notches, int | float) else " up" if notches > 0 else " down" if notches < 0 else ""


def _at(asked: _Asked, *names: str) -> str:
    """For an operation at a point of the picture: what is there, and the point."""
    point = ", ".join(asked.line(name, 12) for name in names)
    thing = asked.thing()
    return f"{thing} at {point}" if thing else f"at {point}"


def _click_point(asked: _Asked) -> str:
    return f"{_verb(asked)} {_at(asked, 'x', 'y')}"


def _drag_point(asked: _Asked) -> str:
    return f"Drag {_at(asked, 'x', 'y')} to {asked.line('to_x', 12)}, {asked.line('to_y', 12)}"


def _scroll_point(asked: _Asked) -> str:
    return f"Scroll {_at(asked, 'x', 'y')}{_way(asked)}"


def _wait(asked: _Asked) -> str:
    return f"Wait until it has loaded, at most {asked.line('seconds', 20) or '3'} s"


def _menu(asked: _Asked) -> str:
    return f"Choose {' > '.join(one_line(item, SHORT) for item in asked.items('path'))} from the menu"


def _close(asked: _Asked) -> str:
    active = asked.look.active_window if asked.look is not None else None
    title = asked.line("title", SHORT) or (one_line(active.title, SHORT) if active is not None else "")
    return f"Close the window {title}" if title else "Close the window in front"


def _open_url(asked: _Asked) -> str:
    return f"Open {asked.line('url')}{' in a new window' if asked.flag('new_window') else ''}"


def _drag(asked: _Asked) -> str:
    return f"Drag {asked.thing()} onto {asked.thing(asked.raw('to')) or 'nothing'}"


def _read_page(asked: _Asked) -> str:
    part = asked.line("part", 10)
    return "Read the page" + (f", part {part}" if part not in ("", "1") else "")


def _search(asked: _Asked) -> str:
    return f"Search the web for {asked.quoted('words')}"


def _open_application(asked: _Asked) -> str:
    file = asked.line("file")
    return f"Open {file} in {asked.line('app_name', SHORT)}" if file else f"Start {asked.line('app_name', SHORT)}"


def _read_file(asked: _Asked) -> str:
    part = f", {asked.line('part', SHORT)}" if asked.raw("part") else ""
    only = f", only what has {asked.quoted('find', SHORT)} in it" if asked.raw("find") else ""
    return f"Read {asked.line('file_path')}{part}{only}"


def _passages(asked: _Asked) -> str:
    folder = asked.line("folder")
    where = f" in {folder}" if folder not in ("", ".") else ""
    return f"Find passages{where} that say {asked.quoted('question')}"


def _frames(asked: _Asked) -> str:
    return f"Look at frames of {asked.line('file_path')}{_stretch(asked, 'end')}"


def _speech(asked: _Asked) -> str:
    return f"Listen to {asked.line('file_path')}{_stretch(asked, 'seconds')}"


def _stretch(asked: _Asked, until: str) -> str:
    """Which part of a video or sound file: from where, and up to which second or for how many."""
    start, last = asked.raw("start"), asked.raw(until)
    begins = f" from second {start}" if start not in ("", "0", "0.0") else ""
    if last in ("", "0", "0.0"):
        return begins
    return f"{begins} to second {last}" if until == "end" else f"{begins}, {last} seconds"


def _write_file(asked: _Asked) -> str:
    path, lines = asked.line("file_path"), asked.raw("text").splitlines()
    if not lines:
        return f"Add nothing to {path}" if asked.flag("append") else f"Make {path} an empty file"
    said = (
        asked.quoted("text", SHORT)
        if len(lines) == 1
        else f"{counted(len(lines), 'line')}: {_first_line(asked.raw('text'))}"
    )
    if asked.flag("append"):
        return f"Add {said} to {path}" if len(lines) == 1 else f"Add to {path} {said}"
    return f"Write {said} into {path}" if len(lines) == 1 else f"Write into {path} {said}"


def _transfer(verb: str) -> Callable[[_Asked], str]:
    return lambda asked: f"{verb} {asked.line('source')} to {asked.line('destination')}"


def _list(asked: _Asked) -> str:
    folder = asked.line("folder")
    return "List the files of the workspace" if folder in ("", ".", "./") else f"List the files in {folder}"


def _python(asked: _Asked) -> str:
    code, called = unfenced(asked.raw("code")), asked.raw("main_function")
    call = f" (calls {asked.line('main_function', SHORT)})" if called else ""
    return f"Run Python: {_purpose(code, called) or _first_line(code)}{call}"


def _purpose(code: str, called: str) -> str:
    """What the function that is called last says of itself; '' if it says nothing. Code of others may stand before it."""
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError):
        return ""
    last = body[-1:] if body and isinstance(body[-1], ast.Expr) else []
    names = [called] if called else [each.id for node in last for each in ast.walk(node) if isinstance(each, ast.Name)]
    own = {each.name: each for each in body if isinstance(each, ast.FunctionDef)}
    found = next((own[name] for name in names if name in own), None)
    said = ast.get_docstring(found) if found is not None else None
    return one_line(said.partition("\n\n")[0], LONG) if said else ""


def _unknown(asked: _Asked) -> str:
    """An action without a wording here: its name as words, and its parameters."""
    name = one_line(asked.operation.function, SHORT).replace("_", " ").strip() or "nothing"
    given = [
        f"{one_line(key, 40).replace('_', ' ')} {_quoted(_as_text(value), SHORT)}" for key, value in _told(asked.operation)
    ]
    return f"{name[:1].upper()}{name[1:]}{asked.aimed('on')}" + (f": {', '.join(given)}" if given else "")


def _told(operation: e.Operation) -> list[tuple[str, object]]:
    """Parameters that say something."""
    return [(name, value) for name, value in operation.params.items() if value not in (None, "", False)]


WORDS: Mapping[str, Callable[[_Asked], str]] = {
    "click_input": _click,
    "click_point": _click_point,
    "drag_point": _drag_point,
    "scroll_point": _scroll_point,
    "click_described": lambda asked: f"{_verb(asked)} {asked.quoted('what', SHORT)}, to be found in the picture",
    "keyboard_input": _type,
    "select_text": _select_text,
    "hotkey": _hotkey,
    "scroll": _scroll,
    "wait_for_loading": _wait,
    "select_option": lambda asked: f"Choose {asked.quoted('option', SHORT)}{asked.aimed('in')}",
    "set_value": lambda asked: f"Set {asked.thing()} to {asked.line('value', 40)}",
    "choose_menu": _menu,
    "switch_window": lambda asked: f"Switch to the window {asked.line('title', SHORT)}",
    "close_window": _close,
    "read_clipboard": lambda _: "Read the clipboard",
    "write_clipboard": lambda asked: f"Copy {asked.quoted('text')} to the clipboard",
    "open_url": _open_url,
    "go_back": lambda _: "Go back to the page before",
    "go_forward": lambda _: "Go forward to the next page",
    "hover": lambda asked: f"Point at {asked.thing()}",
    "drag": _drag,
    "find_text": lambda asked: f"Find {asked.quoted('text')} on the page",
    "read_page": _read_page,
    "upload_file": lambda asked: f"Upload {asked.line('file_path')}{asked.aimed('to')}",
    "download_file": lambda asked: f"Download what {asked.thing()} offers",
    "web_search": _search,
    "open_application": _open_application,
    "read_file": _read_file,
    "write_file": _write_file,
    "copy_file": _transfer("Copy"),
    "move_file": _transfer("Move"),
    "list_files": _list,
    "find_files": lambda asked: f"Find files named {asked.quoted('pattern')}",
    "find_passages": _passages,
    "video_frames": _frames,
    "transcribe_speech": _speech,
    "make_folder": lambda asked: f"Make the folder {asked.line('folder')}",
    "delete_file": lambda asked: f"Delete {asked.line('path')}",
    "run_python_code": _python,
    "run_shell": lambda asked: f"Run the command: {_first_line(asked.raw('command'))}",
}
"""How each action is described, by its name. What reads as a name alone (a file, a window) has no quotation marks."""


@dataclass(frozen=True, slots=True)
class _Known:
    """``blobs``: the last observation of each desktop or browser of a run; ``at``: where each lane looked last."""

    blobs: Mapping[int, str]
    at: Mapping[str, int]


class Looks:
    """The observations that the operations of a run were decided from, read on demand. It grows with its journal."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._known: dict[str, _Known] = {}
        """By the id of each event: what was observed on its branch up to it."""

    def before(self, event: e.Event) -> Observation | None:
        """The last observation before an event, at its lane's desk; None if there was none, or it was redacted."""
        for each in self._journal.all[len(self._known) :]:
            known = self._known.get(each.header.parent or "", _Known({}, {}))
            if isinstance(each.body, e.Observed):
                blob, desk = "" if each.id in self._journal.redacted else each.body.observation, each.body.desk
                at = known.at if known.at.get(each.header.lane) == desk else {**known.at, each.header.lane: desk}
                known = _Known({**known.blobs, desk: blob}, at)
            self._known[each.id] = known
        known = self._known.get(event.id, _Known({}, {}))
        blob = known.blobs.get(known.at.get(event.header.lane, e.OWN_DESK), "")
        try:
            return _parsed(self._journal.read_blob(blob)) if blob else None
        except (JournalError, ValidationError):
            # What is shown of a damaged record is shown without names; `deskcrew verify` says what is wrong with it.
            return None


@lru_cache(maxsize=4)
def _parsed(look: bytes) -> Observation:
    return Observation.model_validate_json(look)
