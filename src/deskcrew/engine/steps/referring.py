"""Finds the control that a reply means if none on the screen has its label: the page has recreated the control since, or an
earlier operation of the reply brought it up, and the reply calls it by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from deskcrew.actions.action import Action
from deskcrew.actions.narrowing import naming_controls
from deskcrew.environments.describe import control_line
from deskcrew.errors import ActionError
from deskcrew.facts.events import Operation
from deskcrew.facts.observation import Control, Observation
from deskcrew.facts.texts import in_words
from deskcrew.learning.repeating.matching import Missing, find_control

LISTED = 6


def resolve(
    operation: Operation, actions: Mapping[str, Action], now: Observation, shown: Callable[[], Observation | None]
) -> Operation:
    """The operation with the labels that its controls have now. ``shown``: the screen that the reply was given on.

    Raises ActionError, worded for the model, if no control or several have that name.
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
    wanted = _plain(said)
    role, _, quoted = said.partition('"')
    called = (
        [each for each in able if _is(each, wanted, _exactly)]
        or [each for each in able if _is(each, wanted, _begins)]
        # A role in other words than its own: option "25" for a button.
        or [each for each in able if "in" not in role.split() and _is(each, _plain(quoted), _begins)]
    )
    if len(called) == 1:
        return called[0].label
    if called:
        listed = "; ".join(control_line(each) for each in called[:LISTED])
        raise ActionError(f"{len(called)} controls are called {said!r}: {listed}. Name one by its number.")
    if said.isdecimal():
        return said  # of which the executor says that it is not there
    raise ActionError(f"No control that admits {action.name} is called {said!r} now.")


def _is(control: Control, wanted: str, same: Callable[[str, str], bool]) -> bool:
    """Whether a control has the ``wanted`` name, with its role or without, and with " in " what it belongs to or without."""
    name, owner = _plain(control.name or control.owner), _plain(control.owner)
    names = (name, f"{_plain(control.role)} {name}")
    parts = wanted.split(" in ")
    splits = ((" in ".join(parts[:at]), " in ".join(parts[at:])) for at in range(1, len(parts) + 1))
    return any(
        same(name, head) and (not whose or in_words(whose.rstrip(".… "), owner)) for head, whose in splits for name in names
    )


def _exactly(name: str, wanted: str) -> bool:
    return name == wanted


def _begins(name: str, wanted: str) -> bool:
    """Whether a name is the ``wanted`` one, apart from signs before it and signs, numbers and parentheses after it. With
    another word it may be something else: "Delete all" is not "Delete"."""
    name, wanted = (text.lstrip("".join(each for each in text if not each.isalnum())) for text in (name, wanted))
    initials = "".join(word[:1] for word in wanted.split())
    name = name.removeprefix(f"{initials} ") if len(initials) > 1 else name  # of a portrait
    rest = name.removeprefix(wanted)
    said = rest.partition("(")[0] + rest.rpartition(")")[2] if "(" in rest else rest
    return bool(wanted) and name.startswith(wanted) and not rest[:1].isalnum() and not any(map(str.isalpha, said))


def _plain(text: str) -> str:
    return " ".join(text.replace('"', " ").split()).casefold()
