"""Short-term memory of the roles that do not act: their own last replies, and no others (C30, C32)."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from deskcrew.engine import session
from deskcrew.engine.request import RunRequest
from deskcrew.engine.roles.crew import BUILTIN as CREWS
from deskcrew.engine.roles.crew import Crew, load_crew
from deskcrew.engine.roles.role import BUILTIN, load_roles
from deskcrew.engine.roles.view import Sight, history, view
from deskcrew.environments.describe import estimate
from deskcrew.facts.events import Operation
from deskcrew.facts.messages import Message
from deskcrew.facts.plan import Plan, chain
from deskcrew.journal.fold import RunState
from deskcrew.journal.records import Collected, Done, Turn
from deskcrew.models.client import Profile
from deskcrew.models.scripted import ScriptedModel
from support.crew import settings_in

ROLES = load_roles((BUILTIN,))
CREW, DEFAULT = (load_crew(name, (CREWS,), ROLES) for name in ("cola", "default"))
NOTHING = Sight(observation=str, files=str, applications=str, target_window=str, extra={})


def told(role: str, *turns: Turn) -> list[str]:
    state = RunState(plan=Plan().patched(chain(["write hello"])), turns=list(turns))
    return history(ROLES[role], CREW, state, None).splitlines()


def test_a_planner_is_told_what_it_planned_and_why_anew() -> None:
    first = Turn(1, "Planner", None, {"subtasks": [{"goal": "dance"}], "summary": "as asked"})
    second = Turn(2, "Planner", None, {"subtasks": [{"goal": "write", "role": "FileManager"}]}, because="nobody dances")
    assert told("Planner", first, second) == [
        "(as asked)",
        "- You planned: dance",
        "- You planned (because: nobody dances): write (FileManager)",
    ]


def test_a_planner_is_told_what_it_contested() -> None:
    said = Turn(1, "Planner", None, {"subtasks": [], "contests": [{"requirement": "2", "why": "nobody can see it"}]})
    assert told("Planner", said) == ["- You planned: contested 2: nobody can see it"]


def test_a_scheduler_is_told_what_it_assigned_and_what_it_sent_back() -> None:
    assigned = Turn(
        1, "TaskScheduler", None, {"assignments": [{"subtask": "1", "role": "Programmer"}], "branch": "Continue"}
    )
    remade = Turn(2, "TaskScheduler", None, {"assignments": [], "branch": "RemakeSubtasks", "problem": "nobody dances"})
    assert told("TaskScheduler", assigned, remade) == [
        "- You assigned: 1. write hello -> Programmer",
        "- You replied RemakeSubtasks: nobody dances",
    ]


def test_a_reviewer_is_told_its_verdict_on_each_operation() -> None:
    def operation(name: str, number: int) -> Done:
        return Done(Operation(function=name), ok=True, text="", event=str(number), number=number)

    acts = Turn(1, "Operator", "1", {"operations": []}, done=[operation("hotkey", 2), operation("scroll", 4)])
    first = Turn(3, "Reviewer", "1", {"verdict": "continue", "judgement": "saved"})
    second = Turn(5, "Reviewer", "1", {"verdict": "repair", "judgement": "too far"})
    assert told("Reviewer", acts, first, second) == ["- hotkey: continue; saved", "- scroll: repair; too far"]


def test_each_remembers_ten_replies() -> None:
    turns = [Turn(n, "Planner", None, {"subtasks": [{"goal": f"goal {n}"}]}) for n in range(1, 13)]
    assert told("Planner", *turns) == [f"- You planned: goal {n}" for n in range(3, 13)]
    assert {ROLES[name].short_term for name in ("Planner", "TaskScheduler", "Reviewer")} == {10}


def ran(number: int, text: str) -> Turn:
    done = Done(Operation(function="run_python_code"), ok=True, text=text, event="", number=number, exit_code=0)
    return Turn(number, "Programmer", "1", {"operations": []}, done=[done])


def shown(turns: list[Turn], reading: int, crew: Crew = CREW, room: int = 0) -> str:
    state = RunState(plan=Plan().patched(chain(["write hello"])), turns=turns)
    return history(ROLES["Programmer"], crew, state, None, reading=reading, room=room)


def test_what_a_program_printed_is_told_whole_as_far_as_the_model_reads() -> None:
    table = "\n".join(f"row {n}" for n in range(200))
    turns = [ran(number, table) for number in range(1, 4)]
    assert shown(turns, 2000).count(table) == 3
    assert table not in shown(turns, 1000)
    assert table not in shown(turns, 0), "a small model is told the beginning"


def test_what_prints_nothing_takes_nothing_from_what_does() -> None:
    table = "\n".join(f"row {n}" for n in range(200))
    read = Done(Operation(function="read_file"), ok=True, text="read", event="", number=1)
    program = ran(1, table).done[0]
    turn = Turn(1, "Programmer", "1", {"operations": []}, done=[read] * 4 + [program])
    assert shown([turn], 2000).endswith(table)
    turn.done.insert(0, ran(1, "x" * 300).done[0])
    assert shown([turn], 2100).endswith(table), "and what is short leaves the rest to what is long"
    turn.done.append(ran(1, table.replace("row", "line")).done[0])
    assert shown([turn], 2100).endswith(f"{table}\n- run_python_code: done; {table.replace('row', 'line')}"), (
        "all are wanted"
    )


def test_nothing_is_left_out_of_what_was_done_while_there_is_room_and_then_several_replies_at_once_but_no_note() -> None:
    turns = [ran(number, f"result {number}: " + "x" * 400) for number in range(1, 31)]
    for turn in turns:
        turn.reply["information"] = f"note {turn.number} of {len(turns)}"
    whole = shown(turns, 2000, DEFAULT)
    assert all(f"result {number}: {'x' * 400}" in whole for number in range(1, 31))
    room = 1200  # tokens, some ten replies
    told = [shown(turns[:count], 2000, DEFAULT, room) for count in range(1, 31)]
    anew = [count for count, (before, now) in enumerate(pairwise(told), 2) if not now.startswith(before)]
    assert 2 <= len(anew) <= 6, "else calls append to what the one before said"
    first = 0
    for count, text in enumerate(told, 1):
        first = next(number for number in range(1, 31) if f"result {number}:" in text)
        assert all(f"result {number}: {'x' * 400}" in text for number in range(first, count + 1))
        assert all(f"You noted: note {number} of 30" in text for number in range(1, count + 1))
        assert (f"(turns 1 to {first - 1} left out; their notes stand above)" in text) == (first > 1)
        assert estimate(text[text.index("result") :]) <= room * 1.2
    assert first > 20


def test_of_what_was_read_of_a_page_again_only_the_latest_is_told_whole() -> None:
    def read(number: int, page: str, part: int = 1, rows: int = 0) -> Turn:
        operation = Operation(function="read_page", params={"part": part})
        text = "\n".join([f"reading {number}", *(f"row {row} of a page" for row in range(rows, rows + 20))])
        done = Done(operation, ok=True, text=text, event="", number=number, reads=(page,))
        return Turn(number, "Programmer", "1", {"operations": []}, done=[done])

    turns = [read(1, "http://a"), read(2, "http://b"), read(3, "http://a", part=2), read(4, "http://a")]
    told = shown(turns, 9000, DEFAULT)
    assert told.startswith("- read_page: done; read again later\n")
    assert [f"reading {number}\nrow 0 of a page" in told for number in range(1, 5)] == [False, True, True, True]
    turns = [read(1, "http://a"), read(2, "http://a", rows=15), read(3, "http://a", rows=15)]
    told = shown(turns, 9000, DEFAULT)
    assert [f"reading {number}" in told for number in range(1, 4)] == [True, False, True], "another part of a list stays"


def test_what_cola_remembers_is_as_many_as_its_paper_says() -> None:
    turns = [ran(number, "done") for number in range(1, 12)]
    assert len(shown(turns, 2000).splitlines()) == ROLES["Programmer"].short_term
    assert len(shown(turns, 2000, DEFAULT).splitlines()) == len(turns)
    assert len(shown(turns, 0, DEFAULT).splitlines()) == ROLES["Programmer"].short_term, "and a small model"


def test_what_was_not_done_of_a_reply_is_told_with_the_reason() -> None:
    click, save = (
        Operation(function="click_input", control="7"),
        Operation(function="hotkey", params={"keys": ["ctrl", "s"]}),
    )
    failed = Done(click, ok=False, text="", event="", verdict="nothing changed", number=2)
    done = Done(click, ok=True, text="", event="", number=2)
    undone = (save, click)
    turns = (
        Turn(1, "Operator", "1", {"operations": []}, done=[failed], undone_why="nothing changed", undone=undone),
        Turn(3, "Operator", "1", {"operations": []}, done=[done], undone_why="denied: it is sent", undone=undone),
        Turn(5, "Operator", "1", {"operations": []}, undone_why="it is no operation", undone=undone),
    )
    assert told("Operator", *turns) == [
        "- click_input 7: FAILED; nothing changed",
        '- NOT DONE after that: hotkey keys=["ctrl", "s"]; click_input 7',
        "- click_input 7: done",
        '- NOT DONE after that (denied: it is sent): hotkey keys=["ctrl", "s"]; click_input 7',
        '- NOT DONE (it is no operation): hotkey keys=["ctrl", "s"]; click_input 7',
    ]


def test_a_range_that_was_clicked_is_told_as_far_as_the_model_reads() -> None:
    table = "\n".join(f"row {n}\t{n}" for n in range(60))
    click = Done(Operation(function="click_input", control="A1:B60"), ok=True, text=table, event="", number=2)
    turn = Turn(1, "Operator", "1", {"operations": []}, done=[click])
    state = RunState(plan=Plan().patched(chain(["write hello"])), turns=[turn])
    assert table in history(ROLES["Operator"], CREW, state, None, reading=4000)
    assert table not in history(ROLES["Operator"], CREW, state, None)


def test_a_program_is_shown_whole_as_the_next_one_is_often_the_same_with_a_change() -> None:
    code = "\n".join(f"print({n})" for n in range(400))
    ran = Operation(function="run_python_code", params={"code": code})
    failed, held = (Done(ran, ok=ok, text="x", event="", number=2, exit_code=1 - ok) for ok in (False, True))

    def told(done: Done, reading: int) -> bool:
        turn = Turn(1, "Programmer", "1", {"operations": []}, done=[done])
        state = RunState(plan=Plan().patched(chain(["count"])), turns=[turn])
        return "print(399)" in history(ROLES["Programmer"], CREW, state, None, reading=reading)

    assert told(failed, 12_000)
    assert told(held, 12_000)
    assert not told(failed, 0)


LETTER = "\n".join(f"Line {n} of a letter that was read." for n in range(60))


def having_read(function: str, kind: Any, role: str = "FileManager") -> RunState:
    """A state in which the first part read a letter and the second one reads it again."""
    plan = Plan().patched(chain(["read the letter", "answer it"]))
    plan = plan.model_copy(update={"subtasks": (plan.subtasks[0].model_copy(update={"status": "done"}), plan.subtasks[1])})

    def turn(number: int, part: str) -> Turn:
        read = Done(Operation(function=function), ok=True, text=LETTER, event="", number=number)
        return Turn(number - 1, role, part, {"operations": []}, done=[read])

    turns = [turn(5, "1"), turn(9, "2")]
    collected = [Collected("", number, role, part, kind, LETTER) for number, part in ((5, "1"), (9, "2"))] if kind else []
    return RunState(plan=plan, turns=turns, collected=collected)


@pytest.mark.parametrize(
    ("role", "function", "kind", "told"),
    [
        ("FileManager", "read_file", "content", "- read_file: done; shown as 9"),
        ("Searcher", "web_search", "web", "- web_search: done; shown whole"),
        ("Searcher", "read_page", None, f"- read_page: done; {LETTER}"),
    ],
)
def test_what_was_read_stands_once_in_a_prompt_and_whole(role: str, function: str, kind: Any, told: str) -> None:
    state = having_read(function, kind, role)
    shown_to = view(ROLES[role], DEFAULT, state, NOTHING, state.plan.subtasks[1], reading=12_000)
    assert shown_to["history"] == told
    assert "\n".join(shown_to.values()).count(LETTER) == 1
    if kind == "content":
        assert shown_to["results"] == "read the letter -> shown as 5"
        assert shown_to["file_content"] == f"5: {LETTER}\n9: the same as 5"


def test_what_a_reviewer_said_of_reading_stands_beside_what_was_read() -> None:
    state = having_read("read_file", "content")
    state.turns[-1].done[0].verdict = "the right letter"
    shown_to = view(ROLES["FileManager"], DEFAULT, state, NOTHING, state.plan.subtasks[1], reading=12_000)
    assert shown_to["history"] == "- read_file: done; the right letter; shown as 9"


def test_a_role_that_is_shown_no_files_is_told_in_its_history_what_was_read() -> None:
    state = having_read("read_file", "content", "Operator")
    told = view(ROLES["Operator"], DEFAULT, state, NOTHING, state.plan.subtasks[1], reading=12_000)
    assert LETTER in told["history"]
    assert LETTER in told["results"]


@pytest.mark.anyio
async def test_what_was_read_of_a_file_that_changed_since_is_marked(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "a.txt").write_text("one")
    (tmp_path / "work" / "b.txt").write_text("two")
    reads = [{"function": "read_file", "file_path": path} for path in ("a.txt", "b.txt")]
    changes = {"function": "write_file", "file_path": "a.txt", "text": "three", "append": True}
    operations = [reads, [changes], reads[:1], []]
    replies = [{"operations": each, "branch": "Continue" if each else "RoleTaskFinish"} for each in operations]
    model = ScriptedModel(replies, profile=Profile(name="strong", context=128_000, contracts=False))
    request = RunRequest(
        task="Put three into a.txt.", model="scripted:", workspace=tmp_path / "work", desktop="none", crew="solo"
    )
    await session.run(request, settings_in(tmp_path), model=model)
    changed, again = (call.text("memory").partition("You did:")[0] for call in model.calls[2:])
    assert ": (before it changed) one" in changed
    assert "changed" not in again, "it was read again"
    assert ": onethree" in again
    assert all(": two" in told for told in (changed, again))


def test_what_was_read_again_once_it_had_changed_stands_once() -> None:
    state = having_read("read_file", "content")
    old, new = "the list as it was at first", "the list as it is by now"
    state.collected[0].text, state.collected[0].outdated, state.collected[1].text = old, True, new
    state.turns[0].subtask = "2"
    state.turns[0].done[0].text, state.turns[1].done[0].text = old, new
    told = view(ROLES["Worker"], DEFAULT, state, NOTHING, state.plan.subtasks[1], reading=12_000)
    assert told["file_content"] == f"9: {new}"
    for turn in state.turns:
        turn.role = "Worker"
    told = view(ROLES["Worker"], DEFAULT, state, NOTHING, state.plan.subtasks[1], reading=12_000)
    assert told["history"] == "- read_file: done; read again as 9\n- read_file: done; shown as 9"


def test_a_short_text_that_was_read_stands_once_too() -> None:
    state = having_read("read_file", "content", "Worker")
    state.collected[1].text = state.turns[1].done[0].text = "Ash Hall, sound system"
    told = view(ROLES["Worker"], DEFAULT, state, NOTHING, state.plan.subtasks[1], reading=12_000)
    assert "\n".join(told.values()).count("Ash Hall") == 1


def judged(why: str) -> tuple[Message]:
    return (Message(sender="rules", receiver="Worker", kind="judgement", text=why),)


def test_why_something_failed_stands_once() -> None:
    why = "Exit code 1: odd rows"
    failed = Done(Operation(function="run_python_code"), ok=False, text=why, event="", number=2, exit_code=1, verdict=why)
    turn = Turn(1, "Worker", "1", {"operations": []}, done=[failed])
    state = RunState(plan=Plan().patched(chain(["count"])), turns=[turn], messages=judged(why))
    told = view(ROLES["Worker"], DEFAULT, state, NOTHING, state.plan.subtasks[0], reading=12_000)
    assert "\n".join(told.values()).count(why) == 1
    state.messages = judged("the wrong file")
    assert view(ROLES["Worker"], DEFAULT, state, NOTHING, state.plan.subtasks[0], reading=12_000)["judgement"]


@pytest.mark.anyio
async def test_of_a_long_output_it_is_told_what_is_shown_and_how_to_see_the_rest(tmp_path: Path) -> None:
    prints = {"function": "run_python_code", "code": "print(*(f'row {number:04}' for number in range(1, 1001)), sep='\\n')"}
    replies: list[dict[str, Any]] = [
        {"operations": [prints], "branch": "Continue"},
        {"operations": [], "branch": "RoleTaskFinish"},
    ]
    model = ScriptedModel(replies, profile=Profile(name="strong", context=128_000, reading=4_000))
    (tmp_path / "work").mkdir()
    request = RunRequest(task="Count.", model="scripted:", workspace=tmp_path / "work", desktop="none", crew="solo")
    await session.run(request, settings_in(tmp_path), model=model)
    told = model.calls[1].text("memory")
    cut = (
        "[cut here: lines 1-444 of 1000 are shown, 3995 of 8999 characters; print less, or only what is wanted of the rest]"
    )
    assert told.endswith(f"\nrow 0444\n{cut}")
