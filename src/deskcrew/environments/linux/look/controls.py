"""From the accessibility tree to controls in a person's terms: with plain words, reachable, labelled.

Only what can be used or read is kept: showing, inside its window and scrolled area, not under another window, not behind a
modal dialog. Containers, scroll bars and separators are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, Protocol

from deskcrew.environments.labels import Labels
from deskcrew.environments.linux.look.page import PageSeen
from deskcrew.environments.linux.look.views import WindowView
from deskcrew.environments.linux.look.wording import (
    name_of,
    operations_of,
    single_line,
    states_of,
    text_in,
    value_of,
)
from deskcrew.environments.linux.screen.picture import Rectangle, common, rectangle
from deskcrew.environments.linux.screen.x11 import WindowLayer
from deskcrew.environments.linux.tree import roles
from deskcrew.environments.linux.tree.cells import Cell, Grid
from deskcrew.environments.linux.tree.node import Node, below
from deskcrew.environments.linux.tree.programs import BusProgram
from deskcrew.environments.linux.tree.tree import QT
from deskcrew.environments.names import LONGEST_NAME, LONGEST_VALUE, shorten
from deskcrew.facts.addresses import Cells, parse
from deskcrew.facts.observation import Box, Control

if TYPE_CHECKING:
    from deskcrew.environments.browser.looking import ControlPlace

MAXIMUM_CELLS = 250
SMALLEST_CANVAS = 64
"""The minimum side in pixels of a painted area that counts as a canvas to work on, not an ornament."""
EMBEDDED = "\ufffc"
"""Stands in a text for an embedded object."""
HELD = frozenset({roles.BUTTON, roles.LINK, roles.CHECK_BOX, roles.TOGGLE_BUTTON})
PASSIVE_TEXT = frozenset({roles.PAGE, roles.LABEL, roles.STATIC, roles.HEADING, roles.TOOL_TIP, 101, 102})
SKIPPED = frozenset({
    roles.MENU_BAR, roles.PAGE_TAB_LIST, roles.SCROLL_BAR, roles.STATUS_BAR, roles.DIALOG, roles.FRAME, roles.ALERT,
    roles.FILE_CHOOSER, roles.SPREADSHEET, 27, 82, 85, 90, roles.COLOR_CHOOSER, *PASSIVE_TEXT,
})  # fmt: skip


class SeenControl(NamedTuple):
    """A control and its source, so that it can be operated. ``place``: set in a page; ``node`` is then the page."""

    control: Control
    program: BusProgram
    node: Node
    cell: Cell | None = None
    place: ControlPlace | None = None


class WindowPages(Protocol):
    """Reports the pages in the windows of one desktop."""

    def of(self, program: BusProgram, node: Node) -> PageSeen | None:
        """The page for a document of the last observation."""
        ...


class MadeCells(NamedTuple):
    """The cells of one table in one place as controls, for the last observation and for this one. None: out of reach."""

    before: dict[tuple[Cell, bool, str], SeenControl | None]
    now: dict[tuple[Cell, bool, str], SeenControl | None]


class CellControls:
    """Cells as controls, cached for the next observation, since most stay the same and making them takes time."""

    def __init__(self) -> None:
        self._before: dict[tuple[object, ...], MadeCells] = {}
        self._now: dict[tuple[object, ...], MadeCells] = {}

    def start_look(self) -> None:
        """Drop what was not in the last observation."""
        self._before, self._now = self._now, {}

    def of(self, view: WindowView, node: Node, clip: Box) -> MadeCells:
        """The cached controls of a table, for unchanged conditions of its visibility."""
        conditions = (view.program, node, view.window.id, view.shift, view.layers_above, clip)
        if conditions not in self._now:
            last = self._before.get(conditions)
            self._now[conditions] = MadeCells(last.now if last else {}, {})
        return self._now[conditions]


class ControlCollector:
    """Traverses one view and collects its controls and its text."""

    def __init__(self, view: WindowView, labels: Labels, made: CellControls, chromium: WindowPages) -> None:
        self.view = view
        self.chromium = chromium
        self.labels = labels
        self.made = made
        self.seen: list[SeenControl] = []
        self.text: list[str] = []
        self.places: list[tuple[str, Box]] = []
        self.focus: str | None = None
        self.pages: list[PageSeen] = []
        self._sheets = 0

    def collect(self) -> None:
        """Fill ``seen``, ``text`` and ``focus``."""
        root, popup = self.view.root, self.view.popup
        clip = root.box if popup else rectangle(self.view.window.box)
        for child in root.children:
            self._walk(child, clip, popup, "")

    def _walk(self, node: Node, clip: Rectangle, popup: bool, said: str) -> None:
        """Collect a node and its contents. ``said``: the text of the containing control, not collected again."""
        if not node.showing:
            return
        shift = 0 if node.native else self.view.shift
        x, y, width, height = node.box
        placed = node.placed or self.view.program.tree.toolkit == QT
        place = (x, y + shift, width, height) if placed and width > 0 and height > 0 else None
        if node.role == roles.TOOL_TIP and self.view.program.tree.relative:
            return  # it stands where it was told to be shown, not where it is
        if node.surface:
            popup, clip = True, node.box
        if place is not None and self._clips(node):
            clip = common(clip, place)
            if not clip[2] or not clip[3]:
                return
        if node.role == roles.PAGE:  # Evince tells places of pages wrongly, and of one that it is the current one
            if node.states & roles.FOCUSED:
                self._take(node, to_box(clip), said)
            return
        if (page := self.chromium.of(self.view.program, node)) is not None:
            self._take_page(node, page, to_box(clip))
            for entry in entries(node):
                if any(layer.popup and layer.box.contains(*to_box(entry.box).centre) for layer in self.view.layers_above):
                    self._walk(entry, entry.box, True, "")
            return
        if place is not None and (popup or node.role not in roles.POPUPS or node.role == roles.MENU):
            inside = place if popup and not self.view.program.tree.relative else common(clip, place)
            if inside[2] and inside[3] and node.role in roles.WORDS:
                box = to_box(inside)
                if reachable(box, self.view.layers_above, popup):
                    said = self._take(node, box, said) or said
        grid = self.view.program.grids.get(node.path)
        if grid is not None:
            self._take_cells(node, grid, to_box(clip), shift, popup)
        in_popup = popup or node.role in roles.MENUS
        for child in node.children:
            if node.role != roles.COMBO_BOX or not self.view.program.tree.relative or child.surface:
                self._walk(child, clip, in_popup, said)

    def _clips(self, node: Node) -> bool:
        """Whether nothing in a node is visible outside it; in Qt that is true of each widget."""
        if self.view.program.tree.toolkit == QT:
            return node.role not in roles.MENUS and node.role not in roles.MENU_ITEMS and node.role != roles.MENU_BAR
        return node.role in roles.CLIPPING

    def _take(self, node: Node, box: Box, said: str) -> str:
        """Collect a node as control or text. Returns the name of the control, '' if it is none."""
        word = roles.WORDS[node.role]
        if node.role in PASSIVE_TEXT or (node.role == 27 and node.name):
            content = (node.name or (node.value if isinstance(node.value, str) else "")).replace(EMBEDDED, "").strip()
            if content and content not in said:
                self.text.append(content)
                self.places.append((content, box))
            return ""
        if node.role in roles.CANVASES and (node.children or min(box.width, box.height) < SMALLEST_CANVAS):
            return ""
        if node.role in SKIPPED or node.surface or only_holds(node):
            return ""
        if not node.native and node.parent is not None and node.parent.role == roles.MENU_BAR:
            return ""  # LibreOffice keeps a menu bar of its own behind the one that is shown
        if node.role == roles.BUTTON and any(child.role == roles.BUTTON for child in node.children):
            return ""  # GTK4 puts the button of a menu into one that can't be pressed
        grid = self.view.program.grids.get(node.path)
        if grid is not None and grid.sheet:
            word = "spreadsheet"
        elif node.role == roles.TEXT and single_line(node, self.view.program):
            word = "text field"
        elif node.role == roles.ENTRY and node.states & roles.MULTI_LINE:
            word = "text area"
        elif node.role == roles.BUTTON and node.parent is not None and node.parent.role == roles.BUTTON:
            word = "menu button"
        elif node.role == roles.MENU_ITEM and node.parent is not None and node.parent.role == roles.MENU_BAR:
            word = "menu"  # Qt
        operations = operations_of(node)
        name, value = name_of(node, self.view.program), value_of(node, self.view.program)
        nothing = not name and not value and node.role not in roles.CANVASES
        if nothing and (not operations or holds_text(node) or node.role == roles.ICON):
            return ""
        control = Control(
            label=self.labels.label((self.view.program.name, node.path)),
            role=word,
            name=name,
            value=value,
            states=states_of(node),
            box=box,
            window=self.view.window.id,
            operations=operations,
            options=self.view.program.options.get(node.path, ()),
        )
        self.seen.append(SeenControl(control, self.view.program, node))
        if node.states & roles.FOCUSED and self.view.window.active and word != "spreadsheet":
            self.focus = self.focus or control.label
        return name

    def _take_page(self, node: Node, page: PageSeen, clip: Box) -> None:
        """Collect what a page reports about itself, unless something covers it."""
        self.pages.append(page)
        inner = clip.intersection(page.box)
        for part in page.parts:
            box = part.control.box
            if "out of view" not in part.control.states and part.control.role != "document":
                inside = box.intersection(inner) if inner is not None else None
                if inside is None or not reachable(inside, self.view.layers_above, False):
                    continue
                box = inside
            label = self.labels.label((self.view.program.name, "page", part.identity))
            control = part.control.model_copy(update={"label": label, "box": box, "window": self.view.window.id})
            self.seen.append(SeenControl(control, self.view.program, node, place=part.place))
            if part.identity == page.focus and self.view.window.active:
                self.focus = self.focus or label
        for words, place in page.lines:
            inside = place.intersection(inner) if inner is not None else None
            if inside is not None and reachable(inside, self.view.layers_above, False):
                self.text.append(words)
                self.places.append((words, inside))

    # -- cells

    def _take_cells(self, node: Node, grid: Grid, clip: Box, shift: int, popup: bool) -> None:
        self._sheets += grid.sheet
        current = selected_cells(self.view.root) if grid.sheet else None
        made = self.made.of(self.view, node, clip)
        for cell in listed_cells(grid, (current.top, current.left) if current is not None else None):
            chosen = current is not None and current.holds(cell.row, cell.column)
            label = self._cell_label(node, cell, grid.sheet)
            if (cell, chosen, label) not in made.now:
                known = made.before.get((cell, chosen, label))
                seen = known or self._make_cell(node, cell, label, clip, shift, chosen=chosen, popup=popup)
                made.now[cell, chosen, label] = seen
            seen = made.now[cell, chosen, label]
            if seen is not None:
                self.seen.append(seen)
                if current is not None and (cell.row, cell.column) == current[:2] and self.view.window.active:
                    self.focus = label

    def _cell_label(self, node: Node, cell: Cell, sheet: bool) -> str:
        if sheet and self._sheets == 1 and self.view.window.active:
            return cell.name
        return self.labels.label((self.view.program.name, node.path, str(cell.row), str(cell.column)))

    def _make_cell(
        self, node: Node, cell: Cell, label: str, clip: Box, shift: int, *, chosen: bool, popup: bool
    ) -> SeenControl | None:
        """A cell as control; None if it is out of reach."""
        x, y, width, height = cell.box
        if width <= 0 or height <= 0:
            return None
        inside = clip.intersection(Box(x=x, y=y + shift, width=width, height=height))
        if inside is None or not reachable(inside, self.view.layers_above, popup):
            return None
        sheet = self.view.program.grids[node.path].sheet
        states = [word for bit, word in roles.STATE_WORDS if cell.states & bit]
        control = Control(
            label=label,
            role="cell" if sheet else "list item",
            name=shorten(cell.name, LONGEST_NAME),
            value=shorten(cell.text, LONGEST_VALUE) if sheet or cell.text else None,
            states=(*states, "selected") if chosen else tuple(states),
            box=inside,
            window=self.view.window.id,
            operations=("click", "type") if sheet else ("click", "select"),
        )
        return SeenControl(control, self.view.program, node, cell)


def entries(page: Node) -> list[Node]:
    """The options in open lists of a page, if the accessibility bus was queried for them. It reports the places of options,
    but not of the lists."""
    lists = (node for node in below(page) if node.role in roles.MENUS)
    return [entry for one in lists for entry in one.children if entry.states & roles.SHOWING]


def only_holds(node: Node) -> bool:
    """Whether a node is a paragraph or cell of a web page that only contains texts, links or a button."""
    if node.states & roles.EDITABLE:
        return False
    return (node.role == roles.PARAGRAPH and node.children != []) or (
        node.role == roles.TABLE_CELL and any(child.role in HELD and child.name == node.name for child in node.children)
    )


def holds_text(node: Node) -> bool:
    """Whether a node is a combo box whose content is in a text field inside it."""
    return node.role == roles.COMBO_BOX and any(child.role in (roles.TEXT, roles.ENTRY) for child in node.children)


def name_box(root: Node) -> Node | None:
    """LibreOffice's Name Box, which shows the address of the current cell or selection."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.role == roles.TEXT and node.native and isinstance(node.value, str) and parse(node.value):
            return node
        stack += node.children
    return None


