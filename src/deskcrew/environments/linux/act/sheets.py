"""Cells and ranges of a spreadsheet by their address, in view or not: selected, typed into, read.

LibreOffice's Name Box leads to any cell without the mouse, and the table also reports the contents of cells out of view.
"""

from __future__ import annotations

import time

from deskcrew.environments.linux.act.acting import EDITABLE_TEXT, STATE_SECONDS, Actor
from deskcrew.environments.linux.bus import wire
from deskcrew.environments.linux.look.controls import name_box
from deskcrew.environments.linux.look.views import WindowView, views
from deskcrew.environments.linux.screen.x11 import poll_until
from deskcrew.environments.linux.tree import roles
from deskcrew.environments.linux.tree.cells import COLUMN_COUNT, ROW_COUNT, Grid
from deskcrew.environments.linux.tree.contents import GET_WHOLE_TEXT
from deskcrew.environments.linux.tree.node import Node, below
from deskcrew.environments.names import gone, named
from deskcrew.errors import ActionError
from deskcrew.facts.addresses import Cells, address_of, parse
from deskcrew.facts.observation import Control

MOST_CELLS, MOST_COLUMNS = 4000, 100
"""The maximum number of cells and of columns that are read of one range."""


def cells_of(control: Control | None) -> Cells | None:
    """The address that a control stands for; None if it is not a cell or range of a spreadsheet."""
    return parse(control.name) if control is not None and control.role in ("cell", "range") else None


def select(actor: Actor, control: Control, cells: Cells) -> Grid:
    """Select cells, and bring them into view. Returns the sheet they are on. Raises ActionError if they do not exist, or the
    program does not go there."""
    _come_forward(actor, control)
    view, _ = _sheet(actor, control)
    cells = _there(actor, view, control, cells)
    box = name_box(view.root)
    if box is None:
        _point_at(actor, control, cells)
    elif not _by_name_box(actor, view, box, cells):
        raise ActionError(f"{named(control)} could not be selected.")
    actor.desktop.acted()
    actor.desktop.settle()
    actor.desktop.look()
    return _sheet(actor, control)[1]


