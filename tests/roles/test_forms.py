"""What words put into a form: everyday wordings, and that doubt is left to the model."""

from __future__ import annotations

import pytest

from deskcrew.observation import Box, Control, ControlOperation, Observation, Window
from deskcrew.roles.forms import filled, from_record, missing
from deskcrew.roles.framing import frame, inner

WINDOW = Window(id=1, title="Rooms", app="Browser", box=Box(x=0, y=0, width=1000, height=800), active=True)
TOGGLED: tuple[ControlOperation, ...] = ("click", "toggle")
TYPED: tuple[ControlOperation, ...] = ("click", "type")
CHOSEN: tuple[ControlOperation, ...] = ("click", "select")


def control(
    label: str, role: str, name: str, operations: tuple[ControlOperation, ...], y: int = 200, x: int = 100, **more: object
) -> Control:
    box = Box(x=x, y=y, width=40, height=20)
    return Control.model_validate(
        {"label": label, "role": role, "name": name, "operations": operations, "box": box, "window": 1} | more
    )


def page(*, reset: bool = True) -> Observation:
    controls = [
        control("d", "document", "Rooms", (), box=Box(x=0, y=90, width=1000, height=700)),
        control("address", "text field", "Address and search bar", TYPED, y=40),
        control("back", "button", "Reload", ("click",), y=40),
        control("name", "text field", "Your name", TYPED, value=""),
        control("mail", "text field", "E-mail address", TYPED, value=""),
        control("nights", "number field", "Number of nights", TYPED, value="1"),
        control("weight", "number field", "Weight in kg", TYPED, value="1"),
        control("city", "combo box", "City", CHOSEN, value="Berlin", options=("Choose…", "Berlin", "Lyon", "New York")),
        control("copies", "combo box", "Copies", CHOSEN, value="100", options=("100", "250")),
        control("single", "radio button", "Single", TOGGLED),
        control("double", "radio button", "Double", TOGGLED, x=160),
        control("breakfast", "check box", "Include breakfast", TOGGLED),
        control("news", "check box", "Newsletter", TOGGLED, states=("checked",)),
        control("guests", "slider", "Guests", ("set",), value="2"),
        control("book", "button", "Book now", ("click",)),
        control("sum", "button", "Calculate price", ("click",)),
    ]
    return Observation(windows=(WINDOW,), controls=tuple(controls))


def put(words: str, *, asks: bool = False) -> dict[str, object] | None:
    """What goes where, by label; "press" is the button."""
    found = filled(words, page(), asks=asks)
    if found is None:
        return None
    done: dict[str, object] = {"press": found.button.label} if found.button else {}
    for each in found.operations:
        params = each.params
        done[str(each.control)] = params.get("keys", params.get("option", params.get("value", True)))
    return done


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            "Enter Mary Smith as the name, choose New York as the city and press Book now.",
            {"name": "Mary Smith", "city": "New York", "press": "book"},
        ),
        ('type "Jo Do" into the Your name field, pick Single', {"name": "Jo Do", "single": True}),
        (
            "with name Ada Lovelace and email ada@x.org, 2 nights",
            {"name": "Ada Lovelace", "mail": "ada@x.org", "nights": "2"},
        ),
        ("untick Newsletter and set guests to 4", {"news": True, "guests": 4.0}),
        ("enter 7 as the weight and Lyon as the city", {"weight": "7", "city": "Lyon"}),
        ("250 copies without breakfast", {"copies": "250"}),
        ("tick Newsletter and choose Double", {"double": True}),
    ],
)
def test_what_is_said_beside_a_label_goes_into_its_field(words: str, expected: dict[str, object]) -> None:
    assert put(words) == expected


def test_a_question_presses_the_button_that_works_something_out() -> None:
    words = "What does a double room in Lyon for 3 nights with breakfast cost?"
    assert put(words, asks=True) == {"nights": "3", "double": True, "city": "Lyon", "breakfast": True, "press": "sum"}
    assert "press" not in (put("3 nights in Lyon") or {})


@pytest.mark.parametrize(
    "words",
    [
        "Choose Single and Double",  # both of one group
        "Enter 5 as the price",  # a number that has no field
        "3 nights in Madrid",  # a name that the page does not know
        "3 nights, and press Send",  # a button that is not there
        'write "hello" and 2 nights',  # a text that has no field
        "Breakfast at 3 nights",  # with or without?
        "Look at the page",
    ],
)
def test_doubt_is_left_to_the_model(words: str) -> None:
    assert put(words) is None


def test_around_a_page_nothing_is_part_of_it() -> None:
    seen = page()
    assert {"address", "back"}.isdisjoint(c.label for c in inner(seen))
    assert frame(seen, "press Book now") == {"address", "back"}
    assert frame(seen, "type example.org into the address bar") == frozenset()


def test_what_is_to_be_chosen_or_pressed_and_is_not_there() -> None:
    seen = page()
    assert missing("choose Madrid as the city", seen).startswith(
        "There is no 'Madrid' in the list 'City'; there are Choose…"
    )
    assert missing("choose Lyon as the city", seen) == ""
    assert missing("choose Madrid as the capital", seen) == ""
    assert missing('press "Send by drone"', seen) == ""  # nobody knows whether the page goes on
    ended = seen.model_copy(update={"places": (("Book a room", Box(x=10, y=100, width=50, height=20)),)})
    assert missing('press "Send by drone"', ended).startswith(
        "There is no button 'Send by drone' on the page; there are Book now"
    )
    assert missing('press "Book"', ended) == ""


def test_a_form_is_filled_from_a_record() -> None:
    record = {"name": "Mary Smith", "email": "m@x.org", "nights": "3", "city": "Lyon", "phone": "12 34"}
    words = from_record("fill in the form with the data from stay.json and press Book now.", record, page())
    assert put(words) == {"name": "Mary Smith", "mail": "m@x.org", "nights": "3", "city": "Lyon", "press": "book"}
    words = from_record("fill in the name and the nights from it", record, page())
    assert put(words) == {"name": "Mary Smith", "nights": "3"}
    assert from_record("fill in the name from it, and 4 nights", record, page()) == ""
    assert from_record("fill in the form", {"colour": "red"}, page()) == ""
    del record["name"]
    assert from_record("fill in the form", record, page()) == ""  # what is called otherwise may be meant


def test_a_button_is_not_pressed_for_a_part_that_wants_more_than_was_understood() -> None:
    assert put("Select rooms that are like a castle, and click Book now.") is None
    assert put("Click Book now.") == {"press": "book"}
