"""Combines what was read of windows and programs into an observation."""

from __future__ import annotations

from deskcrew.environments import ocr
from deskcrew.environments.labels import Labels
from deskcrew.environments.linux.look.controls import CellControls, ControlCollector, SeenControl, WindowPages, with_owners
from deskcrew.environments.linux.look.page import PageSeen
from deskcrew.environments.linux.look.reading import MISSING, WindowReading
from deskcrew.environments.linux.look.views import views
from deskcrew.environments.linux.screen.display import DesktopDisplay
from deskcrew.environments.linux.screen.x11 import Screenful, XWindow
from deskcrew.environments.linux.tree.programs import BusProgram
from deskcrew.environments.names import kept_text
from deskcrew.facts.observation import Box, Control, Observation, Screen, Window


class Observing:
    """Makes the observations of one desktop; keeps assigned labels from one observation to the next."""

    def __init__(self, display: DesktopDisplay, chromium: WindowPages) -> None:
        """``display``: the display that is observed; ``chromium``: reports the pages in its windows."""
        self._chromium = chromium
        self._screen = Screen(width=display.width, height=display.height, scale=display.scale)
        self._reading = WindowReading(display)
        self.read: dict[str, Control] = {}
        """The lines read from the pixels of windows that report nothing, by label."""
        self.pages: dict[int, PageSeen] = {}
        """Pages of the last observation, by the windows that show them."""
        self._labels = Labels()
        self._made = CellControls()

    def observation(self, programs: list[BusProgram], screenful: Screenful) -> tuple[Observation, dict[str, SeenControl]]:
        """The observation, and the source of each control by its label."""
        self._labels.start_look()
        self._made.start_look()
        seen: list[SeenControl] = []
        text: list[str] = []
        places: list[tuple[str, Box]] = []
        focus: str | None = None
        self.pages = {}
        for view in views(programs, screenful):
            collector = ControlCollector(view, self._labels, self._made, self._chromium)
            collector.collect()
            seen += collector.seen
            places += collector.places
            for page in collector.pages:
                self.pages.setdefault(view.window.id, page)
            if view.window.active:
                text += collector.text
                focus = focus or collector.focus
        silent = self._silent(programs, screenful, seen, places)
        read = self._reading.controls(silent, screenful, self._labels)
        self.read = {control.label: control for control in read}
        answering = {program.pid: program.responding for program in reversed(programs)}  # of one pid, the first counts
        windows = tuple(
            told(window, answering.get(window.pid or 0, True), self.pages.get(window.id)) for window in screenful.windows
        )
        front = next((self.pages[window.id] for window in windows if window.active and window.id in self.pages), None)
        words, cut = kept_text(dict.fromkeys(text))
        notes = [MISSING if silent and not ocr.available() else "", cut, *(front.notes if front is not None else ())]
        seen = with_owners(seen, {window.id: window.title for window in windows})
        labelled = {one.control.label: one for one in seen}
        observation = Observation(
            screen=self._screen,
            windows=windows,
            controls=(*(one.control for one in labelled.values()), *read),
            focus=focus,
            text=words,
            note=" ".join(note for note in notes if note),
            places=tuple(places),
        )
        return observation, labelled

    @property
    def waiting(self) -> bool:
        """Whether a window that reports nothing was still too new to be read, so that another observation may show more."""
        return self._reading.waiting

    def _silent(
        self, programs: list[BusProgram], screenful: Screenful, seen: list[SeenControl], places: list[tuple[str, Box]]
    ) -> list[XWindow]:
        told = {one.control.window for one in seen}
        told |= {window.id for window in screenful.windows if any(window.box.contains(*box.centre) for _, box in places)}
        return self._reading.silent(programs, screenful, told)


def told(window: XWindow, responding: bool, page: PageSeen | None = None) -> Window:
    """A window in an observation. ``page``: the page that it shows."""
    return Window(
        id=window.id,
        title=window.title,
        app=window.app,
        box=window.box,
        active=window.active,
        dialog=window.dialog,
        responding=responding,
        pid=window.pid,
        url=page.url if page is not None and page.url != "about:blank" else "",
        page=page.box if page is not None else None,
        loads=page.loads if page is not None else 0,
    )
