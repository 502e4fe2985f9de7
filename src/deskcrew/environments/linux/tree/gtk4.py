"""What GTK 4 (tested: 4.8) reports differently from other toolkits: places, what is showing, and names.

It speaks to the accessibility bus itself. It reports places relative to the corner of a window, whose own place it does not
know; reports only for windows that they are showing; and names anything without a name after its class.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from deskcrew.environments.linux.bus import wire
from deskcrew.environments.linux.screen.x11 import Screenful, WindowLayer, XWindow
from deskcrew.environments.linux.tree import roles
from deskcrew.environments.linux.tree.node import Node
from deskcrew.environments.linux.tree.sight import window_of
from deskcrew.environments.linux.tree.units import Units, factor_of, units_in

CLASS_NAME = re.compile(r"[A-Z][a-z0-9]+(?:[A-Z]+[a-z0-9]*)+")
TOOL_TIP, NO_LABEL, NO_TAB = "GtkTooltipWindow", "GtkLabel", "Tab"
POPOVERS = ("Popover", "PopoverMenu")
LARGEST_MARGIN = 16


def states(told: int) -> int:
    """States with SHOWING added for what is visible. The contents of a page or revealer that is not shown have no size."""
    return told | roles.SHOWING if told & roles.VISIBLE else told


def name(told: str, role: int) -> str:
    """A name without repetition, '' for the name of a class: for a button GTK reports its label, with the mark of the
    mnemonic, and then its name (``_Retry Retry``)."""
    half = len(told) // 2
    if told[half : half + 1] == " " and told[:half].replace("_", "", 1) == told[half + 1 :].replace("_", "", 1):
        return told[half + 1 :]
    if (
        told == NO_LABEL
        or (role == roles.PAGE_TAB and told == NO_TAB)
        or (role != roles.LABEL and CLASS_NAME.fullmatch(told))
    ):
        return ""
    return told


def settle(roots: Iterable[Node], windows: Sequence[XWindow], screenful: Screenful) -> None:
    """Find the place on the screen of each top-level and each popover, and place everything in them.

    ``windows``: the program's windows. A popover is a window that the window manager does not know; it is found by its size.
    """
    free = list(windows)
    popups = list(screenful.popups)
    for root in sorted(roots, key=lambda root: not root.states & roles.ACTIVE):
        window = window_of(root, free)
        if window is None:
            continue
        free.remove(window)
        factor = factor_of(root.told, window, whole=True) or root.units.factor
        move(root, units_in(window, root.told, factor), popups)


def popup_of(node: Node, factor: float, popups: Sequence[WindowLayer]) -> WindowLayer | None:
    """The popover's window that a node is drawn in: of the node's size, or larger by a margin. None if it is in none."""
    _, _, width, height = Units(factor).place(node.told)
    called = wire.decode_variant_string(node.raw[1]) if node.raw[1] is not None else ""
    margin = LARGEST_MARGIN * factor if called.endswith(POPOVERS) else 0
    for layer in popups:
        if 0 <= layer.box.width - width <= margin and 0 <= layer.box.height - height <= margin:
            return layer
    return None


def move(node: Node, units: Units, popups: list[WindowLayer]) -> None:
    """Place a node and everything in it. ``units``: the window's units, with its corner as their origin."""
    node.surface = False
    if node.parent is not None and popups:
        layer = popup_of(node, units.factor, popups)
        if layer is not None:
            popups.remove(layer)
            x, y, width, height = Units(units.factor).place(node.told)
            # What the window is larger by is a margin: at both sides, and above.
            across, down = (layer.box.width - width) // 2, layer.box.height - height
            units = Units(units.factor, layer.box.x - x + across, layer.box.y - y + down)
            node.surface = True
    node.units = units
    node.box = units.place(node.told)
    for child in node.children:
        move(child, units, popups)
