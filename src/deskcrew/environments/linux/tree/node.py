"""An object of a program's accessibility tree, and where in the tree it is."""

from __future__ import annotations

from collections.abc import Iterator

from deskcrew.environments.linux.bus import wire
from deskcrew.environments.linux.screen.picture import Rectangle
from deskcrew.environments.linux.tree import roles
from deskcrew.environments.linux.tree.units import PIXELS


class Node:
    """An accessible object as last observed. ``box`` is in screen pixels, (x, y, width, height)."""

    __slots__ = (
        "box", "children", "count", "enumerable", "interfaces", "name", "native", "parent", "path", "raw", "role", "states",
        "surface", "units", "value",
    )  # fmt: skip

    def __init__(self, path: str, parent: Node | None) -> None:
        self.path = path
        self.parent = parent
        self.children: list[Node] = []
        self.role = 0
        self.states = 0
        self.name = ""
        self.box: Rectangle = (0, 0, 0, 0)
        self.interfaces: frozenset[str] = frozenset()
        self.enumerable = False
        """Whether it manages its descendants, but has few enough children to be queried for them."""
        self.native = True
        """Whether the toolkit itself draws it; False for what LibreOffice draws, and places wrongly."""
        self.units = parent.units if parent is not None else PIXELS
        """The units in which its program reports places."""
        self.surface = False
        """Whether it is a popover: drawn in a window of its own, though it is in another window's tree (GTK4)."""
        self.value: str | float | None = None
        self.count = 0
        """The number of characters of the whole text; ``value`` may be only its beginning."""
        self.raw: list[bytes | None] = [None, None, None, None]

    @property
    def met(self) -> bool:
        """Whether its role is known. A program that is still building its window may answer that request with an error."""
        return bool(self.role and self.interfaces)

    @property
    def told(self) -> Rectangle:
        """The place that was last reported for the node."""
        return wire.decode_box(self.raw[2]) if self.raw[2] is not None else (0, 0, 0, 0)

    def place(self, told: bytes) -> Rectangle:
        """The rectangle on the screen for an answer to ``GetExtents``."""
        return self.units.place(wire.decode_box(told))

    @property
    def showing(self) -> bool:
        """Whether it is on the screen, according to its program."""
        return self.states & roles.SHOWING != 0

    @property
    def placed(self) -> bool:
        """Whether its place matters: it is visible, clips its contents, or shows the error of LibreOffice's places.

        GTK asks the X server for each place that it reports, which takes longer than all other queries.
        """
        if not self.native or self.role in roles.WORDS or self.role in roles.CLIPPING or self.parent is None:
            return True
        return any(not child.native for child in self.children)

    @property
    def leaf(self) -> bool:
        """Whether it must not, or need not, be queried for children."""
        managing = self.states & roles.MANAGES_DESCENDANTS != 0 and not self.enumerable
        if self.role == roles.TOGGLE_BUTTON:  # GTK hangs a popover below its button while it is open
            return not self.states & (roles.CHECKED | roles.PRESSED)
        return managing or self.role in roles.LEAVES


def below(node: Node) -> Iterator[Node]:
    """Everything in a node, depth first."""
    for child in node.children:
        yield child
        yield from below(child)


def in_popover(node: Node) -> bool:
    """Whether the node is in a popover (GTK4)."""
    inner: Node | None = node
    while inner is not None and not inner.surface:
        inner = inner.parent
    return inner is not None


def in_menu(node: Node) -> bool:
    """Whether the node is inside a menu (not a menu bar)."""
    parent = node.parent
    while parent is not None:
        if parent.role in roles.MENUS:
            return True
        parent = parent.parent
    return False
