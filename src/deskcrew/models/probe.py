"""Tests what a model can do, for ``deskcrew models test`` and ``deskcrew doctor``."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Literal

from PIL import Image as Picture
from pydantic import BaseModel, Field

from deskcrew.errors import ModelFailure
from deskcrew.models.client import Answer, Call, Image, Malformed, Model, Part, Profile, Text

PROBE_TOKENS = 120
# A colour no model guesses from the question alone: it is neither of the usual first two.
SEEN: Literal["purple"] = "purple"


class _Arithmetic(BaseModel):
    question: str = Field(max_length=60)
    result: int
    parity: Literal["even", "odd"]


class _Colour(BaseModel):
    colour: Literal["red", "green", "blue", "yellow", "purple", "black", "white"]


@dataclass(frozen=True, slots=True)
class Probe:
    """The findings about a model. Fields that could not be tested are None. ``seconds``: of one answer."""

    model: str
    reachable: bool
    schema_obeyed: bool | None = None
    """Whether the reply was of the requested type."""
    correct: bool | None = None
    """Whether it also did a small sum correctly."""
    vision: bool | None = None
    """Whether it named the colour of a picture; None if its profile says that it has no vision."""
    reply_rate: float | None = None
    """Reply tokens per second over the whole call; too low if the prompt was not cached."""
    context: int | None = None
    """Its context in tokens, from its profile: not tested."""
    seconds: float | None = None
    usage_reported: bool | None = None
    cost_known: bool | None = None
    way: Literal["skills", "freely"] = "freely"
    """Whether it can only use skills, or works freely with all actions, from its profile: not tested."""
    why: str = ""
    """The reason for ``way``: what its profile says, as a sentence."""
    problem: str = ""
    """What went wrong, and what to do next."""


async def probe(model: Model, *, deadline: float = 120.0) -> Probe:
    """Ask ``model`` two or three small questions. Never raises ModelFailure: a failure is a finding."""
    question = (
        Text("You answer with one JSON object and nothing else.", "stable"),
        Text("What is 17 + 25? Repeat the question, give the result and whether it is even or odd.", "task"),
    )
    way, why = way_of(model.profile)
    try:
        # The first call may load the model or fill a cache; the second is what later calls are like.
        await model.answer(_call(question, deadline), _Arithmetic)
        answer = await model.answer(_call(question, deadline), _Arithmetic)
        vision = await _sees(model, deadline) if model.profile.vision else None
    except ModelFailure as error:
        return Probe(model.name, reachable=False, way=way, why=why, problem=error.whole)
    value = answer.value
    return Probe(
        model.name,
        reachable=True,
        schema_obeyed=not isinstance(value, Malformed),
        correct=None if isinstance(value, Malformed) else (value.result, value.parity) == (42, "even"),
        vision=vision,
        reply_rate=_rate(answer),
        context=model.profile.context,
        seconds=answer.seconds,
        usage_reported=answer.usage.input is not None,
        cost_known=answer.usage.cost is not None,
        way=way,
        why=why,
        problem=value.error if isinstance(value, Malformed) else "",
    )


def way_of(profile: Profile) -> tuple[Literal["skills", "freely"], str]:
    """Whether a model with this profile can only use skills or works freely, and why."""
    named = f"its profile, {profile.name!r}, says that"
    if profile.freely:
        does = "writes contracts, and is held to them" if profile.contracts else "may use all actions"
        return "freely", f"{named} it {does}"
    return "skills", f"{named} it cannot write contracts, so it only chooses skills and their values, and a person confirms"


async def _sees(model: Model, deadline: float) -> bool:
    """Whether a model names the colour of a picture. If its provider refuses pictures, it has no vision."""
    parts = (Text("What colour is this picture?", "task"), Image(_picture(), "image/png", "volatile"))
    try:
        answer = await model.answer(_call(parts, deadline), _Colour)
    except ModelFailure as error:
        if error.status in (400, 415, 422, 500):
            return False
        raise
    return not isinstance(answer.value, Malformed) and answer.value.colour == SEEN


def _picture() -> bytes:
    buffer = io.BytesIO()
    Picture.new("RGB", (64, 64), SEEN).save(buffer, format="PNG")
    return buffer.getvalue()


def _call(parts: tuple[Part, ...], deadline: float) -> Call:
    return Call(role="probe", parts=parts, max_tokens=PROBE_TOKENS, deadline=deadline)


def _rate(answer: Answer[_Arithmetic]) -> float | None:
    output = answer.usage.output
    return output / answer.seconds if output and answer.seconds > 0 else None
