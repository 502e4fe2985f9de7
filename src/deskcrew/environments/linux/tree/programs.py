"""Programs on the accessibility bus: each with a private connection and a tree, and what they have signalled."""

from __future__ import annotations

import re
import struct
import time
from collections.abc import Callable, Set
from typing import Any

from deskcrew.environments.linux.bus import wire
from deskcrew.environments.linux.bus.connection import (
    BUS,
    CallFailed,
    Connection,
    ConnectionLost,
    NotResponding,
    unix_address,
)
from deskcrew.environments.linux.bus.dialing import Dial, anywhere
from deskcrew.environments.linux.bus.wire import ObjectReference, WireMethod
from deskcrew.environments.linux.screen.picture import inside, rectangle
from deskcrew.environments.linux.screen.x11 import Screenful
from deskcrew.environments.linux.tree import gtk4, places, roles
from deskcrew.environments.linux.tree.cells import Grid
from deskcrew.environments.linux.tree.contents import read_contents
from deskcrew.environments.linux.tree.node import Node
from deskcrew.environments.linux.tree.options import find_options
from deskcrew.environments.linux.tree.resting import RestingWindows
from deskcrew.environments.linux.tree.sight import ScreenSight
from deskcrew.environments.linux.tree.tree import (
    ACCESSIBLE,
    CHROMIUM,
    GET_CHILDREN,
    GET_STATE,
    LIBREOFFICE,
    NULL,
    QT,
    ROOT,
    Tree,
)
from deskcrew.errors import EnvironmentFailure
from deskcrew.facts.system_packages import install

REGISTRY = "org.a11y.atspi.Registry"
APPLICATION = "org.a11y.atspi.Application"
MARK = re.compile(r"<[^<>]*>")
EVENTS = ("object:", "window:")
GET_DESCRIPTION = wire.get_property(ACCESSIBLE, "Description")
GET_RELATIONS = WireMethod(ACCESSIBLE, "GetRelationSet")
LABELLED_BY = 2
DESCRIBED = roles.FIELDS | frozenset({roles.BUTTON, roles.TOGGLE_BUTTON, roles.CHECK_BOX, roles.RADIO_BUTTON, roles.LINK})
MOST_OPTIONS = 40
FRAME = 8
"""The maximum frame around the entries of a menu, in pixels."""
FIRST_TIMEOUT, HUNG_TIMEOUT = 1.0, 0.08
"""Seconds without an answer after which a program counts as hung; and the same while it does, until it answers again."""


Way = Callable[[float], tuple[Connection, str | None]]
"""Opens a connection to a program within that many seconds; returns it with the bus name to use on it, None if private."""


