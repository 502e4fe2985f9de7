"""From accessible objects to what a person would say is on the screen: controls with plain words, in reach, labelled.

Only what could be used or read is kept: showing, inside its window and scrolled area, not under another window, not
behind a modal dialog. Containers, scroll bars and separators are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from deskcrew.environments.linux import roles
from deskcrew.environments.linux.cells import Cell, Grid, position_of
from deskcrew.environments.linux.perception import Program
from deskcrew.environments.linux.tree import Node
from deskcrew.environments.linux.x11 import Layer, Screenful, XWindow
from deskcrew.observation import Box, Control, ControlOperation

LONGEST_NAME = 120
LONGEST_TEXT = 300
MAXIMUM_CELLS = 250
CLIPPING = frozenset({roles.SCROLL_PANE, 68})
TRANSPARENT = frozenset({roles.PANEL, 20, 63, roles.COMBO_BOX, roles.SCROLL_PANE, 68, 43})
PASSIVE_TEXT = frozenset({roles.LABEL, roles.STATIC, roles.HEADING, roles.TOOL_TIP, 101, 102})
SKIPPED = frozenset({
    roles.MENU_BAR, roles.PAGE_TAB_LIST, roles.SCROLL_BAR, roles.STATUS_BAR, roles.DIALOG, roles.FRAME, roles.ALERT,
    roles.FILE_CHOOSER, 6, 27, 82, 85, 90, roles.COLOR_CHOOSER, *PASSIVE_TEXT,
})  # fmt: skip


class Seen(NamedTuple):
    """A control and where it came from, so that it can be operated."""

    control: Control
    program: Program
    node: Node
    cell: Cell | None = None


class Labels:
    """Short labels, the same for the same thing as long as it is seen; numbers come back some looks after it went."""

    def __init__(self) -> None:
        self._given: dict[tuple[str, ...], str] = {}
        self._last_seen: dict[tuple[str, ...], int] = {}
        self._look = 0
        self._free: list[int] = []
        self._next = 1

    def start_look(self) -> None:
        """Count a look and take back the numbers of what was not seen in the last twenty."""
        self._look += 1
        for identity in [one for one, look in self._last_seen.items() if look < self._look - 20]:
            del self._last_seen[identity]
            self._free.append(int(self._given.pop(identity)))
        self._free.sort(reverse=True)

    def label(self, identity: tuple[str, ...]) -> str:
        """The label of the thing that ``identity`` names."""
        self._last_seen[identity] = self._look
        known = self._given.get(identity)
        if known is None:
            if self._free:
                number = self._free.pop()
            else:
                number, self._next = self._next, self._next + 1
            known = self._given[identity] = str(number)
        return known


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
    x, y, width, height = root.box
    for window in named or windows:
        if abs(window.box.x - x) <= 12 and abs(window.box.y - y) <= 60 and abs(window.box.width - width) <= 24:
            return window
    return named[0] if named else None


def libreoffice_shift(root: Node) -> int:
    """Height of the window's own (GTK) menu bar: LibreOffice forgets it in the y of everything that it draws itself."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.role == roles.MENU_BAR and node.native and node.showing:
            return max(0, node.box[3])
        stack += node.children
    return 0


