"""Records a person's demonstration on a virtual desktop as a run: the composition root of ``deskcrew teach``.

The run begins with the desktop taken over by the person, and ends when they hand it back. Meanwhile their input is combined
with what the screen shows (``learning/repeating/demonstration.py``), and each operation is journaled as if an agent had done
it, so that the run can be inspected, kept as a skill and repeated like any other.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import anyio
import anyio.to_thread

from deskcrew.actions import gesture_of
from deskcrew.actions.applications import OPEN_APPLICATION
from deskcrew.engine import session
from deskcrew.engine.authorization import Authorization
from deskcrew.engine.context import Run
from deskcrew.engine.human.questions import Said
from deskcrew.engine.human.responder import Responder
from deskcrew.engine.replay.live import NoModel
from deskcrew.engine.request import Opened, RunRequest, prepare, workspace_of
from deskcrew.engine.roles.crew import ALONE
from deskcrew.engine.session import Beside, Watch
from deskcrew.engine.steps.answering import end_repeated
from deskcrew.engine.steps.ending import ended
from deskcrew.engine.steps.executing import act
from deskcrew.engine.steps.reviewing import review
from deskcrew.engine.surroundings import Surroundings
from deskcrew.engine.workshop.proposing import proposed
from deskcrew.engine.workshop.trying import CREW
from deskcrew.environments.desk import Desk
from deskcrew.environments.linux.applications import check_there
from deskcrew.environments.person_input import Hands
from deskcrew.errors import EnvironmentFailure, UsageError
from deskcrew.facts.events import (
    ActionFinished,
    ActionStarted,
    GoalSet,
    HumanSaid,
    Judged,
    OperationProposed,
    PlanPatched,
    RunStarted,
)
from deskcrew.facts.observation import Observation
from deskcrew.facts.plan import Plan, PlanPatch, Subtask
from deskcrew.facts.verdict import Branch, Outcome, Verdict
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import Decision
from deskcrew.learning.repeating.demonstration import TAUGHT, Demonstration, Look, Shown
from deskcrew.learning.skills.skill import PART
from deskcrew.secrets.binding import SHORTEST, Binding, Secret
from deskcrew.secrets.redactor import Redactor
from deskcrew.settings import Settings

SHOWN = "shown by a person"
NO_STEP = "no step was made of this: "
"""The prefix of an event about something that the person did but that did not become a step."""
BETWEEN = 0.1
"""Seconds between checks for the person's input."""
LIVELY = 3.0
"""Seconds after a gesture during which files may still change without a visible change."""
AT_END = 1.0
"""Seconds that programs are given at the end to finish writing files."""
UNSAID = "[not recorded]"
NOTHING = "nothing was done before the desktop was handed back"


async def teach(
    request: RunRequest,
    settings: Settings,
    *,
    human: Responder,
    watch: Watch | None = None,
    notice: Callable[[str], None] = lambda _: None,
    lend: Callable[[Desk], None] = lambda _: None,
) -> Journal:
    """Record what a person does until they hand the desktop back. The programs in ``request.opened`` are the first steps.

    Raises UsageError before anything is started, and EnvironmentFailure if the desktop cannot be started; once the run
    has begun, such a failure becomes its outcome.
    """
    if request.desktop != "virtual":
        raise UsageError("What you do can be recorded only on a virtual desktop.", hint="Leave out --desktop.")
    if not request.task.strip():
        raise UsageError("There is nothing to show.", hint='Say what: deskcrew teach "How we file invoices"')
    for program in request.opened:
        check_there(program.name)
    opened, request = request.opened, replace(request, crew=CREW, opened=(), memory="off")
    crew = prepare(request, settings)
    request, policy = session.ruled(request, settings, crew)
    place = await anyio.to_thread.run_sync(workspace_of, request, settings)

    def first(started: RunStarted) -> RunStarted:
        return started.model_copy(update={"crew": TAUGHT, "profile": {}})

    beside = Beside(model=NoModel(), watch=watch, notice=notice, lend=lend)
    async with session.beginning(request, settings, crew, place, beside, first, policy) as (journal, parts):
        taught = Teaching(opened)
        await session.go_on(journal, lambda: session.assemble(request, journal, crew, parts, human), taught.until_done)
    return journal


