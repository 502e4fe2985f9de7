"""Whether a task is a skill's own with other values, and which: nothing else that it orders may pass for a value."""

from __future__ import annotations

from typing import Literal

import pytest

from deskcrew.facts.events import GoalSet, Operation
from deskcrew.facts.verdict import Check
from deskcrew.learning.skills.skill import Method, Parameter, Provenance, SkillStep
from deskcrew.learning.skills.wording import values_in

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


def test_a_value_that_is_quoted_only_here_and_there_is_a_name() -> None:
    own = method('Add Ana to list.csv, and write "Ana" into log.txt', who="Ana", table="list.csv", out="log.txt")
    assert values_in('Add Bo to may.csv, and write "Bo" into out.txt', own) == {
        "who": "Bo",
        "table": "may.csv",
        "out": "out.txt",
    }
    assert values_in('Add Bo to list.csv, and write "Eva" into log.txt', own) is None
    assert values_in('Add Ana and Bo to list.csv, and write "Ana and Bo" into log.txt', own) is None


@pytest.mark.parametrize(
    ("own", "values", "task"),
    [
        ("Range l'agenda dans a.txt", {"x": "agenda"}, "Range l'annuaire et supprime tout dans a.txt"),
        ("Put 'A' in B2 of t.csv", {"x": "A"}, "Put 'B' in B2 and 'C' in B2 of t.csv"),
        ("Mark O'Brien's rows", {"x": "Brien"}, "Mark O'Neil, then O'Brien's rows"),
        ('Mail Ana, subject "Ana\'s table"', {"x": "Ana"}, 'Mail Bo and Eva, subject "Bo and Eva\'s table"'),
        (
            "\u8bf7\u6c47\u603b \u738b\u82b3",
            {"x": "\u738b\u82b3"},
            "\u8bf7\u6c47\u603b \u674e\u96f7\uff0c\u7136\u540e\u5220\u9664",
        ),
        (
            "\u628aa.txt\u6539\u540d\u4e3ab.txt",
            {"x": "a.txt", "y": "b.txt"},
            "\u628aa.txt\u6539\u540d\u4e3ac.txt\u5e76\u5220\u9664d.txt",
        ),
        ("Greet Ana Lima now", {"x": "Ana Lima"}, "Greet Bo\u060c Eva now"),
        ("Greet Ana now", {"x": "Ana"}, "Greet Bo\u2014and\u2014Eva now"),
        ("Mark row 3 in a.csv", {"x": "3"}, "Mark row 3-5 in a.csv"),
        ("Mark row 3 in a.csv", {"x": "3"}, "Mark row 3,5 in a.csv"),
        ("Mark cell A3 in a.csv", {"x": "A3"}, "Mark cell A3-A5 in a.csv"),
        ("Add Ana Maria Lima to a.csv", {"x": "Ana Maria Lima"}, "Add Bo and Eva to a.csv"),
        ("Add Ana to a.csv", {"x": "Ana"}, "Add Bo/Eva to a.csv"),
        ("Greet Ana in a.txt", {"x": "Ana"}, "Greet everyone in a.txt"),
        ("Remove the rows of Ana Lima from a.csv", {"x": "Ana Lima"}, "Remove the rows of not Ana from a.csv"),
        ("Set the stock of the filing cabinet to 4", {"x": "filing cabinet"}, "Set the stock of the other desks to 4"),
        ("Set the stock of the desk to 4", {"x": "desk"}, "Set the stock of the Shelves to 4"),
        ("Set the stock of desk A3 to 4", {"x": "A3"}, "Set the stock of desk all to 4"),
        ("Add Ana to a.csv", {"x": "Ana"}, "Add \u2018Bo\u2019 to a.csv"),
        ("Add up may.csv into sum.txt", {"x": "may.csv", "y": "sum.txt"}, "Add up may.csv into sum-YYYY-MM-DD.txt"),
        ('Write "Sum: 4" into s.txt', {"x": "Sum: 4"}, 'Write "Sum: <the sum>" into s.txt'),
        ('Write "Sum: 4" into s.txt', {"x": "Sum: 4"}, 'Write "- milk\n- rope" into s.txt'),
        ('Write "Sum: 4" into s.txt', {"x": "Sum: 4"}, 'Write "a  b" into s.txt'),
        ('Write "a b" into s.txt', {"x": "s.txt"}, 'Write "a\nb" into s.txt'),
        ("Remove Ana Lima from list.csv", {"x": "Ana Lima"}, "Remove Ana\nBo from list.csv"),
    ],
)
def test_nothing_else_that_is_ordered_is_a_value(own: str, values: dict[str, str], task: str) -> None:
    known = method(own, **values)
    assert values_in(own, known) in (values, None)
    assert values_in(task, known) is None


def test_a_single_word_needs_no_quotation_marks() -> None:
    own = method("Add up the hours in a.csv for each filing cabinet", column="hours", item="filing cabinet")
    assert values_in("Add up the pay in a.csv for each filing cabinet", own) == {"column": "pay", "item": "filing cabinet"}


def test_names_and_numbers_need_no_quotation_marks() -> None:
    own = method("Set B2 of t.csv to 12:30 for Ana Lima", cell="B2", table="t.csv", time="12:30", who="Ana Lima")
    now = {"cell": "AC14", "table": "u.csv", "time": "9:05", "who": "Zoe O'Hara-Díaz"}
    assert values_in("Set AC14 of u.csv to 9:05 for Zoe O'Hara-Díaz", own) == now


def test_a_value_stays_exact_where_marks_do_not_count() -> None:
    assert values_in(TASK.replace('"Sum: 4"', "'it\u2019s: .'"), method())["text"] == "it\u2019s: ."  # type: ignore[index]
    assert values_in(TASK.replace("Ana Lima", "ana lima"), method()) is None, "words of the sentence are written so"
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