class Collector:
    """Walks one view and collects its controls and its text."""

    def __init__(self, view: View, labels: Labels) -> None:
        self.view = view
        self.labels = labels
        self.seen: list[Seen] = []
        self.text: list[str] = []
        self.focus: str | None = None
        self._sheets = 0

    def collect(self) -> None:
        """Fill ``seen``, ``text`` and ``focus``."""
        window = self.view.window.box
        clip = to_box(self.view.root.box) if self.view.popup else window
        for child in self.view.root.children:
            self._walk(child, clip, self.view.popup)

    def _walk(self, node: Node, clip: Box, popup: bool) -> None:
        if not node.showing:
            return
        shift = 0 if node.native else self.view.shift
        x, y, width, height = node.box
        place = Box(x=x, y=y + shift, width=width, height=height) if width > 0 and height > 0 else None
        if node.role in CLIPPING and place is not None:
            narrowed = clip.intersection(place)
            if narrowed is None:
                return
            clip = narrowed
        if place is not None and (popup or node.role not in roles.POPUPS or node.role == roles.MENU):
            inside = place if popup else clip.intersection(place)
            if inside is not None and reachable(inside, self.view.layers_above, popup):
                self._take(node, inside)
        grid = self.view.program.grids.get(node.path)
        if grid is not None:
            self._take_cells(node, grid, clip, shift)
        below = popup or node.role == roles.MENU
        for child in node.children:
            self._walk(child, self._screen(clip) if below else clip, below)

    def _screen(self, clip: Box) -> Box:
        return clip

    def _take(self, node: Node, box: Box) -> None:
        word = roles.WORDS.get(node.role)
        if word is None:
            return
        if node.role in PASSIVE_TEXT or (node.role == 27 and node.name):
            content = node.name or (node.value if isinstance(node.value, str) else "")
            if content.strip():
                self.text.append(content.strip())
            return
        if node.role in SKIPPED or (node.role == roles.MENU_BAR and not node.native):
            return
        if not node.native and node.role in roles.MENU_ITEMS and self.view.shift:
            return  # LibreOffice keeps a menu bar of its own behind the one that is shown
        operations = operations_of(node)
        name, value = name_of(node, self.view.program), value_of(node)
        if not operations and not name and not value:
            return
        control = Control(
            label=self.labels.label((self.view.program.name, node.path)),
            role=word,
            name=name,
            value=value,
            states=states_of(node),
            box=box,
            window=self.view.window.id,
            operations=operations,
        )
        self.seen.append(Seen(control, self.view.program, node))
        if node.states & roles.FOCUSED and self.view.window.active:
            self.focus = control.label

    # -- cells

    def _take_cells(self, node: Node, grid: Grid, clip: Box, shift: int) -> None:
        self._sheets += grid.sheet
        current = position_of(current_address(self.view.root)) if grid.sheet else None
        for cell in listed_cells(grid, current):
            x, y, width, height = cell.box
            if width <= 0 or height <= 0:
                continue
            inside = clip.intersection(Box(x=x, y=y + shift, width=width, height=height))
            if inside is None or not reachable(inside, self.view.layers_above, False):
                continue
            self._take_cell(node, cell, inside, grid.sheet, (cell.row, cell.column) == current)

    def _take_cell(self, node: Node, cell: Cell, box: Box, sheet: bool, current: bool) -> None:
        program = self.view.program
        if sheet and self._sheets == 1 and self.view.window.active:
            label = cell.name
        else:
            label = self.labels.label((program.name, node.path, str(cell.row), str(cell.column)))
        states = [word for bit, word in roles.STATE_WORDS if cell.states & bit]
        if current:
            states.append("selected")
        control = Control(
            label=label,
            role="cell",
            name=shorten(cell.name, LONGEST_NAME),
            value=shorten(cell.text, LONGEST_TEXT) if sheet else None,
            states=tuple(states),
            box=box,
            window=self.view.window.id,
            operations=("click", "type") if sheet else ("click", "select"),
            owner="" if sheet or cell.column == 0 else f"row {cell.row + 1}",
        )
        self.seen.append(Seen(control, program, node, cell))
        if current and self.view.window.active:
            self.focus = label


