"""What a task says is not to be pressed or sent."""

from __future__ import annotations

import pytest

from deskcrew.coaching.forbidding import forbidden
from deskcrew.events import Operation
from deskcrew.observation import Box, Control, Observation

BOX = Box(x=0, y=0, width=9, height=9)
NAMES = {"1": ("button", "Book now"), "2": ("button", "Clear"), "3": ("text field", "Name"), "4": ("link", "Send")}
PAGE = Observation(
    controls=tuple(
        Control(label=label, role=role, name=name, window=1, box=BOX, operations=("click",))
        for label, (role, name) in NAMES.items()
    )
)


def click(label: str) -> Operation:
    return Operation(function="click_input", control=label)


ENTER = Operation(function="keyboard_input", control="3", params={"keys": "Ann", "click_enter": True})


@pytest.mark.parametrize(
    ("task", "operation", "words"),
    [
        ("Enter Ann, but do not send the form.", click("1"), "do not send the form"),
        ("Enter Ann, but don’t submit it", click("4"), "don’t submit it"),
        ("Enter Ann without booking anything.", click("1"), "without booking anything"),
        ("Enter Ann, but do not send the form.", ENTER, "do not send the form"),
        ("Enter Ann. Do not press Book now.", click("1"), "Do not press Book now"),
        ('Enter Ann. Never click the "Clear" button.', click("2"), 'Never click the "Clear" button'),
        ("Enter Ann, but do not send the form.", click("2"), ""),
        ("Enter Ann. Do not press Clear.", click("1"), ""),
        ("Enter Ann and do not forget to send it.", click("4"), ""),
        ("You do not have to book a table first.", click("1"), ""),
        ("Enter Ann and press Book now.", click("1"), ""),
        (
            "Enter Ann, but do not send the form.",
            Operation(function="keyboard_input", control="3", params={"keys": "A"}),
            "",
        ),
    ],
)
def test_what_a_task_forbids(task: str, operation: Operation, words: str) -> None:
    assert forbidden(operation, task, PAGE) == words
