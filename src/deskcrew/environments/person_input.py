"""What a person's hands do at a desktop: presses of buttons and keys, whatever program they go to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Press:
    """A button of the mouse, pressed at a point of the screen. ``at``: monotonic seconds; ``to``: where it was let go,
    None while it is held."""

    at: float
    point: tuple[int, int]
    button: str
    to: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """The wheel, turned at a point of the screen. Positive: up."""

    at: float
    point: tuple[int, int]
    notches: int


@dataclass(frozen=True, slots=True)
class Key:
    """A key. ``character``: what it types, '' for nothing that is known; ``name``: of a key that types nothing, or is
    pressed with others, '' for one without; ``held``: the modifiers held with it, shift only where it does not
    make the character.

    What it says is not shown when it is printed: it may be a letter of a password.
    """

    at: float
    character: str = field(default="", repr=False)
    name: str = field(default="", repr=False)
    held: tuple[str, ...] = ()


Gesture = Press | Turn | Key


class Hands(Protocol):
    """A listener to a person's input."""

    def taken(self) -> list[Gesture]:
        """What was done since this was last asked for, oldest first. Raises EnvironmentFailure when the desktop is gone."""
        ...

    def close(self) -> None: ...


@runtime_checkable
class Handled(Protocol):
    """A desktop that people work on with mouse and keyboard, and that can tell what they do."""

    def hands(self) -> Hands:
        """Begin to listen. Raises EnvironmentFailure where that cannot be."""
        ...
