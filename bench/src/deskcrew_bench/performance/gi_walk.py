"""The plain way to read a window, for comparison: gi and libatspi, one call at a time, depth first.

Run by the system's Python with python3-gi, where the accessibility bus can be reached (inside the sandbox of a virtual
desktop: AT_SPI_BUS_ADDRESS or the session bus). Prints one JSON object: milliseconds of each walk, and what was found.
Imports nothing of Deskcrew.

    /usr/bin/python3 gi_walk.py TITLE_PART [REPEATS [ROWS COLUMNS]]

ROWS and COLUMNS: how many of a sheet's cells to read, from the first; none when they are not given.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from typing import Any


def walk(at: Any, node: Any, found: list[Any], cells: tuple[int, int]) -> None:
    """Role, name, states and place of everything that is showing; never the children of a sheet."""
    states = node.get_state_set()
    if not states.contains(at.StateType.SHOWING) and node.get_parent() is not None and found:
        return
    place = node.get_extents(at.CoordType.SCREEN) if node.get_component_iface() else None
    found.append((node.get_role(), node.get_name(), states.get_states(), place))
    if states.contains(at.StateType.MANAGES_DESCENDANTS):
        table = node.get_table_iface()
        if table:
            read_cells(at, table, found, *cells)
        return
    for number in range(node.get_child_count()):
        child = node.get_child_at_index(number)
        if child is not None:
            walk(at, child, found, cells)


def read_cells(at: Any, table: Any, found: list[Any], rows: int, columns: int) -> None:
    """Text and place of the first cells."""
    for row in range(rows):
        for column in range(columns):
            cell = table.get_accessible_at(row, column)
            text = cell.get_text_iface()
            length = at.Text.get_character_count(text) if text else 0
            content = at.Text.get_text(text, 0, length) if length else ""
            found.append((content, cell.get_extents(at.CoordType.SCREEN)))


def window(at: Any, title: str) -> Any:
    """The top-level window whose name contains ``title``."""
    desktop = at.get_desktop(0)
    for number in range(desktop.get_child_count()):
        app = desktop.get_child_at_index(number)
        for index in range(app.get_child_count() if app else 0):
            top = app.get_child_at_index(index)
            if top is not None and title in (top.get_name() or ""):
                return top
    raise SystemExit(f"no window with {title!r} in its name")


def main() -> None:
    importlib.import_module("gi").require_version("Atspi", "2.0")
    at = importlib.import_module("gi.repository.Atspi")
    title, repeats, rows, columns = (*sys.argv[1:], *("", "9", "0", "0")[len(sys.argv) - 1 :])
    times: list[float] = []
    found: list[Any] = []
    for _ in range(int(repeats)):
        found = []
        top = window(at, title)
        top.clear_cache()
        started = time.perf_counter()
        walk(at, top, found, (int(rows), int(columns)))
        times.append((time.perf_counter() - started) * 1000)
    print(json.dumps({"milliseconds": times, "found": len(found)}))


if __name__ == "__main__":
    main()
