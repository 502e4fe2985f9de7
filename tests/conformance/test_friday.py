"""Crew ``friday`` as FRIDAY's paper has it: the graph of figure 5(a) and the loop of figure 3, message by message.

Its words and ours: complete is accept, amend is repair, a node's dependencies are its needs.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as Pictures
from rich.console import Console

from deskcrew.engine import session
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest
from deskcrew.engine.roles.crew import BUILTIN as CREWS
from deskcrew.engine.roles.crew import load_crew, within_reach, without_pool
from deskcrew.engine.roles.role import BUILTIN, load_roles
from deskcrew.engine.roles.view import capabilities
from deskcrew.engine.workshop.making import recorded_in
from deskcrew.errors import UsageError
from deskcrew.facts import events as e
from deskcrew.journal.journal import Journal
from deskcrew.models.client import Call, Image, Profile
from deskcrew.settings import Limits
from deskcrew.ways_in.cli.ending import panel
from deskcrew.ways_in.report import render
from deskcrew_bench.cassettes import Killed
from support.crew import bodies, by_role, done, settings_in
from support.messages import Message, doing, messages
from support.required import usual
from support.sampling import sampled

pytestmark = pytest.mark.anyio

TASK = 'Write "5" into total.txt.'


def node(goal: str, type: str = "code", *needs: str) -> dict[str, Any]:
    """A node of the graph: description, type and dependencies (F1, F2)."""
    return {"goal": goal, "type": type, "needs": list(needs)}


def graph(*nodes: dict[str, Any]) -> Message:
    return "GraphPlanner", {"subtasks": list(nodes)}


def inserted(before: str, new: dict[str, Any]) -> Message:
    return "GraphPlanner", {"insert": [{"before": before, **new}]}


def code(text: str, role: str = "ToolGenerator", **more: Any) -> Message:
    return role, doing({"function": "run_python_code", "code": text}, branch="RoleTaskFinish", **more)


def says(text: str, role: str = "ToolGenerator") -> Message:
    return code(f"print({text!r})", role)


def writes(text: str) -> str:
    return f"open('total.txt', 'w').write({text!r})"


def answers(text: str) -> Message:
    return "QuestionAnswerer", {"information": text, "branch": "RoleTaskFinish"}


def complete(score: int | None = None) -> Message:
    return "Critic", {"why": "it is DONE", "verdict": "accept", "score": score}


def amend(why: str) -> Message:
    return "Critic", {"why": why, "verdict": "repair"}


def lacking(why: str) -> Message:
    return "Critic", {"why": why, "verdict": "replan"}


async def friday(folder: Path, script: list[Message], **more: Any) -> tuple[Journal, list[Call]]:
    work = folder / "work"
    work.mkdir()
    (work / "prices.csv").write_text("tea,2\nmilk,3\n")
    return await messages("friday", folder, TASK, script, desktop="none", **more)


def verdicts(journal: Journal) -> list[tuple[str, int | None]]:
    judged = (body for body in bodies(journal, e.Judged) if body.scope == "subtask")
    return [(body.verdict.kind, body.verdict.score) for body in judged]


def status(journal: Journal) -> tuple[str, str]:
    outcome = journal.state.outcome
    assert outcome is not None
    return outcome.status, outcome.reason


def printed(journal: Journal) -> str:
    """How the run's end is shown."""
    out = Console(width=200, record=True, file=StringIO())
    out.print(panel(journal.run, list(journal.events)))
    return out.export_text()


def whose(journal: Journal) -> dict[str, str | None]:
    return {part.id: part.role for part in journal.state.plan.subtasks}


WRITE = graph(node("Write the SUM of the prices into total.txt"))


