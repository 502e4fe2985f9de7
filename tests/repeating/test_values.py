"""Values of a task that can be others, and results that are others when their program is run again."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskcrew.errors import UsageError
from deskcrew.facts.events import Operation
from deskcrew.learning.repeating.recording import Step
from deskcrew.learning.repeating.values import Replacing, Unclear, Value, built_in, find_values, read_sets, value_named

TASK = 'Add up may.csv, type "Total:" and the sum, and save it as out/report.txt.'


def step(number: int, function: str, **params: Any) -> Step:
    return Step(number, "Worker", "1", Operation(function=function, params=params), "", None, None, held=True)


STEPS = (
    step(9, "run_python_code", code="print(sum(map(int, open('may.csv'))))"),
    step(15, "keyboard_input", keys="Total: 42"),
    step(20, "keyboard_input", keys="report.txt"),
)
VALUES = find_values(TASK, ("may.csv", "notes.txt"), STEPS)


def typed(replacing: Replacing, text: str) -> str:
    return replacing.operation(Operation(function="keyboard_input", params={"keys": text})).params["keys"]


def test_values_have_names_and_places() -> None:
    assert [(v.name, v.value) for v in VALUES] == [
        ("text1", "Total:"),
        ("file1", "may.csv"),
        ("file2", "out/report.txt"),
        ("file3", "notes.txt"),
    ]
    assert VALUES[0].places == ("task", "#15 keyboard_input keys")
    assert VALUES[1].places == ("task", "attachment", "#9 run_python_code code")
    assert VALUES[3].places == ("attachment",)


def test_a_value_is_set_by_its_name_or_by_itself() -> None:
    assert read_sets(["text1=Sum = ", "may.csv=june.csv"], VALUES) == {"Total:": "Sum = ", "may.csv": "june.csv"}


@pytest.mark.parametrize("wrong", ["text2=x", "nonsense", "text1=", "file1 =x"])
def test_what_names_no_value_is_refused(wrong: str) -> None:
    with pytest.raises(UsageError) as raised:
        read_sets([wrong], VALUES)
    assert raised.value.hint


def test_new_values_stand_where_the_old_ones_stood() -> None:
    replacing = Replacing(VALUES, {"may.csv": "june.csv", "Total:": "may.csv"})
    assert replacing.text(TASK).startswith('Add up june.csv, type "may.csv" and')  # a new value is not replaced again
    assert replacing.text("open('may.csv'), dismay.csv, may.csv.bak, data/may.csv") == (
        "open('june.csv'), dismay.csv, may.csv.bak, data/june.csv"
    )
    assert typed(replacing, "Subtotal: 1") == "Subtotal: 1"


def test_shown_names_follow() -> None:
    replacing = Replacing(VALUES, {"may.csv": "june.csv", "Total:": "Sum:"}, paths={"/old/folder": "/new"})
    assert replacing.forms("/old/folder/may.csv - Editor") == ("/new/june.csv - Editor",)
    assert replacing.forms("Save") == ("Save",)
    assert "june" in replacing.forms("may")  # a sheet is called by the stem of its file
    assert replacing.forms("Total:") == ("Sum:", "Total:")


def test_a_new_output_takes_the_place_of_the_old_one() -> None:
    replacing = Replacing(VALUES, {"Total:": "Sum:"})
    replacing.learn(9, "42\n", "355\n")
    assert typed(replacing, "Total: 42") == "Sum: 355"
    assert typed(replacing, "142, 42.5 and 420") == "142, 42.5 and 420"
    assert typed(replacing, "It is 42.") == "It is 355."


def test_parts_of_an_output_are_told_by_their_place() -> None:
    replacing = Replacing(VALUES, {})
    replacing.learn(9, "Ann: 12\nBo: 30\nsum 42", "Cy: 7\nBo: 8\nsum 15")
    assert typed(replacing, "12 + 30 = 42") == "7 + 8 = 15"
    replacing.learn(9, "5 and 5", "6 and 7")
    with pytest.raises(Unclear):
        typed(replacing, "5")


def test_a_number_of_an_output_of_another_form_is_not_guessed() -> None:
    replacing = Replacing(VALUES, {})
    replacing.learn(9, "total 42", "no rows found, total unknown")
    with pytest.raises(Unclear, match="event 9"):
        typed(replacing, "it is 42")
    assert typed(replacing, "total") == "total"


def test_a_time_or_a_date_is_one_value() -> None:
    replacing = Replacing(VALUES, {})
    replacing.learn(9, "Monday 9:00 to 16:45\nTuesday 9:00 to 16:30", "Monday 10:00 to 18:00\nTuesday 10:00 to 17:15")
    assert typed(replacing, "It closes at 16:30.") == "It closes at 17:15."
    with pytest.raises(Unclear):
        typed(replacing, "16")  # 18 or 17
    replacing.learn(10, "from 2026-03-14 on", "from now on")
    with pytest.raises(Unclear, match="'2026-03-14'"):
        typed(replacing, "2026-03-14")


def test_a_line_of_another_form_hides_no_other_line() -> None:
    replacing = Replacing(VALUES, {})
    replacing.learn(9, "Kirkgate\nrooms 12\ndesk 4 and 5", "Park Road\nrooms 31\nno desk")
    assert typed(replacing, "rooms: 12") == "rooms: 31"
    with pytest.raises(Unclear, match="event 9"):
        typed(replacing, "4")


def test_a_result_inside_a_constant_is_the_constant() -> None:
    values = (Value("text1", "Room 42", "text", ()),)
    replacing = Replacing(values, {})
    replacing.learn(9, "42", "43")
    assert typed(replacing, "Room 42: 42 chairs") == "Room 42: 43 chairs"


def test_results_in_programs_are_not_guessed() -> None:
    replacing = Replacing(VALUES, {"may.csv": "june.csv"})
    replacing.learn(9, "3120", "3200")
    program = Operation(function="run_python_code", params={"code": "open('may.csv').write('x' * 31200)"})
    assert replacing.operation(program).params["code"] == "open('june.csv').write('x' * 31200)"
    with pytest.raises(Unclear, match="the program holds '3120'"):
        replacing.operation(Operation(function="run_python_code", params={"code": "print(3120 / 2)"}))


def test_keys_and_numbers() -> None:
    replacing = Replacing(VALUES, {})
    replacing.learn(9, "2", "7")
    assert replacing.operation(Operation(function="hotkey", params={"keys": ["ctrl", "2"]})).params["keys"] == ["ctrl", "2"]
    assert replacing.operation(Operation(function="set_value", params={"value": 2.0})).params["value"] == 7
    assert replacing.operation(Operation(function="choose_menu", params={"path": ["Page", "2"]})).params["path"] == [
        "Page",
        "7",
    ]


words = st.text(st.characters(categories=("Lu", "Ll", "Nd", "Zs", "Po")), max_size=40)


@given(words, st.lists(words, max_size=3))
def test_with_the_same_outputs_nothing_changes(text: str, outputs: list[str]) -> None:
    replacing = Replacing(VALUES, {})
    for number, output in enumerate(outputs):
        replacing.learn(number, output, output)
    assert replacing.text(text) == text
    assert typed(replacing, text) == text
    assert replacing.forms(text)[0] == text


@given(st.integers(0, 10**6), st.integers(0, 10**6), words.filter(lambda text: not any(map(str.isdigit, text))))
def test_a_typed_result_is_always_the_new_one(old: int, new: int, around: str) -> None:
    replacing = Replacing(VALUES, {})
    replacing.learn(1, f"{old}\n", f"{new}\n")
    assert typed(replacing, f"{around} {old}") == f"{around} {new}"


PROGRAMS: tuple[tuple[str, str, str, str], ...] = (
    ("sum", "all", "sum = sum(rows)\nprint('sum', sum)", "sum = sum(rows)\nprint('all', sum)"),
    ("Total:", "Sum's", "open('a', 'w').write(f'Total: {total}')", "open('a', 'w').write(f'Sum\\'s {total}')"),
    ("total", "sum", 'print(f"{total} is the total")', 'print(f"{total} is the sum")'),
    ("Total:", "{x}", 'print(f"Total: {x}", "Total:")', 'print(f"{{x}} {x}", "{x}")'),
    ("note", "a\nb", 'x = "note"  # note', 'x = "a\\x0ab"  # note'),
    ("x", "'); evil('", "f('x')", "f('\\'); evil(\\'')"),
    ("3", "5", "rates[3] * 3.5 + 13 + 3", "rates[5] * 3.5 + 13 + 5"),
    ("x", "y", "x = r'x'", "x = r'y'"),
    ("x", "y", "x = (", "x = ("),
)


@pytest.mark.parametrize(("old", "new", "then", "now"), PROGRAMS)
def test_in_python_only_literals_are_values(old: str, new: str, then: str, now: str) -> None:
    replacing = Replacing((Value("text1", old, "text", ()),), {old: new})
    assert replacing.code(then) == now


@pytest.mark.parametrize(("new", "then"), [("a'b", "x = r'old'"), ("é", "x = b'old'"), ("x y", "rates[7]")])
def test_what_a_program_cannot_hold_is_unclear(new: str, then: str) -> None:
    old = "7" if "7" in then else "old"
    with pytest.raises(Unclear, match="cannot hold"):
        Replacing((Value("text1", old, "text", ()),), {old: new}).code(then)


@given(words.filter(lambda text: text.isprintable()))
def test_whatever_a_value_is_it_stays_one_text(new: str) -> None:
    program = "def f(*given):\n    return given\n"
    for literal in ("'old'", '"old"', "f'old'", '"""old"""', "u'old'"):
        code = Replacing((Value("text1", "old", "text", ()),), {"old": new}).code(f"{program}got = f({literal}, 1)")
        there: dict[str, Any] = {}
        exec(code, there)
        assert there["got"] == (new, 1)


COMMANDS = ("printf %s may.csv", "printf %s 'may.csv'", 'printf %s "may.csv"', "printf %s a\\ may.csv")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("new", ["Now!", "june.csv", "of june.csv", "x'; echo gone; '", '$(echo gone)"`echo gone`', "a\\b"])
def test_whatever_a_value_is_it_stays_one_word_of_a_command(command: str, new: str) -> None:
    replacing = Replacing((Value("file1", "may.csv", "file", ()),), {"may.csv": new})
    ran = replacing.operation(Operation(function="run_shell", params={"command": command})).params["command"]
    said = subprocess.run(["bash", "-c", ran], capture_output=True, text=True, check=True).stdout
    assert said == ("a " if "a\\ " in command else "") + new


def test_a_text_for_a_program_of_the_shell_is_not_guessed() -> None:
    replacing = Replacing((Value("text1", "may", "text", ()),), {"may": "a b"})
    with pytest.raises(Unclear, match="cannot hold"):
        replacing.command("cat <<END\nmay\nEND")


NAMED: tuple[tuple[str, str, bool], ...] = (
    ("max", "print('max', max(hours))", True),
    ("Max", "print('Max', max(hours))", True),
    ("average", "average_hours = total / n; print('average')", True),
    ("most hours", "most_hours = rows[-1]; print('most hours')", True),
    ("hours", "open('m.txt', 'w').write(f\"hours {sum(row['hours'] for row in rows)}\")", True),
    ("not", "print('not', not any(rows))", True),
    (">", "print('>', [x for x in rows if x > 3])", True),
    ("max", "print('max', max(hours)", True),
    ("max", "print('max', 'max(', sorted(hours)[-1])  # max", False),
    ("Total:", "for total in totals: print('Total:')", False),
    ("3", "rows[3] + x3", False),
    ("May", "maybe = mayor('May')", False),
    ("a, b", "print(a, b)", False),
)


@pytest.mark.parametrize(("value", "code", "named"), NAMED)
def test_a_name_in_python_is_told_from_data(value: str, code: str, named: bool) -> None:
    done = Operation(function="run_python_code", params={"code": code})
    assert bool(built_in(value, [done], "")) is named
    assert bool(built_in(value, [], code)) is named


def test_the_parameters_of_a_check_say_nothing() -> None:
    assert not built_in("start", [], "def requirement_1(start, end):\n    return 'start' in (end / 'a').read_text()")


SHELL: tuple[tuple[str, str, bool], ...] = (
    ("max", "awk '{if ($1 > max) max = $1} END {print max}' a.csv", True),
    ("max", "python3 -c 'print(max(rows))'", True),
    ("sort", "cat a.txt | sort > b.txt", True),
    ("count", "grep --count Ann a.txt", True),
    ("name", "for f in *; do echo $name; done", True),
    ("Ann", "grep -c Ann --ignore-case a.txt", False),
    ("Ann", 'awk -F, \'$1=="Ann" {s += $2} END {print "hours of Ann", s}\' a.csv', False),
    ("Total:", "echo Total: $(wc -l < a.txt)", False),
)


@pytest.mark.parametrize(("value", "command", "named"), SHELL)
def test_a_name_in_a_command_is_told_from_data(value: str, command: str, named: bool) -> None:
    assert bool(built_in(value, [Operation(function="run_shell", params={"command": command})], "")) is named


def test_only_what_would_be_another_text_is_a_place() -> None:
    steps = (
        step(1, "run_python_code", code="x = 1  # may", main_function="may"),
        step(2, "run_python_code", code="x = 3.5"),
        step(3, "hotkey", keys=["may"]),
        step(4, "choose_menu", path=["File", "may"]),
    )
    assert value_named("month", "may", steps).places == ("#4 choose_menu path",)
    assert value_named("count", "3", steps).places == ()
    assert value_named("count", "3.5", steps).places == ("#2 run_python_code code",)
    assert value_named("none", "0", (step(1, "run_python_code", code="x = 0"),)).places == ("#1 run_python_code code",)
