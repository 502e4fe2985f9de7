"""Turns what UI Automation reports into an observation: a function of plain values, the same on every system."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from deskcrew.environments.labels import Labels
from deskcrew.environments.names import LONGEST_NAME, LONGEST_VALUE, kept_text, shorten
from deskcrew.facts.observation import Box, Control, ControlOperation, Observation, Screen, Window
from deskcrew_windows_agent.protocol import Element, Key, Place, Snapshot, TopWindow

ROLES: Mapping[str, str] = {
    "Button": "button", "Calendar": "date editor", "CheckBox": "check box", "ComboBox": "combo box", "DataGrid": "table",
    "DataItem": "list item", "Document": "text area", "Edit": "text field", "HeaderItem": "column header",
    "Hyperlink": "link", "Image": "image", "List": "list", "ListItem": "list item", "MenuItem": "menu item",
    "ProgressBar": "progress bar", "RadioButton": "radio button", "Slider": "slider", "Spinner": "number field",
    "SplitButton": "button", "TabItem": "tab", "Table": "table", "Text": "text", "ToolTip": "text", "Tree": "tree",
    "TreeItem": "tree item",
}  # fmt: skip
"""Control types that mean something to a person. Any other type is a container that is not reported."""
LEFT_OUT = frozenset({"ScrollBar", "Separator", "Thumb", "TitleBar"})
"""Types that are skipped with their contents: the window's frame, and what keys and actions can do as well."""
PASSIVE = frozenset({"image", "text"})
POPUPS = frozenset({"List", "Menu", "ToolTip"})
"""Types that lie on the desktop beside windows; each belongs to a window of the same program."""
CHOSEN = frozenset({"combo box", "list item", "tab", "tree item"})
PRESSED = frozenset({"Invoke", "Toggle", "SelectionItem", "ExpandCollapse"})
CUT = "There is more in the windows than was read."
OUT_OF_REACH = "{} runs as administrator, and only an agent that does so, too, can read and operate it."


class SeenElement(NamedTuple):
    """A control and its source. ``parents``: the elements that contain it, the window's first."""

    control: Control
    element: Element
    window: TopWindow
    parents: tuple[Element, ...]


def observed(snapshot: Snapshot, labels: Labels) -> tuple[Observation, dict[str, SeenElement]]:
    """The observation, and the source of each control by its label. ``labels``: kept from the last observation."""
    labels.start_look()
    screen = Box(x=0, y=0, width=snapshot.screen.width, height=snapshot.screen.height)
    windows = [window for window in snapshot.windows if window.root.type not in POPUPS]
    seen: list[SeenElement] = []
    places: list[tuple[Window, str, Box]] = []
    told = {window.id: _told(window, screen) for window in windows}
    for window in snapshot.windows:
        owner = next((one for one in windows if one.pid == window.pid), None) if window not in windows else window
        if owner is None or not owner.responding or (box := shown(window, screen)) is None:
            continue
        collector = _Collector(owner, labels)
        collector.walk(window.root, box, (), "")
        seen += collector.seen
        places += [(told[owner.id], text, place) for text, place in collector.text]
    seen = _with_owners(seen)
    text, cut = kept_text(dict.fromkeys(text for window, text, _ in places if window.active))
    focused = (one.control.label for one in seen if one.window.active and "focused" in one.control.states)
    far = dict.fromkeys(OUT_OF_REACH.format(window.app or window.root.name) for window in windows if not window.reachable)
    observation = Observation(
        screen=Screen(width=screen.width, height=screen.height, scale=snapshot.screen.scale),
        windows=tuple(told.values()),
        controls=tuple(one.control for one in seen),
        focus=next(focused, None),
        text=text,
        note=" ".join(filter(None, (CUT if snapshot.cut else "", cut, *far))),
        places=tuple((words, place) for _, words, place in places),
    )
    return observation, {one.control.label: one for one in seen}


def shown(window: TopWindow, screen: Box) -> Box | None:
    """The part of a window that is on the screen; None if it is minimized or elsewhere."""
    box = box_of(window.root.box)
    return box.intersection(screen) if box is not None and not window.root.offscreen else None


def box_of(place: Place | None) -> Box | None:
    """A place as a :class:`Box`."""
    return Box(x=place.x, y=place.y, width=place.width, height=place.height) if place is not None else None


def role_of(element: Element, parents: tuple[Element, ...]) -> str:
    """The role of an element for a person; '' for a container."""
    role = ROLES.get(element.type, "")
    if element.type == "Button" and "Toggle" in element.patterns:
        return "toggle button"
    if element.type == "Edit":
        role = "password field" if element.password else "text area" if "Scroll" in element.patterns else role
    if element.type == "Document" and not writable(element):
        return "document"
    if element.type == "MenuItem":
        if parents and parents[-1].type == "MenuBar":
            return "menu"
        role = "check menu item" if "Toggle" in element.patterns else role
        return "radio menu item" if "SelectionItem" in element.patterns else role
    return role