def read(actor: Actor, control: Control, cells: Cells) -> str:
    """The contents of cells of the sheet shown: one line per row, tabs between columns."""
    view, grid = _sheet(actor, control)
    right = min(cells.right, cells.left + MOST_COLUMNS - 1)
    some = cells._replace(right=right, bottom=min(cells.bottom, cells.top + MOST_CELLS // (right - cells.left + 1) - 1))
    with actor.asking(view.program):
        lines = ["\t".join(row).rstrip() for row in grid.texts(some)]
    while lines and not lines[-1]:
        lines.pop()
    only = f"\n(only {some.local} was read)" if some != cells else ""
    return ("\n".join(lines) or f"{some.local} is empty.") + only


def type_text(actor: Actor, control: Control, cells: Cells, text: str, *, clear: bool) -> str:
    """Type over the contents of cells, from the first one on: to the next column at a tab, to the next row at a line end.
    ``clear``, or no text: empty all of them first. Returns the contents of the cells afterwards."""
    rows = table(text)
    wide = max(map(len, rows))
    if not cells.single and (len(rows) > cells.rows or wide > cells.columns):
        raise ActionError(f"{len(rows)} rows of {wide} columns do not fit into {cells}; nothing was typed.")
    _come_forward(actor, control)
    view, _ = _sheet(actor, control)
    actor.desktop.input.press(("escape",))  # a cell that is being edited
    whole = Cells(cells.top, cells.left, cells.top + len(rows) - 1, cells.left + wide - 1, cells.sheet)
    _empty(actor, control, cells if clear or not text else whole)
    grid = select(actor, control, cells.first)
    if text:
        for row, words in enumerate(rows, cells.top):
            _type_row(actor, control, words, row, cells.left)
    else:
        actor.desktop.input.press(("enter",))  # what LibreOffice tells of a cell that was emptied is right once it is left
    actor.desktop.acted()
    actor.desktop.settle()
    actor.desktop.look()
    with actor.asking(view.program):
        landed = grid.texts(whole)
    return "\n".join("\t".join(told[: len(row)]) for told, row in zip(landed, rows, strict=True))


def table(text: str) -> list[list[str]]:
    """The cells of a text, row by row."""
    return [line.split("\t") for line in text.replace("\r\n", "\n").removesuffix("\n").split("\n")]


def _empty(actor: Actor, control: Control, cells: Cells) -> None:
    select(actor, control, cells)
    actor.desktop.input.press(("delete",))
    actor.desktop.acted()
    actor.desktop.settle()


def _type_row(actor: Actor, control: Control, words: list[str], row: int, left: int) -> None:
    """Type a row, whose first cell is the current one, and go to the row below."""
    for column, text in enumerate(words, left):
        last = column == left + len(words) - 1
        if text:
            actor.desktop.input.type(text)
            actor.desktop.input.press(("delete",))  # what was completed from the cells above
        actor.desktop.input.press(("enter",) if last else ("tab",))
        # Where nothing is being edited, what is typed after Tab overtakes it.
        following = (row + 1, left) if last else (row, column + 1)
        if (last or not text) and not _await_current(actor, control, address_of(*following)):
            select(actor, control, Cells(*following, *following))


def _come_forward(actor: Actor, control: Control) -> None:
    actor.desktop.bring_forward(actor.desktop.window(control.window))
    actor.desktop.check_window(control.window)


def _sheet(actor: Actor, control: Control) -> tuple[WindowView, Grid]:
    """The spreadsheet in a control's window. Raises ActionError if there is none."""
    for view in views(list(actor.desktop.programs.known.values()), actor.desktop.screenful):
        if view.window.id != control.window or view.popup:
            continue
        inside = {node.path for node in below(view.root)}
        for path, grid in view.program.grids.items():
            if grid.sheet and path in inside:
                return view, grid
    raise gone(control)


def _there(actor: Actor, view: WindowView, control: Control, cells: Cells) -> Cells:
    """The cells, with their sheet's exact name, or '' if that sheet is shown. Raises ActionError if they do not exist:
    LibreOffice would open a dialog."""
    _, grid = _sheet(actor, control)
    counts = actor.ask(view.program, [(ROW_COUNT, grid.node.path), (COLUMN_COUNT, grid.node.path)])
    rows, columns = (wire.decode_variant_int(count) if count is not None else 0 for count in counts)
    if cells.bottom >= rows or cells.right >= columns:
        raise ActionError(f"There is no {cells.local}: the sheet ends at {address_of(rows - 1, columns - 1)}.")
    if not cells.sheet:
        return cells
    tabs = [node for node in below(view.root) if node.role == roles.PAGE_TAB and not node.native]
    tab = next((node for node in tabs if node.name.casefold() == cells.sheet.casefold()), None)
    if tab is None:
        there = ", ".join(repr(node.name) for node in tabs) or "none is told"
        raise ActionError(f"There is no sheet {cells.sheet!r}; sheets: {there}.")
    return cells._replace(sheet="" if tab.states & roles.SELECTED else tab.name)


def _by_name_box(actor: Actor, view: WindowView, box: Node, cells: Cells) -> bool:
    """Enter an address in the Name Box. Returns whether the cells, with those they are merged with, are then selected."""
    # It says where it has gone in capitals; but nothing new where it has been already.
    stays = _told(actor, view, box) == str(cells)
    entered = str(cells) if stays else str(cells).removesuffix(cells.local) + cells.local.lower()
    if not actor.order(view.program, box, EDITABLE_TEXT, "SetTextContents", "s", entered):
        return False
    if not actor.do_action(view.program, box):
        return False

    def reached() -> bool | None:
        told = _told(actor, view, box)
        now = parse(told)
        if now is None or told != now.local:
            return None
        return (now.holds(cells.top, cells.left) and now.holds(cells.bottom, cells.right)) or None

    return poll_until(reached, STATE_SECONDS, lambda left: actor.desktop.wait_for_event(min(left, 0.02))) is True


def _told(actor: Actor, view: WindowView, box: Node) -> str:
    answer = actor.ask(view.program, [(GET_WHOLE_TEXT, box.path)])[0]
    return wire.decode_string(answer) if answer is not None else ""


def _point_at(actor: Actor, control: Control, cells: Cells) -> None:
    """Without a Name Box: click the cell, which must be in view."""
    found = actor.find_cell(cells.local) if cells.single and not cells.sheet else None
    if found is None:
        raise ActionError(f"{named(control)} can only be reached by the Name Box, which is hidden (View > Formula Bar).")
    actor.click(actor.desktop.adopt_cell(*found), button="left", double=False)


def _await_current(actor: Actor, control: Control, address: str) -> bool:
    """Wait until the cell that the last key leads to is the current one: then the typed text has been processed. Gives up if
    nothing changes. Returns whether it is, as far as can be told."""
    view, _ = _sheet(actor, control)
    box = name_box(view.root)
    if box is None:
        actor.desktop.acted()
        actor.desktop.settle()
        return True
    told, until = "", time.monotonic() + STATE_SECONDS
    while told != address and time.monotonic() < until:
        if (now := _told(actor, view, box)) != told:
            told, until = now, time.monotonic() + STATE_SECONDS
        else:
            actor.desktop.wait_for_event(0.02)
    return told == address
