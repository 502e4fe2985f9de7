"""The Linux desktop: one object over a display, an accessibility bus and something that starts programs."""

from __future__ import annotations

import os
import secrets
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from deskcrew.environments import ocr
from deskcrew.environments.environment import Desktop, Spot
from deskcrew.environments.held_folders import NEW
from deskcrew.environments.linux import applications
from deskcrew.environments.linux.act import choosing, pointing, selecting, sheets
from deskcrew.environments.linux.act.acting import Actor
from deskcrew.environments.linux.applications import Application
from deskcrew.environments.linux.bus.connection import ConnectionLost
from deskcrew.environments.linux.bus.wire import ObjectReference
from deskcrew.environments.linux.look.controls import SeenControl
from deskcrew.environments.linux.look.observing import Observing
from deskcrew.environments.linux.look.reading import OLD_ENOUGH, same_words
from deskcrew.environments.linux.look.views import WindowView
from deskcrew.environments.linux.pages.chromium import Chromium
from deskcrew.environments.linux.screen.clipboard import SELECTIONS
from deskcrew.environments.linux.screen.display import DesktopDisplay
from deskcrew.environments.linux.screen.executables import program_of
from deskcrew.environments.linux.screen.person_input import RecordedHands
from deskcrew.environments.linux.screen.x11 import Screenful, XWindow, poll_until, wait_readable
from deskcrew.environments.linux.session import ProgramSession
from deskcrew.environments.linux.tree.cells import Cell, Grid
from deskcrew.environments.linux.tree.programs import BusProgram, Programs
from deskcrew.environments.linux.tree.sight import ScreenSight, window_of
from deskcrew.environments.names import gone
from deskcrew.environments.pointing import Aim
from deskcrew.errors import ActionError, EnvironmentFailure
from deskcrew.facts.observation import Box, Control, Observation

QUIET, QUIET_AFTER_TYPING, LONGEST_SETTLE = 0.06, 0.18, 1.5
"""Seconds without any event that count as settled; the same after typing, which programs process a moment later (a file
dialog enables Save 150 ms after the name was typed); and the maximum that an observation waits for them."""
LONGEST_WINDOWS = 6.0
"""Additional seconds to wait while windows open and close."""
QUIET_AFTER_BUTTON = 0.4
"""Seconds without any event that count as settled after a button of GTK4 or Qt was pressed by keyboard or accessibility: it
is first shown pressed, for 0.25 or 0.1 seconds."""
LATE = 0.3
"""Seconds after which a program has certainly reported what it drew."""
ENTER = frozenset({"enter", "return"})
PRESSING = ENTER | {"space"}
OPEN_SECONDS = 30.0
READABLE_SECONDS = 4.0
"""Seconds that a program may take to join the accessibility bus. Some never do; their windows are visible even so."""
TOLD_SECONDS = 12.0
"""Seconds that a program on the bus may take to report its window: office programs load a document first."""


class DesktopFolders(NamedTuple):
    """``workspace``: the folder as programs see it; ``folder``: as we see it; ``scratch``: for pasting, seen by both."""

    workspace: str
    folder: Path
    scratch: Path


