"""Which X window shows which top-level accessible, and what lies above it."""

from __future__ import annotations

from typing import NamedTuple

from deskcrew.environments.linux import roles
from deskcrew.environments.linux.perception import Program
from deskcrew.environments.linux.tree import Node
from deskcrew.environments.linux.x11 import Layer, Screenful, XWindow
from deskcrew.observation import Box


class View(NamedTuple):
    """A top-level accessible and the X window that shows it."""

    program: Program
    root: Node
    window: XWindow
    layers_above: tuple[Layer, ...]
    popup: bool
    shift: int
    """Pixels that must be added to the y of what LibreOffice draws."""


def views(programs: list[Program], screenful: Screenful) -> list[View]:
    """Match top-level accessibles to X windows, topmost first; without those behind a modal dialog."""
    found: list[View] = []
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
    modal = {view.program.name: view.window.id for view in reversed(found) if view.root.states & roles.MODAL}
    return [view for view in found if view.popup or modal.get(view.program.name, view.window.id) == view.window.id]


def make_view(program: Program, root: Node, window: XWindow, screenful: Screenful, *, popup: bool) -> View:
    """A view with what lies above it."""
    above: list[Layer] = []
    for layer in screenful.layers:
        if layer.id == window.frame:
            break
        above.append(layer)
    return View(program, root, window, tuple(above), popup, libreoffice_shift(root) if program.tree.corrected else 0)


def similar(reported: tuple[int, int, int, int], box: Box) -> bool:
    """Whether two rectangles are about the same."""
    actual = (box.x, box.y, box.width, box.height)
    return all(abs(one - other) <= 6 for one, other in zip(reported, actual, strict=True))


def best_window(root: Node, windows: list[XWindow]) -> XWindow | None:
    """The window that a top-level accessible is shown in: same title, else about the same place."""
    if root.role == roles.WINDOW and not root.name:
        return None
    named = [window for window in windows if window.title == root.name]
    x, y, width, _ = root.box
    for window in named or windows:
        if abs(window.box.x - x) <= 12 and abs(window.box.y - y) <= 60 and abs(window.box.width - width) <= 24:
            return window
    return named[0] if named else None


def libreoffice_shift(root: Node) -> int:
    """Pixels that LibreOffice's own drawing lies lower than it says.

    It forgets the height of the (GTK) menu bar above it until the mouse has first moved over the window, and is right
    from then on. What it draws fills a GTK panel that is always right, so the difference of the two is the error now.
    """
    stack = [root]
    while stack:
        node = stack.pop()
        parent = node.parent
        if not node.native and parent is not None and parent.native and node.box[2:] == parent.box[2:]:
            return parent.box[1] - node.box[1]
        stack += reversed(node.children)
    return 0
