"""Where texts come from: what the crew wrote is no source, and what it worked out rests on files."""

from __future__ import annotations

from typing import Any

import pytest

from deskcrew.errors import ActionError
from deskcrew.evidence.answer import on_screen, support
from deskcrew.evidence.origin import Origins
from deskcrew.facts.events import Operation, RunStarted
from deskcrew.facts.observation import Box, Control, FileEntry, Observation, Window
from deskcrew.journal.fold import RunState
from deskcrew.journal.records import Collected, Done, Turn

FILES = {"table.csv": "item,amount\napple,20\npear,22\n", "other.csv": "item,amount\nrent,50\nAnn,7\n"}
BEFORE = Observation(files=tuple(FileEntry(path=path, kind="file", size=1) for path in FILES))
BOX = Box(x=0, y=0, width=9, height=9)
ASK = "What is the sum in table.csv?"


def origins(*done: Done, task: str = ASK, files: dict[str, str] | None = None) -> Origins:
    """A run that did this; every output or content of it was collected."""
    there = FILES | (files or {})
    state = RunState(started=RunStarted(task=task, crew="", model="", mode="", workspace="", desktop="none"))
    state.turns.append(Turn(number=1, role="Worker", subtask="1", reply={"operations": []}, done=list(done)))
    for each in done:
        kind = "output" if each.operation.function.startswith("run_") else "content"
        if each.text:
            found = Collected(each.event, each.number, "Worker", "1", kind, each.text, each.reads)  # type: ignore[arg-type]
            state.collected.append(found)

    def read(path: str) -> str:
        if path not in there:
            raise ActionError("not there")
        return there[path]

    return Origins(state, BEFORE, read)


def did(
    number: int,
    function: str,
    shown: str = "",
    /,
    *,
    reads: tuple[str, ...] = (),
    files: tuple[str, ...] = (),
    **params: Any,
) -> Done:
    """An operation that was done, with what it returned."""
    operation = Operation(function=function, params=params)
    return Done(operation, True, shown, f"e{number}", number=number, reads=reads, files=files)


def python(number: int, code: str, text: str = "", **more: Any) -> Done:
    return did(number, "run_python_code", text, code=code, **more)


def read(number: int, path: str, text: str) -> Done:
    return did(number, "read_file", text, reads=(path,), file_path=path)


WROTE = did(1, "write_file", file_path="mine.txt", text="The sum is 42.", files=("mine.txt",))
HELPER = python(1, "open('h.txt','w').write(open('table.csv').read())", reads=("table.csv",), files=("h.txt",))
STRAY = python(1, "open('h.txt','w').write(open('other.csv').read())", reads=("other.csv",), files=("h.txt",))
SUMS = "print(sum(rows[1:]))"


@pytest.mark.parametrize(
    ("done", "answer", "believed"),
    [
        ((read(2, "table.csv", FILES["table.csv"]),), "22", True),
        ((read(2, "other.csv", FILES["other.csv"]),), "50", False),
        ((python(2, SUMS, "42", reads=("table.csv",)),), "42", True),
        ((python(2, SUMS, "57", reads=("other.csv",)),), "57", False),
        ((python(2, SUMS, "42"),), "42", False),
        ((python(2, "print('The sum is 42')", "The sum is 42", reads=("table.csv",)),), "42", False),
        ((read(1, "table.csv", FILES["table.csv"]), python(2, "print(20 + 22)", "42")), "42", True),
        ((read(1, "table.csv", FILES["table.csv"]), python(2, "print(40 + 17)", "57")), "57", False),
        ((python(2, "print(20 + 22)", "42"),), "42", True),  # the prompt shows the files that the task names
        ((python(2, "print(50 + 7)", "57"),), "57", False),
        ((read(1, "table.csv", FILES["table.csv"]), python(2, "print(22 - 5)", "17")), "17", True),
        ((WROTE, read(2, "mine.txt", "The sum is 42.")), "42", False),
        ((WROTE, python(2, "print(open('mine.txt').read())", "The sum is 42.", reads=("mine.txt",))), "42", False),
        ((HELPER, python(2, SUMS, "42", reads=("h.txt",))), "42", True),
        ((STRAY, python(2, SUMS, "57", reads=("h.txt",))), "57", False),
        ((did(2, "run_shell", "3 table.csv", command="wc -l table.csv"),), "3", True),
        ((did(2, "run_shell", "42", command="echo 42 # table.csv"),), "42", False),
        ((did(2, "run_shell", "3", command="wc -l < *.csv"),), "3", True),
        ((python(2, "print(len(rows[2:]))", "2", reads=("table.csv",)),), "2", True),
        ((did(1, "write_clipboard", text="42"), did(2, "read_clipboard", "42")), "42", False),
        ((did(2, "read_clipboard", "42"),), "42", True),
    ],
)
def test_what_the_crew_wrote_or_made_of_something_else_is_no_source(
    done: tuple[Done, ...], answer: str, believed: bool
) -> None:
    assert support(origins(*done), answer, ()).holds is believed


