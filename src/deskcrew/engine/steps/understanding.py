"""A small model's reading of a task, shown to a person as a sentence: their yes is evidence, the model's word is not.

Nobody else's yes counts. If nobody is there, and nobody said yes beforehand, nothing is done, and the reading is all that
comes of the run. A yes given beforehand to any reading does not let a skill that ships end a run as done: a small model may
choose one that does only a part of what is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from deskcrew.engine.authorization import Authorization
from deskcrew.engine.human.questions import Accepted, Approval, EditedReply, ReadValue, ReplyQuestion, bare_yes
from deskcrew.engine.preview import UNFIT
from deskcrew.engine.roles.recorded import recorded_crew
from deskcrew.engine.steps.common_words import NUMBERS
from deskcrew.engine.steps.covering import Named, idle, same
from deskcrew.engine.steps.filling import Unfit
from deskcrew.engine.steps.sayings import choices_said
from deskcrew.errors import CrewMistake
from deskcrew.facts.events import ConfirmedReading, SaidBefore, SkillUse, Understood
from deskcrew.facts.json_values import JsonObject
from deskcrew.facts.texts import names_file, speaks_of, stands_in
from deskcrew.facts.verdict import READ_AS, UNCONFIRMED, UNUSABLE, Verdict
from deskcrew.journal.journal import Journal
from deskcrew.learning.skills.lexicon import words_of
from deskcrew.learning.skills.skill import Parameter, Skill

DECLINED = "you said no to what was understood, so nothing was done"
UNASKED = (
    "nobody said whether this is meant, so nothing was done. Understood as: {reading} Use that skill yourself "
    "(deskcrew skill use){beforehand}, or be asked (deskcrew resume, at a terminal)"
)
BEFOREHAND = ", say yes beforehand (--yes)"
UNUSED = (
    "a mere yes is for a reading that uses all of your words, so nothing was done. Understood as: {reading} Use that skill "
    "yourself (deskcrew skill use), say it without these words, or be asked (deskcrew resume, at a terminal)"
)
AGAIN = 3
"""How often a run may come to the same reading: what is said in between then changes nothing."""
THE_SAME = (
    "it was understood the same way again, whatever was said of it, so nothing was done. Understood as: {reading} Say yes "
    "or no to that, use that skill yourself (deskcrew skill use), or reword the task"
)

MOVING = "{note}, again and again, so nothing was done"


@dataclass(frozen=True, slots=True)
class Understanding:
    """A small model's reading of the task. ``words``: the user's own words; ``asked``: what they name; ``told``: makes a
    sentence with values; ``choices``: what each value may be; ``near``: the most similar other skills; ``preview``: what
    would come of it."""

    skill: Skill
    given: JsonObject
    words: str
    asked: Named
    told: Callable[[JsonObject], str]
    choices: Mapping[str, tuple[str, ...]]
    near: Callable[[], tuple[SkillUse, ...]]
    preview: str

    def values(self, given: JsonObject) -> tuple[ReadValue, ...]:
        return tuple(
            ReadValue(
                name=each.name,
                value=str(given[each.name]),
                said=in_own_words(str(given[each.name]), each, self.words),
                choices=self.choices.get(each.name, ()),
                optional=each.optional,
            )
            for each in self.skill.method.parameters
        )

    def left(self, given: JsonObject) -> str:
        """The user's words that neither the skill nor a value takes up."""
        return ", ".join(idle(self.asked, self.skill, given))

    def event(self, given: JsonObject, by: Literal["", "human", "request"] = "", *, holds: bool = True) -> Understood:
        words = self.told(given)
        # A description has no values, even where one of them happens to be a word of it.
        told = words if self.skill.method.steps or self.skill.method.told else ""
        listed = [each.words for each in self.values(given) if each.value and not (each.said and each.value in told)]
        words = f"{words} ({'; '.join(listed)})" if listed else words
        return Understood(
            skill=self.skill.name,
            values=given,
            words=words,
            unused=self.left(given),
            by=by,
            edited=tuple(name for name, value in given.items() if value != self.given[name]),
            holds=holds,
            near=() if holds else self.near(),
            preview="" if by else self.preview,
        )


def in_own_words(value: str, parameter: Parameter, words: str) -> bool:
    """Whether a value occurs in the user's ``words``: each item of a list, a file or folder by its name, a choice also in
    the ways that its skill knows, anything else whatever the endings of its words. Conditions are made of them alone."""
    if parameter.kind in ("columns", "files") and "," in value:
        return all(in_own_words(part.strip(), parameter, words) for part in value.split(","))
    if (
        parameter.kind == "rows"
        or stands_in(value, words)
        or any(value in choices for choices in choices_said(words, parameter))
    ):
        return True
    if parameter.names_file or parameter.kind in ("files", "folder"):
        return names_file(words, value) or speaks_of(words.casefold(), PurePosixPath(value).stem.casefold())
    said, parts = words_of(words), value.casefold().split()
    return value in [NUMBERS.get(word) for word in said] or all(any(same(word, part) for word in said) for part in parts)


