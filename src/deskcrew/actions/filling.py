"""Fills secrets into parameters at the last moment, only where their bindings allow it (docs/design/secrets.md)."""

from __future__ import annotations

from typing import Any

from deskcrew.actions.action import PRESSES, Action, Params, Scene
from deskcrew.actions.params import Fillable
from deskcrew.actions.windows import HotkeyParams, MenuParams
from deskcrew.environments.pointing import aims_of
from deskcrew.errors import ActionError
from deskcrew.facts.events import Operation
from deskcrew.facts.observation import Control
from deskcrew.secrets.vault import MEANT, Recipient, placeholders


def filled(
    action: Action, params: Params, control: Control | None, scene: Scene
) -> tuple[Params, Control | None, Recipient | None]:
    """The arguments for the action: ``params`` with secrets for placeholders, the control they go into, and the only
    recipient that may receive them, None if there is no secret.

    Raises ActionError, worded for the model, if a placeholder is in a parameter that takes none, names no secret of this
    run, or its secret is not bound to that window.
    """
    named = [name for name in type(params).model_fields if _mentions(getattr(params, name))]
    if not named:
        return params, control, None
    for name in named:
        mark = any(isinstance(one, Fillable) for one in type(params).model_fields[name].metadata)
        if not mark:
            raise ActionError(
                f"{action.name}: no secret can be used in {name}. It can only be typed into a control, by keyboard_input: "
                "never into code, commands, files, names, menus or the clipboard."
            )
    seen = scene.observation
    aimed = control or seen.control(seen.focus or "")
    window = next((one for one in seen.windows if aimed is not None and one.id == aimed.window), None)
    behind = _behind(aimed, scene)
    values = {name: scene.vault.fill(getattr(params, name), aimed, window, behind) for name in named}
    if aimed is not None and any(placeholders(getattr(params, name)) for name in named):
        scene.vault.note(aimed)
    return params.model_copy(update=values), aimed, behind


def _behind(control: Control | None, scene: Scene) -> Recipient:
    """The recipient of what is typed into a control, according to the system and the browser, not the window."""
    if control is None or scene.desktop is None:
        return Recipient()
    origin = scene.desktop.origin_of(control)
    return Recipient(origin, scene.desktop.program_of_window(control.window) if origin is None else None)


def keep_apart(action: Action, params: Params, control: Control | None, scene: Scene) -> None:
    """Raise ActionError for an operation that would carry a secret from a window that contains one to another: copying
    there, and pasting anywhere else. Programs have clipboards of their own, so clearing the desktop's is not enough."""
    held = {window for window, _ in scene.vault.filled}
    if not held:
        return
    seen, active = scene.observation, scene.observation.active_window
    window = control.window if control is not None else active.id if active is not None else None
    aims = aims_of(Operation(function=action.name, params=params.model_dump()), seen)
    if aims:
        control, window = aims[0].control, aims[0].window.id if aims[0].window is not None else None
    if any(each.window is not None and each.window.id in held for each in aims[:1]) and aims[-1].window != aims[0].window:
        raise ActionError("Nothing is dragged out of a window that a secret was typed into.")
    names = {one.casefold() for one in params.keys} if isinstance(params, HotkeyParams) else set[str]()
    entry = params.path[-1] if isinstance(params, MenuParams) else ""
    if action.gesture in PRESSES and control is not None and control.role in _ENTRIES:
        entry = control.name
    word = "".join(each for each in entry.casefold() if each.isascii() and each.isalpha())
    pastes = names in _PASTES or word.startswith("paste") or getattr(params, "button", "") == "middle"
    copies = names in _COPIES or word.startswith(("copy", "cut"))
    if copies and window in held:
        raise ActionError("Nothing is copied from a window that a secret was typed into.")
    if pastes and window not in held:
        raise ActionError("Nothing is pasted while another window holds a secret: it might be that. Type it, or use files.")


_ENTRIES = ("menu item", "button", "menu button")
_PASTES = ({"ctrl", "v"}, {"ctrl", "shift", "v"}, {"shift", "insert"})
_COPIES = ({"ctrl", "c"}, {"ctrl", "x"}, {"ctrl", "insert"}, {"shift", "delete"}, {"ctrl", "shift", "c"})


def _mentions(value: Any) -> bool:
    if isinstance(value, str):
        return MEANT.search(value) is not None
    return isinstance(value, list | tuple) and any(_mentions(item) for item in value)  # pyright: ignore[reportUnknownVariableType]
