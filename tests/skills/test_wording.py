"""Whether a task is a skill's own with other values, and which: nothing else that it orders may pass for a value."""

from __future__ import annotations

from typing import Literal

import pytest

from deskcrew.events import GoalSet, Operation
from deskcrew.skills.skill import Method, Parameter, Provenance, SkillStep
from deskcrew.skills.wording import values_in
from deskcrew.verdict import Check

TASK = 'Add up the rows of Ana Lima in may.csv, and write "Sum: 4" into sum.txt.'


def method(task: str = TASK, **values: str) -> Method:
    values = values or {"who": "Ana Lima", "table": "may.csv", "text": "Sum: 4", "out": "sum.txt"}

    def kind(value: str) -> Literal["text", "file"]:
        return "file" if "." in value else "text"

    return Method(
        parameters=tuple(Parameter(name=name, kind=kind(value), value=value) for name, value in values.items()),
        steps=(SkillStep(operation=Operation(function="list_files")),),
        goal=GoalSet(checks=(Check(kind="file_exists", target="sum.txt"),)),
        provenance=Provenance(run="r", task=task),
    )


def test_other_values() -> None:
    task = 'Add up the rows of Bo Ek in 2026/june.csv,\n and write "The total, all in: 7." into out.txt.'
    assert values_in(task, method()) == {
        "who": "Bo Ek",
        "table": "2026/june.csv",
        "text": "The total, all in: 7.",
        "out": "out.txt",
    }
    assert values_in(TASK, method()) == {"who": "Ana Lima", "table": "may.csv", "text": "Sum: 4", "out": "sum.txt"}


@pytest.mark.parametrize(
    "task",
    [
        TASK.removesuffix("."),
        f"a{TASK[1:]}",
        TASK.replace('"Sum: 4"', "'Sum: 4'"),
        TASK.replace('"Sum: 4"', "\u201cSum: 4\u201d"),
        TASK.replace('"Sum: 4"', "\u201eSum: 4\u201c"),
    ],
)
def test_marks_and_the_first_letter_make_no_other_task(task: str) -> None:
    assert values_in(task, method()) == values_in(TASK, method())
    assert values_in(TASK, method(task)) == values_in(TASK, method())


def test_a_value_that_is_quoted_later_may_be_any_text_before() -> None:
    own = method('We need milk. Put "milk" into list.txt', what="milk", list="list.txt")
    assert values_in('We need rope, 10 m. Put "rope, 10 m" into todo.txt', own) == {"what": "rope, 10 m", "list": "todo.txt"}
    assert values_in('We need rope. Put "rope, 10 m" into todo.txt', own) is None
    assert values_in('We need rope, and no milk. Put "rope" into todo.txt', own) is None


def test_an_apostrophe_is_no_quotation_mark() -> None:
    own = method("Range l'agenda dans notes.txt", what="agenda", where="notes.txt")
    assert values_in("Range l'annuaire dans notes.txt", own) == {"what": "annuaire", "where": "notes.txt"}
    assert values_in("Range l'annuaire et supprime tout le reste dans notes.txt", own) is None


def test_a_value_stays_exact_where_marks_do_not_count() -> None:
    assert values_in(TASK.replace('"Sum: 4"', "'it\u2019s: .'"), method())["text"] == "it\u2019s: ."  # type: ignore[index]
    assert values_in(TASK.replace("Ana Lima", "ana lima"), method())["who"] == "ana lima"  # type: ignore[index]
    name = method("Greet Ana", who="Ana")
    assert values_in("greet Bo", name) == {"who": "Bo"}
    assert values_in("Greet Bo Inc.", name) is None
    assert values_in("Greet Inc.", name) is None, "nobody can tell whose full stop that is"
    assert values_in("greet Bo.", method("Greet Ana.", who="Ana")) == {"who": "Bo"}
    first = method("may.txt goes to Ana, and say so", who="Ana")
    assert values_in("May.txt goes to Bo, and say so.", first) is None
    assert values_in("may.txt goes to Bo, and say so.", first) == {"who": "Bo"}


@pytest.mark.parametrize(
    "task",
    [
        f"{TASK} Then delete may.csv.",
        TASK.replace("Add up", "Count"),
        TASK.replace("Ana Lima", "Ana"),
        TASK.replace("Ana Lima", "Ana, Bo"),
        TASK.replace("Ana Lima", "Ana or Bo"),
        TASK.replace("may.csv", "may.csv and june.csv"),
        TASK.replace("may.csv", "may.xlsx"),
        TASK.replace("may.csv", "all of them"),
        TASK.replace('"Sum: 4"', '"Sum: 4" and "Mean: 2"'),
        TASK.replace("sum.txt.", "sum.txt. And again."),
        TASK.replace('"Sum: 4"', "'Sum: 4' and 'Mean: 2'"),
        TASK.replace('"Sum: 4"', "Sum: 4"),
        TASK.replace('"Sum: 4"', "'say \"no\"'"),
        TASK.replace("Ana Lima", "'Ana Lima'"),
        TASK.upper(),
    ],
)
def test_another_task(task: str) -> None:
    assert values_in(task, method()) is None


def test_a_value_that_is_named_twice_is_the_same_both_times() -> None:
    twice = method("Copy a.txt, and keep a.txt.", file="a.txt")
    assert values_in("Copy b.txt, and keep b.txt.", twice) == {"file": "b.txt"}
    assert values_in("Copy b.txt, and keep c.txt.", twice) is None


def test_a_value_that_the_task_does_not_tell() -> None:
    assert values_in("Do it.", method("Do it.", cell="C5")) is None


def test_a_language_without_blanks() -> None:
    chinese = method("\u628aa.txt\u6539\u540d\u4e3ab.txt\u3002", one="a.txt", other="b.txt")
    assert values_in("\u628ac.txt\u6539\u540d\u4e3ad.txt\u3002", chinese) in ({"one": "c.txt", "other": "d.txt"}, None)
