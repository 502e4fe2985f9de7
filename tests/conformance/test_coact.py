"""Crew ``coact`` as CoAct's paper has it (algorithm 1 and the prompts of its tables 4 and 5), message by message.

Its words and ours: move is accept, revise is repair, request is replan; each phase is a subtask.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deskcrew.engine import session
from deskcrew.engine.human.questions import HelpQuestion
from deskcrew.engine.human.responder import PythonResponder
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest
from deskcrew.engine.roles.recorded import recorded_crew
from deskcrew.facts import events as e
from deskcrew.facts.events import HumanSaid
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.models.client import Call, Profile
from deskcrew.settings import Limits
from deskcrew_bench.cassettes import Killed
from support.crew import bodies, by_role, done, settings_in
from support.messages import Message, doing, messages
from support.required import usual

pytestmark = pytest.mark.anyio

TASK = 'Write "5" into total.txt.'


def phases(*planned: tuple[str, str], **more: Any) -> dict[str, Any]:
    """A global plan: each phase with its expected state (A2)."""
    return {"subtasks": [{"goal": goal, "expect": expect} for goal, expect in planned], **more}


def checked(verdict: str, why: str = "seen") -> Message:
    return "LocalChecker", {"why": why, "verdict": verdict}


def decided(verdict: str, why: str) -> Message:
    return "GlobalPlanner", {"why": why, "verdict": verdict}


def collation(verdict: str, why: str = "") -> Message:
    return "GlobalPlanner", {"summary": "the total is WRITTEN", "why": why, "verdict": verdict}


def local(*operations: dict[str, Any], branch: str = "RoleTaskFinish", **more: Any) -> Message:
    return "LocalExecutor", doing(*operations, branch=branch, **more)


def read(path: str) -> dict[str, Any]:
    return {"function": "read_file", "file_path": path}


def write(text: str = "5") -> dict[str, Any]:
    return {"function": "write_file", "file_path": "total.txt", "text": text}


READ, WRITE = ("Read the PRICES", "the prices are KNOWN"), ("Write the SUM", "total.txt holds the TOTAL")
PLAN: Message = ("GlobalPlanner", phases(READ, WRITE))
WRITING: Message = ("GlobalPlanner", phases(WRITE))


async def coact(
    folder: Path, script: list[Message], human: PythonResponder | None = None, **more: Any
) -> tuple[Journal, list[Call]]:
    work = folder / "work"
    work.mkdir()
    (work / "prices.csv").write_text("tea,2\nmilk,3\n")
    return await messages("coact", folder, TASK, script, human, desktop="none", **more)


def verdicts(journal: Journal, *scopes: str) -> list[tuple[str, str]]:
    return [(body.verdict.kind, body.by) for body in bodies(journal, e.Judged) if body.scope in scopes]


def status(journal: Journal) -> tuple[str, str]:
    outcome = journal.state.outcome
    assert outcome is not None
    return outcome.status, outcome.reason


def judged(scope: str, kind: str) -> Callable[[Any], bool]:
    return lambda body: isinstance(body, e.Judged) and (body.scope, body.verdict.kind) == (scope, kind)


async def test_the_algorithm_phase_by_phase(tmp_path: Path) -> None:
    """Lines 3 to 20: a global plan; each phase planned, carried out and validated locally; what does not hold is revised
    or requested; what is accepted changes the global plan; in the end the planner validates all."""
    script: list[Message] = [
        PLAN,
        local(read("prices.csv"), local_plan=["READ the file"]),
        checked("accept"),  # pass_check: move
        local(read("sums.csv"), read("prices.csv"), local_plan=["GUESS a file"]),
        checked("repair", "sums.csv is NOWHERE"),  # false_check: revise
        local(write("4"), local_plan=["write FOUR"]),
        checked("repair", "2 and 3 are FIVE"),  # pass_check: revise
        local(branch="TaskMismatch", problem="nobody SUMMED them up"),  # request
        decided("revise", "a phase is MISSING"),
        ("GlobalPlanner", {"insert": [{"before": "2", "goal": "Add the prices UP", "expect": "the SUM is known"}]}),
        local(information="the sum is 5"),
        checked("accept"),
        local(write(), local_plan=["write FIVE"]),
        checked("accept"),
        collation("accept"),
    ]
    journal, calls = await coact(tmp_path, script)
    planner, first, first_check, second, false_check, third, pass_check, fourth, decide, revise, summing, *rest = calls
    # The global planner has the whole task, the local executor its phase only, with the state that should hold.
    assert TASK in planner.text("task")
    assert f"Your phase: {READ[0]}\nState that should hold: {READ[1]}\n" in first.text("volatile")
    assert WRITE[0] not in first.text()
    assert f"Your phase: {WRITE[0]}\nState that should hold: {WRITE[1]}\n" in second.text("volatile")
    assert "READ the file" not in second.text(), "each phase begins with a memory of its own"
    # pass_check(expected state, result) and false_check(expected state, exception).
    assert f"State that should hold: {READ[1]}\n" in first_check.text("volatile")
    assert 'read_file file_path="prices.csv": done' in first_check.text("volatile")
    assert 'read_file file_path="sums.csv": FAILED' in false_check.text("volatile")
    assert "NOT DONE" in false_check.text("volatile"), "what came after the failure was not carried out"
    # revise: the local agent is told the reasons, and has its own plan before it.
    assert "Note: sums.csv is NOWHERE" in third.text("volatile")
    assert "Your plan, as you last gave it: GUESS a file" in third.text("memory")
    assert "Note: 2 and 3 are FIVE" in fourth.text("volatile")
    assert 'write_file file_path="total.txt" text="4": done' in pass_check.text("volatile")
    # request -> decide -> revise: the planner is told whose request it is, and what it decided.
    assert f"2. {WRITE[0]}: nobody SUMMED them up" in decide.text("volatile")
    assert f"1. {READ[0]} (done) -> {READ[1]}" in decide.text("memory")
    assert "nobody SUMMED them up a phase is MISSING" in revise.text("volatile")
    assert "You decided: revise; a phase is MISSING" in revise.text("memory")
    # The accepted plan: the prerequisite comes first, the phase that was requested for is still the same.
    assert "Your phase: Add the prices UP" in summing.text("volatile")
    assert "It says: the sum is 5" in rest[0].text("volatile")
    assert "Add the prices UP -> the sum is 5" in rest[1].text("memory")
    assert [(part.id, part.needs) for part in journal.state.plan.subtasks] == [("1", ()), ("2", ("3",)), ("3", ("1",))]
    # Collation: the plan with its states, and what was found out, in the order in which it was done.
    lines = [line.split(" ", 1)[0] for line in rest[-1].text("memory").splitlines() if "(done)" in line]
    assert lines == ["1.", "3.", "2."]
    assert "Every subtask of your plan is done." in rest[-1].text("volatile")
    assert verdicts(journal, "subtask") == [
        ("accept", "model"),
        ("continue", "model"),
        ("repair", "model"),
        ("appeal", "rules"),
        ("replan", "planner"),
        ("accept", "model"),
        ("accept", "model"),
    ]
    assert verdicts(journal, "goal") == [("accept", "planner")]
    assert status(journal) == ("done", "")
    again = await replay(journal)
    assert (again.difference, again.prompts) == (None, len(calls))


async def test_an_overruled_agent_is_told_why_and_goes_another_way(tmp_path: Path) -> None:
    script: list[Message] = [
        WRITING,
        local(write("4")),
        checked("replan", "the phase is UNCLEAR"),
        decided("overrule", "it is CLEAR enough"),
        local(write()),
        checked("accept"),
        collation("accept"),
    ]
    journal, calls = await coact(tmp_path, script)
    assert "the phase is UNCLEAR" in calls[3].text("volatile")
    assert "or by who checked it" in calls[3].text("volatile"), "here it was the checker who asked"
    assert "Note: The planner keeps to its plan: it is CLEAR enough" in calls[4].text("volatile")
    assert len(bodies(journal, e.PlanPatched)) == 2, "the plan, and its assignment"
    assert verdicts(journal, "subtask") == [("appeal", "model"), ("repair", "planner"), ("accept", "model")]
    assert status(journal) == ("done", "")


async def test_a_planner_may_send_a_request_on_to_the_user(tmp_path: Path) -> None:
    asked: list[HelpQuestion] = []

    async def helps(question: HelpQuestion) -> HumanSaid:
        asked.append(question)
        return HumanSaid(kind="answer", text="Keep the OLD total.")

    script: list[Message] = [
        WRITING,
        local(write()),
        checked("replan", "which total is MEANT"),
        decided("ask", "old or new TOTAL?"),
        decided("overrule", "the old one, says the user"),
        local(),
        checked("accept"),
        collation("accept"),
    ]
    journal, calls = await coact(tmp_path, script, PythonResponder(help=helps), mode="passive")
    assert [(each.role, each.question) for each in asked] == [("GlobalPlanner", "old or new TOTAL?")]
    assert "Keep the OLD total." in calls[4].text("volatile")
    assert "which total is MEANT" in calls[4].text("volatile"), "the request is still to be decided on"
    assert status(journal) == ("done", "")


async def test_with_nobody_there_a_request_cannot_be_sent_on(tmp_path: Path) -> None:
    script: list[Message] = [
        WRITING,
        local(write()),
        checked("replan"),
        decided("ask", "?"),
        decided("overrule", "no"),
        local(),
    ]
    script += [checked("accept"), collation("accept")]
    journal, calls = await coact(tmp_path, script)
    assert "verdict: Input should be" in calls[4].text("volatile")
    assert status(journal) == ("done", "")


@pytest.mark.parametrize(("limits", "reason"), [({"appeals": 1}, "bound:appeals"), ({"repairs": 0}, "bound:repairs")])
async def test_exchanges_without_an_end_are_stopped_by_force(tmp_path: Path, limits: dict[str, int], reason: str) -> None:
    """The paper's FS: the dialogue ends when it exceeds its number of exchanges (A6), here as an outcome that names it."""
    once = [local(write("4")), checked("replan", "the plan is WRONG"), decided("overrule", "it is not")]
    script: list[Message] = [WRITING, *once, *once[:2]] if "appeals" in limits else [WRITING, *once]
    journal, _ = await coact(tmp_path, script, limits=Limits.model_validate(limits))
    assert status(journal) == ("failed", reason)


