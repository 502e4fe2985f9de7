"""Checks: what a task's words oblige to, and what holds in files as they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import openpyxl
import pytest

from deskcrew.actions import readers
from deskcrew.events import Operation, RunStarted
from deskcrew.goals.from_orders import checks_of_task
from deskcrew.goals.goal import NO_RESULT, World, evaluate, thin, unmet
from deskcrew.journal.fold import RunState
from deskcrew.journal.records import Done, Turn
from deskcrew.observation import Box, Control, FileEntry, Observation, Window
from deskcrew.texts import stands_in
from deskcrew.verdict import EMPTY as EMPTY_FILE
from deskcrew.verdict import FOUND_OUT, ONLY, RESULT, Check, CheckResult, Edit

EMPTY = Observation()


def judged(folder: Path, check: Check) -> CheckResult:
    def cell(path: str, address: str) -> str | None:
        return readers.cell(folder / path, address)

    world = World(before=EMPTY, now=EMPTY, read=lambda path: (folder / path).read_text(), cell=cell)
    return evaluate((check,), RunState(), world)[0]


@pytest.fixture
def book(tmp_path: Path) -> Path:
    book = openpyxl.Workbook()
    book.worksheets[0].append(("total", 1234.50, "=1+1"))
    book.create_sheet("Other").append((True,))
    book.save(tmp_path / "book.xlsx")
    return tmp_path


@pytest.mark.parametrize(
    ("target", "text", "holds", "found"),
    [
        ("book.xlsx!B1", "1,234.5", True, "1234.5"),
        ("book.xlsx!B1", "1234", False, "1234.5"),
        ("book.xlsx!Other!A1", "true", True, "TRUE"),
        ("book.xlsx!D9", "", True, ""),
        ("book.xlsx!C1", "2", None, "its value cannot be looked at"),
        ("book.xlsx!Third!A1", "2", False, "There is no sheet 'Third'; there are: Sheet, Other."),
        ("book.xlsx!", "2", False, "'' is not a cell; write it as B2 or Sheet2!B2."),
        ("book.xlsx!B1", RESULT, None, NO_RESULT),
    ],
)
def test_cell_equals(book: Path, target: str, text: str, holds: bool | None, found: str) -> None:
    result = judged(book, Check(kind="cell_equals", target=target, text=text))
    assert (result.holds, result.found) == (holds, found)


def test_what_does_not_hold_is_said_with_what_was_found(book: Path) -> None:
    result = judged(book, Check(kind="cell_equals", target="book.xlsx!B1", text="7"))
    assert unmet([result]) == ["cell book.xlsx!B1 is '7': no (1234.5)"]


def test_a_sentence_or_a_part_after_a_semicolon_obliges_by_itself() -> None:
    task = 'Write "x" into a.txt; write "y" into b.txt. Do not touch c.txt! Then make d.txt, as in e.g. old.txt.'
    there = Observation(files=(FileEntry(path="old.txt", kind="file"),))
    checks = checks_of_task(task, there)
    assert [check.target for check in checks if check.kind == "file_exists"] == ["d.txt", "a.txt", "b.txt"]
    written = [(check.target, check.text) for check in checks if check.kind == "file_contains"]
    assert written == [("a.txt", "x"), ("b.txt", "y")]


def entry(path: str, text: str) -> FileEntry:
    return FileEntry(path=path, kind="file", size=len(text), digest=text or "nothing")


def holds(check: Check, now: Observation, before: Observation = EMPTY, state: RunState | None = None, **world: Any) -> Any:
    made = World(before=before, now=now, read=lambda _: "", cell=lambda *_: None, **world)
    return evaluate((check,), state or RunState(), made)[0].holds


def test_an_empty_file_is_none_unless_it_may_be() -> None:
    now = Observation(files=(entry("a.txt", ""),))
    assert holds(Check(kind="file_exists", target="a.txt"), now) is False
    assert holds(Check(kind="file_exists", target="a.txt", text=EMPTY_FILE), now) is True


def test_a_copy_is_the_same_as_what_it_was_made_of_then_or_now() -> None:
    check = Check(kind="same_as", target="b.txt", text="a.txt")
    before = Observation(files=(entry("a.txt", "old"),))
    for text, same in (("old", True), ("new", True), ("other", False)):
        now = Observation(files=(entry("a.txt", "new"), entry("b.txt", text)))
        assert holds(check, now, before) is same
    assert holds(check, before, before) is False


def test_a_file_that_is_still_there_is_not_gone() -> None:
    check = Check(kind="file_absent", target="a.txt")
    assert holds(check, Observation(files=(entry("a.txt", "x"),))) is False
    assert holds(check, EMPTY) is True


def test_what_another_window_shows_does_not_count() -> None:
    box = Box(x=0, y=0, width=9, height=9)
    windows = tuple(Window(id=n, title=title, app="a", box=box, active=n == 1) for n, title in ((1, "Form"), (2, "Notes")))
    label = Control(label="1", role="label", name="Saved", box=box, window=2)
    now = Observation(windows=windows, controls=(label,), text="Ready")
    for target, text, wanted in (("Notes", "Saved", True), ("Form", "Saved", False), ("", "Saved", True)):
        assert holds(Check(kind="window_shows", target=target, text=text), now) is wanted
    assert holds(Check(kind="window_shows", target="Form", text="Ready"), now) is True
    assert holds(Check(kind="window_shows", target="Other", text="Ready"), now) is False


def test_a_window_of_another_desktop_of_the_run_counts() -> None:
    box = Box(x=0, y=0, width=9, height=9)
    there = Observation(windows=(Window(id=1, title="Form", app="a", box=box, active=True),), text="Ready")
    here = there.model_copy(update={"windows": (Window(id=1, title="Notes", app="a", box=box, active=True),), "text": "x"})
    for title, text, wanted in (("Form", "Ready", True), ("Notes", "Ready", False), ("Notes", "x", True)):
        check = Check(kind="window_shows", target=title, text=text)
        assert holds(check, here, elsewhere=(there,)) is wanted


def test_what_was_opened_is_seen_in_the_windows_or_not_known() -> None:
    box = Box(x=0, y=0, width=9, height=9)
    editor = Window(id=1, title="notes.txt - Mousepad", app="mousepad", box=box)
    page = Window(id=2, title="Calculator", app="chromium", box=box, url="https://example.org/a/")
    now = Observation(windows=(editor, page))
    for target, text, wanted in (
        ("Text Editor (Mousepad)", "", True),
        ("Text Editor (Mousepad)", "docs/notes.txt", True),
        ("Text Editor (Mousepad)", "other.txt", None),
        ("", "notes.txt", True),
        ("Calculator", "", None),
        ("", "https://example.org/a", True),
        ("", "https://example.org/b", None),
    ):
        assert holds(Check(kind="opened", target=target, text=text), now) is wanted, (target, text)


def test_a_program_that_is_called_what_it_is_stands_for_all_that_are_that() -> None:
    editor = Window(id=1, title="Untitled", app="Mousepad", box=Box(x=0, y=0, width=9, height=9))
    own = editor.model_copy(update={"app": "gnome-text-editor"})
    there = ("Text Editor", "Text Editor (Mousepad)", "Text Editor (Other)", "Calculator")
    for target, window, wanted in (
        ("Text Editor", editor, True),
        ("Text Editor", own, True),
        ("Text Editor (Mousepad)", editor, True),
        ("Text Editor (Mousepad)", own, None),
        ("Text Editor (Other)", editor, None),
        ("Calculator", editor, None),
    ):
        check, world = Check(kind="opened", target=target), Observation(windows=(window,))
        found = evaluate((check,), RunState(applications=there), World(world, world, lambda _: None, lambda *_: None))
        assert found[0].holds is wanted, (target, window.app)


@pytest.mark.parametrize("by_reflex", [False, True])
def test_what_a_reflex_chose_to_open_is_not_proven_by_the_reading_that_chose_it(by_reflex: bool) -> None:
    window = Window(id=1, title="Untitled", app="Calculator", box=Box(x=0, y=0, width=9, height=9))
    look = Observation(windows=(window,))
    opening = Operation(function="open_application", params={"app_name": "Calculator"})
    turn = Turn(number=1, role="Solo", subtask="1", reply={}, by_reflex=by_reflex, done=[Done(opening, True, "", "e1")])
    state = RunState(applications=("Calculator",), turns=[turn])
    (found,) = evaluate(
        (Check(kind="opened", target="Calculator"),), state, World(look, look, lambda _: None, lambda *_: None)
    )
    assert found.holds is (None if by_reflex else True)


def test_the_clipboard_is_asked_only_where_there_is_one() -> None:
    check = Check(kind="clipboard_holds", text="blue whale")
    for held, wanted in ((None, None), ("", False), ("Blue whale\n", True), ("a blue whale", False)):
        assert holds(check, EMPTY, clipboard=lambda text=held: text) is wanted


@pytest.mark.parametrize(
    ("command", "code", "wanted"),
    [
        ("sh check.sh", 0, True),
        ("./check.sh --all", 0, True),
        ("sh check.sh", 3, False),
        ("sh check.sh || true", 0, None),
        ("sh check.sh; echo ok", 0, None),
        ("cat check.sh", 0, None),
    ],
)
def test_an_exit_code_is_that_of_the_program_alone(command: str, code: int, wanted: bool | None) -> None:
    done = Done(Operation(function="run_shell", params={"command": command}), code == 0, "", "e", exit_code=code)
    state = RunState(turns=[Turn(number=1, role="Solo", subtask="1", reply={"operations": []}, done=[done])])
    assert holds(Check(kind="exit_code", target="check.sh", text="0"), EMPTY, state=state) is wanted


@pytest.mark.parametrize(
    ("part", "whole", "there"),
    [
        ("12", "3120", False),
        ("12", "it is 12.", True),
        ("12", "12.5", False),
        ("12", "-12", False),
        ("12", "rows 10-12", True),
        ("3,120", "pears 3120", True),
        ("Total:", "Total:5", True),
        ("hello", "hello1", False),
    ],
)
def test_a_number_or_word_stands_there_on_its_own(part: str, whole: str, there: bool) -> None:
    assert stands_in(part, whole) is there


@pytest.mark.parametrize(
    ("text", "holds"),
    [("hello", True), ('"hello"\n', True), ("hello 42.", True), ("hello again", None), ("hello hello", None), ("", True)],
)
def test_more_than_the_task_says_is_not_called_done(text: str, holds: bool | None) -> None:
    """What stands there besides may be meant, but no rule can say so."""
    checks = (
        Check(kind="file_contains", target="a.txt", text="hello"),
        Check(kind="file_contains", target="a.txt", text="42"),
        Check(kind="nothing_else", target="a.txt"),
    )
    state = RunState(checks=checks)
    world = World(before=Observation(), now=Observation(), read=lambda _: text, cell=lambda *_: None)
    assert evaluate(checks[2:], state, world)[0].holds is holds


@pytest.mark.parametrize(
    ("was", "now", "holds"),
    [("one\n", "one\ntwo\n", True), ("one\n", "two\none\n", False), (None, "one\ntwo\n", None)],
)
def test_a_file_is_compared_with_what_it_was(was: str | None, now: str, holds: bool | None) -> None:
    before, after = (Observation(files=(FileEntry(path="a.txt", kind="file", size=1, digest=each),)) for each in "xy")
    world = World(before=before, now=after, read=lambda _: now, cell=lambda *_: None, was=lambda _: was)
    edit = Edit(kind="add", texts=("two",), place="END", whole_line=True)
    check = Check(kind="changed_since_start", target="a.txt", text=f'{ONLY}Add the line "two" at the end', edits=(edit,))
    assert evaluate((check,), RunState(), world)[0].holds is holds


def test_what_a_new_note_says_has_to_have_been_found_out() -> None:
    after = Observation(files=(FileEntry(path="a.txt", kind="file", size=1, digest="y"),))
    world = World(before=Observation(), now=after, read=lambda _: "Leeds", cell=lambda *_: None)
    check = Check(kind="changed_since_start", target="a.txt", text=FOUND_OUT)
    assert evaluate((check,), RunState(), world)[0].holds is None


@pytest.mark.parametrize(
    ("was", "now", "holds"),
    [("Feb,95", "Feb,95", None), ("Feb,95", "Feb,110", True)],
)
def test_whether_a_document_that_was_only_saved_was_changed_nobody_can_say(was: str, now: str, holds: bool | None) -> None:
    """Programs write another file each time they save, and its text does not show how it looks."""
    state = RunState()
    before, after = (Observation(files=(FileEntry(path="a.xlsx", kind="file", size=1, digest=d),)) for d in "xy")
    world = World(before=before, now=after, read=lambda _: now, cell=lambda *_: None, was=lambda _: was)
    (found,) = evaluate((Check(kind="changed_since_start", target="a.xlsx"),), state, world)
    assert found.holds is holds


def test_a_note_that_repeats_the_order_does_not_hold_what_came_of_it() -> None:
    task = "Run `wc -l a.log` in a terminal and put what it prints into a note, saved as a.txt."
    state = RunState(started=RunStarted(task=task, crew="", model="", mode="", workspace="", desktop="none"))
    after = Observation(files=(FileEntry(path="a.txt", kind="file", size=1, digest="y"),))
    world = World(before=Observation(), now=after, read=lambda _: "wc -l a.log\n", cell=lambda *_: None)
    (found,) = evaluate((Check(kind="changed_since_start", target="a.txt", text=FOUND_OUT),), state, world)
    assert found.holds is False
    assert found.found == "it contains only what the task says: 'wc -l a.log'"


@pytest.mark.parametrize("question", ["", "Which number does the page show?"])
def test_a_deed_is_nothing_that_a_rule_can_look_at(question: str) -> None:
    state = RunState()
    state.question = question
    assert holds(Check(kind="deed", text='choose Oak and press "Book it"'), EMPTY, state=state) is None


@pytest.mark.parametrize("mark", ["in order", "in capital letters", "to a sentence"])
def test_a_mark_of_an_earlier_version_is_not_called_right(mark: str) -> None:
    after = Observation(files=(FileEntry(path="a.txt", kind="file", size=1, digest="y"),))
    assert holds(Check(kind="changed_since_start", target="a.txt", text=mark), after) is None


def test_a_file_without_anything_in_it_holds_no_result(tmp_path: Path) -> None:
    (tmp_path / "totals.json").write_text("{}")
    assert judged(tmp_path, Check(kind="file_contains", target="totals.json", text=RESULT)).holds is False


@pytest.mark.parametrize(
    ("said", "judged", "enough"),
    [
        ("Put the colour I like into colour.txt", False, False),  # somebody has to say that it was worked out as wanted
        ("Put the colour I like into colour.txt", True, True),
        ("Put the colour I like into colour.txt\nTeal, please", False, True),  # a person answered so: nothing was worked out
    ],
)
def test_what_a_person_said_was_not_worked_out(said: str, judged: bool, enough: bool) -> None:
    there = CheckResult(check=Check(kind="file_exists", target="colour.txt"), holds=True, found="")
    holding = Check(kind="changed_since_start", target="colour.txt", text=FOUND_OUT)
    found = CheckResult(check=holding, holds=True, found="teal")
    assert (thin((there, found), said, judged=judged) == "") is enough
