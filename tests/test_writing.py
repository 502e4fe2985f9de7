"""What is pressed and typed so that one text becomes another, in a text area and in the paragraphs of a document."""

from __future__ import annotations

import pytest

from deskcrew.events import Operation
from deskcrew.steps.typing import in_area, in_document
from support.desktop_double import control

AREA = control("1", "text area", operations=("click", "type"))
TEXT = "one\ntwo\nthree\n"


def told(operations: list[Operation]) -> list[tuple[object, ...]]:
    def what(each: Operation) -> tuple[object, ...]:
        keys = each.params.get("keys", each.params.get("text"))
        return (each.function, each.control, tuple(keys) if isinstance(keys, list) else keys)

    return [what(each) for each in operations]


@pytest.mark.parametrize(
    ("text", "wanted", "done"),
    [
        (TEXT, TEXT + "four", [("hotkey", None, ("ctrl", "end")), ("keyboard_input", None, "four")]),
        (
            "one\ntwo",
            "one\ntwo\nfour",
            [("hotkey", None, ("ctrl", "end")), ("hotkey", None, ("enter",)), ("keyboard_input", None, "four")],
        ),
        (TEXT, "zero\n" + TEXT, [("hotkey", None, ("ctrl", "home")), ("keyboard_input", None, "zero\n")]),
        (TEXT, "one\n2\nthree\n", [("select_text", "1", "two"), ("keyboard_input", None, "2")]),
        ("a cat\na dog\n", "a cat\na cow\n", [("select_text", "1", "dog"), ("keyboard_input", None, "cow")]),
        ("a: 1\nb: 1\n", "a: 1\nb: 2\n", [("select_text", "1", "b: 1"), ("keyboard_input", None, "b: 2")]),
        (TEXT, TEXT.upper(), [("keyboard_input", "1", TEXT.upper())]),
        ("", "one", [("keyboard_input", None, "one")]),
    ],
)
def test_a_text_area(text: str, wanted: str, done: list[tuple[object, ...]]) -> None:
    assert told(in_area(AREA, text, wanted)) == done


def test_a_document_by_its_paragraphs() -> None:
    shown = [control(str(at), "paragraph", value=line) for at, line in enumerate(("two", "three"))]
    end, enter = ("hotkey", None, ("ctrl", "end")), ("hotkey", None, ("enter",))
    assert told(in_document(shown, TEXT, TEXT + "four")) == [end, enter, ("keyboard_input", None, "four")]
    assert told(in_document(shown, "one\n\n", "one\n\nfour")) == [end, ("keyboard_input", None, "four")]
    assert told(in_document(shown, TEXT, "one\n2\nthree\n")) == [("select_text", "0", "two"), ("keyboard_input", None, "2")]
    inserted = told(in_document(shown, TEXT, "one\ntwo\nnew\nthree\n"))
    assert inserted == [("select_text", "0", "two"), enter, ("keyboard_input", None, "new")]
    assert in_document(shown, TEXT, "1\ntwo\nthree\n") == [], "that paragraph is not to be seen"