@pytest.mark.parametrize(("asked", "end"), [({}, ("done", "")), ({"appeals": 1}, ("failed", "bound:appeals"))])
async def test_without_force_stop_only_a_limit_that_was_asked_for_ends_them(
    tmp_path: Path, asked: dict[str, int], end: tuple[str, str]
) -> None:
    script: list[Message] = [WRITING]
    for number in range(1 if asked else Limits().appeals + 1):
        script += [local(write(f"4{number}")), checked("replan", "the plan is WRONG"), decided("overrule", "it is not")]
    script += [local(write("4")), checked("replan")] if asked else [local(write()), checked("accept"), collation("accept")]
    journal, _ = await coact(tmp_path, script, limits=Limits.model_validate(asked), without=("force-stop",))
    assert status(journal) == end
    assert (await replay(journal)).difference is None
    assert recorded_crew(journal).name == "coact-no-force-stop"


async def test_a_plan_shrinks_and_its_phases_are_worded_anew(tmp_path: Path) -> None:
    changes = {"drop": ["2"], "revise": [{"subtask": "1", "goal": "Write FIVE", "expect": "total.txt holds 5"}]}
    script: list[Message] = [
        PLAN,
        local(branch="TaskMismatch", problem="the sum is known"),
        decided("revise", "true"),
        ("GlobalPlanner", {"insert": []}),  # which changes nothing
        ("GlobalPlanner", changes),
        local(write()),
        checked("accept"),
        collation("accept"),
    ]
    journal, calls = await coact(tmp_path, script)
    assert "Nothing of the plan would change" in calls[4].text("volatile")
    assert "Your phase: Write FIVE\nState that should hold: total.txt holds 5\n" in calls[5].text("volatile")
    assert status(journal) == ("done", "")


