"""The contents of a program's fields, texts and sliders, read at each observation."""

from __future__ import annotations

import struct

from deskcrew.environments.linux.bus import wire
from deskcrew.environments.linux.bus.wire import WireMethod
from deskcrew.environments.linux.tree import roles
from deskcrew.environments.linux.tree.node import Node
from deskcrew.environments.linux.tree.tree import Call, Tree
from deskcrew.environments.names import LONGEST_VALUE

TEXT = "org.a11y.atspi.Text"
VALUE = "org.a11y.atspi.Value"
GET_TEXT = WireMethod(TEXT, "GetText", "ii")
GET_WHOLE_TEXT = WireMethod(TEXT, "GetText", "ii", struct.pack("<ii", 0, -1))
GET_BEGINNING = WireMethod(TEXT, "GetText", "ii", struct.pack("<ii", 0, LONGEST_VALUE))
GET_LENGTH = wire.get_property(TEXT, "CharacterCount")
GET_NUMBER = wire.get_property(VALUE, "CurrentValue")
WITH_TEXT = frozenset({
    roles.TEXT, roles.ENTRY, roles.PARAGRAPH, roles.TERMINAL, roles.STATIC, roles.LABEL, roles.HEADING,
    roles.SPIN_BUTTON, roles.PAGE, roles.ICON, 94, 77,
})  # fmt: skip
WITH_NUMBER = frozenset({roles.SLIDER, roles.PROGRESS_BAR, roles.SPIN_BUTTON})


def read_contents(tree: Tree) -> None:
    """Set ``value`` and ``count`` of all showing nodes with a text or number. Raises NotResponding, ConnectionLost."""
    texts: list[Node] = []
    numbers: list[Node] = []
    for node in tree.nodes.values():
        if not node.showing:
            continue
        if node.role in WITH_TEXT and "Text" in node.interfaces:
            texts.append(node)
        elif node.role in WITH_NUMBER and "Value" in node.interfaces:
            numbers.append(node)
    calls: list[Call] = []
    for node in texts:
        # LibreOffice refuses a range that is longer than the text, and has only short ones.
        short = node.native and node.role != roles.TERMINAL
        calls += ((GET_BEGINNING if short else GET_WHOLE_TEXT, node.path), (GET_LENGTH, node.path))
    calls += ((GET_NUMBER, node.path) for node in numbers)
    answers = tree.ask(calls) if calls else []
    for at, node in enumerate(texts):
        text, length = answers[2 * at], answers[2 * at + 1]
        node.count = wire.decode_variant_int(length) if length is not None else 0
        node.value = take_text(node, wire.decode_string(text)) if text is not None else None
    read_again(tree, texts)
    for node, answer in zip(numbers, answers[2 * len(texts) :], strict=True):
        node.value = wire.decode_variant_double(answer) if answer is not None else None


def take_text(node: Node, text: str) -> str:
    """The part of a text that is kept: its beginning, or for a terminal its end."""
    if node.role != roles.TERMINAL:
        return text[:LONGEST_VALUE]
    screen = text.rstrip("\n")
    return screen if len(screen) <= LONGEST_VALUE else f"… ({len(screen)} characters)\n{screen[-LONGEST_VALUE:]}"


def read_again(tree: Tree, texts: list[Node]) -> None:
    """Query again texts that were reported as empty though they are not: Qt returns none for a range longer than the
    text."""
    again = [node for node in texts if node.native and not node.value and node.count]
    calls: list[Call] = []
    for node in again:
        calls.append((GET_TEXT, node.path, struct.pack("<ii", 0, min(node.count, LONGEST_VALUE))))
    for node, text in zip(again, tree.ask(calls) if calls else [], strict=True):
        node.value = take_text(node, wire.decode_string(text)) if text is not None else None
