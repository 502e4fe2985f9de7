"""The loop: COLA's figure 1 on one engine, and nothing else (docs/design/loop.md).

Each turn looks at the folded state and does the one thing that is due. A killed run resumes from its journal in the same
way: there is no other way into the middle of a run.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import anyio
from anyio.abc import TaskGroup

from deskcrew.engine import backtracking, proposing, steps
from deskcrew.engine import limits as bounds
from deskcrew.engine.context import Run
from deskcrew.engine.lanes import TOGETHER, WAITING, open_lanes
from deskcrew.errors import EnvironmentFailure, LimitReached, ModelFailure
from deskcrew.facts.verdict import Outcome, Verdict
from deskcrew.journal.floor import first_of
from deskcrew.journal.fold import Phase, RunState

LOCAL = frozenset({"execute", "judge"})
"""Phases that wait for nothing external, and commit by themselves before they act, so the loop does not commit before them.
That leaves one commit before an action, one after it, and one before the next model call."""
WORK = frozenset({"decide", "execute", "answer"})
"""Phases before which there was only planning."""
PLANNED = "only the plan was wanted; resuming the run carries it out"


@dataclass
class Loop:
    """Runs one task to its outcome."""

    run: Run
    _working: dict[str, anyio.CancelScope] = field(default_factory=dict[str, anyio.CancelScope])
    """The scopes that cancel the working lanes, by lane."""

    async def until_done(self) -> Outcome | None:
        """Plan, schedule, then for each ready subtask decide, execute, review, several in parallel if the crew has lanes;
        then verify the goal and answer. None if the run is to go back to an earlier reply first."""
        state = self.run.record.state
        while state.outcome is None and state.phase != "back":
            if self.run.record.crew.lanes > 1:
                state.enter("")
                await self._safely(self.run.authorization.human_turn)
                open_lanes(self.run.surroundings)
            if state.lanes:
                await self._lanes()
            else:
                await self._turn()
        return state.outcome

    async def _lanes(self) -> None:
        """Let all lanes continue that can. Once each is done or waits for the others, let one of the waiting continue."""
        state = self.run.record.state
        phases: dict[str, Phase] = {lane: state.phase_of(lane) for lane in state.lanes}
        if any(phase in TOGETHER for phase in phases.values()):
            await self._together(phases)
        elif phases:
            state.enter(min(phases, key=lambda lane: WAITING.index(phases[lane])))
            await self._turn()

    async def _together(self, phases: Mapping[str, Phase]) -> None:
        # First of all what an action did that a process began which is no more.
        self.run.record.journal.floor.clear()
        lanes = sorted(phases, key=lambda lane: phases[lane] not in ("recover", "review"))
        try:
            async with anyio.create_task_group() as group:
                self._begin([lane for lane in lanes if phases[lane] in TOGETHER], group)
        except BaseExceptionGroup as failed:
            raise first_of(failed) from None

    def _begin(self, lanes: Sequence[str], group: TaskGroup) -> None:
        for lane in lanes:
            self.run.record.journal.floor.there.append(lane)
            group.start_soon(self._lane, lane, group)

    async def _lane(self, lane: str, group: TaskGroup) -> None:
        run, state = self.run, self.run.record.state
        with anyio.CancelScope() as scope:
            self._working[lane] = scope
            async with run.record.journal.floor.held(lane):
                while lane in state.lanes and state.phase in TOGETHER:
                    await self._turn()
                    for gone in self._working.keys() - state.lanes.keys() - {lane}:
                        self._working[gone].cancel()  # a person took its part out of the plan, or changed it
                self._begin(open_lanes(run.surroundings), group)
        if self._working.get(lane) is scope:
            del self._working[lane]

    async def _turn(self) -> None:
        await self._safely(self._do_what_is_due)

    async def _safely(self, do: Callable[[], Awaitable[None]]) -> None:
        """Do something, and commit it. A limit that was reached, or a failure of model or environment, stops the run."""
        run, state = self.run, self.run.record.state
        try:
            await do()
        except LimitReached as limit:
            steps.reached(run, limit, _with_last(limit, state))
        except (ModelFailure, EnvironmentFailure) as failure:
            run.record.stop_for(failure)
        if state.phase not in LOCAL:
            run.record.journal.commit()

    async def _do_what_is_due(self) -> None:
        run, state = self.run, self.run.record.state
        turn: dict[str, Any] = {
            "teach": proposing.teach,
            "draft": proposing.draft,
            "describe": proposing.describe,
            "plan": steps.plan,
            "appeal": steps.appeal,
            "schedule": steps.schedule,
            "decide": steps.decide,
            "execute": steps.execute,
            "review": steps.review,
            "judge": steps.judge,
            "ask": steps.ask_human,
            "more": steps.ask_for_more,
            "answer": steps.answer,
            "recover": steps.recover,
            "finish": steps.finish,
        }
        await run.authorization.human_turn()
        if state.plan_only and state.phase in WORK:
            if not await steps.agree(run):
                return
            await steps.read_words(run, run.record.journal.latest)
            run.record.stop(Verdict(kind="stop", reason="planned", why=PLANNED))
        if state.stop is None and (found := backtracking.wrong(run.record)):
            await backtracking.look_back(run, found)
            return
        if state.stop is None and state.phase != "more":
            bounds.check(state, run.record.limits, run.record.seconds)
        await turn[state.phase](run)


def _with_last(limit: LimitReached, state: RunState) -> str:
    """The limit's message; for repairs with the last verdict, which says what was wrong with the work."""
    said = state.judgement if limit.name == "repairs" else ""
    return f"{limit} The last time: {said}" if said else str(limit)
