"""The planner is consulted while its plan is carried out: on a request for another one (CoAct A4), and on the whole once all
parts are done (A5)."""

from __future__ import annotations

from typing import Literal

from deskcrew.context import Run
from deskcrew.environments.describe import windows_text
from deskcrew.events import Judged
from deskcrew.roles.role_kinds import Now
from deskcrew.verdict import Verdict, VerdictKind

Decision = Literal["revise", "overrule", "ask"]
DECIDED: dict[Decision, VerdictKind] = {"revise": "replan", "overrule": "repair", "ask": "ask"}
"""What follows from a planner's decision: it plans again, the part's role goes on with its reasons, or a person is asked."""
OVERRULED = "The planner keeps to its plan: {why}"
ALL_DONE = "Every subtask of your plan is done."


async def appeal(run: Run) -> None:
    """Have the planner decide on a request for another plan."""
    if run.seen is None:
        await run.look()
    state = run.journal.state
    requested, subtask = state.appeal, state.subtask
    assert requested is not None
    assert subtask is not None
    role = run.crew.roles[run.crew.planner]
    now = Now(appeal=True, human=run.human.can_help(state, role.name))
    reply = await run.asker.ask(role, now, run.sight(role, windows=windows_text(run.now)))
    if reply is None:
        return
    why, kind = str(reply["why"]), DECIDED[reply["verdict"]]
    told = {"replan": f"{requested.why} {why}".strip(), "repair": OVERRULED.format(why=why)}.get(kind, why)
    body = Judged(scope="subtask", subtask=subtask.id, verdict=Verdict(kind=kind, why=told), by="planner")
    run.journal.append(body, lane=subtask.id, cause=run.journal.events[-1])


async def collated(run: Run) -> bool:
    """Whether the planner has nothing against the end of the run, where its crew asks for that. False: ask again, or plan
    again. Where no more plans may be made, evidence alone decides."""
    state = run.journal.state
    if not run.crew.collation or state.collated:
        return True
    role = run.crew.roles[run.crew.planner]
    sight = run.sight(role, collation=ALL_DONE, windows=windows_text(run.now))
    reply = await run.asker.ask(role, Now(collation=True), sight)
    if reply is None:
        return False
    wanting = reply["verdict"] == "revise"
    again = wanting and state.replans < run.limits.replans
    why = str((wanting and reply["why"]) or reply["summary"])
    verdict = Verdict(kind="replan" if again else "continue" if wanting else "accept", why=why)
    run.journal.append(Judged(scope="goal", verdict=verdict, by="planner"), cause=run.journal.events[-1])
    return not again
