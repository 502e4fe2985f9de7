"""Programs on a run's desktop: which exist, which are opened before the run, and which are reopened on resuming it."""

from __future__ import annotations

from collections.abc import Sequence

from deskcrew.actions.action import Needs
from deskcrew.engine import rewind
from deskcrew.engine.request import Opened
from deskcrew.environments.desk import Desk
from deskcrew.environments.environment import Browser, Desktop
from deskcrew.errors import ActionError, UsageError
from deskcrew.facts.events import OWN_DESK, YOURS, DesktopKind, Event
from deskcrew.journal.journal import Journal
from deskcrew.journal.stored import Stored

_IN_WINDOWS: dict[DesktopKind, tuple[Needs, ...]] = {
    "browser": ("browser",),
    "virtual": ("programs", "browser"),
    "real": ("programs",),
    "windows": ("programs",),
}
"""The needs that a desktop's windows satisfy. A virtual desktop has pages while a browser is open in it."""


def abilities(desk: Desk, kind: DesktopKind) -> tuple[Needs, ...]:
    """The needs of actions that are, or may later be, met besides the workspace: a search service; windows, and programs or
    pages in them; points of the screenshot, and a model that finds them. ``kind``: the kind of desktop."""
    search: tuple[Needs, ...] = ("search",) if desk.search is not None else ()
    if desk.desktop is None:
        return search
    points: tuple[Needs, ...] = ("points",) if desk.points else ()
    grounding: tuple[Needs, ...] = ("grounding",) if desk.points and desk.grounder is not None else ()
    return (*search, "desktop", *_IN_WINDOWS.get(kind, ()), *points, *grounding)


def programs_of(desk: Desk) -> tuple[str, ...]:
    """The programs that can be opened on the desktop; () if there is none."""
    return desk.desktop.applications() if desk.desktop is not None else ()


def open_before(desk: Desk, app: Opened) -> None:
    """Open a program that a run begins with. Blocking; raises UsageError if it cannot be opened."""
    hint = "A file must lie in the workspace: --attach FILE copies it there, then --open PROGRAM=NAME." if app.file else ""
    try:
        file = desk.workspace.relative(desk.workspace.resolve(app.file, must_exist=True)) if app.file else None
        if desk.desktop is not None:
            desk.desktop.open_application(app.name, file)
    except ActionError as error:
        raise UsageError(f"{app.name} could not be opened before the run: {error}", hint=hint) from error


def reopen(journal: Journal, desk: Desk) -> rewind.Reopening:
    """Restart on new desktops, those of lanes included, the programs that the crew had open, and restore clipboards.
    Blocking; raises EnvironmentFailure if a desktop cannot be opened."""
    begun = journal.state.started
    if desk.desktop is None or (begun is not None and begun.desktop in YOURS):
        return rewind.Reopening((), ())
    opened: list[tuple[str, str]] = []
    lost: list[str] = []
    for number in rewind.desks(journal.events):
        desk.reopen(number)
        place = desk.at(number)
        if place is not None and place.desktop is not None:
            again = _reopen(journal, place.desktop, number)
            opened += again.programs
            lost += again.lost if number == OWN_DESK else [f"at desk {number} {line}" for line in again.lost]
    return rewind.Reopening(tuple(opened), tuple(lost))


def _reopen(journal: Journal, screen: Desktop, number: int) -> rewind.Reopening:
    """Restart on one desktop the programs that the crew had open there."""
    events = rewind.at_desk(journal.events, number)
    if isinstance(screen, Browser):
        return _pages_again(journal, screen, events, number)
    wanted = rewind.reopening(journal, events)
    opened: list[tuple[str, str]] = []
    lost = list(wanted.lost)
    for program, document in wanted.programs:
        try:
            screen.open_application(program, document or None)
            opened.append((program, document))
        except ActionError as error:
            lost.append(f"{program} could not be opened again: {error}")
    for unsaved in wanted.texts:
        if type_again(screen, unsaved):
            lost.remove(unsaved.said)
    if wanted.clipboard:
        screen.set_clipboard(wanted.clipboard)
    return rewind.Reopening(tuple(opened), tuple(lost))


def _pages_again(journal: Journal, browser: Browser, events: Sequence[Event], number: int) -> rewind.Reopening:
    """Reopen the pages that were open, the one in front last. What was typed into them is lost."""
    opened: list[tuple[str, str]] = []
    lost: list[str] = []
    stored, numbers = Stored(journal.path, journal.run), {event.number for event in journal.events}
    state = stored.newest(numbers, number) or stored.newest(numbers)
    try:
        if state is not None:
            browser.restore(state)
    except ActionError as error:
        lost.append(f"what pages had stored: {error}")
    for place, url in enumerate(rewind.pages(journal, events)):
        try:
            browser.open_url(url, new_window=place > 0)
            opened.append((url, ""))
        except ActionError as error:
            lost.append(f"a page could not be opened again: {error}")
    if opened:
        lost.append("what was typed into pages and not sent is gone")
    return rewind.Reopening(tuple(opened), tuple(lost))


def type_again(screen: Desktop, unsaved: rewind.Unsaved) -> bool:
    """Type text that is in no file into its window again. False if the window has no such text area, or shows other text
    now."""
    try:
        seen = screen.observe()
        of_app = {window.id for window in seen.windows if window.app == unsaved.app}
        there = [c for c in seen.controls if c.window in of_app and (c.role, c.name) == (unsaved.role, unsaved.name)]
        if len(there) != 1 or "type" not in there[0].operations:
            return False
        if there[0].value == unsaved.text:
            return True
        return screen.type_text(there[0], unsaved.text, clear=True) == unsaved.text
    except ActionError:
        return False
