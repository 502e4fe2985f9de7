"""What a role replied, as the step that asked reads it: one class for each question.

A reply is plain data in the journal, of a type that is made for each call (``engine/roles/role_kinds.py``), where possible
from the class here: the order of its fields, their bounds and descriptions are what the model is shown. A crew may leave
fields out, so every field that some replies lack has a default here.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from deskcrew.facts.contract import Consent, SeenBy, TypedCheck
from deskcrew.facts.events import Operation
from deskcrew.facts.verdict import Branch
from deskcrew.learning.skills.course import Lesson

LONG = 4000
"""Maximum length of what a model reports or answers, in characters."""


class ReplyBase(BaseModel):
    """Base of what replies say."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Signal(ReplyBase):
    """Whether the role goes on, and the problem if not."""

    branch: Branch = Branch.CONTINUE
    problem: str = ""


class SaidSubtask(ReplyBase):
    """A subtask as a planner words it. ``role`` or ``type``: who should do it; ``needs`` None: it follows the subtask
    before."""

    goal: str
    role: str | None = None
    type: str | None = None
    expect: str | None = None
    needs: tuple[str, ...] | None = None


class InsertedSubtask(SaidSubtask):
    """A new subtask. ``before``: the id of the subtask that it comes before."""

    before: str


class RevisedSubtask(SaidSubtask):
    """A new wording for the plan's subtask with the id ``subtask``."""

    subtask: str


class Contest(ReplyBase):
    """A failed requirement that the role contests."""

    requirement: str
    why: str


class Contesting(ReplyBase):
    """A reply that may contest requirements."""

    contests: tuple[Contest, ...] = ()


class SaidPlan(Contesting, Signal):
    """A plan, or, if ``insert`` is given, changes to one."""

    subtasks: tuple[SaidSubtask, ...] = ()
    question: str = ""
    insert: tuple[InsertedSubtask, ...] | None = None
    revise: tuple[RevisedSubtask, ...] = ()
    drop: tuple[str, ...] = ()


class Search(ReplyBase):
    """What a planner looks up."""

    search: str


class OnAppeal(ReplyBase):
    """What a planner decides about a request for another plan."""

    why: Annotated[str, Field(max_length=400)]
    verdict: Literal["revise", "overrule", "ask"]


class OnWhole(ReplyBase):
    """What a planner says about the task once its plan is done."""

    summary: Annotated[str, Field(max_length=LONG)]
    why: Annotated[str, Field(max_length=400)] = ""
    verdict: Literal["accept", "revise"]


class Assignment(ReplyBase):
    """Who does a subtask."""

    subtask: str
    role: str


class SaidSchedule(Signal):
    """Who does what."""

    assignments: tuple[Assignment, ...] = ()


class SaidObjection(ReplyBase):
    """A requirement that contradicts a file."""

    requirement: str
    file: str
    why: str


class Objecting(ReplyBase):
    """A reply that may object to a requirement."""

    objection: SaidObjection | None = None


class SaidPart(ReplyBase):
    """A subtask that an agent gives to another."""

    goal: str
    role: str
    needs: tuple[str, ...] = ()


class SaidDecision(Contesting, Objecting, Signal):
    """The operations that an agent wants done, or the subtasks that it delegates."""

    intention: str = ""
    delegate: tuple[SaidPart, ...] = ()
    operations: tuple[Operation, ...] = ()


class SaidRequirement(ReplyBase):
    """A requirement as its writer words it. ``parts``: the numbers of the parts of the task that call for it."""

    parts: tuple[int, ...]
    says: str
    seen_by: SeenBy
    files: tuple[str, ...] = ()
    checks: tuple[TypedCheck, ...] = ()
    stays: bool = False


class SaidConsent(ReplyBase):
    """What a contract's writer read as ordered; only in runs from before a separate role read that."""

    parts: tuple[int, ...]
    kind: Literal["send", "remove"]
    where: str
    texts: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


class SaidContract(ReplyBase):
    """A proposed contract. ``context``: the numbers of the parts of the task that call for nothing by themselves;
    ``orders``: how many orders the named files give."""

    requirements: tuple[SaidRequirement, ...]
    context: tuple[int, ...] = ()
    question: str = ""
    orders: int = 0
    ordered: tuple[SaidConsent, ...] = ()


class OnRequirement(ReplyBase):
    """What a contract's writer says about a requirement that is contested or objected to. ``requirement`` None: it stays as
    it is."""

    why: str
    requirement: SaidRequirement | None = None


class SaidOrders(ReplyBase):
    """What the user's words order."""

    ordered: tuple[Consent, ...]


class Fit(ReplyBase):
    """Which of the user's orders an action is about, by number."""

    why: Annotated[str, Field(max_length=300)]
    fits: Literal["order", "step", "asks", "other"]
    order: Annotated[int, Field(ge=0)] = 0

    @property
    def ordered(self) -> bool:
        """Whether the action carries out one of the orders, or is a step towards that."""
        return self.fits in ("order", "step")


class SaidProgram(Objecting):
    """A Verifier's program."""

    code: str


class ReadText(ReplyBase, extra="forbid"):
    """What a reader says of one text."""

    text: int
    quote: Annotated[str, Field(max_length=300)]
    fulfils: bool


class SaidReading(ReplyBase):
    """What the reader says about all texts."""

    texts: tuple[ReadText, ...]
    why: str = ""


class Reviewed(ReplyBase):
    """What a reviewer says about an operation."""

    analyze: Annotated[str, Field(max_length=300)]
    verdict: Literal["continue", "repair"]
    judgement: Annotated[str, Field(max_length=300)]


class Checked(ReplyBase):
    """What a checker says about a subtask."""

    why: str
    verdict: Literal["accept", "adjust", "repair", "replan"]
    score: int | None = None


class SaidAnswer(Signal):
    """The answer to the task's question. ``sources``: the numbers of the findings that it rests on."""

    answer: str
    sources: tuple[str, ...] = ()


class BestAttempt(ReplyBase):
    """Which attempt does the task best, by its letter."""

    why: str
    attempt: str


class TracedFault(ReplyBase):
    """The number of the earliest reply that was wrong, or ``none``."""

    why: str
    reply: str
    guidance: str = ""


class Criticism(ReplyBase):
    """How good a made skill is, of 10, and what should be improved."""

    reasons: Annotated[str, Field(max_length=600)]
    mend: Annotated[str, Field(max_length=600, description="exactly what is to be changed; '' if nothing")]
    score: Annotated[int, Field(ge=0, le=10)]


class Lessons(ReplyBase):
    """The lessons that a teacher proposes."""

    lessons: tuple[Lesson, ...]


class SaidDescription(ReplyBase):
    """A proposed description of an agent."""

    why: str = ""
    skills: str


class SaidObservation(ReplyBase):
    """An agent's description of the screen."""

    observation: str


class Chosen(ReplyBase):
    """The skill that the task asks for, or whether it asks for the proposed one (``same``; None: not asked)."""

    skill: str = ""
    same: bool | None = None