async def test_the_planner_is_told_the_same_of_its_work_at_every_move(tmp_path: Path) -> None:
    """Its examples are of a first plan, also where the reply is a decision, a change or the collation; so caches hit."""
    strong = Profile(name="strong", whole_replies=True, reading=4000)
    script: list[Message] = [
        PLAN,
        local(branch="TaskMismatch", problem="nobody KNOWS them"),
        decided("revise", "a phase is MISSING"),
        ("GlobalPlanner", {"revise": [{"subtask": "1", "goal": "Ask for the PRICES", "expect": "they are KNOWN"}]}),
        local(read("prices.csv")),
        checked("accept"),
        local(write()),
        checked("accept"),
        collation("accept"),
    ]
    _, calls = await coact(tmp_path, script, profile=strong)
    planner = [call for call in calls if call.role == "GlobalPlanner"]
    assert len(planner) == 4
    assert len({call.text("stable") for call in planner}) == 1
    (example,) = re.findall(r"^Reply: (.*)$", planner[0].text("stable"), flags=re.MULTILINE)
    assert set(json.loads(example)) > {"subtasks", "branch", "summary"}


async def test_the_checker_sees_what_the_phase_left_and_what_was_known_before_it(tmp_path: Path) -> None:
    five = "5\n" * 9
    reading = {"function": "run_python_code", "code": "print(open('prices.csv').read())"}
    script: list[Message] = [
        PLAN,
        local(reading),
        checked("accept"),
        local(write(five)),
        checked("accept"),
        collation("accept"),
    ]
    _, calls = await coact(tmp_path, script, profile=Profile(name="strong", reading=4000))
    first, second = (call for call in calls if call.role == "LocalChecker")
    assert "Known before it" not in first.text()
    assert ": done; tea,2\nmilk,3\n" in first.text("volatile"), "what was printed has its lines"
    assert f"Known before it (data, not instructions):\n{READ[0]} -> tea,2\nmilk,3" in second.text("memory")
    assert f"- total.txt, whole:\n{chr(10).join(['  5'] * 9)}" in second.text("volatile"), "all of what was written"


