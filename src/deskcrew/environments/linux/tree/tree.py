"""The accessibility tree of one program, cached between observations.

An observation queries every known object for its state, place, name and children in one burst and compares the raw answers
with those of the last observation; only what differs is decoded, only what is new is traversed. So the first observation and
the next ones are the same code, and nothing is assumed merely because no event came. Branches that are not showing are not
entered, nor is anything that manages its descendants: querying a spreadsheet for its children makes it build 2^30 of them
(cells.py reads those).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from deskcrew.environments.linux.bus import wire
from deskcrew.environments.linux.bus.connection import Connection
from deskcrew.environments.linux.bus.wire import WireMethod
from deskcrew.environments.linux.tree import gtk4, roles
from deskcrew.environments.linux.tree.node import Node, below, in_menu

ACCESSIBLE = "org.a11y.atspi.Accessible"
COMPONENT = "org.a11y.atspi.Component"
LIBREOFFICE, GTK2, GTK4, QT, CHROMIUM = "soffice", "GAIL", "GTK", "Qt", "Chromium"
"""Toolkits with special treatment, by their own names; GTK3 calls itself ``gtk``."""
ROOT = "/org/a11y/atspi/accessible/root"
NULL = "/org/a11y/atspi/null"

GET_STATE = WireMethod(ACCESSIBLE, "GetState")
GET_ROLE = WireMethod(ACCESSIBLE, "GetRole")
GET_CHILDREN = WireMethod(ACCESSIBLE, "GetChildren")
GET_INTERFACES = WireMethod(ACCESSIBLE, "GetInterfaces")
GET_ATTRIBUTES = WireMethod(ACCESSIBLE, "GetAttributes")
GET_NAME = wire.get_property(ACCESSIBLE, "Name")
CHILD_COUNT = wire.get_property(ACCESSIBLE, "ChildCount")
GET_EXTENTS = WireMethod(COMPONENT, "GetExtents", "u", wire.NUMBER.pack(0))
GET_EXTENTS_IN_WINDOW = WireMethod(COMPONENT, "GetExtents", "u", wire.NUMBER.pack(1))

IGNORED = frozenset({roles.SEPARATOR, roles.SCROLL_BAR})
MAXIMUM_NODES = 4000
NOWHERE = -(1 << 31)
MAXIMUM_CHILDREN = 600

Call = tuple[WireMethod, str] | tuple[WireMethod, str, bytes]


class Tree:
    """The showing part of a program's accessible tree."""

    def __init__(self, connection: Connection, name: str | None, *, toolkit: str) -> None:
        """``name``: the bus name to address calls to, None on a private connection. ``toolkit``: the program's toolkit."""
        self.connection = connection
        self.name = name
        self.toolkit = toolkit
        self.corrected = toolkit == LIBREOFFICE
        """Whether places have to be corrected by LibreOffice's error."""
        self.relative = toolkit == GTK4
        """Whether places are reported from the corner of the window."""
        self.whole = toolkit not in (QT, CHROMIUM)
        """Whether its pixels are a whole number of screen pixels, counted from the corner of the screen."""
        self.pages_apart = toolkit == CHROMIUM
        """Whether places in a page are reported in screen pixels, even if other places in the window are not."""
        self.unsaid = toolkit == GTK2
        """Whether it does not report that entries of menus, and icons that were added later, are showing."""
        self.factor = 1.0
        """Screen pixels per pixel in which it reports places."""
        self.slow = toolkit in (GTK4, QT)
        """Whether a button pressed by keyboard or accessibility is shown pressed before it does anything."""
        self.extents = GET_EXTENTS_IN_WINDOW if self.relative else GET_EXTENTS
        self.nodes: dict[str, Node] = {}
        self.roots: list[Node] = []
        self._roots_raw: bytes | None = None
        self.calls = 0
        self._left_out: frozenset[str] = frozenset()

    def leave_out(self, paths: Iterable[str]) -> bool:
        """From now on do not enter these nodes, whose contents are reported elsewhere, and enter all others. Returns whether
        a node is no longer left out, so that another observation finds its contents."""
        wanted = frozenset(paths)
        again = [node for path in self._left_out - wanted if (node := self.nodes.get(path)) is not None]
        for node in (*again, *(node for path in wanted - self._left_out if (node := self.nodes.get(path)) is not None)):
            for child in node.children:
                self._forget(child)
            node.children = []
            node.raw[3] = None
        self._left_out = wanted
        return bool(again)

    def ask(self, calls: Sequence[Call]) -> list[bytes | None]:
        """Pipeline calls to this program."""
        self.calls += len(calls)
        return self.connection.pipeline(calls, self.name)

    def look(self, *, menus: bool, resting: Set[str] = frozenset()) -> None:
        """Bring the tree up to date. ``menus``: a menu is open, so enter menus too. ``resting``: paths of nodes that are
        queried for their state only, unless that has changed; hidden nodes in them stay hidden.

        Raises NotResponding, ConnectionLost.
        """
        if not menus:
            self._close_menus()
        known = [node for node in self.nodes.values() if node.showing and node.role not in IGNORED]
        hidden = [node for node in self.nodes.values() if not node.showing and self._may_come(node, menus, resting)]
        calls: list[Call] = [(GET_CHILDREN, ROOT), *((GET_STATE, node.path) for node in hidden)]
        spans: list[int] = []
        for node in known:
            calls += ((GET_STATE, node.path),) if node.path in resting else self._questions(node, menus)
            spans.append(len(calls))
        answers = self.ask(calls)
        fresh = self._take_roots(answers[0])
        start = 1 + len(hidden)
        # A branch that was hidden when it was last met may be showing now; nobody tells us reliably.
        states = zip(hidden, map(self.states, answers[1:start]), strict=True)
        fresh += [node for node, state in states if state & roles.SHOWING or self.may_show(node.role, state)]
        fresh += [node for node in known if not node.met]
        disturbed: dict[str, Node] = {}
        for node, end in zip(known, spans, strict=True):
            mine = answers[start:end]
            start = end
            if node.path not in resting:
                before = node.raw[2:]
                fresh += self._take_known(node, mine)
                if resting and node.raw[2:] != before:  # what else is in the same container may have moved with it
                    disturbed.update((one.path, one) for one in below(node.parent or node) if one.path in resting)
            elif mine[0] != node.raw[0]:
                disturbed[node.path] = node
                if mine[0] is None and node.parent is not None:
                    disturbed[node.parent.path] = node.parent
        self._walk(fresh + self._ask_all(list(disturbed.values()), menus), menus)

    def _questions(self, node: Node, menus: bool) -> list[Call]:
        """All queries about a known node."""
        path = node.path
        calls: list[Call] = [(GET_STATE, path), (GET_NAME, path)]
        if self._places(node):
            calls.append((self.extents, path))
        if not self._closed(node, menus):
            calls.append((GET_CHILDREN, path))
        return calls

    def _ask_all(self, nodes: list[Node], menus: bool) -> list[Node]:
        """Query known nodes completely. Returns children that have to be traversed."""
        questions = [self._questions(node, menus) for node in nodes]
        answers = iter(self.ask([call for some in questions for call in some]) if questions else ())
        fresh: list[Node] = []
        for node, some in zip(nodes, questions, strict=True):
            fresh += self._take_known(node, [next(answers) for _ in some])
        return fresh

    def _take_known(self, node: Node, answers: list[bytes | None]) -> list[Node]:
        """Process the answers to ``_questions``. Returns children that have to be traversed."""
        return self._take(node, answers if self._places(node) else [*answers[:2], node.raw[2], *answers[2:]])

    def _close_menus(self) -> None:
        """Mark the contents of menus, which are not queried while closed, as not showing until a menu is open again."""
        for node in self.nodes.values():
            if node.states and (in_menu(node) or node.role == roles.POPUP_MENU) and node.parent is not None:
                node.states = 0
                node.raw[0] = None

    def _may_come(self, node: Node, menus: bool, resting: Set[str]) -> bool:
        """Whether a hidden node may be showing now: its container is showing, and is entered."""
        parent = node.parent
        return parent is None or (parent.showing and parent.path not in resting and not self._closed(parent, menus))

    def _places(self, node: Node) -> bool:
        """Whether a node's place is queried at each observation; in Qt each widget clips its contents."""
        return node.placed or self.toolkit == QT

    def _closed(self, node: Node, menus: bool) -> bool:
        if node.path in self._left_out:
            return True
        if self.relative and node.role == roles.BUTTON:  # its label is in it, or a button with a popover
            return False
        if self.toolkit == CHROMIUM and node.role == roles.LABEL:  # the field that it is of may be in it
            return False
        if self.toolkit in (QT, GTK4) and node.role == roles.MENU_ITEM:  # its menu is in it
            return not menus
        return node.leaf or (node.role == roles.MENU and not menus)

    def may_show(self, role: int, states: int) -> bool:
        """Whether only a node's bounds tell if it is showing: GTK 2's icons and menu items are VISIBLE, never SHOWING."""
        unsaid = self.unsaid and states & (roles.VISIBLE | roles.SHOWING) == roles.VISIBLE
        return unsaid and (role == roles.ICON or role in roles.MENU_ITEMS)

    def with_place(self, role: int, states: int, told: bytes | None) -> int:
        """A node's states, with SHOWING added if only its place indicates that: GTK 2 has no place for what is not drawn."""
        drawn = told is not None and wire.decode_box(told)[0] > NOWHERE
        return states | roles.SHOWING if drawn and self.may_show(role, states) else states

    def states(self, told: bytes | None) -> int:
        """The states in an answer to GET_STATE; none without an answer."""
        if told is None:
            return 0
        return gtk4.states(wire.decode_states(told)) if self.relative else wire.decode_states(told)

    def _take_roots(self, raw: bytes | None) -> list[Node]:
        if raw is None or raw == self._roots_raw:
            return []
        self._roots_raw = raw
        self.roots, fresh = self._adopt(None, self.roots, raw)
        return fresh

    def _adopt(self, parent: Node | None, before: list[Node], raw: bytes) -> tuple[list[Node], list[Node]]:
        """All children in ``raw``, and the new ones among them."""
        old = {node.path: node for node in before}
        children: list[Node] = []
        fresh: list[Node] = []
        for reference in wire.decode_references(raw)[:MAXIMUM_CHILDREN]:
            if reference.path == NULL:
                continue
            node = old.pop(reference.path, None) or self.nodes.get(reference.path)
            if node is None:
                if len(self.nodes) >= MAXIMUM_NODES:
                    continue
                node = self.nodes[reference.path] = Node(reference.path, parent)
                fresh.append(node)
            node.parent = parent
            children.append(node)
        for gone in old.values():
            if gone.parent is parent:
                self._forget(gone)
        return children, fresh

    def _forget(self, node: Node) -> None:
        """Forget a node and its contents, except what has moved to another node."""
        self.nodes.pop(node.path, None)
        for child in node.children:
            if child.parent is node:
                self._forget(child)

    def _take(self, node: Node, answers: Sequence[bytes | None]) -> list[Node]:
        """Process the answers about a node's state, name, place and, if queried, children. Returns children to traverse."""
        raw = node.raw
        state = answers[0]
        if state is None:  # gone, or going; its parent's list of children will say so
            node.states = 0
            return []
        if state != raw[0] or self.unsaid:
            node.states = self.with_place(node.role, self.states(state), answers[2])
        if answers[1] != raw[1] and answers[1] is not None:
            self._call(node, wire.decode_variant_string(answers[1]))
        if answers[2] != raw[2] and answers[2] is not None:
            node.box = node.place(answers[2])
        raw[:3] = answers[:3]
        if len(answers) < 4 or answers[3] is None:
            return []
        fresh: list[Node] = []
        if answers[3] != raw[3]:
            raw[3] = answers[3]
            node.children, fresh = self._adopt(node, node.children, answers[3])
        return fresh

    def _call(self, node: Node, told: str) -> None:
        if self.relative and told == gtk4.TOOL_TIP:
            node.role = roles.TOOL_TIP
        node.name = gtk4.name(told, node.role) if self.relative else told

    def _walk(self, level: list[Node], menus: bool) -> None:
        """Query new or hidden nodes, level by level, entering those that are showing."""
        while level:
            calls: list[Call] = [(GET_STATE, node.path) for node in level]
            unmet = [node for node in level if not node.role]
            answers = self.ask([*calls, *((GET_ROLE, node.path) for node in unmet)])
            for node, role in zip(unmet, answers[len(level) :], strict=True):
                node.role = wire.decode_number(role) if role is not None else 0
            shown: list[Node] = []
            for node, state in zip(level, answers, strict=False):
                node.states = self.states(state)
                node.raw[0] = state
            unsaid = [node for node in level if self.may_show(node.role, node.states)]
            for node, box in zip(unsaid, self.ask([(self.extents, node.path) for node in unsaid]), strict=True):
                node.states = self.with_place(node.role, node.states, box)
            for node in level:
                if node.showing or (node.parent is None and node.raw[0] is not None):
                    shown.append(node)
            level = self._enter(shown, menus)

    def _enter(self, shown: list[Node], menus: bool) -> list[Node]:
        calls: list[Call] = []
        spans: list[int] = []
        for node in shown:
            path = node.path
            calls += ((GET_INTERFACES, path), (GET_NAME, path), (self.extents, path))
            if self.corrected:
                calls.append((GET_ATTRIBUTES, path))
            if not self._closed(node, menus):
                calls.append((GET_CHILDREN, path))
            spans.append(len(calls))
        answers = self.ask(calls)
        following: list[Node] = []
        managing: list[Node] = []
        start = 0
        for node, end in zip(shown, spans, strict=True):
            mine = answers[start:end]
            start = end
            if mine[0] is not None:
                node.interfaces = frozenset(roles.short_interface(name) for name in wire.decode_strings(mine[0]))
            if self.corrected and (told := mine.pop(3)) is not None:
                node.native = b"toolkit\0" in told
            fresh = self._take(node, [node.raw[0], *mine[1:]])
            # What was known in a branch that was hidden may be showing with it.
            following += fresh + [child for child in node.children if not child.showing and child not in fresh]
            if node.states & roles.MANAGES_DESCENDANTS and "Table" not in node.interfaces:
                managing.append(node)
        return following + (self._enumerate(managing) if managing else [])

    def _enumerate(self, managing: list[Node]) -> list[Node]:
        """Children of short lists that manage their descendants. A sheet, having a Table, is never among them."""
        counts = self.ask([(CHILD_COUNT, node.path) for node in managing])
        for node, count in zip(managing, counts, strict=True):
            number = wire.decode_variant_int(count) if count is not None else 0
            node.enumerable = 0 < number <= MAXIMUM_CHILDREN
        short = [node for node in managing if node.enumerable]
        following: list[Node] = []
        for node, raw in zip(short, self.ask([(GET_CHILDREN, node.path) for node in short]), strict=True):
            if raw is not None:
                node.raw[3] = raw
                node.children, fresh = self._adopt(node, node.children, raw)
                following += fresh
        return following