async def test_the_graph_of_figure_5_node_by_node(tmp_path: Path) -> None:
    """Nodes 1, 2 and 3 need nothing, 4 needs 2, 6 needs 3, and 5 needs 1 and 4: each comes after what it needs (F4), and is
    told what those found out, and nothing else (F5)."""
    script: list[Message] = [
        graph(
            node("Find ALPHA"),
            node("Find BETA"),
            node("Find GAMMA"),
            node("Conclude from BETA", "qa", "2"),
            node("Write the total", "code", "1", "4"),
            node("Conclude from GAMMA", "qa", "3"),
        ),
        *(says("alpha-1"), complete(8)),
        *(says("beta-2"), complete(7)),
        *(says("gamma-3"), complete(7)),
        *(answers("delta-4"), complete()),
        *(code(writes("5")), complete(3)),
        *(answers("zeta-6"), complete()),
    ]
    journal, calls = await friday(tmp_path, script)
    planner, agents = calls[0], calls[1::2]
    assert TASK in planner.text("task")
    for type in ("code", "api", "qa"):
        assert f"\n- {type}: " in planner.text("stable"), "the planner is told of types, not of agents"
    assert "ToolGenerator" not in planner.text()
    told = {call.role for call in calls if f"The system: {platform.system()} on" in call.text("task")}
    assert told == {"GraphPlanner", "ToolGenerator"}, "who writes code for it, or plans that (F3)"
    assert "a value that nothing gives (name it" in agents[0].text("stable"), "the paper's fake parameters"
    assert "transcribe_speech" in load_roles((BUILTIN,))["ApiCaller"].domain, "one of the paper's first tools (F22)"
    assert "\n- gui: " not in planner.text("stable"), "there is no desktop"
    found = ("alpha-1", "beta-2", "gamma-3", "delta-4", "zeta-6")
    seen = [{each for each in found if each in call.text()} for call in agents]
    assert seen == [set(), set(), set(), {"beta-2"}, {"alpha-1", "delta-4"}, {"gamma-3"}]
    goals = ("Find ALPHA", "Find BETA", "Find GAMMA", "Conclude from BETA", "Write the total", "Conclude from GAMMA")
    for call, goal in zip(agents, goals, strict=True):
        assert call.text("volatile").rstrip().endswith(f"{goal}\nReply:")
        assert TASK in call.text(), "in the paper who runs something is told its node only, which hides what it is for"
    # The critic is shown what comes next, and each node's type.
    assert "5. Write the total (code, after 1, 4)" in calls[2].text("memory")
    assert verdicts(journal) == [("accept", score) for score in (8, 7, 7, None, 3, None)]
    assert status(journal) == ("done", "")
    again = await replay(journal)
    assert (again.difference, again.prompts) == (None, len(calls))


SUM = """import csv

def sum_column(source, column):
    '''Add up a column of a CSV file, which has no header.'''
    with open(source, newline='') as file:
        return sum(int(row[column]) for row in csv.reader(file))

open('total.txt', 'w').write(str(sum_column('prices.csv', {column})))
"""


async def test_the_loop_of_figure_3_step_by_step(tmp_path: Path) -> None:
    """Generator, executor, critic; what failed goes to the refiner with the critic's reasons, until it is complete and
    scored; what is proven with 8 or more may become a tool, and that is the code that passed (W17)."""
    failing, wrong, right = SUM.format(column=9), writes("4"), SUM.format(column=1)
    script: list[Message] = [
        WRITE,
        code(failing),
        amend("there is no column NINE"),
        code(wrong, "ToolRefiner", analyze="the last one"),
        amend("2 and 3 are FIVE"),
        code(right, "ToolRefiner"),
        complete(),  # of code that nobody scored
        complete(9),
    ]
    journal, calls = await friday(tmp_path, script)
    _, _, error, first, output, second, unscored, scored = calls
    assert all(TASK in call.text() for call in calls), "generator, critic and refiner know what it is for"
    # The critic sees code and error; the refiner the whole code, what came of it, and the critic's reasons.
    assert "IndexError: list index out of range" in error.text("volatile")
    assert "sum_column('prices.csv', 9)" in error.text("volatile")
    for line in failing.splitlines():
        assert line.replace("\\", "\\\\") in first.text("volatile").replace("\\n", "\n"), "what is mended is seen whole"
    assert "Note: there is no column NINE" in first.text("volatile")
    assert "write('4')" in output.text("volatile")
    assert "Note: 2 and 3 are FIVE" in second.text("volatile")
    assert "score: Python code did this" in scored.text("volatile")
    assert "total.txt" in unscored.text("volatile")
    assert verdicts(journal) == [("continue", None), ("repair", None), ("accept", 9)]
    assert whose(journal) == {"1": "ToolRefiner"}
    assert status(journal) == ("done", "")
    # The score stands beside the evidence, wherever judgements are shown.
    judged = next(body for body in bodies(journal, e.Judged) if body.verdict.score)
    assert render.judged(judged)[0].plain == "the subtask: accepted, score 9 of 10 (by a model)"
    assert f"deskcrew skill make --from {journal.run} (its code was scored 9 of 10)" in printed(journal)
    (recorded,), prices = recorded_in(journal), {"prices.csv": b"tea,2\nmilk,3\n"}
    sides = (recorded.states.start, recorded.states.end)
    assert recorded.code == right
    held = [{path: recorded.states.get(each.digest) for path, each in side.by_path.items() if each.digest} for side in sides]
    assert held == [prices | {"total.txt": b"4"}, prices | {"total.txt": b"5"}], "before and after what passed"
    assert (await replay(journal)).difference is None