class LinuxDesktop(Desktop):
    """A desktop with windows."""

    points = True

    def __init__(
        self,
        session: ProgramSession,
        display: DesktopDisplay,
        programs: Programs,
        folders: DesktopFolders,
        *,
        lead: Path | None = None,
        dial: Callable[[], socket.socket] | None = None,
    ) -> None:
        """``lead``: a Python that programs of the desktop see, for a line to a browser there; None: no such line. ``dial``:
        makes another connection to the display; None: a person's input cannot be recorded."""
        self.session = session
        self.display = display
        self.programs = programs
        self.input = display.keys_and_mouse()
        self._workspace, self._folder, self._scratch = folders
        self._dial = dial
        self.chromium = Chromium(lead, self._scratch, self._folder)
        self._observing = Observing(display, self.chromium)
        self._seen: dict[str, SeenControl] = {}
        self._actor = Actor(self)
        self._acted_at = 0.0
        self._quiet = QUIET
        self._signalled: set[ObjectReference] = set()
        self._looks = 0
        self._changes = -1
        self._changed_at = 0.0
        """When an observation last found something drawn or signalled; 0: nothing since everything was queried."""
        self._last: Observation | None = None
        self._screenful = Screenful((), ())
        self._closed = False

    def close(self) -> None:
        """End the desktop and everything on it, even while another thread is using it. Safe to call twice."""
        if not self._closed:
            self._closed = True
            self.session.close()  # first: who waits for one of its programs is told at once that it has gone
            self.chromium.close()
            self.programs.close()
            self.display.close()

    # -- looking

    def observe(self, *, screenshot: bool = False) -> Observation:
        self.check_alive()
        try:
            self.settle()
            last = self.look()
            until = time.monotonic() + OLD_ENOUGH + 0.1
            while self._observing.waiting and time.monotonic() < until:
                self.wait_for_event(0.1)
                last = self.look()
            added: dict[str, object] = {"screenshot": self.display.screenshot()} if screenshot else {}
        except EnvironmentFailure as failure:
            if hit := self.session.hit():  # it may well be why
                raise EnvironmentFailure(f"{failure} {hit}", hint=failure.hint) from failure
            raise
        if hit := self.session.hit():
            added["note"] = " ".join(word for word in (last.note, hit) if word)
        return last.model_copy(update=added) if added else last

    def forget(self) -> None:
        """Clear all caches, so that the next observation is like the first. Labels stay."""
        for name in list(self.programs.known):
            self.programs.drop(name)
        self._last = None

    def look(self, *, everything: bool = False) -> Observation:
        """Observe without waiting. If nothing was drawn or signalled since, this is the last observation.

        ``everything``: query the programs even so, also for cells that look unchanged.
        """
        changes = self.display.drain()
        self._signalled |= self.programs.signalled()
        hung = any(not program.responding for program in self.programs.known.values())
        quiet = changes == self._changes and not self._signalled and not hung and not self._observing.waiting
        # A browser draws a page before it tells of it, and does not say when it does: all is asked once more.
        late = quiet and 0 < self._changed_at < time.monotonic() - LATE
        self._changed_at = 0.0 if late else self._changed_at if quiet else time.monotonic()
        everything = everything or late
        if quiet and not everything and self._last is not None:
            return self._last
        signalled, self._signalled = self._signalled, set()
        self._changes = changes
        self._looks += 1
        self._screenful = self.display.windows()
        self._refresh_programs(None if everything else ScreenSight(self.display, self._screenful, self._looks), signalled)
        self._last, self._seen = self._observing.observation(list(self.programs.known.values()), self._screenful)
        return self._last

    def _refresh_programs(self, sight: ScreenSight | None, signalled: set[ObjectReference]) -> None:
        self.programs.refresh()
        pids = {window.pid for window in self._screenful.windows}
        menus = self._screenful.menus
        for name, program in list(self.programs.known.items()):
            if program.pid not in pids:
                continue
            try:
                told = {reference.path for reference in signalled if reference.name == name}
                program.look(self._screenful, menus=menus, sight=sight, signalled=told)
                if self._read_pages(program):
                    program.look(self._screenful, menus=menus)
            except ConnectionLost:  # it has ended; its window goes in a moment
                self.programs.drop(name)

    def _read_pages(self, program: BusProgram) -> bool:
        """Read the pages in a browser's windows. Returns whether the accessibility bus must be queried for others."""
        if self.chromium.link is None or not program.responding:
            return False
        windows = [window for window in self._screenful.windows if window.pid == program.pid]
        shown = ((root, window_of(root, windows)) for root in program.tree.roots)
        found = [(root, window.box) for root, window in shown if window is not None]
        return self.chromium.look(program, found, lists=self._screenful.menus)

    def program_of(self, pid: int | None) -> BusProgram | None:
        """The program on the accessibility bus with this process id."""
        return next((program for program in self.programs.known.values() if program.pid == pid), None)

    def check_alive(self) -> None:
        """Raise EnvironmentFailure if the desktop has ended."""
        if self._closed:
            raise EnvironmentFailure("The desktop has been closed.")
        if not self.session.alive:
            why = f"The virtual desktop has ended. {self.session.hit()}".rstrip()
            raise EnvironmentFailure(why, hint="Start the run again.")

    def hands(self) -> RecordedHands:
        """Record a person's mouse and keyboard input here. Raises EnvironmentFailure if that is impossible."""
        self.check_alive()
        if self._dial is None:
            raise EnvironmentFailure("Keyboard and mouse are recorded on a virtual desktop only.")
        return RecordedHands(self._dial)

    # -- waiting

    def acted(self, quiet: float = QUIET) -> None:
        """Note that something was done: the next observation waits until nothing has happened for ``quiet`` seconds."""
        self._acted_at = time.monotonic()
        self._quiet = quiet

    def settle(self) -> None:
        """Wait until the program acted on has processed it and nothing has changed for a moment; bounded."""
        if not self._acted_at:
            return
        started, deadline = self._acted_at, time.monotonic() + LONGEST_SETTLE
        latest = deadline + LONGEST_WINDOWS
        self._acted_at = 0.0
        windows = len(self._screenful.windows)
        while time.monotonic() < deadline:
            before = self.display.drain()
            self._ping_active(deadline)
            self._wait_quiet(started, deadline)
            now = len(self.display.windows().windows)
            if now != windows:  # a window that has just come is not yet drawn, or its program not yet heard of
                windows, deadline = now, min(deadline + 0.5, latest)
                continue
            if self.display.drain() == before:
                return

    def _ping_active(self, deadline: float) -> None:
        """Wait for the active program: one that is busy with the last action answers only when it has finished."""
        active = next((window for window in self._screenful.windows if window.active), None)
        program = self.program_of(active.pid) if active else None
        if program is not None and program.responding:
            try:
                program.ping(max(0.05, deadline - time.monotonic()))
            except ConnectionLost:
                self.programs.drop(program.name)

    def _wait_quiet(self, started: float, deadline: float) -> None:
        last = max(started, time.monotonic() - self._quiet / 2)
        while (now := time.monotonic()) < deadline:
            left = min(last + self._quiet, deadline) - now
            if left <= 0:
                return
            if self.wait_for_event(left):
                last = time.monotonic()

    def wait_for_event(self, seconds: float) -> bool:
        """Wait for something to be drawn or signalled, at most ``seconds``. Returns whether it was."""
        if not wait_readable([self.display.fileno(), self.programs.bus.fileno()], seconds):
            return False
        before = self.display.changes
        signalled = self.programs.signalled()
        self._signalled |= signalled
        return self.display.drain() != before or bool(signalled)

    def wait(self, seconds: float) -> None:
        self.check_alive()
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.wait_for_event(deadline - time.monotonic()):
                self._wait_quiet(time.monotonic(), deadline)
                return

    # -- finding

    def last_seen(self, control: Control) -> SeenControl:
        """The source of a control of the last observation. Raises ActionError if it has gone."""
        self.check_alive()
        seen = self._seen.get(control.label)
        if seen is None or (seen.control.role, seen.control.window) != (control.role, control.window):
            raise gone(control)
        return seen

    def line(self, control: Control) -> Control | None:
        """A line read from a window's pixels, as it is now; None for a control that a program reports.

        Raises ActionError if it has gone.
        """
        if control.role != ocr.ROLE:
            return None
        self.check_alive()
        self.settle()
        self.look()
        now = self._observing.read.get(control.label)
        if now is None or now.window != control.window or not same_words(now.name, control.name):
            raise gone(control)
        return now

    def window(self, number: int) -> XWindow:
        """An open window by its id. Raises ActionError if it has gone."""
        self.check_alive()
        self._screenful = self.display.windows()
        found = next((window for window in self._screenful.windows if window.id == number), None)
        if found is None:
            raise ActionError(f"Window {number} has gone. Look again.")
        return found

    @property
    def screenful(self) -> Screenful:
        """The present windows and layers."""
        self._screenful = self.display.windows()
        return self._screenful

    # -- acting on controls

    def check_window(self, number: int | None) -> None:
        """Raises ActionError if a window is not the one that a person was shown. None: the active window."""
        if self.expected.approved is None:
            return
        now = next((one for one in self.screenful.windows if (one.active if number is None else one.id == number)), None)
        if now is None:
            raise ActionError("The window has gone. Look again.")
        self.expected.check_window(now.title, now.app)

    def click(self, control: Control, *, button: str = "left", double: bool = False) -> None:
        if (cells := sheets.cells_of(control)) is not None and control.label not in self._seen:
            sheets.select(self._actor, control, cells)
            first = self.find_cell(cells.first.local)
            if (button == "left" and not double) or first is None:
                return
            control = first
        self.input.await_hearing((f"{control.label} of {control.window}",))
        by_action = self._actor.click(control, button=button, double=double)
        self.acted(self._after_button() if by_action else QUIET)

    def type_text(self, control: Control | None, text: str, *, clear: bool = False, enter: bool = False) -> str:
        self.check_alive()
        self.settle()
        try:
            if control is not None and (cells := sheets.cells_of(control)) is not None:
                return sheets.type_text(self._actor, control, cells, text, clear=clear)
            return self._actor.type_text(control, text, clear=clear, enter=enter)
        finally:
            self.acted(max(QUIET_AFTER_TYPING, self._after_button()) if enter else QUIET_AFTER_TYPING)

    def press(self, keys: tuple[str, ...]) -> None:
        self.check_alive()
        self.settle()
        self._actor.check_front(presses=keys[-1].lower() in PRESSING)
        if len(keys) == 1 and keys[0].lower() in ENTER:
            self._actor.press_enter()
        else:
            if len(keys) == 1 and len(keys[0]) == 1:
                self.input.await_hearing(keys)
            self.input.press(keys)
        self.acted(self._after_button() if keys[-1].lower() in PRESSING else QUIET)

    def _after_button(self) -> float:
        """Seconds without any event that count as settled after a button was pressed other than with the mouse."""
        active = next((window for window in self._screenful.windows if window.active), None)
        program = self.program_of(active.pid) if active else None
        return QUIET_AFTER_BUTTON if program is not None and program.tree.slow else QUIET

    def select(self, control: Control, option: str) -> None:
        choosing.select(self._actor, control, option)
        self.acted()

    def select_text(self, control: Control, text: str, spot: Spot) -> str:
        self.check_alive()
        done = selecting.select_text(self._actor, control, text, spot)
        self.acted()
        return done

    def set_value(self, control: Control, value: float) -> None:
        self._actor.set_value(control, value)
        self.acted()

    def scroll(self, control: Control | None, notches: int) -> None:
        self._actor.scroll(control, notches)
        self.acted()

    # -- acting on points

    def click_at(self, aim: Aim, *, button: str = "left", double: bool = False) -> None:
        self.check_alive()
        pointing.still_there(self, aim)
        self.press_at(aim, lambda: self.input.click(*aim.point, button=button, count=2 if double else 1))
        self.acted()

    def drag_along(self, start: Aim, end: Aim) -> None:
        self.check_alive()
        pointing.still_there(self, start, end)
        self.press_at(start, lambda: self.input.drag(start.point, end.point))
        self.acted()

    def scroll_at(self, aim: Aim, notches: int) -> None:
        self.check_alive()
        pointing.still_there(self, aim)
        self.input.scroll(*aim.point, notches)
        self.acted()

    def press_at(self, aim: Aim, press: Callable[[], None]) -> None:
        """Call ``press``, which presses a mouse button at a point."""
        press()

    def menu(self, path: tuple[str, ...]) -> None:
        self.check_alive()
        self.check_window(None)
        choosing.choose_menu(self._actor, path)
        self.acted()

    # -- programs and windows

    def applications(self) -> tuple[str, ...]:
        return tuple(sorted(name for name, found in applications.installed().items() if not found.settings))

    def open_application(self, name: str, file: str | None = None) -> str:
        self.check_alive()
        application = applications.find(name, applications.installed())
        # An absolute path would name a file of the host, which the program sees as none.
        if file and (Path(file).is_absolute() or ".." in Path(file).parts or not (self._folder / file).exists()):
            raise ActionError(f"There is no file {file!r} in the workspace.")
        if file:
            applications.refuse_damage(application, self._folder / file)
        self._start(application, f"{self._workspace}/{file}" if file else None)
        self.acted()
        return application.name

    def _start(self, application: Application, target: str | None) -> None:
        """Start a program with a file (as the program sees it), and wait until its window is there and can be read. Raises
        ActionError if no window appears."""
        before = {window.id: window.title for window in self.screenful.windows}
        command = application.with_file(target)
        if application.browses:
            self.chromium.start(self.session, command)
        else:
            self.session.start(command)
        program = Path(application.command[0]).name.casefold()

        def opened() -> XWindow | None:
            self.check_alive()
            for window in self.screenful.windows:
                another_tab = program in window.app.casefold() and before.get(window.id, window.title) != window.title
                if window.title and (window.id not in before or another_tab):
                    return window
            return None

        def told() -> bool | None:
            self.check_alive()
            self.programs.refresh()
            if self.chromium.coming:
                return None
            if window is None or self.program_of(window.pid) is None:
                return True if time.monotonic() > since + READABLE_SECONDS else None
            return True if any(control.window == window.id for control in self.look().controls) else None

        def paged() -> bool | None:
            self.check_alive()
            self.look(everything=True)
            return bool(self.chromium.seen) or None

        window = poll_until(opened, OPEN_SECONDS, self.wait_for_event)
        if window is None:
            raise ActionError(f"{application.name} was started but no window came within {OPEN_SECONDS:.0f} seconds.")
        since = time.monotonic()
        poll_until(told, TOLD_SECONDS, self.wait_for_event)
        if application.browses and self.chromium.await_page():
            # Where it is on the screen the accessibility bus tells a moment later.
            poll_until(paged, READABLE_SECONDS, self.wait_for_event)

    def activate_window(self, window: int) -> None:
        self.bring_forward(self.window(window))
        self.acted()

    def bring_forward(self, window: XWindow) -> None:
        """Activate a window and wait until it is the active one."""
        if window.active:
            return
        self.display.activate(window.id)
        self._await(lambda: any(one.active and one.id == window.id for one in self.screenful.windows), 1.0)

    def close_window(self, window: int) -> None:
        self.window(window)
        self.check_window(window)
        before = {one.id for one in self._screenful.windows}
        self.display.close_window(window)
        self._await(lambda: {one.id for one in self.screenful.windows} != before, 3.0)
        self.acted()

    def _await(self, condition: Callable[[], bool], seconds: float) -> bool:
        return bool(poll_until(lambda: condition() or None, seconds, self.wait_for_event))

    # -- clipboard

    def clipboard(self) -> str:
        self.check_alive()
        return self.display.read_selection()

    def set_clipboard(self, text: str) -> None:
        """Put text on the clipboard. A program holds it, since the owner of a clipboard must answer at any time."""
        self.check_alive()
        # A new file: programs of the desktop write to that folder too, and what stands there may be a link of theirs.
        path = self._scratch / f"clipboard-{secrets.token_hex(8)}"
        with open(os.open(path, NEW, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
        try:
            self.session.start(self.display.holder, stdin=path)
            if not self._await(lambda: self.display.read_selection() == text, 2.0):
                raise ActionError("The clipboard did not take the text.")
        finally:
            path.unlink(missing_ok=True)

    def forget_copies(self, holds: Callable[[str], bool]) -> None:
        self.check_alive()
        for name in SELECTIONS:
            if holds(self.display.read_selection(name)):
                self.display.forget_selection(name)

    def program_of_window(self, window: int) -> str:
        found = self.window(window)
        number = self.display.process_of(found.id)
        # Who says to be another process than the one that made the window is not believed in anything.
        if number is None or (found.pid is not None and found.pid != number):
            return ""
        return program_of(number, getattr(self.session, "pid", None))

    def read_cells(self, control: Control) -> str:
        self.check_alive()
        cells = sheets.cells_of(control)
        return sheets.read(self._actor, control, cells) if cells is not None else ""

    def find_cell(self, address: str) -> Control | None:
        """A cell in view of the spreadsheet by its address, even an empty one that is not listed; None if there is none."""
        found = self._actor.find_cell(address)
        return self.adopt_cell(*found) if found is not None else None

    def adopt_cell(self, view: WindowView, grid: Grid, cell: Cell) -> Control:
        """Make a cell in view a control that can be acted on, even if the last observation did not list it."""
        shift = 0 if grid.node.native else view.shift
        x, y, width, height = cell.box
        control = Control(
            label=cell.name,
            role="cell",
            name=cell.name,
            value=cell.text,
            box=Box(x=x, y=y + shift, width=width, height=height),
            window=view.window.id,
            operations=("click", "type"),
        )
        self._seen.setdefault(control.label, SeenControl(control, view.program, grid.node, cell))
        return self._seen[control.label].control