@dataclass(frozen=True, slots=True)
class Agreed:
    """The values that a skill is used with. ``own``: whether somebody has confirmed that this is wanted."""

    given: JsonObject
    own: bool


def _said_before(
    meant: ConfirmedReading | None, read: Understanding, edited: Callable[[JsonObject], JsonObject]
) -> Understood | None:
    """A person's yes from before the run, if the same words are read as the same skill with the same values, and the values
    that they chose are still possible; else None."""
    if meant is None or (meant.task, meant.digest, meant.read) != (read.words, read.skill.digest, read.given):
        return None
    try:
        given = edited(meant.values)
    except (ValueError, CrewMistake):
        return None
    return read.event(given, "human").model_copy(update={"said": meant.said})


def asked_for(journal: Journal) -> str:
    """The task, and what a person has said since."""
    return " ".join((journal.state.task, *(said.text for said in journal.state.guidance)))


def reading_in(journal: Journal) -> ConfirmedReading | None:
    """The reading that a person confirmed in a run, to be used in other runs; None if they confirmed none."""
    begun, said = journal.state.started, [event for event in journal.events if isinstance(event.body, Understood)]
    match [event.body for event in said[-2:]]:
        case [Understood(by="") as read, Understood(by="human", holds=True, said=None) as yes] if begun is not None:
            skills = {each.name: each for each in recorded_crew(journal).skills}
            return ConfirmedReading(
                task=asked_for(journal),
                skill=yes.skill,
                digest=skills[yes.skill].digest,
                read=read.values,
                values=yes.values,
                said=SaidBefore(run=journal.run, time=said[-1].header.time, person=begun.person),
            )
        case _:
            return None


async def agreed(
    authorization: Authorization,
    role: str,
    read: Understanding,
    edited: Callable[[JsonObject], JsonObject],
    *,
    shown: bool = False,
    note: str = "",
) -> Agreed | None:
    """The values that a person, or whoever began the run, agreed to. None if they want something else, or nobody answered.
    ``shown``: whether another process has recorded the question already; ``note``: why they are asked again."""
    record = authorization.record
    journal, told = record.journal, read.event(read.given)
    reading = f"{told.told.rstrip('.')}."
    if not shown:
        journal.append(told)
    said = (event.body for event in journal.events if isinstance(event.body, Understood))
    if sum((each.skill, each.values, each.by) == (told.skill, told.values, "") for each in said) > AGAIN:
        why = MOVING.format(note=note) if note else THE_SAME.format(reading=reading)
        record.stop(Verdict(kind="stop", reason=UNCONFIRMED, why=why))
        return None
    if (before := _said_before(authorization.meant, read, edited)) is not None:
        journal.append(before)
        return Agreed(before.values, own=True)
    if authorization.yes and not told.unused:
        if read.skill.shipped:
            return Agreed(read.given, own=False)
        journal.append(read.event(read.given, "request"))
        return Agreed(read.given, own=True)
    if read.preview.startswith(UNFIT):
        why = f"{read.preview}{READ_AS}{reading}"
        record.stop(Verdict(kind="stop", reason=UNUSABLE, why=why))
        return None
    journal.commit()  # a person may take their time
    question = ReplyQuestion(
        role=role,
        reply=read.given,
        reading=told.words,
        values=read.values(read.given),
        preview=read.preview,
        unused=told.unused,
        note=f"{note}. As it is now:" if note else "",
    )
    while True:
        answer = await authorization.human.understood(journal.state, question)
        if bare_yes(question, answer) or (answer is None and told.unused and authorization.yes):
            record.stop(Verdict(kind="stop", reason=UNCONFIRMED, why=UNUSED.format(reading=reading)))
            return None
        match answer:
            case Accepted() | Approval(allowed=True):
                journal.append(read.event(read.given, "human"))
                return Agreed(read.given, own=True)
            case Approval():
                journal.append(read.event(read.given, "human", holds=False))
                record.stop(Verdict(kind="stop", reason="stopped", why=DECLINED))
                return None
            case EditedReply(reply=reply):
                try:
                    given = edited(reply)
                except (ValueError, CrewMistake) as error:
                    wrong = error.name if isinstance(error, Unfit) else ""
                    question = question.model_copy(update={"note": str(error), "tried": reply, "wrong": wrong})
                    continue
                journal.append(read.event(given, "human"))
                return Agreed(given, own=True)
            case None:
                why = UNASKED.format(reading=reading, beforehand="" if told.unused else BEFOREHAND)
                record.stop(Verdict(kind="stop", reason=UNCONFIRMED, why=why))
                return None
            case said:
                await authorization.hear(said)
                return None