async def test_each_node_that_scored_enough_is_a_tool_for_its_own_goal(tmp_path: Path) -> None:
    """F14, of more than one node: the best first, each with the files before and after its own code."""
    script: list[Message] = [
        graph(node("Find the NUMBERS"), node("Note the NAMES", "code", "1"), node("Write the SUM", "code", "2")),
        *(code(writes("2 3")), complete(8)),
        *(code(writes("a b")), complete(7)),
        *(code(writes("5")), complete(9)),
    ]
    journal, _ = await friday(tmp_path, script)
    tools = recorded_in(journal)
    assert [(each.what, each.code) for each in tools] == [
        ("Write the SUM", writes("5")),
        ("Find the NUMBERS", writes("2 3")),
    ]
    sides = [side.by_path.get("total.txt") for each in tools for side in (each.states.start, each.states.end)]
    before, after, none, first = (side and tools[0].states.get(side.digest) for side in sides)
    assert (before, after, none, first) == (b"a b", b"5", None, b"2 3")


async def test_what_the_critic_sent_back_is_passed_on_to_nobody_as_a_result(tmp_path: Path) -> None:
    """Only what was accepted is; the refiner, who is to mend it, sees what it was."""
    script: list[Message] = [
        graph(node("Find the NAMES"), node("Write the SUM", "code", "1")),
        *(says("Lund, Brandt"), amend("they are to be SORTED")),
        *(says("Brandt, Lund", "ToolRefiner"), complete(5)),
        *(code(writes("5")), complete(5)),
    ]
    journal, calls = await friday(tmp_path, script, profile=Profile(name="strong", reading=4000))
    _, _, _, refiner, _, writer, critic = calls
    assert "Lund, Brandt" in refiner.text()
    for told in (writer.text(), critic.text()):
        assert "Brandt, Lund" in told
        assert "Lund, Brandt" not in told
    assert (await replay(journal)).difference is None


async def test_nor_is_what_a_critic_has_planned_anew(tmp_path: Path) -> None:
    script: list[Message] = [
        graph(node("Find the NAMES"), node("Write the SUM", "code", "1")),
        *(says("Lund"), lacking("there is no LIST")),
        inserted("1", node("Make the list")),
        *(says("made-3"), complete(5)),
        *(says("Brandt"), complete(5)),
        *(code(writes("5")), complete(5)),
    ]
    _, calls = await friday(tmp_path, script)
    replan, writer = calls[3], calls[-2]
    assert "Lund" not in replan.text(), "the planner is told why it was rejected"
    assert "there is no LIST" in replan.text("volatile")
    assert "Brandt" in writer.text()
    assert "Lund" not in writer.text()


async def test_without_skills_no_code_is_scored(tmp_path: Path) -> None:
    """F14 left out: nothing that is done becomes a tool, so the critic is not asked how good a tool it would be."""
    journal, calls = await friday(
        tmp_path, [WRITE, code(writes("5")), ("Critic", {"why": "it is DONE", "verdict": "accept"})], without=("skills",)
    )
    assert "score" not in calls[2].text()
    assert verdicts(journal) == [("accept", None)]
    assert status(journal) == ("done", "")
    assert (await replay(journal)).difference is None


async def test_after_three_repairs_a_node_has_failed(tmp_path: Path) -> None:
    script: list[Message] = [WRITE]
    for number, role in enumerate(("ToolGenerator", *["ToolRefiner"] * 3)):
        script += [code(writes(str(number)), role), amend("not FIVE")]
    journal, _ = await friday(tmp_path, script)
    assert verdicts(journal) == [("repair", None)] * 4
    assert status(journal) == ("failed", "bound:repairs")
    with pytest.raises(UsageError, match="cannot become a skill"):
        recorded_in(journal)


