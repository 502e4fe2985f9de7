"""Putting together what was read of windows and programs into an observation."""

from __future__ import annotations

from deskcrew.environments import ocr
from deskcrew.environments.linux.controls import Collector, Labels, Made, Seen, with_owners
from deskcrew.environments.linux.perception import Program
from deskcrew.environments.linux.reading import MISSING, Reading
from deskcrew.environments.linux.scaling import scale_of
from deskcrew.environments.linux.views import views
from deskcrew.environments.linux.x11 import Display, Screenful, XWindow
from deskcrew.observation import Box, Control, Observation, Screen, Window

LONGEST_TEXT = 2000


class Observing:
    """Makes the observations of one desktop; keeps from look to look the labels that were given."""

    def __init__(self, display: Display) -> None:
        """``display``: the one that all its observations are of."""
        self._screen = Screen(width=display.width, height=display.height, scale=scale_of(display))
        self._reading = Reading(display)
        self.read: dict[str, Control] = {}
        """By their labels, what was read from the pixels of windows that tell nothing."""
        self._labels = Labels()
        self._made = Made()

    def observation(self, programs: list[Program], screenful: Screenful) -> tuple[Observation, dict[str, Seen]]:
        """What is on the screen, and by their labels the controls with where they came from."""
        self._labels.start_look()
        self._made.start_look()
        seen: list[Seen] = []
        text: list[str] = []
        places: list[tuple[str, Box]] = []
        focus: str | None = None
        for view in views(programs, screenful):
            collector = Collector(view, self._labels, self._made)
            collector.collect()
            seen += collector.seen
            places += collector.places
            if view.window.active:
                text += collector.text
                focus = focus or collector.focus
        silent = self._silent(programs, screenful, seen, places)
        read = self._reading.controls(silent, screenful, self._labels)
        self.read = {control.label: control for control in read}
        answering = {program.pid: program.responding for program in reversed(programs)}  # of one pid, the first counts
        windows = tuple(told(window, answering.get(window.pid or 0, True)) for window in screenful.windows)
        seen = with_owners(seen, {window.id: window.title for window in windows})
        labelled = {one.control.label: one for one in seen}
        observation = Observation(
            screen=self._screen,
            windows=windows,
            controls=(*(one.control for one in labelled.values()), *read),
            focus=focus,
            text="\n".join(dict.fromkeys(text))[:LONGEST_TEXT],
            note=MISSING if silent and not ocr.available() else "",
            places=tuple(places),
        )
        return observation, labelled

    @property
    def waiting(self) -> bool:
        """Whether a window that tells nothing was still too new to be read, so that another look may show more."""
        return self._reading.waiting

    def _silent(
        self, programs: list[Program], screenful: Screenful, seen: list[Seen], places: list[tuple[str, Box]]
    ) -> list[XWindow]:
        told = {one.control.window for one in seen}
        told |= {window.id for window in screenful.windows if any(window.box.contains(*box.centre) for _, box in places)}
        return self._reading.silent(programs, screenful, told)


def told(window: XWindow, responding: bool) -> Window:
    """A window as an observation has it."""
    return Window(
        id=window.id,
        title=window.title,
        app=window.app,
        box=window.box,
        active=window.active,
        dialog=window.dialog,
        responding=responding,
        pid=window.pid,
    )
