"""The options of a combo box, list or tab group, read without opening it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from deskcrew.environments.linux.bus import wire
from deskcrew.environments.linux.tree import roles
from deskcrew.environments.linux.tree.node import Node
from deskcrew.environments.linux.tree.tree import GET_CHILDREN, GET_NAME, GET_ROLE, Call

MAXIMUM_OPTIONS = 200
HOLDERS = frozenset({roles.MENU, roles.LIST, roles.LIST_BOX, roles.TREE_TABLE, roles.TREE})
Ask = Callable[[Sequence[Call]], Sequence[bytes | None]]


def find_options(ask: Ask, holder: Node) -> list[Node]:
    """The options below a control: its children, or those of the menu or list inside a combo box.

    Not for controls that manage their descendants. Raises what ``ask`` raises.
    """
    level = [holder.path]
    for _ in range(3):
        answers = ask([(GET_CHILDREN, path) for path in level])
        paths = [one.path for answer in answers if answer is not None for one in wire.decode_references(answer)]
        paths = paths[:MAXIMUM_OPTIONS]
        if not paths:
            return []
        raw = ask([(method, path) for path in paths for method in (GET_NAME, GET_ROLE)])
        nodes: list[Node] = []
        for at, path in enumerate(paths):
            node = Node(path, holder)
            words, role = raw[2 * at], raw[2 * at + 1]
            node.name = wire.decode_variant_string(words) if words is not None else ""
            node.role = wire.decode_number(role) if role is not None else 0
            nodes.append(node)
        inner = [node.path for node in nodes if node.role in HOLDERS]
        if not inner:
            return nodes
        level = inner
    return []
