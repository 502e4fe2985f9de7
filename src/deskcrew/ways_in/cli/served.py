"""Runs on behalf of other agents, independent of the protocol (``deskcrew mcp``, ``deskcrew a2a``).

A run is a process of its own, as in the web application: it outlives the server, and people at a terminal or in a
browser can watch and answer it, too. What the other agent says counts as the user's words, except that it cannot give
permission unless it was allowed to.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Literal

import anyio

from deskcrew.engine.human.questions import LimitQuestion, OperationQuestion, Question, ReplyQuestion
from deskcrew.engine.human.responder import YES, meant
from deskcrew.errors import UsageError
from deskcrew.facts.events import Event, HumanSaid
from deskcrew.facts.observation import Frozen
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.settings import Settings
from deskcrew.ways_in.cli.person import shown
from deskcrew.ways_in.report.operations import Looks
from deskcrew.ways_in.report.render import lines
from deskcrew.ways_in.report.result import Result, result_of
from deskcrew.ways_in.report.text import one_line
from deskcrew.ways_in.running import Runs

EVERY = 0.3
"""Seconds between two reads of a run's journal."""


class RunStanding(Frozen):
    """The state of a run. ``question``: what it asks, in words; ``result``: how it ended, None while it asks."""

    run: str
    status: Literal["ended", "asking"]
    question: str = ""
    result: Result | None = None


class ToldEvent(Frozen):
    """An event in words, with its number."""

    number: int
    text: str


class Served:
    """The runs of one data folder, for one client agent. ``may_approve``: whether the agent may approve what a person would
    be asked about; ``folder``: where the runs' sockets are, None for the user's runtime folder."""

    def __init__(self, settings: Settings, *, may_approve: bool = False, folder: Path | None = None) -> None:
        self.settings, self.runs = settings, Runs(settings, folder=folder)
        self.store, self._may_approve = Store.of(settings), may_approve

    def journal(self, run: str) -> Journal:
        """The journal of a run. Raises UsageError unless an agent began the run: others belong to the user."""
        journal = self.store.journal(run)
        if not begun_by_agent(journal):
            raise UsageError(f"There is no run {run} that another agent began.")
        return journal

    async def answer(self, run: str, answer: str) -> str:
        """Answer a run's question; returns the question's id. Raises UsageError if there is none, or if only a person may
        give this answer."""
        alive = await self.runs.alive(run)
        if alive is None or alive.question is None:
            raise UsageError(f"Run {run} has no open question.")
        pending = alive.question
        yes, trusted = answer.strip().casefold() in YES, self._may_approve and not _proves(pending.question)
        if yes and not trusted and _permits(pending.question):
            raise UsageError(
                f"Only a person may allow this. They say: deskcrew answer {run} yes",
                hint="Say no, or what to do instead; or ask them, and wait.",
            )
        response = meant(pending.question, answer)
        if isinstance(response, HumanSaid):
            response = response.model_copy(update={"words_of": "agent"})
        told = await self.runs.answer(run, pending.id, response)
        if not told.ok:
            raise UsageError(told.text)
        return pending.id

    async def stop(self, run: str) -> str:
        """End a run gracefully; returns the result in words. Raises UsageError if it is not running."""
        told = await self.runs.stop(run)
        if not told.ok:
            raise UsageError(told.text)
        return told.text or "It was stopped."

    async def follow(
        self, journal: Journal, *, from_start: bool = False, answered: str = ""
    ) -> AsyncGenerator[ToldEvent | RunStanding]:
        """Yields the run's events, and at last its state: it has ended, or asks a question other than ``answered``, an id.
        ``from_start``: begin with the first event."""
        looks, new = Looks(journal), list(journal.events) if from_start else []
        while True:
            alive = await self.runs.alive(journal.run)  # first, so that nothing is missed of a run that has ended
            for event in (*new, *journal.catch_up()):
                if told := in_words(event, looks):
                    yield ToldEvent(number=event.number, text=told)
            new = []
            if alive is None:
                yield RunStanding(
                    run=journal.run, status="ended", result=result_of(journal.run, journal.events, everything=journal.all)
                )
                return
            if alive.question is not None and alive.question.id != answered:
                question = shown(alive.question.question, looks.before(journal.events[-1])).plain.strip()
                yield RunStanding(run=journal.run, status="asking", question=question)
                return
            await anyio.sleep(EVERY)


def begun_by_agent(journal: Journal) -> bool:
    """Whether another agent began a run."""
    return journal.state.started is not None and journal.state.started.words_of == "agent"


def in_words(event: Event, looks: Looks) -> str:
    """An event on one line; '' if it is not worth reporting."""
    return one_line("; ".join(line.plain.strip() for line in lines(event, looks.before(event))), 400)


def _permits(question: Question) -> bool:
    """Whether a yes to a question gives permission, or counts as evidence, as only a person's yes may."""
    contract = isinstance(question, ReplyQuestion) and question.contract
    return isinstance(question, OperationQuestion | LimitQuestion) or contract or _proves(question)


def _proves(question: Question) -> bool:
    """Whether a yes to a question is evidence that a small model understood the task. No agent may give that."""
    return isinstance(question, ReplyQuestion) and bool(question.reading)
