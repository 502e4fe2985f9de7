"""The page of a run says in plain words what is done without a question, and what was asked for in vain."""

from __future__ import annotations

from pathlib import Path

from deskcrew.engine.steps.choosing import NOTHING
from deskcrew.facts import events as e
from deskcrew.facts.contract import Consent
from deskcrew.facts.verdict import NO_FIT, Verdict
from deskcrew.journal.store import Store
from deskcrew.ways_in.web.story import StoryLine, lines, stretches
from support.bodies import ordinary_run

REMOVE = e.Operation(function="run_shell", params={"command": "rm letter.docx"})
ORDER = Consent(kind="remove", where="letter.docx", quotes=("Remove letter.docx",))
DID = {"role": "Worker", "subtask": "1", "operation": REMOVE}


def told(folder: Path, *bodies: e.Body) -> list[StoryLine]:
    """The lines of a run in which an operation was proposed and then this happened."""
    store = Store(folder / "j.db")
    journal = store.create(ordinary_run()[0])
    for body in (e.OperationProposed(**DID), *bodies):
        journal.append(body)
    journal.commit()
    reading = store.reading(journal.run)
    track = reading.track()
    return lines(reading, track, stretches(reading, track), {})


READ = e.RoleReplied(role="ConsentReader", subtask="1", reply={"ordered": []})


def test_an_operation_goes_on_below_what_was_ordered(tmp_path: Path) -> None:
    proposed, _, read = told(
        tmp_path,
        e.RoleCalled(role="ConsentReader", subtask="1"),
        READ,
        e.ConsentRead(consents=(ORDER,)),
        e.OperationApproved(rule="destroying", risk="destroy", by="consent", consent=0),
        e.ActionStarted(**DID, effect="write"),
        e.ActionFinished(**DID, ok=True, text="removed"),
        e.HumanSaid(kind="guide", text="Go on"),
    )[-4:-1]
    assert (proposed.state, proposed.what.plain) == ("plain", "first, your task was read for whether it orders this")
    assert "the crew may remove or replace letter.docx, because you wrote: 'Remove letter.docx'" in read.text.plain
    assert (read.state, read.what.plain) == ("good", "removed")
    assert "kind" not in read.text.plain


def test_an_order_that_does_not_count_is_told_with_the_reason(tmp_path: Path) -> None:
    wide = e.Uncounted(order=ORDER.model_copy(update={"where": "*"}), why="'*' is no pattern that the user gives")
    read = told(
        tmp_path,
        READ,
        e.ConsentRead(uncounted=(wide,)),
        e.OperationDenied(rule="destroying", risk="destroy", by="nobody", why="nobody was there"),
    )[-1]
    assert "the task seems to order it ('Remove letter.docx'), but '*' is no pattern that the user gives" in read.text.plain
    assert read.state == "bad"
    (tmp_path / "2").mkdir()
    nothing = told(tmp_path / "2", READ, e.ConsentRead())[-1]
    assert nothing.text.plain == "Your task orders nothing that needs approval"


def test_what_was_understood_and_the_answer_begin_the_story_before_there_is_a_goal(tmp_path: Path) -> None:
    read = e.Understood(
        skill="sort-table", values={"order": "descending"}, words="Sort may.csv (order: up (not in your words))"
    )
    yes = read.model_copy(update={"by": "human", "edited": ("order",)})
    asked, answered = told(tmp_path, read, yes)[-2:]
    assert asked.text.plain.startswith("understood as: Sort may.csv (order: up (not in your words))")
    assert answered.text.plain == "you: yes, with order: descending"


def test_why_a_run_stops_names_what_is_on_the_page(tmp_path: Path) -> None:
    why = NOTHING.format(model="local:small", near="", columns="")
    (stops,) = told(tmp_path, e.Judged(scope="goal", by="rules", verdict=Verdict(kind="stop", reason=NO_FIT, why=why)))[-1:]
    assert (
        "a larger model may do it (“Model”), or a skill that you teach (“Teach one” on the page “Skills”)"
        in stops.text.plain
    )