class BusProgram:
    """A program on the bus. ``responding`` is False if it did not answer the last observation in time."""

    def __init__(self, name: str, pid: int, toolkit: str, connect: Way) -> None:
        """``toolkit``: the toolkit that the program reports; for LibreOffice, the name of LibreOffice."""

        self.name = name
        self.pid = pid
        self._connect = connect
        self._busy: list[Connection] = []
        """Connections on which the program has not finished an operation yet."""
        connection, destination = connect(FIRST_TIMEOUT)
        self.tree = Tree(connection, destination, toolkit=toolkit)
        self._resting = RestingWindows(pid, corrected=self.tree.corrected)
        self.grids: dict[str, Grid] = {}
        self.labels: dict[str, str] = {}
        """The text of each field's label, by the field's path."""
        self.descriptions: dict[str, str] = {}
        """The tool tip of each control without a name, by path."""
        self.options: dict[str, tuple[str, ...]] = {}
        """The options of each combo box, by path."""
        self.chosen: dict[str, str] = {}
        """The chosen option of each combo box that reports its own name instead (Chromium), by path."""
        self._choices: dict[str, list[Node]] = {}
        self.responding = True

    def look(
        self, screenful: Screenful, *, menus: bool, sight: ScreenSight | None = None, signalled: Set[str] = frozenset()
    ) -> None:
        """Update tree, values and cells. ``sight``: the screen, to skip what looks unchanged; None: query everything.
        ``signalled``: paths of objects that the program signalled since the last observation. Raises ConnectionLost."""
        connection = self.tree.connection
        connection.timeout = FIRST_TIMEOUT if self.responding else HUNG_TIMEOUT
        try:
            self._read_tree(screenful, menus, sight, signalled)
            read_contents(self.tree)
            self._read_labels()
            self._read_descriptions()
            self._read_options()
            self._read_grids(sight)
            self.responding = True
        except NotResponding:
            self.responding = False
            self._resting.forget()
            self._reconnect()
        except (struct.error, UnicodeDecodeError) as error:
            raise ConnectionLost("an answer that is none") from error
        finally:
            self.tree.connection.timeout = FIRST_TIMEOUT  # it may be another one now, and the first closed

    def _read_tree(self, screenful: Screenful, menus: bool, sight: ScreenSight | None, signalled: Set[str]) -> None:
        tree = self.tree
        tree.look(menus=menus, resting=frozenset() if menus else self._resting.find(tree.roots, sight, signalled))
        self._place(screenful)
        if self._resting.shifted(tree.roots):
            tree.look(menus=menus)
            self._place(screenful)
        self._resting.read(tree.roots, sight)

    def _place(self, screenful: Screenful) -> None:
        windows = [window for window in screenful.windows if window.pid == self.pid]
        if self.tree.relative:
            gtk4.settle(self.tree.roots, windows, screenful)
        else:
            places.settle(self.tree, windows)
        if self.tree.toolkit == QT:
            find_open_lists(self.tree, screenful)
        if self.tree.unsaid:
            find_open_menus(self.tree, screenful)

    def _reconnect(self) -> None:
        """Try another connection: a program that runs a dialog inside an answer is unresponsive only on the old one."""
        try:
            connection, self.tree.name = self._connect(HUNG_TIMEOUT)
        except (NotResponding, ConnectionLost):
            return
        self.tree.connection.close()
        self.tree.connection = connection

    def close(self) -> None:
        """Close the connections to the program."""
        for connection in (self.tree.connection, *self._busy):
            connection.close()

    def do(self, seconds: float, path: str, interface: str, member: str, signature: str, *body: Any) -> Any:
        """Make a call that may open a dialog, on a connection of its own.

        While GTK runs such a dialog it reads nothing more from the connection of the call. Returns the answer, None for an
        error, True if there was none within ``seconds``. Raises NotResponding if it cannot even be connected to,
        ConnectionLost.
        """
        for connection in [one for one in self._busy if one.answered()]:
            self._busy.remove(connection)
            connection.close()
        connection, name = self._connect(seconds)
        try:
            answer = connection.call(name, path, interface, member, signature, *body)
        except NotResponding:
            self._busy.append(connection)
            return True
        except CallFailed:
            answer = (None,)
        connection.close()
        return answer[0] if answer else True

    def ping(self, seconds: float) -> bool:
        """Whether the program answers within ``seconds``."""
        connection = self.tree.connection
        before, connection.timeout = connection.timeout, seconds
        try:
            self.tree.ask([(wire.get_property(ACCESSIBLE, "ChildCount"), ROOT)])
        except NotResponding:
            return False
        finally:
            connection.timeout = before
        return True

    def _read_labels(self) -> None:
        """Read the labels of fields, once per field."""
        wanted = [
            node
            for node in self.tree.nodes.values()
            if node.role in roles.FIELDS and node.showing and node.path not in self.labels
        ]
        if not wanted:
            return
        answers = self.tree.ask([(GET_RELATIONS, node.path) for node in wanted])
        for node, answer in zip(wanted, answers, strict=True):
            names: list[str] = []
            for kind, targets in wire.decode_relations(answer) if answer is not None else []:
                names += [
                    self.tree.nodes[target.path].name
                    for target in targets
                    if kind == LABELLED_BY and target.path in self.tree.nodes
                ]
            self.labels[node.path] = " ".join(name for name in names if name)

    def _read_descriptions(self) -> None:
        """Read the descriptions of controls without a name, once per control."""
        wanted = [
            node
            for node in self.tree.nodes.values()
            if node.role in DESCRIBED and node.showing and not node.name and node.path not in self.descriptions
        ]
        for node, told in zip(wanted, self.tree.ask([(GET_DESCRIPTION, node.path) for node in wanted]), strict=True):
            self.descriptions[node.path] = plain(wire.decode_variant_string(told)) if told is not None else ""

    def _read_options(self) -> None:
        """Read the options of closed combo boxes, once per box; none if there are too many to list."""
        for node in list(self.tree.nodes.values()):
            if node.role == roles.COMBO_BOX and node.showing and not self._knows_options(node):
                found = find_options(self.tree.ask, node)
                names = [option.name.strip() for option in found]
                few = not self.tree.relative and 0 < len(names) <= MOST_OPTIONS and all(names)
                self.options[node.path] = tuple(dict.fromkeys(names)) if few else ()
                if self.tree.toolkit == CHROMIUM:
                    self._choices[node.path] = found
        self._read_chosen()

    def _knows_options(self, node: Node) -> bool:
        return node.path in self.options and (self.tree.toolkit != CHROMIUM or node.path in self._choices)

    def _read_chosen(self) -> None:
        """Read the chosen options of Chromium's combo boxes."""
        boxes = {path: found for path, found in self._choices.items() if path in self.tree.nodes}
        options = [(path, option) for path, found in boxes.items() for option in found]
        states = self.tree.ask([(GET_STATE, option.path) for _, option in options]) if options else []
        self.chosen = {
            path: option.name.strip()
            for (path, option), state in zip(options, states, strict=True)
            if self.tree.states(state) & roles.SELECTED
        }
        self._choices = boxes

    def _read_grids(self, sight: ScreenSight | None) -> None:
        tables = {
            node.path: node
            for node in self.tree.nodes.values()
            if node.showing and node.states & roles.MANAGES_DESCENDANTS and "Table" in node.interfaces
        }
        self.grids = {path: self.grids.get(path) or Grid(self.tree, node) for path, node in tables.items()}
        for path, grid in self.grids.items():
            grid.node = tables[path]
            pane = sight.pane(grid.node, self.pid, corrected=self.tree.corrected) if sight and grid.sheet else None
            grid.look(pane)


