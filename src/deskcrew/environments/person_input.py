"""A person's input at a desktop: mouse buttons and keys, whatever program receives them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Press:
    """A mouse button pressed at a point of the screen. ``at``: monotonic seconds; ``to``: where it was released, None while
    it is held."""

    at: float
    point: tuple[int, int]
    button: str
    to: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class WheelTurn:
    """The wheel, turned at a point of the screen. Positive: up."""

    at: float
    point: tuple[int, int]
    notches: int


@dataclass(frozen=True, slots=True)
class Key:
    """A key. ``character``: the character that it types, '' if unknown; ``name``: its name if it types nothing or is pressed
    with others, else ''; ``held``: the modifiers held with it, shift only if it does not produce the character.

    Its ``repr`` shows neither: it may be a letter of a password.
    """

    at: float
    character: str = field(default="", repr=False)
    name: str = field(default="", repr=False)
    held: tuple[str, ...] = ()


Gesture = Press | WheelTurn | Key


class Hands(Protocol):
    """A listener to a person's input."""

    def taken(self) -> list[Gesture]:
        """The input since the last call, oldest first. Raises EnvironmentFailure if the desktop is gone."""
        ...

    def close(self) -> None: ...
