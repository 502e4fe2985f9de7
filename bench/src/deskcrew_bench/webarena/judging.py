"""A model that says whether two wordings mean the same, where WebArena asks one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeVar

from pydantic import BaseModel, Field

from deskcrew.errors import ModelFailure, UsageError
from deskcrew.models.client import Call, Malformed, Model, Text

_ROLE = "WebArenaJudge"
_TOKENS = 768
_TRIES = 2
_ANSWER = """You compare an answer with the right one. It may be worded in another way; what counts is whether it says
the same. Where either says N/A, it means that the task cannot be done. An answer that is right in part only is partially
correct.
Reply with JSON: {"why": one sentence, "grade": "correct", "partially correct" or "incorrect"}"""
_REASON = """A task cannot be done, for a reason that is known. Somebody tried it and reports on it. You say whether the
report speaks of that reason, be it only between the lines.
Reply with JSON: {"why": one sentence, "reason": "same" or "different"}"""


class Grade(BaseModel):
    """How good an answer is."""

    why: str = Field(description="in one sentence")
    grade: Literal["correct", "partially correct", "incorrect"]


class Comparison(BaseModel):
    """Whether a report is about a reason."""

    why: str = Field(description="in one sentence")
    reason: Literal["same", "different"]


Said = TypeVar("Said", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class ModelJudge:
    """See :class:`~deskcrew_bench.webarena.evaluators.Judge`. What is asked and graded is as in WebArena, the wording
    is not. ``made``: a new client of the model, for each question. Raises ModelFailure where there is no reply."""

    made: Callable[[], Model]

    def __post_init__(self) -> None:
        """Raises UsageError for a model that is too small."""
        model = self.made()
        if not model.profile.contracts:
            hint = "Name a model that can reason: --judge MODEL."
            raise UsageError(f"{model.name} is too small to judge answers.", hint=hint)

    async def same_answer(self, task: str, reference: str, answer: str) -> bool:
        asked = f"Task: {task}\nRight answer: {reference}\nAnswer: {answer}"
        return (await self._asked(_ANSWER, asked, Grade)).grade == "correct"

    async def same_reason(self, task: str, reason: str, report: str) -> bool:
        asked = f"Task: {task}\nReason: {reason}\nReport: {report}"
        return (await self._asked(_REASON, asked, Comparison)).reason == "same"

    async def _asked(self, stable: str, asked: str, kind: type[Said]) -> Said:
        model = self.made()
        parts, error = (Text(stable, "stable"), Text(asked, "volatile")), ""
        try:
            for _ in range(_TRIES):
                again = (Text(f"Your last reply could not be read: {error}", "volatile"),) if error else ()
                call = Call(_ROLE, (*parts, *again), _TOKENS, deadline=model.profile.seconds)
                reply = await model.answer(call, kind)
                if not isinstance(reply.value, Malformed):
                    return reply.value
                error = reply.value.error
        finally:
            await model.close()
        raise ModelFailure(f"The judge {model.name} gave no reply that can be read: {error}")
