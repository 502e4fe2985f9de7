"""Responders: how a person is asked, at a terminal, in a web page, by a Python program, or not at all."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol, cast

import anyio

from deskcrew.engine.human.questions import HelpQuestion, OperationQuestion, Question, ReplyQuestion, Response, Said
from deskcrew.errors import UsageError


class Responder(Protocol):
    """A connection to a person. The same for all modes; it need not know which one is active."""

    async def ask(self, question: Question) -> Response | None:
        """The person's answer. None: nobody is there. A question that is asked again says in ``note`` why."""
        ...

    def said(self) -> Said | None:
        """The oldest thing that was said unprompted and not returned yet; None when there is none. Must not block."""
        ...

    async def wait(self) -> Said | None:
        """Like :meth:`said`, but waits; called while the person has paused the run. None: the person has gone."""
        ...

    def tell(self, text: str) -> None:
        """Show a line to the person. Must not block."""
        ...


@dataclass(frozen=True, slots=True)
class Passing:
    """What other responders are made of: all but the questions is passed on to ``responder`` as it is."""

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


Answering = Awaitable[Response | None] | Response | None
"""What a function that is asked returns."""
ANSWERED = (
    "Return Accepted() to a reply, Approval(allowed=True) to an operation, or None for no answer; "
    "they are in deskcrew.engine.human.questions."
)


class PythonResponder:
    """A responder made of plain functions, async or not, for programs that use Deskcrew as a library.

    Each function gets the typed question, and returns the answer, or None for none; where none is given, nobody answers such
    questions. Call :meth:`say` at any time,
    in the event loop of the run, for what is said unasked.
    """

    def __init__(
        self,
        *,
        reply: Callable[[ReplyQuestion], Answering] | None = None,
        operation: Callable[[OperationQuestion], Answering] | None = None,
        help: Callable[[HelpQuestion], Answering] | None = None,
        told: Callable[[str], None] | None = None,
    ) -> None:
        self._reply, self._operation, self._help, self._told = reply, operation, help, told
        self._pending: deque[Said] = deque()
        self._more = anyio.Event()

    def say(self, said: Said) -> None:
        """Intervene: pause, guide, switch, edit the plan, take over, stop..."""
        self._pending.append(said)
        self._more.set()

    async def ask(self, question: Question) -> Response | None:
        match question:
            case ReplyQuestion():
                return await _answer(self._reply(question)) if self._reply else None
            case OperationQuestion():
                return await _answer(self._operation(question)) if self._operation else None
            case HelpQuestion():
                return await _answer(self._help(question)) if self._help else None

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


async def _answer(given: object) -> Response | None:
    """What a function answered. Raises UsageError for what is no answer."""
    answer: object = await cast("Awaitable[object]", given) if isinstance(given, Awaitable) else given
    if answer is None or isinstance(answer, Response):
        return answer
    raise UsageError(f"A function that was asked answered {answer!r}, which is no answer.", hint=ANSWERED)


def responder_of(ask: object) -> Responder | None:
    """Who answers, from what the library is given as ``ask``. Raises UsageError for what nobody can be asked through."""
    made = not isinstance(ask, type)  # a class has the methods, too
    if ask is None or (made and all(callable(getattr(ask, name, None)) for name in ("ask", "said", "wait", "tell"))):
        return cast("Responder | None", ask)
    if not (made and callable(ask)):
        raise UsageError(f"ask cannot be {ask!r}: it is a function that gets a question, or a Responder.", hint=ANSWERED)
    function = cast("Callable[[Question], Answering]", ask)
    return PythonResponder(reply=function, operation=function, help=function)
