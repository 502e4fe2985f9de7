"""What is said of a run that is not done: what was wrong comes first, and the commands are ones that there are."""

from __future__ import annotations

import shlex
from typing import Any

import pytest
from typer.main import get_command

from deskcrew.facts import events as e
from deskcrew.facts.events import Operation
from deskcrew.facts.observation import Evidence
from deskcrew.facts.plan import Plan, PlanPatch, Subtask
from deskcrew.facts.run_settings import RunSettings
from deskcrew.facts.verdict import NO_FIT, Check, CheckResult, Outcome, Verdict
from deskcrew.ways_in.cli.app import build
from deskcrew.ways_in.report.advice import Advice, advice
from support.bodies import started

SHELL = Operation(function="run_shell", params={"command": "ls"})
WRONG = "the file total.txt says 12 where 14 was computed"
SMALL = {"name": "local", "freely": False}
LARGE = {"name": "openai", "free_text": "full"}


def chain(*bodies: Any) -> list[e.Event]:
    found: list[e.Event] = []
    for number, body in enumerate(bodies, 1):
        header = e.Header(run="0101-aaaa", number=number, parent=None, time=float(number), type=body.type)
        found.append(e.Event(id=f"{number:064d}", header=header, digest="d" * 64, body=body))
    return found


def run(*bodies: Any, model: str = "local", profile: dict[str, Any] = SMALL, **outcome: Any) -> Advice:
    subtask = Subtask(id="1", goal="write the total", role="Programmer")
    plan = e.PlanPatched(by="Planner", patch=PlanPatch(), plan=Plan(subtasks=(subtask,)))
    begun = started().model_copy(
        update={"model": model, "profile": profile, "settings": RunSettings(limits={"operations": 30})}
    )
    told = advice("0101-aaaa", chain(begun, plan, *bodies, e.RunFinished(outcome=Outcome(**outcome))))
    assert told is not None
    return told


def reply(**fields: Any) -> e.RoleReplied:
    return e.RoleReplied(role="Programmer", subtask="1", reply={"operations": []}, model="local", **fields)


def repair(why: str = WRONG) -> e.Judged:
    return e.Judged(scope="subtask", subtask="1", verdict=Verdict(kind="repair", why=why), by="rules")


def commands(told: Advice) -> list[str]:
    return [step.command for step in told.steps if step.command]


def test_requests_that_ran_out_say_what_was_asked_for_and_how_often() -> None:
    wanted = Verdict(kind="appeal", why=WRONG)
    appeals = [e.Judged(scope="subtask", subtask=part, verdict=wanted, by="model") for part in "211"]
    told = run(reply(), *appeals, status="failed", reason="bound:appeals")
    assert told.tried.startswith(WRONG)
    assert told.tried.endswith("The planner was asked for another plan twice.")
    assert commands(told)[0].startswith("deskcrew rewind 0101-aaaa ")


def test_what_is_done_again_does_not_make_a_file_that_is_there() -> None:
    """Undoing leaves a result alone that somebody else has altered."""
    values = {"source": "may.csv", "result": "out/sorted.csv"}
    settings = RunSettings.model_validate({"replay": {"skill": "sort-table", "program": True, "values": values}})
    begun = started().model_copy(update={"settings": settings})
    made = e.Observed(observation="", evidence=Evidence(files_created=("out/sorted.csv",)))
    end = e.RunFinished(outcome=Outcome(status="failed", reason="changed", why="somebody else changed out/sorted.csv"))
    told = advice("0101-aaaa", chain(begun, made, end))
    assert told is not None
    again = f"deskcrew skill use sort-table source=may.csv result=out/sorted-2.csv --workspace {started().workspace}"
    assert commands(told) == [again, "deskcrew undo 0101-aaaa"]


def test_repairs_that_ran_out_are_not_answered_with_more_repairs() -> None:
    """Four times wrong is no lack of tries: the error comes first, then going back to before it, then a larger model."""
    again = (reply(), repair("an older fault"), reply(), repair(), reply(), repair())
    told = run(*again, status="failed", reason="bound:repairs", why=f"repairs of subtask 1: ... The last time: {WRONG}")
    assert told.tried.startswith(WRONG)
    assert "“write the total” was tried 3 times" in told.tried
    assert commands(told)[0] == 'deskcrew rewind 0101-aaaa 3 --say "..."'
    assert not [command for command in commands(told) if "--limit" in command]
    assert any("--model" in command for command in commands(told))


