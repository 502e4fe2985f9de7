"""The plain way to read a window, for comparison: gi and libatspi, one call at a time, depth first.

Run by the system's Python with python3-gi, where the accessibility bus can be reached (inside the sandbox of a virtual
desktop: AT_SPI_BUS_ADDRESS or the session bus). Prints one JSON object: milliseconds of each walk, nodes, cells.

    /usr/bin/python3 gi_walk.py TITLE_PART [REPEATS] [--cells]
"""

import json
import sys
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi  # noqa: E402


def walk(node, found, cells):
    """Role, name, states and place of everything that is showing; never the children of a sheet."""
    states = node.get_state_set()
    if not states.contains(Atspi.StateType.SHOWING) and node.get_parent() is not None and found:
        return
    place = node.get_extents(Atspi.CoordType.SCREEN) if node.get_component_iface() else None
    found.append((node.get_role(), node.get_name(), states.get_states(), place))
    if states.contains(Atspi.StateType.MANAGES_DESCENDANTS):
        table = node.get_table_iface()
        if cells and table:
            read_cells(node, table, found)
        return
    for number in range(node.get_child_count()):
        child = node.get_child_at_index(number)
        if child is not None:
            walk(child, found, cells)


def read_cells(node, table, found):
    """The cells in view: 28 rows of 17 columns, as a Calc window of 1280x800 shows."""
    for row in range(28):
        for column in range(17):
            cell = table.get_accessible_at(row, column)
            text = cell.get_text_iface()
            length = Atspi.Text.get_character_count(text) if text else 0
            content = Atspi.Text.get_text(text, 0, length) if length else ""
            found.append((cell.get_name(), content, cell.get_extents(Atspi.CoordType.SCREEN)))


def window(title):
    """The top-level window whose name contains ``title``."""
    desktop = Atspi.get_desktop(0)
    for number in range(desktop.get_child_count()):
        app = desktop.get_child_at_index(number)
        for index in range(app.get_child_count() if app else 0):
            top = app.get_child_at_index(index)
            if top is not None and title in (top.get_name() or ""):
                return top
    raise SystemExit(f"no window with {title!r} in its name")


def main():
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    title, repeats = words[0], int(words[1]) if len(words) > 1 else 9
    times, found = [], []
    for _ in range(repeats):
        found = []
        top = window(title)
        top.clear_cache()
        started = time.perf_counter()
        walk(top, found, "--cells" in sys.argv)
        times.append((time.perf_counter() - started) * 1000)
    print(json.dumps({"milliseconds": times, "nodes": len(found)}))


main()
