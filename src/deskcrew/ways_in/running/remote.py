"""A responder for a person who comes and goes: the run's process asks, and the person answers from any other process."""

from __future__ import annotations

import secrets
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import anyio

from deskcrew.engine.human.questions import (
    IGNORED,
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
    bare_yes,
)
from deskcrew.facts.events import HumanSaid
from deskcrew.ways_in.running.messages import Pending, RunNote, Told

NOTES = 50
"""The number of latest messages that are kept."""
MOST_WAITING = 100
"""The maximum number of interventions that wait to be processed by the run."""
NO_LONGER = "That question is no longer open: it was answered, or the run has continued."
AFTER_STEP = "It will be processed after this step."


@dataclass(slots=True)
class _Open:
    """An open question; ``answer`` None: nobody has answered it yet."""

    pending: Pending
    answered: anyio.Event
    answer: Response | None = None


class Remote:
    """A :class:`~deskcrew.engine.human.responder.Responder` that works while nobody is connected.

    A question stays open until its first answer, or until ``patience`` (seconds; None: unlimited) or the run's time
    (``until``, by the event loop's clock) is over. It then counts as unanswered, which means no; there are no default
    answers. A paused run waits equally long for its person. ``keep`` is called before waiting, so that clients can read
    the journal up to the question.
    """

    def __init__(self, patience: float | None = None, keep: Callable[[], None] = lambda: None) -> None:
        self.until: float | None = None
        self.notes: deque[RunNote] = deque(maxlen=NOTES)
        self.doing = ""
        """See :class:`Alive`. No change that clients are woken for."""
        self._patience, self._keep = patience, keep
        self._waiting: deque[Said] = deque()
        self._open: _Open | None = None
        self.changing = anyio.Event()
        """Set at the next change, and then replaced by a new event."""
        self._told = 0

    # Called by the run

    async def ask(self, question: Question) -> Response | None:
        self._keep()
        opened = self._open = _Open(
            Pending(id=secrets.token_hex(8), question=question, since=time.time()), answered=anyio.Event()
        )
        self.change()
        try:
            # Whether more time is granted is asked when there is none left.
            with anyio.move_on_after(self._patience if isinstance(question, LimitQuestion) else self._left()):
                await opened.answered.wait()
            return opened.answer
        finally:
            self._open = None
            self.change()

    def said(self) -> Said | None:
        if not self._waiting:
            return None
        self.change()
        return self._waiting.popleft()

    async def wait(self) -> Said | None:
        self._keep()
        with anyio.move_on_after(self._left()):
            while not self._waiting:
                await self.changing.wait()
        return self.said()

    def tell(self, text: str) -> None:
        self._told += 1
        self.notes.append(RunNote(number=self._told, time=time.time(), text=text))
        self.change()

    # Called by clients

    @property
    def question(self) -> Pending | None:
        """The question that waits for an answer."""
        return self._open.pending if self._open is not None and self._open.answer is None else None

    @property
    def waiting(self) -> tuple[Said, ...]:
        """The interventions that the run has not processed yet, oldest first."""
        return tuple(self._waiting)

    def say(self, said: Said) -> Told:
        """Adds an intervention; while a question is open, it answers the question."""
        if self._open is not None and self._open.answer is None:
            return self._answered(self._open, said)
        if len(self._waiting) >= MOST_WAITING:
            return Told(ok=False, text="Too many interventions are waiting already.")
        self._waiting.append(said)
        self.change()
        return Told(ok=True, text=AFTER_STEP)

    def answer(self, id: str, answer: Response) -> Told:
        """Answers the question with that id; refused if it is no longer open, or the answer does not fit."""
        opened = self._open
        if opened is None or opened.pending.id != id or opened.answer is not None:
            return Told(ok=False, text=NO_LONGER)
        if wrong := unfit(opened.pending.question, answer):
            return Told(ok=False, text=wrong)
        return self._answered(opened, answer)

    def change(self) -> None:
        """Signals a change."""
        self.changing.set()
        self.changing = anyio.Event()

    def _answered(self, opened: _Open, answer: Response) -> Told:
        opened.answer = answer
        opened.answered.set()
        self.change()
        return Told(ok=True)

    def _left(self) -> float | None:
        """Seconds left to wait; None: unlimited."""
        until = None if self.until is None else max(0.0, self.until - anyio.current_time())
        ends = [end for end in (self._patience, until) if end is not None]
        return min(ends, default=None)


def unfit(question: Question, answer: Response) -> str:
    """Why ``answer`` does not fit ``question``, in words for the person; '' if it does."""
    match question, answer:
        case _, HumanSaid() | PlanEdit():
            return ""
        case ReplyQuestion(), _ if bare_yes(question, answer):
            return IGNORED.format(unused=question.unused)
        case ReplyQuestion(), Accepted() | EditedReply():
            return ""
        case ReplyQuestion(), Approval(allowed=False) if question.reading:
            return ""
        case OperationQuestion(), Accepted():
            return "Say whether the operation may be done." if question.needed else ""
        case OperationQuestion(), Approval() if answer.allowed and answer.scope not in question.scopes:
            return f"This can be allowed {' or '.join(question.scopes)} only."
        case OperationQuestion(), Approval() | EditedOperation():
            return ""
        case LimitQuestion(), Approval():
            return ""
        case HelpQuestion(), _:
            return "Answer in words."
        case _:
            return "That does not answer the question."