def test_a_larger_model_is_offered_only_where_a_small_one_was_used() -> None:
    again = (reply(), repair(), reply(), repair())
    told = run(*again, model="openai:gpt-5", profile=LARGE, status="failed", reason="bound:repairs", why="x")
    assert not [command for command in commands(told) if "--model" in command]


def test_a_bound_that_more_of_it_may_help_is_raised_by_the_command() -> None:
    told = run(reply(), status="failed", reason="bound:operations", why="30 operations were executed (limit operations).")
    assert told.tried.startswith("The limit of 30 operations was reached. Subtasks done by then: 0 of 1.")
    assert commands(told)[0] == "deskcrew resume 0101-aaaa --limit operations=60"


@pytest.mark.parametrize(
    ("by", "first"),
    [
        ("nobody", "deskcrew rewind 0101-aaaa 5 --approve"),
        ("human", 'deskcrew rewind 0101-aaaa 5 --say "..."'),
        ("policy", "deskcrew policy explain 0101-aaaa 5"),
    ],
)
def test_a_denial_says_how_to_have_it_allowed(by: Any, first: str) -> None:
    proposed = e.OperationProposed(role="Programmer", subtask="1", operation=SHELL)
    denied = e.OperationDenied(rule="no-shell", risk="execute", by=by, why="shells are not for it")
    told = run(reply(), proposed, denied, status="denied", reason="gave_up", why="shells are not for it")
    assert commands(told)[0] == first
    assert "shells are not for it" not in told.tried, "that is said with the operation"


@pytest.mark.parametrize(
    ("repeats", "first"),
    [
        (
            {"run": "sum-up", "set": {}, "skill": "sum-up", "values": {"file": "a b.csv"}},
            "deskcrew skill try sum-up --param 'file=a b.csv' --approve",
        ),
        (
            {"skill": "sum-up", "program": True, "values": {"file": "a b.csv", "then": ""}},
            "deskcrew skill use sum-up 'file=a b.csv' --approve",
        ),
        ({"run": "0100-ffff", "set": {"a": "b"}}, "deskcrew replay 0100-ffff --live --set a=b --approve"),
    ],
)
def test_what_is_repeated_and_denied_is_repeated_with_somebody_to_ask(repeats: dict[str, Any], first: str) -> None:
    begun = started().model_copy(update={"settings": RunSettings.model_validate({"replay": repeats})})
    changes = e.ChangesFound(changes="d", paths=1, losses="a.txt", effect="ask", rule="destroying", risk="destroy", why="w")
    bodies = (
        e.OperationProposed(role="Worker", subtask="1", operation=SHELL),
        e.ActionStarted(role="Worker", subtask="1", operation=SHELL, effect="lasting"),
        changes,
        e.OperationDenied(rule="destroying", risk="destroy", by="nobody", why="it would lose a.txt"),
        e.RunFinished(outcome=Outcome(status="denied", reason="gave_up", why="it would lose a.txt")),
    )
    told = advice("0101-aaaa", chain(begun, *bodies))
    assert told is not None
    explained = "deskcrew policy explain 0101-aaaa 5"
    assert commands(told) == [first, explained, "deskcrew log 0101-aaaa"], "no role replied: there is no way back"


def test_unverified_names_what_is_not_shown() -> None:
    failing = CheckResult(check=Check(kind="file_contains", target="a.txt", text="x"), holds=None)
    told = run(reply(), status="unverified", why="nothing shows it", checks=(failing,))
    assert "the file a.txt contains 'x'" in told.tried
    assert commands(told)[:2] == ["deskcrew log 0101-aaaa", "deskcrew confirm 0101-aaaa --yes"]


