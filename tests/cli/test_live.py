"""The live display: lines for what happened, a spinner for what is waited for."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from deskcrew.facts import events as e
from deskcrew.facts.contract import Proof
from deskcrew.facts.run_settings import RunSettings
from deskcrew.facts.verdict import Outcome, Verdict
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import RULES
from deskcrew.journal.store import Store
from deskcrew.ways_in.cli.live import LiveView, Waiting, shown, waits_for
from deskcrew.ways_in.report.render import lines
from report.test_render import event
from support.at_once import two_at_once
from support.bodies import BODY_TYPES, ordinary_run, started

CODE = e.Operation(function="run_python_code", params={"code": "print(1)"})


def play(journal: Journal, view: LiveView) -> None:
    with view:
        for found in journal.events:
            view(found, journal)


def test_every_event_of_a_run_is_printed_in_order(run: Journal) -> None:
    console = Console(file=io.StringIO(), width=200)
    view = LiveView(console, spinner=False)
    play(run, view)
    said = console.file.getvalue()  # type: ignore[attr-defined]
    order = ["task", "plan by", "● Programmer", "→ Run Python: ", "✗" if "✗" in said else "denied", "you, guide"]
    assert all(part in said for part in order)
    assert view.journal is run
    assert "\x1b" not in said


def test_with_a_spinner_the_same_lines_are_there_and_the_cursor_comes_back(run: Journal) -> None:
    console = Console(file=io.StringIO(), width=200, force_terminal=True, no_color=True)
    play(run, LiveView(console, spinner=True))
    said = console.file.getvalue()  # type: ignore[attr-defined]
    assert "Use the editor" in said
    assert said.rindex("\x1b[?25h") > said.rindex("\x1b[?25l")


def test_the_cursor_comes_back_after_an_error(store: Store) -> None:
    console = Console(file=io.StringIO(), width=200, force_terminal=True)
    with pytest.raises(KeyError), LiveView(console, spinner=True):
        raise KeyError
    assert "\x1b[?25h" in console.file.getvalue()  # type: ignore[attr-defined]


def test_what_went_as_it_should_is_left_to_the_log_and_what_did_not_is_told() -> None:
    held, judged = (Proof(requirement="1", says="It is sorted", holds=holds) for holds in (True, None))
    ran = {"role": "r", "subtask": "1", "operation": CODE, "seconds": 1.0}
    found = e.ChangesFound(changes="", paths=1, effect="allow", rule="r", risk="create")
    reply = e.RoleReplied(role="Worker", reply={"branch": "Continue"}, model=RULES)
    for quiet, told in (
        (e.OperationApproved(rule="r", risk="read"), e.OperationApproved(rule="r", risk="send", by="human")),
        (e.ActionFinished(**ran, ok=True, text="42"), e.ActionFinished(**ran, ok=False, error="no such file")),
        (found, found.model_copy(update={"losses": "a.csv"})),
        (reply, reply.model_copy(update={"model": "m"})),
        (e.Proved(states=24, proofs=(held,)), e.Proved(states=24, proofs=(held, judged))),
        (e.Proved(program="x"), e.Proved(states=24, proofs=(held,), strays=("b.csv",))),
        (e.RunFinished(outcome=Outcome(status="done")), e.RunInterrupted(error="KeyError")),
    ):
        assert shown(event(quiet)) == [], quiet
        assert shown(event(told)) != [], told
        assert shown(event(quiet), raw=True) != [] or isinstance(quiet, e.RunFinished)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (e.RoleCalled(role="Finder"), "Finder is choosing a skill for the task"),
        (e.RoleCalled(role="Finder", attempt=3), "Finder is choosing a skill for the task"),
        (e.RoleCalled(role="Planner"), "Planner is thinking"),
        (e.ActionStarted(role="Programmer", subtask="1", operation=CODE, effect="none"), "Programmer: Run Python: print(1)"),
    ],
)
def test_what_is_waited_for_is_told_by_what_is_done_and_not_only_by_who_does_it(store: Store, body: Any, words: str) -> None:
    journal = store.create(started(), run="0101-000000-bbbb")
    file = journal.blob("---\nname: Finder\nkind: choose\n---\n")
    journal.append(started().model_copy(update={"files": {"roles/Finder.md": file}}))
    assert str(waits_for(event(body), journal)).startswith(words)


def test_nothing_else_is_waited_for(run: Journal) -> None:
    for body in ordinary_run():
        assert bool(waits_for(event(body), run)) is isinstance(body, e.RoleCalled | e.ActionStarted | e.LookingAgain)
    assert {type(body) for body in ordinary_run()} == set(BODY_TYPES), "all were asked about"


def test_the_seconds_start_anew_with_each_thing() -> None:
    now = [100.0]
    waiting = Waiting(lambda: now[0])
    console = Console(file=io.StringIO(), width=80)

    def said() -> str:
        with console.capture() as captured:
            console.print(waiting)
        return captured.get()

    assert said().strip() == ""
    waiting.start("thinking")
    now[0] += 2.5
    assert "thinking  2.5 s" in said()
    waiting.start("acting")
    assert "acting  0.0 s  (Ctrl-C stops it)" in said()


def test_effects_are_indented_under_their_operation() -> None:
    judged = e.Judged(scope="effect", subtask="1", verdict=Verdict(kind="continue"), by="rules")
    console = Console(file=io.StringIO(), width=80)
    for body in (e.OperationProposed(role="r", subtask="1", operation=CODE), judged):
        for line in shown(event(body), raw=True):
            console.print(line)
    first, second = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert len(second) - len(second.lstrip()) > len(first) - len(first.lstrip()) > 0


def test_lines_of_lanes_say_which_one(store: Store) -> None:
    console = Console(file=io.StringIO(), width=200)
    view = LiveView(console, spinner=False)
    journal = store.create(started(), run="at-once")
    journal.watchers.append(lambda event: view(event, journal))
    two_at_once(journal)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert "at once 1, 2 of the plan" in lines
    assert [line for line in lines if line.startswith("2 ● FileManager")]


def waiting(journal: Journal) -> str:
    """What is drawn while a reply is waited for."""
    console = Console(file=io.StringIO(), width=200, force_terminal=True, no_color=True)
    with LiveView(console, spinner=True) as view:
        for found in journal.events:
            view(found, journal)
        view.say("and what is waited for is drawn again")
    return console.file.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize(("settings", "told"), [({}, "$0.0100 so far"), ({"limits": {"money": 0.5}}, "$0.0100 of $0.5000")])
def test_what_it_has_cost_stands_beside_what_it_may_cost(store: Store, settings: dict[str, Any], told: str) -> None:
    journal = store.create(started().model_copy(update={"settings": RunSettings.model_validate(settings)}))
    journal.append(e.RoleReplied(role="Planner", reply={}, usage=e.Usage(input=100, output=10, cost=0.01)))
    journal.append(e.RoleCalled(role="Programmer"))
    assert told in waiting(journal)


def test_what_is_left_of_a_budget_is_shown_once_it_is_nearly_used_up(store: Store) -> None:
    journal = store.create(started().model_copy(update={"settings": RunSettings(limits={"tokens": 120, "operations": 100})}))
    journal.append(e.RoleReplied(role="Planner", reply={}, usage=e.Usage(input=90, output=10, cost=0.01)))
    journal.append(e.RoleCalled(role="Programmer"))
    assert "so far  left: 20 of 120 tokens  (Ctrl-C" in waiting(journal)


@pytest.mark.parametrize(("answered", "times"), [(True, 0), (False, 1)])
def test_what_was_understood_is_left_to_the_question_where_it_was_asked_at_the_terminal(
    store: Store, answered: bool, times: int
) -> None:
    read = e.Understood(skill="sort-table", values={}, words="Sort may.csv")
    journal = store.create(started())
    journal.append(read)
    journal.append(read.model_copy(update={"by": "human"}) if answered else e.RoleCalled(role="Programmer"))
    console = Console(file=io.StringIO(), width=200, force_terminal=True, no_color=True)
    play(journal, LiveView(console, spinner=True))
    assert console.file.getvalue().count("Sort may.csv") == times  # type: ignore[attr-defined]


def test_a_mode_that_was_set_for_a_person_is_not_told_as_their_words() -> None:
    (line,) = lines(event(e.HumanSaid(kind="mode", role="SkillChooser", text="passive")))
    assert line.plain == "SkillChooser asks when it matters"


def test_the_seconds_go_on_while_the_same_role_is_asked_again() -> None:
    now = 0.0
    waiting, console = Waiting(lambda: now), Console(file=io.StringIO(), width=200)

    def seen(text: str | None) -> str:
        waiting.start(text)
        with console.capture() as captured:
            console.print(waiting)
        return captured.get()

    assert "0.0 s" in seen("Finder is choosing")
    now = 4.0
    seen(None)  # its reply was read, and was no good
    assert "4.0 s" in seen("Finder is choosing")
    now = 6.0
    assert "0.0 s" in seen("Worker is thinking")
    assert "0.0 s" in seen("Finder is choosing")
