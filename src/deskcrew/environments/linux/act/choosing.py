"""Choosing by name: options of combo boxes, lists and tab groups, and entries of menus."""

from __future__ import annotations

import time

from deskcrew.environments.linux.act.acting import SELECTION, Actor
from deskcrew.environments.linux.bus import wire
from deskcrew.environments.linux.look.controls import SeenControl
from deskcrew.environments.linux.look.views import WindowView, views
from deskcrew.environments.linux.screen.x11 import poll_until
from deskcrew.environments.linux.tree import roles
from deskcrew.environments.linux.tree.node import Node
from deskcrew.environments.linux.tree.options import find_options
from deskcrew.environments.linux.tree.programs import BusProgram
from deskcrew.environments.linux.tree.tree import GET_CHILDREN, GET_NAME, GET_ROLE, GET_STATE
from deskcrew.environments.names import listing, named, pick
from deskcrew.errors import ActionError
from deskcrew.facts.observation import Control

MENU_SECONDS = 5.0
CLOSING_SECONDS = 0.2
MENU_KINDS = ("menu item", "check menu item", "radio menu item", "menu")


# -- menus


def choose_menu(actor: Actor, path: tuple[str, ...]) -> None:
    """Open menus step by step along ``path`` and choose the last entry."""
    if not path:
        raise ActionError("No menu was named.")
    view = active_view(actor)
    bar = find_bar(view)
    if bar is None:
        choose_from_button(actor, view, path)
        return
    entries = bar.children
    for step, wanted in enumerate(path):
        chosen = pick(wanted, [entry.name for entry in entries])
        if chosen is None:
            close_menus(actor, step)
            where = f"the menu {' > '.join(path[:step])}" if step else "the menu bar"
            raise ActionError(f"There is no {wanted!r} in {where}. Entries: {listing(one.name for one in entries)}.")
        entry = entries[chosen]
        if not entry.states & roles.SENSITIVE:
            close_menus(actor, step)
            raise ActionError(f"The menu entry {' > '.join(path[: step + 1])} is disabled.")
        last = step == len(path) - 1
        if not last or entry.role == roles.MENU:
            if step or not click_bar(actor, view, entry):
                actor.do_action(view.program, entry)
            entries = await_entries(actor, view.program, entry)
        elif not click_entry(actor, view.program, entry):
            actor.do_action(view.program, entry)


def choose_from_button(actor: Actor, view: WindowView, path: tuple[str, ...]) -> None:
    """Without a menu bar: open the menu of the button that ``path`` begins with, and choose from it."""
    found = shown(actor, view, ("menu button",))
    for step, wanted in enumerate(path):
        chosen = pick(wanted, [one.name for one in found])
        if chosen is None:
            close_menus(actor, min(step, 1))
            if step:
                await_closed(actor, view)
            said = listing(one.name for one in found)
            if step == 0 and not found:
                raise ActionError(f'The window "{view.window.title}" has no menu bar.')
            if step == 0:
                raise ActionError(f"There is no menu bar, and no menu button {wanted!r}. Menu buttons: {said}.")
            raise ActionError(f"There is no {wanted!r} in the menu {' > '.join(path[:step])}. Entries: {said}.")
        if "disabled" in found[chosen].states:
            close_menus(actor, min(step, 1))
            raise ActionError(f"The menu entry {' > '.join(path[: step + 1])} is disabled.")
        if step < len(path) - 1:
            found = entries_behind(actor, view, found[chosen])
        elif "pressed" not in found[chosen].states:
            press(actor, found[chosen])


def entries_behind(actor: Actor, view: WindowView, opener: Control) -> list[Control]:
    """The entries of the menu behind a button or an entry, which is opened; empty if none appears within five seconds."""
    if "pressed" in opener.states:
        entries = await_shown(actor, view)
        if entries:
            return entries  # else it was shown pressed because its menu was just closing
    press(actor, opener)
    entries = await_shown(actor, view)
    if entries or opener.role != "menu button":
        return entries
    # A click that came while the last menu was closing is swallowed by it, and the button is as it was before.
    again = next((one for one in shown(actor, view, ("menu button",)) if one.name == opener.name), None)
    if again is None or "pressed" in again.states:
        return []
    press(actor, again)
    return await_shown(actor, view)


def press(actor: Actor, control: Control) -> None:
    """Click, and make the next observation wait for the effect."""
    actor.click(control, button="left", double=False)
    actor.desktop.acted()


def await_shown(actor: Actor, view: WindowView) -> list[Control]:
    """The entries of the open menus in a window, once there are any; empty if none appears within five seconds."""
    return poll_until(lambda: shown(actor, view, MENU_KINDS) or None, MENU_SECONDS, actor.desktop.wait) or []


def shown(actor: Actor, view: WindowView, kinds: tuple[str, ...]) -> list[Control]:
    """The controls of these kinds in a window."""
    here = actor.desktop.observe().controls
    return [one for one in here if one.window == view.window.id and one.role in kinds]


def await_closed(actor: Actor, view: WindowView) -> None:
    """Wait, bounded, until a closed menu has disappeared and its button is released: until then it appears to be open."""
    deadline = time.monotonic() + MENU_SECONDS
    while time.monotonic() < deadline:
        buttons = shown(actor, view, ("menu button",))
        if not any("pressed" in one.states for one in buttons) and not shown(actor, view, MENU_KINDS):
            return
        actor.desktop.wait(CLOSING_SECONDS)


