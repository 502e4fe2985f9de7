"""Rules of the steps that spare a small model a decision: plans made again, claims of what was read, repeats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deskcrew import events as e
from deskcrew import session
from deskcrew.actions import readers
from deskcrew.coaching.by_clause import not_done
from deskcrew.coaching.completion import seen_to
from deskcrew.journal.fold import RunState
from deskcrew.journal.records import Correction, Decision, Done, Turn
from deskcrew.models.scripted import ScriptedModel
from deskcrew.observation import Box, Observation, Window
from deskcrew.plan import Plan, chain
from deskcrew.request import RunRequest
from deskcrew.roles.crew import BUILTIN as CREWS
from deskcrew.roles.crew import Crew, load_crew, within_reach
from deskcrew.roles.role import BUILTIN, load_roles
from deskcrew.steps import planning
from deskcrew.steps.reviewing import own_word
from deskcrew.verdict import Branch, Verdict
from support.bodies import started
from support.crew import bodies, settings_in

OPEN = Observation(windows=(Window(id=1, title="Page", app="browser", box=Box(x=0, y=0, width=9, height=9)),))


def crew() -> Crew:
    return load_crew("default", (CREWS,), load_roles((BUILTIN,)))


def planned(*goals: str, done: int = 0) -> Plan:
    plan = Plan().patched(chain(list(goals), roles=["Operator"] * len(goals)))
    for subtask in plan.subtasks[:done]:
        plan = plan.done(subtask.id)
    return plan


def guided(plan: Plan, text: str) -> RunState:
    state = RunState(plan=plan)
    state.apply(e.Event.model_construct(id="1", header=None, digest="", body=started("Open the editor. Save it as a.txt.")))
    state.correction = Correction(role="Planner", said="", guidance=text, number=1)
    return state


def test_a_planner_that_a_person_asks_is_given_their_sentence_clause_by_clause() -> None:
    plan = planned("Open the editor", "Save it", done=1)
    say = 'Write "Moin", then save it as a.txt.'
    assert planning._clauses(guided(plan, say)) == ('Write "Moin"', "save it as a.txt.")  # pyright: ignore[reportPrivateUsage]
    assert planning._clauses(guided(plan, "That is not what I meant.")) == ()  # pyright: ignore[reportPrivateUsage]


def test_what_is_done_is_not_planned_again_however_it_is_noted() -> None:
    plan = planned("Open the editor", "Save it", done=1)
    reply = [{"goal": "Open the editor. (done)", "role": "Operator"}, {"goal": "Save it", "role": "Operator"}]
    patch = planning.anew(plan, not_done(plan, reply))
    assert [subtask.goal for subtask in patch.add] == ["Save it"]


def claim(
    role: str, reply: dict[str, Any], now: Observation, *, skipped: int = 0, total: int = 0, small: bool = True
) -> Verdict:
    plan = planned("Find the total", "Write it")
    state = RunState(plan=plan)
    state.turns.append(Turn(number=1, role=role, subtask="1", reply=reply))
    branch = Branch(str(reply.get("branch", "Continue")))
    state.decision = Decision("x", role, "1", branch, [], total, skipped=skipped)
    said = own_word(state, plan.subtasks[0], crew=crew())
    return seen_to(said, state, plan.subtasks[0], False, (), now, planned=True) if small else said


def test_what_is_said_to_be_read_where_nothing_is_open_is_somebody_elses_to_find_out() -> None:
    reply = {"operations": [], "information": "It is 1234567890", "branch": "RoleTaskFinish"}
    assert claim("Searcher", reply, Observation()).kind == "reassign"
    assert claim("Searcher", reply, OPEN).kind == "accept"


def test_who_wants_only_what_is_done_already_has_finished() -> None:
    reply = {"operations": [{}], "information": "seen", "branch": "Continue"}
    assert claim("Operator", reply, OPEN, skipped=1, total=1).kind == "accept"
    assert claim("Operator", reply, OPEN, skipped=1, total=2).kind == "continue"
    assert claim("Operator", reply, OPEN, skipped=1, total=1, small=False).kind == "continue", "it says so itself"


@pytest.mark.parametrize(("planned_", "kind"), [(True, "accept"), (False, "continue")])
def test_opening_a_program_is_all_of_a_part_only_if_a_planner_cut_it(planned_: bool, kind: str) -> None:
    plan = planned("Open the editor and write")
    state = RunState(plan=plan)
    opening = Done(e.Operation(function="open_application", params={"app_name": "Editor"}), True, "Started", "x")
    state.turns.append(Turn(number=1, role="Operator", subtask="1", reply={}, done=[opening]))
    state.decision = Decision("x", "Operator", "1", Branch.CONTINUE, [], 1)
    said = Verdict(kind="continue")
    assert seen_to(said, state, plan.subtasks[0], True, (), OPEN, planned=planned_).kind == kind


def test_agents_that_could_do_nothing_are_not_offered() -> None:
    whole = crew()
    files = within_reach(whole, {"read_file", "run_python_code"})
    assert set(files.pool) == {"FileManager", "Programmer"}
    assert within_reach(whole, set()).pool == whole.pool, "an empty pool would be no crew"


@pytest.mark.anyio
async def test_a_prompt_shows_files_as_they_are_and_reads_only_those_that_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "given.txt").write_text("given at first\n")
    read: list[str] = []
    original = readers.read
    monkeypatch.setattr(readers, "read", lambda path: read.append(path.name) or original(path))

    def write(file: str, text: str, branch: str = "Continue") -> dict[str, Any]:
        return {"operations": [{"function": "write_file", "file_path": file, "text": text}], "branch": branch}

    replies = [
        {"subtasks": [{"goal": "write", "role": "FileManager"}], "question": "", "files": []},
        write("other.txt", "1"),
        write("other.txt", "2"),
        write("given.txt", "given anew\n"),
        write("other.txt", "3"),
        write("end.txt", "END", "RoleTaskFinish"),
    ]
    model = ScriptedModel(replies)
    request = RunRequest(task='Look at given.txt and write "END" into end.txt.', workspace=work, desktop="none", model="x:y")
    journal = await session.run(request, settings_in(tmp_path), model=model)
    shown = [
        call.text().rpartition("given.txt: ")[2].partition("\n")[0] for call in model.calls if call.role == "FileManager"
    ]
    assert shown == ["given at first"] * 3 + ["given anew"] * 2
    assert read.count("given.txt") == 2
    assert [body.path for body in bodies(journal, e.FileRead)].count("given.txt") == 2


@pytest.mark.anyio
@pytest.mark.parametrize("there", [(), ("notes.txt",)])
async def test_a_file_may_be_read_by_the_reply_that_makes_it(tmp_path: Path, there: tuple[str, ...]) -> None:
    """Also where the workspace is empty, and so nothing could be read before."""
    (tmp_path / "w").mkdir()
    for name in there:
        (tmp_path / "w" / name).write_text("old\n")
    makes = {"function": "run_python_code", "code": "open('sum.txt', 'w').write('42')"}
    reads = {"function": "read_file", "file_path": "sum.txt"}
    moves = {"function": "move_file", "source": "sum.txt", "destination": "total.txt"}
    model = ScriptedModel(
        [
            {"operations": [makes, reads, moves], "branch": "Continue"},
            {"operations": [{"function": "read_file", "file_path": "missing.txt"}], "branch": "Continue"},
            {"operations": [], "branch": "Interrupt", "problem": "enough"},
        ]
    )
    request = RunRequest(task="Work it out.", model="scripted:", workspace=tmp_path / "w", crew="solo", desktop="none")
    journal = await session.run(request, settings_in(tmp_path), model=model)
    finished = bodies(journal, e.ActionFinished)
    assert [(body.operation.function, body.ok) for body in finished[:3]] == [
        ("run_python_code", True),
        ("read_file", True),
        ("move_file", True),
    ]
    assert (tmp_path / "w/total.txt").read_text() == "42"
    assert "There is no 'missing.txt' in the workspace" in finished[3].error
