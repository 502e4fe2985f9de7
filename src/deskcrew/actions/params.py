"""Annotations of parameters that narrowing reads: how much a model may write, and where valid values come from.

They bound replies only. A person, a test or a replay may pass more; the hard limits are pydantic's own on the field.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Source = Literal[
    "files", "entries", "folders", "windows", "controls", "applications", "options", "menus", "keys", "texts", "documents"
]
"""What of an observation (or of the desktop's program list) a parameter must be one of."""


@dataclass(frozen=True, slots=True)
class Brief:
    """The maximum number of characters of free text in a reply."""

    chars: int


@dataclass(frozen=True, slots=True)
class EndsWith:
    """What the last characters of a reply's text are. A small model that writes Python inside of JSON takes the double quote
    of a text in its code for the one that ends the code: with an end that it must have, it cannot."""

    text: str


@dataclass(frozen=True, slots=True)
class Fillable:
    """``{{secret:NAME}}`` in it stands for a secret. What is filled goes into the control, and nowhere else."""


@dataclass(frozen=True, slots=True)
class OneOf:
    """The value is a name of something that exists now."""

    source: Source