async def test_a_prerequisite_that_the_critic_misses_is_inserted(tmp_path: Path) -> None:
    """F6: the new node comes first, the one that lacked it needs it besides, and is done again; what is done stays."""
    script: list[Message] = [
        graph(node("Find ALPHA"), node("Write the SUM", "code", "1")),
        *(says("alpha-1"), complete(4)),
        code("open('sums.csv')"),
        lacking("nobody has MADE sums.csv"),
        inserted("2", node("Make SUMS", "gui")),  # a type that nobody here can do
        inserted("2", node("Make SUMS")),
        *(says("sums-3"), complete(4)),
        *(code(writes("5"), "ToolRefiner"), complete(2)),
    ]
    journal, calls = await friday(tmp_path, script)
    replan, again, making, resumed = calls[5], calls[6], calls[7], calls[9]
    assert "This plan did not work: nobody has MADE sums.csv" in replan.text("volatile")
    assert "1. Find ALPHA (done)\n2. Write the SUM (code, after 1)" in replan.text("memory")
    assert "type: Input should be 'code', 'api' or 'qa'" in again.text("volatile")
    assert "alpha-1" not in making.text(), "the new node needs nothing"
    assert "alpha-1" in resumed.text("memory"), "what needed it still does"
    assert "sums-3" in resumed.text("memory")
    assert [(part.id, part.needs) for part in journal.state.plan.in_order] == [("1", ()), ("3", ()), ("2", ("1", "3"))]
    assert verdicts(journal) == [("accept", 4), ("replan", None), ("accept", 4), ("accept", 2)]
    assert status(journal) == ("done", "")
    with pytest.raises(UsageError, match="scored 4 of 10; a skill needs at least 8"):
        recorded_in(journal)
    assert "skill make" not in printed(journal)


async def test_a_graph_that_is_none_is_planned_again(tmp_path: Path) -> None:
    """W22: a circle or an unknown need is told the planner, and never runs into nothing."""
    script: list[Message] = [
        graph(node("a", "code", "2"), node("b", "code", "1")),
        graph(node("a", "code", "7")),
        WRITE,
        *(code(writes("5")), complete(5)),
    ]
    journal, calls = await friday(tmp_path, script)
    assert "in a circle" in calls[1].text("volatile")
    assert "needs '7', which is not in the plan" in calls[2].text("volatile")
    assert status(journal) == ("done", "")


async def test_a_node_of_the_wrong_type_is_assigned_anew(tmp_path: Path) -> None:
    def assigned(role: str) -> Message:
        return "TaskScheduler", {"assignments": [{"subtask": "1", "role": role}], "branch": "Continue"}

    script: list[Message] = [
        graph(node("Write the SUM", "qa")),
        ("QuestionAnswerer", {"branch": "TaskMismatch", "problem": "a file is to be WRITTEN"}),
        assigned("QuestionAnswerer"),
        assigned("ToolGenerator"),
        *(code(writes("5")), complete(5)),
    ]
    journal, calls = await friday(tmp_path, script)
    assert "assign it to another agent" in calls[3].text("volatile")
    assert status(journal) == ("done", "")


async def test_a_high_score_is_no_evidence(tmp_path: Path) -> None:
    script: list[Message] = [WRITE, code(writes("4")), complete(10)]
    journal, _ = await friday(tmp_path, script, limits=Limits(replans=0))
    assert status(journal) == ("failed", "bound:replans")
    assert "skill make" not in printed(journal)


# Interfaces besides code (F20, F22). Services are tried in tests/skills/test_openapi.py, windows in test_desktop_run.py.

ROLES = load_roles((BUILTIN,))
CREW = load_crew("friday", (CREWS,), ROLES)


def test_each_type_is_told_as_far_as_the_run_can_do_it() -> None:
    files = within_reach(CREW, {"run_python_code", "run_shell", "read_file"})
    assert files.pool == ("ToolGenerator", "ToolRefiner", "ApiCaller", "QuestionAnswerer"), "who only answers always can"
    told = capabilities(files, typed=True).splitlines()
    assert [line.split(":")[0] for line in told] == ["- code", "- api", "- qa"]
    assert "Searches the web." not in told[1]
    more = within_reach(CREW, {*CREW.actions})
    assert "Searches the web. Loads a page and reads it." in capabilities(more, typed=True)
    assert "\n- gui: " in capabilities(more, typed=True)


