"""The person in the loop: what the loop asks them, and when, in the three modes of COLA 3.4.

In every mode a person may say something at any time; a mode only decides what is asked. ``automatic`` asks nothing: problems
end the run with its outcome, and what the guard would ask about is denied. ``passive`` asks when a role, a verdict or the
guard needs a person, and, before anything is done, about the contract or a small model's reading of the task. ``active``
asks after each reply and before each operation as well; if nobody is there, nothing is done.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar, cast

from deskcrew.engine.human.questions import (
    IGNORED,
    Accepted,
    Approval,
    EditedOperation,
    EditedReply,
    HelpQuestion,
    LimitQuestion,
    Mode,
    OperationQuestion,
    PlanEdit,
    Question,
    ReplyQuestion,
    Response,
    Said,
    bare_yes,
)
from deskcrew.engine.human.responder import Responder
from deskcrew.facts.events import HumanSaid
from deskcrew.journal.fold import RunState

AnswerT = TypeVar("AnswerT", bound=Response)
TRIES = 3
"""The number of unsuitable answers after which a question counts as not answered."""
GONE = HumanSaid(kind="stop", text="the run was paused, and nobody is connected to it any more")


@dataclass(frozen=True, slots=True)
class Human:
    """Asks the person about each role as its mode demands. Modes may change during the run."""

    responder: Responder

    def can_help(self, state: RunState, role: str) -> bool:
        """Whether ``role`` may ask a person for help; else it can only give up."""
        return mode_of(state, role) != "automatic"

    async def before_turn(self, state: RunState) -> Said | None:
        """What was said since the last call; almost always None. Waits only while a person has paused the run."""
        if state.held is None:
            return self.responder.said()
        return await self.responder.wait() or GONE

    async def after_reply(self, state: RunState, question: ReplyQuestion) -> EditedReply | Said | None:
        """Ask about a well-formed reply. None: it is used unchanged."""
        mode = mode_of(state, question.role)
        said = self.responder.said()
        if said is not None or mode == "automatic" or (mode == "passive" and not question.contract):
            return said
        note = "That does not answer this: accept it, edit it, or say what to change."
        answer = await self._asked(question, (Accepted, EditedReply, HumanSaid, PlanEdit), note)
        return None if isinstance(answer, Accepted) else answer

    async def understood(self, state: RunState, question: ReplyQuestion) -> Accepted | Approval | EditedReply | Said | None:
        """Ask whether a small model's reading of the task is right: yes, no, or other values. If it leaves out words of the
        task, a bare yes is asked about again, and returned in the end. None if nobody answers."""
        answer = None
        for _ in range(TRIES):
            answer = await self._answered(state, question, (Accepted, Approval, EditedReply, HumanSaid, PlanEdit))
            if not bare_yes(question, answer):
                return answer
            question = question.model_copy(update={"note": IGNORED.format(unused=question.unused)})
        return answer

    async def before_operation(
        self, state: RunState, question: OperationQuestion
    ) -> Accepted | Approval | EditedOperation | Said | None:
        """Ask about an operation that the guard does not deny; mere acceptance is not enough if the guard asks. None: nobody
        answered, so it is denied."""
        mode = mode_of(state, question.role)
        if (said := self.responder.said()) is not None:
            return said
        if mode == "automatic" or (mode == "passive" and not question.needed):
            return None if question.needed else Accepted()
        answers = (Approval, EditedOperation, HumanSaid, PlanEdit)
        note = "That does not answer this: say whether the operation may be done."
        return await self._asked(question, answers if question.needed else (Accepted, *answers), note)

    async def help(self, state: RunState, question: HelpQuestion) -> Said | None:
        """The person's answer to a role that asks for help, usually ``answer``. None: nobody is there."""
        return await self._answered(state, question, (HumanSaid, PlanEdit))

    async def more(self, state: RunState, question: LimitQuestion) -> Approval | Said | None:
        """The person's yes or no to raising a limit that was reached. None: nobody is there."""
        return await self._answered(state, question, (Approval, HumanSaid, PlanEdit))

    async def _answered(
        self, state: RunState, question: ReplyQuestion | HelpQuestion | LimitQuestion, kinds: tuple[type[AnswerT], ...]
    ) -> AnswerT | Said | None:
        """What was said since, else an answer of one of these kinds. None: nobody is there."""
        said = self.responder.said()
        if said is not None or not self.can_help(state, question.role):
            return said
        return await self._asked(question, kinds, "That does not answer the question.")

    async def _asked(self, question: Question, kinds: tuple[type[AnswerT], ...], note: str) -> AnswerT | None:
        """An answer of one of these kinds; another is asked for again, with ``note``. None: nobody gives one."""
        for _ in range(TRIES):
            answer = await self.responder.ask(question)
            if answer is None or isinstance(answer, kinds):
                return answer
            if isinstance(question, ReplyQuestion | OperationQuestion):
                question = question.model_copy(update={"note": note})
            else:
                self.tell(note)
        return None

    def tell(self, text: str) -> None:
        """Tell the person why something they wanted is not possible. Does not wait."""
        self.responder.tell(text)


def mode_of(state: RunState, role: str = "") -> Mode:
    """The mode that applies to ``role``; for '' the mode of roles without their own."""
    begun = state.started.mode if state.started is not None else "automatic"
    return cast("Mode", state.modes.get(role) or state.modes.get("") or begun)