def current_address(root: Node) -> str:
    """What LibreOffice's name box says: the address of the current cell."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.role == roles.TEXT and node.native and isinstance(node.value, str) and position_of(node.value):
            return node.value
        stack += node.children
    return ""


def listed_cells(grid: Grid, current: tuple[int, int] | None) -> Iterator[Cell]:
    """The cells worth listing: all of a list; of a sheet those with content, the current one, and a small frame."""
    if not grid.sheet:
        yield from grid.cells[:MAXIMUM_CELLS]
        return
    filled = [cell for cell in grid.cells if cell.text]
    here = current or (grid.span.top if grid.span else 0, grid.span.left if grid.span else 0)
    bottom = max((cell.row for cell in filled), default=here[0])
    right = max((cell.column for cell in filled), default=here[1])
    left = min((cell.column for cell in filled), default=here[1])
    listed = 0
    for cell in grid.cells:
        framing = cell.row <= bottom + 1 and left <= cell.column <= right + 1 and len(filled) < 100
        near = abs(cell.row - here[0]) <= 1 and abs(cell.column - here[1]) <= 1
        if cell.text or framing or near:
            listed += 1
            if listed > MAXIMUM_CELLS:
                return
            yield cell


def reachable(box: Box, above: tuple[Layer, ...], popup: bool) -> bool:
    """Whether a click could land on the box: its centre, or a point a quarter in, is under no other window."""
    if not above:
        return True
    x, y = box.centre
    across, down = box.width // 4, box.height // 4
    points = ((x, y), (x - across, y - down), (x + across, y - down), (x - across, y + down), (x + across, y + down))
    covering = [layer.box for layer in above if not (popup and layer.popup)]
    return any(not any(cover.contains(*point) for cover in covering) for point in points)


def to_box(box: tuple[int, int, int, int]) -> Box:
    """A reported rectangle as Box."""
    return Box(x=box[0], y=box[1], width=max(0, box[2]), height=max(0, box[3]))


def shorten(text: str, longest: int) -> str:
    """Text cut to ``longest`` characters, saying that it was."""
    return text if len(text) <= longest else f"{text[:longest]}… ({len(text)} characters)"


def name_of(node: Node, program: Program) -> str:
    """What a person would call it: its name, its label's text, or the name of what it sits in."""
    if node.role == roles.COMBO_BOX:
        return shorten(program.labels.get(node.path, ""), LONGEST_NAME)
    name = node.name.strip() or program.labels.get(node.path, "")
    if not name and program.tree.corrected and isinstance(node.value, str) and position_of(node.value):
        name = "Name Box"
    parent = node.parent
    climbed = 0
    while not name and parent is not None and parent.role in TRANSPARENT and climbed < 8:
        if node.role not in roles.SCROLLED or parent.role == roles.PANEL:
            name = parent.name.strip()
        parent, climbed = parent.parent, climbed + 1
    return shorten(name, LONGEST_NAME)


def value_of(node: Node) -> str | None:
    """Its content as text; None where it has none. Never that of a password field."""
    if node.role == roles.PASSWORD:
        return None
    if node.role == roles.COMBO_BOX:
        return shorten(node.name, LONGEST_TEXT) or None
    if isinstance(node.value, float):
        return f"{node.value:g}"
    if node.value is None:
        return None
    if max(node.count, len(node.value)) > LONGEST_TEXT:
        return f"{node.value[:LONGEST_TEXT]}… ({max(node.count, len(node.value))} characters)"
    return node.value


def states_of(node: Node) -> tuple[str, ...]:
    """The states that matter to somebody using it."""
    words = [word for bit, word in roles.STATE_WORDS if node.states & bit]
    if node.role == roles.TOGGLE_BUTTON and node.states & (roles.CHECKED | roles.PRESSED):
        words = [word for word in words if word != "checked"] + ([] if "pressed" in words else ["pressed"])
    if not node.states & roles.SENSITIVE:
        words.append("disabled")
    return tuple(words)


def operations_of(node: Node) -> tuple[ControlOperation, ...]:
    """What can be done to it now."""
    role, states = node.role, node.states
    if not states & roles.SENSITIVE:
        return ()
    operations: list[ControlOperation] = []
    editable = bool(states & roles.EDITABLE) or role == roles.PASSWORD
    if role in roles.CLICKABLE or editable or (role in (roles.TEXT, roles.ENTRY, roles.PARAGRAPH)):
        operations.append("click")
    if editable:
        operations.append("type")
    if role in roles.TOGGLES:
        operations.append("toggle")
    if role in (roles.COMBO_BOX, roles.PAGE_TAB, roles.LIST_ITEM, roles.LIST, roles.TREE_ITEM):
        operations.append("select")
    if role in roles.NUMBERS:
        operations.append("set")
    if role in roles.SCROLLED:
        operations.append("scroll")
    return tuple(operations)


def with_owners(seen: list[Seen], titles: dict[int, str]) -> list[Seen]:
    """Say whose a control is where several have the same role and name."""
    counts = Counter((one.control.role, one.control.name) for one in seen)
    found: list[Seen] = []
    for one in seen:
        control = one.control
        if counts[control.role, control.name] > 1 and not control.owner:
            owner = owner_of(one.node) or titles.get(control.window, "")
            if owner and owner != control.name:
                one = one._replace(control=control.model_copy(update={"owner": shorten(owner, LONGEST_NAME)}))
        found.append(one)
    return found


def owner_of(node: Node) -> str:
    """The nearest named ancestor below the window."""
    parent = node.parent
    while parent is not None and parent.parent is not None:
        if parent.name.strip() and parent.name != node.name and parent.role != 46:
            return parent.name.strip()
        parent = parent.parent
    return ""