@dataclass
class Teaching:
    """Drives a run in which a person does everything. ``opened``: programs to open for them, as the first steps."""

    opened: Sequence[Opened] = ()
    _shown: int = 0
    _typed: list[str] = field(default_factory=list[str])
    _unsaid: list[str] = field(default_factory=list[str], repr=False)

    async def until_done(self, run: Run) -> Outcome:
        """Observe, open the programs, record what the person does, and propose checks for it."""
        record = run.record
        state = record.state
        try:
            await run.surroundings.look()
            part = PlanPatch(add=(Subtask(id=PART, goal=state.task, role=ALONE),))
            record.journal.append(PlanPatched(by=TAUGHT, why=SHOWN, patch=part, plan=Plan().patched(part)))
            for program in self.opened:
                if state.stop is None:
                    await self._open(run, program)
            await run.authorization.hear(HumanSaid(kind="take_over", text=SHOWN))
            record.journal.commit()
            await self._listen(run)
            if state.stop is None and not self._shown:
                record.stop(Verdict(kind="stop", reason="gave_up", why=NOTHING))
            if state.stop is None:
                await self._end(run.authorization)
        except EnvironmentFailure as failure:
            record.stop_for(failure)
        return await ended(run)

    async def _open(self, run: Run, program: Opened) -> None:
        record = run.record
        params = {"app_name": program.name} | ({"file": program.file} if program.file else {})
        operation = OPEN_APPLICATION.operation(**params)
        body = OperationProposed(role=ALONE, subtask=PART, operation=operation, intention=SHOWN)
        proposal = record.journal.append(body, lane=PART)
        await act(run, Decision(proposal.id, ALONE, PART, Branch.CONTINUE, [operation], 1), proposal)
        await review(run)
        done = record.state.finished_action
        if done is not None and isinstance(done.body, ActionFinished) and not done.body.ok:
            record.stop(Verdict(kind="stop", reason="gave_up", why=done.body.error))

    # -- the demonstration

    async def _listen(self, run: Run) -> None:
        """Journals what the person does until they hand the desktop back, or stop the run."""
        authorization, surroundings = run.authorization, run.surroundings
        desktop, state = surroundings.desk.desktop, run.record.state
        if state.stop is not None:
            return
        if desktop is None:
            raise EnvironmentFailure("This desktop does not report keyboard and mouse input.")
        hands = await anyio.to_thread.run_sync(desktop.hands)
        heard: list[Said] = []

        async def wait() -> None:
            while not heard and state.stop is None:
                said = await authorization.human.before_turn(state)
                if said is not None and _ends(said):
                    heard.append(said)
                elif said is not None:
                    await authorization.hear(said)

        try:
            watching = _Watching(surroundings.desk, hands, await _looked(surroundings.desk))
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(wait)
                while not heard and state.stop is None:
                    for shown in await watching.next():
                        await self._write(run, shown)
                    await anyio.sleep(BETWEEN)
                tasks.cancel_scope.cancel()
            for shown in await watching.rest():
                await self._write(run, shown)
        finally:
            await anyio.to_thread.run_sync(hands.close)
        for said in heard:
            await authorization.hear(said)

    async def _write(self, run: Run, shown: Shown) -> None:
        """Journals an operation, with the observations before and after it."""
        surroundings, journal = run.surroundings, run.record.journal
        if shown.unsaid:
            self._keep_back(surroundings, shown.unsaid)
        await surroundings.look(seen=self._without(shown.before))
        operation = shown.operation
        self._shown += 1
        if operation is None:
            run.record.judge(PART, "continue", f"{NO_STEP}{shown.why}")
            return
        self._typed += [str(operation.params["keys"])] if gesture_of(operation) == "type" and not shown.unsaid else []
        journal.append(OperationProposed(role=ALONE, subtask=PART, operation=operation, intention=SHOWN), lane=PART)
        effect = surroundings.actions[operation.function].effect
        started = journal.append(ActionStarted(role=ALONE, subtask=PART, operation=operation, effect=effect), lane=PART)
        done = ActionFinished(role=ALONE, subtask=PART, operation=operation, ok=True)
        finished = journal.append(done, lane=PART, cause=started)
        if shown.after is not None:
            await surroundings.look(cause=finished, seen=self._without(shown.after))
            await review(run)
        else:
            verdict = Verdict(kind="continue", why="the next operation began before the screen was observed")
            body = Judged(scope="effect", subtask=PART, verdict=verdict, by="rules")
            journal.append(body, lane=PART, cause=finished)
        journal.commit()

    def _keep_back(self, surroundings: Surroundings, text: str) -> None:
        """Redacts this text from everything that is recorded from now on: a page may send, and a program may save, what
        was typed."""
        self._unsaid.append(text)
        secrets = [Secret("typed", each, Binding()) for each in dict.fromkeys(self._unsaid) if len(each) >= SHORTEST]
        surroundings.record.journal.redactor = Redactor(secrets)
        surroundings.saves.points = session.points_of(surroundings.desk.workspace.root, surroundings.record.journal)

    def _without(self, seen: Observation) -> Observation:
        """An observation without the texts that must not be recorded, including those too short for the redactor."""
        if not seen.sent or not self._unsaid:
            return seen
        sent = tuple(
            request.model_copy(
                update={
                    "fields": tuple(
                        each.model_copy(update={"value": UNSAID}) if each.value in self._unsaid else each
                        for each in request.fields
                    )
                }
            )
            for request in seen.sent
        )
        return seen.model_copy(update={"sent": sent})

    # -- the end

    async def _end(self, authorization: Authorization) -> None:
        journal = authorization.record.journal
        journal.append(Judged(scope="subtask", subtask=PART, verdict=Verdict(kind="accept"), by="human"), lane=PART)
        await authorization.surroundings.look()
        journal.append(GoalSet(contract=await anyio.to_thread.run_sync(proposed, authorization.surroundings, self._typed)))
        await end_repeated(authorization, "")


