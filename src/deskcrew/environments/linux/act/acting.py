"""Acts on controls: through their accessibility interfaces where they have them, otherwise with mouse and keyboard."""

from __future__ import annotations

import struct
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from deskcrew.environments import ocr
from deskcrew.environments.linux.act.acted_on import ActedOn
from deskcrew.environments.linux.bus import wire
from deskcrew.environments.linux.bus.connection import CallFailed, ConnectionLost, NotResponding
from deskcrew.environments.linux.bus.wire import WireMethod
from deskcrew.environments.linux.look.controls import SeenControl
from deskcrew.environments.linux.look.views import WindowView, views
from deskcrew.environments.linux.look.wording import usable_state
from deskcrew.environments.linux.screen.x11 import poll_until
from deskcrew.environments.linux.tree import roles
from deskcrew.environments.linux.tree.cells import AT_CELL, Cell, Grid
from deskcrew.environments.linux.tree.contents import GET_LENGTH, TEXT, VALUE
from deskcrew.environments.linux.tree.node import Node, in_menu, in_popover
from deskcrew.environments.linux.tree.programs import BusProgram
from deskcrew.environments.linux.tree.tree import (
    CHROMIUM,
    COMPONENT,
    GET_NAME,
    GET_ROLE,
    GET_STATE,
    NULL,
)
from deskcrew.environments.names import gone, named
from deskcrew.errors import ActionError
from deskcrew.facts.addresses import position_of
from deskcrew.facts.observation import Box, Control

ACTION = "org.a11y.atspi.Action"
EDITABLE_TEXT = "org.a11y.atspi.EditableText"
SELECTION = "org.a11y.atspi.Selection"
ACTED = frozenset({
    roles.BUTTON, roles.TOGGLE_BUTTON, roles.CHECK_BOX, roles.RADIO_BUTTON, roles.LINK, roles.COMBO_BOX,
    roles.PUSH_MENU, *roles.MENU_ITEMS,
})  # fmt: skip
PREFERRED = ("click", "press", "activate", "toggle", "jump", "select")
ACTION_SECONDS = 0.7
"""Seconds to wait for the answer to an action. A program that opens a dialog may answer only when that is closed, but the
effect is visible on the screen."""
STATE_SECONDS = 1.2
CELL_SECONDS = 5.0
"""Seconds to wait until a clicked cell is the current one. The wait is long, since later keys would go to another cell."""
TYPED_SECONDS = 0.1
"""Seconds without an event after which text that was typed without a control is read."""
LONGEST_READ = 4000