def test_what_a_tool_of_others_returns_is_no_source_where_it_was_given_that_itself() -> None:
    asked = "What does the register say of Ann?"
    repeated = did(2, "echo", "paid 42", note={"lines": ["Ann", "paid 42"]})
    assert support(origins(repeated, task=asked), "paid 42", ()).holds is False
    looked_up = did(2, "look_up", "paid 42", name="Ann", page=2)
    assert support(origins(looked_up, task=asked), "paid 42", ()).holds is True


def test_a_word_of_the_code_counts_where_it_stands_in_the_file_it_read() -> None:
    code = "print('Ann' if a > b else 'Bob')"
    task = "Who spent more, according to other.csv?"
    assert support(origins(python(2, code, "Ann", reads=("other.csv",)), task=task), "Ann", ()).holds
    assert not support(origins(python(2, code, "Bob", reads=("other.csv",)), task=task), "Bob", ()).holds
    asked = "Who spent more in other.csv, Ann or Bob?"
    assert support(origins(python(2, code, "Bob", reads=("other.csv",)), task=asked), "Bob", ()).holds

    number = "Is the sum in other.csv 57 or 42?"
    assert not support(origins(python(2, "print(42)", "42", reads=("other.csv",)), task=number), "42", ()).holds


@pytest.mark.parametrize(
    ("maker", "stray"),
    [
        (python(2, "...", reads=("other.csv",), files=("out.txt",)), "other.csv"),
        (python(2, "...", reads=("table.csv",), files=("out.txt",)), ""),
        (python(2, "...", files=("out.txt",)), ""),
        (did(2, "run_shell", command="tar cf out.txt other.csv", files=("out.txt",)), "other.csv"),
        (did(2, "run_shell", command="tar cf out.txt ./table.csv", files=("out.txt",)), ""),
        (did(2, "run_shell", command="cd . && sh other.csv", files=("out.txt",)), ""),
        (did(2, "write_file", text="x", files=("out.txt",)), ""),
    ],
)
def test_a_file_made_of_something_else_than_the_task_names_is_told(maker: Done, stray: str) -> None:
    assert origins(maker).strays("out.txt") == stray
    assert origins(read(1, "table.csv", "x"), maker).strays("out.txt") == "", "what was read before may be in it"


def test_without_a_file_in_the_task_any_program_may_work_it_out() -> None:
    assert support(origins(python(2, "print(6 * 7)", "42"), task="How much is 6 times 7?"), "42", ()).holds
    assert not support(origins(python(2, "print(42)", "42"), task="How much is 6 times 7?"), "42", ()).holds


def test_sources_that_are_named_and_good_are_kept_others_are_not() -> None:
    found = origins(python(2, SUMS, "42", reads=("table.csv",)), python(3, SUMS, "42", reads=("other.csv",)))
    assert [source.number for source in support(found, "42", ("3", "99")).sources] == [2]


