"""The windows of an observation: each top-level accessible with the X window that shows it, topmost first."""

from __future__ import annotations

from typing import NamedTuple

from deskcrew.environments.linux.screen.x11 import Screenful, WindowLayer, XWindow
from deskcrew.environments.linux.tree import roles
from deskcrew.environments.linux.tree.node import Node
from deskcrew.environments.linux.tree.programs import BusProgram
from deskcrew.environments.linux.tree.sight import best_window, layers_above, libreoffice_shift
from deskcrew.facts.observation import Box


class WindowView(NamedTuple):
    """A top-level accessible and the X window that shows it."""

    program: BusProgram
    root: Node
    window: XWindow
    layers_above: tuple[WindowLayer, ...]
    popup: bool
    shift: int
    """Pixels to add to the y of what LibreOffice draws."""


def views(programs: list[BusProgram], screenful: Screenful) -> list[WindowView]:
    """Match top-level accessibles to X windows, topmost first, without windows behind a modal dialog."""
    found: list[WindowView] = []
    for program in programs:
        windows = [window for window in screenful.windows if window.pid == program.pid]
        if not windows or not program.responding:
            continue
        free = list(windows)
        roots = [root for root in program.tree.roots if root.showing or root.states & roles.VISIBLE]
        for root in sorted(roots, key=lambda root: root.role == roles.WINDOW):
            window = best_window(root, free)
            if window is not None:
                free.remove(window)
                found.append(make_view(program, root, window, screenful, popup=False))
            elif any(layer.popup and similar(root.box, layer.box) for layer in screenful.layers):
                found.append(make_view(program, root, windows[0], screenful, popup=True))
    order = {window.id: number for number, window in enumerate(screenful.windows)}
    found.sort(key=lambda view: (not view.popup, order[view.window.id]))
    above = {view.program.name: view.window.id for view in reversed(found) if modal(view)}
    return [view for view in found if view.popup or above.get(view.program.name, view.window.id) == view.window.id]


def modal(view: WindowView) -> bool:
    """Whether the program's other windows cannot be used while this one is open, according to the program or the window."""
    return view.window.modal or view.root.states & roles.MODAL != 0


def make_view(program: BusProgram, root: Node, window: XWindow, screenful: Screenful, *, popup: bool) -> WindowView:
    """A view with the layers above it."""
    above = layers_above(window, screenful)
    if not popup:  # what lies beside its window covers nothing of it
        frame = next((layer.box for layer in screenful.layers if layer.id == window.frame), window.box)
        above = [layer for layer in above if frame.intersection(layer.box) is not None]
    return WindowView(program, root, window, tuple(above), popup, libreoffice_shift(root) if program.tree.corrected else 0)


def similar(reported: tuple[int, int, int, int], box: Box) -> bool:
    """Whether two rectangles are about the same."""
    actual = (box.x, box.y, box.width, box.height)
    return all(abs(one - other) <= 6 for one, other in zip(reported, actual, strict=True))