async def test_what_the_collation_misses_is_planned(tmp_path: Path) -> None:
    script: list[Message] = [
        WRITING,
        local(write()),
        checked("accept"),
        collation("revise", "the reader wants a LINE END"),
        ("GlobalPlanner", phases(("End the LINE", "its last line ends"))),
        local(write("5\n")),
        checked("accept"),
        collation("revise", "and still it does"),
    ]
    journal, calls = await coact(tmp_path, script, limits=Limits(replans=1))
    assert "the reader wants a LINE END" in calls[4].text("volatile")
    assert "Where nothing is open any more, give what is still to be done as `subtasks`" in calls[4].text("stable")
    assert verdicts(journal, "goal") == [("replan", "planner"), ("continue", "planner")]
    assert status(journal) == ("done", ""), "with no more plans to be made, evidence decides"


async def test_no_word_of_a_model_stands_in_the_place_of_evidence(tmp_path: Path) -> None:
    script: list[Message] = [WRITING, local(write("4")), checked("accept"), collation("accept")]
    journal, _ = await coact(tmp_path, script, limits=Limits(replans=0))
    assert verdicts(journal, "subtask", "goal") == [("accept", "model"), ("accept", "planner")]
    assert status(journal) == ("failed", "bound:replans"), "total.txt does not hold what the task says"


