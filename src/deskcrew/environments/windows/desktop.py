"""A Windows desktop: operated by requests to the agent there.

Before anything is done to a control, everything is read again, and nothing is done if the control has gone or changed. A
control with a pattern for an operation is operated through it, any other by mouse and keyboard.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from deskcrew.environments.environment import Desktop, Spot
from deskcrew.environments.labels import Labels
from deskcrew.environments.names import gone, listing, named, pick
from deskcrew.environments.windows.keys import codes_of
from deskcrew.environments.windows.lines import line_to
from deskcrew.environments.windows.looking import SeenElement, box_of, find, observed
from deskcrew.environments.windows.mirror import Mirror
from deskcrew.environments.windows.remote import WindowsMachine
from deskcrew.environments.workspace import Workspace
from deskcrew.errors import ActionError, EnvironmentFailure
from deskcrew.facts.observation import Control, Observation, Window
from deskcrew_windows_agent import protocol as p
from deskcrew_windows_agent.protocol import Element, Pattern, Snapshot, TopWindow, Verb

SETTLED, LONGEST_SETTLE = 0.1, 2.0
"""Seconds between two equal readings that count as settled, and the maximum that an observation waits for them."""
OPENING, CLOSING, MENU = 15.0, 3.0, 3.0
"""The maximum seconds to wait for a program's window to open, a window to close, and a menu's entries to appear."""
PRESSES: tuple[tuple[Pattern, Verb], ...] = (("Invoke", "invoke"), ("Toggle", "toggle"), ("SelectionItem", "select"))
"""The effect of a click on a control with such a pattern; the first pattern that it has counts."""
OPTIONS = frozenset({"ListItem", "TabItem", "TreeItem", "DataItem", "RadioButton"})


class WindowsDesktop(Desktop):
    """The desktop of a machine with Windows. Its programs are the user's: closing
    it ends none of them."""

    def __init__(self, machine: WindowsMachine, mirror: Mirror | None = None) -> None:
        """``mirror``: copies files between the workspace and the agent's folder; None: nothing does."""
        self._machine = machine
        self._mirror = mirror
        self._labels = Labels()
        self._snapshot: Snapshot | None = None
        self._seen: dict[str, SeenElement] = {}
        self._observation = Observation()
        self._acted = False
        self._closed = False

    def close(self) -> None:
        """Disconnect from the machine. Safe to call twice."""
        if not self._closed:
            self._closed = True
            self._machine.close()

    # -- looking

    def carry_files(self) -> None:
        """See :class:`~deskcrew.environments.environment.Desktop`. Raises ActionError if the agent refuses."""
        self._settle()
        if self._mirror is not None:
            self._mirror.carry()

    def observe(self, *, screenshot: bool = False) -> Observation:
        self._settle()
        note = " ".join(filter(None, (*self._machine.welcome.lacks, self._mirror.note if self._mirror else "")))
        told = " ".join(filter(None, (self._observation.note, note)))
        picture = self._machine.picture() if screenshot else None
        return self._observation.model_copy(update={"screenshot": picture, "note": told})

    def _look(self) -> Snapshot:
        if self._closed:
            raise EnvironmentFailure("The desktop has been closed.")
        snapshot = self._machine.look()
        if snapshot != self._snapshot:
            self._observation, self._seen = observed(snapshot, self._labels)
            self._snapshot = snapshot
        return snapshot

    def _settle(self) -> None:
        """Read the desktop after an action until two readings are equal; bounded."""
        before, until = self._look(), time.monotonic() + LONGEST_SETTLE
        while self._acted and time.monotonic() < until:
            time.sleep(SETTLED)
            now = self._look()
            if now == before:
                break
            before = now
        self._acted = False

    def wait(self, seconds: float) -> None:
        before = self._look()
        if self._until(lambda: self._look() != before, seconds):
            self._acted = True
            self._settle()

    @staticmethod
    def _until(condition: Callable[[], bool], seconds: float) -> bool:
        until = time.monotonic() + seconds
        while not (done := condition()) and time.monotonic() < until:
            time.sleep(SETTLED)
        return done

    # -- finding

    def _resolve(self, control: Control) -> SeenElement:
        """The present state of a control. Raises ActionError if it has gone, has changed or is disabled, or its window hangs
        or is not the one that was approved."""
        self._look()
        seen = self._seen.get(control.label)
        if seen is None or seen.control.window != control.window:
            raise gone(control)
        now = seen.control
        self.expected.check_control(control, now.role, now.name, now.owner)
        self._check_window(now.window)
        if "disabled" in now.states:
            raise ActionError(f"{named(control)} is disabled.")
        return seen

    def _window(self, number: int) -> Window:
        self._look()
        found = self._observation.window(number)
        if found is None:
            raise ActionError(f"Window {number} has gone. Look again.")
        return found

    def _check_window(self, number: int | None) -> Window:
        """A window; None: the active one. Raises ActionError if it has gone, hangs, or is not the approved one."""
        active = self._observation.active_window if number is None else self._window(number)
        if active is None:
            raise ActionError("No window is active. Activate one first.")
        if not active.responding:
            raise ActionError("The program is not responding. Wait, or use another window.")
        self.expected.check_window(active.title, active.app)
        return active

    # -- acting on controls

    def click(self, control: Control, *, button: str = "left", double: bool = False) -> None:
        seen = self._resolve(control)
        element, plain = seen.element, button == "left" and not double
        verb = pressing(element)
        if plain and verb is not None:
            self._order(element, verb)
        elif plain and "ExpandCollapse" in element.patterns:
            self._order(element, "collapse" if element.expanded == "expanded" else "expand")
        else:
            self._click(*self._point(seen), button, 2 if double else 1)

    def _order(self, element: Element, verb: Verb, argument: str | float | None = None) -> None:
        self._act(p.Order(key=element.key, verb=verb, argument=argument))

    def _click(self, x: int, y: int, button: str, count: int) -> None:
        known: dict[str, p.Button] = {"left": "left", "right": "right", "middle": "middle"}
        if button not in known:
            raise ActionError(f"There is no mouse button {button!r}; buttons: {', '.join(known)}.")
        self._act(p.Click(x=x, y=y, button=known[button], count=count))

    def _act(self, request: p.Acting) -> None:
        self._machine.act(request)
        self._acted = True

    def _press(self, *names: str) -> None:
        self._act(p.Press(codes=codes_of(names)))

    def _point(self, seen: SeenElement) -> tuple[int, int]:
        """The middle of a control, with its window in front. Raises ActionError if another window covers it."""
        self._forward(seen.window)
        point = seen.control.box.centre
        shown = ((window, box_of(window.root.box)) for window in self._look().windows)
        top = next((window for window, box in shown if box is not None and box.contains(*point)), None)
        if top is None or top.pid != seen.window.pid:
            raise ActionError(f"{named(seen.control)} is covered by another window. Activate its window first.")
        return point

    def _forward(self, window: TopWindow) -> None:
        if not window.active:
            self.activate_window(window.id)

    def type_text(self, control: Control | None, text: str, *, clear: bool = False, enter: bool = False) -> str:
        read = self._type_into(control, text, clear=clear) if control is not None else ""
        if control is None:
            self._look()
            self._check_window(None)
            self._keys(text, clear=clear)
        if enter:
            self._press("enter")
        return read

    def _type_into(self, control: Control, text: str, *, clear: bool) -> str:
        seen = self._resolve(control)
        element = seen.element
        if "type" not in seen.control.operations:
            raise ActionError(f"{named(control)} cannot be typed into.")
        self._forward(seen.window)
        self._order(element, "focus")
        secret = self.expected.behind is not None
        if "Value" in element.patterns and (secret or (not element.password and (clear or not element.value))):
            self._order(element, "set value", text)
        elif secret:  # typed, it would go to whatever has the keyboard
            raise ActionError(f"{named(control)} takes no text by its interface, so no secret can be put into it.")
        else:
            self._keys(text, clear=clear)
        self._settle()
        now = find(self._look(), element.key)
        return now.value or "" if now is not None and not element.password else ""

    def _keys(self, text: str, *, clear: bool) -> None:
        if clear:
            self._press("ctrl", "a")
            self._press("delete")
        for at in range(0, len(text), p.LONGEST_TEXT):
            self._act(p.Type(text=text[at : at + p.LONGEST_TEXT]))

    def press(self, keys: tuple[str, ...]) -> None:
        codes = codes_of(keys)
        self._look()
        self._check_window(None)
        self._act(p.Press(codes=codes))

    def select_text(self, control: Control, text: str, spot: Spot) -> str:
        """Always raises ActionError."""
        raise ActionError("On Windows no text can be selected by its words. Use keys: ctrl, shift and the arrow keys.")

    def select(self, control: Control, option: str) -> None:
        seen = self._resolve(control)
        opens = seen.element.type == "ComboBox" and "ExpandCollapse" in seen.element.patterns
        if opens and seen.element.expanded != "expanded":
            self._order(seen.element, "expand")
            self._settle()
        # A combo box has its list in itself, or as a window of its own; an item's siblings are the other options.
        holder = seen.element if opens else seen.parents[-1]
        now = find(self._look(), holder.key)
        found = [one for one in now.below() if one.type in OPTIONS] if now is not None else []
        lists = [window.root for window in self._look().windows if window.root.type == "List"] if opens else []
        found = found or [one for each in lists for one in each.below() if one.type in OPTIONS]
        chosen = pick(option, [one.name for one in found])
        if chosen is None and now is not None and "ItemContainer" in now.patterns:
            with suppress(ActionError):  # it has none of that name
                self._order(now, "find", option)
            now = find(self._look(), now.key)
            found = [one for one in now.below() if one.type in OPTIONS] if now is not None else []
            chosen = pick(option, [one.name for one in found])
        if chosen is not None:
            self._order(found[chosen], "select")
        if opens:
            self._order(seen.element, "collapse")
        if chosen is None:
            options = listing(one.name for one in found)
            raise ActionError(f"{named(control)} has no option {option!r}. Options: {options}.")

    def set_value(self, control: Control, value: float) -> None:
        seen = self._resolve(control)
        if "set" not in seen.control.operations:
            raise ActionError(f"{named(control)} has no number that can be set.")
        self._order(seen.element, "set number", value)
        now = find(self._look(), seen.element.key)
        number = now.number if now is not None else None
        if number is None or abs(number - value) > 1e-6 * max(1.0, abs(value)):
            shows = f" It is {number:g}." if number is not None else ""
            raise ActionError(f"{named(control)} did not take {value:g}.{shows}")

    def scroll(self, control: Control | None, notches: int) -> None:
        self._look()
        point = self._point(self._resolve(control)) if control is not None else self._check_window(None).box.centre
        self._act(p.Wheel(x=point[0], y=point[1], notches=max(-100, min(100, notches))))

    def menu(self, path: tuple[str, ...]) -> None:
        self._look()
        window = self._check_window(None)
        entries = [one for one in self._seen.values() if one.control.role == "menu" and one.window.id == window.id]
        for step, wanted in enumerate(path):
            chosen = pick(wanted, [one.element.name for one in entries])
            if chosen is None or "disabled" in entries[chosen].control.states:
                for _ in range(step + 1 if step else 0):  # each closes a menu, the last leaves the menu bar
                    self._press("escape")
                where = f"the menu {' > '.join(path[:step])}" if step else "the menu bar"
                found = f"There is no {wanted!r} in {where}." if chosen is None else f"{' > '.join(path)} is disabled."
                raise ActionError(f"{found} Entries: {listing(one.control.name for one in entries)}.")
            entry = entries[chosen].element
            opens = "ExpandCollapse" in entry.patterns
            before = {*self._seen}
            self._order(entry, "expand" if opens else pressing(entry) or "invoke")
            if step < len(path) - 1:
                self._until(lambda known=before: bool(self._entries(known)), MENU)
                entries = self._entries(before)

    def _entries(self, known: set[str]) -> list[SeenElement]:
        """The entries of a menu that opened after the labels in ``known`` were given."""
        self._look()
        return [one for label, one in self._seen.items() if label not in known and one.element.type == "MenuItem"]

    # -- programs and windows

    def applications(self) -> tuple[str, ...]:
        """Names of the programs in the start menu, sorted."""
        return self._machine.programs()

    def open_application(self, name: str, file: str | None = None) -> str:
        """Start a program of the start menu and wait for its window. Returns its name there. Raises ActionError if no window
        opens, and always for a ``file``."""
        if file:
            raise ActionError("On Windows no file can be opened together with its program. Open the program, then the file.")
        names = self._machine.programs()
        chosen = pick(name, names)
        near = [one for one in names if name.casefold().removesuffix(".exe") in one.casefold()] if name.strip() else []
        if chosen is None and len(near) != 1:
            raise ActionError(f"There is no application {name!r}. Applications here: {listing(near or names)}.")
        found = names[chosen] if chosen is not None else near[0]
        before = {window.id for window in self._look().windows}
        self._act(p.Start(program=found))
        if not self._until(lambda: bool({window.id for window in self._look().windows} - before), OPENING):
            raise ActionError(f"{found} was started, but no window of it has opened.")
        return found

    def activate_window(self, window: int) -> None:
        found = self._window(window)
        self._act(p.BringForward(window=window))
        if not self._until(lambda: self._window(window).active, 1.0):
            raise ActionError(f'Windows did not let "{found.title}" come to the front.')

    def close_window(self, window: int) -> None:
        self._window(window)
        self._check_window(window)
        before = {one.id for one in self._observation.windows}
        self._act(p.CloseWindow(window=window))
        self._until(lambda: {one.id for one in self._look().windows} != before, CLOSING)

    # -- clipboard and secrets

    def clipboard(self) -> str:
        return self._machine.clipboard()

    def set_clipboard(self, text: str) -> None:
        self._act(p.SetClipboard(text=text))
        if self._machine.clipboard() != text:
            raise ActionError("The clipboard did not take the text.")

    def program_of_window(self, window: int) -> str:
        """The path of a window's program, if only administrators can change files there; else ''."""
        return next((one.program for one in self._look().windows if one.id == window), "")

    def forget_copies(self, holds: Callable[[str], bool]) -> None:
        if holds(self._machine.clipboard()):
            self._act(p.SetClipboard(text=""))


def pressing(element: Element) -> Verb | None:
    """The effect of a click on an element; None if it has no pattern for that."""
    return next((verb for pattern, verb in PRESSES if pattern in element.patterns), None)


def connect_windows(at: str, workspace: Path) -> WindowsDesktop:
    """The desktop of the agent that ``at`` names. Raises UsageError if it names none; EnvironmentFailure if the agent cannot
    be reached or has no desktop."""
    line = line_to(at)
    try:
        machine = WindowsMachine(line, os.environ.get("DESKCREW_AGENT_TOKEN", ""))
        return WindowsDesktop(machine, Mirror(machine, Workspace(workspace)) if machine.welcome.folder else None)
    except (ActionError, EnvironmentFailure):
        line.close()
        raise
