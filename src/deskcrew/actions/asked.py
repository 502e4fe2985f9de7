"""An operation in words for a person: an action's own wording of its parameters and target.

Controls are called by their names in the observation that the operation was decided from. Whatever a model, a page or a
program has written is made legible, and a quotation mark in it cannot end the quotation around it. An operation comes from a
journal or a model, so its parameters are only assumed to be JSON. Names of files and windows have no quotation marks.
"""

from __future__ import annotations

from dataclasses import dataclass

from deskcrew.facts.events import Operation
from deskcrew.facts.json_values import is_sequence
from deskcrew.facts.legible import as_text, counted, one_line
from deskcrew.facts.observation import Control, Observation
from deskcrew.secrets.vault import PLACEHOLDER

SHORT, LONG = 60, 120
"""Maximum characters of a name, and of a text, command or address."""
_FIELD_OPERATIONS = frozenset({"type", "set"})


@dataclass(frozen=True, slots=True)
class Asked:
    """An operation to describe to a person. ``look``: the last observation before it, None if there was none."""

    operation: Operation
    look: Observation | None

    def raw(self, name: str) -> str:
        return as_text(self.operation.params.get(name))

    def line(self, name: str, limit: int = LONG) -> str:
        """A parameter on one line."""
        return one_line(self.raw(name), limit)

    def quoted(self, name: str, limit: int = LONG) -> str:
        return _quoted(self.raw(name), limit)

    def flag(self, name: str) -> bool:
        return self.operation.params.get(name) is True

    def items(self, name: str) -> list[str]:
        value = self.operation.params.get(name)
        return [as_text(item) for item in value] if is_sequence(value) else [self.raw(name)]

    def thing(self, label: str | None = None) -> str:
        """The operation's target and the window that contains it: ``"Save" in Save As``."""
        label = label or self.operation.control
        if not label:
            return ""
        found = self.look.control(label) if self.look is not None else None
        if found is None or self.look is None:
            return one_line(label, SHORT)
        owner = f" ({one_line(found.owner, SHORT)})" if found.owner.strip() else ""
        return _named(found) + owner + _in_window(found, self.look)

    def aimed(self, preposition: str, otherwise: str = "") -> str:
        """The target after a preposition: `` into Name in Letter``; ``otherwise`` if it has no target."""
        thing = self.thing()
        return f" {preposition} {thing}" if thing else otherwise


def by_name(asked: Asked) -> str:
    """The default wording of an action: its name as words, and the parameters that have a value."""
    name = one_line(asked.operation.function, SHORT).replace("_", " ").strip() or "nothing"
    told = ((key, value) for key, value in asked.operation.params.items() if value not in (None, "", False))
    given = [f"{one_line(key, 40).replace('_', ' ')} {_quoted(as_text(value), SHORT)}" for key, value in told]
    return f"{name[:1].upper()}{name[1:]}{asked.aimed('on')}" + (f": {', '.join(given)}" if given else "")


def first_line(text: str) -> str:
    """The first line with text, and how many follow it."""
    found = [line for line in text.splitlines() if line.strip()]
    if not found:
        return "(nothing)"
    more = f" … and {counted(len(found) - 1, 'more line')}" if len(found) > 1 else ""
    return one_line(found[0], LONG) + more


def _named(control: Control) -> str:
    """A field by its name alone, anything else by its name in quotation marks; a control without a name by its role."""
    name = control.name.strip()
    if not name:
        return f"the {one_line(control.role, SHORT) or 'control'} {one_line(control.label, SHORT)}"
    return one_line(name, SHORT) if _FIELD_OPERATIONS & {*control.operations} else _quoted(name, SHORT)


def _in_window(control: Control, look: Observation) -> str:
    window = look.window(control.window)
    title = one_line(window.title, SHORT) if window is not None else ""
    return f" in {title}" if title else ""


def _quoted(text: str, limit: int = LONG) -> str:
    """A text in quotation marks, on one line; a secret's placeholder is described as such."""
    secret = PLACEHOLDER.fullmatch(text.strip())
    if secret:
        return f"the secret {secret[1]}"
    return f'"{one_line(text, limit).replace(chr(34), chr(39))}"'
