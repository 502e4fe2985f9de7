"""AT-SPI's numbers for roles and states, and the plain words that a model reads instead."""

from __future__ import annotations

ACTIVE, CHECKED, EDITABLE, EXPANDED, FOCUSED, MODAL = 1 << 1, 1 << 4, 1 << 7, 1 << 10, 1 << 12, 1 << 16
MULTI_LINE, PRESSED, SELECTED, SENSITIVE, SHOWING, SINGLE_LINE = 1 << 17, 1 << 20, 1 << 23, 1 << 24, 1 << 25, 1 << 26
VISIBLE, MANAGES_DESCENDANTS, INDETERMINATE, REQUIRED, INVALID_ENTRY = 1 << 30, 1 << 31, 1 << 32, 1 << 33, 1 << 36
IS_DEFAULT = 1 << 39

ALERT, CHECK_BOX, CHECK_MENU_ITEM, COLOR_CHOOSER, COMBO_BOX, DIALOG, FILE_CHOOSER, FRAME = 2, 7, 8, 9, 11, 16, 19, 23
ICON, LABEL, LIST, LIST_ITEM, MENU, MENU_BAR, MENU_ITEM, PAGE_TAB, PAGE_TAB_LIST = 26, 29, 31, 32, 33, 34, 35, 37, 38
PANEL, PASSWORD, POPUP_MENU, PROGRESS_BAR, BUTTON, RADIO_BUTTON, RADIO_MENU_ITEM = 39, 40, 41, 42, 43, 44, 45
SCROLL_BAR, SCROLL_PANE, SEPARATOR, SLIDER, SPIN_BUTTON, STATUS_BAR, TABLE = 48, 49, 50, 51, 52, 54, 55
TABLE_CELL, COLUMN_HEADER, TERMINAL, TEXT, TOGGLE_BUTTON, TOOL_TIP, TREE, TREE_TABLE = 56, 57, 60, 61, 62, 64, 65, 66
WINDOW, PARAGRAPH, ENTRY, DOCUMENT, HEADING, PAGE, LINK, ROW, TREE_ITEM = 69, 73, 79, 82, 83, 84, 88, 90, 91
SPREADSHEET, TEXT_DOCUMENT, LIST_BOX, STATIC, PUSH_MENU = 92, 94, 98, 116, 129

WORDS = {
    2: "alert", 6: "canvas", 7: "check box", 8: "check menu item", 10: "column header",
    11: "combo box", 12: "date editor", 16: "dialog",
    18: "canvas", 19: "dialog", 23: "window", 26: "icon", 27: "image", 29: "text", 31: "list", 32: "list item", 33: "menu",
    34: "menu bar", 35: "menu item", 37: "tab", 38: "tab list", 40: "password field", 42: "progress bar", 43: "button",
    44: "radio button", 45: "radio menu item", 47: "row header", 48: "scroll bar", 51: "slider", 52: "number field",
    54: "status bar",
    55: "table", 56: "cell", 57: "column header", 58: "row header", 60: "terminal", 61: "text area",
    62: "toggle button", 64: "tool tip", 65: "tree", 66: "tree table", 73: "paragraph", 78: "menu", 79: "text field",
    82: "document", 83: "heading", 84: "text", 85: "section", 88: "link", 90: "row", 91: "tree item", 92: "spreadsheet",
    94: "document", 95: "document", 98: "list", 101: "notification", 102: "info bar", 116: "text", 129: "menu button",
}  # fmt: skip
"""Roles that mean something to a person. Any other role is a container that is not reported."""

LEAVES = frozenset({
    ICON, 27, LABEL, STATIC, SCROLL_BAR, SEPARATOR, SLIDER, CHECK_BOX, RADIO_BUTTON, PROGRESS_BAR, BUTTON, TEXT, ENTRY,
    PASSWORD, MENU_ITEM, CHECK_MENU_ITEM, RADIO_MENU_ITEM,
})  # fmt: skip
MENUS = frozenset({MENU, POPUP_MENU})
POPUPS = frozenset({MENU, WINDOW, TOOL_TIP, POPUP_MENU})
MENU_ITEMS = frozenset({MENU, MENU_ITEM, CHECK_MENU_ITEM, RADIO_MENU_ITEM})
CLICKABLE = frozenset({
    BUTTON, TOGGLE_BUTTON, CHECK_BOX, RADIO_BUTTON, LINK, ICON, LIST_ITEM, TABLE_CELL, PAGE_TAB, COLUMN_HEADER,
    TREE_ITEM, COMBO_BOX, PUSH_MENU, *MENU_ITEMS,
})  # fmt: skip
TOGGLES = frozenset({CHECK_BOX, TOGGLE_BUTTON, RADIO_BUTTON, CHECK_MENU_ITEM, RADIO_MENU_ITEM, 130})
FIELDS = frozenset({TEXT, ENTRY, PASSWORD, COMBO_BOX, SPIN_BUTTON, SLIDER})
"""Roles that can have a label."""
NUMBERS = frozenset({SLIDER, SPIN_BUTTON})
SCROLLED = frozenset({TEXT, TERMINAL, LIST, LIST_BOX, TREE, TREE_TABLE, TABLE, DOCUMENT, TEXT_DOCUMENT, SPREADSHEET})
CANVASES = frozenset({6, 18})
"""Roles that a program paints itself: a canvas, a drawing area."""
PAGES = frozenset({DOCUMENT, 95})
"""Roles whose contents a browser's page reports."""
CLIPPING = frozenset({SCROLL_PANE, 68})

STATE_WORDS = (
    (CHECKED, "checked"),
    (PRESSED, "pressed"),
    (SELECTED, "selected"),
    (EXPANDED, "expanded"),
    (FOCUSED, "focused"),
    (INDETERMINATE, "partly checked"),
    (REQUIRED, "required"),
    (INVALID_ENTRY, "invalid"),
)


def short_interface(name: str) -> str:
    """``org.a11y.atspi.EditableText`` -> ``EditableText``."""
    return name.rpartition(".")[2]