async def test_a_model_that_sees_captions_a_picture(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    Pictures.new("RGB", (8, 8), (255, 0, 0)).save(tmp_path / "work" / "photo.png")
    reading = doing({"function": "read_file", "file_path": "photo.png"})
    script: list[Message] = [
        ("GraphPlanner", {"subtasks": [node("Say what is on photo.png", "api")], "question": "What is it?"}),
        ("ApiCaller", reading),
        ("ApiCaller", doing(branch="RoleTaskFinish", information="it is RED")),
        complete(),
        ("FinalAnswer", {"answer": "RED", "sources": [], "branch": "Continue"}),
    ]
    journal, calls = await messages("friday", tmp_path, "What colour is the picture?", script, desktop="none")
    pictures = [[part for part in call.parts if isinstance(part, Image)] for call in calls]
    assert [len(each) for each in pictures] == [0, 0, 1, 0, 0], "it is seen once it was read"
    assert "it is RED" in calls[4].text()
    assert status(journal) == ("unverified", ""), "what a model says that it saw shows nothing"
    assert (await replay(journal)).difference is None


def test_one_agent_for_all_has_no_types() -> None:
    alone = without_pool(CREW)
    assert (alone.types, alone.amends, alone.details) == ({}, {}, ("needs",))


# A process that ended in the middle of it, and the one that went on.


def planner(call: Call) -> dict[str, Any]:
    if "This plan did not work" in call.text("volatile"):
        return inserted("1", node("Make SUMS"))[1]
    return WRITE[1]


def generator(call: Call) -> dict[str, Any]:
    if "Make SUMS" in call.text("volatile"):
        return says("sums-2")[1]
    return code("open('sums.csv')")[1]


def refiner(call: Call) -> dict[str, Any]:
    return code(writes("5" if "Note: FIVE" in call.text("volatile") else "4"), "ToolRefiner")[1]


def critic(call: Call) -> dict[str, Any]:
    due = call.text("volatile")
    if "Make SUMS" in due:
        return complete(8)[1]
    if "write('5')" in due:
        return complete(9)[1]
    return amend("FIVE")[1] if "write('4')" in due else lacking("there are no SUMS")[1]


def judged(kind: str, score: int | None = None) -> Callable[[Any], bool]:
    return lambda body: (
        isinstance(body, e.Judged) and (body.scope, body.verdict.kind, body.verdict.score) == ("subtask", kind, score)
    )


def handed_over(body: Any) -> bool:
    return isinstance(body, e.PlanPatched) and any(part.role == "ToolRefiner" for part in body.patch.edit)


@pytest.mark.parametrize(
    "moment",
    sampled([judged("replan"), handed_over, judged("repair")], 1),
    ids=["lacking", "handed-over", "amended"],
)
async def test_a_run_that_is_killed_goes_on_where_it_was(tmp_path: Path, moment: Callable[[Any], bool]) -> None:
    work, settings = tmp_path / "work", settings_in(tmp_path)
    work.mkdir()
    request = RunRequest(task=TASK, crew="friday", model="scripted:x", workspace=work, desktop="none", required=usual(TASK))
    model = by_role(GraphPlanner=planner, ToolGenerator=generator, ToolRefiner=refiner, Critic=critic)
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
    assert done(journal) == ["run_python_code"] * 4, "nothing was done twice"
    assert verdicts(journal) == [("replan", None), ("accept", 8), ("repair", None), ("accept", 9)]
    assert whose(journal) == {"1": "ToolRefiner", "2": "ToolGenerator"}
    assert len([body for body in bodies(journal, e.PlanPatched) if handed_over(body)]) == 1
    assert (await replay(journal)).difference is None


async def test_a_run_that_is_killed_while_the_critic_was_asked_asks_the_critic_again(tmp_path: Path) -> None:
    work, settings = tmp_path / "work", settings_in(tmp_path)
    work.mkdir()
    request = RunRequest(task=TASK, crew="friday", model="scripted:x", workspace=work, desktop="none", required=usual(TASK))
    five = code(writes("5"))[1]

    def dies(call: Call) -> dict[str, Any]:
        raise Killed

    with pytest.raises(Killed):
        await session.run(request, settings, model=by_role(GraphPlanner=planner, ToolGenerator=five, Critic=dies))
    journal = await session.resume("last", settings, model=by_role(Critic=complete(5)[1]))
    assert status(journal) == ("done", ""), "no other role was asked: the script has none"
    assert done(journal) == ["run_python_code"]
    assert (await replay(journal)).difference is None
