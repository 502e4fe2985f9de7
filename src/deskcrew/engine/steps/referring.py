"""Which control a reply means that is not on the screen under this label: its page has put it there anew since, or an
operation before it in the same reply brought it up, and the reply calls it by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product

from deskcrew.actions.action import Action
from deskcrew.actions.narrowing import naming_controls
from deskcrew.environments.describe import control_line
from deskcrew.errors import ActionError
from deskcrew.facts.events import Operation
from deskcrew.facts.observation import Control, Observation
from deskcrew.learning.repeating.matching import Missing, find_control

LISTED = 6


def referred(
    operation: Operation, actions: Mapping[str, Action], now: Observation, shown: Callable[[], Observation | None]
) -> Operation:
    """The operation with the labels that its controls have now. ``shown``: the screen that the reply was given on.

    Raises ActionError, worded for the model, where none of that name is there, or several are.
    """
    action = actions.get(operation.function)
    if action is None:
        return operation
    control = operation.control and _label(operation.control, action, now, shown)
    params = {name: _label(str(operation.params[name]), action, now, shown) for name in naming_controls(action)}
    return operation.model_copy(update={"control": control, "params": {**operation.params, **params}})


def _label(said: str, action: Action, now: Observation, shown: Callable[[], Observation | None]) -> str:
    if now.control(said) is not None:
        return said
    if (then := shown()) is not None and then.control(said) is not None:
        found = find_control(said, then, now, lambda name: (name,), action.admits)
        if isinstance(found, Missing):
            raise ActionError(f"Control {said!r} has gone: {found.expected} was expected, {found.found}.")
        return found.label
    able = [each for each in now.controls if not action.admits or set(each.operations) & set(action.admits)]
    called = [each for each in able if _plain(said) in _names(each)]
    if len(called) == 1:
        return called[0].label
    if called:
        listed = "; ".join(control_line(each) for each in called[:LISTED])
        raise ActionError(f"{len(called)} controls are called {said!r}: {listed}. Name one by its number.")
    if said.isdecimal():
        return said  # of which the executor says that it is not there
    raise ActionError(f"No control that admits {action.name} is called {said!r} now.")


def _names(control: Control) -> Iterator[str]:
    """All that a control may be called: with its role or without, and with what it belongs to or without."""
    owners = ("", f" in {control.owner}") if control.owner else ("",)
    name = control.name or control.owner
    return (_plain(f"{role}{name}{owner}") for role, owner in product(("", f"{control.role} "), owners))


def _plain(text: str) -> str:
    return " ".join(text.replace('"', " ").split()).casefold()