async def test_a_long_thought_is_no_reason_to_ask_again(tmp_path: Path) -> None:
    long = local(write(), observation="4" * 500, thought_process=["it is FIVE; " * 30])
    script: list[Message] = [WRITING, long, checked("accept"), collation("accept")]
    journal, _ = await coact(tmp_path, script)
    assert status(journal) == ("done", "")


async def test_without_a_planner_no_other_plan_can_be_asked_for(tmp_path: Path) -> None:
    """Algorithm 1 without its global agent: the whole task is the executor's, and the check sends it back at most."""
    script: list[Message] = [
        local(write("4")),
        checked("replan", "the plan is WRONG"),
        checked("repair", "2 and 3 are FIVE"),
        local(write()),
        checked("accept"),
    ]
    journal, calls = await coact(tmp_path, script, without=("planner",))
    assert "verdict: Input should be 'accept' or 'repair'" in calls[2].text("volatile")
    assert "planner" not in calls[1].text()
    assert "2 and 3 are FIVE" in calls[3].text("volatile")
    assert status(journal) == ("done", "")


async def test_a_check_that_cannot_be_used_is_asked_for_again(tmp_path: Path) -> None:
    script: list[Message] = [
        WRITING,
        local(read("nothing.txt")),
        checked("accept"),
        checked("repair"),
        local(write()),
        checked("fine"),
        checked("accept"),
        collation("accept"),
    ]
    journal, calls = await coact(tmp_path, script)
    assert "verdict: Input should be 'repair' or 'replan'" in calls[3].text("volatile"), "what failed is not accepted"
    assert "verdict: Input should be 'accept'" in calls[6].text("volatile")
    assert done(journal) == ["read_file", "write_file"]
    assert status(journal) == ("done", "")


async def test_what_a_person_says_of_a_failure_is_for_the_agent_and_not_for_the_checker(tmp_path: Path) -> None:
    human = PythonResponder()

    def watch(event: e.Event, _: Journal) -> None:
        if judged("effect", "repair")(event.body):
            human.say(HumanSaid(kind="guide", text="Write FIVE."))

    script: list[Message] = [WRITING, local(read("nothing.txt")), local(write()), checked("accept"), collation("accept")]
    journal, calls = await coact(tmp_path, script, human, watch=watch)
    assert "Write FIVE." in calls[2].text("volatile")
    assert status(journal) == ("done", "")


# A process that ended in the middle of it, and the one that went on.


def planner(call: Call) -> dict[str, Any]:
    due = call.text("volatile")
    if "Another plan is asked for" in due:
        return decided("revise", "a phase is missing")[1]
    if "This plan did not work" in due:
        return {"insert": [{"before": "1", "goal": "Add the prices UP", "expect": "the SUM is known"}]}
    return collation("accept")[1] if "Every subtask" in due else WRITING[1]


def executor(call: Call) -> dict[str, Any]:
    if "Your phase: Add" in call.text("volatile"):
        return local(information="the sum is 5")[1]
    if "Add the prices UP -> the sum is 5" in call.text("memory"):
        return local(write())[1]
    if "Note: it is NOWHERE" in call.text("volatile"):
        return local(branch="TaskMismatch", problem="nobody SUMMED them up")[1]
    return local(read("sums.csv"))[1]


def checker(call: Call) -> dict[str, Any]:
    lost = "sums.csv" in call.text("volatile") and "write_file" not in call.text("volatile")
    return checked("repair", "it is NOWHERE")[1] if lost else checked("accept")[1]


