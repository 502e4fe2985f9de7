"""The person in a recorded run: says and answers what the events record. The modes are the real ones."""

from __future__ import annotations

from dataclasses import dataclass

from deskcrew.engine.authorization import HANDED_LENGTH
from deskcrew.engine.human.questions import (
    Accepted,
    Approval,
    EditedOperation,
    EditedReply,
    HelpQuestion,
    LimitQuestion,
    OperationQuestion,
    PlanEdit,
    Question,
    ReplyQuestion,
    Response,
    Said,
)
from deskcrew.engine.replay.tape import TapedJournal
from deskcrew.errors import LimitReached
from deskcrew.evidence.effect import evidence_text
from deskcrew.facts.events import (
    HumanSaid,
    Judged,
    LimitRaised,
    Observed,
    OperationApproved,
    OperationDenied,
    OperationProposed,
    PlanPatched,
    RoleReplied,
    Saved,
    Understood,
)
from deskcrew.facts.observation import Evidence
from deskcrew.facts.verdict import used_up


@dataclass(frozen=True, slots=True)
class RecordedPerson:
    """A responder that answers as recorded. It also stands in for the clock, and ends a run that ended by its time limit."""

    journal: TapedJournal

    async def ask(self, question: Question) -> Response | None:
        said = self.said()
        if said is not None:
            return said
        if isinstance(question, OperationQuestion):
            return self._about_operation(question)
        if isinstance(question, HelpQuestion):
            return None
        if isinstance(question, LimitQuestion):
            return Approval(allowed=isinstance(self.journal.tape.body, LimitRaised))
        if question.reading:
            return self._about_reading(question)
        return self._edited() or Accepted()

    def said(self) -> Said | None:
        """What the person says in the next event, None if nothing. Raises LimitReached if the run's time was up."""
        body = self.journal.tape.body
        if isinstance(body, Judged) and used_up(body.verdict.reason) == "seconds":
            raise LimitReached("seconds", body.verdict.why)
        if isinstance(body, HumanSaid) and body.kind != "edit":
            return body
        if isinstance(body, PlanPatched) and body.by == "human":
            return PlanEdit(patch=body.patch, why=body.why)
        return None

    async def wait(self) -> Said | None:
        tape = self.journal.tape
        rest = list(tape.rest(3))
        said = next((body for body in rest if isinstance(body, HumanSaid)), None)
        if said is not None and said.kind == "hand_back":
            # What changed meanwhile was added to the person's words by the engine.
            look = next((body for body in rest if isinstance(body, Observed)), None)
            changed = evidence_text(look.evidence if look is not None else Evidence(), length=HANDED_LENGTH)
            return said.model_copy(update={"text": said.text.removesuffix(changed).removesuffix("; ")})
        answer = self.said()
        if answer is None:
            raise tape.missing("the person is waited for")
        return answer

    def tell(self, text: str) -> None:
        """There is nobody to tell."""

    def _edited(self) -> EditedReply | None:
        match list(self.journal.tape.rest(2)):
            case [HumanSaid(kind="edit"), RoleReplied(reply=dict() as reply)]:
                return EditedReply(reply=reply)
            case _:
                return None

    def _about_reading(self, question: ReplyQuestion) -> Response | None:
        body = self.journal.tape.body
        if not isinstance(body, Understood) or body.by != "human":
            return None
        if not body.holds:
            return Approval(allowed=False)
        return Accepted(without=question.unused) if body.values == question.reply else EditedReply(reply=body.values)

    def _about_operation(self, question: OperationQuestion) -> Response | None:
        tape = self.journal.tape
        if isinstance(tape.body, Observed | Saved):
            # Before a yes counts it is looked at again; what was said after that is told once that look was taken.
            after = (body for body in tape.rest() if not isinstance(body, Observed | Saved))
            match next(after, None):
                case OperationApproved(by="human") as body:
                    return Approval(allowed=True, scope=body.scope, expires=body.expires)
                case _:
                    return Approval(allowed=True)
        match tape.body:
            case OperationApproved(by="human") as body:
                return Approval(allowed=True, scope=body.scope, expires=body.expires)
            case OperationApproved():
                return Accepted()
            case OperationDenied(by="human") as body:
                return Approval(allowed=False, why=body.why)
            case OperationDenied():
                return None
            case OperationProposed() as body:
                return EditedOperation(operation=body.operation)
            case _:
                raise tape.missing("a person is asked about an operation")