def click_entry(actor: Actor, program: BusProgram, entry: Node) -> bool:
    """Click an entry of an open menu with the mouse. Returns False if it is not visible where it should be.

    A GTK program whose dialog was opened by a call over D-Bus hangs for good at the first key that is pressed in it.
    """
    answer = actor.ask(program, [(program.tree.extents, entry.path)])[0]
    if answer is None:
        return False
    x, y, width, height = entry.place(answer)
    at = x + width // 2, y + height // 2
    top = next((layer for layer in actor.desktop.screenful.layers if layer.box.contains(*at)), None)
    if width <= 0 or height <= 0 or top is None or not top.popup:
        return False
    actor.desktop.input.click(*at)
    return True


def active_view(actor: Actor) -> WindowView:
    """The view of the active window. Raises ActionError if there is none."""
    actor.desktop.acted()
    actor.desktop.observe()
    found = views(list(actor.desktop.programs.known.values()), actor.desktop.screenful)
    for view in found:
        if view.window.active and not view.popup:
            return view
    raise ActionError("No window that can be read is active. Activate one first.")


def find_bar(view: WindowView) -> Node | None:
    """The menu bar that is shown; None if there is none."""
    stack = [view.root]
    while stack:
        node = stack.pop()
        if node.role == roles.MENU_BAR and node.native and node.showing and node.children:
            return node
        stack += reversed(node.children)
    return None


def click_bar(actor: Actor, view: WindowView, entry: Node) -> bool:
    """Open a menu of the bar with the mouse where open menus are not listed: Wayland opens none for a program that has had
    no input before. Returns whether that was done: not elsewhere, and not where something covers it."""
    screenful = actor.desktop.screenful
    x, y = entry.box[0] + entry.box[2] // 2, entry.box[1] + entry.box[3] // 2
    top = next((layer.id for layer in screenful.layers if layer.box.contains(x, y)), None)
    if not screenful.unlisted or top != view.window.frame:
        return False
    actor.desktop.input.click(x, y)
    return True


def await_entries(actor: Actor, program: BusProgram, menu: Node) -> list[Node]:
    """The entries of a menu that has just been opened. Raises ActionError if it does not open."""

    def entries_in(menu: Node) -> list[Node] | None:
        answer = actor.ask(program, [(GET_CHILDREN, menu.path)])[0]
        references = wire.decode_references(answer) if answer is not None else []
        calls = [(m, one.path) for one in references for m in (GET_NAME, GET_STATE, GET_ROLE, program.tree.extents)]
        answers = actor.ask(program, calls) if calls else []
        found: list[Node] = []
        inner: list[Node] = []
        for at, reference in enumerate(references):
            words, state, role, box = answers[4 * at : 4 * at + 4]
            if words is None or state is None or role is None:
                continue
            node = Node(reference.path, menu)
            node.name, node.role = wire.decode_variant_string(words), wire.decode_number(role)
            node.states = program.tree.with_place(node.role, program.tree.states(state), box)
            node.interfaces = frozenset({"Action"})
            (inner if node.role == roles.POPUP_MENU else found).append(node)
        if inner:  # Qt puts the menu that an entry opens into it
            return entries_in(inner[0])
        return found if any(node.showing for node in found) else None

    opened = poll_until(lambda: entries_in(menu), MENU_SECONDS, actor.desktop.wait_for_event)
    if opened is None:
        raise ActionError(f"The menu {menu.name!r} did not open.")
    return [node for node in opened if node.showing]


def close_menus(actor: Actor, depth: int) -> None:
    """Close the ``depth`` menus that were opened on the way."""
    for _ in range(depth):
        actor.desktop.input.press(("escape",))


# -- options


def select(actor: Actor, control: Control, option: str) -> None:
    """Choose an option of a combo box, a list or a group of tabs; for a list's row or a tab, by clicking it."""
    seen = actor.resolve(control)
    actor.desktop.bring_forward(actor.desktop.window(control.window))
    actor.confirm(seen)
    holder = seen.node
    if holder.role in (roles.PAGE_TAB, roles.LIST_ITEM, roles.TREE_ITEM) and holder.parent is not None:
        holder = holder.parent
    if seen.cell is not None:
        actor.point(seen)
        return
    options = find_options(lambda calls: actor.ask(seen.program, [*calls]), holder)
    chosen = pick(option, [one.name for one in options])
    if seen.program.tree.relative and holder.role == roles.COMBO_BOX:  # GTK4 makes the options when it opens
        open_and_click(actor, seen, option)
        return
    if chosen is None:
        raise ActionError(f"{named(control)} has no option {option!r}. Options: {listing(one.name for one in options)}.")
    if "Selection" in holder.interfaces and actor.order(seen.program, holder, SELECTION, "SelectChild", "i", chosen):
        return
    open_and_click(actor, seen, option)


def open_and_click(actor: Actor, seen: SeenControl, option: str) -> None:
    """Open a control and click the option that appears."""
    if not actor.do_action(seen.program, seen.node):
        actor.point(seen)
    actor.desktop.acted()
    observation = actor.desktop.observe()
    items = [one for one in observation.controls if one.role in ("menu item", "list item", "cell", "check menu item")]
    chosen = pick(option, [one.name for one in items])
    if chosen is None:
        actor.desktop.input.press(("escape",))
        raise ActionError(
            f"{named(seen.control)} opened but shows no {option!r}. It shows: {listing(o.name for o in items)}."
        )
    actor.click(items[chosen], button="left", double=False)
