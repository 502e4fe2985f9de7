"""Verify the goal, answer, finish. "Done" is written here and nowhere else, and only with evidence."""

from __future__ import annotations

from typing import Any

from deskcrew.events import HumanSaid, Judged, RunFinished
from deskcrew.review.answer import support
from deskcrew.review.goal import unmet
from deskcrew.roles.replies import Now
from deskcrew.steps.run import Run
from deskcrew.verdict import CheckResult, Outcome, OutcomeStatus, Verdict

SHORT = 60
"""Characters of a result that can be an answer as it is."""


async def answer(run: Run) -> None:
    """All subtasks are done: is the goal? If not, plan again; if so, answer the question, if there was one."""
    await run.look()
    state = run.journal.state
    checks = run.checks()
    failing = unmet(checks)
    if failing:
        if not run.crew.planner or state.replans >= run.limits.replans:
            reason = "bound:replans" if run.crew.planner else "gave_up"
            _finish(run, Outcome(status="failed", reason=reason, why=f"{'; '.join(failing)}.", checks=checks))
            return
        verdict = Verdict(kind="replan", why=f"{'; '.join(failing)}.")
        run.journal.append(Judged(scope="goal", verdict=verdict, by="rules", checks=checks))
        return
    if state.question:
        await _answer(run, checks)
        return
    _finish(run, _without_question(checks))


def _without_question(checks: tuple[CheckResult, ...]) -> Outcome:
    if checks and all(result.holds for result in checks):
        return Outcome(status="done", verified_by="rules", why="every check of the goal holds", checks=checks)
    why = "a check could not be looked at" if checks else "no check covers the goal"
    return Outcome(status="unverified", why=why, checks=checks)


async def _answer(run: Run, checks: tuple[CheckResult, ...]) -> None:
    state = run.journal.state
    role = run.crew.roles[run.crew.answerer]
    facts = tuple(str(found.number) for found in state.collected)
    reply = _only_result(run) or await run.asker.ask(role, Now(facts=facts), run.sight(role))
    if reply is None:
        return
    said, named = str(reply["answer"]).strip(), [str(source) for source in reply["sources"]]
    if reply["branch"] == "Unanswerable" and not said:
        _finish(run, Outcome(status="failed", reason="infeasible", why=str(reply["problem"]), checks=checks))
        return
    rule = support(state, said, named)
    if not rule.holds:
        verdict = Verdict(kind="continue", why=rule.why)
        run.journal.append(Judged(scope="answer", verdict=verdict, by="rules"))
        _finish(run, Outcome(status="unverified", answer=said, why=rule.why, checks=checks))
        return
    judged = await _supported(run, said, rule.excerpts())
    if judged is None:
        return
    supported, why = judged
    run.journal.append(
        Judged(scope="answer", verdict=Verdict(kind="accept" if supported else "continue", why=why), by="rules+model")
    )
    sources = tuple(source.event for source in rule.sources)
    unlooked = any(result.holds is None for result in checks)
    done = supported and not unlooked
    _finish(
        run,
        Outcome(
            status="done" if done else "unverified",
            answer=said,
            sources=sources,
            verified_by="rules+model" if done else None,
            why="the sources show the answer" if done else why or "a check could not be looked at",
            checks=checks,
        ),
    )


def _only_result(run: Run) -> dict[str, Any] | None:
    """Where all that was found out is one short result, that is the answer: a small model need not repeat it."""
    collected = run.journal.state.collected
    small = run.asker.model(run.crew.roles[run.crew.answerer]).profile.free_text == "none"
    if not small or len(collected) != 1 or collected[0].claimed or not 0 < len(collected[0].text.strip()) <= SHORT:
        return None
    found = collected[0]
    return {"answer": found.text.strip(), "sources": [str(found.number)], "branch": "Continue", "problem": ""}


async def _supported(run: Run, said: str, excerpts: str) -> tuple[bool, str] | None:
    role = run.crew.roles[run.crew.judge]
    while True:
        reply = await run.asker.ask(role, Now(), run.sight(role, answer=said, excerpts=excerpts))
        if reply is not None:
            return bool(reply["supported"]), str(reply["why"])
        if run.journal.state.format_errors > run.limits.format_retries:
            return None


async def ask_human(run: Run) -> None:
    """A role or a verdict asked for a person. Nobody there: the problem ends the run with its outcome."""
    asking = run.journal.state.asking
    assert asking is not None
    said = await run.human.answer(asking.why)
    if said is None:
        run.stop(Verdict(kind="stop", reason="gave_up", why=f"help was needed and nobody was there: {asking.why}"))
    else:
        run.journal.append(HumanSaid(kind="answer", text=said))


async def finish(run: Run) -> None:
    """A verdict stopped the run: say how it ended."""
    state = run.journal.state
    stop = state.stop
    assert stop is not None
    reason = stop.reason or "gave_up"
    status: OutcomeStatus = "stopped" if reason == "stopped" else "denied" if state.barred else "failed"
    checks: tuple[CheckResult, ...] = run.checks() if run.seen is not None else ()
    _finish(run, Outcome(status=status, reason="" if status == "stopped" else reason, why=stop.why, checks=checks))


def _finish(run: Run, outcome: Outcome) -> None:
    run.journal.append(RunFinished(outcome=outcome))
