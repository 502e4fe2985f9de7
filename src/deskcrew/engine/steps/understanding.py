"""What a small model takes a task for, shown to a person as a sentence: their yes is the evidence that its own word is not.

Nobody else's counts. Where nobody is there, and nobody said yes beforehand, nothing that follows makes the run done. A yes
that was said beforehand, to whatever is understood, is none to one of the many skills that ship: a small model takes one
that does a part of what is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from deskcrew.engine.context import Run
from deskcrew.engine.human.questions import Accepted, Approval, EditedReply, ReplyQuestion
from deskcrew.errors import CrewMistake
from deskcrew.facts.events import Understood
from deskcrew.facts.verdict import Verdict
from deskcrew.learning.skills.skill import Skill

DECLINED = "that is not what you want. Say it in other words, or have a larger model do it"


@dataclass(frozen=True, slots=True)
class Understanding:
    """What the model takes the task for. ``told``: a sentence with given values."""

    skill: Skill
    given: dict[str, Any]
    told: Callable[[dict[str, Any]], str]

    def event(self, given: dict[str, Any], by: Literal["", "human", "request"] = "", *, holds: bool = True) -> Understood:
        words = self.told(given)
        # What a function does is told without its values, even where one of them happens to be a word of that.
        said = words if self.skill.method.steps else ""
        hidden = [f"{name}: {value}" for name, value in given.items() if str(value) and str(value) not in said]
        sentence = f"{words} ({'; '.join(hidden)})" if hidden else words
        return Understood(skill=self.skill.name, values=given, words=sentence, by=by, holds=holds)


@dataclass(frozen=True, slots=True)
class Agreed:
    """The values that a skill is used with. ``own``: somebody said that this is what is wanted."""

    given: dict[str, Any]
    own: bool


async def agreed(
    run: Run, role: str, read: Understanding, edited: Callable[[dict[str, Any]], dict[str, Any]], *, shown: bool = False
) -> Agreed | None:
    """What a person said, or who began the run. None: they want something else. ``shown``: another process asked the
    same."""
    journal, told = run.journal, read.event(read.given)
    if not shown:
        journal.append(told)
    if run.yes:
        if read.skill.shipped:
            return Agreed(read.given, own=False)
        journal.append(read.event(read.given, "request"))
        return Agreed(read.given, own=True)
    journal.commit()  # a person may take their time
    question = ReplyQuestion(role=role, reply=read.given, reading=told.words)
    while True:
        match await run.human.understood(journal.state, question):
            case Accepted() | Approval(allowed=True):
                journal.append(read.event(read.given, "human"))
                return Agreed(read.given, own=True)
            case Approval():
                journal.append(read.event(read.given, "human", holds=False))
                run.stop(Verdict(kind="stop", reason="gave_up", why=DECLINED))
                return None
            case EditedReply(reply=reply):
                try:
                    given = edited(reply)
                except (ValueError, CrewMistake) as error:
                    question = question.model_copy(update={"note": str(error), "tried": reply})
                    continue
                journal.append(read.event(given, "human"))
                return Agreed(given, own=True)
            case None:
                return Agreed(read.given, own=False)
            case said:
                await run.hear(said)
                return None
