"""Wordings by people who had read neither a reflex nor a suite: twenty a reflex in each set, eight of them to be silent at.

The second set decided which reflexes stay (``bench/README.md``): it was written after them and run once. Both are spent.
"""

import json
from pathlib import Path

import pytest

from deskcrew.english.openings import opening, visiting

WORDINGS = json.loads(Path(__file__).with_name("wordings.json").read_text())
PROGRAMS = ("Text Editor", "Calculator", "Spreadsheet", "Word Processor", "Web Browser", "Terminal", "File Manager")
FILES = {"notes.txt", "budget.ods", "letter.odt", "data/sales.csv"}


def understood(kind: str, part: str) -> dict[str, str] | None:
    if kind == "visit":
        return {"url": order.what[0]} if (order := visiting(part)) is not None else None
    order = opening(part, PROGRAMS, FILES)
    if order is None or not set(order.files) <= FILES:
        return None
    return {"program": "".join(order.what), "file": order.name}


@pytest.mark.parametrize("kind", ["open", "visit"])
@pytest.mark.parametrize("written", ["first", "second"])
def test_at_least_half_are_understood_and_none_wrongly(kind: str, written: str) -> None:
    cases = WORDINGS[kind][written]
    found = [(case["part"], case["expect"], understood(kind, case["part"])) for case in cases]
    assert [each for each in found if each[2] not in (None, each[1])] == []
    meant = [each for each in found if each[1] is not None]
    assert 2 * sum(each[2] == each[1] for each in meant) >= len(meant)
    assert len(cases) - len(meant) >= 2


@pytest.mark.parametrize(
    "part",
    [
        "The text editor is open.",
        "Is the calculator open?",
        "Has the calculator started?",
        "so the terminal is open now",
        "We will show you the terminal next",
        "The calculator was opened.",
        "Has the text editor been started?",
        "You have the terminal open.",
        "Let us see whether the calculator is open.",
        "Soon we get to open the terminal.",
        "I like to have the text editor open.",
        "Is it possible to open the calculator on screen?",
        "Open the terminal?",
        "Open the terminal and the web browser application",
        "Open the file in the text editor.",
        "Is it good to visit https://example.com/?",
        "I see the page https://example.com/",
        "This is the page https://example.com/",
        "Was the page https://example.com/ good?",
        "We have been to https://example.com/ once.",
    ],
)
def test_questions_statements_and_two_things_open_nothing(part: str) -> None:
    assert understood("open", part) is None
    assert understood("visit", part) is None
