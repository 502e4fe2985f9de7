"""The three modes of COLA 3.4 over one :class:`~deskcrew.engine.human.responder.Responder`, and the one that chooses by
role.

In every mode a person may say something at any time; a mode only decides what is asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar, cast

from deskcrew.engine.human.human import Human
from deskcrew.engine.human.questions import (
    Accepted,
    Approval,
    EditedOperation,
    EditedReply,
    HelpQuestion,
    Mode,
    OperationQuestion,
    PlanEdit,
    ReplyQuestion,
    Said,
)
from deskcrew.engine.human.responder import Responder
from deskcrew.facts.events import HumanSaid
from deskcrew.journal.fold import RunState

Q = TypeVar("Q", ReplyQuestion, OperationQuestion)
Understanding = Accepted | Approval | EditedReply | Said | None
TRIES = 3
"""The number of unsuitable answers after which a question counts as not answered."""
GONE = HumanSaid(kind="stop", text="the run was held, and nobody is there any longer")


@dataclass(frozen=True, slots=True)
class Automatic:
    """Asks nothing. A problem ends the run with its outcome; what the guard would ask about is denied."""

    responder: Responder

    def can_help(self, state: RunState, role: str) -> bool:
        return False

    async def before_turn(self, state: RunState) -> Said | None:
        if state.held is None:
            return self.responder.said()
        return await self.responder.wait() or GONE

    async def after_reply(self, state: RunState, question: ReplyQuestion) -> EditedReply | Said | None:
        return self.responder.said()

    async def understood(self, state: RunState, question: ReplyQuestion) -> Understanding:
        return self.responder.said()

    async def before_operation(
        self, state: RunState, question: OperationQuestion
    ) -> Accepted | Approval | EditedOperation | Said | None:
        return self.responder.said() or (None if question.needed else Accepted())

    async def help(self, state: RunState, question: HelpQuestion) -> Said | None:
        return self.responder.said()

    def tell(self, text: str) -> None:
        self.responder.tell(text)


@dataclass(frozen=True, slots=True)
class Passive(Automatic):
    """Asks when a role asks for help, a verdict does, or the guard does, and before anything is done about the contract, or
    about what a small model takes the task for."""

    def can_help(self, state: RunState, role: str) -> bool:
        return True

    async def before_operation(
        self, state: RunState, question: OperationQuestion
    ) -> Accepted | Approval | EditedOperation | Said | None:
        said = self.responder.said()
        if said is not None:
            return said
        return await self._about(question) if question.needed else Accepted()

    async def help(self, state: RunState, question: HelpQuestion) -> Said | None:
        said = self.responder.said()
        if said is not None:
            return said
        for _ in range(TRIES):
            answer = await self.responder.ask(question)
            if answer is None or isinstance(answer, HumanSaid | PlanEdit):
                return answer
            self.responder.tell("That does not answer the question.")
        return None

    async def after_reply(self, state: RunState, question: ReplyQuestion) -> EditedReply | Said | None:
        return self.responder.said() or (await self._reply(question) if question.contract else None)

    async def understood(self, state: RunState, question: ReplyQuestion) -> Understanding:
        for _ in range(TRIES):
            answer = self.responder.said() or await self.responder.ask(question)
            if not isinstance(answer, EditedOperation):
                return answer
        return None

    async def _reply(self, question: ReplyQuestion) -> EditedReply | Said | None:
        """The person's answer about a reply; None: it stays unchanged."""
        for _ in range(TRIES):
            answer = await self.responder.ask(question)
            match answer:
                case None | Accepted():
                    return None
                case EditedReply() | HumanSaid() | PlanEdit():
                    return answer
                case _:
                    question = _noted(question, "That does not answer this: accept it, edit it, or say what to change.")
        return None

    async def _about(self, question: OperationQuestion) -> Accepted | Approval | EditedOperation | Said | None:
        """The person's answer about an operation. Mere acceptance is not enough if the guard asks."""
        for _ in range(TRIES):
            answer = await self.responder.ask(question)
            if not isinstance(answer, EditedReply) and not (question.needed and isinstance(answer, Accepted)):
                return answer
            question = _noted(question, "That does not answer this: say whether the operation may be done.")
        return None


@dataclass(frozen=True, slots=True)
class Active(Passive):
    """Asks after each reply and before each operation. If nobody is there, nothing is done."""

    async def after_reply(self, state: RunState, question: ReplyQuestion) -> EditedReply | Said | None:
        return self.responder.said() or await self._reply(question)

    async def before_operation(
        self, state: RunState, question: OperationQuestion
    ) -> Accepted | Approval | EditedOperation | Said | None:
        return self.responder.said() or await self._about(question)


def _noted(question: Q, note: str) -> Q:
    return question.model_copy(update={"note": note})


class Modes:
    """The mode that applies to the role in question; a change during the run overrides how it began."""

    def __init__(self, responder: Responder) -> None:
        self._responder = responder
        self._modes: dict[Mode, Human] = {
            "automatic": Automatic(responder),
            "passive": Passive(responder),
            "active": Active(responder),
        }

    def can_help(self, state: RunState, role: str) -> bool:
        return self._of(state, role).can_help(state, role)

    async def before_turn(self, state: RunState) -> Said | None:
        return await self._of(state, "").before_turn(state)

    async def after_reply(self, state: RunState, question: ReplyQuestion) -> EditedReply | Said | None:
        return await self._of(state, question.role).after_reply(state, question)

    async def understood(self, state: RunState, question: ReplyQuestion) -> Understanding:
        return await self._of(state, question.role).understood(state, question)

    async def before_operation(
        self, state: RunState, question: OperationQuestion
    ) -> Accepted | Approval | EditedOperation | Said | None:
        return await self._of(state, question.role).before_operation(state, question)

    async def help(self, state: RunState, question: HelpQuestion) -> Said | None:
        return await self._of(state, question.role).help(state, question)

    def tell(self, text: str) -> None:
        self._responder.tell(text)

    def _of(self, state: RunState, role: str) -> Human:
        return self._modes[mode_of(state, role)]


def mode_of(state: RunState, role: str = "") -> Mode:
    """The mode that applies to ``role``; '' for those without one of their own."""
    begun = state.started.mode if state.started is not None else "automatic"
    return cast("Mode", state.modes.get(role) or state.modes.get("") or begun)