class Programs:
    """All programs on an accessibility bus."""

    def __init__(self, session: str, *, patience: float = 0.0, dial: Dial = anywhere) -> None:
        """``session``: the socket of the session bus, which knows the accessibility bus. ``patience``: see :func:`find_bus`.
        ``dial``: how to connect to addresses that buses and programs report.

        Raises EnvironmentFailure if there is no such bus.
        """
        self._dial = dial
        try:
            address = find_bus(session, patience, dial)
            self.bus = Connection(address, timeout=2.0, dial=dial)
            for event in EVENTS:
                self.bus.call(REGISTRY, "/org/a11y/atspi/registry", REGISTRY, "RegisterEvent", "sass", event, [], "")
            for kind in ("Object", "Window"):
                rule = f"type='signal',interface='org.a11y.atspi.Event.{kind}'"
                self.bus.call(*BUS, "AddMatch", "s", rule)
        except (ConnectionLost, NotResponding, CallFailed) as error:
            raise EnvironmentFailure(
                f"The accessibility bus cannot be used: {error}.", hint=install("at-spi2-core")
            ) from error
        self.known: dict[str, BusProgram] = {}
        self._answer: bytes | None = None
        self._strangers: list[ObjectReference] = []

    def close(self) -> None:
        """Close every connection. Safe to call twice."""
        for name in list(self.known):
            self.drop(name)
        self.bus.close()

    def signalled(self) -> set[ObjectReference]:
        """The objects with signals since the last call. Raises EnvironmentFailure if the bus has died."""
        try:
            self.bus.poll()
        except ConnectionLost as error:
            raise EnvironmentFailure("The accessibility bus has died.") from error
        return {wire.signal_source(message) for message in self.bus.take_signals()}

    def refresh(self) -> None:
        """Find new programs, and drop those that have gone. Raises EnvironmentFailure if the bus has died."""
        try:
            answer = self.bus.pipeline([(GET_CHILDREN, ROOT)], REGISTRY)[0]
        except NotResponding:
            return  # whoever lists them is too busy: those that are known are looked at all the same
        except ConnectionLost as error:
            raise EnvironmentFailure("The accessibility bus has died.") from error
        if answer is not None and answer != self._answer:
            self._answer = answer
            self._strangers = [one for one in wire.decode_references(answer) if one.path != NULL]
        present = {reference.name for reference in self._strangers}
        for name in [name for name in self.known if name not in present]:
            self.drop(name)
        for reference in self._strangers:
            if reference.name not in self.known:
                program = self._meet(reference.name)
                if program is not None:
                    self.known[reference.name] = program

    def drop(self, name: str) -> None:
        """Forget a program."""
        program = self.known.pop(name, None)
        if program is not None:
            program.close()

    def _meet(self, name: str) -> BusProgram | None:
        before, self.bus.timeout = self.bus.timeout, 0.5
        try:
            pid = int(self.bus.call(*BUS, "GetConnectionUnixProcessID", "s", name)[0])
            title = str(self.bus.call(name, ROOT, wire.PROPERTIES, "Get", "ss", ACCESSIBLE, "Name")[0][1])
            return BusProgram(name, pid, LIBREOFFICE if title == LIBREOFFICE else self._toolkit(name), self._way_to(name))
        except (CallFailed, NotResponding, ConnectionLost):
            return None  # it is only just starting, or ending; the next look tries again
        except (IndexError, TypeError, ValueError):
            return None  # it answers something else than was asked
        finally:
            self.bus.timeout = before

    def _toolkit(self, name: str) -> str:
        """The toolkit that a program reports; '' if it reports none."""
        try:
            return str(self.bus.call(name, ROOT, wire.PROPERTIES, "Get", "ss", APPLICATION, "ToolkitName")[0][1])
        except CallFailed:
            return ""

    def _way_to(self, name: str) -> Way:
        """How to connect: to the program's own socket if it offers one, which halves the time, else to the bus."""
        try:
            private = unix_address(str(self.bus.call(name, ROOT, APPLICATION, "GetApplicationBusAddress")[0]))
        except CallFailed:
            private = None

        def connect(seconds: float) -> tuple[Connection, str | None]:
            if private:
                try:
                    return Connection(private, timeout=seconds, hello=False, dial=self._dial), None
                except ConnectionLost:
                    pass
            return Connection(self.bus.address, timeout=seconds, dial=self._dial), name

        return connect