class _Watching:
    """Observes a desk and the person's input to it."""

    def __init__(self, desk: Desk, hands: Hands, first: Look) -> None:
        self._desk, self._hands = desk, hands
        self._demonstration = Demonstration(first)
        self._last, self._bare = first, None
        self._moved = 0.0

    async def next(self) -> list[Shown]:
        """The operations that are complete so far."""
        await self._look()
        return self._demonstration.taken(time.monotonic())

    async def rest(self) -> list[Shown]:
        """The remaining operations."""
        await anyio.sleep(AT_END)
        await self._look(everything=True)
        return self._demonstration.taken(time.monotonic(), over=True)

    async def _look(self, *, everything: bool = False) -> None:
        began = time.monotonic()
        desktop = self._desk.desktop
        assert desktop is not None
        bare = await anyio.to_thread.run_sync(desktop.observe, abandon_on_cancel=True)
        if everything or bare is not self._bare or began - self._moved < LIVELY:
            self._last = await _looked(self._desk, began)
        self._bare = bare
        self._demonstration.saw(Look(began, time.monotonic(), self._last.seen))
        if gestures := self._hands.taken():
            self._moved = time.monotonic()
            self._demonstration.did(gestures)


async def _looked(desk: Desk, began: float | None = None) -> Look:
    began = time.monotonic() if began is None else began
    seen = await anyio.to_thread.run_sync(desk.observe, abandon_on_cancel=True)
    return Look(began, time.monotonic(), seen)


def _ends(said: Said) -> bool:
    return isinstance(said, HumanSaid) and said.kind in ("hand_back", "resume", "stop")