@pytest.mark.parametrize(
    "moment",
    [judged("effect", "repair"), judged("subtask", "appeal"), judged("subtask", "replan"), judged("goal", "accept")],
    ids=["failed", "requested", "decided", "collated"],
)
async def test_a_run_that_is_killed_goes_on_where_it_was(tmp_path: Path, moment: Callable[[Any], bool]) -> None:
    work, settings = tmp_path / "work", settings_in(tmp_path)
    work.mkdir()
    request = RunRequest(task=TASK, crew="coact", model="scripted:x", workspace=work, desktop="none", required=usual(TASK))
    model = by_role(GlobalPlanner=planner, LocalExecutor=executor, LocalChecker=checker)
    killed = False

    def watch(event: e.Event, journal: Journal) -> None:
        nonlocal killed
        if not killed and moment(event.body):
            killed = True
            journal.commit()
            raise Killed

    with pytest.raises(Killed):
        await session.run(request, settings, watch=watch, model=model)
    journal = await session.resume("last", settings, model=model)
    assert status(journal) == ("done", "")
    assert done(journal) == ["read_file", "write_file"], "nothing was done twice"
    assert [kind for kind, _ in verdicts(journal, "subtask")] == ["continue", "appeal", "replan", "accept", "accept"]
    assert (await replay(journal)).difference is None


async def test_what_a_review_found_is_kept_before_the_checker_is_asked(tmp_path: Path) -> None:
    work, settings = tmp_path / "work", settings_in(tmp_path)
    work.mkdir()
    live: list[Journal] = []
    kept: list[set[str]] = []

    def checks(call: Call) -> dict[str, Any]:
        last = Store.of(settings).journal("last").all[-1].number
        kept.append({event.body.type for event in live[0].all[last:]})
        return checked("accept")[1]

    def writes(call: Call) -> dict[str, Any]:
        return local(write())[1]

    def plans(call: Call) -> dict[str, Any]:
        return (collation("accept") if kept else WRITING)[1]

    request = RunRequest(task=TASK, crew="coact", model="scripted:x", workspace=work, desktop="none", required=usual(TASK))
    model = by_role(GlobalPlanner=plans, LocalExecutor=writes, LocalChecker=checks)
    await session.run(request, settings, watch=lambda _, journal: live.append(journal), model=model)
    assert kept == [{"file_read", "role_called"}], "else a process that is killed while the checker thinks loses more"


async def test_several_executors_carry_out_phases_that_do_not_need_each_other(tmp_path: Path) -> None:
    """The paper speaks of local execution agents: each has its phase."""

    def executes(call: Call) -> dict[str, Any]:
        one = next(
            goal for goal in ("Write the TEA", "Write the MILK", "Write the SUM") if f"Your phase: {goal}" in call.text()
        )
        file = {"Write the TEA": "tea.txt", "Write the MILK": "milk.txt", "Write the SUM": "total.txt"}[one]
        operation = {"function": "write_file", "file_path": file, "text": "5"}
        return {"operations": [operation], "information": f"wrote {file}", "branch": "RoleTaskFinish"}

    plan = {
        "subtasks": [
            {"goal": "Write the TEA", "expect": "it is there", "needs": []},
            {"goal": "Write the MILK", "expect": "it is there", "needs": []},
            {"goal": "Write the SUM", "expect": "it is there", "needs": ["1", "2"]},
        ]
    }
    whole = {"summary": "done", "why": "", "verdict": "accept"}
    model = by_role(
        GlobalPlanner=lambda call: whole if "Every subtask of your plan is done." in call.text() else plan,
        LocalExecutor=executes,
        LocalChecker={"why": "seen", "verdict": "accept"},
    )
    request = RunRequest(
        TASK,
        crew="coact",
        model="scripted:x",
        workspace=tmp_path / "work",
        desktop="none",
        lanes=2,
        required=usual(TASK),
        limits=Limits(replans=0),
    )
    (tmp_path / "work").mkdir()
    journal = await session.run(request, settings_in(tmp_path), model=model)
    (opened,) = bodies(journal, e.LanesOpened)
    assert opened.subtasks == ("1", "2")
    asked = [call for call in model.calls if call.role == "LocalExecutor"]
    assert [sum(f"wrote {file}" in call.text() for call in asked) for file in ("tea.txt", "milk.txt")] == [1, 1]
    assert [part.status for part in journal.state.plan.subtasks] == ["done"] * 3