def find_open_lists(tree: Tree, screenful: Screenful) -> None:
    """Set whether the lists of Qt's combo boxes are open, each in a window of its own; Qt always reports that they are."""
    popups = [rectangle(layer.box) for layer in screenful.popups]
    for node in tree.nodes.values():
        if node.role == roles.LIST and node.parent is not None and node.parent.role == roles.COMBO_BOX:
            node.surface = any(inside(node.box, popup) for popup in popups)


def find_open_menus(tree: Tree, screenful: Screenful) -> None:
    """Mark the entries of GTK 2's closed menus as not showing, although their places are still reported."""
    popups = [rectangle(layer.box) for layer in screenful.popups]
    for menu in tree.nodes.values():
        shown = [node for node in menu.children if node.showing and node.role in roles.MENU_ITEMS]
        if menu.role not in roles.MENUS or not shown:
            continue
        x, y = min(node.box[0] for node in shown), min(node.box[1] for node in shown)
        right, bottom = (max(node.box[at] + node.box[at + 2] for node in shown) for at in (0, 1))
        around = (x - FRAME, y - FRAME, right - x + 2 * FRAME, bottom - y + 2 * FRAME)
        if not any(inside((x, y, right - x, bottom - y), popup) and inside(popup, around) for popup in popups):
            for node in shown:
                node.states &= ~roles.SHOWING


def plain(description: str) -> str:
    """The first line of a tool tip, without Qt's markup."""
    return MARK.sub("", description).strip().partition("\n")[0].strip()


def find_bus(session: str, patience: float, dial: Dial = anywhere) -> str:
    """The socket of the accessibility bus, from the session bus at socket ``session``.

    ``patience``: seconds to wait for a bus that is just starting. Asking too early would make the session bus start a second
    one at the same place, and programs would join one while we listen to the other.
    """
    connection = Connection(session, timeout=2.0, dial=dial)
    deadline = time.monotonic() + patience
    try:
        while time.monotonic() < deadline and not connection.call(*BUS, "NameHasOwner", "s", "org.a11y.Bus")[0]:
            time.sleep(0.005)
        told = str(connection.call("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress")[0])
    finally:
        connection.close()
    address = unix_address(told)
    if address is None:
        raise ConnectionLost(f"no socket in {told!r}")
    return address