def test_the_reason_says_whether_it_stands_nowhere_or_only_in_own_words() -> None:
    found = origins(WROTE, read(2, "mine.txt", "The sum is 42."))
    assert "is in nothing that was read" in support(found, "41", ()).why
    assert "the crew wrote itself" in support(found, "42", ()).why


def test_a_file_that_a_program_made_of_what_the_task_names_holds_a_result() -> None:
    code = "open('sum.txt','w').write(str(total))"
    made = python(2, code, reads=("table.csv",), files=("sum.txt",))
    assert origins(made, files={"sum.txt": "42"}).made("sum.txt")
    constant = python(2, "open('sum.txt','w').write('42 of 2')", reads=("table.csv",), files=("sum.txt",))
    assert not origins(constant, files={"sum.txt": "42 of 2"}).made("sum.txt")
    stray = python(2, code, reads=("other.csv",), files=("sum.txt",))
    assert not origins(stray, files={"sum.txt": "57"}).made("sum.txt")
    after = did(3, "write_file", file_path="sum.txt", text="41", files=("sum.txt",))
    assert not origins(made, after, files={"sum.txt": "41"}).made("sum.txt")


def look(title: str = "table.csv - Editor", **control: Any) -> Observation:
    shown = Control(label="1", role="text area", box=BOX, window=1, **control)
    digit = Control(label="2", role="button", name="7", box=BOX, window=1, operations=("click",))
    return Observation(windows=(Window(id=1, title=title, app="editor", box=BOX, active=True),), controls=(shown, digit))


def test_what_stands_on_the_screen_is_a_source_unless_the_crew_typed_it() -> None:
    seen = on_screen("e5", 5, look(value="pear,22", operations=("type",)))
    assert support(origins(), "22", (), [seen]).holds
    assert not support(origins(did(3, "keyboard_input", keys="pear,22")), "22", (), [seen]).holds
    assert support(origins(did(7, "keyboard_input", keys="22")), "22", (), [seen]).holds, "it was typed later"


def test_the_name_of_a_button_is_no_source() -> None:
    assert not support(origins(), "7", (), [on_screen("e5", 5, look(value="0"))]).holds


def test_the_address_of_a_page_without_a_title_says_nothing_of_what_is_on_it() -> None:
    window = Window(
        id=1, title="workspace/note.html", app="Chromium", box=BOX, active=True, url="file:///workspace/note.html"
    )
    blank = Observation(windows=(window,))
    assert on_screen("e5", 5, blank).text == ""
    named = blank.model_copy(update={"windows": (window.model_copy(update={"title": "Note of May"}),)})
    assert on_screen("e5", 5, named).text == "Note of May"


def test_a_screen_counts_only_where_it_shows_what_the_task_names() -> None:
    seen = on_screen("e5", 5, look("Untitled - Editor", value="22"))
    opened = did(2, "open_application", "Started", reads=("table.csv",), app_name="Editor", file="table.csv")
    stray = did(2, "open_application", "Started", reads=("other.csv",), app_name="Editor", file="other.csv")
    assert not support(origins(), "22", (), [seen]).holds
    assert support(origins(opened), "22", (), [seen]).holds
    assert not support(origins(stray), "22", (), [seen]).holds


def test_what_a_calculator_shows_of_numbers_from_a_file_is_made_from_that_file() -> None:
    seen = on_screen("e5", 5, look("Calculator", value="440"))
    assert support(origins(did(3, "keyboard_input", keys="20*22=")), "440", (), [seen]).holds
    assert not support(origins(did(3, "keyboard_input", keys="20*23=")), "440", (), [seen]).holds, "23 is from nowhere"
    assert not support(origins(), "440", (), [seen]).holds, "nothing of the file was typed"


def test_a_cell_says_something_also_where_it_can_be_pressed() -> None:
    cell = Control(label="3", role="cell", name="C315", box=BOX, window=1, operations=("click",))
    seen = look("table.csv - Editor")
    shown = on_screen("e5", 5, seen.model_copy(update={"controls": (*seen.controls, cell)}))
    assert "C315" in shown.text.split("\n")
    assert "7" not in shown.text.split("\n")
