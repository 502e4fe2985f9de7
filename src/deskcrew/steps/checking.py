"""Check a part: a model says whether the state holds that should, where the crew has somebody for it (A3, M6, F13).

It is asked where rules have nothing against the part, or after a failure: its word stands beside evidence, not in its place.
"""

from __future__ import annotations

from collections.abc import Sequence

from deskcrew.context import Run
from deskcrew.events import Judged
from deskcrew.plan import Subtask
from deskcrew.roles.role_kinds import Now
from deskcrew.verdict import Verdict, VerdictKind


def wanted(run: Run, subtask: Subtask) -> bool:
    """Whether a failure is to be checked before the part's role goes on."""
    failed = run.crew.check == "failures" and run.journal.state.failed == subtask.id
    return bool(run.crew.checker) and failed and run.skill is None


async def checked(run: Run, subtask: Subtask, found: Sequence[str] = (), *, failed: bool = False) -> Verdict | None:
    """What the checker says of a part. ``found``: what rules have against the goal by now, which it is shown; ``failed``: it
    is asked because of a failure. None: its reply could not be used, ask again."""
    role = run.crew.roles[run.crew.checker]
    reply = await run.asker.ask(role, Now(failed=failed), run.sight(role, evidence="; ".join(found)), subtask=subtask)
    if reply is None:
        return None
    kind: VerdictKind = "appeal" if reply["verdict"] == "replan" and run.crew.appeals else reply["verdict"]
    return Verdict(kind=kind, why="" if kind == "accept" else str(reply["why"]))


async def check_failure(run: Run, subtask: Subtask) -> None:
    """Check a part one of whose operations failed (A3's false_check)."""
    verdict = await checked(run, subtask, failed=True)
    if verdict is None:
        return
    if verdict.kind == "repair":  # the failure itself has been counted
        verdict = verdict.model_copy(update={"kind": "continue"})
    body = Judged(scope="subtask", subtask=subtask.id, verdict=verdict, by="model")
    run.journal.append(body, lane=subtask.id, cause=run.journal.events[-1])