def selected_cells(root: Node) -> Cells | None:
    """The current cell or selected range of a spreadsheet's window; None if unknown."""
    box = name_box(root)
    return parse(box.value) if box is not None and isinstance(box.value, str) else None


def listed_cells(grid: Grid, current: tuple[int, int] | None) -> Iterator[Cell]:
    """The cells worth listing: all of a list; of a sheet the cells with content, the current one, and a small frame."""
    if not grid.sheet:
        yield from grid.cells[:MAXIMUM_CELLS]
        return
    filled = {(cell.row, cell.column) for cell in grid.cells if cell.text}
    here = current or (grid.span.top if grid.span else 0, grid.span.left if grid.span else 0)
    listed = 0
    for cell in grid.cells:
        row, column = cell.row, cell.column
        framing = (row - 1, column) in filled or (row, column - 1) in filled
        near = abs(row - here[0]) <= 1 and abs(column - here[1]) <= 1
        if cell.text or near or (framing and len(filled) < MAXIMUM_CELLS // 2):
            listed += 1
            if listed > MAXIMUM_CELLS:
                return
            yield cell


def reachable(box: Box, above: tuple[WindowLayer, ...], popup: bool) -> bool:
    """Whether a click could hit the box: its centre, or a point a quarter of the way in, is under no other window."""
    if not above:
        return True
    x, y = box.centre
    across, down = box.width // 4, box.height // 4
    points = ((x, y), (x - across, y - down), (x + across, y - down), (x - across, y + down), (x + across, y + down))
    covering = [layer.box for layer in above if not (popup and layer.popup)]
    return any(not any(cover.contains(*point) for cover in covering) for point in points)


def to_box(box: tuple[int, int, int, int]) -> Box:
    """A reported rectangle as a :class:`Box`."""
    return Box(x=box[0], y=box[1], width=max(0, box[2]), height=max(0, box[3]))


def with_owners(seen: list[SeenControl], titles: dict[int, str]) -> list[SeenControl]:
    """Set the owners of controls that have the same role and name, but different owners."""
    alike: dict[tuple[str, str], list[SeenControl]] = {}
    for one in seen:
        alike.setdefault((one.control.role, one.control.name), []).append(one)
    owners: dict[str, str] = {}
    for group in alike.values():
        if len(group) > 1:
            found = {one.control.label: owner_in(one) or titles.get(one.control.window, "") for one in group}
            owners |= found if len(set(found.values())) > 1 else {}
    return [owned(one, owners.get(one.control.label, "")) for one in seen]


def owner_in(seen: SeenControl) -> str:
    """The owner of a control in its window; in a page, the owner that the page reports, else the page."""
    if seen.place is not None:
        return seen.control.owner or seen.node.name
    return owner_of(seen.node)


def owned(seen: SeenControl, owner: str) -> SeenControl:
    """The control with ``owner``, unless that is empty or the control's own name, or it has an owner already."""
    control = seen.control
    if not owner or owner == control.name or control.owner:
        return seen
    return seen._replace(control=control.model_copy(update={"owner": shorten(owner, LONGEST_NAME)}))


def owner_of(node: Node) -> str:
    """The nearest named ancestor below the window, or the first text in its row of a table."""
    parent = node.parent
    while parent is not None and parent.parent is not None:
        if parent.role == roles.ROW and parent.children and not parent.name.strip():
            first = parent.children[0].name.strip() or text_in(parent.children[0])
            if first and first != node.name:
                return first
        if parent.name.strip() and parent.name != node.name and parent.role != 46:
            return parent.name.strip()
        parent = parent.parent
    return ""
