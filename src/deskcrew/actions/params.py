"""Annotations of parameters that narrowing reads: how much a model may write, and where valid values come from.

They limit replies only. A person, a test or a replay may pass more; the hard limits are pydantic's own on the field.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import BeforeValidator

from deskcrew.facts.json_values import is_sequence
from deskcrew.facts.texts import unfenced

Source = Literal["files", "entries", "folders", "windows", "controls", "applications", "options", "menus", "keys", "texts"]
"""The part of an observation (or the desktop's list of programs) that a parameter's value must come from."""


@dataclass(frozen=True, slots=True)
class Brief:
    """Maximum number of characters of free text in a reply, if the field itself sets none."""

    chars: int


def _bare(value: object) -> object:
    if is_sequence(value):
        return [_bare(each) for each in value]
    return unfenced(value) if isinstance(value, str) else value


IN_A_FENCE = BeforeValidator(_bare)
"""For code: removes a Markdown fence that a model may have written around it, so that the fence appears neither in the
parsed reply nor in the operation. In a list, it does so for each text."""


@dataclass(frozen=True, slots=True)
class Fillable:
    """A ``{{secret:NAME}}`` in the value is replaced by the secret, which goes into the control and nowhere else."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """The value names something of the engine, and stays the same when the operation is repeated with other values."""


@dataclass(frozen=True, slots=True)
class OneOf:
    """The value is the name of something that exists now."""

    source: Source
