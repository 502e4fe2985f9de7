"""Responders: how a person is asked, at a terminal, in a web page, by a Python program, or not at all."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from inspect import isawaitable, signature
from typing import Protocol, cast

import anyio

from deskcrew.engine.human.questions import (
    IGNORE,
    Accepted,
    Approval,
    HelpQuestion,
    LimitQuestion,
    OperationQuestion,
    Question,
    ReplyQuestion,
    Response,
    Said,
)
from deskcrew.errors import UsageError
from deskcrew.facts.events import HumanSaid


class Responder(Protocol):
    """A connection to a person. The same for all modes; it need not know which one is active."""

    async def ask(self, question: Question) -> Response | None:
        """The person's answer; None if nobody is there. The ``note`` of a question that is asked again says why."""
        ...

    def said(self) -> Said | None:
        """The oldest thing that was said unprompted and not returned yet; None if there is none. Must not block."""
        ...

    async def wait(self) -> Said | None:
        """Like :meth:`said`, but waits; called while the person has paused the run. None if the person has gone."""
        ...

    def tell(self, text: str) -> None:
        """Show a line to the person. Must not block."""
        ...


@dataclass(frozen=True, slots=True)
class Passing:
    """Base of responders that wrap another: passes everything except questions on to ``responder``."""

    responder: Responder

    def said(self) -> Said | None:
        return self.responder.said()

    async def wait(self) -> Said | None:
        return await self.responder.wait()

    def tell(self, text: str) -> None:
        self.responder.tell(text)


class Nobody:
    """Nobody is there: what needs asking is denied (fail closed). ``told``: receives what a person would be told."""

    def __init__(self, told: Callable[[str], None] = lambda _: None) -> None:
        self._told = told

    async def ask(self, question: Question) -> Response | None:
        return None

    def said(self) -> Said | None:
        return None

    async def wait(self) -> Said | None:
        return None

    def tell(self, text: str) -> None:
        self._told(text)


Answer = Response | bool | str
Answering = Awaitable[Answer | None] | Answer | None
"""What a function that is asked a question may return: True or False for yes or no, a sentence as a person would type it, or
a typed answer. None: nobody answers."""
ANSWERED = "Return True or False, or a sentence that says what to do instead. Without ask, questions stay unanswered."
YES, NO = frozenset({"y", "yes", "ok"}), frozenset({"n", "no"})


class PythonResponder:
    """A responder made of plain functions, async or not, for programs that use Deskcrew as a library.

    Each function gets the typed question, and returns True or False, a sentence, or a typed answer; if it returns None, or
    was not passed, nobody answers such questions. Call :meth:`say` at any time, in the run's event loop, to intervene.
    """

    def __init__(
        self,
        *,
        reply: Callable[[ReplyQuestion], Answering] | None = None,
        operation: Callable[[OperationQuestion], Answering] | None = None,
        help: Callable[[HelpQuestion], Answering] | None = None,
        limit: Callable[[LimitQuestion], Answering] | None = None,
        told: Callable[[str], None] | None = None,
    ) -> None:
        self._reply, self._operation, self._help, self._limit = reply, operation, help, limit
        self._told = told
        self._pending: deque[Said] = deque()
        self._more = anyio.Event()

    def say(self, said: Said) -> None:
        """Intervene: pause, guide, switch, edit the plan, take over, stop..."""
        self._pending.append(said)
        self._more.set()

    async def ask(self, question: Question) -> Response | None:
        match question:
            case ReplyQuestion():
                return await _answer(question, self._reply(question)) if self._reply else None
            case OperationQuestion():
                return await _answer(question, self._operation(question)) if self._operation else None
            case HelpQuestion():
                return await _answer(question, self._help(question)) if self._help else None
            case LimitQuestion():
                return await _answer(question, self._limit(question)) if self._limit else None

    def said(self) -> Said | None:
        return self._pending.popleft() if self._pending else None

    async def wait(self) -> Said | None:
        while not self._pending:
            self._more = anyio.Event()
            await self._more.wait()
        return self._pending.popleft()

    def tell(self, text: str) -> None:
        if self._told is not None:
            self._told(text)


async def _answer(question: Question, given: object) -> Response | None:
    """The answer that a function gave. Raises UsageError if what it returned is not an answer."""
    answer: object = await given if isawaitable(given) else given
    if isinstance(answer, bool):
        return meant(question, "yes" if answer else "no")
    if isinstance(answer, str):
        return meant(question, answer)
    if answer is None or isinstance(answer, Response):
        return answer
    raise _no_answer(question, answer)


def _no_answer(question: Question, answer: object) -> UsageError:
    asked = f"A function that was asked a question (of type {question.type!r})"
    return UsageError(f"{asked} returned {answer!r}, which is not an answer.", hint=ANSWERED)


def meant(question: Question, text: str) -> Response:
    """The answer that a word or a sentence stands for. Raises UsageError if it is empty, or a no that is not allowed
    here."""
    word = text.strip().casefold()
    if not word:
        raise UsageError("The answer is empty.", hint="Say yes, no, or what to tell the crew.")
    if isinstance(question, HelpQuestion):
        return HumanSaid(kind="answer", text=text)
    if isinstance(question, OperationQuestion | LimitQuestion) and word in YES | NO:
        return Approval(allowed=word in YES)
    if isinstance(question, ReplyQuestion) and question.reading and word in NO:
        return Approval(allowed=False)
    if isinstance(question, ReplyQuestion) and question.unused and word in IGNORE:
        return Accepted(without=question.unused)
    if word in YES:
        return Accepted()
    if word in NO:
        raise UsageError("Accept the reply with yes, or say what to do instead.", hint='For example: "use the other file"')
    return HumanSaid(kind="guide", text=text, role=question.role or None)


def responder_of(ask: object) -> Responder | None:
    """The responder for the library's argument ``ask``. Raises UsageError if that is not None, a Responder, or a function of
    one parameter."""
    made = not isinstance(ask, type)  # a class has the methods, too
    if ask is None or (made and all(callable(getattr(ask, name, None)) for name in ("ask", "said", "wait", "tell"))):
        return cast("Responder | None", ask)
    if not (made and callable(ask)):
        raise UsageError(f"ask must be a function that takes a question, or a Responder, not {ask!r}.", hint=ANSWERED)
    with suppress(ValueError):  # some of C say nothing of their parameters
        try:
            signature(ask).bind(None)
        except TypeError:
            why = f"ask must be a function that takes a question, and nothing else, not {ask!r}."
            raise UsageError(why, hint=ANSWERED) from None

    async def answer(question: Question) -> Response:
        """The answer of a function for all questions. None is an error here, as it is probably an oversight."""
        if (given := await _answer(question, ask(question))) is None:
            raise _no_answer(question, given)
        return given

    return PythonResponder(reply=answer, operation=answer, help=answer, limit=answer)
