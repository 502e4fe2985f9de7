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
"""The part of an observation (or the desktop's program list) that a parameter's value must come from."""


@dataclass(frozen=True, slots=True)
class Brief:
    """The maximum number of characters of free text in a reply, if the field itself sets none."""

    chars: int


def _bare(value: object) -> object:
    if is_sequence(value):
        return [_bare(each) for each in value]
    return unfenced(value) if isinstance(value, str) else value


IN_A_FENCE = BeforeValidator(_bare)
"""Code, which models may write in a Markdown fence, is read without: whoever looks at the reply or the operation that holds
it never sees the fence. Of several texts it holds for each."""


@dataclass(frozen=True, slots=True)
class Fillable:
    """``{{secret:NAME}}`` in it is filled in with a secret, which goes into the control, and nowhere else."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """It names something of the engine's, and is the same when the operation is done again with other values."""


@dataclass(frozen=True, slots=True)
class OneOf:
    """The value is a name of something that exists now."""

    source: Source
