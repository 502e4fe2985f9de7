"""Places on the screen of everything that a program reports: derived from its windows, for every toolkit but GTK 4
(gtk4.py)."""

from __future__ import annotations

from collections.abc import Sequence

from deskcrew.environments.linux.screen.x11 import XWindow
from deskcrew.environments.linux.tree import roles
from deskcrew.environments.linux.tree.node import Node
from deskcrew.environments.linux.tree.sight import window_of
from deskcrew.environments.linux.tree.tree import Tree
from deskcrew.environments.linux.tree.units import PIXELS, Units, factor_of, units_in


def settle(tree: Tree, windows: Sequence[XWindow]) -> None:
    """Determine a program's units, and place everything in its windows. ``windows``: the program's windows."""
    shown = {root.path: (root, window) for root in tree.roots if (window := window_of(root, windows)) is not None}
    if not shown:
        return
    main, largest = max(shown.values(), key=lambda pair: pair[0].told[2])
    tree.factor = factor_of(main.told, largest, whole=tree.whole) or tree.factor
    if (
        tree.factor == 1
        and all(root.units == PIXELS for root in tree.roots)
        and all(one.counted_from == "screen" for one in windows)
    ):
        return
    for root in tree.roots:
        # What has no window of its own, such as an open list, is of the one that is there.
        units = units_of(tree, *shown.get(root.path, (main, largest)))
        if root.units != units or tree.pages_apart:
            move(root, units, tree.pages_apart)


def units_of(tree: Tree, root: Node, window: XWindow) -> Units:
    """The units of a window's places. GTK counts from the corner of the screen, other toolkits from the corner of a monitor;
    for those, the place of a window is known in both units."""
    if window.counted_from != "screen":
        return units_in(window, root.told, tree.factor)
    if tree.whole or tree.factor == 1:
        return Units(tree.factor)
    x, y, _, _ = root.told
    return Units(tree.factor, window.box.x - round(x * tree.factor), window.box.y - round(y * tree.factor))


def move(node: Node, units: Units, pages_apart: bool) -> None:
    """Place a node and everything in it. ``pages_apart``: places of pages are in screen pixels, whatever contains them."""
    node.units = PIXELS if pages_apart and node.role in roles.PAGES else units
    node.box = node.units.place(node.told)
    for child in node.children:
        move(child, node.units, pages_apart)
