"""Putting together what was read of windows and programs into an observation."""

from __future__ import annotations

from deskcrew.environments.linux.controls import Collector, Labels, Made, Seen, with_owners
from deskcrew.environments.linux.perception import Program
from deskcrew.environments.linux.views import views
from deskcrew.environments.linux.x11 import Screenful, XWindow
from deskcrew.observation import Box, Observation, Screen, Window

LONGEST_TEXT = 2000


class Observing:
    """Makes the observations of one desktop; keeps from look to look the labels that were given."""

    def __init__(self, width: int, height: int) -> None:
        """``width``, ``height``: of the screen, in pixels."""
        self._screen = Screen(width=width, height=height)
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
        answering = {program.pid: program.responding for program in reversed(programs)}  # of one pid, the first counts
        windows = tuple(told(window, answering.get(window.pid or 0, True)) for window in screenful.windows)
        seen = with_owners(seen, {window.id: window.title for window in windows})
        labelled = {one.control.label: one for one in seen}
        observation = Observation(
            screen=self._screen,
            windows=windows,
            controls=tuple(one.control for one in labelled.values()),
            focus=focus,
            text="\n".join(dict.fromkeys(text))[:LONGEST_TEXT],
            places=tuple(places),
        )
        return observation, labelled


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
