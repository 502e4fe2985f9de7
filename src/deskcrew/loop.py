"""The loop: COLA's figure 1 on one engine, and nothing else (docs/design/loop.md).

Each turn looks at the folded state and does the one thing that is due. A run that was killed goes on from its journal
by the same line: there is no other way into the middle of a run.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from deskcrew import limits as bounds
from deskcrew import steps
from deskcrew.errors import EnvironmentFailure, LimitReached, ModelFailure
from deskcrew.journal.fold import RunState
from deskcrew.steps import Run
from deskcrew.verdict import Outcome, Verdict

LOCAL = frozenset({"execute", "judge"})
"""What is done next without waiting for anything outside, and commits by itself before it acts: no commit before these.
That leaves one before an action, one after it, and one before a model is asked again."""
WORK = frozenset({"decide", "execute", "answer"})
"""Phases before which nothing but planning was done."""
PLANNED = "only the plan was wanted; resuming the run carries it out"


@dataclass
class Loop:
    """Runs one task to its outcome."""

    run: Run
    began: float = field(default_factory=time.monotonic)

    async def until_done(self) -> Outcome:
        """plan, schedule, then for each ready subtask decide, execute, review; then verify the goal and answer."""
        run, state = self.run, self.run.journal.state
        turn: dict[str, Any] = {
            "teach": steps.teach,
            "draft": steps.draft,
            "plan": steps.plan,
            "appeal": steps.appeal,
            "schedule": steps.schedule,
            "decide": steps.decide,
            "execute": steps.execute,
            "review": steps.review,
            "judge": steps.judge,
            "ask": steps.ask_human,
            "answer": steps.answer,
            "recover": steps.recover,
            "finish": steps.finish,
        }
        while state.outcome is None:
            try:
                await run.human_turn()
                if run.plan_only and state.phase in WORK:
                    run.stop(Verdict(kind="stop", reason="stopped", why=PLANNED))
                if state.stop is None:
                    bounds.check(state, run.limits, time.monotonic() - self.began)
                await turn[state.phase](run)
            except LimitReached as limit:
                run.stop(Verdict(kind="stop", reason=f"bound:{limit.name}", why=_with_last(limit, state)))
            except (ModelFailure, EnvironmentFailure) as failure:
                run.stop_for(failure)
            if state.phase not in LOCAL:
                run.journal.commit()
        return state.outcome


def _with_last(limit: LimitReached, state: RunState) -> str:
    """A bound by itself says nothing of what was wrong: what was last said of the work does."""
    said = state.judgement if limit.name == "repairs" else ""
    return f"{limit} The last time: {said}" if said else str(limit)
