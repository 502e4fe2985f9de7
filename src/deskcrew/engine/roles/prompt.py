"""Renders prompts from role files, the stable part first and the volatile part last, so that prompt caches hit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from deskcrew.engine.roles.crew import Crew
from deskcrew.engine.roles.explained import fit
from deskcrew.engine.roles.role import ZONES, Role, template
from deskcrew.models.client import Image, Part, Profile, Text

_LINE = "\ue000"
"""A private-use character that stands for line ends in the view's values while the template's blank lines are removed."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that a prompt shows. ``data``: PNG; ``caption``: the text above it."""

    caption: str
    data: bytes


def render(
    role: Role,
    view: Mapping[str, str],
    *,
    crew: Crew,
    profile: Profile,
    actions: str,
    reply: str = "",
    usual: type[BaseModel] | None = None,
    pictures: Sequence[Picture] = (),
) -> tuple[Part, ...]:
    """The parts of a call. ``view``: exactly the keys that the role reads; ``actions`` and ``reply``: the text about its
    operations and its reply; ``usual``: the reply type to which its examples and rules are fitted, None to show them
    unchanged; ``pictures``: for models that accept them, only the last ones if a model takes fewer."""
    # Blank lines of the template are removed; those in its values are kept, because a task may be about them.
    shown = {key: value.replace("\n", _LINE) for key, value in view.items()}
    variables: dict[str, Any] = {**shown, "crew": crew, "profile": profile, "free_text": crew.free_text(profile)}
    # Roles of earlier versions ask whether it is agreed what the user wants to know.
    variables |= {"actions": actions, "reply": reply, "agreed": usual is not None and "question" not in usual.model_fields}
    parts: list[Part] = []
    for zone in ZONES:
        if zone not in role.sections:
            continue
        text = template(role.sections[zone]).render(variables)
        text = "\n".join(filter(None, text.split("\n"))).strip().replace(_LINE, "\n")
        if zone == "stable" and usual is not None:
            text = fit(text, usual, whole=profile.whole_replies)
        if zone == "volatile" and profile.vision:
            for picture in pictures[-max(1, profile.max_images) :]:
                parts.append(Text(text=picture.caption, zone=zone))
                parts.append(Image(data=picture.data, media_type="image/png", zone=zone))
        if text:
            parts.append(Text(text=text, zone=zone))
    return tuple(parts)
