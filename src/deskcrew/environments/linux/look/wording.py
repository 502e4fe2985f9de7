"""A control's name, value, states and operations, in plain words."""

from __future__ import annotations

from deskcrew.environments.linux.tree import roles
from deskcrew.environments.linux.tree.node import Node
from deskcrew.environments.linux.tree.programs import BusProgram
from deskcrew.environments.linux.tree.tree import CHROMIUM, GTK4, QT
from deskcrew.environments.names import LONGEST_NAME, LONGEST_VALUE, shorten
from deskcrew.facts.addresses import parse
from deskcrew.facts.observation import ControlOperation

TRANSPARENT = frozenset({roles.PANEL, 20, 63, roles.COMBO_BOX, roles.SCROLL_PANE, 68, 43})


def name_of(node: Node, program: BusProgram) -> str:
    """A control's name for a person: its own name, its label's text, or the name of its container."""
    if node.role == roles.COMBO_BOX:
        own = node.name.strip() if program.tree.toolkit == CHROMIUM else ""
        return shorten(own or program.labels.get(node.path, "") or label_before(node), LONGEST_NAME)
    name = node.name.strip() or program.labels.get(node.path, "")
    if not name and program.tree.corrected and isinstance(node.value, str) and parse(node.value):
        name = "Name Box"
    if not name and node.role == roles.ICON and isinstance(node.value, str):  # a file in a folder of PCManFM
        name = node.value.strip()
    name = name or label_before(node)
    parent = node.parent
    climbed = 0
    while not name and parent is not None and parent.role in TRANSPARENT and climbed < 8:
        if node.role not in roles.SCROLLED or parent.role == roles.PANEL:
            name = parent.name.strip()
        parent, climbed = parent.parent, climbed + 1
    if not name and node.role in roles.CLICKABLE:
        name = text_in(node)
    return shorten(name or program.descriptions.get(node.path, ""), LONGEST_NAME)


def label_before(node: Node) -> str:
    """The label directly before a field, if it ends with a colon; else ''."""
    if node.role not in roles.FIELDS or node.parent is None:
        return ""
    at = node.parent.children.index(node) if node in node.parent.children else 0
    before = node.parent.children[at - 1] if at else None
    said = before.name.strip() if before is not None and before.role == roles.LABEL and before.showing else ""
    return said if said.endswith(":") else ""


def text_in(node: Node) -> str:
    """The text of the labels in a node."""
    stack, said = [node], list[str]()
    while stack:
        inner = stack.pop()
        if inner.role in (roles.LABEL, roles.STATIC) and inner.showing and min(inner.box[2:]) > 0 and inner is not node:
            said.append(inner.name.strip() or (inner.value if isinstance(inner.value, str) else "").strip())
        stack += reversed([child for child in inner.children if not child.surface])
    return " ".join(one for one in said if one)


def single_line(node: Node, program: BusProgram) -> bool:
    """Whether a text field has a single line; GTK4 and Qt report only which fields have several."""
    said_of_more = program.tree.toolkit in (GTK4, QT)
    return bool(node.states & roles.SINGLE_LINE) or (said_of_more and not node.states & roles.MULTI_LINE)


def value_of(node: Node, program: BusProgram) -> str | None:
    """A control's content as text; None if it has none. Never the content of a password field."""
    if node.role in (roles.PASSWORD, roles.ICON):
        return None
    if node.role == roles.COMBO_BOX:
        said = program.chosen.get(node.path, "") if program.tree.toolkit == CHROMIUM else node.name
        return shorten(said or text_in(node), LONGEST_VALUE) or None
    if node.value is None:
        return None
    if not isinstance(node.value, str):
        return f"{node.value:g}"
    if node.role == roles.TERMINAL:
        return node.value
    if max(node.count, len(node.value)) > LONGEST_VALUE:
        return f"{node.value[:LONGEST_VALUE]}… ({max(node.count, len(node.value))} characters)"
    return node.value


def states_of(node: Node) -> tuple[str, ...]:
    """The states that matter to a user."""
    words = [word for bit, word in roles.STATE_WORDS if node.states & bit]
    if node.role == roles.TOGGLE_BUTTON and node.states & (roles.CHECKED | roles.PRESSED):
        words = [word for word in words if word != "checked"] + ([] if "pressed" in words else ["pressed"])
    if not node.states & (usable_state(node) | roles.MANAGES_DESCENDANTS):
        words.append("disabled")
    return tuple(words)


def usable_state(node: Node) -> int:
    """The state that means a control can be used. LibreOffice never reports a paragraph as sensitive."""
    return roles.EDITABLE if node.role == roles.PARAGRAPH and not node.native else roles.SENSITIVE


def operations_of(node: Node) -> tuple[ControlOperation, ...]:
    """The operations that a control allows now."""
    role, states = node.role, node.states
    if states & roles.MANAGES_DESCENDANTS:
        return ("scroll",)
    if not states & usable_state(node):
        return ()
    operations: list[ControlOperation] = []
    editable = bool(states & roles.EDITABLE) or role in (roles.PASSWORD, roles.TERMINAL)
    if role in roles.CANVASES:
        return ("click", "scroll")
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
    if role in roles.SCROLLED and not states & roles.SINGLE_LINE:
        operations.append("scroll")
    return tuple(operations)