def test_with_several_attempts_it_is_told_how_to_take_another() -> None:
    told = run(e.Rewound(attempt=2), reply(), status="unverified", why="nothing shows it")
    assert commands(told)[0] == "deskcrew branch 0101-aaaa"
    assert "rewind --branch" in told.steps[0].words


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("status", ["failed", "unverified"])
def test_a_skill_that_was_tried_is_not_talked_to(status: Any, own: bool) -> None:
    settings = {"replay": {"skill": "note-total", "digest": "0", "values": {}}}
    place = "w" if own else "0101-aaaa"
    tries = started().model_copy(update={"settings": RunSettings.model_validate(settings), "workspace": place})
    over = e.RunFinished(outcome=Outcome(status=status, reason="mismatch" if status == "failed" else "", why="no dialog"))
    proposed = e.OperationProposed(role="Worker", subtask="1", operation=SHELL)
    told = advice("0101-aaaa", chain(tries, reply(), proposed, over))
    assert told is not None
    assert not any("rewind" in step.command or "word the task" in step.words for step in told.steps)
    # In the user's own folder it was used; in one of its own, tried.
    there = (
        f"deskcrew skill {'use note-total NAME=VALUE --workspace w' if own else 'try note-total --param NAME=VALUE'}"
        in commands(told)
    )
    assert there == (status == "failed")


def test_done_and_stopped_need_no_advice() -> None:
    for outcome in (Outcome(status="done"), Outcome(status="stopped", why="stopped by the user")):
        assert advice("r", chain(started(), e.RunFinished(outcome=outcome))) is None
    assert advice("r", chain(started())) is None


def test_a_run_without_a_reply_is_not_told_to_go_back_to_one() -> None:
    lost = run(status="failed", reason="model", why="x cannot be reached")
    assert commands(lost) == ["deskcrew resume 0101-aaaa", "deskcrew resume 0101-aaaa --model openai:gpt-5-mini"]
    silent = run(e.RoleCalled(role="Reader"), status="failed", reason="model", why="x cannot be reached")
    assert silent.tried == "x cannot be reached. Reader was asked."
    assert commands(silent)[2:] == ["deskcrew show 0101-aaaa 3 --prompt"]
    for listed in ("recorded:replies.json", "scripted:replies.json", "scripted"):
        gone = run(status="failed", reason="model", why="The script ran out.", model=listed)
        assert commands(gone) == ["deskcrew resume 0101-aaaa --model openai:gpt-5-mini"]
    late = run(status="failed", reason="bound:operations", why="30 operations were executed (limit operations).")
    assert [step.words for step in late.steps] == ["Continue with a higher limit:"]
    assert commands(late) == ["deskcrew resume 0101-aaaa --limit operations=60"]
    for reason in REASONS:
        told = run(status="failed", reason=reason, why="x")
        assert not [found for found in commands(told) if "rewind" in found]
        assert not told.steps[0].words.startswith("Or "), "it is the first of them"


REASONS = [
    *(f"bound:{name}" for name in ("repairs", "reassignments", "appeals", "replans", "format_retries", "repeats")),
    *(f"bound:{name}" for name in ("replies", "operations", "tokens", "seconds", "money", "of_tomorrow")),
    *("infeasible", "gave_up", "mismatch", "unreadable", "unchecked", "environment", "model", ""),
]  # fmt: skip


@pytest.mark.parametrize("status", ["failed", "denied", "unverified"])
@pytest.mark.parametrize("reason", REASONS)
def test_every_command_is_one_that_there_is(reason: str, status: Any) -> None:
    """Commands are taken apart by the command line itself, and each failure has one to three of them."""
    root = get_command(build())
    for bodies in ((), (reply(), repair(), reply()), (reply(), e.OperationDenied(rule="r", risk="send", by="nobody"))):
        told = run(*bodies, status=status, reason=reason, why="it broke")
        assert told.tried.strip()
        assert 1 <= len(told.steps) <= 3
        for command in commands(told):
            name, *rest = shlex.split(command)[1:]
            found: Any = root.commands[name]  # type: ignore[attr-defined]
            if hasattr(found, "commands"):
                found, rest = found.commands[rest[0]], rest[1:]
            found.make_context(name, rest, resilient_parsing=False)


def test_what_ran_in_a_folder_of_its_own_is_done_again_in_a_new_one() -> None:
    begun = started().model_copy(update={"workspace": "/data/workspaces/0101-aaaa"})
    ended = e.RunFinished(outcome=Outcome(status="failed", reason=NO_FIT, why="No skill does what is asked."))
    told = advice("0101-aaaa", chain(begun, ended))
    assert told is not None
    assert commands(told)[0] == f"deskcrew run '{begun.task}' --model openai:gpt-5-mini"
