"""What rules take from windows and put into them: the words they act on, and those they leave to the model."""

from __future__ import annotations

import pytest

from deskcrew.observation import Box, Control, Observation, Window
from deskcrew.roles.tabular import Table
from deskcrew.steps.cells import missing, wanted
from deskcrew.steps.commanding import figure, output, quoted_command
from deskcrew.steps.reckoning import typed
from deskcrew.steps.sources import shown_in
from deskcrew.steps.viewing import news, only_reads, shown

SHEET = Table(
    (("Name", "Team", "Hours"), ("Ivo", "Blue", "31"), ("Nadia", "Red", "22")),
    (("A1", "B1", "C1"), ("A2", "B2", "C2"), ("A3", "B3", "C3")),
)
LABELS = ["A1", "C3", "D9"]
PAGE = "Busy hours\nWho | Weekly total | Best day\nIvo | 40 | 9\nNadia | 38 | 8"


@pytest.mark.parametrize(
    ("part", "read", "expected"),
    [
        ("enter 38 as the hours of Nadia", [], ("C3", "38", False)),
        ("change the hours of Nadia to 38.", [], ("C3", "38", False)),
        ("set Nadia's hours from 22 to 38", [], ("C3", "38", False)),
        ("put 12.5 into cell D9", [], ("D9", "12.5", False)),
        ("put the weekly total for Nadia into the Hours column of Nadia in a.xlsx, with Calc", [PAGE], ("C3", "38", True)),
        ("enter it in the Hours column of Nadia", ["38"], ("C3", "38", True)),
        ("enter it in the Hours column of Nadia", [PAGE], None),
        ("change the hours of Olga to 38", [], None),
        ("change the pay of Nadia to 38", [], None),
        ("put the monthly total for Nadia into the Hours column of Nadia", [PAGE], None),
        ("put 3 into cell Z99", [], None),
        ("sort the table by hours", [], None),
    ],
)
def test_the_cell_and_what_goes_into_it(part: str, read: list[str], expected: tuple[str, str, bool] | None) -> None:
    assert wanted(part, SHEET, read, LABELS) == expected


@pytest.mark.parametrize(
    ("part", "reads"),
    [
        ("week.html shows the visitors of last week. Look at it in the browser", True),
        ("Look up the price of the big room in rooms.html (open it in the browser)", True),
        ("Which platform does the train to Leeds leave from?", True),
        ("tell me the code of the garage door.", True),
        ("departures.html is open in the browser. From which platform does the train leave?", True),
        ("What does it cost when you press Send?", False),
        ("Look at the page and write the total into a.txt", False),
        ("Scroll down", False),
    ],
)
def test_a_part_that_only_reads(part: str, reads: bool) -> None:
    assert only_reads(part) is reads


def look(text: str, total: str = "") -> Observation:
    window = Window(id=1, title="Form", app="Browser", box=Box(x=0, y=0, width=500, height=500), active=True)
    box = Box(x=10, y=10, width=50, height=20)
    typed_in = Control(
        label="1", role="text field", name="Weight", value=f"7{total}", operations=("click", "type"), box=box, window=1
    )
    told = Control(label="2", role="text field", name="Total", value=total, operations=("click",), box=box, window=1)
    return Observation(windows=(window,), controls=(typed_in, told), text=text)


def test_what_is_new_is_what_a_form_says_and_not_what_was_typed_into_it() -> None:
    before = look("Parcels\nWeight")
    assert news(before, look("Parcels\nWeight\nPrice: 9 euros")) == "Price: 9 euros"
    assert news(before, look("Parcels\nWeight", "EUR 9")) == "Total: EUR 9"
    assert news(before, look("Parcels\nWeight\nPlease choose a country.")) == ""
    assert news(before, before) == ""
    assert "Weight: 7" in shown(before)


def test_what_stands_below_a_command_is_its_output() -> None:
    assert quoted_command('Run "wc -l log.txt" in the terminal') == "wc -l log.txt"
    assert quoted_command("execute `ls -a` there") == "ls -a"
    assert quoted_command('Write "hello" into the file') == ""
    assert output("$ wc -l log.txt\n337 log.txt\n$ ", "wc -l log.txt") == "337 log.txt"
    assert output("$ sleep 9\n", "sleep 9") == ""


def test_the_same_key_twice_in_a_row_is_pressed_twice() -> None:
    keys = "422*22-954="
    pressed = typed(keys)
    assert [each.params["text"] for each in pressed[:1]] == ["42"]
    told = "".join(
        each.params["text"] if at == 0 else "".join(each.params["keys"]) + each.params["text"]
        for at, each in enumerate(pressed)
    )
    assert told == keys
    assert not any(
        first == second
        for each in pressed
        for first, second in zip(each.params["text"], each.params["text"][1:], strict=False)
    )


def test_a_row_that_is_nowhere_is_refused_only_where_all_rows_are_in_view() -> None:
    whole = Table((*SHEET.rows, ("", "", "")))
    why = "No row of the table is called 'Olga'; there are Ivo, Nadia."
    assert missing("set the hours of Olga to 38", whole) == why
    assert missing("set the hours of Olga to 38", SHEET) == ""
    assert missing("set the hours of Nadia to 38", whole) == ""
    assert missing("set the pay of Olga to 38", whole) == ""


def test_a_number_beside_what_the_command_names_is_the_number() -> None:
    assert figure("214 server.log", "wc -l server.log") == "214"
    assert figure("214 others", "wc -l server.log") == ""
    assert figure("1 a.txt\n2 b.txt", "wc -l a.txt b.txt") == ""


def test_a_program_is_opened_on_what_it_shows() -> None:
    names = ("offer.docx", "prices.xlsx")
    assert shown_in("LibreOffice Calc", names) == ("prices.xlsx",)
    assert shown_in("Terminal emulator (X)", ("server.log",)) == ()
    assert shown_in("Calculator", ("pay.csv",)) == ()
    assert shown_in("Editor", names) == names