def writable(element: Element) -> bool:
    """Whether an element takes text. A document without a value, such as a page in a browser, can only be read."""
    has = "Value" in element.patterns or (element.type == "Edit" and ("Text" in element.patterns or element.password))
    return element.type in ("Edit", "Document", "ComboBox") and has and not element.read_only


def operations_of(element: Element, role: str) -> tuple[ControlOperation, ...]:
    """The operations that an element allows now."""
    if not element.enabled or role in PASSIVE:
        return ()
    found: list[ControlOperation] = []
    types = writable(element)
    if types or PRESSED & {*element.patterns}:
        found.append("click")
    if types:
        found.append("type")
    if "Toggle" in element.patterns or role in ("radio button", "radio menu item"):
        found.append("toggle")
    if role in CHOSEN and ("SelectionItem" in element.patterns or role == "combo box"):
        found.append("select")
    if element.number is not None and not element.read_only and role != "progress bar":
        found.append("set")
    if "Scroll" in element.patterns:
        found.append("scroll")
    return tuple(found)


def value_of(element: Element, role: str) -> str | None:
    """An element's content as text; None if it has none. Never the content of a password field."""
    if role in ("password field", "link") or (role in CHOSEN and role != "combo box"):
        return None
    if element.number is not None:
        return f"{element.number:g}"
    return shorten(element.value, LONGEST_VALUE) if element.value is not None else None


def states_of(element: Element, role: str) -> tuple[str, ...]:
    """The states that matter to a person."""
    on = "pressed" if role == "toggle button" else "checked"
    words = [
        (on, element.toggled == "on" or (element.selected is True and role.startswith("radio"))),
        ("partly checked", element.toggled == "indeterminate"),
        ("selected", element.selected is True and not role.startswith("radio")),
        ("expanded", element.expanded in ("expanded", "partially expanded")),
        ("focused", element.focused),
        ("disabled", not element.enabled),
    ]
    return tuple(word for word, true in words if true)


class _Collector:
    """Traverses a window, or an open menu of one, and collects its controls and its text."""

    def __init__(self, window: TopWindow, labels: Labels) -> None:
        self.window = window
        self.labels = labels
        self.seen: list[SeenElement] = []
        self.text: list[tuple[str, Box]] = []

    def walk(self, element: Element, clip: Box, parents: tuple[Element, ...], said: str) -> None:
        """Collect an element and its contents. ``said``: the name of the containing control, not collected again."""
        if element.type in LEFT_OUT or (element.offscreen and parents):
            return
        whole = box_of(element.box)
        box = whole.intersection(clip) if whole is not None else None
        if box is not None and parents:
            said = self._take(element, box, parents, said) or said
        # What has a place hides what is outside it; a container without one hides nothing.
        inner = box if box is not None and "Scroll" in element.patterns else clip
        for child in element.children:
            self.walk(child, inner, (*parents, element), said)

    def _take(self, element: Element, box: Box, parents: tuple[Element, ...], said: str) -> str:
        """Collect an element as control or text. Returns the name of the control, '' if it is none."""
        role, name = role_of(element, parents), " ".join(element.name.split())
        if role == "text":
            if name and name not in said:
                self.text.append((name, box))
            return ""
        operations = operations_of(element, role)
        value = value_of(element, role)
        if not role or not (name or value or operations) or (role == "image" and not name):
            return ""
        control = Control(
            label=self.labels.label(tuple(str(part) for part in element.key)),
            role=role,
            name=shorten(name, LONGEST_NAME),
            value=value,
            states=states_of(element, role),
            box=box,
            window=self.window.id,
            operations=operations,
            options=_options(element) if role == "combo box" else (),
        )
        self.seen.append(SeenElement(control, element, self.window, parents))
        return name


def _options(element: Element) -> tuple[str, ...]:
    return tuple(one.name for one in element.below() if one.type == "ListItem" and one.name)


def _told(window: TopWindow, screen: Box) -> Window:
    return Window(
        id=window.id,
        title=window.root.name,
        app=window.app,
        box=shown(window, screen) or Box(x=0, y=0, width=0, height=0),
        active=window.active,
        dialog=window.dialog,
        responding=window.responding,
        pid=window.pid,
    )


def _with_owners(seen: list[SeenElement]) -> list[SeenElement]:
    """Set the owners of controls if several have the same role and name."""
    counts = Counter((one.control.role, one.control.name) for one in seen)
    return [_owned(one) if counts[one.control.role, one.control.name] > 1 else one for one in seen]


def _owned(seen: SeenElement) -> SeenElement:
    names = (parent.name.strip() for parent in reversed(seen.parents))
    owner = next((name for name in names if name and name != seen.control.name), "")
    return seen._replace(control=seen.control.model_copy(update={"owner": shorten(owner, LONGEST_NAME)}))


def find(snapshot: Snapshot, key: Key) -> Element | None:
    """An element by its key; None if it has gone."""
    elements = (one for window in snapshot.windows for one in (window.root, *window.root.below()))
    return next((one for one in elements if one.key == key), None)