class Actor:
    """Operates the controls of a desktop."""

    def __init__(self, desktop: ActedOn) -> None:
        self.desktop = desktop

    # -- finding again

    def resolve(self, control: Control) -> SeenControl:
        """The control with its present place. Raises ActionError if it has gone, or its program hangs."""
        if control.role == ocr.ROLE:
            raise ActionError(f"{named(control)} was read from the picture; it can only be clicked.")
        seen = self.desktop.last_seen(control)
        self.desktop.expected.check_control(control, seen.control.role, seen.control.name, seen.control.owner)
        if seen.cell is not None:
            return self._resolve_cell(seen)
        state, box = self.ask(seen.program, [(GET_STATE, seen.node.path), (seen.program.tree.extents, seen.node.path)])
        tree = seen.program.tree
        states = tree.with_place(seen.node.role, tree.states(state), box)
        if not states & roles.SHOWING:
            raise gone(control)
        seen.node.states = states
        if box is not None:
            moved = seen.node.place(box)
            old, seen.node.box = seen.node.box, moved
            if moved != old:
                x, y = control.box.x + moved[0] - old[0], control.box.y + moved[1] - old[1]
                seen = seen._replace(
                    control=control.model_copy(update={"box": control.box.model_copy(update={"x": x, "y": y})})
                )
        return seen

    def resolve_node(self, program: BusProgram, node: Node) -> Node:
        """An object with its present place. Raises ActionError if it has gone, or its program hangs."""
        state, box = self.ask(program, [(GET_STATE, node.path), (program.tree.extents, node.path)])
        if box is None or not program.tree.states(state) & roles.SHOWING:
            raise ActionError("The page has gone. Look again.")
        node.box = node.place(box)
        return node

    def confirm(self, seen: SeenControl) -> None:
        """Just before anything is done to a control: query its name and role once more, and the parts that its name is
        derived from. Raises ActionError if they have changed since the last observation."""
        control, expected = seen.control, self.desktop.expected
        self.desktop.check_window(control.window)
        if seen.cell is not None:
            said = self.ask(seen.program, [(GET_NAME, self.cell_path(seen))])[0]
            was = seen.cell.name
            if said is not None and not position_of(was) and (now := wire.decode_variant_string(said)) and now != was:
                raise ActionError(f'{named(control)} has changed: it is now "{now}". Look again.')
            return
        # A control without a name of its own is called by what is in or beside it: those are asked as well.
        nodes = [seen.node, *(_namers(seen.node) if not seen.node.name.strip() else ())]
        answers = self.ask(seen.program, [(method, node.path) for node in nodes for method in (GET_NAME, GET_ROLE)])
        for node, said, kind in zip(nodes, answers[::2], answers[1::2], strict=True):
            if said is None:
                raise gone(control)
            other = (
                node is seen.node
                and kind is not None
                and node.role not in (0, roles.TOOL_TIP)
                and wire.decode_number(kind) != node.role
            )
            renamed = node.raw[1] is not None and said != node.raw[1] and node.role != roles.COMBO_BOX
            if renamed or other:  # the name of a combo box is what is chosen in it
                shown = expected.shown(wire.decode_variant_string(said)) or "something else"
                raise ActionError(f'{named(control)} has changed: it is now "{shown}". Look again.')

    def check_front(self, *, presses: bool) -> None:
        """Check, before keys without a control, that the window and its focused control are unchanged. ``presses``: the keys
        press the focused control, so that it must be the same even if nobody was asked. Raises ActionError if not."""
        expected = self.desktop.expected
        if expected.approved is not None:
            self.desktop.check_window(None)
        control = expected.control
        if control is None or (expected.approved is None and not presses) or control.role == ocr.ROLE:
            return
        seen = self.desktop.last_seen(control)
        if seen.place is None:
            self.confirm(self.resolve(control))

    def _resolve_cell(self, seen: SeenControl) -> SeenControl:
        assert seen.cell is not None
        if self.cell_path(seen) == NULL:
            raise gone(seen.control)
        return seen

    def cell_path(self, seen: SeenControl) -> str:
        """The present path of a cell: queried again, since paths in a sheet go stale."""
        assert seen.cell is not None
        place = struct.pack("<ii", seen.cell.row, seen.cell.column)
        answer = self.ask(seen.program, [(AT_CELL, seen.node.path, place)])[0]
        return wire.decode_reference(answer).path if answer is not None else NULL

    @contextmanager
    def asking(self, program: BusProgram) -> Generator[None]:
        """A context for every query of a program. Raises ActionError if the program hangs or has ended."""
        try:
            yield
        except NotResponding as error:
            told = f"{self._title(program)} is not responding: it does not answer. Wait, or use another window."
            raise ActionError(told) from error
        except ConnectionLost as error:
            self.desktop.programs.drop(program.name)
            raise ActionError(f"{self._title(program)} has gone. Look again.") from error

    def _title(self, program: BusProgram) -> str:
        windows = self.desktop.screenful.windows
        return next((window.app for window in windows if window.pid == program.pid and window.app), "The program")

    def ask(self, program: BusProgram, calls: list[Any]) -> list[bytes | None]:
        """Pipeline calls to a program. Raises ActionError if it hangs or has ended."""
        with self.asking(program):
            return program.tree.ask(calls)

    def call(
        self, seen: SeenControl | tuple[BusProgram, Node], interface: str, member: str, signature: str = "", *body: Any
    ) -> Any:
        """A single call on a control's object; None if the program refuses it."""
        program, node = (seen.program, seen.node) if isinstance(seen, SeenControl) else seen
        try:
            with self.asking(program):
                answer = program.tree.connection.call(program.tree.name, node.path, interface, member, signature, *body)
        except CallFailed:
            return None
        return answer[0] if answer else True

    # -- clicking

    def click(self, control: Control, *, button: str, double: bool) -> bool:
        """Press a control by its accessibility action or, as a fallback, with the mouse. Returns whether by its action."""
        line = self.desktop.line(control)
        if line is not None:
            self.desktop.bring_forward(self.desktop.window(line.window))
            self.desktop.check_window(line.window)
            self.desktop.input.click(*self.free_place(line, popups=False), button=button, count=2 if double else 1)
            return False
        seen = self.resolve(control)
        if seen.cell is None and not self._await_state(seen.program, seen.node.path, usable_state(seen.node), True):
            raise ActionError(f"{named(control)} is disabled.")
        if not in_menu(seen.node):
            self.desktop.bring_forward(self.desktop.window(control.window))
        acted = seen.cell is None and seen.node.role in ACTED and not self._quicker_by_mouse(seen)
        self.confirm(seen)
        if button == "left" and not double and acted and self.do_action(seen.program, seen.node):
            return True
        self.point(seen, button=button, count=2 if double else 1)
        if seen.cell is not None and button == "left" and not double:
            self._await_current(seen)
        return False

    def _quicker_by_mouse(self, seen: SeenControl) -> bool:
        """Whether to use the mouse. GTK4 and Qt perform a button's action some time after they have answered, but react to a
        click at once, unless a popover is open that it would only close. Chromium leaves a list open after an action."""
        if seen.program.tree.toolkit == CHROMIUM and in_menu(seen.node):
            return True
        screenful = self.desktop.screenful
        if not seen.program.tree.slow or screenful.unlisted:  # a popover's place is not known there
            return False
        return in_popover(seen.node) or not screenful.popups

    def do_action(self, program: BusProgram, node: Node) -> bool:
        """Do the control's main action. Returns False if it has none or refused."""
        if "Action" not in node.interfaces:
            return False
        actions: list[tuple[str, str, str]] | None = self.call((program, node), ACTION, "GetActions")
        names = [action[0].lower() for action in actions or []]
        index = next((names.index(one) for one in PREFERRED if one in names), 0 if names else -1)
        if index < 0:
            return False
        return bool(self.order(program, node, ACTION, "DoAction", "i", index))

    def order(self, program: BusProgram, node: Node, interface: str, member: str, signature: str, *body: Any) -> Any:
        """Make a call that changes something. Returns None if it was refused. Raises ActionError if the program hangs."""
        with self.asking(program):
            return program.do(ACTION_SECONDS, node.path, interface, member, signature, *body)

    def point(self, seen: SeenControl, *, button: str = "left", count: int = 1) -> None:
        """Click with the mouse, after checking that the point belongs to the intended window."""
        x, y = self.free_point(seen)
        self.desktop.input.click(x, y, button=button, count=count)

    def free_point(self, seen: SeenControl) -> tuple[int, int]:
        """A point of the control that no other window covers. Raises ActionError if there is none."""
        return self.free_place(seen.control, popups=in_menu(seen.node) or seen.node.role != roles.MENU)

    def free_place(self, control: Control, *, popups: bool) -> tuple[int, int]:
        """A point of the control that no other window covers; ``popups``: it may be in an open menu or list."""
        screen = Box(x=0, y=0, width=self.desktop.display.width, height=self.desktop.display.height)
        box = control.box.intersection(screen)
        if box is None:
            raise ActionError(f"{named(control)} is outside the screen. Scroll or move its window.")
        screenful = self.desktop.screenful
        frame = next((window.frame for window in screenful.windows if window.id == control.window), None)
        if frame is None:
            raise ActionError(f"The window of {named(control)} has gone. Look again.")
        x, y = box.centre
        across, down = box.width // 4, box.height // 4
        for point in (
            (x, y),
            (x - across, y - down),
            (x + across, y - down),
            (x - across, y + down),
            (x + across, y + down),
        ):
            top = next((layer for layer in screenful.layers if layer.box.contains(*point)), None)
            if top is not None and (top.id == frame or (top.popup and popups)):
                return point
        raise ActionError(f"{named(control)} is covered by another window. Activate its window first.")

    # -- typing

    def type_text(self, control: Control | None, text: str, *, clear: bool, enter: bool) -> str:
        """Type text. Returns the control's text afterwards."""
        if control is None:
            return self._type_blind(text, clear=clear, enter=enter)
        seen = self.resolve(control)
        if "type" not in control.operations and not seen.node.states & roles.EDITABLE:
            raise ActionError(f"{named(control)} cannot be typed into.")
        self.desktop.bring_forward(self.desktop.window(control.window))
        self.confirm(seen)
        self.focus(seen)
        secret = seen.node.role == roles.PASSWORD
        if self.desktop.expected.behind is not None:
            self._confide(seen, text, clear=clear)
            if enter:
                self.press_enter()
            return ""
        if "EditableText" in seen.node.interfaces and not secret and self._edit(seen, text, clear):
            pass
        else:
            if clear and seen.node.role == roles.TERMINAL:
                self.desktop.input.press(("ctrl", "u"))
            self._type_keys(text, clear=clear and seen.node.role != roles.TERMINAL)
        read = "" if secret else self._read_back(seen, text)
        if clear and text and not secret and seen.node.role != roles.TERMINAL and self._stale(seen, read, text):
            # The keys that clear it may have come before the field had the keyboard; doing it again changes nothing else.
            self.point(seen)
            self._await_focus(seen.program, seen.node.path)
            self._type_keys(text, clear=True)
            read = self._read_back(seen, text, alone=True)
        if enter:
            self.press_enter()
        return read

    def _stale(self, seen: SeenControl, read: str, text: str) -> bool:
        """Whether a field that was to contain only ``text`` contains something else, after some time to update."""
        if "Text" not in seen.node.interfaces or read.strip() == text.strip() or seen.node.states & roles.MULTI_LINE:
            return False
        return self._read_back(seen, text, alone=True).strip() != text.strip()

    def press_enter(self) -> None:
        """Press Enter; in a dialog, once its default button is enabled, if that happens in time.

        Programs process typed text a moment later, and until they have, Enter does nothing.
        """
        active = next((window for window in self.desktop.screenful.windows if window.active), None)
        if active is not None and active.dialog:
            self.desktop.look()
            for view in views(list(self.desktop.programs.known.values()), self.desktop.screenful):
                button = default_button(view.root) if view.window.id == active.id and not view.popup else None
                if button is not None:
                    self._await_state(view.program, button.path, roles.SENSITIVE, True)
        self.desktop.input.press(("enter",))

    def focus(self, seen: SeenControl) -> None:
        """Focus a control: by its interface, else with the mouse."""
        if seen.node.states & roles.FOCUSED:
            return
        self.call(seen, COMPONENT, "GrabFocus")
        state = self.ask(seen.program, [(GET_STATE, seen.node.path)])[0]
        if state is None or not wire.decode_states(state) & roles.FOCUSED:
            self.point(seen)
            self._await_focus(seen.program, seen.node.path)

    def _edit(self, seen: SeenControl, text: str, clear: bool) -> bool:
        """Change the text through the control's interface. Returns False if that did not have the intended effect."""
        length = self.text_length(seen)
        caret = self.call(seen, wire.PROPERTIES, "Get", "ss", TEXT, "CaretOffset")
        if clear or length == 0:
            done = self.order(seen.program, seen.node, EDITABLE_TEXT, "SetTextContents", "s", text)
            return bool(done) and self.read(seen) == text[:LONGEST_READ]
        at = int(caret[1]) if caret else length
        at = at if 0 <= at <= length else length
        size = len(text.encode())
        if not self.order(seen.program, seen.node, EDITABLE_TEXT, "InsertText", "isi", at, text, size):
            return False
        # Nothing is typed a second time: whatever the program made of it is what is read back.
        self.call(seen, TEXT, "SetCaretOffset", "i", at + len(text))
        return True

    def _confide(self, seen: SeenControl, text: str, *, clear: bool) -> None:
        """Put a secret into a field: by its interface, so that no other field can receive it, else by keys, each typed only
        while the field has the keyboard focus. Raises ActionError if it loses the focus."""
        before = 0 if clear else self.text_length(seen)
        if "EditableText" in seen.node.interfaces:
            if before:
                self.order(seen.program, seen.node, EDITABLE_TEXT, "InsertText", "isi", before, text, len(text.encode()))
            else:
                self.order(seen.program, seen.node, EDITABLE_TEXT, "SetTextContents", "s", text)
            if self.text_length(seen) == before + len(text):
                return
            if self.text_length(seen) != before:
                raise ActionError(f"{named(seen.control)} took only a part of the secret. Empty it and try again.")
        if clear:
            self._type_keys("", clear=True)
        for number, character in enumerate(text):
            if not self._has_keyboard(seen):
                typed = "it was not typed" if not number else f"{number} characters of it had been typed"
                raise ActionError(
                    f"{named(seen.control)} lost the keyboard while the secret was typed: {typed}. Look again."
                )
            self.desktop.input.type(character)
        if not self._has_keyboard(seen):
            raise ActionError(f"{named(seen.control)} lost the keyboard while the secret was typed. Look again.")

    def _has_keyboard(self, seen: SeenControl) -> bool:
        active = next((window.id for window in self.desktop.screenful.windows if window.active), None)
        state = self.ask(seen.program, [(GET_STATE, seen.node.path)])[0]
        return active == seen.control.window and state is not None and wire.decode_states(state) & roles.FOCUSED != 0

    def _type_keys(self, text: str, *, clear: bool) -> None:
        if clear:
            self.desktop.input.press(("ctrl", "a"))
            self.desktop.input.press(("delete",))
        self.desktop.input.type(text)

    def _type_blind(self, text: str, *, clear: bool, enter: bool) -> str:
        self.check_front(presses=False)
        if clear:
            self._type_keys("", clear=True)
        self.desktop.input.type_on_buttons(text)
        if enter:
            self.press_enter()
        read = self._read_focused()
        if read and text not in read and not enter:  # it, or the focus, may not have arrived yet
            read = self._read_focused()
        return read

    def _read_focused(self) -> str:
        """The focused control's text; '' if there is none, or it is secret."""
        self.desktop.acted(TYPED_SECONDS)
        observation = self.desktop.observe()
        control = observation.control(observation.focus) if observation.focus else None
        if control is None or control.role == "password field":
            return ""
        seen = self.desktop.last_seen(control)
        return (control.value or "") if seen.cell is not None else self.read(seen)

    def _await_current(self, seen: SeenControl) -> None:
        """Wait until a sheet's cell is the current one. Raises ActionError if it does not become that.

        LibreOffice processes a click later than keys that follow it: without the wait they go to another cell.
        """
        grid = seen.program.grids.get(seen.node.path)
        if grid is not None and grid.sheet and not self._await_focus(seen.program, self.cell_path(seen), CELL_SECONDS):
            raise ActionError(f"{named(seen.control)} did not become the current cell.")

    def _await_focus(self, program: BusProgram, path: str, seconds: float = STATE_SECONDS) -> bool:
        """Wait (bounded) until the object at ``path`` has the focus."""
        return self._await_state(program, path, roles.FOCUSED, True, seconds)

    def _await_state(self, program: BusProgram, path: str, bit: int, wanted: bool, seconds: float = STATE_SECONDS) -> bool:
        """Wait (bounded) until the object at ``path`` has a state, or no longer has it."""

        def reached() -> bool | None:
            state = self.ask(program, [(GET_STATE, path)])[0]
            has = state is not None and wire.decode_states(state) & bit != 0
            return True if has is wanted else None

        return poll_until(reached, seconds, lambda left: self.desktop.wait_for_event(min(left, 0.02))) is True

    def _read_back(self, seen: SeenControl, text: str, *, alone: bool = False) -> str:
        """The control's text, once typed keys have arrived there (bounded); ``alone``: once it is nothing but them."""
        deadline = time.monotonic() + 1.0
        while True:
            read = self.read(seen)
            left = deadline - time.monotonic()
            there = read.strip() == text.strip() if alone else text in read
            if there or left <= 0 or "Text" not in seen.node.interfaces:
                return read
            self.desktop.wait_for_event(min(left, 0.05))

    def text_length(self, seen: SeenControl) -> int:
        """The number of characters in a control."""
        answer = self.ask(seen.program, [(GET_LENGTH, seen.node.path)])[0]
        return wire.decode_variant_int(answer) if answer is not None else 0

    def read(self, seen: SeenControl) -> str:
        """The text of a control, at most 4,000 characters of it."""
        if "Text" not in seen.node.interfaces:
            return ""
        end = min(self.text_length(seen), LONGEST_READ)
        method = WireMethod(TEXT, "GetText", "ii", struct.pack("<ii", 0, end))
        answer = self.ask(seen.program, [(method, seen.node.path)])[0]
        return wire.decode_string(answer) if answer is not None else ""

    # -- numbers, wheel, cells

    def set_value(self, control: Control, value: float) -> None:
        """Set a number. Raises ActionError if the control then shows another."""
        seen = self.resolve(control)
        if "Value" not in seen.node.interfaces:
            raise ActionError(f"{named(control)} has no number to set.")
        self.desktop.bring_forward(self.desktop.window(control.window))
        self.confirm(seen)
        self.order(seen.program, seen.node, wire.PROPERTIES, "Set", "ssv", VALUE, "CurrentValue", ("d", float(value)))
        answer = self.call(seen, wire.PROPERTIES, "Get", "ss", VALUE, "CurrentValue")
        now = float(answer[1]) if answer else float("nan")
        if abs(now - value) > 1e-6 * max(1.0, abs(value)):
            raise ActionError(f"{named(control)} was set to {value:g} but shows {now:g}.")

    def scroll(self, control: Control | None, notches: int) -> None:
        """Turn the wheel over a control, or over the active window."""
        if control is not None:
            line = self.desktop.line(control)
            seen = self.resolve(control) if line is None else None
            self.desktop.bring_forward(self.desktop.window(control.window))
            x, y = self.free_point(seen) if seen is not None else self.free_place(line or control, popups=False)
        else:
            active = next((window for window in self.desktop.screenful.windows if window.active), None)
            if active is None:
                raise ActionError("No window is active.")
            x, y = active.box.centre
        self.desktop.input.scroll(x, y, notches)

    def find_cell(self, address: str) -> tuple[WindowView, Grid, Cell] | None:
        """A cell in view by its address, with its view and table; None if it is not in view."""
        place = position_of(address)
        for view in views(list(self.desktop.programs.known.values()), self.desktop.screenful):
            for grid in view.program.grids.values():
                cell = cell_at(grid, place) if grid.sheet and place else None
                if cell is not None:
                    return view, grid, cell
        return None


def _namers(node: Node) -> list[Node]:
    """Labels and texts in a control, and the label before it, any of which may be its name."""
    found, waiting = list[Node](), list(node.children)
    while waiting and len(found) < 20:
        inner = waiting.pop()
        found += [inner] if inner.role in (roles.LABEL, roles.STATIC) else []
        waiting += inner.children
    beside = node.parent.children if node.parent is not None else []
    at = beside.index(node) if node in beside else 0
    return found + ([beside[at - 1]] if at and beside[at - 1].role == roles.LABEL else [])


def default_button(root: Node) -> Node | None:
    """The default button of a dialog."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.showing and node.role == roles.BUTTON and node.states & roles.IS_DEFAULT:
            return node
        stack += node.children
    return None


def cell_at(grid: Grid, place: tuple[int, int]) -> Cell | None:
    """The cell in view at row and column."""
    return next((cell for cell in grid.cells if (cell.row, cell.column) == place), None)
