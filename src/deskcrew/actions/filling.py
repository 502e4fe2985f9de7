"""Values of secrets put into parameters at the last moment, where they may go, and nowhere else (docs/design/secrets.md)."""

from __future__ import annotations

from typing import Any

from deskcrew.actions.action import Action, Params, Scene
from deskcrew.actions.params import Fillable
from deskcrew.errors import ActionError
from deskcrew.observation import Control
from deskcrew.secrets.vault import MEANT, placeholders


def filled(action: Action, params: Params, control: Control | None, scene: Scene) -> tuple[Params, Control | None]:
    """What to run the action with: ``params`` with values for placeholders, and the control they go into.

    Raises ActionError, worded for the model, where a placeholder stands in a parameter that takes none, names no secret of
    this run, or its secret is not for that window.
    """
    named = [name for name in type(params).model_fields if _mentions(getattr(params, name))]
    if not named:
        return params, control
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
    values = {name: scene.vault.fill(getattr(params, name), aimed, window) for name in named}
    if aimed is not None and any(placeholders(getattr(params, name)) for name in named):
        scene.vault.note(aimed)
    return params.model_copy(update=values), aimed


def _mentions(value: Any) -> bool:
    if isinstance(value, str):
        return MEANT.search(value) is not None
    return isinstance(value, list | tuple) and any(_mentions(item) for item in value)  # pyright: ignore[reportUnknownVariableType]
