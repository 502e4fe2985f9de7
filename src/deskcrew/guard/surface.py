"""What is typed, and into what: a terminal, a dialog that starts programs, an address bar, a field for a path.

The same keys mean a command in a terminal and plain text elsewhere. Existing text counts together with what is typed, so
that a command or an address typed in pieces is read as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from deskcrew.actions.action import PRESSES, Gesture
from deskcrew.environments.names import plain
from deskcrew.facts.observation import Control, Observation, Window
from deskcrew.facts.texts import stands_alone
from deskcrew.guard.words import Words
from deskcrew.secrets.terminals import is_runner, is_terminal, sounds_like_one

PRESSED = frozenset({
    "button", "link", "menu item", "menu button", "check menu item", "radio menu item", "toggle button", "icon", "menu",
    "text",
})  # fmt: skip
"""Roles of controls that have an effect when pressed; a text recognized in a window's pixels may be a button."""
_LEFT_BY_TAB = PRESSED | {
    "text field", "password field", "number field", "combo box", "date editor", "check box", "radio button", "slider", "tab",
}  # fmt: skip
_PROMPTS = ("$", "#", "%", ">", "❯")
_ENTER = frozenset({"enter", "return", "kp_enter", "space", "\n"})
_TERMINAL_ENTER = (frozenset({"ctrl", "j"}), frozenset({"ctrl", "m"}), frozenset({"ctrl", "o"}))
_PASTE_MARKED = frozenset({"shift", "insert"})
_PASTE = (frozenset({"ctrl", "v"}), frozenset({"ctrl", "shift", "v"}), _PASTE_MARKED)


@dataclass(frozen=True, slots=True)
class Typed:
    """What an operation types. ``text``: characters; ``pasted``: what the clipboard adds, None: unknown. ``enters``: Enter
    or Space is pressed, which presses the focused control; ``keys``: keys pressed together."""

    text: str = ""
    keys: frozenset[str] = frozenset()
    enters: bool = False
    pastes: bool = False
    pasted: str | None = ""
    clears: bool = False
    wanders: bool = False
    """Whether a Tab in the text moves the focus before the rest is typed."""

    @property
    def added(self) -> str:
        """All the text that the operation enters, as far as it is known."""
        return (self.pasted or "") + self.text

    @property
    def anything(self) -> bool:
        return bool(self.text.strip()) or self.enters or self.pastes


@dataclass(frozen=True, slots=True)
class Surface:
    """What the text is typed into. ``standing``: the existing text, to which the typed text is appended."""

    terminal: bool = False
    runner: bool = False
    browser: bool = False
    address: bool = False
    paths: bool = False
    standing: str = ""


def typed_by(
    gesture: Gesture | None, params: Mapping[str, object], control: Control | None, clipboard: str | None, words: Words
) -> Typed:
    """What an operation on the desktop types."""
    text = " ".join(value for name in ("keys", "text") if isinstance(value := params.get(name), str))
    keys = frozenset(part.casefold() for key in strings(params.get("keys"), alone=False) for part in key.split("+") or [key])
    named = control.name if control is not None and gesture in PRESSES else ""
    chosen = strings(params.get("path"))[-1:] + ([named] if named else [])
    middle = params.get("button") == "middle"
    pastes = keys in _PASTE or middle or any(plain(entry) in words.windows.paste for entry in chosen)
    # The middle button and Shift+Insert put in what was marked last, which no look shows.
    unseen = middle or keys == _PASTE_MARKED
    types = gesture != "clipboard"
    enters = bool(params.get("click_enter")) or bool(_ENTER & keys) or (types and ("\n" in text or "\r" in text))
    after_tab = text.partition("\t")[2]
    return Typed(
        text=text if types else "",
        keys=keys,
        enters=enters,
        pastes=pastes,
        pasted=("" if not pastes else None if unseen or not clipboard else clipboard),
        clears=bool(params.get("clear")),
        wanders=types and "\t" in text and (enters or " " in after_tab),
    )


def surface_of(control: Control | None, window: Window | None, words: Words) -> Surface:
    """What a control takes as input, or a window whose focus is unknown."""
    known = words.windows
    app = window.app.casefold() if window is not None else ""
    title = window.title.casefold() if window is not None else ""
    name = control.name.casefold() if control is not None else ""
    runner = is_runner(window) or _any_in(known.runner_titles, title)
    of_terminal = control is not None and control.role == "terminal"
    terminal = runner or is_terminal(control, window) or sounds_like_one(window)
    browser = _any_in(known.browsers, app)
    files = _any_in(known.file_managers, app) or (window is not None and window.dialog)
    field = any(stands_alone(word, name) for word in known.path_fields)
    return Surface(
        terminal=terminal,
        runner=runner,
        browser=browser,
        address=not _in_page(control, window) and (browser or _any_in(known.address_fields, name)),
        paths=not terminal and (files or field),
        standing=_standing(control, terminal=of_terminal, runner=runner),
    )


def _in_page(control: Control | None, window: Window | None) -> bool:
    """Whether the target is part of a page, and so not the browser's address bar. In a window with bars around its page only
    a control can tell; a control that is out of view always belongs to the page."""
    if window is None or not window.url:
        return False
    if window.page is None:
        return True
    return control is not None and (window.page.contains(*control.box.centre) or "out of view" in control.states)


def _standing(control: Control | None, *, terminal: bool, runner: bool) -> str:
    """The last line of a terminal after its prompt; for any other field, its whole text."""
    if control is None or not control.value or control.role == "password field":
        return ""
    if terminal:
        lines = control.value.rstrip().splitlines() or [""]
        # With a space, since a prompt with nothing behind it is stripped of its own.
        line = f"{lines[-1]} "
        ends = [at for sign in _PROMPTS if (at := line.find(f"{sign} ")) >= 0]
        return line[min(ends) + 2 if ends else 0 :].rstrip()
    return control.value if runner or "type" in control.operations else ""


def submits(typed: Typed, surface: Surface) -> bool:
    """Whether typing runs a terminal's command line."""
    return typed.enters or (surface.terminal and typed.keys in _TERMINAL_ENTER)


def tab_moves(control: Control | None, surface: Surface) -> bool:
    """Whether Tab moves to another control. In a table it moves to the next cell, in a text it is a character."""
    return control is not None and (control.role in _LEFT_BY_TAB or (surface.browser and not surface.terminal))


def pressable(observation: Observation, window: Window | None) -> list[Control]:
    """The controls in front that a key could press."""
    return [c for c in observation.in_front if c.role in PRESSED]


def strings(value: object, *, alone: bool = True) -> list[str]:
    """The strings in a parameter. ``alone``: whether a single string counts as a list of one."""
    if isinstance(value, str):
        return [value] if alone else []
    return [item for item in value if isinstance(item, str)] if isinstance(value, list | tuple) else []  # pyright: ignore[reportUnknownVariableType]


def _any_in(parts: tuple[str, ...], text: str) -> bool:
    return any(part in text for part in parts)
